/* SPDX-License-Identifier: MIT */
/* Strokes of one hold as one: triangles are folded, all else is added. */
#include <math.h>
#include <string.h>

#include "core/sweeps/stroke.h"

enum {
  K = ARM_STROKE_ORDERS,
  WIDTH = K + ARM_STROKE_COLUMNS,
  Y = K + ARM_STROKE_CURRENT,
  LAG = K + 1
};

/* Householder on the first K columns of 2K x WIDTH: `a` above `b`, both K rows, `a` gets the
 * triangle; what is left of y below it belongs to `within` */
static double fold_triangles(double *a, double *b) {
  double rest = 0.0;
  for (size_t k = 0; k < K; k++) {
    double norm = a[k + k * K] * a[k + k * K];
    for (size_t i = 0; i < K; i++)
      norm += b[i + k * K] * b[i + k * K];
    norm = sqrt(norm);
    if (norm == 0.0)
      continue;
    const double head = a[k + k * K] + (a[k + k * K] > 0.0 ? norm : -norm);
    double v[K], square = head * head;
    for (size_t i = 0; i < K; i++) {
      v[i] = b[i + k * K];
      square += v[i] * v[i];
    }
    for (size_t c = k; c < WIDTH; c++) {
      double dot = head * a[k + c * K];
      for (size_t i = 0; i < K; i++)
        dot += v[i] * b[i + c * K];
      dot *= 2.0 / square;
      a[k + c * K] -= dot * head;
      for (size_t i = 0; i < K; i++)
        b[i + c * K] -= dot * v[i];
    }
  }
  for (size_t i = 0; i < K; i++)
    rest += b[i + Y * K] * b[i + Y * K];
  return rest;
}

ArmStatus arm_stroke_merge(ArmStroke *into, const ArmStroke *from) {
  double other[K * WIDTH];
  if (into->joint != from->joint || into->hold != from->hold ||
      into->basis_low != from->basis_low || into->basis_high != from->basis_high)
    return ARM_E_ARGUMENT;
  memcpy(other, from->triangle, sizeof other);
  into->within += from->within + fold_triangles(into->triangle, other);
  for (size_t k = 0; k < LAG * LAG; k++)
    into->lag[k] += from->lag[k];
  into->low = fmin(into->low, from->low);
  into->high = fmax(into->high, from->high);
  into->first_row = into->t_first <= from->t_first ? into->first_row : from->first_row;
  into->last_row = into->t_last >= from->t_last ? into->last_row : from->last_row;
  into->gaps += from->gaps;
  into->t_first = fmin(into->t_first, from->t_first);
  into->t_last = fmax(into->t_last, from->t_last);
  into->t_sum += from->t_sum;
  into->speed_sum += from->speed_sum;
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
    into->q_sum[j] += from->q_sum[j];
  into->rows += from->rows;
  into->lag_pairs += from->lag_pairs;
  return ARM_OK;
}
