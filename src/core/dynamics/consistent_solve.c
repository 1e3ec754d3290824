/* SPDX-License-Identifier: MIT */
/* Data made linear, and ridge regression by the singular values of what they see: the prior's
 * strength over the data's may be 1e-12 and less, where normal equations have long been noise.
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., 6.1.4. */
#include "core/dynamics/consistent_internal.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P = ARM_INERTIA_PARAMETERS };

#define UNMOVED 1e100 /* 1 / sd of what stays */

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static int svd_scratch(size_t rows, size_t columns) {
  const lapack_int m = (lapack_int)rows, n = (lapack_int)columns, k = m < n ? m : n;
  double none = 0, size = 0;
  if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'S', m, n, &none, m, &none, &none, m, &none, k,
                          &size, -1))
    return 0;
  return size < (double)INT_MAX ? (int)size : 0;
}

/* All arrays are one block, of which `block` is the first. */
ArmStatus arm_consistent_work_new(size_t n, const ArmConsistentData *data,
                                  ArmConsistentWork *work) {
  ArmConsistentWork w = {.data = data, .n = n, .p = data->count};
  for (size_t j = 0; j < n; j++)
    if (data->eta_sd[j] > 0)
      w.joint[w.free++] = j;
  w.rows = w.p + w.free;
  w.columns = P * n + w.free;
  w.rank = smaller(w.rows, w.columns);
  w.lapack_size = svd_scratch(w.rows, w.columns);
  const size_t sizes[] = {w.p * (w.rows + 1),
                          (w.rows + 1) * (w.rows + 1),
                          w.p,
                          P * n,
                          P * P * n,
                          w.rows * w.columns,
                          w.rows,
                          w.columns,
                          w.columns,
                          w.columns,
                          w.rows * w.rank,
                          w.rank * w.columns,
                          w.rank,
                          (size_t)w.lapack_size};
  double **const arrays[] = {&w.block, &w.triangle, &w.beta,     &w.nominal, &w.metric,
                             &w.a,     &w.c,        &w.diagonal, &w.pull,    &w.step,
                             &w.u,     &w.vt,       &w.singular, &w.lapack};
  size_t total = 0;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    total += sizes[k];
  double *next = w.lapack_size > 0 ? calloc(total, sizeof *next) : NULL;
  w.lsq = arm_lsq_new(w.rows + 1);
  w.block = next;
  for (size_t k = 0; next && k < sizeof sizes / sizeof *sizes; k++) {
    *arrays[k] = next;
    next += sizes[k];
  }
  *work = w;
  return w.block && w.lsq ? ARM_OK : ARM_E_MEMORY;
}

void arm_consistent_work_free(ArmConsistentWork *work) {
  arm_lsq_free(work->lsq);
  free(work->block);
}

static void set_beta(ArmConsistentWork *w, const double *pi) {
  memset(w->beta, 0, w->p * sizeof *w->beta);
  for (size_t k = 0; k < P * w->n; k++)
    for (size_t b = 0; b < w->p; b++)
      w->beta[b] += w->data->map[b + w->p * k] * pi[k];
}

/* s_j e^kap_j / sigma_j */
static double weight_of(const ArmConsistentWork *w, const ArmConsistentState *state, size_t j) {
  return copysign(exp(state->kap[j]), w->data->eta[j]) / w->data->sigma[j];
}

/* predicted = e^kap R' beta / sigma, residual = predicted - z' / sigma */
static void residual_of(const ArmConsistentWork *w, const ArmConsistentState *state, size_t j,
                        double *predicted, double *residual) {
  const double weight = weight_of(w, state, j);
  memset(predicted, 0, w->p * sizeof *predicted);
  for (size_t b = 0; b < w->p; b++) {
    const double *column = w->data->triangle[j] + w->p * b;
    const double value = weight * w->beta[b];
    for (size_t r = 0; r < w->p; r++)
      predicted[r] += column[r] * value;
  }
  for (size_t r = 0; r < w->p; r++)
    residual[r] = predicted[r] - w->data->right[j][r] / w->data->sigma[j];
}

