/* SPDX-License-Identifier: MIT */
/* The fit on strokes: theta and one trend of friction per joint, weighted by the noise of the
 * replicates. Source: Armature theory notes, lack of fit, sections 3.1 and 3.2. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/verdict_internal.h"

enum { MAX_STEPS = 25, MAX_HALVINGS = 12, ROUNDS = 2, PLAIN_ROUNDS = 2 };
#define RANK_TOLERANCE 1e-10
#define TREND_MOST     1.0
#define STEP_GOAL      1e-9 /* of chi2: what a step must explain to be made... */
#define STEP_LAST      1e-5 /* ...and to make another one likely: the fit is nearly linear */

static size_t all_rows(const ArmStrokeFit *fit) {
  return fit->rows + fit->priors;
}

double arm_stroke_fit_weighted(const ArmStrokeFit *fit, double *x) {
  const ArmIdentTree *tree = &fit->ident->tree;
  double sum = 0.0;
  for (size_t k = 0; k < fit->rows; k++)
    x[k] = fit->sd[k] > 0.0 ? fit->residual[k] / fit->sd[k] : 0.0;
  for (size_t j = 0; j < tree->n; j++) {
    x[fit->rows + j] = tree->edge[j] == ARM_IDENT_NONE
                           ? 0.0
                           : (fit->phi[tree->edge[j]] - tree->prior_mean[j]) / tree->prior_sd[j];
    x[fit->rows + tree->n + j] = fit->phi[tree->count + j] / ARM_TREND_PRIOR_SD;
  }
  for (size_t k = 0; k < fit->n_ridges; k++)
    x[fit->rows + 2 * tree->n + k] = fit->phi[fit->ridge[k].at] / fit->ridge[k].sd;
  for (size_t k = 0; k < all_rows(fit); k++)
    sum += x[k] * x[k];
  return sum;
}

/* weighted [J; priors] with columns of unit length into q */
static void weighted_jacobian(ArmStrokeFit *fit) {
  const ArmIdentTree *tree = &fit->ident->tree;
  const size_t m = all_rows(fit);
  for (size_t a = 0; a < fit->count; a++) {
    double *to = fit->q + a * m;
    for (size_t k = 0; k < fit->rows; k++)
      to[k] = fit->sd[k] > 0.0 ? fit->jacobian[k + a * fit->rows] / fit->sd[k] : 0.0;
    memset(to + fit->rows, 0, fit->priors * sizeof *to);
  }
  for (size_t j = 0; j < tree->n; j++) {
    if (tree->edge[j] != ARM_IDENT_NONE)
      fit->q[fit->rows + j + tree->edge[j] * m] = 1.0 / tree->prior_sd[j];
    fit->q[fit->rows + tree->n + j + (tree->count + j) * m] = 1.0 / ARM_TREND_PRIOR_SD;
  }
  for (size_t k = 0; k < fit->n_ridges; k++)
    fit->q[fit->rows + 2 * tree->n + k + fit->ridge[k].at * m] = 1.0 / fit->ridge[k].sd;
  for (size_t a = 0; a < fit->count; a++) {
    double *to = fit->q + a * m, square = 0.0;
    for (size_t k = 0; k < m; k++)
      square += to[k] * to[k];
    fit->scale[a] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    for (size_t k = 0; k < m; k++)
      to[k] *= fit->scale[a];
  }
}

/* pivoted QR of q in place: r, pivot, rank, and q itself orthonormal */
static ArmStatus factorise(ArmStrokeFit *fit) {
  const lapack_int m = (lapack_int)all_rows(fit), n = (lapack_int)fit->count;
  double *tau = fit->work + all_rows(fit), *scratch = tau + fit->count;
  const lapack_int size = (lapack_int)(ARM_FIT_SCRATCH * (fit->count + 1));
  memset(fit->pivot, 0, fit->count * sizeof *fit->pivot);
  const size_t most = m < n ? (size_t)m : fit->count;
  if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, fit->q, m, fit->pivot, tau, scratch, size) != 0)
    return ARM_E_NUMERIC;
  const double largest = fabs(fit->q[0]);
  fit->rank = 0;
  while (fit->rank < most && largest > 0.0 &&
         fabs(fit->q[fit->rank + fit->rank * (size_t)m]) > RANK_TOLERANCE * largest)
    fit->rank++;
  for (size_t c = 0; c < fit->count; c++)
    for (size_t k = 0; k <= c && k < most; k++)
      fit->r[k + c * fit->count] = fit->q[k + c * (size_t)m];
  const lapack_int rank = (lapack_int)fit->rank;
  if (rank > 0 &&
      LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, m, rank, rank, fit->q, m, tau, scratch, size) != 0)
    return ARM_E_NUMERIC;
  return ARM_OK;
}

