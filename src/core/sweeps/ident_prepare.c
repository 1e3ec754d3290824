/* SPDX-License-Identifier: MIT */
/* A recording made ready before its rows are gone through: what is wild is found, then filters and
 * derivatives, none of which reaches across a cut between two motions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/sums_internal.h"

/* 0.02 rad/s cut noise at the reversals of a UR10e's joint 6, whose friction was then 19 % off;
 * with 0.1 rad/s it is 1.2 %. The others are chosen, between sag and the way from one hold to
 * another. */
#define CUT_STEP    0.02 /* rad, m */
#define CUT_CHANGE  0.01 /* of the speed */
#define CUT_SPEED_R 0.1  /* rad/s: a slow motion does not pass through zero this fast */
#define CUT_SPEED_T 0.02 /* m/s */

/* Rows that follow in time but not in motion: the moving joint changes, a held joint jumps, the
 * speed reverses at once, or changes while the position goes against it. No filter reaches across.
 */
bool arm_prepare_is_cut(const ArmModel *model, const ArmDataset *data, size_t r) {
  const size_t rows = data->rows;
  if (data->joint[r] != data->joint[r - 1])
    return true;
  const size_t moving = data->joint[r] > 0 ? (size_t)data->joint[r] - 1 : ARM_MAX_JOINTS;
  for (size_t j = 0; j < data->n; j++) {
    const size_t at = r + j * rows;
    const double step = data->q[at] - data->q[at - 1];
    const double v0 = data->qd[at - 1], v1 = data->qd[at];
    const double fastest = model->joints[j].type == ARM_JOINT_R ? CUT_SPEED_R : CUT_SPEED_T;
    if (j != moving && fabs(step) > CUT_STEP && moving < ARM_MAX_JOINTS)
      return true;
    if (j == moving && v0 * v1 < 0.0 && fmin(fabs(v0), fabs(v1)) > fastest)
      return true;
    if (j == moving && v0 * v1 > 0.0 && step * v1 < 0.0 && fabs(step) > CUT_STEP &&
        fabs(v1 - v0) > CUT_CHANGE * fabs(v1))
      return true;
  }
  return false;
}

/* times in which every cut is a gap; *t stays NULL when there is none */
static ArmStatus cut_time(const ArmModel *model, const ArmDataset *data, double **t) {
  double step;
  size_t cuts = 0;
  ArmStatus status = arm_filter_median_step(data->rows, data->t, &step);
  for (size_t r = 1; r < data->rows && status == ARM_OK; r++)
    cuts += arm_prepare_is_cut(model, data, r);
  if (status != ARM_OK || cuts == 0 || isnan(step))
    return status;
  *t = malloc(data->rows * sizeof **t);
  if (!*t)
    return ARM_E_MEMORY;
  cuts = 0;
  for (size_t r = 0; r < data->rows; r++) {
    cuts += r > 0 && arm_prepare_is_cut(model, data, r);
    (*t)[r] = data->t[r] + (double)cuts * ARM_PREPARE_CUT_STEPS * step;
  }
  return ARM_OK;
}

/* Before any filter: behind one a wild sample is a wave of all its neighbours. */
static ArmStatus find_wild(const ArmModel *model, const ArmDataset *data,
                           const ArmFitOptions *options, ArmPrepared *p) {
  p->use = malloc((data->rows + 1) * sizeof *p->use);
  return p->use ? arm_wild_select(model, data, &options->rows, p->use, p->wild) : ARM_E_MEMORY;
}

/* Currents with straight lines in place of wild samples; NULL: there are none, or no memory. */
static double *bridge(const ArmDataset *data, const ArmPrepared *p, ArmStatus *status) {
  const size_t rows = data->rows;
  size_t wild = 0;
  for (size_t i = 0; i < data->n; i++)
    wild += p->wild[i].current.count;
  double *current = wild > 0 ? malloc(rows * data->n * sizeof *current) : NULL;
  *status = wild > 0 && !current ? ARM_E_MEMORY : ARM_OK;
  if (!current)
    return NULL;
  memcpy(current, data->current, rows * data->n * sizeof *current);
  for (size_t r = 0, end; r < rows; r = end) {
    end = r + 1;
    if (p->use[r] != ARM_ROW_WILD)
      continue;
    while (end < rows && p->use[end] == ARM_ROW_WILD)
      end++;
    double *y = current + ((size_t)data->joint[r] - 1) * rows; /* r > 0: no stroke begins wild */
    const double last = end < rows && isfinite(y[end]) ? y[end] : y[r - 1];
    for (size_t k = r; k < end; k++)
      y[k] = y[r - 1] + (last - y[r - 1]) * (double)(k - r + 1) / (double)(end - r + 1);
  }
  return current;
}