double arm_consistent_chi2(ArmConsistentWork *w, const ArmConsistentState *state) {
  double *predicted = w->block, *residual = w->block + w->p, sum = 0;
  set_beta(w, state->pi);
  for (size_t j = 0; j < w->n; j++) {
    if (!w->data->triangle[j])
      continue;
    residual_of(w, state, j, predicted, residual);
    for (size_t r = 0; r < w->p; r++)
      sum += residual[r] * residual[r];
  }
  return sum;
}

ArmStatus arm_consistent_linearise(ArmConsistentWork *w, const ArmConsistentState *state) {
  const size_t p = w->p;
  ArmStatus status = ARM_OK;
  set_beta(w, state->pi);
  arm_lsq_reset(w->lsq);
  for (size_t j = 0, k = 0; j < w->n && status == ARM_OK; j++) {
    const bool is_free = k < w->free && w->joint[k] == j;
    const size_t own = p + k;
    double predicted[P * ARM_MAX_JOINTS];
    k += is_free;
    if (!w->data->triangle[j])
      continue;
    const double weight = weight_of(w, state, j);
    for (size_t e = 0; e < p * p; e++)
      w->block[e] = weight * w->data->triangle[j][e];
    memset(w->block + p * p, 0, p * w->free * sizeof *w->block);
    residual_of(w, state, j, predicted, w->block + p * w->rows);
    if (is_free) /* d r / d kap_j */
      memcpy(w->block + p * own, predicted, p * sizeof *predicted);
    status = arm_lsq_push_block(w->lsq, w->block, p, p);
  }
  arm_lsq_triangle(w->lsq, w->triangle);
  return status;
}

double arm_consistent_least(const ArmConsistentWork *w) {
  const double *last = w->triangle + (w->rows + 1) * w->rows;
  double sum = 0;
  for (size_t r = w->p; r <= w->rows; r++)
    sum += last[r] * last[r];
  return sum;
}

/* column of A = R_beta T m, m = ten entries of one link */
static void column_of_link(ArmConsistentWork *w, size_t link, const double *m, double *column) {
  memset(w->beta, 0, w->p * sizeof *w->beta);
  for (size_t k = 0; k < P; k++) {
    const double *map = w->data->map + w->p * (P * link + k);
    for (size_t b = 0; b < w->p && m[k] != 0; b++)
      w->beta[b] += map[b] * m[k];
  }
  memset(column, 0, w->rows * sizeof *column);
  for (size_t b = 0; b < w->p; b++) {
    const double *r = w->triangle + (w->rows + 1) * b;
    for (size_t i = 0; i <= b; i++)
      column[i] += r[i] * w->beta[b];
  }
}

/* A D^-1 and c. */
static void assemble(ArmConsistentWork *w) {
  memcpy(w->c, w->triangle + (w->rows + 1) * w->rows, w->rows * sizeof *w->c);
  for (size_t k = 0; k < w->columns; k++) {
    double *column = w->a + w->rows * k;
    if (k < P * w->n)
      column_of_link(w, k / P, w->metric + P * k, column);
    else
      memcpy(column, w->triangle + (w->rows + 1) * (w->p + k - P * w->n), w->rows * sizeof *column);
    for (size_t r = 0; r < w->rows; r++)
      column[r] /= w->diagonal[k];
  }
}

/*   A D^-1 = U S V^T,   D ds = -V (S^2 + 1)^-1 (S U^T c + V^T d) - (1 - V V^T) d
 *
 * ds from the singular values; returns |A ds|^2 + |D ds|^2. */
static double ridge(ArmConsistentWork *w) {
  double square = 0;
  for (size_t m = 0; m < w->columns; m++)
    w->step[m] = -w->pull[m];
  for (size_t k = 0; k < w->rank; k++) {
    const double s = w->singular[k];
    double along = 0, pull = 0;
    for (size_t r = 0; r < w->rows; r++)
      along += w->u[r + w->rows * k] * w->c[r];
    for (size_t m = 0; m < w->columns; m++)
      pull += w->vt[k + w->rank * m] * w->pull[m];
    const double value = -(s * along + pull) / (s * s + 1);
    for (size_t m = 0; m < w->columns; m++)
      w->step[m] += w->vt[k + w->rank * m] * (value + pull);
    square += s * s * value * value;
  }
  for (size_t m = 0; m < w->columns; m++) {
    square += w->step[m] * w->step[m];
    w->step[m] /= w->diagonal[m];
  }
  return square;
}

