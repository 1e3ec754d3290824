/* SPDX-License-Identifier: MIT */
/* Energy rows of a recording, weighed, and their least squares. */
#include "core/excite/energy_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/criterion.h"
#include "core/excite/energy.h"
#include "core/num/lsq.h"

/* Numerical rank, and which part of a column may lie in the null space: rounding. */
static const double rank_limit = 1e-10, null_limit = 1e-6;

typedef struct {
  const ArmEnergyData *data;
  size_t n, count, p, stride, rows;
  const size_t *point;
  double *q, *qd, *w; /* at the points; differences */
  double *a, *b;      /* weighed rows, column by column with ld count; their right-hand side */
} Rows;

static ArmStatus check(const Rows *r) {
  const ArmEnergyData *d = r->data;
  for (size_t k = 0; k < r->count; k++)
    if (r->point[k] >= d->samples || (k > 0 && r->point[k] <= r->point[k - 1]))
      return ARM_E_ARGUMENT;
  for (size_t j = 0; d->sigma && j < r->n; j++)
    if (!(d->sigma[j] > 0 && isfinite(d->sigma[j])))
      return ARM_E_ARGUMENT;
  for (size_t s = 0; s < d->samples; s++) {
    bool is_finite = isfinite(d->t[s]);
    for (size_t j = 0; j < r->n; j++)
      is_finite = is_finite && isfinite(d->q[j * d->samples + s]) &&
                  isfinite(d->qd[j * d->samples + s]) && isfinite(d->torque[j * d->samples + s]);
    if (!is_finite)
      return ARM_E_NOT_FINITE;
    if (s > 0 && d->t[s] <= d->t[s - 1])
      return ARM_E_ARGUMENT;
  }
  return ARM_OK;
}

/* Work and its variance between two samples: the trapezoids' sum, each sample by its weight. */
static double work_between(const Rows *r, size_t from, size_t to, double *variance) {
  const ArmEnergyData *d = r->data;
  double work = 0;
  *variance = 0;
  for (size_t s = from; s <= to; s++) {
    const double before = s > from ? d->t[s] - d->t[s - 1] : 0;
    const double weight = 0.5 * (before + (s < to ? d->t[s + 1] - d->t[s] : 0));
    for (size_t j = 0; j < r->n; j++) {
      const double qd = d->qd[j * d->samples + s], sigma = d->sigma ? d->sigma[j] : 1;
      work += weight * d->torque[j * d->samples + s] * qd;
      *variance += weight * weight * sigma * sigma * qd * qd;
    }
  }
  return work;
}

static ArmStatus allocate(Rows *r) {
  r->stride = arm_criterion_stride(r->p);
  r->q = calloc((2 * r->n + r->stride + r->p + 1) * r->count, sizeof *r->q);
  if (!r->q)
    return ARM_E_MEMORY;
  r->qd = r->q + r->n * r->count;
  r->w = r->qd + r->n * r->count;
  r->a = r->w + r->stride * r->count;
  r->b = r->a + r->p * r->count;
  return ARM_OK;
}

static void weigh(Rows *r) {
  for (size_t k = 0; k + 1 < r->count; k++) {
    double variance;
    const double work = work_between(r, r->point[k], r->point[k + 1], &variance);
    if (!(variance > 0))
      continue;
    for (size_t c = 0; c < r->p; c++)
      r->a[c * r->count + r->rows] = r->w[k * r->stride + c] / sqrt(variance);
    r->b[r->rows++] = work / sqrt(variance);
  }
}

static ArmStatus form(Rows *r, const ArmModel *model) {
  const ArmEnergyData *d = r->data;
  ArmEnergy *energy = NULL;
  ArmStatus status = arm_energy_new(model, r->count, &energy);
  if (status != ARM_OK)
    return status;
  r->p = arm_energy_base(energy)->count;
  status = allocate(r);
  if (status == ARM_OK) {
    for (size_t k = 0; k < r->n * r->count; k++) {
      const size_t at = k / r->count * d->samples + r->point[k % r->count];
      r->q[k] = d->q[at];
      r->qd[k] = d->qd[at];
    }
    arm_energy_rows(energy, r->q, r->qd, r->w);
    weigh(r);
    status = r->rows > 0 ? ARM_OK : ARM_E_NO_DATA;
  }
  arm_energy_free(energy);
  return status;
}

/* a with its rows one behind the other column by column, ld = rows */
static void pack(Rows *r) {
  for (size_t c = 1; c < r->p; c++)
    memmove(r->a + c * r->rows, r->a + c * r->count, r->rows * sizeof *r->a);
}

static double residual_rms(const Rows *r, const double *beta, size_t rank) {
  double sum = 0;
  for (size_t k = 0; k < r->rows; k++) {
    double residual = r->b[k];
    for (size_t c = 0; c < r->p; c++)
      residual -= r->a[c * r->rows + k] * beta[c];
    sum += residual * residual;
  }
  return r->rows > rank ? sqrt(sum / (double)(r->rows - rank)) : (double)NAN;
}

/* Storage: beta, sd, covariance, null share. */
static ArmStatus solve(const Rows *r, double *storage, ArmEnergyFit *fit) {
  const size_t p = r->p;
  double *beta = storage, *sd = storage + p, *covariance = storage + 2 * p;
  double *null_share = covariance + p * p;
  ArmSvdInfo info;
  ArmSvdWork *work = arm_svd_work_new(r->rows, p);
  if (!work)
    return ARM_E_MEMORY;
  const ArmStatus status =
      arm_svd_solve(work, r->rows, p, r->a, r->b, rank_limit, beta, covariance, null_share, &info);
  arm_svd_work_free(work);
  if (status != ARM_OK)
    return status;
  const double noise = residual_rms(r, beta, info.rank), factor = r->data->sigma ? 1 : noise;
  for (size_t k = 0; k < p * p; k++)
    covariance[k] *= factor * factor;
  for (size_t c = 0; c < p; c++) {
    sd[c] = null_share[c] < null_limit ? sqrt(covariance[c * p + c]) : (double)NAN;
    beta[c] = null_share[c] < null_limit ? beta[c] : (double)NAN;
  }
  *fit = (ArmEnergyFit){p, r->rows, info.rank, beta, sd, covariance, info.cond_equilibrated, noise};
  return ARM_OK;
}

ArmStatus arm_energy_fit(const ArmModel *model, const ArmEnergyData *data, size_t count,
                         const size_t *point, ArmEnergyFit *fit) {
  Rows r = {.data = data, .n = model->n, .count = count, .point = point};
  double *storage = NULL;
  ArmStatus status = count < 2 ? ARM_E_ARGUMENT : check(&r);
  if (status == ARM_OK)
    status = form(&r, model);
  if (status == ARM_OK) {
    pack(&r);
    storage = malloc((r.p + 3) * r.p * sizeof *storage);
    status = storage ? solve(&r, storage, fit) : ARM_E_MEMORY;
  }
  free(r.q);
  if (status != ARM_OK)
    free(storage);
  return status;
}

void arm_energy_fit_clear(ArmEnergyFit *fit) {
  free(fit->beta);
  *fit = (ArmEnergyFit){0};
}
