/* SPDX-License-Identifier: MIT */
/* Rows of the two bases, and the null space that keeps the ends at rest.
 * N5 and its derivatives are truncated powers, taken from the nearer end of [0, 6], where they
 * cancel least. */
#include "core/excite/basis.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

ArmStatus arm_basis_check(const ArmBasis *basis) {
  const size_t least = basis->kind == ARM_BASIS_FOURIER ? 1 : ARM_BASIS_MIN_KNOTS;
  if ((basis->kind != ARM_BASIS_FOURIER && basis->kind != ARM_BASIS_SPLINE) ||
      basis->order < least || basis->order > ARM_BASIS_MAX_FUNCTIONS ||
      arm_basis_functions(basis) > ARM_BASIS_MAX_FUNCTIONS)
    return ARM_E_ARGUMENT;
  return isfinite(basis->period_s) && basis->period_s > 0 ? ARM_OK : ARM_E_NOT_FINITE;
}

size_t arm_basis_functions(const ArmBasis *basis) {
  return basis->kind == ARM_BASIS_FOURIER ? 2 * basis->order + 1 : basis->order;
}

size_t arm_basis_free(const ArmBasis *basis) {
  return arm_basis_functions(basis) - (basis->is_at_rest ? 2 : 0);
}

/* ---- rows ---- */

/* sin(k w t)/k and -cos(k w t)/k; a derivative turns the phase by a quarter. */
static void fourier_row(const ArmBasis *basis, unsigned derivative, double t, double *row) {
  const double w = 2 * pi / basis->period_s;
  row[0] = derivative == 0;
  for (size_t k = 1; k <= basis->order; k++) {
    const double phase = (double)k * w * t, s = sin(phase), c = cos(phase);
    const double scale = pow((double)k * w, derivative) / (double)k;
    const double sines[4] = {s, c, -s, -c};
    row[2 * k - 1] = scale * sines[derivative % 4];
    row[2 * k] = scale * sines[(derivative + 3) % 4]; /* -cos is sin a quarter back */
  }
}

/* Derivative d of N5 at x in [0, 6]. */
static double cardinal(unsigned d, double x) {
  static const double binomial[] = {1, -6, 15, -20, 15, -6, 1};
  static const double factorial[] = {1, 1, 2, 6, 24, 120};
  const bool is_far = x > 3; /* N5(x) = N5(6 - x) */
  const double near = is_far ? 6 - x : x;
  double sum = 0;
  for (int m = 0; m < 4 && m < near; m++) {
    double power = 1;
    for (unsigned k = d; k < 5; k++)
      power *= near - m;
    sum += binomial[m] * power;
  }
  return (is_far && d % 2 ? -sum : sum) / factorial[5 - d];
}

static void spline_row(const ArmBasis *basis, unsigned derivative, double t, double *row) {
  const size_t count = basis->order;
  const double h = basis->period_s / (double)count;
  const double scale = pow(h, -(double)derivative);
  double u = fmod(t / h, (double)count);
  if (u < 0)
    u += (double)count;
  const double knot = fmin(floor(u), (double)count - 1);
  memset(row, 0, count * sizeof *row);
  for (size_t k = 0; k < 6; k++)
    row[((size_t)knot + k) % count] +=
        scale * cardinal(derivative, fmin(u - knot - (double)k + 5, 6));
}

void arm_basis_row(const ArmBasis *basis, unsigned derivative, double t, double *row) {
  if (basis->kind == ARM_BASIS_FOURIER)
    fourier_row(basis, derivative, t, row);
  else
    spline_row(basis, derivative, t, row);
}

/* ---- ends at rest ---- */

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

static void reflect(size_t n, const double *v, double *x) {
  const double share = 2 * dot(n, v, x);
  for (size_t k = 0; k < n; k++)
    x[k] -= share * v[k];
}

