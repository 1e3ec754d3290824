/* SPDX-License-Identifier: MIT */
/* Where a search begins: signs and sizes of eta by the recursion, scaled by what is stated, or as
 * they are stated; and what fixes the scale of each group (theory notes, full dynamics, 5.5 item
 * 5). */
#include <math.h>

#include "core/dynamics/identify_work.h"

#define ORDER_SD    1.0  /* ARM_GAUGE_REFERENCE: a stated eta is right within a factor of e */
#define UNSTATED_SD 2.3  /* nothing stated: within a factor of ten of what the recursion says */
#define LEAST_SD    1e-6 /* chosen: what is stated without error weighs much and not without end */

bool arm_dyn_is_stated(const ArmDynWork *work, size_t joint) {
  return !work->joint[joint].is_torque && isfinite(work->joint[joint].eta);
}

static double stated_log(const ArmDynWork *work, size_t j) {
  return arm_dyn_is_stated(work, j) ? log(fabs(work->joint[j].eta)) : 0;
}

static double stated_sd(const ArmDynWork *work, size_t j) {
  if (work->options.gauge == ARM_GAUGE_REFERENCE)
    return ORDER_SD;
  return isnan(work->joint[j].rel_sd) ? work->options.rel_sd : work->joint[j].rel_sd;
}

static int sign_of(double x) {
  return x < 0 ? -1 : 1;
}

/* ---- references ---- */

/* The joint of a structural group that its scale hangs on, n: it needs none. */
static size_t reference_of(const ArmDynWork *work, int structure) {
  size_t first = work->n, stated = work->n;
  for (size_t j = work->n; j-- > 0;) {
    if (work->groups.structure[j] != structure || work->triangle[j].rows == 0)
      continue;
    if (work->joint[j].is_torque)
      return work->n;
    first = j;
    stated = arm_dyn_is_stated(work, j) ? j : stated;
  }
  if (stated < work->n)
    return work->options.gauge == ARM_GAUGE_REFERENCE ? stated : work->n;
  return first;
}

void arm_dyn_choose_references(ArmDynWork *work) {
  for (size_t j = 0; j < work->n; j++)
    work->is_reference[j] = reference_of(work, work->groups.structure[j]) == j;
}

/* ---- the scale of a group of the recursion ---- */

typedef struct {
  double shift; /* kappa less the logarithm of the relative eta */
  int sign;
} Scale;

/* By the joint whose eta is known exactly: false: there is none. */
static bool scale_by_fixed(const ArmDynWork *work, int group, Scale *scale) {
  for (size_t j = 0; j < work->n; j++) {
    const double relative = work->groups.relative[j];
    if (work->groups.group[j] != group || !(work->joint[j].is_torque || work->is_reference[j]))
      continue;
    const int sign = arm_dyn_is_stated(work, j) ? sign_of(work->joint[j].eta) : 1;
    *scale = (Scale){stated_log(work, j) - log(fabs(relative)), sign * sign_of(relative)};
    return true;
  }
  return false;
}

static Scale scale_by_stated(const ArmDynWork *work, int group) {
  double sum = 0, weights = 0, votes = 0;
  int first = 0;
  for (size_t j = 0; j < work->n; j++) {
    if (work->groups.group[j] != group || !arm_dyn_is_stated(work, j))
      continue;
    const double relative = work->groups.relative[j], sd = fmax(stated_sd(work, j), LEAST_SD);
    const int sign = sign_of(work->joint[j].eta) * sign_of(relative);
    sum += (stated_log(work, j) - log(fabs(relative))) / (sd * sd);
    weights += 1 / (sd * sd);
    votes += sign;
    first = first ? first : sign;
  }
  if (!(weights > 0))
    return (Scale){0, 1};
  return (Scale){sum / weights, votes == 0 ? first : sign_of(votes)};
}

/* ---- a start ---- */

static void set_kappa(ArmDynWork *work, size_t j, double value, int sign) {
  const bool is_fixed = work->joint[j].is_torque || work->is_reference[j];
  const bool is_stated = arm_dyn_is_stated(work, j);
  ArmDynKappa *kappa = &work->problem.kappa[j];
  kappa->sign = sign;
  kappa->sd = is_fixed ? 0 : is_stated ? stated_sd(work, j) : UNSTATED_SD;
  kappa->has_rows = work->triangle[j].rows > 0;
  work->problem.x[arm_dyn_unknown(work->count, j, ARM_DYN_OWN)] = value;
}

void arm_dyn_set_start(ArmDynWork *work, bool by_statement) {
  for (size_t j = 0; j < work->n; j++) {
    Scale scale;
    const double relative = work->groups.relative[j];
    if (!scale_by_fixed(work, work->groups.group[j], &scale))
      scale = scale_by_stated(work, work->groups.group[j]);
    double value = scale.shift + log(fabs(relative));
    int sign = scale.sign * sign_of(relative);
    work->problem.kappa[j].centre = arm_dyn_is_stated(work, j) ? stated_log(work, j) : value;
    if (work->joint[j].is_torque) {
      value = 0;
      sign = 1;
    } else if (work->triangle[j].rows == 0 || (by_statement && arm_dyn_is_stated(work, j)) ||
               work->is_reference[j]) {
      value = stated_log(work, j);
      sign = arm_dyn_is_stated(work, j) ? sign_of(work->joint[j].eta) : 1;
    }
    set_kappa(work, j, value, sign);
  }
}
