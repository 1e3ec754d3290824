/* SPDX-License-Identifier: MIT */
#include "support/lsq_reference.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/lsq.h"

enum { STREAM_ROWS = 1000 };

/* Random orthogonal columns by Gram-Schmidt, twice. */
static void random_orthogonal(TestRng *rng, size_t n, double *q) {
  for (size_t j = 0; j < n; j++) {
    double *column = q + j * n;
    for (size_t i = 0; i < n; i++)
      column[i] = test_rng_normal(rng);
    for (size_t k = 0; k < 2 * j; k++) {
      const double *other = q + k % j * n;
      double dot = 0;
      for (size_t i = 0; i < n; i++)
        dot += column[i] * other[i];
      for (size_t i = 0; i < n; i++)
        column[i] -= dot * other[i];
    }
    double square = 0;
    for (size_t i = 0; i < n; i++)
      square += column[i] * column[i];
    for (size_t i = 0; i < n; i++)
      column[i] /= sqrt(square);
  }
}

void lsq_reference_problem(TestRng *rng, size_t rows, size_t columns, double condition,
                           double residual, double *a, double *b) {
  double *q = calloc(columns * columns + 3 * columns, sizeof *q);
  if (!q)
    abort();
  double *sigma = q + columns * columns, *row = sigma + columns, *x = row + columns;
  random_orthogonal(rng, columns, q);
  for (size_t j = 0; j < columns; j++) {
    x[j] = test_rng_normal(rng);
    sigma[j] = columns > 1 ? pow(condition, -(double)j / (double)(columns - 1)) : 1;
  }
  double square = 0;
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = 0; k < columns; k++)
      row[k] = test_rng_normal(rng) * sigma[k];
    b[i] = 0;
    for (size_t j = 0; j < columns; j++) {
      double sum = 0;
      for (size_t k = 0; k < columns; k++)
        sum += row[k] * q[j + k * columns];
      a[i + j * rows] = sum;
      b[i] += sum * x[j];
    }
    square += b[i] * b[i];
  }
  const double noise = residual * sqrt(square / (double)rows);
  for (size_t i = 0; i < rows; i++)
    b[i] += noise * test_rng_normal(rng);
  free(q);
}

