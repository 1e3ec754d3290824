/* SPDX-License-Identifier: MIT */
/* What may be told of an identification, and why the rest may not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_work.h"

#define NULL_SHARE 1e-6  /* a larger part of a parameter in the null space: not seen */
#define RCOND      1e-10 /* num/lsq.h */

static const ArmEstimate exactly_one = {1, 0, 1, true, ARM_REASON_NONE};

static ArmEstimate refused(double used, ArmReason reason) {
  return (ArmEstimate){(double)NAN, (double)NAN, used, false, reason};
}

static ArmEstimate told(double value, double variance, ArmReason reason) {
  if (reason != ARM_REASON_NONE)
    return refused(value, reason);
  return (ArmEstimate){value, sqrt(fmax(variance, 0)), value, true, ARM_REASON_NONE};
}

static double covariance(const ArmDynWork *work, size_t a, size_t b) {
  return work->covariance[a + b * work->problem.unknowns];
}

static size_t kappa_of(const ArmDynWork *work, size_t joint) {
  return arm_dyn_unknown(work->count, joint, ARM_DYN_OWN);
}

/* ---- groups ---- */

static void join(ArmDynamicsFit *fit, int from, int into) {
  for (size_t j = 0; j < fit->n; j++)
    if (fit->group[j] == from)
      fit->group[j] = into;
}

static void find_groups(const ArmDynWork *work, ArmDynamicsFit *fit) {
  for (size_t j = 0; j < fit->n; j++)
    fit->group[j] = (int)j;
  for (size_t i = 0; i < fit->n; i++)
    for (size_t j = i + 1; j < fit->n; j++)
      if (work->ratio_sd[i][j] <= work->options.worst_ratio && fit->group[i] != fit->group[j])
        join(fit, fit->group[j], fit->group[i]);
  for (size_t j = 0; j < fit->n; j++) { /* numbered by first joints: they are their own number */
    size_t first = 0;
    while (fit->group[first] != fit->group[j])
      first++;
    if (first == j)
      join(fit, fit->group[j], (int)(fit->n + fit->n_groups++));
  }
  for (size_t j = 0; j < fit->n; j++)
    fit->group[j] -= (int)fit->n;
}

static size_t first_of(const ArmDynamicsFit *fit, size_t joint) {
  size_t first = 0;
  while (fit->group[first] != fit->group[joint])
    first++;
  return first;
}

static size_t size_of(const ArmDynamicsFit *fit, size_t joint) {
  size_t size = 0;
  for (size_t j = 0; j < fit->n; j++)
    size += fit->group[j] == fit->group[joint];
  return size;
}

/* Best of what its joints bring. */
static ArmDynamicsScale scale_of(const ArmDynWork *work, const ArmDynamicsFit *fit, int group) {
  ArmDynamicsScale scale = ARM_SCALE_NONE;
  for (size_t j = 0; j < fit->n; j++) {
    ArmDynamicsScale by = ARM_SCALE_NONE;
    if (fit->group[j] != group)
      continue;
    if (work->joint[j].is_torque)
      by = ARM_SCALE_TORQUE;
    else if (arm_dyn_is_stated(work, j) && work->is_reference[j])
      by = ARM_SCALE_REFERENCE;
    else if (arm_dyn_is_stated(work, j) && work->options.gauge == ARM_GAUGE_DATASHEET)
      by = ARM_SCALE_DATASHEET;
    scale = by < scale ? by : scale;
  }
  return scale;
}

/* ---- torque constants ---- */

/* A joint alone in its group is told nothing by currents. */
static ArmReason alone_reason(const ArmDynamicsJointFit *joint) {
  return joint->is_coupled ? ARM_REASON_COUPLING_WEAK : ARM_REASON_OTHER_CLUSTER;
}