/* phi += -part R^-1 Q' x, what is not seen staying where it is */
static void step(const ArmStrokeFit *fit, const double *projected, double part, double *phi) {
  double x[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS];
  for (size_t k = fit->rank; k-- > 0;) {
    double sum = projected[k];
    for (size_t c = k + 1; c < fit->rank; c++)
      sum -= fit->r[k + c * fit->count] * x[c];
    x[k] = sum / fit->r[k + k * fit->count];
    const size_t a = (size_t)fit->pivot[k] - 1;
    phi[a] -= part * x[k] * fit->scale[a];
  }
}

static void project(const ArmStrokeFit *fit, const double *x, double *projected) {
  const size_t m = all_rows(fit);
  for (size_t c = 0; c < fit->rank; c++) {
    projected[c] = 0.0;
    for (size_t k = 0; k < m; k++)
      projected[c] += fit->q[k + c * m] * x[k];
  }
}

/* one damped Gauss-Newton step; returns what was left to explain before it, negative on failure */
static double improve(ArmStrokeFit *fit, double *cost) {
  double projected[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], gain = 0.0;
  double before[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS];
  arm_stroke_fit_evaluate(fit, true);
  weighted_jacobian(fit);
  if (factorise(fit) != ARM_OK)
    return -1.0;
  *cost = arm_stroke_fit_weighted(fit, fit->work);
  project(fit, fit->work, projected);
  for (size_t c = 0; c < fit->rank; c++)
    gain += projected[c] * projected[c];
  if (gain <= STEP_GOAL * *cost)
    return gain;
  memcpy(before, fit->phi, sizeof before);
  double part = 1.0;
  for (int halving = 0; halving < MAX_HALVINGS; halving++, part *= 0.5) {
    step(fit, projected, part, fit->phi);
    arm_stroke_fit_evaluate(fit, false);
    if (arm_stroke_fit_weighted(fit, fit->work) < *cost)
      return gain;
    memcpy(fit->phi, before, sizeof before);
  }
  arm_stroke_fit_evaluate(fit, false);
  return 0.0;
}

static void sum_chi2(ArmStrokeFit *fit) {
  fit->chi2 = 0.0;
  for (size_t k = 0; k < fit->rows; k++)
    if (fit->sd[k] > 0.0)
      fit->chi2 += fit->residual[k] * fit->residual[k] / (fit->sd[k] * fit->sd[k]);
}

ArmStatus arm_stroke_fit_minimise(ArmStrokeFit *fit) {
  double cost = 0.0;
  for (int k = 0; k < MAX_STEPS; k++) {
    const double gain = improve(fit, &cost);
    if (gain < 0.0 || !isfinite(cost))
      return ARM_E_NUMERIC;
    if (gain <= STEP_LAST * cost)
      break;
  }
  fit->cost = arm_stroke_fit_weighted(fit, fit->work);
  sum_chi2(fit);
  return ARM_OK;
}

ArmStatus arm_stroke_fit_linearise(ArmStrokeFit *fit) {
  arm_stroke_fit_evaluate(fit, true);
  weighted_jacobian(fit);
  sum_chi2(fit);
  return factorise(fit);
}

void arm_stroke_fit_shift(const ArmStrokeFit *fit, size_t first, size_t m, const double *x,
                          double *shift) {
  double projected[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS];
  for (size_t c = 0; c < fit->rank; c++) {
    projected[c] = 0.0;
    for (size_t k = 0; k < m; k++)
      projected[c] += fit->q[first + k + c * all_rows(fit)] * x[k];
  }
  memset(shift, 0, fit->count * sizeof *shift);
  step(fit, projected, -1.0, shift);
}

double arm_stroke_fit_sd(const ArmStrokeFit *fit, size_t a) {
  double x[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], square = 0.0;
  size_t at = 0;
  while (at < fit->rank && (size_t)fit->pivot[at] - 1 != a)
    at++;
  if (at == fit->rank)
    return (double)INFINITY;
  for (size_t k = 0; k < fit->rank; k++) { /* R' x = e_at */
    double sum = k == at ? 1.0 : 0.0;
    for (size_t c = 0; c < k; c++)
      sum -= fit->r[c + k * fit->count] * x[c];
    x[k] = sum / fit->r[k + k * fit->count];
    square += x[k] * x[k];
  }
  return fit->scale[a] * sqrt(square);
}

