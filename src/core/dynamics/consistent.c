/* SPDX-License-Identifier: MIT */
/* The rule that chooses between the two completions, and what is said of the result. */
#include "core/dynamics/consistent.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/dynamics/consistent_internal.h"

enum { P = ARM_INERTIA_PARAMETERS };

/* A wider sd of log |eta| is a slip of units. */
#define WIDEST 10.0

/* ---- what is asked ---- */

static bool is_eta_good(const ArmConsistentData *data, size_t j) {
  if (!isfinite(data->eta[j]) || data->eta[j] == 0 ||
      !(data->eta_sd[j] >= 0 && data->eta_sd[j] <= WIDEST))
    return false;
  return data->eta_sd[j] == 0 || data->has_eta ||
         (isfinite(data->eta_prior[j]) && data->eta_prior[j] * data->eta[j] > 0);
}

static ArmStatus check_data(const ArmModel *model, const ArmConsistentData *data,
                            const ArmConsistentOptions *options) {
  bool is_unknown = false;
  if (model->n < 1 || model->n > ARM_MAX_JOINTS || data->count < 1 || data->count > P * model->n ||
      data->n_asked > ARM_MAX_JOINTS || !(options->weight >= 0 && isfinite(options->weight)) ||
      options->method < 0 || options->method > ARM_CONSISTENT_LOGCHOL)
    return ARM_E_ARGUMENT;
  for (size_t j = 0; j < model->n; j++) {
    if (!(data->sigma[j] > 0 && isfinite(data->sigma[j])) || !is_eta_good(data, j))
      return ARM_E_ARGUMENT;
    is_unknown = is_unknown || (data->eta_sd[j] > 0 && !data->has_eta);
  }
  return is_unknown && options->method == ARM_CONSISTENT_LOGDET ? ARM_E_ARGUMENT : ARM_OK;
}

static ArmStatus check_finite(const ArmModel *model, const ArmConsistentData *data) {
  const size_t p = data->count;
  if (!arm_all_finite(data->map, p * P * model->n))
    return ARM_E_NOT_FINITE;
  for (size_t j = 0; j < model->n; j++) {
    if (!arm_all_finite(model->joints[j].translation, 3))
      return ARM_E_NOT_FINITE;
    if (data->triangle[j] &&
        (!arm_all_finite(data->triangle[j], p * p) || !arm_all_finite(data->right[j], p)))
      return ARM_E_NOT_FINITE;
  }
  return ARM_OK;
}

/* ---- the rule ---- */

static ArmConsistentReason first_reason(const ArmConsistentWork *work,
                                        const ArmConsistentOptions *options,
                                        const ArmNominalLink *links) {
  ArmConsistentReason reason = ARM_CONSISTENT_TRUSTED;
  if (options->method != ARM_CONSISTENT_AUTO)
    return ARM_CONSISTENT_ASKED;
  if (work->free > 0 && !work->data->has_eta)
    return ARM_CONSISTENT_ETA;
  for (size_t i = 0; i < work->n; i++) {
    if (links[i].fate == ARM_NOMINAL_GUESSED || links[i].fate == ARM_NOMINAL_REPAIRED)
      return ARM_CONSISTENT_NO_NOMINAL;
    if (work->data->is_doubtful[i])
      reason = ARM_CONSISTENT_DOUBTFUL;
  }
  return reason;
}

/* How much more chi2 than the least over beta at these eta. */
static double excess_of(ArmConsistentWork *work, const ArmConsistentState *state) {
  return fmax(arm_consistent_chi2(work, state) - arm_consistent_least(work), 0);
}

static void set_start(const ArmConsistentWork *work, ArmConsistentState *state) {
  memset(state, 0, sizeof *state);
  memcpy(state->pi, work->nominal, P * work->n * sizeof *state->pi);
  for (size_t j = 0; j < work->n; j++)
    state->kap[j] = log(fabs(work->data->eta[j]));
}

/* Log-det, and what comes after it when that is not enough. */
static ArmStatus run_trusted(ArmConsistentWork *work, const ArmConsistentOptions *options,
                             ArmConsistentState *state, ArmConsistent *result) {
  result->method = ARM_CONSISTENT_LOGDET;
  const ArmStatus first = arm_consistent_logdet(work, options, state);
  if (first != ARM_OK && first != ARM_E_NUMERIC)
    return first;
  const double excess = first == ARM_OK ? excess_of(work, state) : (double)INFINITY;
  if (excess <= (double)work->p)
    return ARM_OK;
  result->reason = first == ARM_OK ? ARM_CONSISTENT_HELD_BACK : ARM_CONSISTENT_STALLED;
  result->method = ARM_CONSISTENT_LOGCHOL;
  set_start(work, state);
  const ArmStatus second = arm_consistent_logchol(work, options, state);
  const bool is_better = second == ARM_OK && excess_of(work, state) < excess;
  if (first != ARM_OK || is_better || (second != ARM_OK && second != ARM_E_NUMERIC))
    return second;
  result->method = ARM_CONSISTENT_LOGDET;
  set_start(work, state);
  return arm_consistent_logdet(work, options, state);
}