static ArmReason eta_reason(const ArmDynWork *work, const ArmDynamicsFit *fit, size_t j) {
  const ArmDynamicsScale scale = fit->scale[fit->group[j]];
  if (work->absent[j] != ARM_REASON_NONE)
    return work->absent[j];
  if (work->is_reference[j] && scale == ARM_SCALE_REFERENCE)
    return ARM_REASON_NONE;
  if (size_of(fit, j) == 1)
    return alone_reason(&fit->joint[j]);
  if (scale == ARM_SCALE_NONE)
    return ARM_REASON_SCALE_NOT_STATED;
  return isnan(work->noise[j].sigma) ? ARM_REASON_TOO_FEW_ROWS : ARM_REASON_NONE;
}

static void report_eta(const ArmDynWork *work, ArmDynamicsFit *fit, size_t j) {
  ArmDynamicsJointFit *joint = &fit->joint[j];
  const size_t place = kappa_of(work, j);
  const double eta = work->problem.kappa[j].sign * exp(work->problem.x[place]);
  joint->sign = work->problem.kappa[j].sign;
  joint->log_eta = work->problem.x[place];
  joint->log_eta_sd = sqrt(covariance(work, place, place));
  joint->is_sign_stated_otherwise =
      arm_dyn_is_stated(work, j) && (work->joint[j].eta < 0) != (joint->sign < 0);
  joint->eta =
      work->joint[j].is_torque && work->absent[j] == ARM_REASON_NONE
          ? exactly_one
          : told(eta, eta * eta * covariance(work, place, place), eta_reason(work, fit, j));
}

static ArmReason ratio_reason(const ArmDynWork *work, const ArmDynamicsFit *fit, size_t j,
                              size_t first) {
  if (work->absent[j] != ARM_REASON_NONE)
    return work->absent[j];
  if (size_of(fit, j) == 1)
    return alone_reason(&fit->joint[j]);
  if (!(work->ratio_sd[j][first] <= work->options.worst_ratio))
    return ARM_REASON_COUPLING_WEAK; /* a chain of good ratios may be long */
  return isnan(work->noise[j].sigma) || isnan(work->noise[first].sigma) ? ARM_REASON_TOO_FEW_ROWS
                                                                        : ARM_REASON_NONE;
}

static void report_ratio(const ArmDynWork *work, ArmDynamicsFit *fit, size_t j) {
  const size_t first = first_of(fit, j), a = kappa_of(work, j), b = kappa_of(work, first);
  ArmDynamicsJointFit *joint = &fit->joint[j];
  const double rho =
      joint->sign * fit->joint[first].sign * exp(work->problem.x[a] - work->problem.x[b]);
  const double variance =
      covariance(work, a, a) + covariance(work, b, b) - 2 * covariance(work, a, b);
  joint->log_ratio_sd =
      first == j && size_of(fit, j) == 1 ? (double)INFINITY : work->ratio_sd[j][first];
  joint->to_first = told(rho, rho * rho * variance, ratio_reason(work, fit, j, first));
}

/* ---- the drives' own terms ---- */

static ArmReason unseen_reason(size_t l) {
  return l == ARM_DYN_ROTOR ? ARM_REASON_NO_ACCELERATION : ARM_REASON_ONE_DIRECTION;
}

static ArmReason local_reason(const ArmDynWork *work, size_t j, size_t l) {
  if (work->absent[j] != ARM_REASON_NONE)
    return work->absent[j];
  if (!work->joint[j].has[l])
    return ARM_REASON_DEPENDS_ON_OTHER;
  if (!work->triangle[j].has[l])
    return unseen_reason(l);
  if (work->null_share[arm_dyn_unknown(work->count, j, l)] > NULL_SHARE)
    return l == ARM_DYN_ROTOR ? ARM_REASON_MOTION_TOO_SIMPLE : ARM_REASON_ONE_SPEED;
  return isnan(work->noise[j].sigma) ? ARM_REASON_TOO_FEW_ROWS : ARM_REASON_NONE;
}

