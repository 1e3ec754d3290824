/* SPDX-License-Identifier: MIT */
/* What an error of a parameter costs: G of the A criterion of core/excite/criterion.h,
 *
 *   log tr(G M^-1)
 *
 *   torque   G = mean of sum over joints of Y_b,j' Y_b,j / noise_j^2 over states drawn from all
 *            within the limits: the variance of the torques that are predicted there
 *   prior    G = diag(1 / X^2): relative variances, X what is expected of the parameters
 *
 * Source: theory notes of exciting trajectories, 4.1 and 4.6. Thread rule: re-entrant.
 */
#ifndef ARMATURE_CORE_EXCITE_WEIGHTS_H
#define ARMATURE_CORE_EXCITE_WEIGHTS_H

#include "core/dynamics/base.h"
#include "core/excite/limits.h"

/* G of torque predictions, from states that are the same every time.
 *   noise  n              sd of one sample of each joint's torque or force [N m, N], > 0
 *   g      count x count  symmetric
 * ARM_E_NOT_FINITE: the geometry. ARM_E_MEMORY. g is then untouched. */
ARM_MUST_CHECK ArmStatus arm_weights_torque(const ArmBase *base, const ArmModel *model,
                                            const ArmMotionLimits *limits, const double *noise,
                                            double *g);

/* A parameter that makes less than this part of the torque that the largest one makes counts as
 * if it made as much: nobody wants to know a zero to a part of itself. */
#define ARM_WEIGHTS_PRIOR_LEAST 0.01

/* The diagonal of G from a prior.
 *   x         count          base parameters as expected; 0 where nothing is known
 *   g         count x count  of arm_weights_torque: how much torque each parameter makes
 *   diagonal  count
 * ARM_E_NOT_FINITE: x. ARM_E_NO_DATA: all of x is zero. diagonal is then untouched. */
ARM_MUST_CHECK ArmStatus arm_weights_prior(const ArmBase *base, const double *x, const double *g,
                                           double *diagonal);

#endif
