/* SPDX-License-Identifier: MIT */
/* The point designer's cost: variables to points, points to W, W to the criterion, and back. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/excite/dense_kernel.h"
#include "core/excite/points_internal.h"

/* |W| below this part of its maximum counts as such. Chosen: rounding is below, and its eighth
 * power and the inverse of that are numbers. */
static const double spread_floor = 1e-12;

/* Chosen: a joint whose positions change W by less than this part of what those of any other do
 * changes it by rounding, and is no variable. */
static const double no_effect = 1e-9;

/* How little of the range of a position may be left at full speed. Chosen: with none left a
 * point at full speed could not choose its position. */
static const double least_half = 0.05;

/* ---- variables ---- */

void arm_points_place(ArmPointsSearch *s, const double *z) {
  const size_t count = s->points;
  const double *sine_q = s->sine, *sine_v = s->sine + s->variables - s->n * count;
  for (size_t k = 0; k < s->variables; k++) {
    s->sine[k] = sin(z[k]);
    s->cosine[k] = cos(z[k]);
  }
  for (size_t j = 0; j < s->n; j++, sine_v += count) {
    double *q = s->q + j * count, *qd = s->qd + j * count;
    for (size_t i = 0; i < count; i++) {
      qd[i] = s->speed[j] * sine_v[i];
      q[i] = s->mid[j];
      if (s->counts[j])
        q[i] += (s->half[j] - s->margin[j] * qd[i] * qd[i]) * sine_q[i];
    }
    sine_q += s->counts[j] ? count : 0;
  }
}

/* The gradient by q and qd, in q_bar and qd_bar, to that by the z that was placed. */
static void pull_back(const ArmPointsSearch *s, double *gradient) {
  const size_t count = s->points;
  size_t at_q = 0, at_v = s->variables - s->n * count;
  for (size_t j = 0; j < s->n; j++, at_v += count) {
    const double *qd = s->qd + j * count, *q_bar = s->q_bar + j * count;
    const double *qd_bar = s->qd_bar + j * count;
    const double margin = s->margin[j], half = s->half[j];
    for (size_t i = 0; i < count; i++) {
      double bar = qd_bar[i];
      if (s->counts[j]) {
        bar -= 2 * margin * qd[i] * s->sine[at_q + i] * q_bar[i];
        gradient[at_q + i] = (half - margin * qd[i] * qd[i]) * s->cosine[at_q + i] * q_bar[i];
      }
      gradient[at_v + i] = s->speed[j] * s->cosine[at_v + i] * bar;
    }
    at_q += s->counts[j] ? count : 0;
  }
}

/* ---- log S_8 ---- */

static double largest_of(const ArmPointsSearch *s) {
  double most = 0;
  for (size_t k = 0; k + 1 < s->points; k++)
    for (size_t j = 0; j < s->p; j++)
      most = fmax(most, fabs(s->w[k * s->stride + j]));
  return most;
}

/* x = |w| / most, not below the floor; returns x^8. */
static double eighth_power(double w, double most, double *x) {
  *x = fmax(fabs(w) / most, spread_floor);
  const double square = *x * *x, fourth = square * square;
  return fourth * fourth;
}

/* log S_8 of W; lambda times its derivative is added to dw, which may be NULL. */
static double add_spread(const ArmPointsSearch *s, double lambda, double *dw) {
  const double most = largest_of(s);
  double up = 0, down = 0, x;
  if (!(most > 0))
    return (double)INFINITY;
  for (size_t k = 0; k + 1 < s->points; k++)
    for (size_t j = 0; j < s->p; j++) {
      const double power = eighth_power(s->w[k * s->stride + j], most, &x);
      up += power;
      down += 1 / power;
    }
  for (size_t k = 0; dw && k + 1 < s->points; k++)
    for (size_t j = 0; j < s->p; j++) {
      const double w = s->w[k * s->stride + j], power = eighth_power(w, most, &x);
      if (x > spread_floor)
        dw[k * s->stride + j] += lambda / w * (power / up - 1 / (power * down));
    }
  return (log(up) + log(down)) / 8;
}

/* ---- the cost ---- */

bool arm_points_cost(const double *z, double *gradient, double *value, void *user) {
  ArmPointsSearch *s = user;
  const ArmPointsOptions *options = s->options;
  const double *m = s->evaluations > 0 ? s->m : NULL;
  if (s->is_over || s->evaluations >= options->evaluations ||
      (options->watch && !options->watch(s->evaluations, m, options->user))) {
    s->is_over = true;
    return false;
  }
  s->evaluations++;
  arm_points_place(s, z);
  arm_energy_rows(s->energy, s->q, s->qd, s->w);
  arm_criterion_gram(s->work, s->points - 1, s->w, NULL, s->m);
  if (arm_criterion(s->work, &s->criterion, s->m, value, s->dm) != ARM_OK) {
    *value = (double)INFINITY;
    return true;
  }
  arm_criterion_rows(s->work, s->points - 1, s->w, NULL, s->dm, s->dw);
  if (options->lambda > 0)
    *value += options->lambda * add_spread(s, options->lambda, s->dw);
  arm_energy_gradient(s->energy, s->q, s->qd, s->dw, s->q_bar, s->qd_bar);
  pull_back(s, gradient);
  *value *= ARM_POINTS_COST_SCALE;
  for (size_t k = 0; k < s->variables; k++)
    gradient[k] *= ARM_POINTS_COST_SCALE;
  return true;
}

