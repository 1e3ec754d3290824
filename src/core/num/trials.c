/* SPDX-License-Identifier: MIT */
/* Products of all folds are turned to the unit matrix by their eigenvectors; without a fold it is
 * the unit matrix less that fold's, which a Cholesky factorisation solves. */
#include "core/num/trials.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen: above what rounding leaves of sums of squares, and far below what terms differ by. */
#define SAME     1e-10 /* eigenvalues below this part of the largest are not seen */
#define OWN      1e-8  /* of a column: less beside the others is not seen */
#define LEFT_OUT 1e-6  /* what is known of a direction that only the fold left out tells */

/* ---- life ---- */

ArmStatus arm_trials_init(ArmTrials *trials, size_t count, size_t sides, size_t most_folds) {
  const size_t p = count, w = count + sides, all = most_folds + 1;
  if (count == 0 || sides < 2 || sides > ARM_TRIALS_MOST_SIDES || most_folds == 0 ||
      most_folds > ARM_TRIALS_MOST_FOLDS)
    return ARM_E_ARGUMENT;
  double *block = calloc(all * w * w + p * p + all * p * p + all * p * sides + p * sides +
                             (p * p + (5 + sides) * p + 1),
                         sizeof *block);
  if (!block)
    return ARM_E_MEMORY;
  *trials = (ArmTrials){.count = count, .sides = sides, .width = w, .gram = block};
  trials->turn = block + all * w * w;
  trials->inner = trials->turn + p * p;
  trials->outer = trials->inner + all * p * p;
  trials->solution = trials->outer + all * p * sides;
  trials->work = trials->solution + p * sides;
  return ARM_OK;
}

void arm_trials_clear(ArmTrials *trials) {
  free(trials->gram);
  trials->gram = NULL;
}

/* ---- rows ---- */

double *arm_trials_gram(const ArmTrials *t, size_t fold) {
  return t->gram + fold * t->width * t->width;
}

void arm_trials_add(const ArmTrials *t, const double *line, double *gram) {
  for (size_t c = 0; c < t->width; c++)
    for (size_t k = 0; k <= c && line[c] != 0.0; k++)
      gram[k + c * t->width] += line[k] * line[c];
}

void arm_trials_sum(ArmTrials *t) {
  double *all = arm_trials_gram(t, t->folds);
  for (size_t f = 0; f < t->folds; f++)
    for (size_t a = 0; a < t->width * t->width; a++)
      all[a] += arm_trials_gram(t, f)[a];
}

/* ---- columns turned to unit products ---- */

static ArmStatus find_turn(ArmTrials *t) {
  const double *all = arm_trials_gram(t, t->folds);
  const size_t p = t->count;
  double *a = t->work, *value = a + p * p, *scale = value + p, *lapack = scale + p;
  for (size_t c = 0; c < p; c++)
    scale[c] = all[c + c * t->width] > 0.0 ? 1.0 / sqrt(all[c + c * t->width]) : 0.0;
  for (size_t c = 0; c < p; c++)
    for (size_t r = 0; r <= c; r++)
      a[r + c * p] = all[r + c * t->width] * scale[r] * scale[c];
  const lapack_int n = (lapack_int)p;
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, value, lapack, 3 * n) != 0)
    return ARM_E_NUMERIC;
  t->rank = 0;
  for (size_t c = 0; c < p; c++) {
    if (!(value[c] > SAME * value[p - 1]))
      continue;
    for (size_t r = 0; r < p; r++)
      t->turn[r + t->rank * p] = a[r + c * p] * scale[r] / sqrt(value[c]);
    t->rank++;
  }
  return ARM_OK;
}

/* products of the turned columns with each other and with the sides, of one fold */
static void turn_fold(ArmTrials *t, size_t fold) {
  const double *gram = arm_trials_gram(t, fold);
  const size_t p = t->count, w = t->width;
  double *inner = t->inner + fold * p * p, *outer = t->outer + fold * p * t->sides, *half = t->work;
  for (size_t c = 0; c < w; c++)
    for (size_t k = 0; k < t->rank; k++) {
      double sum = 0.0;
      for (size_t r = 0; r < p; r++)
        sum += t->turn[r + k * p] * gram[r <= c ? r + c * w : c + r * w];
      if (c < p)
        half[k + c * p] = sum;
      else
        outer[k + (c - p) * p] = sum;
    }
  for (size_t c = 0; c < t->rank; c++)
    for (size_t k = 0; k < t->rank; k++) {
      double sum = 0.0;
      for (size_t r = 0; r < p; r++)
        sum += half[k + r * p] * t->turn[r + c * p];
      inner[k + c * p] = sum;
    }
}

ArmStatus arm_trials_turn(ArmTrials *t) {
  const ArmStatus status = find_turn(t);
  for (size_t f = 0; f <= t->folds && status == ARM_OK; f++)
    turn_fold(t, f);
  return status;
}

