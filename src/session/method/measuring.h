/* SPDX-License-Identifier: MIT */
/* What a session asks of the method that it measures for: its steps, a plan, the way of the arm, a
 * fit, what to think of them, what its figures are made of. Functions and lists, which know no
 * session; where they say so, they run in the thread of a job. Joints count from 1. */
#ifndef ARMATURE_SESSION_MEASURING_H
#define ARMATURE_SESSION_MEASURING_H

#include "io/params/params_file.h"
#include "session/base/job.h"
#include "session/measure/itinerary.h"
#include "session/measure/sweep_rows.h"
#include "session/method/figures.h"
#include "session/method/planning.h"
#include "session/method/results.h"
#include "session/method/steps.h"

typedef enum {
  ASE_JUDGED_PASSED,
  ASE_JUDGED_FAILED,
  ASE_JUDGED_UNKNOWN /* nothing tells whether it is good */
} AseJudged;

typedef struct {
  AseJudged judged;
  char *said; /* why, or how good it is: a sentence of io/base/said. g_free */
} AseJudgement;

/* On a fit as a whole, however its joints were judged. */
typedef struct {
  bool is_misfit;   /* the model does not fit, or cannot be right */
  bool is_untold;   /* nothing tells whether it does */
  bool is_doubtful; /* so much that whoever uses the numbers is told again */
  bool has_alarm;   /* the cause of something can be looked for */
} AseVerdict;

/* With what a fit was made, beside its rows. */
typedef struct {
  const ArmRowOptions *rows;
  const ArmVerdictLimits *limits;
  guint exclusions; /* how many */
} AseFitSettings;

/* What is told of a plan before anything moves: sentences of io/base/said; NULL: nothing. Freed by
 * g_free. */
typedef struct {
  char *note, *warning;
} AsePlanRemarks;

typedef struct {
  const AseSteps *steps; /* of its procedure */

  /* In a job: proposes a plan, or takes the given one, and foresees what comes of it. made: zeros
   * before; ase_proposal_clear. false: AIO_ERROR_MEANING, why there is none, or cancelled. */
  bool (*plan)(AseJob *job, const AsePlanning *planning, AseProposal *made, GError **error);
  /* A plan for this arm rests on so little that it is to be made again, for the joints to come,
   * when its first joint has been swept. */
  bool (*plans_again)(const ArmModel *model);
  /* In a job: the given plan with another one for all joints but `joint`, by what the rows of that
   * one show; made and false as above. */
  bool (*plan_again)(AseJob *job, const AsePlanning *planning, const AseSweepRows *rows,
                     const ArmRowOptions *how, guint joint, AseProposal *made, GError **error);
  /* What people read of a plan that was foreseen: how much it is, minutes included, and what will
   * be known then. A sentence; g_free. */
  char *(*plan_said)(const AseProposal *made, double minutes);
  AsePlanRemarks (*remarks)(const ArmModel *model, const ArmPlan *plan,
                            const AseItinerary *itinerary);
  /* The way through a plan: ase_itinerary_new. */
  AseItinerary *(*legs)(const ArmModel *model, const ArmPlan *plan, const AseFreedom *free,
                        const AseItineraryOptions *options, const double *start, GError **error);
  /* What a fit of the plan is expected to know, as a set; arm_param_set_clear. */
  ArmStatus (*foreseen)(const ArmPlanReport *report, ArmParamSet *set);

  /* In a job: the fit of these rows; sets all of `found` but the arm. options: of progress and
   * shelf nothing is looked at. false: AIO_ERROR_MEANING, why there is none; AIO_ERROR_IO, the
   * temporary files; found untouched. */
  bool (*fit)(AseJob *job, const ArmModel *model, const AseSweepRows *rows,
              const ArmFitOptions *options, AseFitted *found, GError **error);
  /* One joint of it; it was swept, or was to be. */
  AseJudgement (*judge)(const AseFit *fit, guint joint);
  /* ... as a set; recursion: of the n -> 1 recursion, without joints where there is none; NULL: it
   * is not wanted. arm_param_set_clear both. */
  ArmStatus (*set)(const AseFit *fit, ArmParamSet *set, ArmParamSet *recursion);

  AseVerdict (*verdict)(const AseFit *fit);
  /* There is something of this joint in it. */
  bool (*has_rows)(const AseFit *fit, guint joint);
  /* Sets those that it has: of the same rows the same joints get them again. */
  void (*offer_terms)(const AseFit *fit, bool offers[ARM_TERMS]);
  /* The options that decide about the result, with their units, as a JSON object; not in a
   * parameter file (is_file) also what came of all that was tried. g_free. */
  char *(*options)(const AseFit *fit, const AseFitSettings *settings, bool is_file);
  /* The text of a parameter file: aio_params_format_validated. g_free. */
  char *(*format)(const AseFit *fit, const char *arm_name, const char *arm_digest,
                  const char *program, const AioProvenance *provenance, const GPtrArray *held_out);

  /* The inverse, of the text that an earlier program wrote. found: all but the rows' digest, the
   * arm's NULL where none is stated; ase_fitted_clear. is_changed: somebody has changed the text
   * since. name: how messages call it. false: what aio_params_load_bytes reports, found and
   * is_changed untouched. */
  bool (*recall)(const char *name, const char *text, gsize length, const ArmModel *model,
                 AseFitted *found, bool *is_changed, GError **error);

  /* In any thread: as ase_validation_compute. */
  bool (*validate)(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                   const AseFit *fit, const ArmRowOptions *rows, const ArmValidationLimits *limits,
                   double drift_limit, GError **error);
  AseJudgement (*judge_validation)(const AseFit *fit, const AseValidation *validation, guint joint);
  /* Sweeps of the validation contradict those of the fit: some joint has failed by more than the
   * fit promised. A limit that the lab sets below what was promised does not. */
  bool (*is_contradicted)(const AseFit *fit, const AseValidation *validation,
                          const ArmValidationLimits *limits);

  /* The figures of a joint, in the order of a page; the last has no key. */
  const AseFigure *figures;
  /* For them: which rows a fit would use, and what this one says of a row; NULL: there is no fit,
   * or of an arm of other joints. ase_predictor_unref. */
  AseSelectRows select;
  AsePredictor *(*predictor)(const ArmModel *model, const AseFit *fit);
} AseMeasuring;

#endif
