/* SPDX-License-Identifier: MIT */
/* Covariances of joints' noises, one by one, and what they make of another recording's rows. */
#include "core/dynamics/promise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_internal.h"
#include "core/num/distribution.h"

#define CHANCE      1e-4 /* of a joint being told without cause */
#define CHANCE_NEXT 1e-2 /* of another one, once a joint was: what is wrong with an arm many feel */
#define LEAST_TIMES 1.5  /* of what is promised: noise is hardly ever stationary to that */
#define NEXT_TIMES  1.2  /* the same, once a joint was told */
#define LEAST_PART  1e-3 /* of the rms current: as of gravity, core/sweeps/verdict.h */
enum { ROWS_OF_PAIR = 8 }; /* ARM_SUMS_PAIR: one pair of so many */

struct ArmDynPromise {
  size_t unknowns;
  double *noise; /* unknowns x unknowns  what the rows' noise makes of the parameters */
  double *rest;  /* the same of what was stated before */
  double sd[ARM_MAX_JOINTS], freedom[ARM_MAX_JOINTS];
  ArmFirWhite white;
};

/* ---- derivatives ---- */

static size_t place_of(const ArmDynamicsFit *fit, const ArmInformation *information, size_t j,
                       size_t c) {
  const size_t own = arm_information_own(information),
               first = arm_information_first(information, j);
  if (c < own)
    return arm_dynamics_place(fit, j, c);
  return c + 1 < arm_information_width(information, j) ? first + c - own
                                                       : arm_dynamics_place(fit, j, ARM_DYN_OWN);
}

/* A triangle's columns [ own | base | effort ] become derivatives by [ own | base | log eta ]. */
static void differentiate(const ArmDynamicsFit *fit, const ArmInformation *information, size_t j,
                          double *r) {
  const ArmDynamicsJointFit *of = &fit->joint[j];
  const size_t m = arm_information_width(information, j), own = arm_information_own(information);
  const size_t first = arm_information_first(information, j);
  double *last = r + m * (m - 1);
  memset(last, 0, m * sizeof *last);
  for (size_t c = 0; c + 1 < m; c++) {
    const double by = c >= own ? of->eta.used : of->known.has[c] ? 1 : 0;
    for (size_t i = 0; i < m; i++) {
      r[i + c * m] *= by;
      last[i] += c >= own ? r[i + c * m] * fit->base[first + c - own].used : 0;
    }
  }
}

/* J (m x m) of a joint's rows in `information`. free it; NULL: not enough memory. */
static double *jacobian_of(const ArmDynamicsFit *fit, ArmInformation *information, size_t j) {
  const size_t m = arm_information_width(information, j);
  double *r = calloc(m * m, sizeof *r);
  if (r) {
    arm_information_triangle(information, j, r);
    differentiate(fit, information, j, r);
  }
  return r;
}

/* J C, m x unknowns: J of a joint, C symmetric. */
static void spread(const ArmDynamicsFit *fit, const ArmInformation *information, size_t j,
                   const double *jacobian, const double *covariance, double *to) {
  const size_t m = arm_information_width(information, j), u = fit->unknowns;
  memset(to, 0, m * u * sizeof *to);
  for (size_t c = 0; c < m; c++) {
    const double *row = covariance + place_of(fit, information, j, c) * u;
    for (size_t b = 0; b < u; b++)
      for (size_t i = 0; i < m && row[b] != 0; i++)
        to[i + b * m] += jacobian[i + c * m] * row[b];
  }
}

/* ---- covariances ---- */

/* into += by w_j^2 B J_j^T J_j B, B the covariance that these rows made. */
static ArmStatus add_noise(const ArmDynamicsFit *fit, ArmInformation *fitted, size_t j, double by,
                           double *into) {
  const size_t m = arm_information_width(fitted, j), u = fit->unknowns;
  const double scale = by * fit->weight[j] * fit->weight[j];
  if (scale == 0)
    return ARM_OK;
  double *jacobian = jacobian_of(fit, fitted, j), *of = calloc(m * u, sizeof *of);
  const bool is_out = !jacobian || !of;
  if (!is_out) {
    spread(fit, fitted, j, jacobian, fit->bread, of);
    for (size_t b = 0; b < u; b++)
      for (size_t a = 0; a <= b; a++) {
        double sum = 0;
        for (size_t i = 0; i < m; i++)
          sum += of[i + a * m] * of[i + b * m];
        into[a + b * u] += scale * sum;
        into[b + a * u] += a < b ? scale * sum : 0;
      }
  }
  free(jacobian);
  free(of);
  return is_out ? ARM_E_MEMORY : ARM_OK;
}