/* ---- solutions ---- */

static double side_product(const ArmTrials *t, size_t fold, size_t a, size_t b) {
  return arm_trials_gram(
      t, fold)[t->count + (a < b ? a : b) + (t->count + (a < b ? b : a)) * t->width];
}

static double outer_of(const ArmTrials *t, size_t fold, size_t k, size_t side) {
  return t->outer[fold * t->count * t->sides + k + side * t->count];
}

static double *solution_of(const ArmTrials *t, size_t side) {
  return t->solution + side * t->count;
}

/* All but a fold; fold = folds: all. */
static ArmStatus solve_without(ArmTrials *t, size_t fold) {
  const bool is_all = fold == t->folds;
  const size_t p = t->count;
  double *m = t->work, *b = m + p * p;
  for (size_t c = 0; c < t->rank; c++)
    for (size_t r = 0; r < t->rank; r++)
      m[r + c * p] =
          (r == c ? 1.0 + LEFT_OUT : 0.0) - (is_all ? 0.0 : t->inner[fold * p * p + r + c * p]);
  for (size_t a = 0; a < t->sides; a++)
    for (size_t k = 0; k < t->rank; k++)
      b[k + a * p] = outer_of(t, t->folds, k, a) - (is_all ? 0.0 : outer_of(t, fold, k, a));
  for (size_t a = 0; a < t->sides; a++)
    memcpy(solution_of(t, a), b + a * p, t->rank * sizeof *b);
  const lapack_int n = (lapack_int)t->rank, ld = (lapack_int)p;
  if (n > 0 &&
      LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', n, (lapack_int)t->sides, m, ld, b, ld) != 0)
    return ARM_E_NUMERIC;
  for (size_t a = 0; a < t->sides; a++)
    for (size_t c = 0; c < t->sides; c++) {
      t->rest[a][c] =
          side_product(t, t->folds, a, c) - (is_all ? 0.0 : side_product(t, fold, a, c));
      for (size_t k = 0; k < t->rank; k++)
        t->rest[a][c] -= solution_of(t, a)[k] * b[k + c * p];
    }
  for (size_t a = 0; a < t->sides; a++)
    memcpy(solution_of(t, a), b + a * p, t->rank * sizeof *b);
  return ARM_OK;
}

/* Squares that a fold's rows are off, with `value` times column `tried` fitted. */
static double held_out(ArmTrials *t, size_t fold, size_t tried, double value) {
  const double *inner = t->inner + fold * t->count * t->count;
  const size_t y = t->sides - 1;
  double *shift = t->work;
  double sum = side_product(t, fold, y, y) - 2.0 * value * side_product(t, fold, tried, y) +
               value * value * side_product(t, fold, tried, tried);
  for (size_t k = 0; k < t->rank; k++)
    shift[k] = solution_of(t, y)[k] - value * solution_of(t, tried)[k];
  for (size_t k = 0; k < t->rank; k++) {
    double product = 0.0;
    for (size_t l = 0; l < t->rank; l++)
      product += inner[k + l * t->count] * shift[l];
    sum += shift[k] *
           (product - 2.0 * (outer_of(t, fold, k, y) - value * outer_of(t, fold, k, tried)));
  }
  return sum;
}

/* ---- a trial ---- */

ArmStatus arm_trials_try(ArmTrials *t, size_t tried, ArmTrial *trial) {
  const size_t y = t->sides - 1;
  const double all = side_product(t, t->folds, tried, tried);
  double value[ARM_TRIALS_MOST_FOLDS], mean = 0.0, square = 0.0, plain = 0.0, better = 0.0;
  const double none = (double)NAN;
  ArmStatus status = solve_without(t, t->folds);
  *trial = (ArmTrial){none, none, none, none, 0.0, 0.0, none, false};
  if (status != ARM_OK || !(t->rest[tried][tried] > OWN * all && all > 0.0))
    return status;
  const double own = trial->own = t->rest[tried][tried];
  trial->share = own / all;
  trial->value = t->rest[tried][y] / own;
  trial->without = t->rest[y][y];
  trial->with = trial->without - trial->value * t->rest[tried][y];
  for (size_t f = 0; f < t->folds; f++) {
    status = solve_without(t, f);
    if (status != ARM_OK || !(t->rest[tried][tried] > OWN * own))
      return status;
    value[f] = t->rest[tried][y] / t->rest[tried][tried];
    mean += value[f] / (double)t->folds;
    plain += held_out(t, f, tried, 0.0);
    better += held_out(t, f, tried, value[f]);
  }
  for (size_t f = 0; f < t->folds; f++)
    square += (value[f] - mean) * (value[f] - mean);
  trial->is_seen = true;
  trial->spread = sqrt(square * (double)(t->folds - 1) / (double)t->folds);
  trial->gain = 1.0 - sqrt(fmax(0.0, better) / plain);
  return ARM_OK;
}
