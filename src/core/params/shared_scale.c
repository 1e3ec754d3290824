/* SPDX-License-Identifier: MIT */
/* Which torque constants have one scale is seen by their correlations; what that shares, by the
 * covariance with its least uncertain estimate. */
#include "core/params/shared_scale.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#define COUPLED     1e-6  /* correlation of eta: less is rounding */
#define LEAST_PIVOT 1e-12 /* of a variance: ratios are known exactly then */
#define SAME_SD     0.05  /* relative: the same data sheets */
#define SAME_CENTRE 0.05  /* sds: a search ends within 0.01 */

static size_t eta_row(const ArmParamSet *set, size_t joint) {
  const ArmParamId id = {ARM_PARAM_ETA, (unsigned char)joint, 0};
  return arm_param_set_row(set, arm_param_set_find(set, id));
}

static double eta_of(const ArmParamSet *set, size_t joint) {
  return arm_param_set_at(set, (ArmParamId){ARM_PARAM_ETA, (unsigned char)joint, 0})->used;
}

static double between(const ArmParamSet *set, size_t row, size_t column) {
  return set->covariance[row + set->n_covered * column];
}

/* Of the logarithms of eta of two joints that have one. */
static double between_logs(const ArmParamSet *set, size_t i, size_t j) {
  return between(set, eta_row(set, i), eta_row(set, j)) / (eta_of(set, i) * eta_of(set, j));
}

/* ---- which joints have one scale ---- */

static bool is_scaled(const ArmParamSet *set, size_t joint) {
  return eta_row(set, joint) != ARM_PARAM_NONE && fabs(eta_of(set, joint)) > 0 &&
         between_logs(set, joint, joint) > 0;
}

static bool is_coupled(const ArmParamSet *set, size_t i, size_t j) {
  return fabs(between_logs(set, i, j)) >
         COUPLED * sqrt(between_logs(set, i, i) * between_logs(set, j, j));
}

/* All that are coupled to joint i, over others too. */
static void take_coupled(const ArmParamSet *set, size_t i, ArmScales *scales) {
  bool is_more = true;
  scales->of[i] = (int)scales->n;
  while (is_more) {
    is_more = false;
    for (size_t a = 0; a < set->n_joints; a++)
      for (size_t b = 0; b < set->n_joints; b++)
        if (scales->of[a] == (int)scales->n && scales->of[b] < 0 && is_scaled(set, b) &&
            is_coupled(set, a, b)) {
          scales->of[b] = (int)scales->n;
          is_more = true;
        }
  }
  scales->n++;
}

/* ---- weights ---- */

/* c^-1 of ones; c becomes its factor. false: c is singular but for rounding. */
static bool solve(double *c, size_t n, double *x) {
  double variance[ARM_MAX_JOINTS];
  for (size_t j = 0; j < n; j++) {
    variance[j] = c[j + n * j];
    x[j] = 1;
  }
  const lapack_int m = (lapack_int)n;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', m, c, m) != 0)
    return false;
  for (size_t j = 0; j < n; j++)
    if (!(c[j + n * j] * c[j + n * j] > LEAST_PIVOT * variance[j]))
      return false;
  return LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', m, 1, c, m, x, m) == 0;
}

/* 1/P_j of each; of a joint for all where the ratios between them are exact. */
static void weigh(const ArmParamSet *set, size_t g, ArmScales *scales) {
  double c[ARM_MAX_JOINTS * ARM_MAX_JOINTS], x[ARM_MAX_JOINTS] = {0}, sum = 0;
  size_t joint[ARM_MAX_JOINTS] = {0}, n = 0;
  for (size_t j = 0; j < set->n_joints; j++)
    if (scales->of[j] == (int)g)
      joint[n++] = j;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      c[a + n * b] = between_logs(set, joint[a], joint[b]);
  if (!solve(c, n, x)) {
    memset(x, 0, sizeof x);
    x[0] = 1 / between_logs(set, joint[0], joint[0]);
  }
  for (size_t a = 0; a < n; a++)
    sum += x[a];
  scales->sd[g] = sqrt(1 / sum);
  scales->centre[g] = 0;
  for (size_t a = 0; a < n; a++) {
    scales->weight[joint[a]] = x[a] / sum;
    scales->centre[g] += x[a] / sum * log(fabs(eta_of(set, joint[a])));
  }
}

void arm_scales_find(const ArmParamSet *set, ArmScales *scales) {
  *scales = (ArmScales){0};
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
    scales->of[j] = -1;
  for (size_t j = 0; j < set->n_joints && set->is_scale_stated; j++)
    if (scales->of[j] < 0 && is_scaled(set, j))
      take_coupled(set, j, scales);
  for (size_t g = 0; g < scales->n; g++)
    weigh(set, g, scales);
}

/* ---- two sets ---- */

static bool is_same(const ArmScales *a, size_t g, const ArmScales *b, size_t h) {
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
    if ((a->of[j] == (int)g) != (b->of[j] == (int)h))
      return false;
  return fabs(a->sd[g] - b->sd[h]) <= SAME_SD * a->sd[g] &&
         fabs(a->centre[g] - b->centre[h]) <= SAME_CENTRE * a->sd[g];
}

/* Scale g of `all` becomes scale `to` of `kept`. */
static void keep(const ArmScales *all, size_t g, ArmScales *kept, size_t to) {
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
    if (all->of[j] == (int)g)
      kept->of[j] = (int)to;
  kept->sd[to] = all->sd[g];
  kept->centre[to] = all->centre[g];
}

void arm_scales_share(ArmScales *a, ArmScales *b) {
  const ArmScales all_a = *a, all_b = *b;
  a->n = b->n = 0;
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
    a->of[j] = b->of[j] = -1;
  for (size_t g = 0; g < all_a.n; g++)
    for (size_t h = 0; h < all_b.n; h++)
      if (is_same(&all_a, g, &all_b, h)) {
        keep(&all_a, g, a, a->n++);
        keep(&all_b, h, b, b->n++);
      }
}

/* cov(x, kappa) / sd(kappa). */
static double along(const ArmParamSet *set, const ArmScales *scales, size_t g, size_t row) {
  double sum = 0;
  for (size_t j = 0; j < set->n_joints; j++)
    if (scales->of[j] == (int)g)
      sum += scales->weight[j] * between(set, row, eta_row(set, j)) / eta_of(set, j);
  return sum / scales->sd[g];
}

double arm_scales_shared(const ArmParamSet *a, const ArmScales *scales_a, size_t k_a,
                         const ArmParamSet *b, const ArmScales *scales_b, size_t k_b) {
  const size_t row_a = arm_param_set_row(a, k_a), row_b = arm_param_set_row(b, k_b);
  double sum = 0;
  if (row_a == ARM_PARAM_NONE || row_b == ARM_PARAM_NONE)
    return 0;
  for (size_t g = 0; g < scales_a->n; g++)
    sum += along(a, scales_a, g, row_a) * along(b, scales_b, g, row_b);
  return sum;
}
