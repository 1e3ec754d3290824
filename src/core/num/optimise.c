/* SPDX-License-Identifier: MIT */
/* NLopt, whose only user this is: whatever ends a search, the best point seen is its result. */
#include "core/num/optimise.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  size_t count;
  ArmObjective objective;
  void *user;
  double *best_x, best;
} Search;

static double call(unsigned count, const double *x, double *gradient, void *data) {
  Search *search = data;
  (void)gradient;
  double value = search->objective(x, search->user);
  if (!isfinite(value))
    value = 1e300;
  if (value < search->best) {
    search->best = value;
    memcpy(search->best_x, x, count * sizeof *x);
  }
  return value;
}

ArmStatus arm_optimise(size_t count, double *x, const double *low, const double *high,
                       const double *step, int evaluations, ArmObjective objective, void *user,
                       double *best) {
  for (size_t k = 0; k < count; k++)
    if (!(low[k] <= x[k] && x[k] <= high[k]))
      return ARM_E_ARGUMENT;
  double *trial = malloc((2 * count + 1) * sizeof *trial);
  nlopt_opt optimiser = count > 0 ? nlopt_create(NLOPT_LN_SBPLX, (unsigned)count) : NULL;
  if (!trial || (count > 0 && !optimiser)) {
    free(trial);
    nlopt_destroy(optimiser);
    return ARM_E_MEMORY;
  }
  Search search = {count, objective, user, trial + count, objective(x, user)};
  if (!isfinite(search.best))
    search.best = 1e300;
  memcpy(trial, x, count * sizeof *x);
  memcpy(search.best_x, x, count * sizeof *x);
  if (optimiser) {
    nlopt_set_lower_bounds(optimiser, low);
    nlopt_set_upper_bounds(optimiser, high);
    nlopt_set_min_objective(optimiser, call, &search);
    nlopt_set_initial_step(optimiser, step);
    nlopt_set_maxeval(optimiser, evaluations);
    nlopt_set_ftol_rel(optimiser, 1e-9); /* nobody sees the tenth digit of a score */
    double unused;
    /* whatever ends the search (limit, tolerance, rounding), the best point seen is the result */
    nlopt_optimize(optimiser, trial, &unused);
    nlopt_destroy(optimiser);
  }
  memcpy(x, search.best_x, count * sizeof *x);
  if (best)
    *best = search.best;
  free(trial);
  return ARM_OK;
}

/* ---- with derivatives ---- */

/* Pairs of steps and gradients that L-BFGS keeps. */
enum { PAIRS = 20 };

typedef struct {
  size_t count;
  ArmSmoothObjective objective;
  void *user;
  nlopt_opt optimiser;
  double *best_x, *gradient, best;
} SmoothSearch;

static double call_smooth(unsigned count, const double *x, double *gradient, void *data) {
  SmoothSearch *search = data;
  double value = (double)INFINITY;
  double *into = gradient ? gradient : search->gradient;
  if (!search->objective(x, into, &value, search->user)) {
    nlopt_force_stop(search->optimiser);
    value = (double)INFINITY;
  }
  if (!isfinite(value)) {
    memset(into, 0, count * sizeof *into);
    return 1e300;
  }
  if (value < search->best) {
    search->best = value;
    memcpy(search->best_x, x, count * sizeof *x);
  }
  return value;
}

ArmStatus arm_optimise_smooth(size_t count, double *x, int evaluations, double tolerance,
                              ArmSmoothObjective objective, void *user, double *best) {
  if (count == 0 || evaluations < 1)
    return ARM_E_ARGUMENT;
  double *trial = malloc(3 * count * sizeof *trial);
  nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)count);
  if (!trial || !optimiser) {
    free(trial);
    nlopt_destroy(optimiser);
    return ARM_E_MEMORY;
  }
  SmoothSearch search = {
      count, objective, user, optimiser, trial + count, trial + 2 * count, (double)INFINITY};
  double unused;
  memcpy(trial, x, count * sizeof *x);
  memcpy(search.best_x, x, count * sizeof *x);
  nlopt_set_min_objective(optimiser, call_smooth, &search);
  nlopt_set_vector_storage(optimiser, PAIRS);
  nlopt_set_maxeval(optimiser, evaluations);
  nlopt_set_ftol_abs(optimiser, tolerance);
  nlopt_optimize(optimiser, trial, &unused); /* whatever ends it, the best point is the result */
  nlopt_destroy(optimiser);
  memcpy(x, search.best_x, count * sizeof *x);
  if (best)
    *best = search.best;
  free(trial);
  return ARM_OK;
}
