/* SPDX-License-Identifier: MIT */
/* Two opposite strokes become rows of white noise, each by what it covers: one that covers three
 * quarters of the range, as a fast one that has to settle, is an extrapolation with 20 times the
 * noise that its samples promise. Armature theory notes, lack of fit, 1, have whole strokes. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/sweeps/verdict_internal.h"

/* Chosen: with more than twice the sd of whole strokes, a quarter of their weight, the friction of
 * a pair is told by others. */
#define MOST_BLOWN 2.0
#define SPACING    0.2 /* part of sqrt(n); 50 samples evenly over the range: 0.18 */

enum { K = ARM_STROKE_ORDERS, M = ARM_PAIR_ROWS };

void arm_stroke_whiten(const ArmStrokeNumbers *numbers, double *x) {
  for (size_t k = 0; k < K; k++) { /* upper triangular: top down in place */
    double sum = 0.0;
    for (size_t j = k; j < K; j++)
      sum += numbers->root[k + j * K] * x[j];
    x[k] = sum;
  }
}

/* variance of alpha_0 for noise of 1: |y|^2 with root' y = e_0 */
static double variance_of_mean(const double *root) {
  double y[K], sum = 0.0;
  for (size_t k = 0; k < K; k++) {
    y[k] = k == 0 ? 1.0 : 0.0;
    for (size_t j = 0; j < k; j++)
      y[k] -= root[j + k * K] * y[j];
    y[k] /= root[k + k * K];
    sum += y[k] * y[k];
  }
  return sum;
}

/* Over the whole range root is sqrt(n) times the unit matrix but for the spacing of the samples;
 * the notes take it as that, and so does a pair of such strokes here. */
static bool is_whole(const ArmFitStroke *stroke) {
  const double unit = sqrt((double)stroke->sums->rows);
  for (size_t c = 0; c < K; c++)
    for (size_t k = 0; k <= c; k++)
      if (fabs(fabs(stroke->numbers.root[k + c * K]) - (k == c ? unit : 0.0)) > SPACING * unit)
        return false;
  return true;
}

/* x root = t, both upper triangular */
static void divide(const double *t, const double *root, double *x) {
  for (size_t c = 0; c < K; c++)
    for (size_t k = 0; k < K; k++) {
      double sum = k <= c ? t[k + c * K] : 0.0;
      for (size_t j = k; j < c; j++)
        sum -= x[k + j * K] * root[j + c * K];
      x[k + c * K] = k <= c ? sum / root[c + c * K] : 0.0;
    }
}

/* What is left of both has the covariance X = T (C+ - C-) T'/4 = I - B B'/2 with B = T root-^-1,
 * and counts as less: |x|^2 of 12 rows as 12/crossed, crossed = 1 + |X|^2/6. */
static double crossed_of(const double *t, const double *minus) {
  double b[K * K] = {0}, square = 0.0;
  divide(t, minus, b);
  for (size_t k = 0; k < K; k++)
    for (size_t j = 0; j < K; j++) {
      double x = k == j ? 1.0 : 0.0;
      for (size_t c = 0; c < K; c++)
        x -= 0.5 * b[k + c * K] * b[j + c * K];
      square += x * x;
    }
  return 1.0 + square / K;
}

/* A stroke's coefficients over the range of its joint have the covariance C = (root' root)^-1 of
 * noise 1. g and d have (C+ + C-)/4 both, and T' T is its inverse. T is the lower right block of
 * the triangle
 *
 *   [ root+   root+ ] [d]       [ V  U ] [d]
 *   [-root-   root- ] [g]  = Q  [ 0  T ] [g]
 *
 * which holds what both strokes know of g when nothing is known of d. T d leaves V and U, what only
 * one of them knows, unused: with it what is wrong with gravity would turn up in friction, its
 * trend and its scatter, and excuse itself. */
static ArmStatus make_mix(const double *plus, const double *minus, ArmPair *pair) {
  double stack[M * M], tau[M], work[M];
  for (size_t c = 0; c < K; c++)
    for (size_t k = 0; k < K; k++) {
      stack[k + c * M] = stack[k + (K + c) * M] = plus[k + c * K];
      stack[K + k + (K + c) * M] = minus[k + c * K];
      stack[K + k + c * M] = -minus[k + c * K];
    }
  if (LAPACKE_dgeqr2_work(LAPACK_COL_MAJOR, M, M, stack, M, tau, work) != 0)
    return ARM_E_NUMERIC;
  for (size_t c = 0; c < K; c++)
    for (size_t k = 0; k < K; k++)
      pair->mix[k + c * K] =
          k <= c ? copysign(1.0, stack[(K + k) * (M + 1)]) * stack[K + k + (K + c) * M] : 0.0;
  pair->crossed = crossed_of(pair->mix, minus);
  for (size_t k = 0; k < K * K; k++)
    pair->mix[k] /= sqrt(pair->weight);
  return ARM_OK;
}

