/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "core/sweeps/diagnose_internal.h"

enum { D = ARM_CAUSE_VALUES };
/* Of a column that is left beside the fit, or beside the columns before it: less cannot be seen
 * (Armature theory notes, lack of fit, section 5.1). */
#define UNSEEN 1e-5

/* Gram-Schmidt, twice, against the fit and the columns before: z becomes orthonormal, r is its
 * triangle; what cannot be seen has r = 0 on its diagonal. */
static size_t orthonormalise(const ArmStrokeFit *fit, size_t d, double *z, double r[D][D]) {
  const size_t m = fit->rows + fit->priors;
  double before[D];
  size_t rank = 0;
  for (size_t c = 0; c < d; c++) {
    before[c] = sqrt(arm_dot(m, z + c * m, z + c * m));
    arm_shelf_saw(fit->shelf, m * sizeof *z);
  }
  for (int twice = 0; twice < 2; twice++)
    arm_project_all_out(fit->shelf, m, fit->rank, fit->q, d, z);
  for (size_t c = 0; c < d; c++) {
    double *at = z + c * m;
    for (int twice = 0; twice < 2; twice++)
      for (size_t a = 0; a < c; a++) {
        r[a][c] += arm_dot(m, z + a * m, at);
        arm_project_out(fit->shelf, m, 1, z + a * m, at);
      }
    const double after = sqrt(arm_dot(m, at, at));
    const bool is_seen = before[c] > 0.0 && after > UNSEEN * before[c];
    r[c][c] = is_seen ? after : 0.0;
    for (size_t k = 0; k < m; k++)
      at[k] = is_seen ? at[k] / after : 0.0;
    arm_shelf_saw(fit->shelf, m * sizeof *z);
    rank += is_seen;
  }
  return rank;
}

/* x = R^-1 b, zero where the diagonal is */
static void solve(double r[D][D], size_t d, const double *b, double *x) {
  for (size_t k = d; k-- > 0;) {
    double sum = b[k];
    for (size_t c = k + 1; c < d; c++)
      sum -= r[k][c] * x[c];
    x[k] = r[k][k] > 0.0 ? sum / r[k][k] : 0.0;
  }
}

ArmScore arm_diagnose_score(const ArmStrokeFit *fit, size_t d, double *z) {
  const size_t m = fit->rows + fit->priors;
  double r[D][D] = {{0}}, b[D] = {0};
  ArmScore score = {0};
  score.rank = orthonormalise(fit, d, z, r);
  arm_stroke_fit_weighted(fit, fit->work);
  for (size_t c = 0; c < d; c++) {
    b[c] = -arm_dot(m, z + c * m, fit->work); /* the residual is model - measured */
    score.explained += b[c] * b[c];
    arm_shelf_saw(fit->shelf, 2 * m * sizeof *z);
  }
  solve(r, d, b, score.value);
  for (size_t c = 0; c < d; c++) {
    double unit[D] = {0}, x[D] = {0};
    unit[c] = 1.0;
    solve(r, d, unit, x);
    for (size_t k = 0; k < d; k++)
      score.sd[k] += x[k] * x[k];
  }
  for (size_t k = 0; k < d; k++)
    score.sd[k] = r[k][k] > 0.0 ? sqrt(score.sd[k]) : (double)INFINITY;
  return score;
}

/* Rows of a pair have the mean of its samples, those of a lone stroke their sum. */
double arm_diagnose_missed(const ArmStrokeFit *fit, size_t i, const double *x) {
  const ArmJointStrokes *joint = &fit->joint[i];
  size_t row = joint->first_row;
  double square = 0.0, samples = 0.0;
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    const double weight = fit->pairs[p].weight;
    for (size_t k = 0; k < ARM_PAIR_ROWS; k++, row++)
      square += weight * fit->sd[row] * fit->sd[row] * (x[row] * x[row] - 1.0);
    samples += weight;
    arm_shelf_saw(fit->shelf, sizeof *fit->pairs + 2 * ARM_PAIR_ROWS * sizeof *x);
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes);
    if (fit->strokes[s].is_paired)
      continue;
    for (size_t k = 0; k < ARM_STROKE_ORDERS; k++, row++)
      square += fit->sd[row] * fit->sd[row] * (x[row] * x[row] - 1.0);
    samples += (double)fit->strokes[s].sums->rows;
  }
  return samples > 0.0 ? sqrt(fmax(0.0, square / samples)) : 0.0;
}