static ArmStatus lowpass_columns(const ArmDataset *data, const double *x, double cutoff_Hz,
                                 double **y) {
  ArmStatus status = ARM_OK;
  *y = calloc(data->rows * data->n + 1, sizeof **y);
  if (!*y)
    return ARM_E_MEMORY;
  for (size_t j = 0; j < data->n && status == ARM_OK; j++)
    status =
        arm_filter_lowpass(data->rows, data->t, x + j * data->rows, cutoff_Hz, *y + j * data->rows);
  return status;
}

/* a difference of equal speeds is rounding, not an acceleration */
static void clear_rounding(const ArmDataset *data, const double *qd, double step, double *qdd) {
  double fastest = 0.0;
  for (size_t r = 0; r < data->rows; r++)
    fastest = fmax(fastest, isnan(qd[r]) ? 0.0 : fabs(qd[r]));
  for (size_t r = 0; r < data->rows; r++)
    if (fabs(qdd[r]) <= ARM_PREPARE_ROUNDING * fastest / step)
      qdd[r] = 0.0;
}

/* derivative of the speeds: of low-passed ones by differences, low-passed again; else by local
 * polynomials */
static ArmStatus differentiate(ArmPrepared *p, double cutoff_Hz) {
  const size_t rows = p->data.rows;
  double *slope = malloc((rows + 1) * sizeof *slope), step;
  ArmStatus status = arm_filter_median_step(rows, p->data.t, &step);
  p->qdd = malloc((rows * p->data.n + 1) * sizeof *p->qdd);
  if (!p->qdd || !slope)
    status = ARM_E_MEMORY;
  for (size_t j = 0; j < p->data.n && status == ARM_OK; j++) {
    const double *qd = p->data.qd + j * rows;
    double *qdd = p->qdd + j * rows;
    if (cutoff_Hz > 0.0) {
      status = arm_filter_difference(rows, p->data.t, qd, slope);
      if (status == ARM_OK)
        status = arm_filter_lowpass(rows, p->data.t, slope, cutoff_Hz, qdd);
    } else {
      status = arm_filter_derivative(rows, p->data.t, qd, ARM_FILTER_HALF_WIDTH_S, NULL, qdd);
    }
    if (status == ARM_OK)
      clear_rounding(&p->data, qd, step, qdd);
  }
  free(slope);
  p->data.qdd = p->qdd;
  return status;
}

static ArmStatus prepare(const ArmModel *model, const ArmDataset *data,
                         const ArmFitOptions *options, ArmPrepared *p) {
  ArmStatus status = ARM_OK;
  *p = (ArmPrepared){.data = *data};
  if (options->lowpass_Hz != 0.0 || options->rows.wants_acceleration)
    status = cut_time(model, data, &p->t);
  if (p->t)
    p->data.t = p->t;
  if (status != ARM_OK)
    return status;
  status = find_wild(model, data, options, p);
  if (options->lowpass_Hz != 0.0 && status == ARM_OK) {
    double *bridged = bridge(data, p, &status);
    if (status == ARM_OK)
      status = lowpass_columns(&p->data, data->qd, options->lowpass_Hz, &p->qd);
    if (status == ARM_OK)
      status = lowpass_columns(&p->data, bridged ? bridged : data->current, options->lowpass_Hz,
                               &p->current);
    free(bridged);
    p->data.qd = p->qd;
    p->data.current = p->current;
  }
  if (status == ARM_OK && options->rows.wants_acceleration && !data->qdd)
    status = differentiate(p, options->lowpass_Hz);
  return status;
}

/* What is used of the filtered rows, but for those that were wild before any filter. */
static ArmStatus select_rows(const ArmModel *model, const ArmFitOptions *options,
                             const ArmPrepared *p, ArmRowUse *use) {
  const ArmStatus status = arm_dataset_select(model, &p->data, &options->rows, use);
  for (size_t r = 0; r < p->data.rows && status == ARM_OK; r++)
    if (use[r] == ARM_ROW_USED && (p->use[r] == ARM_ROW_WILD || p->use[r] == ARM_ROW_WILD_POSITION))
      use[r] = p->use[r];
  return status;
}

/* ---- given to a fit ---- */

void arm_given_clear(ArmGiven *given) {
  ArmPrepared *p = &given->prepared;
  arm_windows_clear(&given->windows);
  arm_kept_close(&given->kept);
  free(given->use);
  free(p->t);
  free(p->qd);
  free(p->qdd);
  free(p->current);
  free(p->use);
}