static bool is_of(const ArmDynamicsFit *fit, const ArmInformation *information) {
  return arm_information_joints(information) == fit->n &&
         arm_information_count(information) == fit->count;
}

/* ---- the promise ---- */

static double white_sd(const ArmJointStatistics *s, const ArmFirWhite *white) {
  const double part = (1 - s->lag1) / (1 - white->lag1);
  return s->residual_sd * (part < 1 ? sqrt(fmax(part, 0)) : 1); /* NAN: all of it */
}

/* f^2 of a joint. */
static double share_of(const ArmDynPromise *promise, const ArmDynamicsFit *fit, size_t j) {
  const double f = promise->sd[j] * fit->weight[j];
  return fmin(1, f * f * promise->white.growth);
}

static ArmStatus fill(const ArmDynamicsFit *fit, ArmInformation *fitted, ArmDynPromise *promise) {
  const size_t size = fit->unknowns * fit->unknowns;
  double most = 0;
  ArmStatus status = ARM_OK;
  for (size_t j = 0; j < fit->n && status == ARM_OK; j++) {
    const double share = share_of(promise, fit, j);
    most = share > most ? share : most;
    if (fit->way == ARM_DYNAMICS_SEQUENTIAL || !(share > 0))
      continue;
    status = add_noise(fit, fitted, j, share, promise->noise);
    if (status == ARM_OK)
      status = add_noise(fit, fitted, j, -1, promise->rest);
  }
  for (size_t k = 0; k < size; k++) {
    promise->rest[k] += fit->way == ARM_DYNAMICS_SEQUENTIAL ? 0 : fit->covariance[k];
    promise->noise[k] += fit->way == ARM_DYNAMICS_SEQUENTIAL ? most * fit->covariance[k] : 0;
  }
  return status;
}

ArmStatus arm_dyn_promise_new(const ArmDynamicsFit *fit, ArmInformation *fitted,
                              const ArmFirWhite *white, ArmDynPromise **out) {
  const size_t u = fit->unknowns;
  if (!is_of(fit, fitted))
    return ARM_E_ARGUMENT;
  ArmDynPromise *promise = calloc(1, sizeof *promise);
  if (!promise)
    return ARM_E_MEMORY;
  promise->unknowns = u;
  promise->white = *white;
  promise->noise = calloc(2 * u * u, sizeof *promise->noise);
  promise->rest = promise->noise ? promise->noise + u * u : NULL;
  for (size_t j = 0; j < fit->n; j++) {
    promise->sd[j] = white_sd(&fit->joint[j].statistics, white);
    promise->freedom[j] = fmax(1, (double)fit->joint[j].statistics.rows_used / ROWS_OF_PAIR);
  }
  const ArmStatus status = promise->noise ? fill(fit, fitted, promise) : ARM_E_MEMORY;
  if (status == ARM_OK)
    *out = promise;
  else
    arm_dyn_promise_free(promise);
  return status;
}

void arm_dyn_promise_free(ArmDynPromise *promise) {
  if (!promise)
    return;
  free(promise->noise);
  free(promise);
}

/* ---- another recording ---- */

static bool is_zero(const double *column, size_t m) {
  for (size_t i = 0; i < m; i++)
    if (column[i] != 0)
      return false;
  return true;
}

/* Do the rows feel a parameter of which the fit knows nothing? */
static bool is_untold(const ArmDynamicsFit *fit, const ArmInformation *information, size_t j,
                      const double *jacobian) {
  const size_t m = arm_information_width(information, j), own = arm_information_own(information);
  const size_t first = arm_information_first(information, j);
  for (size_t c = 0; c + 1 < m; c++) {
    const ArmEstimate *e = c < own ? &fit->joint[j].local[c] : &fit->base[first + c - own];
    if (!e->identifiable && e->reason != ARM_REASON_SCALE_NOT_STATED &&
        !is_zero(jacobian + c * m, m))
      return true;
  }
  return false;
}