/* Householder's unit vector, zero before `first`, that maps x from there on to its first entry.
 * Zero for a zero x: no reflection. */
static void householder(size_t n, size_t first, const double *x, double *v) {
  const double norm = sqrt(dot(n - first, x + first, x + first));
  memset(v, 0, n * sizeof *v);
  memcpy(v + first, x + first, (n - first) * sizeof *v);
  v[first] += copysign(norm, x[first]);
  const double length = sqrt(dot(n, v, v));
  for (size_t k = 0; length > 0 && k < n; k++)
    v[k] /= length;
}

void arm_basis_null_space(const ArmBasis *basis, double *z) {
  const size_t count = arm_basis_functions(basis), left = arm_basis_free(basis);
  double speed[ARM_BASIS_MAX_FUNCTIONS], acceleration[ARM_BASIS_MAX_FUNCTIONS];
  double first[ARM_BASIS_MAX_FUNCTIONS], second[ARM_BASIS_MAX_FUNCTIONS];
  memset(z, 0, count * left * sizeof *z);
  for (size_t f = 0; f < left; f++)
    z[f * count + f + (count - left)] = 1;
  if (!basis->is_at_rest)
    return;
  arm_basis_row(basis, 1, 0, speed);
  arm_basis_row(basis, 2, 0, acceleration);
  householder(count, 0, speed, first);
  reflect(count, first, acceleration);
  householder(count, 1, acceleration, second);
  for (size_t f = 0; f < left; f++) {
    reflect(count, second, z + f * count);
    reflect(count, first, z + f * count);
  }
}

void arm_basis_rows(const ArmBasis *basis, const double *z, unsigned derivative, size_t samples,
                    double t0, double dt, double *rows) {
  const size_t count = arm_basis_functions(basis), left = arm_basis_free(basis);
  double row[ARM_BASIS_MAX_FUNCTIONS];
  for (size_t s = 0; s < samples; s++) {
    arm_basis_row(basis, derivative, t0 + (double)s * dt, row);
    for (size_t f = 0; f < left; f++)
      rows[s + f * samples] = dot(count, row, z + f * count);
  }
}

/* ---- coefficients ---- */

void arm_basis_expand(const ArmBasis *basis, const double *z, size_t n, const double *y,
                      double *c) {
  const size_t count = arm_basis_functions(basis), left = arm_basis_free(basis);
  memset(c, 0, count * n * sizeof *c);
  for (size_t j = 0; j < n; j++)
    for (size_t f = 0; f < left; f++)
      for (size_t k = 0; k < count; k++)
        c[j * count + k] += z[f * count + k] * y[j * left + f];
}

void arm_basis_reduce(const ArmBasis *basis, const double *z, size_t n, const double *c,
                      double *y) {
  const size_t count = arm_basis_functions(basis), left = arm_basis_free(basis);
  for (size_t j = 0; j < n; j++)
    for (size_t f = 0; f < left; f++)
      y[j * left + f] = dot(count, z + f * count, c + j * count);
}

void arm_basis_motion(const ArmBasis *basis, size_t n, const double *c, double t, double *q,
                      double *qd, double *qdd) {
  const size_t count = arm_basis_functions(basis);
  double *const out[] = {q, qd, qdd};
  double row[ARM_BASIS_MAX_FUNCTIONS];
  for (unsigned derivative = 0; derivative < 3; derivative++) {
    if (!out[derivative])
      continue;
    arm_basis_row(basis, derivative, t, row);
    for (size_t j = 0; j < n; j++)
      out[derivative][j] = dot(count, row, c + j * count);
  }
}

void arm_basis_shrink(const ArmBasis *basis, double middle, double factor, double *c) {
  const size_t count = arm_basis_functions(basis);
  for (size_t k = 0; k < count; k++) {
    const double about = basis->kind == ARM_BASIS_SPLINE || k == 0 ? middle : 0;
    c[k] = about + (c[k] - about) / factor;
  }
}
