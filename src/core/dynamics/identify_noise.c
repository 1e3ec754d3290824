/* SPDX-License-Identifier: MIT */
/* How noisy each joint is, and how much less its rows say because neighbours share noise: the
 * residual of sums of rows against that of the rows (theory notes, full dynamics, 4 and 5.4). */
#include <math.h>
#include <stdlib.h>

#include "core/dynamics/identify_work.h"

/* A sum over fewer sums says nothing; one whose noise the fit takes most of says little. */
enum { LEAST_SUMS = 12 };
#define LEAST_LEFT  0.3
#define SIGNIFICANT 1.5    /* sds: one in 15 of white noise; what is missed is a sd too small */
#define MOST_LAG1   0.9999 /* as of sweeps, core/sweeps/ident_internal.h */

static double squares(const double *v, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += v[i] * v[i];
  return sum;
}

/* Sum of squares of a joint's residual over these rows or sums, and what of it the fit took if its
 * noise is white. */
typedef struct {
  double sum, taken;
} Residual;

static ArmStatus residual_of(const ArmDynWork *work, size_t j, const double *r, Residual *out) {
  const size_t m = work->triangle[j].width;
  double *jacobian = calloc(m * m + m, sizeof *jacobian);
  if (!jacobian)
    return ARM_E_MEMORY;
  double *residual = jacobian + m * m;
  arm_dyn_problem_rows(&work->problem, j, r, work->problem.x, residual, jacobian);
  out->sum = squares(residual, m);
  out->taken = arm_dyn_problem_leverage(&work->problem, j, jacobian, work->covariance);
  free(jacobian);
  return ARM_OK;
}

/* ---- residual sd ---- */

void arm_dyn_noise_take(ArmDynWork *work, size_t j, double sum, double freedom) {
  const ArmDynTriangle *t = &work->triangle[j];
  ArmDynNoise *noise = &work->noise[j];
  noise->sigma = freedom > 0.5 ? sqrt(sum / freedom) : (double)NAN;
  const double total = t->length * t->length - t->mass * t->mean * t->mean;
  noise->r2 = total > 0 ? 1 - sum / total : (double)NAN;
  if (!isnan(noise->sigma))
    work->problem.weight[j] = 1 / fmax(noise->sigma, noise->floor);
}

ArmStatus arm_dyn_noise_find(ArmDynWork *work) {
  ArmStatus status = arm_dyn_problem_covariance(&work->problem, work->covariance, work->null_share);
  for (size_t j = 0; j < work->n && status == ARM_OK; j++) {
    Residual residual;
    if (work->triangle[j].rows == 0)
      continue;
    status = residual_of(work, j, work->triangle[j].r, &residual);
    if (status != ARM_OK)
      break;
    const double weight = work->problem.weight[j];
    arm_dyn_noise_take(work, j, residual.sum,
                       work->triangle[j].mass - residual.taken * weight * weight);
  }
  return status;
}

/* ---- correlation ---- */

/* Variance of sums of rows over that of white noise; *sums: how many. NAN: not known. */
static ArmStatus growth(ArmDynWork *work, size_t j, ArmSums which, double *r, double *sums,
                        double *factor) {
  const double sigma = work->noise[j].sigma;
  Residual residual;
  *sums = arm_information_sums(work->information, j, which, r);
  *factor = (double)NAN;
  if (*sums < LEAST_SUMS)
    return ARM_OK;
  const ArmStatus status = residual_of(work, j, r, &residual);
  const double white = sigma * sigma * *sums * (double)arm_sums_rows(which);
  if (status == ARM_OK && white - residual.taken > LEAST_LEFT * white)
    *factor = residual.sum / (white - residual.taken);
  return status;
}

/* By the largest growth that is significant. A formula for one kind of noise, such as (1 + rho) /
 * (1 - rho) of a first-order filter, would be six times off for rows behind a sharp low-pass. */
static ArmStatus widen(ArmDynWork *work, size_t j, double *r) {
  ArmDynNoise *noise = &work->noise[j];
  double most = 1, sums, factor;
  ArmStatus status = growth(work, j, ARM_SUMS_PAIR, r, &sums, &factor);
  noise->lag1 = 1 - factor;
  for (int which = ARM_SUMS_4; which < ARM_SUMS && status == ARM_OK; which++) {
    status = growth(work, j, (ArmSums)which, r, &sums, &factor);
    if (factor - 1 > SIGNIFICANT * sqrt(2 / sums))
      most = fmax(most, factor);
  }
  noise->widening = sqrt(fmax(most, work->options.white_growth));
  work->problem.weight[j] /= noise->widening;
  return status;
}

ArmStatus arm_dyn_noise_widen(ArmDynWork *work) {
  const size_t most = ARM_DYN_OWN + work->count + 1;
  double *r = calloc(most * most, sizeof *r);
  ArmStatus status =
      r ? arm_dyn_problem_covariance(&work->problem, work->covariance, work->null_share)
        : ARM_E_MEMORY;
  for (size_t j = 0; j < work->n && status == ARM_OK; j++) {
    work->noise[j].widening = 1;
    work->noise[j].lag1 = (double)NAN;
    if (work->triangle[j].rows > 0 && work->noise[j].sigma > work->noise[j].floor)
      status = widen(work, j, r);
  }
  free(r);
  return status;
}
