/* SPDX-License-Identifier: MIT */
/* The way of a fit: wild samples out, filters, rows, recursion, refinement, verdict, weights,
 * friction terms, diagnosis. Each step's own file says why it is; here only their order, and who
 * owns what between them. */
#include "core/sweeps/ident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/num/filter.h"
#include "core/sweeps/diagnose_internal.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/verdict_internal.h"

enum { LOAD_PASSES = 3 }; /* then the load no longer moves (DESIGN, friction terms are columns) */
/* 0.02 rad/s cut noise at the reversals of a UR10e's joint 6, whose friction was then 19 % off;
 * with 0.1 rad/s it is 1.2 %. The others are chosen, between sag and the way from one hold to
 * another. */
#define CUT_STEP    0.02  /* rad, m */
#define CUT_CHANGE  0.01  /* of the speed */
#define CUT_SPEED_R 0.1   /* rad/s: a slow motion does not pass through zero this fast */
#define CUT_SPEED_T 0.02  /* m/s */
#define ROUNDING    1e-10 /* of the fastest speed per time step */

void arm_fit_options_default(ArmFitOptions *options) {
  memset(options, 0, sizeof *options);
  arm_row_options_default(&options->rows);
  arm_verdict_limits_default(&options->limits);
}

void arm_gravity_parameters_clear(ArmGravityParameters *parameters) {
  free(parameters->ids);
  free(parameters->covariance);
  parameters->ids = NULL;
  parameters->covariance = NULL;
  parameters->n_ids = 0;
}

void arm_gravity_fit_clear(ArmGravityFit *fit) {
  arm_gravity_parameters_clear(&fit->refined);
  arm_gravity_parameters_clear(&fit->recursive);
}

/* the recording as it is fitted: filtered copies where asked for, accelerations where wanted */
typedef struct {
  ArmDataset data;
  double *t, *qd, *qdd, *current; /* owned, NULL where the recording's own are used */
  ArmRowUse *use;                 /* owned: of the recording's own rows, for the wild ones */
  ArmWild wild[ARM_MAX_JOINTS];
} Prepared;

/* Rows that follow in time but not in motion: the moving joint changes, a held joint jumps, the
 * speed reverses at once, or changes while the position goes against it. No filter reaches across.
 */
static bool is_cut(const ArmModel *model, const ArmDataset *data, size_t r) {
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
    cuts += is_cut(model, data, r);
  if (status != ARM_OK || cuts == 0 || isnan(step))
    return status;
  *t = malloc(data->rows * sizeof **t);
  if (!*t)
    return ARM_E_MEMORY;
  cuts = 0;
  for (size_t r = 0; r < data->rows; r++) {
    cuts += r > 0 && is_cut(model, data, r);
    (*t)[r] = data->t[r] + (double)cuts * 100.0 * step; /* any gap beyond ARM_FILTER_GAP_STEPS */
  }
  return ARM_OK;
}

static void prepared_clear(Prepared *p) {
  free(p->t);
  free(p->qd);
  free(p->qdd);
  free(p->current);
  free(p->use);
}

/* Before any filter: behind one a wild sample is a wave of all its neighbours. */
static ArmStatus find_wild(const ArmModel *model, const ArmDataset *data,
                           const ArmFitOptions *options, Prepared *p) {
  p->use = malloc((data->rows + 1) * sizeof *p->use);
  return p->use ? arm_wild_select(model, data, &options->rows, p->use, p->wild) : ARM_E_MEMORY;
}

/* Currents with straight lines in place of wild samples; NULL: there are none, or no memory. */
static double *bridge(const ArmDataset *data, const Prepared *p, ArmStatus *status) {
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
    if (fabs(qdd[r]) <= ROUNDING * fastest / step)
      qdd[r] = 0.0;
}

/* derivative of the speeds: of low-passed ones by differences, low-passed again; else by local
 * polynomials */
