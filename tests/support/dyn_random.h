/* SPDX-License-Identifier: MIT */
/* Random arms with bodies, and their inverse dynamics by formulas the core does not use. */
#ifndef ARMATURE_TESTS_DYN_RANDOM_H
#define ARMATURE_TESTS_DYN_RANDOM_H

#include "core/arm/model.h"
#include "support/support.h"

/* n R and T joints with any placement (a third of the angles are right), gravity in any direction,
 * each link a cloud of point masses. */
void dyn_random_arm(TestRng *rng, size_t n, ArmModel *model);

/* n uniform numbers in +-range. */
void dyn_random_vector(TestRng *rng, size_t n, double range, double *x);

/* Newton and Euler about the centres of mass, all vectors in the base frame, moments of all
 * outboard forces about each axis: O(n^2), no regressor, no recursion inward. */
void dyn_reference_torque(const ArmModel *model, const double *q, const double *qd,
                          const double *qdd, double *tau);

#endif
