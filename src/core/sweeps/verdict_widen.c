/* SPDX-License-Identifier: MIT */
/* What the inverse of the weighed fit does not know: noise that is not white, and gravity that does
 * not fit. Source: Armature theory notes, lack of fit, section 3.3. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/verdict_internal.h"

enum {
  K = ARM_STROKE_ORDERS,
  HOLD_ORDERS = 3,
  MOST = ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS,
  ROWS = 64 /* at a time */
};

/*   joint with noise that is not white: sd = max(sd, sd by clusters), clusters = pairs of strokes,
 *     variance  sum_p |shift by the residuals of p|^2 P/(P - columns/2)
 *   ... where neighbouring samples show it, not below the sd of the samples' fit either
 *   gravity alarm: + sum_b |shift by b|^2 tau_G^2 over b = (joint, hold, even k = 0, 1, 2),
 *     tau_G^2 = misfit^2 H/(3H - 4) */
static bool is_clustered(const ArmStrokeFit *fit, size_t i) {
  return fit->ident->weighed[i].triangle && fit->joint[i].is_heterogeneous;
}

/* The parameters that joint i's rows tell first. */
static bool is_of_joint(const ArmIdentTree *tree, size_t i, size_t a) {
  if (a >= tree->own[i] && a < tree->own[i] + tree->own_count[i])
    return true;
  if (a >= tree->friction[i] && a < tree->friction[i] + 4)
    return true;
  for (size_t j = 0; j < tree->n; j++) {
    if (tree->parent[j] != (int)i)
      continue;
    const bool is_adopted = tree->is_unswept[j];
    if (tree->edge[j] == a ||
        (is_adopted && a >= tree->own[j] && a < tree->own[j] + tree->own_count[j]))
      return true;
  }
  return a == tree->acceleration[i] || a == tree->term[i][ARM_TERM_LOAD] ||
         a == tree->term[i][ARM_TERM_CURVE];
}

static void add_square(const ArmStrokeFit *fit, size_t first, size_t m, const double *x,
                       double factor, double *sum) {
  double shift[MOST];
  arm_stroke_fit_shift(fit, first, m, x, shift);
  for (size_t a = 0; a < fit->count; a++)
    sum[a] += factor * shift[a] * shift[a];
}

/* rows first..first+m-1 with their own residuals, as one */
static void add_cluster(const ArmStrokeFit *fit, size_t first, size_t m, double factor,
                        double *sum) {
  double x[ARM_PAIR_ROWS];
  for (size_t k = 0; k < m; k++)
    x[k] = fit->residual[first + k] / fit->sd[first + k];
  add_square(fit, first, m, x, factor, sum);
}

static void add_clusters(const ArmStrokeFit *fit, size_t i, double *sum) {
  const ArmJointStrokes *joint = &fit->joint[i];
  const double clusters = (double)(joint->strokes - joint->pairs);
  double columns = 1.0; /* the trend */
  for (size_t a = 0; a < fit->ident->tree.count; a++)
    columns += is_of_joint(&fit->ident->tree, i, a);
  const double factor = clusters / fmax(1.0, clusters - columns / 2.0);
  size_t row = joint->first_row;
  for (; row < joint->first_row + joint->pairs * ARM_PAIR_ROWS; row += ARM_PAIR_ROWS)
    add_cluster(fit, row, ARM_PAIR_ROWS, factor, sum);
  for (; row < joint->first_row + joint->rows; row += K)
    add_cluster(fit, row, K, factor, sum);
}

/* As add_square of every row by itself, one sd off: R^-1 of some rows of Q at a time.
 *   x  ROWS x rank, of anything */
static void add_white(const ArmStrokeFit *fit, size_t first, size_t m, double *x, double *sum) {
  for (size_t k = fit->rank; k-- > 0;) {
    const size_t a = (size_t)fit->pivot[k] - 1;
    const double *r = fit->r + k, *q = fit->q + first + k * (fit->rows + fit->priors);
    double *to = x + k * ROWS;
    memcpy(to, q, m * sizeof *to);
    for (size_t c = k + 1; c < fit->rank; c++)
      for (size_t row = 0; row < m; row++)
        to[row] -= r[c * fit->count] * x[row + c * ROWS];
    for (size_t row = 0; row < m; row++) {
      to[row] /= r[k * fit->count];
      sum[a] += fit->scale[a] * to[row] * fit->scale[a] * to[row];
    }
  }
  arm_shelf_saw(fit->shelf, fit->rank * m * sizeof *x);
}

static void add_all_white(const ArmStrokeFit *fit, size_t first, size_t rows, double *x,
                          double *sum) {
  for (size_t at = 0; at < rows; at += ROWS)
    add_white(fit, first + at, rows - at < ROWS ? rows - at : ROWS, x, sum);
}

static void add_to(size_t count, const double *from, double *sum) {
  for (size_t a = 0; a < count; a++)
    sum[a] += from[a];
}

static bool has_clustered(const ArmStrokeFit *fit) {
  bool has_any = false;
  for (size_t i = 0; i < fit->ident->model->n; i++)
    has_any = has_any || is_clustered(fit, i);
  return has_any;
}

/* by how much the sd of each phi is wider when the residuals speak for the joints that are not
 * white */