static ArmStatus differentiate(Prepared *p, double cutoff_Hz) {
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
                         const ArmFitOptions *options, Prepared *p) {
  ArmStatus status = ARM_OK;
  *p = (Prepared){.data = *data};
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

/* What is used of the filtered rows, but for those that were wild before any filter.
 *   use  rows, out */
static ArmStatus select_rows(const ArmModel *model, const ArmFitOptions *options, const Prepared *p,
                             ArmRowUse *use) {
  const ArmStatus status = arm_dataset_select(model, &p->data, &options->rows, use);
  for (size_t r = 0; r < p->data.rows && status == ARM_OK; r++)
    if (use[r] == ARM_ROW_USED && (p->use[r] == ARM_ROW_WILD || p->use[r] == ARM_ROW_WILD_POSITION))
      use[r] = p->use[r];
  return status;
}

static ArmStatus read_rows(ArmIdent *ident) {
  size_t used = 0;
  ArmStatus status = arm_ident_survey(ident, true);
  for (size_t i = 0; i < ident->model->n; i++)
    used += ident->rows[i].rows;
  if (status == ARM_OK)
    status = used > 0 ? arm_ident_accumulate(ident) : ARM_E_NO_DATA;
  return status;
}

/* What the way from rows to estimates leaves behind, in this order. */
typedef struct {
  ArmIdentResult recursive, samples, weighed; /* weighed: covariance NULL when samples stand */
  ArmStrokeFit strokes;
  ArmGravityChain last;
} Estimates;

static void estimates_free(Estimates *e) {
  if (!e)
    return;
  free(e->recursive.covariance);
  free(e->samples.covariance);
  free(e->weighed.covariance);
  arm_stroke_fit_clear(&e->strokes);
  free(e);
}

static ArmStatus refine_weighed(ArmIdent *ident, const ArmFitOptions *options, Estimates *e,
                                ArmGravityFit *fit) {
  bool is_any = false;
  ArmStatus status =
      arm_stroke_fit_weigh_rows(&e->strokes, &e->samples, &fit->verdict, ident, &is_any);
  if (status == ARM_OK && is_any)
    status = arm_ident_refine(ident, options, &e->samples, &e->weighed, fit);
  if (status == ARM_OK && !is_any) {
    const size_t cells = ident->tree.count * ident->tree.count;
    e->weighed = e->samples;
    e->weighed.covariance = malloc((cells + 1) * sizeof(double));
    if (!e->weighed.covariance)
      return ARM_E_MEMORY;
    memcpy(e->weighed.covariance, e->samples.covariance, cells * sizeof(double));
  }
  for (size_t i = 0; i < ident->model->n; i++)
    if (ident->weighed[i].triangle)
      e->weighed.stats[i].widening = 1.0;
  if (status == ARM_OK)
    status = arm_stroke_fit_widen(&e->strokes, &fit->verdict, &e->samples, &e->weighed);
  return status;
}

/* ---- progress, where a diagnosis follows ---- */

#define FIT_PART 0.3 /* of the time that both take; a diagnosis takes up to 4 times a fit's */

static bool report_fit(double done, void *user) {
  const ArmFitOptions *asked = user;
  return asked->progress(FIT_PART * done, asked->user);
}

static bool report_diagnosis(double done, void *user) {
  const ArmFitOptions *asked = user;
  return asked->progress(FIT_PART + (1.0 - FIT_PART) * done, asked->user);
}

static bool reports_both(const ArmFitOptions *options) {
  return options->progress == report_fit;
}

/* Last, as it linearises the fit on strokes again: estimates are the same with and without. */
static ArmStatus diagnose(const ArmIdent *ident, const ArmFitOptions *options, ArmStatus solved,
                          Estimates *e, const ArmGravityFit *fit) {
  *options->diagnosis = (ArmDiagnosis){0};
  if (solved != ARM_OK)
    return ARM_OK;
  const ArmStatus status = arm_diagnose(&e->strokes, &ident->strokes, &fit->verdict,
                                        reports_both(options) ? report_diagnosis : NULL,
                                        options->user, options->diagnosis);
  return status == ARM_E_NUMERIC ? ARM_OK : status;
}

/* The verdict on the samples' fit, and the fit once more with the weights that it found. */
static ArmStatus judge_and_weigh(ArmIdent *ident, const ArmFitOptions *options, Estimates *e,
                                 ArmGravityFit *fit) {
  double r2[ARM_MAX_JOINTS];
  for (size_t i = 0; i < ident->model->n; i++)
    r2[i] = e->samples.stats[i].r2;
  ArmStatus status = arm_stroke_fit_init(ident, &ident->strokes, &e->strokes);
  if (status != ARM_OK)
    return status;
  const ArmStatus solved = arm_stroke_fit_solve(&e->strokes, e->samples.theta, &options->limits);
  status = arm_stroke_fit_verdict(&e->strokes, solved, r2, &options->limits, &fit->verdict);
  if (status == ARM_OK && solved == ARM_OK && !options->has_equal_weights)
    status = refine_weighed(ident, options, e, fit);
  if (status == ARM_OK && options->diagnosis)
    status = diagnose(ident, options, solved, e, fit);
  return status;
}

/* n -> 1, then all joints together, once more from the start. */
static ArmStatus solve(ArmIdent *ident, const ArmFitOptions *options, Estimates *e,
                       ArmGravityFit *fit) {
  free(e->recursive.covariance);
  free(e->samples.covariance);
  e->recursive.covariance = e->samples.covariance = NULL;
  fit->iterations = 0;
  ArmStatus status = arm_ident_recursion(ident, options, &e->recursive);
  if (status == ARM_OK)
    status = arm_ident_refine(ident, options, &e->recursive, &e->samples, fit);
  return status;
}

/* Friction terms one by one: the load that a column is made of moves by what the column takes over,
 * which has settled after three fits. */
static ArmStatus add_terms(ArmIdent *ident, const ArmFitOptions *options, Estimates *e,
                           ArmGravityFit *fit) {
  ArmStatus status = ARM_OK;
  const bool *offers = options->offers_term;
  if (!offers[ARM_TERM_LOAD] && !offers[ARM_TERM_CURVE])
    return ARM_OK;
  for (int round = 0; round < ARM_TERMS && status == ARM_OK; round++) {
    bool is_any = false;
    status = arm_friction_choose(ident, offers, &e->samples, &is_any);
    for (int pass = 0; pass < LOAD_PASSES && is_any && status == ARM_OK; pass++) {
      status = arm_friction_update(ident, &e->samples);
      if (status == ARM_OK)
        status = solve(ident, options, e, fit);
    }
    if (!is_any)
      break;
  }
  return status;
}

static ArmStatus report(const ArmIdent *ident, Estimates *e, ArmGravityFit *fit) {
  ArmIdentResult *best = e->weighed.covariance ? &e->weighed : &e->samples;
  arm_friction_widen(ident, &e->recursive);
  arm_friction_widen(ident, best);
  ArmStatus status = arm_ident_report(ident, &e->recursive, &fit->recursive);
  if (status == ARM_OK)
    status = arm_ident_report(ident, best, &fit->refined);
  return status;
}

static ArmStatus estimate(ArmIdent *ident, const ArmFitOptions *options, Estimates *e,
                          ArmGravityFit *fit) {
  ArmStatus status = read_rows(ident);
  if (status == ARM_OK)
    status = solve(ident, options, e, fit);
  if (status == ARM_OK)
    status = add_terms(ident, options, e, fit);
  if (status == ARM_OK)
    status = judge_and_weigh(ident, options, e, fit);
  if (status == ARM_OK)
    status = report(ident, e, fit);
  if (status == ARM_OK)
    status = arm_ident_doubt(ident, &fit->refined, options->limits.r2, &fit->doubts);
  if (status == ARM_OK)
    arm_ident_withhold(&fit->doubts, &fit->verdict);
  return status;
}

/* What is known of the rows before they are gone through. */
typedef struct {
  ArmWindows *windows;
  double median_step;
  const bool *is_torque;
  const ArmWild *wild;
} Given;

static ArmStatus fit_windows(const ArmModel *model, const Given *given,
                             const ArmFitOptions *options, ArmGravityFit *made) {
  ArmIdent *ident = calloc(1, sizeof *ident);
  Estimates *estimates = calloc(1, sizeof *estimates);
  ArmStatus status = ident && estimates ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK) {
    ident->model = model;
    ident->windows = given->windows;
    ident->median_step = given->median_step;
    ident->has_acceleration = options->rows.wants_acceleration;
    memcpy(ident->wild, given->wild, sizeof ident->wild);
    memcpy(ident->is_torque_ratio, given->is_torque, sizeof ident->is_torque_ratio);
    status = arm_structure_find(model, &ident->structure);
    ident->last = &estimates->last;
    arm_gravity_chain_forget(&estimates->last);
  }
  if (status == ARM_OK)
    status = estimate(ident, options, estimates, made);
  estimates_free(estimates);
  if (ident)
    arm_ident_rows_clear(ident);
  free(ident);
  return status;
}

