/* SPDX-License-Identifier: MIT */
/* Orthonormal bases. */
#include <math.h>
#include <string.h>

#include "core/sweeps/verdict_internal.h"

#define RANK_TOLERANCE 1e-9 /* purely numerical: columns have unit length */

/* in lanes: one sum after the other would wait for itself */
double arm_dot(size_t m, const double *a, const double *b) {
  enum { LANES = 8 };
  double lane[LANES] = {0.0}, sum = 0.0;
  size_t k = 0;
  for (; k + LANES <= m; k += LANES)
    for (size_t l = 0; l < LANES; l++)
      lane[l] += a[k + l] * b[k + l];
  for (; k < m; k++)
    sum += a[k] * b[k];
  for (size_t l = 0; l < LANES; l++)
    sum += lane[l];
  return sum;
}

void arm_project_all_out(ArmShelf *shelf, size_t m, size_t rank, const double *basis, size_t n,
                         double *x) {
  for (size_t b = 0; b < rank; b++) {
    const double *unit = basis + b * m;
    for (double *at = x; at < x + n * m; at += m) {
      const double part = arm_dot(m, unit, at);
      for (size_t k = 0; k < m; k++)
        at[k] -= part * unit[k];
    }
    arm_shelf_saw(shelf, (1 + n) * m * sizeof *x);
  }
}

void arm_project_out(ArmShelf *shelf, size_t m, size_t rank, const double *basis, double *x) {
  arm_project_all_out(shelf, m, rank, basis, 1, x);
}

size_t arm_orthonormalise(ArmShelf *shelf, size_t m, size_t n, double *a) {
  size_t rank = 0;
  for (size_t c = 0; c < n; c++) {
    double *x = a + rank * m, before = 0.0, after = 0.0;
    if (rank != c)
      memcpy(x, a + c * m, m * sizeof *x);
    for (size_t k = 0; k < m; k++)
      before += x[k] * x[k];
    for (int pass = 0; pass < 2; pass++)
      arm_project_out(shelf, m, rank, a, x);
    for (size_t k = 0; k < m; k++)
      after += x[k] * x[k];
    if (!(after > RANK_TOLERANCE * RANK_TOLERANCE * before))
      continue;
    for (size_t k = 0; k < m; k++)
      x[k] /= sqrt(after);
    rank++;
  }
  return rank;
}
