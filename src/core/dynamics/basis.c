/* SPDX-License-Identifier: MIT */
/* An orthonormal basis that grows by one column at a time, in a given order: decides what is
 * independent of what came before. Twice is enough (Parlett, The Symmetric Eigenvalue Problem,
 * 6.9). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_internal.h"

ArmStatus arm_basis_init(ArmBasis *basis, size_t length, size_t most) {
  *basis = (ArmBasis){.length = length, .most = most};
  basis->q = calloc(length * most + most * most + 1, sizeof *basis->q);
  if (!basis->q)
    return ARM_E_MEMORY;
  basis->r = basis->q + length * most;
  return ARM_OK;
}

void arm_basis_clear(ArmBasis *basis) {
  free(basis->q);
  basis->q = NULL;
}

static double dot(const double *a, const double *b, size_t length) {
  double sum = 0;
  for (size_t i = 0; i < length; i++)
    sum += a[i] * b[i];
  return sum;
}

void arm_basis_project(const ArmBasis *basis, double *v, double *part) {
  memset(part, 0, basis->rank * sizeof *part);
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < basis->rank; k++) {
      const double *q = basis->q + k * basis->length;
      const double x = dot(q, v, basis->length);
      part[k] += x;
      for (size_t i = 0; i < basis->length; i++)
        v[i] -= x * q[i];
    }
}

bool arm_basis_add(ArmBasis *basis, double *v, double tolerance) {
  double *part = basis->r + basis->rank * basis->most;
  const double before = sqrt(dot(v, v, basis->length));
  arm_basis_project(basis, v, part);
  const double left = sqrt(dot(v, v, basis->length));
  if (!(left > tolerance * before))
    return false;
  part[basis->rank] = left;
  double *q = basis->q + basis->rank * basis->length;
  for (size_t i = 0; i < basis->length; i++)
    q[i] = v[i] / left;
  basis->rank++;
  return true;
}

void arm_basis_solve(const ArmBasis *basis, const double *part, double *x) {
  if (x != part)
    memcpy(x, part, basis->rank * sizeof *x);
  for (size_t k = basis->rank; k-- > 0;) {
    const double *column = basis->r + k * basis->most;
    x[k] /= column[k];
    for (size_t i = 0; i < k; i++)
      x[i] -= column[i] * x[k];
  }
}

ArmStatus arm_basis_sds(const ArmBasis *basis, double *sd) {
  double *x = calloc(basis->rank + 1, sizeof *x);
  if (!x)
    return ARM_E_MEMORY;
  memset(sd, 0, basis->rank * sizeof *sd);
  for (size_t c = 0; c < basis->rank; c++) { /* x: column c of r^-1 */
    memset(x, 0, basis->rank * sizeof *x);
    x[c] = 1;
    arm_basis_solve(basis, x, x);
    for (size_t k = 0; k <= c; k++)
      sd[k] += x[k] * x[k];
  }
  for (size_t k = 0; k < basis->rank; k++)
    sd[k] = sqrt(sd[k]);
  free(x);
  return ARM_OK;
}
