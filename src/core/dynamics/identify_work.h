/* SPDX-License-Identifier: MIT */
/* One identification on its way. */
#ifndef ARMATURE_CORE_DYNAMICS_IDENTIFY_WORK_H
#define ARMATURE_CORE_DYNAMICS_IDENTIFY_WORK_H

#include "core/dynamics/identify_problem.h"

/* What the residual of a joint says. */
typedef struct {
  double sigma; /* residual sd; NAN: no freedom */
  double floor; /* below it is rounding */
  double lag1, widening, r2;
} ArmDynNoise;

typedef struct {
  size_t n, count;
  ArmInformation *information;
  const ArmDynamicsJoint *joint;
  ArmDynamicsOptions options;
  ArmDynTriangle triangle[ARM_MAX_JOINTS];
  ArmDynGroups groups;
  ArmReason absent[ARM_MAX_JOINTS];  /* why a joint takes no part; ARM_REASON_NONE: it does */
  bool is_reference[ARM_MAX_JOINTS]; /* its eta is fixed, as the scale of its group */
  ArmDynProblem problem;
  ArmDynNoise noise[ARM_MAX_JOINTS];
  double *covariance, *null_share;                 /* unknowns x unknowns, unknowns */
  double ratio_sd[ARM_MAX_JOINTS][ARM_MAX_JOINTS]; /* of log eta_i / eta_j, data alone */
} ArmDynWork;

/* Is something known of the joint's eta? */
bool arm_dyn_is_stated(const ArmDynWork *work, size_t joint);

/* ---- identify_seen.c ---- */

/* Do its rows see a column? It is more than rounding of the longest, and so long that its
 * parameter, if it is no larger than the joint's efforts allow, shows beside the noise. */
bool arm_dyn_sees(const ArmDynTriangle *triangle, size_t column);

/* Finds `longest` and `least` by the noise of the groups, and hides what no joint sees: columns of
 * base parameters become 0, those of a drive are not estimated. False: nothing was to be hidden. */
bool arm_dyn_hide_unseen(ArmDynWork *work);

/* Signs, priors and kappa of a start. References first. */
void arm_dyn_choose_references(ArmDynWork *work);
void arm_dyn_set_start(ArmDynWork *work, bool by_statement);

/* x, noise, weights, covariance and null_share, joint by joint. */
ARM_MUST_CHECK ArmStatus arm_dyn_sequential(ArmDynWork *work);

/* Residual sd, R2 and weight of a joint.
 *   sum      of its residual's squares
 *   freedom  that over the noise's variance, on the mean */
void arm_dyn_noise_take(ArmDynWork *work, size_t joint, double sum, double freedom);

/* Residual sds at the problem's x, and weights of rows by them. */
ARM_MUST_CHECK ArmStatus arm_dyn_noise_find(ArmDynWork *work);
/* What neighbouring rows share; weights fall by it. */
ARM_MUST_CHECK ArmStatus arm_dyn_noise_widen(ArmDynWork *work);

/* ratio_sd, with the weights as they are. */
ARM_MUST_CHECK ArmStatus arm_dyn_ratios_find(ArmDynWork *work);

/* Everything into a fit. */
ARM_MUST_CHECK ArmStatus arm_dyn_report(const ArmDynWork *work, ArmDynamicsFit **fit);

#endif
