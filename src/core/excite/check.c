/* SPDX-License-Identifier: MIT */
/* What a motion tells of the base parameters: its rows into a triangle, a block at a time, then the
 * SVD of that, as given and with columns of unit length. */
#include "core/excite/check.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/check_internal.h"
#include "core/num/lsq.h"

typedef struct {
  ArmExcitation *out;
  ArmExcitationRows rows;
  const double *motion[3]; /* q, qd, qdd */
  ArmLsq *lsq;
  ArmSvdWork *svd;
  double smallest, largest; /* |W_ij| */
  /* count x count */
  double *triangle, *covariance, *scaled, *vt;
  /* count */
  double *norm, *sigma, *zero, *solution, *share;
  double *scratch;
  size_t scratch_size;
} Work;

/* ---- rows ---- */

static ArmStatus push_block(Work *w, size_t first, size_t samples) {
  const size_t n = w->rows.base->n, size = samples * n;
  for (size_t k = 0; k < 3; k++)
    for (size_t j = 0; j < n; j++)
      memcpy(w->rows.state + k * size + j * samples, w->motion[k] + j * w->out->samples + first,
             samples * sizeof(double));
  const ArmStatus status = arm_excitation_rows_fill(&w->rows, samples);
  if (status != ARM_OK)
    return status;
  for (size_t k = 0; k < size * w->out->count; k++) {
    const double value = fabs(w->rows.rows[k]);
    w->smallest = fmin(w->smallest, value);
    w->largest = fmax(w->largest, value);
  }
  return arm_lsq_push_block(w->lsq, w->rows.rows, size, size);
}

static ArmStatus push_motion(Work *w) {
  ArmStatus status = ARM_OK;
  w->smallest = (double)INFINITY;
  for (size_t first = 0; first < w->out->samples && status == ARM_OK; first += w->rows.block) {
    const size_t rest = w->out->samples - first;
    status = push_block(w, first, rest < w->rows.block ? rest : w->rows.block);
  }
  if (status != ARM_OK)
    return status;
  arm_lsq_triangle(w->lsq, w->triangle);
  w->out->spread = w->smallest > 0 ? w->largest / w->smallest : (double)INFINITY;
  return ARM_OK;
}

/* ---- figures ---- */

static ArmStatus find_figures(Work *w) {
  ArmExcitation *out = w->out;
  const size_t p = out->count;
  ArmSvdInfo info;
  const ArmStatus status = arm_svd_solve(w->svd, p, p, w->triangle, w->zero, ARM_EXCITATION_RCOND,
                                         w->solution, w->covariance, w->share, &info);
  if (status != ARM_OK)
    return status;
  out->rank = info.rank;
  out->cond_raw = info.cond_raw;
  out->cond_scaled = info.cond_equilibrated;
  out->log_det = info.rank < p ? -(double)INFINITY : 0;
  for (size_t b = 0; b < p; b++) {
    const bool is_seen = w->share[b] <= ARM_EXCITATION_NULL_SHARE;
    out->sd[b] = is_seen ? sqrt(w->covariance[b + p * b]) : (double)NAN;
    out->log_det += info.rank < p ? 0 : 2 * log(fabs(w->triangle[b + p * b]));
  }
  return ARM_OK;
}

/* ---- directions ---- */

/* Right singular vectors of the triangle with columns of unit length; zero columns stay zero. */
static ArmStatus find_vectors(Work *w) {
  const size_t p = w->out->count;
  const lapack_int size = (lapack_int)p;
  double none = 0;
  for (size_t b = 0; b < p; b++) {
    double sum = 0;
    for (size_t r = 0; r <= b; r++)
      sum += w->triangle[r + p * b] * w->triangle[r + p * b];
    w->norm[b] = sqrt(sum);
    for (size_t r = 0; r < p; r++)
      w->scaled[r + p * b] = w->norm[b] > 0 ? w->triangle[r + p * b] / w->norm[b] : 0;
  }
  const lapack_int failed =
      LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'A', size, size, w->scaled, size, w->sigma, &none,
                          size, w->vt, size, w->scratch, (lapack_int)w->scratch_size);
  return failed ? ARM_E_NUMERIC : ARM_OK;
}

/* The step along a singular vector, in units of the parameters; zero columns count as 1. */
static void set_direction(const Work *w, size_t row, ArmWeakDirection *direction, double *own) {
  const size_t p = w->out->count;
  double most = 0, widest = 0, lead = 1;
  for (size_t b = 0; b < p; b++)
    most = fmax(most, fabs(w->vt[row + p * b]));
  for (size_t b = 0; b < p; b++) {
    const double entry = w->vt[row + p * b];
    direction->step[b] = fabs(entry) < 1e-6 * most ? 0 : entry / (w->norm[b] > 0 ? w->norm[b] : 1);
    if (fabs(direction->step[b]) > widest * (1 + 1e-9)) {
      widest = fabs(direction->step[b]);
      lead = direction->step[b];
    }
  }
  for (size_t b = 0; b < p; b++)
    direction->step[b] = direction->step[b] / lead + 0.0; /* no -0 */
  const bool is_seen = w->sigma[row] > ARM_EXCITATION_RCOND * w->sigma[0];
  const double length = is_seen ? w->sigma[row] / fabs(lead) : 0; /* |W step| */
  direction->sd = is_seen ? 1 / length : (double)INFINITY;
  *own = length * length / (double)w->out->samples;
}

