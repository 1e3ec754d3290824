/* SPDX-License-Identifier: MIT */
/* Criteria from one Cholesky factor. With A = M^P / tr M^P and B = M^-P / tr M^-P, made by squaring
 * and dividing by the trace e times,
 *   d log cond_P / dM = M^-1 (A - B) / 2,   d E / dM = -M^-1 B,   d D / dM = -M^-1,
 *   d A / dM = -M^-1 G M^-1 / tr(G M^-1). */
#include "core/excite/criterion.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/dense_kernel.h"

enum { MATRICES = 7, MAX_COLUMNS = 4096 };

struct ArmCriterionWork {
  size_t p, ld, lwork;
  const ArmDenseKernel *kernel;
  double *m, *u, *inverse;             /* C M C; U, then scratch; its inverse */
  double *power[2], *inverse_power[2]; /* A and B before and after a squaring */
  double *eigenvalue, *lapack;
};

size_t arm_criterion_stride(size_t p) {
  return (p + ARM_DENSE_STEP - 1) / ARM_DENSE_STEP * ARM_DENSE_STEP;
}

ArmCriterionWork *arm_criterion_work_new(size_t p) {
  if (p < 1 || p > MAX_COLUMNS)
    return NULL;
  const size_t ld = arm_criterion_stride(p), matrix = ld * ld;
  ArmCriterionWork *work = calloc(1, sizeof *work);
  if (!work)
    return NULL;
  *work = (ArmCriterionWork){.p = p, .ld = ld, .lwork = 34 * p, .kernel = arm_dense_kernel(8)};
  work->m = aligned_alloc(ARM_DENSE_ALIGN, MATRICES * matrix * sizeof *work->m);
  work->eigenvalue = malloc((p + work->lwork) * sizeof *work->eigenvalue);
  if (!work->m || !work->eigenvalue) {
    arm_criterion_work_free(work);
    return NULL;
  }
  memset(work->m, 0, MATRICES * matrix * sizeof *work->m);
  work->u = work->m + matrix;
  work->inverse = work->m + 2 * matrix;
  work->power[0] = work->m + 3 * matrix;
  work->power[1] = work->m + 4 * matrix;
  work->inverse_power[0] = work->m + 5 * matrix;
  work->inverse_power[1] = work->m + 6 * matrix;
  work->lapack = work->eigenvalue + p;
  return work;
}

void arm_criterion_work_free(ArmCriterionWork *work) {
  if (!work)
    return;
  free(work->m);
  free(work->eigenvalue);
  free(work);
}

void arm_criterion_limit_lanes(ArmCriterionWork *work, int lanes) {
  work->kernel = arm_dense_kernel(lanes);
}

/* ---- rows ---- */

void arm_criterion_gram(ArmCriterionWork *work, size_t rows, const double *w, const double *weight,
                        double *m) {
  const size_t p = work->p, ld = work->ld;
  double *sum = work->m, *block = work->u;
  if (!weight)
    work->kernel->multiply(false, p, rows, ld, w, 1, ld, w, sum);
  else
    memset(sum, 0, p * ld * sizeof *sum);
  for (size_t k = 0; weight && k < rows; k += ld) { /* as many rows as scratch holds */
    const size_t count = rows - k < ld ? rows - k : ld;
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < ld; j++)
        block[i * ld + j] = weight[k + i] * w[(k + i) * ld + j];
    work->kernel->multiply(true, p, count, ld, block, 1, ld, block, sum);
  }
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++)
      m[i * p + j] = sum[i * ld + j];
}

/* p x p into rows of ld, with zeros behind them */
static void spread(size_t p, size_t ld, const double *from, double *to) {
  for (size_t i = 0; i < p; i++) {
    memcpy(to + i * ld, from + i * p, p * sizeof *to);
    memset(to + i * ld + p, 0, (ld - p) * sizeof *to);
  }
}

void arm_criterion_rows(ArmCriterionWork *work, size_t rows, const double *w, const double *weight,
                        const double *dm, double *dw) {
  const size_t p = work->p, ld = work->ld;
  spread(p, ld, dm, work->u);
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++)
      work->u[i * ld + j] *= 2;
  work->kernel->multiply(false, rows, p, ld, w, ld, 1, work->u, dw);
  for (size_t k = 0; weight && k < rows; k++)
    for (size_t j = 0; j < p; j++)
      dw[k * ld + j] *= weight[k] * weight[k];
}

