/* SPDX-License-Identifier: MIT */
/* Small dense least squares: equilibrate, compress tall problems by QR, SVD, scale back. Sources:
 * Golub and Van Loan, Matrix Computations, 4th ed., 5.5; of the raw condition number, below. */
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/lsq.h"

struct ArmSvdWork {
  size_t max_rows, max_columns;
  lapack_int lapack_size; /* doubles in `lapack` */
  double *scaled;         /* max_rows x (max_columns + 1)  E with b appended */
  double *small;          /* 2 max_columns x max_columns   what the SVD destroys */
  double *u;              /* 2 max_columns x max_columns */
  double *vt;             /* max_columns x max_columns */
  double *sigma;          /* max_columns */
  double *raw;            /* max_columns  singular values of the matrix as given */
  double *project;        /* max_columns  S_r^-1 U_r^T b */
  double *solution;       /* max_columns */
  double *norm;           /* max_columns  of the column divided by its largest value */
  double *largest;        /* max_columns  absolute value in the column */
  double *lapack;         /* LAPACK's own scratch */
  size_t *column;         /* max_columns  where each column of E comes from */
};

/*   A = E D,  D = diag of column norms,  E = U S V^T,  x = D^-1 V_r S_r^-1 U_r^T b */

/* One problem on its way through the work object. */
typedef struct {
  ArmSvdWork *work;
  size_t m, p;    /* as given */
  size_t rows;    /* of E, after compression */
  size_t columns; /* of E, zero columns left out */
  size_t rank;
  double b_largest; /* b is divided by this; 1 for b = 0 */
  double *c;        /* right-hand side, `rows` long */
  size_t ld;        /* of work->scaled */
} Problem;

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* The one place where sizes meet LAPACK's integers; also keeps every product below overflow. */
static bool fits_lapack(size_t rows, size_t columns) {
  const size_t limit = INT_MAX / 64;
  return rows <= limit && columns <= limit && (rows + 1) * (columns + 1) <= (size_t)INT_MAX &&
         columns * (2 * columns + 1) <= (size_t)INT_MAX;
}

static lapack_int lap(size_t n) {
  return (lapack_int)n;
}

/* Enough for dgeqrf, dgesvd and dgesvj at these and all smaller sizes; 0: LAPACK refused. */
static lapack_int lapack_scratch(size_t max_rows, size_t max_columns) {
  const size_t n = max_columns + 1;
  const size_t tall = smaller(max_rows, 2 * max_columns) + 1;
  double geqrf = 0;
  double gesvd = 0;
  double none = 0;
  if (LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, lap(max_rows + 1), lap(n), &none, lap(max_rows + 1),
                          &none, &geqrf, -1) ||
      LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'A', lap(tall), lap(n), &none, lap(tall), &none,
                          &none, lap(tall), &none, lap(n), &gesvd, -1))
    return 0;
  const double least = 5.0 * (double)(tall + n) + 6;
  const double most = fmax(least, fmax(geqrf, gesvd)) + (double)n; /* + n: dgeqrf's tau */
  return most < (double)INT_MAX ? (lapack_int)most : 0;
}

ArmSvdWork *arm_svd_work_new(size_t max_rows, size_t max_columns) {
  if (max_columns < 1 || !fits_lapack(max_rows, max_columns))
    return NULL;
  const lapack_int scratch = lapack_scratch(max_rows, max_columns);
  ArmSvdWork *work = scratch ? calloc(1, sizeof *work) : NULL;
  if (!work)
    return NULL;
  const size_t p = max_columns;
  const size_t tall = max_rows * (p + 1);
  const size_t doubles = tall + 5 * p * p + 6 * p + (size_t)scratch;
  work->scaled = malloc(doubles * sizeof(double));
  work->column = malloc(p * sizeof(size_t));
  if (!work->scaled || !work->column) {
    arm_svd_work_free(work);
    return NULL;
  }
  work->max_rows = max_rows;
  work->max_columns = p;
  work->lapack_size = scratch;
  work->small = work->scaled + tall;
  work->u = work->small + 2 * p * p;
  work->vt = work->u + 2 * p * p;
  work->sigma = work->vt + p * p;
  work->raw = work->sigma + p;
  work->project = work->raw + p;
  work->solution = work->project + p;
  work->norm = work->solution + p;
  work->largest = work->norm + p;
  work->lapack = work->largest + p;
  return work;
}