void arm_pair_rows(const ArmPair *pair, const double *plus, const double *minus, double *rows) {
  for (size_t k = 0; k < K; k++) {
    rows[k] = rows[K + k] = 0.0;
    for (size_t c = k; c < K; c++) {
      rows[k] += pair->mix[k + c * K] * 0.5 * (plus[c] + minus[c]);
      rows[K + k] += pair->mix[k + c * K] * 0.5 * (plus[c] - minus[c]);
    }
  }
}

void arm_pair_strokes(const ArmPair *pair, const double *rows, double *plus, double *minus) {
  double g[K], d[K];
  for (size_t k = K; k-- > 0;) {
    g[k] = rows[k];
    d[k] = rows[K + k];
    for (size_t c = k + 1; c < K; c++) {
      g[k] -= pair->mix[k + c * K] * g[c];
      d[k] -= pair->mix[k + c * K] * d[c];
    }
    g[k] /= pair->mix[k + k * K];
    d[k] /= pair->mix[k + k * K];
    plus[k] = g[k] + d[k];
    minus[k] = g[k] - d[k];
  }
}

double arm_pair_friction(const ArmPair *pair, const double *rows) {
  double plus[K], minus[K];
  arm_pair_strokes(pair, rows, plus, minus);
  return 0.5 * (plus[0] - minus[0]) / pair->blown;
}

ArmStatus arm_pair_make(const ArmFitStroke *plus, const ArmFitStroke *minus, size_t columns,
                        ArmPair *pair) {
  const double *a = plus->numbers.root, *b = minus->numbers.root;
  memset(pair->mix, 0, sizeof pair->mix);
  for (size_t k = 0; k < K; k++)
    pair->mix[k + k * K] = 1.0;
  pair->blown = pair->crossed = 1.0;
  if (!(is_whole(plus) && is_whole(minus))) {
    pair->blown = sqrt(0.25 * pair->weight * (variance_of_mean(a) + variance_of_mean(b)));
    if (make_mix(a, b, pair) != ARM_OK)
      return ARM_E_NUMERIC;
  }
  arm_pair_rows(pair, plus->numbers.alpha, minus->numbers.alpha, pair->rows.y);
  for (size_t c = 0; c < columns; c++)
    arm_pair_rows(pair, plus->z + c * K, minus->z + c * K, pair->rows.z + c * M);
  return ARM_OK;
}

/* Of pairs whose strokes tell it well, or of all when none does. */
double arm_stroke_fit_friction(const ArmStrokeFit *fit, size_t i) {
  const ArmJointStrokes *joint = &fit->joint[i];
  double sum[2] = {0.0, 0.0};
  size_t count[2] = {0, 0};
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[p];
    const int is_weak = pair->blown > MOST_BLOWN;
    sum[is_weak] += 0.5 * fabs(fit->strokes[pair->plus].numbers.alpha[0] -
                               fit->strokes[pair->minus].numbers.alpha[0]);
    arm_stroke_fit_saw_pair(fit, pair);
    count[is_weak]++;
  }
  if (count[0] > 0)
    return sum[0] / (double)count[0];
  return count[1] > 0 ? sum[1] / (double)count[1] : 0.0;
}

double arm_stroke_fit_current(const ArmStrokeFit *fit, size_t i) {
  const ArmJointStrokes *joint = &fit->joint[i];
  double sum = 0.0;
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    for (size_t k = 0; k < K; k++)
      sum += fit->strokes[s].numbers.alpha[k] * fit->strokes[s].numbers.alpha[k];
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes);
  }
  return joint->strokes > 0 ? sqrt(sum / (double)joint->strokes) : 0.0;
}

static double left_in(const ArmFitStroke *stroke, double *alpha) {
  double sum = 0.0;
  arm_stroke_whiten(&stroke->numbers, alpha);
  for (size_t k = 0; k < K; k++)
    sum += alpha[k] * alpha[k];
  return sum / (double)stroke->sums->rows;
}

size_t arm_pair_farther(const ArmStrokeFit *fit, const ArmPair *pair, const double *rows) {
  double a[K], b[K];
  arm_pair_strokes(pair, rows, a, b);
  return left_in(&fit->strokes[pair->plus], a) > left_in(&fit->strokes[pair->minus], b)
             ? pair->plus
             : pair->minus;
}
