/* SPDX-License-Identifier: MIT */
/* What a motion tells of the base parameters of an arm, before or after it was made.
 *
 *   W = rows of Y_b, each divided by its joint's noise;  M = W' W
 *   covariance of the estimate = M^-1                    for noise that is independent from sample
 *                                                        to sample
 *
 * Conditions, log det M and S = max |W_ij| / min |W_ij| are those of Gautier and Khalil, IJRR 11(4)
 * 1992, (15)-(20), for the torque regressor instead of their energy rows. Weak directions are the
 * last right singular vectors of W with columns of unit length.
 * Thread rule: re-entrant; constant after arm_excitation_new.
 */
#ifndef ARMATURE_CORE_EXCITE_CHECK_H
#define ARMATURE_CORE_EXCITE_CHECK_H

#include "core/dynamics/base.h"
#include "core/excite/limits.h"

enum { ARM_EXCITATION_WEAKEST = 3 };

/* Singular values below this part of the largest, columns scaled, are rounding; a parameter of
 * which more than this part lies in what they leave open is not identifiable (the limits of the
 * identification from sweeps, core/sweeps/ident_internal.h). */
#define ARM_EXCITATION_RCOND      1e-10
#define ARM_EXCITATION_NULL_SHARE 1e-6

/* Kinds of states that are tried for what would show a direction. */
typedef enum {
  ARM_SHOWN_AT_REST = 0,     /* other poses, held */
  ARM_SHOWN_BY_SPEED,        /* joint i, at its greatest speed */
  ARM_SHOWN_BY_SPEEDS,       /* joints i and j at once */
  ARM_SHOWN_BY_ACCELERATION, /* joint i, from rest at its greatest acceleration */
  ARM_SHOWN_KINDS
} ArmShownBy;

/* Parameters that move by step * x (x 1 sd) fit as well as the true ones, on the average. */
typedef struct {
  double *step;  /* count  largest entry +1, in units of the parameters; 0 = below 1e-6 of it
                             where columns have unit length */
  double sd;     /* of x; INFINITY: the motion does not show it at all */
  ArmShownBy by; /* what shows it best, within the limits */
  size_t i, j;   /* joints of it, from 0; 0 where it has none */
  double gain;   /* information of such a sample over the mean one of the motion; INFINITY */
} ArmWeakDirection;

typedef struct {
  size_t count, samples, rank;
  double cond_raw, cond_scaled; /* INFINITY when rank < count */
  double log_det;               /* of M, natural; -INFINITY when rank < count */
  double spread;                /* S; INFINITY where a number in W is 0 */
  double *sd;                   /* count  NAN = not identifiable */
  size_t n_weakest;             /* the weakest first */
  ArmWeakDirection weakest[ARM_EXCITATION_WEAKEST];
} ArmExcitation;

/* Judges a motion.
 *   samples   >= 1
 *   q qd qdd  samples x n  column-major
 *   noise     n            sd of one sample of each joint's torque or force [N m, N], > 0
 * Free with arm_excitation_free.
 * ARM_E_ARGUMENT: no sample, or noise that is not > 0. ARM_E_NOT_FINITE: a number of the motion.
 * ARM_E_NUMERIC: an SVD did not converge. ARM_E_MEMORY. *excitation is then untouched. */
ARM_MUST_CHECK ArmStatus arm_excitation_new(const ArmBase *base, const ArmModel *model,
                                            const ArmMotionLimits *limits, size_t samples,
                                            const double *q, const double *qd, const double *qdd,
                                            const double *noise, ArmExcitation **excitation);

/* The same of a motion of which only a triangle is kept, such as one that was recorded.
 *   r        rows x count  column-major: W' W = r' r
 *   samples  that are in it
 * `spread` is NAN. Errors as above. */
ARM_MUST_CHECK ArmStatus arm_excitation_of_rows(const ArmBase *base, const ArmModel *model,
                                                const ArmMotionLimits *limits, size_t samples,
                                                size_t rows, const double *r, const double *noise,
                                                ArmExcitation **excitation);
void arm_excitation_free(ArmExcitation *excitation);

/* The first or second derivative of sampled x: that of the parabola through a sample and its two
 * neighbours, at either end the one through the last three. Exact for parabolas, otherwise as noisy
 * as x is; nothing is smoothed.
 *   samples  >= 3
 *   t        samples  increasing
 *   x, out   samples  must not alias
 * ARM_E_ARGUMENT: fewer samples, time that does not increase, or another order than 1 and 2. */
ARM_MUST_CHECK ArmStatus arm_motion_differences(size_t samples, const double *t, const double *x,
                                                unsigned order, double *out);

#endif