/* Method, and the state it ends in. */
static ArmStatus run(ArmConsistentWork *work, const ArmConsistentOptions *options,
                     ArmConsistentState *state, ArmConsistent *result) {
  set_start(work, state);
  if (result->reason == ARM_CONSISTENT_TRUSTED)
    return run_trusted(work, options, state, result);
  result->method =
      options->method == ARM_CONSISTENT_LOGDET ? ARM_CONSISTENT_LOGDET : ARM_CONSISTENT_LOGCHOL;
  return result->method == ARM_CONSISTENT_LOGDET ? arm_consistent_logdet(work, options, state)
                                                 : arm_consistent_logchol(work, options, state);
}

/* ---- the result ---- */

/* Largest ratio of a link to its nominal one, either way. */
static double ratio_of(const double *nominal, const double *pi) {
  double p[ARM_PSEUDO], u0[ARM_PSEUDO], u[ARM_PSEUDO], g[ARM_PSEUDO], l[4], work[32];
  arm_pseudo_from_inertia(nominal, p);
  bool is_good = arm_pseudo_factor(p, u0);
  arm_pseudo_from_inertia(pi, p);
  is_good = is_good && arm_pseudo_factor(p, u);
  if (!is_good)
    return (double)INFINITY;
  arm_pseudo_over(u0, u, g);
  double none;
  if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', 4, 4, g, 4, l, &none, 1, &none, 1, work, 32))
    return (double)INFINITY;
  return fmax(l[0] * l[0], 1 / (l[3] * l[3]));
}

static double farthest(const ArmConsistentWork *work, const ArmConsistentState *state,
                       size_t *link) {
  double most = 0;
  for (size_t i = 0; i < work->n; i++) {
    const double ratio = ratio_of(work->nominal + P * i, state->pi + P * i);
    if (ratio > most)
      *link = i;
    most = fmax(most, ratio);
  }
  return most;
}

/* Positive definite in exact arithmetic; where data insist on a link that no body has, it ends so
 * near the border that rounding decides. */
static bool are_bodies(size_t n, const double *pi) {
  for (size_t i = 0; i < n; i++)
    if (arm_inertia_check(pi + P * i).flaw != ARM_INERTIA_CONSISTENT)
      return false;
  return true;
}

static void report(ArmConsistentWork *work, const ArmConsistentState *state,
                   ArmConsistent *result) {
  memcpy(result->pi, state->pi, P * work->n * sizeof *result->pi);
  result->iterations = state->iterations;
  for (size_t j = 0; j < work->n; j++)
    result->eta[j] = copysign(exp(state->kap[j]), work->data->eta[j]);
  for (size_t j = 0; j < work->n; j++)
    if (work->data->eta_sd[j] == 0 || work->data->has_eta)
      result->eta[j] = work->data->eta[j];
  result->chi2 = arm_consistent_chi2(work, state);
  result->excess = excess_of(work, state);
  result->farthest = farthest(work, state, &result->farthest_link);
  arm_consistent_spread(work, result);
}

ArmStatus arm_consistent(const ArmModel *model, const ArmConsistentData *data,
                         const ArmConsistentOptions *options, ArmConsistent *result) {
  const ArmConsistentOptions none = {.method = ARM_CONSISTENT_AUTO};
  ArmConsistentWork work;
  ArmConsistentState state;
  ArmConsistent found = {.method = ARM_CONSISTENT_AUTO};
  if (!options)
    options = &none;
  ArmStatus status = check_data(model, data, options);
  if (status == ARM_OK)
    status = check_finite(model, data);
  if (status != ARM_OK)
    return status;
  status = arm_consistent_work_new(model->n, data, &work);
  if (status == ARM_OK) {
    arm_consistent_nominal(model, data->nominal, work.nominal, found.links);
    found.reason = first_reason(&work, options, found.links);
    status = run(&work, options, &state, &found);
  }
  if (status == ARM_OK && !are_bodies(model->n, state.pi))
    status = ARM_E_NUMERIC;
  if (status == ARM_OK) {
    report(&work, &state, &found);
    *result = found;
  }
  arm_consistent_work_free(&work);
  return status;
}

/* ---- keys ---- */

const char *arm_consistent_method_key(ArmConsistentMethod method) {
  static const char *const keys[] = {"auto", "log_det", "log_cholesky"};
  return method >= 0 && (size_t)method < sizeof keys / sizeof *keys ? keys[method] : "";
}

const char *arm_consistent_reason_key(ArmConsistentReason reason) {
  static const char *const keys[] = {"asked",    "trusted",   "torque_constants", "no_nominal",
                                     "doubtful", "held_back", "stalled"};
  return reason >= 0 && (size_t)reason < sizeof keys / sizeof *keys ? keys[reason] : "";
}
