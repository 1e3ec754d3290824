/* SPDX-License-Identifier: MIT */
/* What two identifications of one arm share: its motors. Currents do not tell the common scale of
 * the torque constants of joints that move together, so that both have it from the same data sheet,
 * and are off by the same: no difference between them is due to it.
 *
 * The scale of joints that are coupled is kappa = sum w_j log|eta_j|, w that of the least variance:
 * by the estimate's normal equations its variance is that of the data sheets alone, 1/sum(1/P_j),
 * and its value the weighted mean of what they state, whatever was measured. All parameters x go
 * along with it by u = cov(x, kappa) / var(kappa): eta by eta, base parameters of the same joints
 * by minus themselves. Of a difference of two estimates with the same scale, then,
 *   var(x_b - x_a) = var(x_a) + var(x_b) - 2 var(kappa) u_a u_b
 * Thread rule: re-entrant.
 */
#ifndef ARMATURE_CORE_PARAMS_SHARED_SCALE_H
#define ARMATURE_CORE_PARAMS_SHARED_SCALE_H

#include "core/params/set.h"

/* Scales of one set. */
typedef struct {
  size_t n;
  int of[ARM_MAX_JOINTS];        /* the scale of each joint; -1: none */
  double weight[ARM_MAX_JOINTS]; /* of each joint in its scale: they sum up to 1 */
  double sd[ARM_MAX_JOINTS];     /* of each scale: of kappa, 1 */
  double centre[ARM_MAX_JOINTS]; /* kappa, eta in [A/(N m), A/N] */
} ArmScales;

/* Those that data sheets alone tell; none where a scale was measured, or is a convention. */
void arm_scales_find(const ArmParamSet *set, ArmScales *scales);

/* Leaves in both what they share: the same joints, of the same data sheets. */
void arm_scales_share(ArmScales *a, ArmScales *b);

/* Covariance of the errors that two sets have of a parameter from the scales that they share.
 *   scales_a, scales_b  as arm_scales_share left them
 *   k_a, k_b            the parameter in a and in b
 * 0 of a parameter that a covariance does not speak of. Unit: that of the parameter, squared. */
double arm_scales_shared(const ArmParamSet *a, const ArmScales *scales_a, size_t k_a,
                         const ArmParamSet *b, const ArmScales *scales_b, size_t k_b);

#endif
