/* SPDX-License-Identifier: MIT */
/* Periodic motions from whose torques the base parameters are seen best.
 *
 *   minimise  f(M),  M = sum over joints of W_j' W_j / noise_j^2,  W_j: rows of Y_b at N times
 *   within    the limits of position, speed and acceleration, at all times; and currents within
 *             their limits, capsules off each other and off the table, at 500 Hz and with
 *             something to spare
 *
 * f is any criterion of core/excite/criterion.h over motions of core/excite/basis.h; condition
 * numbers are approached by P = 1, 2, 8, 32, 128. Limits at 200 times and more are kept by an
 * augmented Lagrangian (Powell 1969, Hestenes 1969) around L-BFGS, from random motions; what is
 * left beyond a limit is made good by core/excite/limits.h, exactly and between the samples too;
 * what then breaks a current or a distance is shrunk about a pose where the arm can rest.
 * Source: Swevers et al., IEEE Trans. Robotics and Automation 13(5) 1997; theory notes of exciting
 * trajectories, 7.2.
 *
 * The search has no plan that depends on where it ends: (seed, evaluations done) says which design
 * it is. Thread rule: re-entrant.
 */
#ifndef ARMATURE_CORE_EXCITE_TRAJECTORY_H
#define ARMATURE_CORE_EXCITE_TRAJECTORY_H

#include <stdint.h>

#include "core/dynamics/base.h"
#include "core/excite/basis.h"
#include "core/excite/criterion.h"
#include "core/excite/scene.h"

/* Called before each evaluation with the number of those before; false ends the search. */
typedef bool ArmTrajectoryWatch(size_t evaluations, void *user);

typedef struct {
  ArmBasis basis;
  ArmCriterion criterion; /* COND_P and LOG_COND: cond_2(W); the exponent does not count */
  const ArmScene *scene;  /* NULL = nothing but the limits of joints */
  const double *noise;    /* n  sd of a sample of each torque [N m, N]; NULL = 1 */
  uint64_t seed;
  size_t evaluations;        /* of value and gradient: the most, at least 1 */
  ArmTrajectoryWatch *watch; /* NULL = none */
  void *user;
} ArmTrajectoryOptions;

typedef struct {
  ArmBasis basis;
  size_t n;
  double *c;          /* functions x n */
  double value;       /* the criterion; log cond_2(W) for COND_P */
  size_t evaluations; /* done */
  size_t starts;      /* begun */
} ArmTrajectory;

/* Designs a motion within all limits; free with arm_trajectory_clear.
 *   base   of the model, friction and rotors as they are to be identified
 *   joint  of ARM_E_NO_DATA; may be NULL
 * ARM_E_NO_DATA: the joint's limits are not all stated (arm_motion_limits). ARM_E_ARGUMENT: the
 * basis, the evaluations, noise that is not > 0, the criterion. ARM_E_NOT_FINITE: the period, the
 * geometry. ARM_E_INFEASIBLE: no motion that was tried tells all parameters apart. ARM_E_MEMORY.
 * trajectory is then untouched. */
ARM_MUST_CHECK ArmStatus arm_trajectory_design(const ArmModel *model, const ArmBase *base,
                                               const ArmTrajectoryOptions *options,
                                               ArmTrajectory *trajectory, size_t *joint);
void arm_trajectory_clear(ArmTrajectory *trajectory);

#endif
