/* SPDX-License-Identifier: MIT */
/* Completion in log-Cholesky parameters, with unknown torque constants beside them: damped
 * Gauss-Newton (Levenberg: mu 1, not mu diag, which finds no way along the valleys that the data
 * leave open), steps of at most 1 in any parameter. Source: Rucker and Wensing 2022. */
#include "core/dynamics/consistent_internal.h"

#include <math.h>
#include <string.h>

enum { P = ARM_INERTIA_PARAMETERS, MOST = 1000, CALM = 3 };

/* Armature theory notes, full dynamics, section 4. A fall of the cost below the share SMALL of it,
 * or of 1 (sds are 1 there), is none. */
#define SMALL          1e-4
#define FIRST_DAMPING  1e-3  /* of the mean of diag(J^T J), prior included */
#define LEAST_DECREASE 1e-12 /* of the cost: less is rounding, as in identify_problem.c */

typedef struct {
  ArmConsistentWork *work;
  ArmConsistentState *state;
  double x[P * ARM_MAX_JOINTS], x0[P * ARM_MAX_JOINTS];
  double cost, mu;
  int calm; /* steps in a row that changed next to nothing */
} LogChol;

/* (kap - kap0) / sd of unknown eta k */
static double off_prior(const LogChol *l, const ArmConsistentState *state, size_t k) {
  const ArmConsistentData *data = l->work->data;
  const size_t j = l->work->joint[k];
  if (data->has_eta)
    return 0;
  return (state->kap[j] - log(fabs(data->eta_prior[j]))) / data->eta_sd[j];
}

/* chi2 + priors; fills pi */
static double cost_at(const LogChol *l, const double *x, ArmConsistentState *state) {
  double prior = 0;
  for (size_t i = 0; i < l->work->n; i++)
    arm_logchol_to_inertia(x + P * i, state->pi + P * i);
  for (size_t k = 0; k < P * l->work->n; k++)
    prior += (x[k] - l->x0[k]) * (x[k] - l->x0[k]);
  for (size_t k = 0; k < l->work->free; k++)
    prior += off_prior(l, state, k) * off_prior(l, state, k);
  return arm_consistent_chi2(l->work, state) + prior;
}

/* D and d: those of the prior with mu beside, (x + dx - x0)^2 + mu dx^2. */
static void set_prior(LogChol *l) {
  ArmConsistentWork *w = l->work;
  for (size_t k = 0; k < w->columns; k++) {
    const bool is_eta = k >= P * w->n;
    const double sd = is_eta ? w->data->eta_sd[w->joint[k - P * w->n]] : 1;
    const double off = is_eta ? off_prior(l, l->state, k - P * w->n) : l->x[k] - l->x0[k];
    w->diagonal[k] = sqrt(1 / (sd * sd) + l->mu);
    w->pull[k] = off / sd / w->diagonal[k];
  }
  arm_consistent_hold_eta(w, false);
}

/* Jacobians at a new state. */
static ArmStatus set_metric(LogChol *l) {
  for (size_t i = 0; i < l->work->n; i++)
    arm_logchol_jacobian(l->x + P * i, l->work->metric + P * P * i);
  return arm_consistent_linearise(l->work, l->state);
}

/* The trial point; true: its step was cut to 1. */
static bool set_trial(const LogChol *l, double *x, ArmConsistentState *trial) {
  const ArmConsistentWork *w = l->work;
  double largest = 0;
  for (size_t k = 0; k < w->columns; k++)
    largest = fmax(largest, fabs(w->step[k]));
  const double share = largest > 1 ? 1 / largest : 1;
  *trial = *l->state;
  for (size_t k = 0; k < P * w->n; k++)
    x[k] = l->x[k] + share * w->step[k];
  for (size_t k = 0; k < w->free; k++)
    trial->kap[w->joint[k]] += share * w->step[P * w->n + k];
  return share < 1;
}

static ArmStatus accept(LogChol *l, const double *x, const ArmConsistentState *trial, double cost,
                        bool is_cut) {
  const bool is_small = l->cost - cost <= SMALL * fmax(cost, 1);
  l->calm = is_small && !is_cut ? l->calm + 1 : 0;
  memcpy(l->x, x, P * l->work->n * sizeof *x);
  *l->state = *trial;
  l->cost = cost;
  l->mu /= 5;
  return set_metric(l);
}

/* One trial. ARM_E_NUMERIC: no step of any size helps. */
static ArmStatus advance(LogChol *l) {
  double x[P * ARM_MAX_JOINTS], decrease;
  ArmConsistentState trial;
  set_prior(l);
  const ArmStatus status = arm_consistent_step(l->work, &decrease);
  if (status != ARM_OK)
    return status;
  l->state->iterations++;
  const bool is_cut = set_trial(l, x, &trial);
  const double cost = cost_at(l, x, &trial);
  if (cost < l->cost)
    return accept(l, x, &trial, cost, is_cut);
  if (decrease <= LEAST_DECREASE * l->cost)
    l->calm = CALM;
  l->mu *= 4;
  return isfinite(l->mu) ? ARM_OK : ARM_E_NUMERIC;
}

static double first_damping(LogChol *l, ArmStatus *status) {
  ArmConsistentWork *w = l->work;
  double decrease, sum = 0;
  l->mu = 0;
  set_prior(l);
  *status = arm_consistent_step(w, &decrease);
  for (size_t k = 0; k < w->rank; k++)
    sum += w->singular[k] * w->singular[k];
  return FIRST_DAMPING * (sum + (double)w->columns) / (double)w->columns;
}

static ArmStatus begin(LogChol *l) {
  ArmStatus status = ARM_OK;
  for (size_t i = 0; i < l->work->n && status == ARM_OK; i++)
    status = arm_logchol_from_inertia(l->work->nominal + P * i, l->x0 + P * i);
  if (status == ARM_OK)
    memcpy(l->x, l->x0, sizeof l->x);
  if (status == ARM_OK)
    status = set_metric(l);
  if (status == ARM_OK)
    l->mu = first_damping(l, &status);
  if (status == ARM_OK)
    l->cost = cost_at(l, l->x, l->state);
  return status;
}

ArmStatus arm_consistent_logchol(ArmConsistentWork *work, const ArmConsistentOptions *options,
                                 ArmConsistentState *state) {
  const size_t most = options->iterations ? options->iterations : MOST;
  LogChol l = {.work = work, .state = state};
  double decrease;
  ArmStatus status = begin(&l);
  while (status == ARM_OK && l.calm < CALM) {
    if (options->progress &&
        !options->progress((double)state->iterations / (double)most, options->user))
      return ARM_E_NO_DATA;
    status = state->iterations < most ? advance(&l) : ARM_E_NUMERIC;
  }
  if (status != ARM_OK)
    return status;
  l.mu = 0;
  set_prior(&l);
  arm_consistent_hold_eta(work, true);
  return arm_consistent_step(work, &decrease);
}
