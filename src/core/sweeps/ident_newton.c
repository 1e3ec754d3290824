/* SPDX-License-Identifier: MIT */
/* Gauss-Newton creeps where a weak ratio multiplies a weak load: residual times curvature is not
 * small there. The full Hessian is cheap, since the model is multilinear. */
#include <lapacke.h>
#include <math.h>

#include "core/sweeps/ident_internal.h"

/* Of the scaled Cholesky factor: below, directions are not seen. Chosen: it decides by which step
 * the minimum is reached, not where it is. */
#define LEAST_PIVOT 1e-4

static void add_gram(size_t m, size_t count, const double *jacobian, double *hessian) {
  for (size_t b = 0; b < count; b++) {
    const double *column_b = jacobian + b * m;
    for (size_t a = b; a < count; a++) {
      const double *column_a = jacobian + a * m;
      double sum = 0.0;
      for (size_t k = 0; k < m; k++)
        sum += column_a[k] * column_b[k];
      hessian[a + b * count] += sum;
    }
  }
}

/* scales to unit Gram diagonal; a parameter that nothing sees stays where it is */
static void scale(size_t m, size_t count, const double *jacobian, double *hessian, double *factor) {
  for (size_t a = 0; a < count; a++) {
    double sum = 0.0;
    for (size_t k = 0; k < m; k++)
      sum += jacobian[k + a * m] * jacobian[k + a * m];
    factor[a] = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
  }
  for (size_t b = 0; b < count; b++)
    for (size_t a = b; a < count; a++)
      hessian[a + b * count] =
          a == b && factor[a] == 0.0 ? 1.0 : hessian[a + b * count] * factor[a] * factor[b];
}

bool arm_ident_newton(size_t m, size_t count, const double *jacobian, const double *residual,
                      double *hessian, double *step) {
  const lapack_int n = (lapack_int)count;
  double factor[ARM_IDENT_MAX_THETA], gradient[ARM_IDENT_MAX_THETA];
  add_gram(m, count, jacobian, hessian);
  scale(m, count, jacobian, hessian, factor);
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, hessian, n) != 0)
    return false;
  for (size_t a = 0; a < count; a++) {
    double dot = 0.0;
    if (!(hessian[a + a * count] > LEAST_PIVOT))
      return false;
    for (size_t k = 0; k < m; k++)
      dot += jacobian[k + a * m] * residual[k];
    gradient[a] = -dot * factor[a];
  }
  if (LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, hessian, n, gradient, n) != 0)
    return false;
  for (size_t a = 0; a < count; a++)
    step[a] = gradient[a] * factor[a];
  return true;
}