void arm_svd_work_free(ArmSvdWork *work) {
  if (!work)
    return;
  free(work->scaled);
  free(work->column);
  free(work);
}

/* The largest absolute value; NaN when a value is not finite. */
static double largest_value(const double *x, size_t n) {
  double largest = 0;
  double check = 0;
  for (size_t i = 0; i < n; i++) {
    largest = fmax(largest, fabs(x[i]));
    check += x[i] * 0;
  }
  return largest + check;
}

/* The 2-norm of x / largest: between 1 and sqrt(n), whatever the scale of x. */
static double norm_over(const double *x, size_t n, double largest) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (x[i] / largest) * (x[i] / largest);
  return sqrt(sum);
}

/* Fills E and c. False: a value is not finite. */
static bool equilibrate(Problem *q, const double *a, const double *b, const double *unit) {
  ArmSvdWork *w = q->work;
  q->b_largest = largest_value(b, q->m);
  if (!isfinite(q->b_largest))
    return false;
  q->columns = 0;
  for (size_t j = 0; j < q->p; j++) {
    const double *from = a + j * q->m;
    const double largest = largest_value(from, q->m);
    if (!isfinite(largest))
      return false;
    if (largest == 0)
      continue;
    const size_t k = q->columns++;
    w->column[k] = j;
    w->largest[k] = largest;
    w->norm[k] = unit ? 1 / (unit[j] * largest) : norm_over(from, q->m, largest);
    for (size_t i = 0; i < q->m; i++)
      w->scaled[i + k * q->ld] = from[i] / largest / w->norm[k];
  }
  if (q->b_largest == 0)
    q->b_largest = 1;
  q->c = w->scaled + q->columns * q->ld;
  for (size_t i = 0; i < q->m; i++)
    q->c[i] = b[i] / q->b_largest;
  return true;
}

/* A tall [E c] becomes its triangle; what b has outside the range of E is not needed. */
static bool compress(Problem *q) {
  ArmSvdWork *w = q->work;
  const size_t n = q->columns;
  q->rows = q->m;
  if (q->m <= 2 * n)
    return true;
  const lapack_int tau = lap(n + 1);
  if (LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, lap(q->m), tau, w->scaled, lap(q->ld), w->lapack,
                          w->lapack + tau, w->lapack_size - tau))
    return false;
  q->rows = n;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j + 1; i < n; i++)
      w->scaled[i + j * q->ld] = 0;
  return true;
}

static bool decompose(Problem *q, double rcond) {
  ArmSvdWork *w = q->work;
  const size_t n = q->columns;
  for (size_t j = 0; j < n; j++)
    memcpy(w->small + j * q->rows, w->scaled + j * q->ld, q->rows * sizeof(double));
  const lapack_int ld = lap(q->rows);
  if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'A', ld, lap(n), w->small, ld, w->sigma, w->u, ld,
                          w->vt, lap(n), w->lapack, w->lapack_size))
    return false;
  q->rank = 0;
  for (size_t k = 0; k < smaller(q->rows, n); k++)
    q->rank += w->sigma[k] > rcond * w->sigma[0];
  return true;
}

static double row_of_vt(const Problem *q, size_t k, size_t j) {
  return q->work->vt[k + j * q->columns];
}

/* The solution in the caller's units, zero columns included. False: it overflows. */
static bool solve(Problem *q) {
  ArmSvdWork *w = q->work;
  for (size_t k = 0; k < q->rank; k++) {
    double sum = 0;
    for (size_t i = 0; i < q->rows; i++)
      sum += w->u[i + k * q->rows] * q->c[i];
    w->project[k] = sum / w->sigma[k];
  }
  memset(w->solution, 0, q->p * sizeof(double));
  for (size_t j = 0; j < q->columns; j++) {
    double sum = 0;
    for (size_t k = 0; k < q->rank; k++)
      sum += row_of_vt(q, k, j) * w->project[k];
    sum /= w->norm[j];
    const double big = w->largest[j];
    const double value = big > 1 ? sum * (q->b_largest / big) : sum * q->b_largest / big;
    if (!isfinite(value))
      return false;
    w->solution[w->column[j]] = value;
  }
  return true;
}