static ArmStatus take_data(const ArmModel *model, const ArmDataset *data,
                           const ArmFitOptions *options, ArmGiven *given) {
  const ArmPrepared *p = &given->prepared;
  ArmStatus status = prepare(model, data, options, &given->prepared);
  if (status != ARM_OK)
    return status;
  given->use = malloc((p->data.rows + 1) * sizeof *given->use);
  if (!given->use)
    return ARM_E_MEMORY;
  status = select_rows(model, options, p, given->use);
  if (status == ARM_OK)
    status = arm_filter_median_step(p->data.rows, p->data.t, &given->median_step);
  memcpy(given->is_torque, p->data.is_torque, sizeof given->is_torque);
  memcpy(given->wild, p->wild, sizeof given->wild);
  arm_windows_whole(&given->windows, &p->data, given->use);
  return status;
}

ArmStatus arm_given_data(const ArmModel *model, const ArmDataset *data,
                         const ArmFitOptions *options, ArmGiven *given) {
  if (data->n != model->n)
    return ARM_E_ARGUMENT;
  memset(given, 0, sizeof *given);
  given->shelf = options->shelf;
  const ArmStatus status = take_data(model, data, options, given);
  if (status != ARM_OK)
    arm_given_clear(given);
  return status;
}

/* The windows of filtered rows, with what was wild before any filter. */
static ArmStatus take_filtered(const ArmModel *model, const ArmFitOptions *options,
                               ArmGiven *given) {
  ArmWindows filtered;
  ArmStatus status = arm_prepare_rows(model, options, &given->windows, &given->filtered);
  if (status == ARM_OK)
    status = arm_windows_open(&filtered, model, &options->rows, &given->filtered);
  if (status != ARM_OK)
    return status;
  memcpy(filtered.wild, given->windows.wild, sizeof filtered.wild);
  memset(given->windows.wild, 0, sizeof given->windows.wild);
  arm_windows_clear(&given->windows);
  given->windows = filtered;
  given->median_step = given->filtered.median_step;
  return ARM_OK;
}

ArmStatus arm_given_rows(const ArmModel *model, const ArmRowSource *source,
                         const ArmFitOptions *options, ArmGiven *given) {
  const bool is_filtered = options->lowpass_Hz != 0.0 || options->rows.wants_acceleration;
  if (is_filtered && !source->keeper)
    return ARM_E_ARGUMENT;
  memset(given, 0, sizeof *given);
  given->shelf = options->shelf;
  given->median_step = source->median_step;
  memcpy(given->is_torque, source->is_torque, sizeof given->is_torque);
  ArmStatus status = arm_windows_open(&given->windows, model, &options->rows, source);
  if (status == ARM_OK)
    status = arm_wild_find(&given->windows, source->n, source->median_step,
                           !options->rows.wants_acceleration, given->wild);
  if (status == ARM_OK && is_filtered)
    status = take_filtered(model, options, given);
  if (status != ARM_OK)
    arm_given_clear(given);
  return status;
}

ArmStatus arm_given_sums(const ArmModel *model, const ArmReduced *sums, ArmShelf *shelf,
                         ArmGiven *given) {
  *given = (ArmGiven){.sums = sums, .shelf = shelf, .median_step = sums->median_step};
  memcpy(given->is_torque, sums->is_torque, sizeof given->is_torque);
  memcpy(given->wild, sums->wild, sizeof given->wild);
  ArmStatus status = ARM_OK;
  if (sums->kept.count > 0)
    status = arm_kept_open(sums, &given->kept);
  if (status == ARM_OK && given->kept.user)
    status = arm_windows_open(&given->windows, model, &arm_kept_options, &given->kept);
  if (status != ARM_OK)
    arm_given_clear(given);
  return status;
}

void arm_ident_begin(ArmIdent *ident, const ArmModel *model, ArmGiven *given,
                     bool has_acceleration) {
  ident->model = model;
  ident->windows = given->sums && !given->kept.user ? NULL : &given->windows;
  ident->sums = given->sums;
  for (size_t j = 0; j < model->n; j++)
    ident->is_of_sums[j] = given->sums && !arm_sums_has_rows(given->sums, j);
  ident->shelf = given->shelf;
  ident->median_step = given->median_step;
  ident->has_acceleration = has_acceleration;
  memcpy(ident->wild, given->wild, sizeof ident->wild);
  memcpy(ident->is_torque_ratio, given->is_torque, sizeof ident->is_torque_ratio);
}
