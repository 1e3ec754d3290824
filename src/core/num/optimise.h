/* SPDX-License-Identifier: MIT */
/* Minimisation by NLopt: bounded without derivatives (Sbplx, a subspace Nelder-Mead; Rowan 1990),
 * unbounded with them (LD_LBFGS; Nocedal, Mathematics of Computation 35(151) 1980). */
#ifndef ARMATURE_CORE_OPTIMISE_H
#define ARMATURE_CORE_OPTIMISE_H

#include <stdbool.h>
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

/* As above, and the gradient (count entries). Returns false to end the search: what it computed, if
 * anything, is then not looked at. */
typedef bool (*ArmSmoothObjective)(const double *x, double *gradient, double *value, void *user);

/* Minimises a smooth objective from x, which returns the best point seen (x itself, if none is
 * better).
 *   evaluations  most calls of the objective, at least 1
 *   tolerance    a step that gains less than this ends the search
 *   best         out, objective at x; INFINITY where it was never finite; may be NULL
 * A non-finite objective counts as infeasible. Deterministic.
 * ARM_E_ARGUMENT: count or evaluations is 0. ARM_E_MEMORY. x is then untouched. */
ARM_MUST_CHECK ArmStatus arm_optimise_smooth(size_t count, double *x, int evaluations,
                                             double tolerance, ArmSmoothObjective objective,
                                             void *user, double *best);

#endif