static long double dot_long(const long double *a, const long double *b, size_t n) {
  long double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Householder triangle of w, rows x n, in place; the reflectors overwrite the columns. */
static void triangle_long(size_t rows, size_t n, long double *w) {
  for (size_t k = 0; k < n; k++) {
    long double *v = w + k * rows + k;
    const size_t length = rows - k;
    const long double norm = sqrtl(dot_long(v, v, length));
    if (norm == 0)
      continue;
    const long double beta = v[0] > 0 ? -norm : norm;
    v[0] -= beta;
    const long double half = dot_long(v, v, length) / 2;
    for (size_t j = k + 1; j < n; j++) {
      long double *other = w + j * rows + k;
      const long double share = dot_long(v, other, length) / half;
      for (size_t i = 0; i < length; i++)
        other[i] -= share * v[i];
    }
    v[0] = beta;
  }
}

bool lsq_reference_exact(size_t rows, size_t columns, const double *a, const double *b, double *x) {
  long double *w = malloc((columns + 1) * rows * sizeof *w);
  long double *y = malloc(columns * sizeof *y);
  if (w && y) {
    for (size_t i = 0; i < rows * columns; i++)
      w[i] = (long double)a[i];
    for (size_t i = 0; i < rows; i++)
      w[i + rows * columns] = (long double)b[i];
    triangle_long(rows, columns + 1, w);
    for (size_t k = columns; k-- > 0;) {
      y[k] = w[k + columns * rows];
      for (size_t j = k + 1; j < columns; j++)
        y[k] -= w[k + j * rows] * y[j];
      y[k] /= w[k + k * rows];
      x[k] = (double)y[k];
    }
  }
  const bool done = w && y;
  free(w);
  free(y);
  return done;
}

bool lsq_reference_dgelsd(size_t rows, size_t columns, const double *a, const double *b,
                          double *x) {
  const size_t ld = rows > columns ? rows : columns;
  double *w = malloc(rows * columns * sizeof *w);
  double *y = calloc(ld + columns, sizeof *y);
  lapack_int rank = 0;
  bool done = w && y;
  if (done) {
    memcpy(w, a, rows * columns * sizeof *w);
    memcpy(y, b, rows * sizeof *y);
    done = LAPACKE_dgelsd(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, 1, w,
                          (lapack_int)rows, y, (lapack_int)ld, y + ld, 1e-14, &rank) == 0;
    memcpy(x, y, columns * sizeof *x);
  }
  free(w);
  free(y);
  return done;
}

bool lsq_reference_stream(size_t rows, size_t columns, const double *a, const double *b,
                          double *x) {
  const size_t p = columns + 1;
  ArmLsq *lsq = arm_lsq_new(p);
  ArmSvdWork *work = arm_svd_work_new(p, columns);
  double *block = malloc(p * (STREAM_ROWS + p) * sizeof *block);
  bool done = lsq && work && block;
  for (size_t i = 0; done && i < rows; i += STREAM_ROWS) {
    const size_t part = rows - i < STREAM_ROWS ? rows - i : STREAM_ROWS;
    for (size_t j = 0; j < columns; j++)
      memcpy(block + j * part, a + i + j * rows, part * sizeof *block);
    memcpy(block + columns * part, b + i, part * sizeof *block);
    done = arm_lsq_push_block(lsq, block, part, part) == ARM_OK;
  }
  if (done) {
    double *r = block + p * STREAM_ROWS;
    arm_lsq_triangle(lsq, r);
    done =
        arm_svd_solve(work, p, columns, r, r + p * columns, 1e-14, x, NULL, NULL, NULL) == ARM_OK;
  }
  arm_lsq_free(lsq);
  arm_svd_work_free(work);
  free(block);
  return done;
}

static double square_error(size_t n, const double *x, const double *exact) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    difference += (x[i] - exact[i]) * (x[i] - exact[i]);
    size += exact[i] * exact[i];
  }
  return difference / size;
}

/* Adds the squared relative errors of the two fits of one random problem. */
static bool add_errors(TestRng *rng, size_t rows, size_t columns, double condition, double residual,
                       double *space, double *own, double *lapack) {
  double *a = space, *b = a + rows * columns;
  double *exact = b + rows, *other = exact + columns, *x = other + columns;
  lsq_reference_problem(rng, rows, columns, condition, residual, a, b);
  if (!lsq_reference_exact(rows, columns, a, b, exact) ||
      !lsq_reference_dgelsd(rows, columns, a, b, other) ||
      !lsq_reference_stream(rows, columns, a, b, x))
    return false;
  *own += square_error(columns, x, exact);
  *lapack += square_error(columns, other, exact);
  return true;
}

bool lsq_reference_accuracy(TestRng *rng, size_t rows, size_t columns, size_t problems,
                            double *mean, double *worst) {
  static const double conditions[] = {1e3, 1e6, 1e8, 1e10};
  double *space = malloc((rows * (columns + 1) + 3 * columns) * sizeof *space);
  bool done = space;
  double log_sum = 0;
  *worst = 0;
  for (size_t k = 0; done && k < 8; k++) {
    const double condition = conditions[k / 2], residual = k % 2 ? 0.01 : 0;
    double own = 0, lapack = 0;
    for (size_t i = 0; done && i < problems; i++)
      done = add_errors(rng, rows, columns, condition, residual, space, &own, &lapack);
    printf("# %zu x %zu condition %.0e residual %g: error %.1e, dgelsd %.1e\n", rows, columns,
           condition, residual, sqrt(own / (double)problems), sqrt(lapack / (double)problems));
    log_sum += log(own / lapack) / 2;
    *worst = fmax(*worst, sqrt(own / lapack));
  }
  *mean = exp(log_sum / 8);
  free(space);
  return done;
}