/* ---- the matrix, its inverse, their powers ---- */

/* C M C */
static ArmStatus take(ArmCriterionWork *work, const double *scale, const double *m) {
  const size_t p = work->p, ld = work->ld;
  double total = 0;
  spread(p, ld, m, work->m);
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++) {
      if (scale)
        work->m[i * ld + j] *= scale[i] * scale[j];
      total += fabs(work->m[i * ld + j]);
    }
  return total <= DBL_MAX ? ARM_OK : ARM_E_NOT_FINITE;
}

/* The inverse; U stays in work->u. */
static ArmStatus invert(ArmCriterionWork *work) {
  const size_t p = work->p, ld = work->ld;
  double *lower = work->power[1];
  memcpy(work->u, work->m, p * ld * sizeof *work->u);
  if (!work->kernel->factor(p, ld, work->u, lower))
    return ARM_E_NUMERIC;
  work->kernel->multiply(false, p, p, ld, lower, 1, ld, lower, work->inverse);
  return ARM_OK;
}

static double trace(const ArmCriterionWork *work, const double *a) {
  double sum = 0;
  for (size_t i = 0; i < work->p; i++)
    sum += a[i * work->ld + i];
  return sum;
}

/* to = from / its trace; log of the trace */
static double normalise(const ArmCriterionWork *work, const double *from, double *to) {
  const double sum = trace(work, from), factor = 1 / sum;
  for (size_t k = 0; k < work->p * work->ld; k++)
    to[k] = from[k] * factor;
  return log(sum);
}

/* a[0] = X^P / tr X^P, P = 2^exponent; returns log tr X^P. */
static double raise(const ArmCriterionWork *work, unsigned exponent, const double *x,
                    double *const a[2]) {
  const size_t p = work->p, ld = work->ld;
  double result = normalise(work, x, a[0]);
  for (unsigned e = 0; e < exponent; e++) {
    work->kernel->multiply(false, p, p, ld, a[0], ld, 1, a[0], a[1]);
    result = 2 * result + normalise(work, a[1], a[0]);
  }
  return result;
}

/* ---- criteria: the value; the derivative by C M C in work->u ---- */

static double by_powers(ArmCriterionWork *work, const ArmCriterion *criterion) {
  const size_t p = work->p, ld = work->ld;
  const double order = (double)(1u << criterion->exponent);
  double *a = work->power[0], *b = work->inverse_power[0];
  const bool is_e = criterion->kind == ARM_CRITERION_E;
  const double log_b = raise(work, criterion->exponent, work->inverse, work->inverse_power);
  const double log_a = is_e ? 0 : raise(work, criterion->exponent, work->m, work->power);
  for (size_t k = 0; k < p * ld; k++)
    a[k] = is_e ? -b[k] : 0.5 * (a[k] - b[k]);
  work->kernel->multiply(false, p, p, ld, work->inverse, ld, 1, a, work->u);
  return is_e ? log_b / order : 0.5 * (log_a + log_b) / order;
}

static double by_determinant(ArmCriterionWork *work) {
  double sum = 0;
  for (size_t i = 0; i < work->p; i++)
    sum -= 2 * log(work->u[i * work->ld + i]);
  for (size_t k = 0; k < work->p * work->ld; k++)
    work->u[k] = -work->inverse[k];
  return sum;
}

/* G M^-1 */
static void weigh(ArmCriterionWork *work, const ArmCriterion *criterion, double *g) {
  const size_t p = work->p, ld = work->ld;
  if (criterion->full) {
    spread(p, ld, criterion->full, work->power[1]);
    work->kernel->multiply(false, p, p, ld, work->power[1], ld, 1, work->inverse, g);
    return;
  }
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < ld; j++)
      g[i * ld + j] =
          (criterion->diagonal ? criterion->diagonal[i] : 1) * work->inverse[i * ld + j];
}

static double by_variance(ArmCriterionWork *work, const ArmCriterion *criterion) {
  const size_t p = work->p, ld = work->ld;
  double *g = work->power[0];
  weigh(work, criterion, g);
  const double sum = trace(work, g), factor = -1 / sum;
  for (size_t k = 0; k < p * ld; k++)
    g[k] *= factor;
  work->kernel->multiply(false, p, p, ld, work->inverse, ld, 1, g, work->u);
  return log(sum);
}