ArmStatus arm_consistent_step(ArmConsistentWork *w, double *decrease) {
  const lapack_int m = (lapack_int)w->rows, n = (lapack_int)w->columns;
  assemble(w);
  if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'S', m, n, w->a, m, w->singular, w->u, m, w->vt,
                          (lapack_int)w->rank, w->lapack, w->lapack_size))
    return ARM_E_NUMERIC;
  *decrease = ridge(w);
  return isfinite(*decrease) ? ARM_OK : ARM_E_NUMERIC;
}

void arm_consistent_hold_eta(ArmConsistentWork *w, bool is_last) {
  for (size_t k = 0; k < w->free && w->data->has_eta; k++) {
    w->diagonal[P * w->n + k] = is_last ? 1 / w->data->eta_sd[w->joint[k]] : UNMOVED;
    w->pull[P * w->n + k] = 0;
  }
}

void arm_consistent_change(const ArmConsistentWork *w, size_t link, double *change) {
  const double *m = w->metric + P * P * link;
  memset(change, 0, P * sizeof *change);
  for (size_t k = 0; k < P; k++)
    for (size_t r = 0; r < P; r++)
      change[r] += m[r + P * k] * w->step[P * link + k];
}

/* sds of m^T D^-1 w, m in columns first .. first + count - 1: of what the data see, and of the
 * rest, which the prior alone holds. */
static void spread_of(ArmConsistentWork *w, size_t first, size_t count, const double *m, double *sd,
                      double *prior) {
  double *rest = w->step, whole = 0, square = 0;
  memset(rest, 0, w->columns * sizeof *rest);
  for (size_t k = 0; k < count; k++) {
    rest[first + k] = m[k] / w->diagonal[first + k];
    whole += rest[first + k] * rest[first + k];
  }
  for (size_t k = 0; k < w->rank; k++) {
    double along = 0;
    for (size_t c = 0; c < count; c++)
      along += w->vt[k + w->rank * (first + c)] * (m[c] / w->diagonal[first + c]);
    for (size_t c = 0; c < w->columns; c++)
      rest[c] -= along * w->vt[k + w->rank * c];
    square += along * along / (1 + w->singular[k] * w->singular[k]);
  }
  for (size_t c = 0; c < w->columns; c++)
    square += rest[c] * rest[c];
  *sd = sqrt(square);
  *prior = sqrt(whole);
}

static void spread_of_asked(ArmConsistentWork *w, ArmConsistent *result) {
  for (size_t a = 0; a < w->data->n_asked; a++) {
    const double *sum = w->data->asked + P * w->n * a;
    double row[(P + 1) * ARM_MAX_JOINTS] = {0}, prior;
    for (size_t k = 0; k < P * w->n; k++)
      for (size_t r = 0; r < P; r++)
        row[k] += sum[k / P * P + r] * w->metric[P * k + r];
    for (size_t k = 0; k < w->free && w->data->asked_eta; k++)
      row[P * w->n + k] = w->data->asked_eta[w->joint[k] + w->n * a];
    spread_of(w, 0, w->columns, row, result->asked_sd + a, &prior);
  }
}

void arm_consistent_spread(ArmConsistentWork *w, ArmConsistent *result) {
  for (size_t link = 0; link < w->n; link++)
    for (size_t r = 0; r < P; r++) {
      double row[P];
      for (size_t k = 0; k < P; k++)
        row[k] = w->metric[P * P * link + r + P * k];
      spread_of(w, P * link, P, row, result->sd + P * link + r, result->prior_sd + P * link + r);
    }
  for (size_t k = 0; k < w->free; k++) {
    const double one = 1;
    double prior;
    spread_of(w, P * w->n + k, 1, &one, result->eta_sd + w->joint[k], &prior);
  }
  spread_of_asked(w, result);
}