/* Trace of J C J^T, and of its square. */
static void trace(const ArmDynamicsFit *fit, const ArmInformation *information, size_t j,
                  const double *jacobian, const double *covariance, double *work, double *once,
                  double *squared) {
  const size_t m = arm_information_width(information, j);
  spread(fit, information, j, jacobian, covariance, work);
  *once = *squared = 0;
  for (size_t a = 0; a < m; a++)
    for (size_t b = 0; b < m; b++) {
      double sum = 0;
      for (size_t c = 0; c < m; c++)
        sum += work[a + place_of(fit, information, j, c) * m] * jacobian[b + c * m];
      *once += a == b ? sum : 0;
      *squared += sum * sum;
    }
}

/* Of sums of squares by moments: Satterthwaite 1946. */
static void judge(const ArmDynPromise *promise, const ArmFirWhite *white, size_t j, double once,
                  double squared, double rows, ArmDynHeldOut *found) {
  const double s = promise->sd[j];
  const double noise = s * s * fmax(1, white->gain / promise->white.gain);
  const double sum = rows * noise + once;
  const double freedom = sum * sum / (rows * noise * noise * white->spread + squared);
  const double error = found->of.rms_error;
  found->promised = sqrt(sum / rows);
  found->p = arm_f_upper(error * error * rows / sum, freedom, promise->freedom[j]);
}

static ArmStatus compare(const ArmDynPromise *promise, const ArmDynamicsFit *fit,
                         ArmInformation *held_out, const ArmFirWhite *white, size_t joint,
                         ArmDynHeldOut *found) {
  ArmDynHeldOut made = {.promised = (double)NAN, .p = (double)NAN};
  ArmStatus status = arm_dynamics_residual(fit, held_out, joint, &made.of);
  if (status != ARM_OK || made.of.rows == 0 || !(promise->sd[joint] >= 0)) {
    *found = status == ARM_OK ? made : *found;
    return status;
  }
  const size_t m = arm_information_width(held_out, joint);
  double *jacobian = jacobian_of(fit, held_out, joint);
  double *work = calloc(m * fit->unknowns, sizeof *work);
  if (!jacobian || !work) {
    status = ARM_E_MEMORY;
  } else if (!is_untold(fit, held_out, joint, jacobian)) {
    double once, squared, rest, rest_squared;
    trace(fit, held_out, joint, jacobian, promise->noise, work, &once, &squared);
    trace(fit, held_out, joint, jacobian, promise->rest, work, &rest, &rest_squared);
    if (rest > 0) { /* else rounding */
      once += rest;
      squared += rest_squared;
    }
    judge(promise, white, joint, once, squared, arm_information_mass(held_out, joint), &made);
  }
  free(jacobian);
  free(work);
  if (status == ARM_OK)
    *found = made;
  return status;
}

static bool is_beyond(const ArmDynHeldOut *found, double chance, double times) {
  const double error = found->of.rms_error;
  const double beyond = error * error - found->promised * found->promised;
  return found->p < chance && error > times * found->promised &&
         beyond > LEAST_PART * LEAST_PART * found->of.rms * found->of.rms;
}

/* Is one of them beyond chance, or all of them together (Fisher 1932), and one by as much? */
static bool is_any_missed(const ArmDynHeldOut *found, size_t n) {
  double sum = 0;
  size_t told = 0, beyond = 0;
  for (size_t j = 0; j < n; j++) {
    if (is_beyond(&found[j], CHANCE, LEAST_TIMES))
      return true;
    beyond += is_beyond(&found[j], CHANCE_NEXT, LEAST_TIMES);
    told += found[j].p >= 0;
    sum -= found[j].p > 0 ? 2 * log(found[j].p) : 0;
  }
  return beyond > 0 && arm_chi2_upper(sum, 2 * (double)told) < CHANCE;
}