/* fit_windows, of which nothing is left when it fails. */
static ArmStatus fit_given(const ArmModel *model, const Given *given, const ArmFitOptions *options,
                           ArmGravityFit *fit) {
  ArmGravityFit *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  ArmFitOptions parts = *options, asked = *options;
  if (options->progress && options->diagnosis) {
    parts.progress = report_fit;
    parts.user = &asked;
  }
  const ArmStatus status = fit_windows(model, given, &parts, made);
  if (status == ARM_OK)
    *fit = *made;
  else
    arm_gravity_fit_clear(made);
  free(made);
  return status;
}

static ArmStatus fit_prepared(const ArmModel *model, const Prepared *p,
                              const ArmFitOptions *options, ArmGravityFit *fit) {
  ArmWindows windows;
  Given given = {&windows, (double)NAN, p->data.is_torque, p->wild};
  ArmRowUse *use = malloc((p->data.rows + 1) * sizeof *use);
  ArmStatus status = use ? select_rows(model, options, p, use) : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = arm_filter_median_step(p->data.rows, p->data.t, &given.median_step);
  if (status == ARM_OK) {
    arm_windows_whole(&windows, &p->data, use);
    status = fit_given(model, &given, options, fit);
    arm_windows_clear(&windows);
  }
  free(use);
  return status;
}

ArmStatus arm_gravity_fit(const ArmModel *model, const ArmDataset *data,
                          const ArmFitOptions *options, ArmGravityFit *fit) {
  if (data->n != model->n)
    return ARM_E_ARGUMENT;
  Prepared prepared;
  ArmStatus status = prepare(model, data, options, &prepared);
  if (status == ARM_OK)
    status = fit_prepared(model, &prepared, options, fit);
  prepared_clear(&prepared);
  return status;
}

ArmStatus arm_gravity_fit_rows(const ArmModel *model, const ArmRowSource *source,
                               const ArmFitOptions *options, ArmGravityFit *fit) {
  ArmWindows windows;
  ArmWild wild[ARM_MAX_JOINTS];
  const Given given = {&windows, source->median_step, source->is_torque, wild};
  if (options->lowpass_Hz != 0.0)
    return ARM_E_ARGUMENT;
  ArmStatus status = arm_windows_open(&windows, model, &options->rows, source);
  if (status != ARM_OK)
    return status;
  memset(wild, 0, sizeof wild);
  status = arm_wild_find(&windows, source->n, source->median_step, true, wild);
  if (status == ARM_OK)
    status = fit_given(model, &given, options, fit);
  arm_windows_clear(&windows);
  return status;
}