/* before anything is known of replicates: the noise inside strokes, and no trend */
static void start_noise(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    ArmJointStrokes *joint = &fit->joint[i];
    double size = 0.0;
    for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++)
      size = fmax(size, fabs(fit->strokes[s].numbers.alpha[0]));
    for (size_t k = 0; k < ARM_STROKE_ORDERS; k++)
      joint->s[k] = fmax(joint->s_within, 1e-9 * size);
    joint->tau = 0.0;
  }
  arm_stroke_fit_weigh(fit);
}

/* each joint by its own residual, as the fit of the samples: a joint that does not fit shall not
 * bend the friction of the others */
static void residual_noise(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    ArmJointStrokes *joint = &fit->joint[i];
    double square = 0.0;
    for (size_t k = joint->first_row; k < joint->first_row + joint->rows; k++)
      square += fit->residual[k] * fit->residual[k] / (fit->sd[k] * fit->sd[k]);
    for (size_t k = 0; k < ARM_STROKE_ORDERS && square > 0.0; k++)
      joint->s[k] *= fmax(1e-3, sqrt(square / (double)joint->rows));
  }
  arm_stroke_fit_weigh(fit);
}

static ArmStatus find_noise(ArmStrokeFit *fit, const ArmVerdictLimits *limits) {
  ArmStatus status = ARM_OK;
  for (size_t i = 0; i < fit->ident->model->n && status == ARM_OK; i++)
    if (fit->joint[i].strokes > 0)
      status = arm_stroke_fit_noise(fit, i, limits);
  arm_stroke_fit_weigh(fit);
  return status;
}

static void find_scatter(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++)
    if (fit->joint[i].strokes > 0)
      arm_stroke_fit_scatter(fit, i);
  arm_stroke_fit_weigh(fit);
}

ArmStatus arm_stroke_fit_start(ArmStrokeFit *fit, const double *theta,
                               const ArmVerdictLimits *limits) {
  memset(fit->phi, 0, sizeof fit->phi);
  memcpy(fit->phi, theta, fit->ident->tree.count * sizeof *theta);
  start_noise(fit);
  arm_stroke_fit_evaluate(fit, false);
  ArmStatus status = ARM_OK;
  for (int round = 0; round < PLAIN_ROUNDS && status == ARM_OK; round++) {
    residual_noise(fit);
    status = arm_stroke_fit_minimise(fit);
  }
  if (status == ARM_OK)
    status = find_noise(fit, limits);
  arm_stroke_fit_trend(fit);
  return status;
}

/* Friction that changes by more than all of itself is no trend: where few holds are swept in little
 * time, what is wrong with gravity imitates it (a slope inside of strokes) as soon as scatter sets
 * the odd means free. Returns whether a joint lost its trend. */
static bool drop_trends(ArmStrokeFit *fit) {
  const size_t count = fit->ident->tree.count;
  bool has_dropped = false;
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    const ArmJointStrokes *joint = &fit->joint[i];
    if (!(fabs(fit->phi[count + i]) > TREND_MOST))
      continue;
    has_dropped = true;
    fit->phi[count + i] = 0.0;
    for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++)
      memset(fit->strokes[s].rows.trend, 0, sizeof fit->strokes[s].rows.trend);
    for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++)
      memset(fit->pairs[p].rows.trend, 0, sizeof fit->pairs[p].rows.trend);
  }
  return has_dropped;
}

static ArmStatus solve_rounds(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++)
    fit->joint[i].tau = 0.0;
  arm_stroke_fit_weigh(fit);
  ArmStatus status = arm_stroke_fit_minimise(fit);
  for (int round = 0; round < ROUNDS && status == ARM_OK; round++) {
    find_scatter(fit);
    status = arm_stroke_fit_minimise(fit);
  }
  return status;
}

ArmStatus arm_stroke_fit_solve(ArmStrokeFit *fit, const double *theta,
                               const ArmVerdictLimits *limits) {
  ArmStatus status = arm_stroke_fit_start(fit, theta, limits);
  if (status == ARM_OK)
    status = solve_rounds(fit);
  if (status == ARM_OK && drop_trends(fit))
    status = solve_rounds(fit);
  return status;
}
