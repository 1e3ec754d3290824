/* SPDX-License-Identifier: MIT */
/* Sequences of points (q, qd) from whose energies the base parameters are seen best (Gautier and
 * Khalil, Int. J. Robotics Research 11(4) 1992, section 4).
 *
 *   minimise  f(M) + lambda log S_8,  M = W'W,  W of core/excite/energy.h with r rows
 *   within    q_min <= q <= q_max,  |qd| <= speed_max
 *   and, with a margin,  |q - mid| <= half - 0.75 qd^2 / accel_max      each point can brake
 *
 *   log S_p = (log sum |W|^p + log sum |W|^-p) / p   for log(max|W| / min|W|)
 *
 * f is any criterion of core/excite/criterion.h. Condition numbers are approached by P = 1, 2, 8,
 * 32, .. (the optimum of cond_2 is not smooth), E likewise. Limits: q = mid + half sin z.
 * L-BFGS runs from slow paths in q with random speeds, and from what random moves make of the best.
 *
 * The search has no plan that depends on where it ends: after k evaluations of value and gradient
 * it has done the same whatever ends it, so that (seed, k) says which design it is.
 * Thread rule: re-entrant.
 */
#ifndef ARMATURE_CORE_EXCITE_POINTS_H
#define ARMATURE_CORE_EXCITE_POINTS_H

#include <stdint.h>

#include "core/arm/model.h"
#include "core/excite/criterion.h"

/* Called before each evaluation with the number of those before and M of the last (p x p; NULL
 * before the first); false ends the search. */
typedef bool ArmPointsWatch(size_t evaluations, const double *m, void *user);

typedef struct {
  size_t r;               /* rows, r + 1 points; at least as many as base parameters */
  ArmCriterion criterion; /* COND_P and LOG_COND: cond_2(W); the exponent does not count */
  double lambda;          /* of log S_8, 0 = none */
  bool has_margin;
  uint64_t seed;
  size_t evaluations;    /* the most, at least 1 */
  ArmPointsWatch *watch; /* NULL = none */
  void *user;
} ArmPointsOptions;

typedef struct {
  size_t points, n, p;
  double *q, *qd;                /* points x n, column by column */
  bool is_loose[ARM_MAX_JOINTS]; /* its position changes no row */
  double value;                  /* what was minimised; with cond_2(W) for COND_P */
  double condition;              /* cond_2(W) */
  double normalised;             /* of unit columns */
  double spread;                 /* S = max|W| / min|W|; INFINITY where a value is zero */
  size_t evaluations;            /* done */
} ArmPoints;

/* Designs a sequence; free its arrays with arm_points_clear. A joint whose position changes no row
 * keeps the middle of its range.
 *   joint  the joint (from 0) that ARM_E_ARGUMENT is about, or n; may be NULL
 * ARM_E_ARGUMENT: a joint's limits of position or speed, or of acceleration where there is a
 * margin, are unknown or empty; with joint = n: r, lambda, evaluations or the criterion.
 * ARM_E_NOT_FINITE: the geometry is not finite. ARM_E_INFEASIBLE: no sequence that was tried tells
 * all parameters apart. ARM_E_MEMORY. points is then untouched. */
ARM_MUST_CHECK ArmStatus arm_points_design(const ArmModel *model, const ArmPointsOptions *options,
                                           ArmPoints *points, size_t *joint);
void arm_points_clear(ArmPoints *points);

#endif