static ArmStatus find_directions(Work *w, const ArmMotionLimits *limits) {
  ArmExcitation *out = w->out;
  double own[ARM_EXCITATION_WEAKEST];
  const ArmStatus status = find_vectors(w);
  if (status != ARM_OK)
    return status;
  for (size_t d = 0; d < out->n_weakest; d++)
    set_direction(w, out->count - 1 - d, &out->weakest[d], &own[d]);
  return arm_excitation_show(&w->rows, limits, out->n_weakest, own, out->weakest);
}

/* ---- memory ---- */

static ArmExcitation *excitation_new(size_t count, size_t samples) {
  ArmExcitation *out = calloc(1, sizeof *out);
  if (!out)
    return NULL;
  out->count = count;
  out->samples = samples;
  out->n_weakest = count < ARM_EXCITATION_WEAKEST ? count : ARM_EXCITATION_WEAKEST;
  out->sd = calloc((1 + ARM_EXCITATION_WEAKEST) * (count + 1), sizeof *out->sd);
  if (!out->sd) {
    free(out);
    return NULL;
  }
  for (size_t d = 0; d < out->n_weakest; d++)
    out->weakest[d].step = out->sd + (1 + d) * count;
  return out;
}

void arm_excitation_free(ArmExcitation *excitation) {
  if (!excitation)
    return;
  free(excitation->sd);
  free(excitation);
}

static ArmStatus work_init(Work *w, const ArmBase *base, const ArmModel *model, size_t samples,
                           const double *noise) {
  const size_t p = base->count;
  *w = (Work){.scratch_size = 8 * p};
  w->out = excitation_new(p, samples);
  w->lsq = arm_lsq_new(p);
  w->svd = arm_svd_work_new(p, p);
  w->triangle = calloc(4 * p * p + 5 * p + w->scratch_size, sizeof(double));
  const ArmStatus status = arm_excitation_rows_init(base, model, noise, &w->rows);
  if (status != ARM_OK || !w->out || !w->lsq || !w->svd || !w->triangle)
    return ARM_E_MEMORY;
  w->covariance = w->triangle + p * p;
  w->scaled = w->covariance + p * p;
  w->vt = w->scaled + p * p;
  w->norm = w->vt + p * p;
  w->sigma = w->norm + p;
  w->zero = w->sigma + p;
  w->solution = w->zero + p;
  w->share = w->solution + p;
  w->scratch = w->share + p;
  return ARM_OK;
}

static void work_free(Work *w) {
  arm_excitation_rows_free(&w->rows);
  arm_lsq_free(w->lsq);
  arm_svd_work_free(w->svd);
  free(w->triangle);
}

static ArmStatus check_input(const ArmBase *base, size_t samples, const double *const motion[3],
                             const double *noise) {
  if (samples < 1)
    return ARM_E_ARGUMENT;
  for (size_t j = 0; j < base->n; j++)
    if (!(noise[j] > 0 && isfinite(noise[j])))
      return ARM_E_ARGUMENT;
  for (size_t k = 0; k < 3; k++)
    for (size_t s = 0; s < samples * base->n; s++)
      if (!isfinite(motion[k][s]))
        return ARM_E_NOT_FINITE;
  return ARM_OK;
}

/* The triangle is there: what it says. Takes the work. */
static ArmStatus finish(Work *w, const ArmMotionLimits *limits, ArmStatus status,
                        ArmExcitation **excitation) {
  if (status == ARM_OK)
    status = find_figures(w);
  if (status == ARM_OK)
    status = find_directions(w, limits);
  work_free(w);
  if (status == ARM_OK)
    *excitation = w->out;
  else
    arm_excitation_free(w->out);
  return status;
}

ArmStatus arm_excitation_new(const ArmBase *base, const ArmModel *model,
                             const ArmMotionLimits *limits, size_t samples, const double *q,
                             const double *qd, const double *qdd, const double *noise,
                             ArmExcitation **excitation) {
  const double *const motion[3] = {q, qd, qdd};
  Work w;
  ArmStatus status = check_input(base, samples, motion, noise);
  if (status != ARM_OK)
    return status;
  status = work_init(&w, base, model, samples, noise);
  memcpy(w.motion, motion, sizeof motion);
  if (status == ARM_OK)
    status = push_motion(&w);
  return finish(&w, limits, status, excitation);
}

ArmStatus arm_excitation_of_rows(const ArmBase *base, const ArmModel *model,
                                 const ArmMotionLimits *limits, size_t samples, size_t rows,
                                 const double *r, const double *noise, ArmExcitation **excitation) {
  static const double *const nothing[3] = {NULL, NULL, NULL};
  Work w;
  ArmStatus status = samples < 1 ? ARM_E_ARGUMENT : ARM_OK;
  for (size_t j = 0; j < base->n && status == ARM_OK; j++)
    status = noise[j] > 0 && isfinite(noise[j]) ? ARM_OK : ARM_E_ARGUMENT;
  if (status != ARM_OK)
    return status;
  status = work_init(&w, base, model, samples, noise);
  memcpy(w.motion, nothing, sizeof nothing);
  if (status == ARM_OK)
    status = arm_lsq_push_block(w.lsq, r, rows, rows);
  if (status == ARM_OK) {
    arm_lsq_triangle(w.lsq, w.triangle);
    w.out->spread = (double)NAN;
  }
  return finish(&w, limits, status, excitation);
}