static void report_local(const ArmDynWork *work, ArmDynamicsFit *fit, size_t j) {
  for (size_t l = 0; l < ARM_DYN_OWN; l++) {
    const size_t place = arm_dyn_unknown(work->count, j, l);
    fit->joint[j].local[l] =
        told(work->problem.x[place], covariance(work, place, place), local_reason(work, j, l));
  }
}

double arm_dynamics_rotor_weight(const ArmDynamicsFit *fit, size_t joint, double *spread) {
  const ArmDynamicsJointFit *of = &fit->joint[joint];
  const double held = of->known.rotor_in_coulomb * of->eta.used;
  const double share = arm_dyn_feels_rotor(&of->known) ? held : 0;
  *spread = share == 0 ? 0 : fabs(share) * of->rotor_sd;
  return share != 0 && isfinite(*spread) ? share * of->rotor : 0;
}

/* ---- base parameters ---- */

static bool sees(const ArmDynWork *work, size_t j, size_t b) {
  const ArmDynTriangle *t = &work->triangle[j];
  return b >= t->first && arm_dyn_sees(t, t->own + b - t->first);
}

static ArmReason base_reason(const ArmDynWork *work, const ArmDynamicsFit *fit, size_t b) {
  bool has_rows = false, is_seen = false, has_scale = false, has_noise = false;
  for (size_t j = 0; j < work->n; j++) {
    has_rows = has_rows || (work->triangle[j].rows > 0 && b >= work->triangle[j].first);
    if (!sees(work, j, b))
      continue;
    is_seen = true;
    has_scale = has_scale || fit->scale[fit->group[j]] != ARM_SCALE_NONE;
    has_noise = has_noise || !isnan(work->noise[j].sigma);
  }
  if (!has_rows)
    return ARM_REASON_NO_ROWS;
  if (!is_seen || work->null_share[b] > NULL_SHARE)
    return ARM_REASON_MOTION_TOO_SIMPLE;
  if (!has_scale)
    return ARM_REASON_SCALE_NOT_STATED;
  return has_noise ? ARM_REASON_NONE : ARM_REASON_TOO_FEW_ROWS;
}

/* ---- statistics ---- */

/* Of the joint's own columns alone. */
static ArmStatus find_condition(const ArmDynWork *work, size_t j, ArmJointStatistics *statistics) {
  const ArmDynTriangle *t = &work->triangle[j];
  double *a = calloc(t->width * t->width + t->width, sizeof *a);
  ArmSvdInfo info;
  size_t columns = 0;
  if (!a)
    return ARM_E_MEMORY;
  for (size_t c = 0; c + 1 < t->width; c++)
    if (c >= t->own || t->has[c])
      memcpy(a + t->width * columns++, arm_dyn_column(t, c), t->width * sizeof *a);
  const ArmStatus status =
      arm_svd_solve(work->problem.svd, t->width, columns, a, arm_dyn_column(t, t->width - 1), RCOND,
                    a + t->width * t->width, NULL, NULL, &info);
  if (status == ARM_OK) {
    statistics->columns = columns;
    statistics->rank = info.rank;
    statistics->cond_raw = info.cond_raw;
    statistics->cond_equilibrated = info.cond_equilibrated;
  }
  free(a);
  return status;
}

static ArmStatus report_statistics(const ArmDynWork *work, ArmDynamicsFit *fit, size_t j) {
  const ArmDynNoise *noise = &work->noise[j];
  ArmJointStatistics *statistics = &fit->joint[j].statistics;
  *statistics = (ArmJointStatistics){.rows_used = work->triangle[j].rows,
                                     .cond_raw = (double)INFINITY,
                                     .cond_equilibrated = (double)INFINITY,
                                     .cond_centred = (double)NAN,
                                     .residual_sd = noise->sigma,
                                     .r2 = noise->r2,
                                     .max_abs = (double)NAN,
                                     .lag1 = noise->lag1,
                                     .widening = noise->widening};
  statistics->rows_by_use[ARM_ROW_USED] = statistics->rows_used;
  return statistics->rows_used > 0 ? find_condition(work, j, statistics) : ARM_OK;
}

/* ---- all ---- */