/* Eigenvalues in ascending order; vectors as the rows of a. */
static ArmStatus eigen(ArmCriterionWork *work, char job, double *a) {
  const lapack_int p = (lapack_int)work->p;
  return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, job, 'L', p, a, (lapack_int)work->ld,
                            work->eigenvalue, work->lapack, (lapack_int)work->lwork) == 0
             ? ARM_OK
             : ARM_E_NUMERIC;
}

/* What rounding leaves of a zero eigenvalue. */
static bool is_singular(const ArmCriterionWork *work) {
  const size_t p = work->p;
  return !(work->eigenvalue[0] > (double)p * DBL_EPSILON * work->eigenvalue[p - 1]);
}

static ArmStatus by_eigenvalues(ArmCriterionWork *work, double *value) {
  const size_t p = work->p, ld = work->ld;
  const double *first = work->power[0], *last = first + (p - 1) * ld;
  memcpy(work->power[0], work->m, p * ld * sizeof *first);
  if (eigen(work, 'V', work->power[0]) != ARM_OK || is_singular(work))
    return ARM_E_NUMERIC;
  const double low = work->eigenvalue[0], high = work->eigenvalue[p - 1];
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++)
      work->u[i * ld + j] = 0.5 * (last[i] * last[j] / high - first[i] * first[j] / low);
  *value = 0.5 * log(high / low);
  return ARM_OK;
}

/* dm = C u C, symmetric */
static void give(const ArmCriterionWork *work, const double *scale, double *dm) {
  const size_t p = work->p, ld = work->ld;
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j <= i; j++) {
      const double c = scale ? scale[i] * scale[j] : 1;
      dm[i * p + j] = dm[j * p + i] = 0.5 * c * (work->u[i * ld + j] + work->u[j * ld + i]);
    }
}

ArmStatus arm_criterion(ArmCriterionWork *work, const ArmCriterion *criterion, const double *m,
                        double *value, double *dm) {
  const ArmCriterionKind kind = criterion->kind;
  if ((unsigned)kind >= ARM_CRITERION_KINDS || criterion->exponent > ARM_CRITERION_MAX_EXPONENT)
    return ARM_E_ARGUMENT;
  double result = 0;
  ArmStatus status = take(work, criterion->scale, m);
  if (status == ARM_OK)
    status = kind == ARM_CRITERION_LOG_COND ? by_eigenvalues(work, &result) : invert(work);
  if (status != ARM_OK)
    return status;
  if (kind == ARM_CRITERION_D)
    result = by_determinant(work);
  else if (kind == ARM_CRITERION_A)
    result = by_variance(work, criterion);
  else if (kind != ARM_CRITERION_LOG_COND)
    result = by_powers(work, criterion);
  if (!isfinite(result))
    return ARM_E_NUMERIC;
  *value = result;
  if (dm)
    give(work, criterion->scale, dm);
  return ARM_OK;
}

/* ---- reports ---- */

static ArmStatus condition_of(ArmCriterionWork *work, double *condition) {
  memcpy(work->u, work->m, work->p * work->ld * sizeof *work->u);
  if (eigen(work, 'N', work->u) != ARM_OK)
    return ARM_E_NUMERIC;
  *condition = is_singular(work) ? (double)INFINITY
                                 : sqrt(work->eigenvalue[work->p - 1] / work->eigenvalue[0]);
  return ARM_OK;
}

ArmStatus arm_criterion_condition(ArmCriterionWork *work, const double *m, double *plain,
                                  double *normalised) {
  const size_t p = work->p, ld = work->ld;
  double as_given = 0, unit = 0;
  ArmStatus status = take(work, NULL, m);
  if (status == ARM_OK)
    status = condition_of(work, &as_given);
  for (size_t i = 0; status == ARM_OK && i < p; i++)
    for (size_t j = 0; j < p; j++) {
      const double length = sqrt(m[i * p + i]) * sqrt(m[j * p + j]);
      work->m[i * ld + j] = length > 0 ? m[i * p + j] / length : 0;
    }
  if (status == ARM_OK && normalised)
    status = condition_of(work, &unit);
  if (status != ARM_OK)
    return status;
  *plain = as_given;
  if (normalised)
    *normalised = unit;
  return ARM_OK;
}