static ArmStatus widen_clustered(const ArmStrokeFit *fit, double *factor) {
  double white[MOST] = {0}, clustered[MOST] = {0}, of_priors[MOST] = {0};
  if (!has_clustered(fit))
    return ARM_OK;
  double *x = malloc((fit->rank + 1) * ROWS * sizeof *x);
  if (!x)
    return ARM_E_MEMORY;
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    const ArmJointStrokes *joint = &fit->joint[i];
    double of_joint[MOST] = {0};
    add_all_white(fit, joint->first_row, joint->rows, x, of_joint);
    add_to(fit->count, of_joint, white);
    if (is_clustered(fit, i))
      add_clusters(fit, i, clustered);
    else
      add_to(fit->count, of_joint, clustered);
  }
  add_all_white(fit, fit->rows, fit->priors, x, of_priors);
  free(x);
  add_to(fit->count, of_priors, white);
  add_to(fit->count, of_priors, clustered);
  for (size_t i = 0; i < fit->ident->model->n; i++)
    for (size_t a = 0; a < fit->ident->tree.count; a++)
      if (is_clustered(fit, i) && is_of_joint(&fit->ident->tree, i, a) && white[a] > 0.0)
        factor[a] = fmax(factor[a], sqrt(clustered[a] / white[a]));
  return ARM_OK;
}

/* part of the samples' widening that the lag-1 correlation gives, as of AR(1) noise; the rest, of
 * slow errors under white noise, is what replicates tell better */
static double lag_part(const ArmIdentStats *stats) {
  const double rho = fmin(fmax(stats->lag1, 0.0), ARM_IDENT_MOST_LAG1);
  return fmin(1.0, sqrt((1.0 + rho) / (1.0 - rho)) / stats->widening);
}

static void widen_correlated(const ArmStrokeFit *fit, const ArmIdentResult *samples,
                             const ArmIdentResult *result, double *factor) {
  const size_t count = fit->ident->tree.count;
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    if (!is_clustered(fit, i) || !fit->joint[i].is_correlated)
      continue;
    const double part = lag_part(&samples->stats[i]);
    for (size_t a = 0; a < count; a++) {
      const double now = result->covariance[a + a * count];
      if (is_of_joint(&fit->ident->tree, i, a) && now > 0.0)
        factor[a] = fmax(factor[a], part * sqrt(samples->covariance[a + a * count] / now));
    }
  }
}

static void scale(const double *factor, size_t count, ArmIdentResult *result) {
  for (size_t b = 0; b < count; b++) {
    for (size_t a = 0; a < count; a++)
      result->covariance[a + b * count] *= factor[a] * factor[b];
    result->sd_data[b] *= factor[b];
    result->sd_wide[b] *= factor[b];
  }
}

/* a current of 1 A more at even order k in every stroke of the hold, over the rows' sds */
static void fill_hold(const ArmStrokeFit *fit, const ArmJointStrokes *joint, size_t hold, size_t k,
                      double *x) {
  const double *sd = fit->sd + joint->first_row;
  arm_shelf_clear(fit->shelf, x, joint->rows);
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[p];
    for (size_t r = 0; r <= k && pair->hold == hold; r++)
      x[r] = pair->mix[r + k * K] / sd[r];
    arm_shelf_saw(fit->shelf, sizeof *pair + 2 * ARM_PAIR_ROWS * sizeof *x);
    x += ARM_PAIR_ROWS;
    sd += ARM_PAIR_ROWS;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    const ArmFitStroke *stroke = &fit->strokes[s];
    arm_shelf_saw(fit->shelf, sizeof *stroke);
    if (stroke->is_paired)
      continue;
    for (size_t r = 0; r <= k && stroke->sums->hold == hold; r++)
      x[r] = stroke->numbers.root[r + k * K] / sd[r];
    x += K;
    sd += K;
  }
}

static void add_holds(const ArmStrokeFit *fit, size_t i, double misfit, double *x,
                      ArmIdentResult *result) {
  const ArmJointStrokes *joint = &fit->joint[i];
  const size_t count = fit->ident->tree.count;
  const double holds = (double)joint->holds;
  const double variance = misfit * misfit * holds / fmax(1.0, 3.0 * holds - 4.0);
  double shift[MOST];
  for (size_t hold = 0; hold < joint->holds; hold++)
    for (size_t k = 0; k < HOLD_ORDERS; k++) {
      fill_hold(fit, joint, hold, k, x);
      arm_stroke_fit_shift(fit, joint->first_row, joint->rows, x, shift);
      for (size_t b = 0; b < count; b++)
        for (size_t a = 0; a < count; a++)
          result->covariance[a + b * count] += variance * shift[a] * shift[b];
    }
}

ArmStatus arm_stroke_fit_widen(const ArmStrokeFit *fit, const ArmVerdict *verdict,
                               const ArmIdentResult *samples, ArmIdentResult *result) {
  double factor[MOST];
  ArmStatus status = ARM_OK;
  double *x = arm_shelf_take(fit->shelf, fit->rows + 1, sizeof *x, &status);
  if (!x)
    return status;
  for (size_t a = 0; a < MOST; a++)
    factor[a] = 1.0;
  status = widen_clustered(fit, factor);
  widen_correlated(fit, samples, result, factor);
  scale(factor, fit->ident->tree.count, result);
  for (size_t i = 0; i < fit->ident->model->n; i++)
    if (verdict->joint[i].test[ARM_TEST_GRAVITY].is_alarm)
      add_holds(fit, i, verdict->joint[i].test[ARM_TEST_GRAVITY].size, x, result);
  arm_shelf_give(fit->shelf, x);
  return status;
}
