/* SPDX-License-Identifier: MIT */
/* From tests to one word for a joint, and the worst of them for the arm. A joint without replicates
 * may be found to misfit, but is never said to fit. Source: Armature theory notes, lack of fit,
 * section 4; the default limits are those there. */
#include "core/sweeps/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "core/sweeps/diagnose_internal.h"

/* Armature theory notes, lack of fit, sections 4 and 6 (r2: an oscillating joint has .51 at most, a
 * sound one .9991 at least). */
void arm_verdict_limits_default(ArmVerdictLimits *limits) {
  *limits = (ArmVerdictLimits){
      .gravity_relative = 0.001,
      .gravity_promised_factor = 2.0,
      .gravity_friction = 0.002,
      .direction_relative = 0.02,
      .direction_A = 1e-4,
      .speed_relative = 0.05,
      .scatter_relative = 0.05,
      .trend_relative = 0.05,
      .validation_relative = 0.10,
      .r2 = 0.8,
  };
}

const char *arm_verdict_key(ArmVerdictKind kind) {
  return kind == ARM_VERDICT_FITS ? "fits" : kind == ARM_VERDICT_MISFIT ? "misfit" : "unknown";
}

const char *arm_test_key(ArmTestKind kind) {
  static const char *const keys[ARM_TESTS] = {"stroke",  "gravity", "direction",
                                              "scatter", "trend",   "speed"};
  return (unsigned)kind < ARM_TESTS ? keys[kind] : "";
}

ArmTestKind arm_verdict_first(const ArmVerdict *verdict) {
  for (int t = 0; t < ARM_TESTS; t++)
    for (size_t i = 0; i < verdict->n; i++)
      if (verdict->joint[i].test[t].is_alarm)
        return (ArmTestKind)t;
  return ARM_TESTS;
}

double arm_verdict_unsure(const ArmJointVerdict *verdict) {
  const ArmTest *gravity = &verdict->test[ARM_TEST_GRAVITY];
  const ArmTest *direction = &verdict->test[ARM_TEST_DIRECTION];
  if (gravity->is_unsure != direction->is_unsure)
    return gravity->is_unsure ? gravity->size : direction->size;
  return fmax(gravity->size, direction->size); /* files do not say which */
}

static void clear_joint(ArmJointVerdict *v) {
  const ArmTest none = {(double)NAN, (double)NAN, (double)NAN, (double)NAN,
                        (double)NAN, false,       false,       false};
  *v = (ArmJointVerdict){.verdict = ARM_VERDICT_UNKNOWN, .untold = ARM_UNTOLD_NO_STROKES};
  v->promised = v->friction = v->rms_even = v->tau = v->lag1 = (double)NAN;
  v->trend = v->trend_sd = v->p = v->worst_hold_A = (double)NAN;
  for (int t = 0; t < ARM_TESTS; t++)
    v->test[t] = none;
}

void arm_verdict_init(ArmVerdict *verdict, size_t n) {
  *verdict = (ArmVerdict){.verdict = ARM_VERDICT_UNKNOWN, .n = n};
  for (size_t i = 0; i < n; i++)
    clear_joint(&verdict->joint[i]);
}

/* Strokes at other speeds may have been recorded, but count for the fit alone (section 1). */
static ArmUntold why_no_replicates(const ArmStrokeFit *fit, const ArmJointStrokes *joint) {
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes);
    if (!fit->strokes[s].is_full)
      return ARM_UNTOLD_SHORT;
  }
  return ARM_UNTOLD_ONE_SPEED;
}

/* More than half of what was swept is in no pair: the tests do not see it, and what they see has
 * little power, but the fit has all of it: with 3 of 12 pairs a gear ratio 10 % off passed. */
static bool has_few_pairs(const ArmStrokeFit *fit, const ArmJointStrokes *joint) {
  size_t rows[2] = {0, 0};
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    rows[fit->strokes[s].is_paired] += fit->strokes[s].sums->rows;
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes + sizeof *fit->strokes->sums);
  }
  return rows[1] < rows[0];
}