ArmStatus arm_dyn_promise_compare(const ArmDynPromise *promise, const ArmDynamicsFit *fit,
                                  ArmInformation *held_out, const ArmFirWhite *white,
                                  ArmDynHeldOut *found) {
  ArmDynHeldOut made[ARM_MAX_JOINTS];
  if (promise->unknowns != fit->unknowns)
    return ARM_E_ARGUMENT;
  for (size_t j = 0; j < fit->n; j++) {
    const ArmStatus status = compare(promise, fit, held_out, white, j, &made[j]);
    if (status != ARM_OK)
      return status;
  }
  const bool is_any = is_any_missed(made, fit->n);
  for (size_t j = 0; j < fit->n; j++) {
    made[j].is_missed = is_any && is_beyond(&made[j], CHANCE_NEXT, NEXT_TIMES);
    found[j] = made[j];
  }
  return ARM_OK;
}

/* ---- wider ---- */

static void restate(const ArmDynamicsFit *fit, size_t place, double by, ArmEstimate *e) {
  if (e->identifiable)
    e->sd = fabs(by) * sqrt(fmax(0, fit->covariance[place + place * fit->unknowns]));
}

static void restate_ratio(ArmDynamicsFit *fit, size_t j) {
  const size_t u = fit->unknowns;
  ArmEstimate *e = &fit->joint[j].to_first;
  size_t first = 0;
  while (fit->group[first] != fit->group[j])
    first++;
  const size_t a = arm_dynamics_place(fit, j, ARM_DYN_OWN);
  const size_t b = arm_dynamics_place(fit, first, ARM_DYN_OWN);
  const double *c = fit->covariance;
  if (e->identifiable)
    e->sd = fabs(e->used) * sqrt(fmax(0, c[a + a * u] + c[b + b * u] - 2 * c[a + b * u]));
}

void arm_dyn_restate(ArmDynamicsFit *fit) {
  for (size_t b = 0; b < fit->count; b++)
    restate(fit, b, 1, &fit->base[b]);
  for (size_t j = 0; j < fit->n; j++) {
    ArmDynamicsJointFit *of = &fit->joint[j];
    const size_t eta = arm_dynamics_place(fit, j, ARM_DYN_OWN);
    for (size_t l = 0; l < ARM_DYN_OWN; l++)
      restate(fit, arm_dynamics_place(fit, j, l), 1, &of->local[l]);
    restate(fit, eta, of->eta.used, &of->eta);
    of->log_eta_sd = sqrt(fmax(0, fit->covariance[eta + eta * fit->unknowns]));
    restate_ratio(fit, j);
  }
}

/* Variance of a joint's noise over that in its rows' weights. */
static double grown(const ArmDynamicsFit *fit, size_t j) {
  const ArmJointStatistics *s = &fit->joint[j].statistics;
  const double times = s->residual_sd * s->widening * fit->weight[j];
  return times * times;
}

ArmStatus arm_dynamics_widen(ArmDynamicsFit *fit, ArmInformation *fitted, const double *factor) {
  const size_t size = fit->unknowns * fit->unknowns;
  const bool is_sequential = fit->way == ARM_DYNAMICS_SEQUENTIAL;
  double most = 1;
  if (!is_of(fit, fitted))
    return ARM_E_ARGUMENT;
  double *more = calloc(size + 1, sizeof *more);
  ArmStatus status = more ? ARM_OK : ARM_E_MEMORY;
  for (size_t j = 0; j < fit->n && status == ARM_OK; j++) {
    if (!(factor[j] > 1))
      continue;
    most = fmax(most, factor[j]);
    if (!is_sequential)
      status = add_noise(fit, fitted, j, grown(fit, j) * (factor[j] * factor[j] - 1), more);
  }
  for (size_t k = 0; k < size && status == ARM_OK; k++)
    fit->covariance[k] += is_sequential ? (most * most - 1) * fit->covariance[k] : more[k];
  for (size_t j = 0; j < fit->n && status == ARM_OK; j++)
    fit->joint[j].statistics.widening *= is_sequential ? most : factor[j] > 1 ? factor[j] : 1;
  if (status == ARM_OK)
    arm_dyn_restate(fit);
  free(more);
  return status;
}
