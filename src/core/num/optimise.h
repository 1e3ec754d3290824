/* SPDX-License-Identifier: MIT */
/* Bounded minimisation without derivatives (NLopt's Sbplx, a subspace Nelder-Mead; Rowan 1990). */
#ifndef ARMATURE_CORE_OPTIMISE_H
#define ARMATURE_CORE_OPTIMISE_H

#include <stddef.h>

#include "core/base/status.h"

typedef double (*ArmObjective)(const double *x, void *user);

/* Minimises objective over low <= x <= high, starting at and returning to x.
 *   x, low, high  count   entries with low == high stay fixed
 *   step          count   first step per coordinate, > 0
 *   evaluations   most calls of the objective
 *   best          out, objective at x; may be NULL
 * A non-finite objective counts as infeasible. x is never worse than it was.
 * ARM_E_ARGUMENT: bounds crossed. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_optimise(size_t count, double *x, const double *low,
                                      const double *high, const double *step, int evaluations,
                                      ArmObjective objective, void *user, double *best);

#endif
