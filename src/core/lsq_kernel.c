/* SPDX-License-Identifier: MIT */
#include "core/lsq_kernel.h"

#include <math.h>

/* Turns column x of the block and the triangle's diagonal value into the reflector
 * I - tau (1; x)(1; x)^T and the new diagonal value. Returns tau, 0 for a zero column. */
static double make_reflector(size_t rows, double *diagonal, double *x) {
  double largest = 0;
  for (size_t i = 0; i < rows; i++)
    largest = fmax(largest, fabs(x[i]));
  if (largest == 0)
    return 0;
  const double scale = fmax(largest, fabs(*diagonal));
  const double alpha = *diagonal / scale;
  double sum = alpha * alpha;
  for (size_t i = 0; i < rows; i++) {
    x[i] /= scale;
    sum += x[i] * x[i];
  }
  const double beta = -copysign(sqrt(sum), alpha);
  for (size_t i = 0; i < rows; i++)
    x[i] /= alpha - beta;
  *diagonal = beta * scale;
  return (beta - alpha) / beta;
}

static void fold_plain(size_t rows, size_t columns, double *r, double *block) {
  for (size_t k = 0; k < columns; k++) {
    double *v = block + k * ARM_LSQ_BLOCK_LD;
    const double tau = make_reflector(rows, &r[k + k * columns], v);
    if (tau == 0)
      continue;
    for (size_t j = k + 1; j < columns; j++) {
      double *b = block + j * ARM_LSQ_BLOCK_LD;
      double w = r[k + j * columns];
      for (size_t i = 0; i < rows; i++)
        w += v[i] * b[i];
      w *= tau;
      r[k + j * columns] -= w;
      for (size_t i = 0; i < rows; i++)
        b[i] -= v[i] * w;
    }
  }
}

ArmLsqFold *arm_lsq_kernel(int max_lanes) {
  (void)max_lanes;
  return fold_plain;
}
