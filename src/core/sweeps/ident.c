/* SPDX-License-Identifier: MIT */
/* The way of a fit: wild samples out, filters, rows, recursion, refinement, verdict, weights,
 * friction terms, diagnosis. Each step's own file says why it is; here only their order, and who
 * owns what between them. */
#include "core/sweeps/ident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/diagnose_internal.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/verdict_internal.h"

enum { LOAD_PASSES = 3 }; /* then the load no longer moves (DESIGN, friction terms are columns) */

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

static ArmStatus fit_begun(const ArmModel *model, ArmGiven *given, const ArmFitOptions *options,
                           ArmGravityFit *made) {
  ArmIdent *ident = calloc(1, sizeof *ident);
  Estimates *estimates = calloc(1, sizeof *estimates);
  ArmStatus status = ident && estimates ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK) {
    arm_ident_begin(ident, model, given, options->rows.wants_acceleration);
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

/* fit_begun, of which nothing is left when it fails. */
static ArmStatus fit_given(const ArmModel *model, ArmGiven *given, const ArmFitOptions *options,
                           ArmGravityFit *fit) {
  ArmGravityFit *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  ArmFitOptions parts = *options, asked = *options;
  if (options->progress && options->diagnosis) {
    parts.progress = report_fit;
    parts.user = &asked;
  }
  const ArmStatus status = fit_begun(model, given, &parts, made);
  if (status == ARM_OK)
    *fit = *made;
  else
    arm_gravity_fit_clear(made);
  free(made);
  return status;
}

ArmStatus arm_gravity_fit(const ArmModel *model, const ArmDataset *data,
                          const ArmFitOptions *options, ArmGravityFit *fit) {
  ArmGiven given;
  ArmStatus status = arm_given_data(model, data, options, &given);
  if (status != ARM_OK)
    return status;
  status = fit_given(model, &given, options, fit);
  arm_given_clear(&given);
  return status;
}

ArmStatus arm_gravity_fit_rows(const ArmModel *model, const ArmRowSource *source,
                               const ArmFitOptions *options, ArmGravityFit *fit) {
  ArmGiven given;
  ArmStatus status = arm_given_rows(model, source, options, &given);
  if (status != ARM_OK)
    return status;
  status = fit_given(model, &given, options, fit);
  arm_given_clear(&given);
  return status;
}

ArmStatus arm_gravity_fit_sums(const ArmModel *model, const ArmReduced *sums,
                               const ArmFitOptions *options, ArmGravityFit *fit) {
  ArmGiven given;
  ArmFitOptions asked = *options;
  if (sums->n != model->n)
    return ARM_E_ARGUMENT;
  ArmStatus status = arm_given_sums(model, sums, options->shelf, &given);
  if (status != ARM_OK)
    return status;
  asked.rows.wants_acceleration = sums->has_acceleration;
  status = fit_given(model, &given, &asked, fit);
  arm_given_clear(&given);
  return status;
}