static void write_covariance(const Problem *q, double *covariance) {
  const ArmSvdWork *w = q->work;
  memset(covariance, 0, q->p * q->p * sizeof(double));
  for (size_t j = 0; j < q->columns; j++) {
    for (size_t i = 0; i <= j; i++) {
      double sum = 0;
      for (size_t k = 0; k < q->rank; k++)
        sum += row_of_vt(q, k, i) / w->sigma[k] * (row_of_vt(q, k, j) / w->sigma[k]);
      sum = sum / w->norm[i] / w->norm[j] / w->largest[i] / w->largest[j];
      covariance[w->column[i] + w->column[j] * q->p] = sum;
      covariance[w->column[j] + w->column[i] * q->p] = sum;
    }
  }
}

static void write_null_share(const Problem *q, double *null_share) {
  for (size_t j = 0; j < q->p; j++)
    null_share[j] = 1;
  for (size_t j = 0; j < q->columns; j++) {
    double sum = 0;
    for (size_t k = q->rank; k < q->columns; k++)
      sum += row_of_vt(q, k, j) * row_of_vt(q, k, j);
    null_share[q->work->column[j]] = fmin(sqrt(sum), 1);
  }
}

/* Singular values of E D, D scaled to at most 1; E is still in work->scaled. One-sided Jacobi
 * (Drmac and Veselic, SIAM J. Matrix Anal. Appl. 29, 2008) stays accurate for badly scaled columns
 * where a bidiagonal SVD does not. */
static bool raw_condition(const Problem *q, double *condition) {
  ArmSvdWork *w = q->work;
  const size_t n = q->columns;
  double most = 0;
  for (size_t j = 0; j < n; j++)
    most = fmax(most, w->largest[j]);
  for (size_t j = 0; j < n; j++) {
    const double d = w->largest[j] / most * w->norm[j];
    for (size_t i = 0; i < q->rows; i++)
      w->small[i + j * q->rows] = w->scaled[i + j * q->ld] * d;
  }
  const lapack_int ld = lap(q->rows);
  double none = 0;
  w->lapack[0] = 1;
  if (LAPACKE_dgesvj_work(LAPACK_COL_MAJOR, 'G', 'N', 'N', ld, lap(n), w->small, ld, w->raw, 0,
                          &none, 1, w->lapack, w->lapack_size))
    return false;
  const double least = w->raw[n - 1];
  *condition = least > 0 ? w->raw[0] / least : (double)INFINITY;
  return true;
}

static bool fill_info(const Problem *q, ArmSvdInfo *info) {
  *info = (ArmSvdInfo){q->rank, (double)INFINITY, (double)INFINITY};
  if (q->rank < q->p)
    return true;
  info->cond_equilibrated = q->work->sigma[0] / q->work->sigma[q->p - 1];
  return raw_condition(q, &info->cond_raw);
}

ArmStatus arm_svd_solve(ArmSvdWork *work, size_t m, size_t p, const double *a, const double *b,
                        double rcond, double *x, double *covariance, double *null_share,
                        ArmSvdInfo *info) {
  return arm_svd_solve_in(work, m, p, a, b, NULL, rcond, x, covariance, null_share, info);
}

ArmStatus arm_svd_solve_in(ArmSvdWork *work, size_t m, size_t p, const double *a, const double *b,
                           const double *unit, double rcond, double *x, double *covariance,
                           double *null_share, ArmSvdInfo *info) {
  if (p < 1 || p > work->max_columns || m > work->max_rows || !(rcond >= 0 && rcond < 1))
    return ARM_E_ARGUMENT;
  Problem q = {.work = work, .m = m, .p = p, .ld = m ? m : 1};
  if (!equilibrate(&q, a, b, unit))
    return ARM_E_NOT_FINITE;
  if (q.columns > 0 && (!compress(&q) || !decompose(&q, rcond)))
    return ARM_E_NUMERIC;
  if (!solve(&q))
    return ARM_E_NUMERIC;
  ArmSvdInfo found = {0};
  if (info && !fill_info(&q, &found))
    return ARM_E_NUMERIC;
  if (covariance)
    write_covariance(&q, covariance);
  if (null_share)
    write_null_share(&q, null_share);
  if (info)
    *info = found;
  memcpy(x, work->solution, p * sizeof(double));
  return ARM_OK;
}