static bool is_coupled(const ArmDynWork *work, size_t joint) {
  for (size_t j = 0; j < work->n; j++)
    if (j != joint && work->groups.structure[j] == work->groups.structure[joint])
      return true;
  return false;
}

static void take_back(ArmEstimate *estimate) {
  if (estimate->identifiable || estimate->reason == ARM_REASON_SCALE_NOT_STATED)
    *estimate = refused(estimate->used, ARM_REASON_NOT_CONVERGED);
}

/* Of a search that did not converge. That eta of a torque is 1 nobody had to search. */
static void take_all_back(ArmDynamicsFit *fit) {
  for (size_t j = 0; j < fit->n; j++) {
    ArmDynamicsJointFit *joint = &fit->joint[j];
    for (size_t l = 0; l < ARM_DYN_OWN; l++)
      take_back(&joint->local[l]);
    if (joint->known.is_torque)
      continue;
    take_back(&joint->eta);
    take_back(&joint->to_first);
    joint->log_eta_sd = joint->log_ratio_sd = (double)INFINITY;
  }
  for (size_t b = 0; b < fit->count; b++)
    take_back(&fit->base[b]);
}

static ArmStatus fill(const ArmDynWork *work, ArmDynamicsFit *fit) {
  ArmStatus status = ARM_OK;
  find_groups(work, fit);
  for (size_t g = 0; g < fit->n_groups; g++)
    fit->scale[g] = scale_of(work, fit, (int)g);
  for (size_t j = 0; j < fit->n && status == ARM_OK; j++) {
    fit->joint[j].known = work->joint[j];
    fit->joint[j].rotor = fit->joint[j].rotor_sd = (double)NAN;
    fit->joint[j].is_coupled = is_coupled(work, j);
    report_eta(work, fit, j);
    report_local(work, fit, j);
    status = report_statistics(work, fit, j);
  }
  for (size_t j = 0; j < fit->n; j++)
    report_ratio(work, fit, j);
  for (size_t b = 0; b < fit->count; b++)
    fit->base[b] = told(work->problem.x[b], covariance(work, b, b), base_reason(work, fit, b));
  if (!fit->has_converged)
    take_all_back(fit);
  return status;
}

static double weight_of(const ArmJointStatistics *s) {
  const double sd = s->residual_sd * s->widening;
  return s->rows_used > 0 && sd > 0 && isfinite(sd) ? 1 / sd : 0;
}

static void keep_covariance(const ArmDynWork *work, ArmDynamicsFit *fit) {
  const size_t size = fit->unknowns * fit->unknowns;
  memcpy(fit->covariance, work->covariance, size * sizeof *fit->covariance);
  if (fit->bread)
    memcpy(fit->bread, work->covariance, size * sizeof *fit->bread);
  for (size_t j = 0; j < fit->n; j++)
    fit->weight[j] = weight_of(&fit->joint[j].statistics);
}

ArmStatus arm_dyn_report(const ArmDynWork *work, ArmDynamicsFit **fit) {
  const size_t u = work->problem.unknowns;
  ArmDynamicsFit *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  *made = (ArmDynamicsFit){.n = work->n,
                           .count = work->count,
                           .way = work->options.way,
                           .unknowns = u,
                           .iterations = work->problem.iterations,
                           .has_converged = work->problem.has_converged};
  made->base = calloc(work->count + 1, sizeof *made->base);
  made->covariance = calloc(u * u, sizeof *made->covariance);
  const bool has_bread = made->way != ARM_DYNAMICS_SEQUENTIAL;
  made->bread = has_bread ? calloc(u * u, sizeof *made->bread) : NULL;
  ArmStatus status = made->base && made->covariance && (made->bread || !has_bread)
                         ? fill(work, made)
                         : ARM_E_MEMORY;
  if (status == ARM_OK && made->has_converged)
    keep_covariance(work, made);
  if (status == ARM_OK)
    *fit = made;
  else
    arm_dynamics_fit_free(made);
  return status;
}