static ArmUntold why_untold(const ArmStrokeFit *fit, const ArmJointStrokes *joint, double r2,
                            const ArmVerdictLimits *limits, bool is_unsure) {
  if (!(r2 >= limits->r2)) /* NAN: the current never changes */
    return ARM_UNTOLD_NO_SIGNAL;
  const ArmUntold why = joint->has_replicates ? ARM_UNTOLD_NOTHING : why_no_replicates(fit, joint);
  if (why != ARM_UNTOLD_SHORT && has_few_pairs(fit, joint))
    return ARM_UNTOLD_FEW_PAIRS;
  return why == ARM_UNTOLD_NOTHING && is_unsure ? ARM_UNTOLD_UNSURE : why;
}

static void decide(const ArmStrokeFit *fit, const ArmJointStrokes *joint, double r2,
                   const ArmVerdictLimits *limits, ArmJointVerdict *v) {
  const bool is_misfit = v->test[ARM_TEST_STROKE].is_alarm || v->test[ARM_TEST_GRAVITY].is_alarm ||
                         v->test[ARM_TEST_DIRECTION].is_alarm;
  const bool is_unsure =
      !is_misfit && (v->test[ARM_TEST_GRAVITY].is_unsure || v->test[ARM_TEST_DIRECTION].is_unsure);
  v->p = fmin(v->test[ARM_TEST_STROKE].p,
              fmin(v->test[ARM_TEST_GRAVITY].p, v->test[ARM_TEST_DIRECTION].p));
  v->untold = why_untold(fit, joint, r2, limits, is_unsure);
  v->verdict = is_misfit                         ? ARM_VERDICT_MISFIT
               : v->untold == ARM_UNTOLD_NOTHING ? ARM_VERDICT_FITS
                                                 : ARM_VERDICT_UNKNOWN;
}

static ArmStatus judge_joint(const ArmStrokeFit *fit, size_t i, double r2,
                             const ArmVerdictLimits *limits, ArmJointVerdict *v) {
  const ArmJointStrokes *joint = &fit->joint[i];
  if (arm_rows_are_left_out(fit->ident->rows_by_use[i]))
    v->untold = ARM_UNTOLD_LEFT_OUT;
  if (joint->strokes == 0)
    return ARM_OK;
  v->strokes = joint->strokes;
  v->untold = ARM_UNTOLD_NO_PAIRS;
  if (joint->pairs == 0)
    return ARM_OK;
  const ArmStatus status = arm_stroke_fit_judge(fit, i, limits, v);
  if (status == ARM_OK)
    decide(fit, joint, r2, limits, v);
  return status;
}

ArmStatus arm_stroke_fit_verdict(const ArmStrokeFit *fit, ArmStatus solved, const double *r2,
                                 const ArmVerdictLimits *limits, ArmVerdict *verdict) {
  const size_t n = fit->ident->model->n;
  ArmStatus status = solved;
  arm_verdict_init(verdict, n);
  for (size_t i = 0; i < n && status == ARM_OK; i++)
    status = judge_joint(fit, i, r2[i], limits, &verdict->joint[i]);
  for (size_t i = 0; i < n && status == ARM_E_NUMERIC; i++)
    verdict->joint[i].untold = ARM_UNTOLD_NUMERIC;
  verdict->verdict = ARM_VERDICT_FITS;
  for (size_t i = 0; i < n; i++)
    if (verdict->joint[i].verdict > verdict->verdict)
      verdict->verdict = verdict->joint[i].verdict;
  verdict->chi2 = fit->chi2;
  verdict->rows = fit->rows;
  return status == ARM_E_NUMERIC ? ARM_OK : status;
}

ArmStatus arm_verdict_find(const ArmIdent *ident, const ArmStrokes *strokes, const double *theta,
                           const double *r2, const ArmVerdictLimits *limits, ArmVerdict *verdict,
                           ArmDiagnosis *diagnosis) {
  ArmStrokeFit *fit = calloc(1, sizeof *fit);
  if (!fit)
    return ARM_E_MEMORY;
  ArmStatus status = arm_stroke_fit_init(ident, strokes, fit), solved = ARM_E_NUMERIC;
  if (diagnosis)
    *diagnosis = (ArmDiagnosis){0};
  if (status == ARM_OK) {
    solved = arm_stroke_fit_solve(fit, theta, limits);
    status = arm_stroke_fit_verdict(fit, solved, r2, limits, verdict);
  }
  if (status == ARM_OK && solved == ARM_OK && diagnosis)
    status = arm_diagnose(fit, strokes, verdict, NULL, NULL, diagnosis);
  arm_stroke_fit_clear(fit);
  free(fit);
  return status == ARM_E_NUMERIC ? ARM_OK : status;
}
