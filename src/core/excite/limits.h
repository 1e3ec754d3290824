/* SPDX-License-Identifier: MIT */
/* Limits of a motion: position, speed and acceleration of every joint.
 *
 * A motion in a basis is held to them between its samples too. Fourier: a trigonometric polynomial
 * of degree Nh is at most 1/cos(pi Nh/N) times its largest of N > 2 Nh samples of a period
 * (Ehlich and Zeller, Math. Zeitschrift 86, 1964). Spline: the acceleration is cubic between knots
 * and its extremes are computed; position and speed exceed their samples by at most dt^2/8 times
 * the largest acceleration resp. jerk. All of these are proportional to the motion about the middle
 * of the range, so that one division per joint makes it feasible, exactly.
 *
 * Thread rule: re-entrant, no state, nothing allocates.
 */
#ifndef ARMATURE_CORE_EXCITE_LIMITS_H
#define ARMATURE_CORE_EXCITE_LIMITS_H

#include "core/arm/model.h"
#include "core/excite/basis.h"

typedef enum {
  ARM_MOTION_POSITION = 0,
  ARM_MOTION_SPEED,
  ARM_MOTION_ACCELERATION,
  ARM_MOTION_QUANTITIES
} ArmMotionQuantity;

/* |x - middle| <= half, in rad or m, per s, per s^2; middle of speed and acceleration is 0. */
typedef struct {
  size_t n;
  double middle[ARM_MAX_JOINTS], half[ARM_MOTION_QUANTITIES][ARM_MAX_JOINTS];
} ArmMotionLimits;

/* ARM_E_NO_DATA: the arm does not state a limit; *joint (from 0) and *quantity tell the first one
 * that is missing. They may be NULL. limits is then untouched. ARM_E_ARGUMENT: n outside 1..32. */
ARM_MUST_CHECK ArmStatus arm_motion_limits(const ArmModel *model, ArmMotionLimits *limits,
                                           size_t *joint, ArmMotionQuantity *quantity);

/* A number is beyond its limit when it is by more than this part of `half`: rounding of files. */
#define ARM_MOTION_ROUNDING 1e-9

typedef struct {
  size_t joint; /* from 0 */
  ArmMotionQuantity quantity;
  size_t samples;      /* how many are beyond */
  size_t worst;        /* the one that is furthest beyond */
  double value, limit; /* there */
} ArmMotionViolation;

/* Judges sampled motion: at most one violation per joint and quantity, joints first.
 *   q qd qdd    samples x n  column-major, finite
 *   violations  3 n
 * Returns how many there are. */
size_t arm_motion_violations(const ArmMotionLimits *limits, size_t samples, const double *q,
                             const double *qd, const double *qdd, ArmMotionViolation *violations);

/* How much of its limits one joint uses at any time of the period: <= 1 = feasible.
 *   c      K  coefficients of the joint, basis as checked by arm_basis_check
 *   ratio  ARM_MOTION_QUANTITIES  an upper bound of the largest |x - middle| / half */
void arm_motion_usage(const ArmMotionLimits *limits, const ArmBasis *basis, size_t joint,
                      const double *c, double *ratio);

/* Divides each joint's motion about the middle of its range by what it exceeds its limits by, not
 * at all where it does not.
 *   c        K x n
 *   factors  n  >= 1, what was divided by; may be NULL
 * ARM_E_ARGUMENT, ARM_E_NOT_FINITE: the basis. ARM_E_NOT_FINITE: a coefficient. c is untouched. */
ARM_MUST_CHECK ArmStatus arm_motion_shrink(const ArmMotionLimits *limits, const ArmBasis *basis,
                                           double *c, double *factors);

#endif