double arm_points_measure(ArmPointsSearch *s, const double *z) {
  ArmCriterion criterion = s->options->criterion;
  double value;
  if (criterion.kind == ARM_CRITERION_COND_P)
    criterion.kind = ARM_CRITERION_LOG_COND;
  criterion.exponent = 9;
  arm_points_place(s, z);
  arm_energy_rows(s->energy, s->q, s->qd, s->w);
  arm_criterion_gram(s->work, s->points - 1, s->w, NULL, s->m);
  if (arm_criterion(s->work, &criterion, s->m, &value, NULL) != ARM_OK)
    return (double)INFINITY;
  return value + (s->options->lambda > 0 ? s->options->lambda * add_spread(s, 0, NULL) : 0);
}

/* ---- making and unmaking ---- */

static bool take_limits(ArmPointsSearch *s, const ArmLimits *limits, size_t j) {
  const double half = 0.5 * (limits->q_max - limits->q_min);
  s->mid[j] = 0.5 * (limits->q_max + limits->q_min);
  s->half[j] = half;
  s->speed[j] = limits->speed_max;
  s->margin[j] = s->options->has_margin ? 0.75 / limits->accel_max : 0;
  if (!(half > 0 && half <= DBL_MAX && s->speed[j] > 0 && s->speed[j] <= DBL_MAX &&
        s->margin[j] >= 0 && s->margin[j] <= DBL_MAX))
    return false;
  const double most = sqrt((1 - least_half) * half / s->margin[j]);
  s->speed[j] = s->margin[j] > 0 ? fmin(s->speed[j], most) : s->speed[j];
  return true;
}

/* Positions that no row depends on: no derivative at random points and weights. */
static void find_what_counts(ArmPointsSearch *s) {
  uint64_t random = 1;
  double most = 0, each[ARM_MAX_JOINTS] = {0};
  for (size_t k = 0; k < s->n * s->points; k++) {
    const size_t j = k / s->points;
    s->q[k] = s->mid[j] + s->half[j] * arm_random_uniform(&random, -1, 1);
    s->qd[k] = s->speed[j] * arm_random_uniform(&random, -1, 1);
  }
  for (size_t k = 0; k < (s->points - 1) * s->stride; k++)
    s->dw[k] = arm_random_uniform(&random, -1, 1);
  arm_energy_gradient(s->energy, s->q, s->qd, s->dw, s->q_bar, s->qd_bar);
  for (size_t k = 0; k < s->n * s->points; k++) {
    double *one = &each[k / s->points];
    *one = fmax(*one, s->half[k / s->points] * fabs(s->q_bar[k]));
    most = fmax(most, *one);
  }
  s->variables = s->n * s->points;
  for (size_t j = 0; j < s->n; j++) {
    s->counts[j] = each[j] > no_effect * most;
    s->variables += s->counts[j] ? s->points : 0;
  }
}

static ArmStatus allocate(ArmPointsSearch *s) {
  const size_t state = s->n * s->points, rows = (s->points - 1) * s->stride;
  s->work = arm_criterion_work_new(s->p);
  s->q = malloc((8 * state + 2 * s->p * s->p) * sizeof *s->q);
  s->w = aligned_alloc(ARM_DENSE_ALIGN, 2 * rows * sizeof *s->w);
  if (!s->work || !s->q || !s->w)
    return ARM_E_MEMORY;
  s->qd = s->q + state;
  s->q_bar = s->q + 2 * state;
  s->qd_bar = s->q + 3 * state;
  s->sine = s->q + 4 * state;
  s->cosine = s->q + 6 * state;
  s->m = s->q + 8 * state;
  s->dm = s->m + s->p * s->p;
  s->dw = s->w + rows;
  return ARM_OK;
}

ArmStatus arm_points_search_init(ArmPointsSearch *s, const ArmModel *model,
                                 const ArmPointsOptions *options, size_t *joint) {
  *s = (ArmPointsSearch){.options = options, .n = model->n, .points = options->r + 1};
  *joint = model->n;
  if (options->evaluations < 1 || !(options->lambda >= 0 && options->lambda <= DBL_MAX) ||
      (unsigned)options->criterion.kind >= ARM_CRITERION_KINDS || options->r < 1)
    return ARM_E_ARGUMENT;
  ArmStatus status = arm_energy_new(model, s->points, &s->energy);
  if (status != ARM_OK)
    return status;
  for (size_t j = 0; j < s->n; j++)
    if (!take_limits(s, &model->joints[j].limits, j)) {
      *joint = j;
      return ARM_E_ARGUMENT;
    }
  s->p = arm_energy_base(s->energy)->count;
  s->stride = arm_criterion_stride(s->p);
  if (options->r < s->p)
    return ARM_E_ARGUMENT;
  status = allocate(s);
  if (status == ARM_OK)
    find_what_counts(s);
  return status;
}

void arm_points_search_clear(ArmPointsSearch *s) {
  arm_energy_free(s->energy);
  arm_criterion_work_free(s->work);
  free(s->q);
  free(s->w);
}
