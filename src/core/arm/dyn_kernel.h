/* SPDX-License-Identifier: MIT */
/* The inner loops of core/arm/dyn.h for `lanes` samples at a time; see there for every quantity.
 *
 * ld: leading dimension of the arrays, at least `lanes` (a one-sample kernel takes it as 1). A
 * pointer stands at the first of the samples; qd and qdd may be NULL.
 * has_zeros: the structural zeros are there already, and left as they are.
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_DYN_KERNEL_H
#define ARMATURE_CORE_DYN_KERNEL_H

#include "core/arm/dyn.h"

/* Returns whether all samples could be solved; qdd of one that could not is NAN. */
typedef bool ArmDynForward(const ArmDyn *dyn, const double *pi, const double *rotor, size_t ld,
                           const double *q, const double *qd, const double *tau, double *qdd);

typedef struct ArmDynKernel {
  size_t lanes;
  void (*torque)(const ArmDyn *dyn, const double *pi, size_t ld, const double *q, const double *qd,
                 const double *qdd, double *tau);
  void (*gravity)(const ArmDyn *dyn, const double *pi, size_t ld, const double *q, double *tau);
  void (*regressor)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd,
                    const double *qdd, bool has_zeros, double *y);
  void (*regressor_gradient)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd,
                             const double *qdd, const double *bar, double *q_bar, double *qd_bar,
                             double *qdd_bar);
  void (*momentum)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd, double *yp,
                   double *ye);
  void (*energy)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd, double *k,
                 double *u);
  void (*energy_gradient)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd,
                          const double *bar, double *q_bar, double *qd_bar);
  void (*mass)(const ArmDyn *dyn, const double *pi, size_t ld, const double *q, double *m);
  ArmDynForward *forward, *articulated; /* the latter in O(n); of rotor only the diagonal counts */
} ArmDynKernel;

/* The kernel for this processor: the widest one with at most `max_lanes` doubles per vector (2, 4
 * or 8; 8 is no limit). */
const ArmDynKernel *arm_dyn_kernel(int max_lanes);

/* One dense sample (ld 1), with the instructions that `max_lanes` allows. */
const ArmDynKernel *arm_dyn_kernel_one(int max_lanes);

/* One sample of an array with any leading dimension: what is left when a batch is narrow. */
extern const ArmDynKernel arm_dyn_kernel_rest;

#endif
