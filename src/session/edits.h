/* SPDX-License-Identifier: MIT */
/* What a user decides besides the arm itself: one plain value, so that undo is a copy. */
#ifndef ARMATURE_SESSION_EDITS_H
#define ARMATURE_SESSION_EDITS_H

#include <glib.h>
#include <stdbool.h>

#include "core/data/dataset.h"
#include "core/params/terms.h"
#include "core/sweeps/plan.h"
#include "core/sweeps/validate.h"
#include "core/sweeps/verdict.h"
#include "session/measure/itinerary.h"
#include "session/measure/runs.h"

enum { ASE_HOLD_RANGES = 64, ASE_EXCLUSIONS = 256 };

typedef struct {
  /* planning: limits, ranges, speeds */
  double low[ARM_MAX_JOINTS], high[ARM_MAX_JOINTS]; /* declared free [rad or m] */
  guint n_holds;
  AseHoldRange holds[ASE_HOLD_RANGES];
  AseItineraryOptions itinerary;
  guint n_speeds;
  double speeds_R[ARM_PLAN_MAX_SPEEDS], speeds_T[ARM_PLAN_MAX_SPEEDS];
  bool has_plan;
  bool is_proposed; /* by PLAN; false: made by hand, PLAN keeps it */
  bool is_outdated; /* proposed for other limits or speeds than these: PLAN proposes anew */
  ArmPlan plan;
  /* data */
  guint n_exclusions;
  AseExclusion exclusions[ASE_EXCLUSIONS];
  ArmRowOptions rows; /* default: plateau, with its ends */
  /* fitting */
  bool offers_term[ARM_TERMS]; /* friction terms (core/params/terms.h) that FIT tries; default:
                                  all, as `fit`. A session from before there were any: none */
  /* judging */
  double validation_limit;   /* error of a joint's sweeps, times what the fit promised; default 2 */
  double validation_percent; /* ... of the rms current, whatever was promised; default 10 */
  double validation_mA;      /* ... at most; 0: the lab sets none */
  double drift_limit;        /* of friction, in sds; default 3 */
  ArmVerdictLimits misfit;   /* of the fit itself; validation_relative is validation_percent */
} AseEdits;

void ase_edits_init(AseEdits *edits, const ArmModel *model);

/* What the lab accepts of sweeps that no fit has seen; the rest is the default of
 * core/sweeps/validate. */
void ase_edits_validation_limits(const AseEdits *edits, ArmValidationLimits *limits);

/* Limits of a file (io/params/verdict_file.h), which holds both kinds. */
void ase_edits_take_limits(AseEdits *edits, const ArmVerdictLimits *limits);

/* What is free, borrowing the edits' holds. */
void ase_edits_freedom(const AseEdits *edits, AseFreedom *freedom);

/* Takes a range of a run out of the fit, or what is excluded within it back in; touching ranges
 * become one, a range that is restored in its middle or in one direction becomes several.
 * false: AIO_ERROR_REFUSED, there would be more than ASE_EXCLUSIONS; edits untouched. */
bool ase_edits_exclude(AseEdits *edits, const AseExclusion *range, GError **error);
bool ase_edits_restore(AseEdits *edits, const AseExclusion *range, GError **error);

/* For a plan made by hand: can it be done within what is free, at speeds that the arm allows?
 * Where the arm stands does not matter. false: AIO_ERROR_REFUSED, naming joint, hold and range. */
bool ase_edits_check_plan(const AseEdits *edits, const ArmModel *model, GError **error);

/* A hold of a joint (from 1) more, at its end; or hold number `hold` (from 1) less, the ranges of
 * those after it following their new numbers. false with AIO_ERROR_REFUSED: it would be more than
 * ARM_PLAN_MAX_HOLDS, or the last one of a joint that sweeps. The plan is not checked.
 *   pose  of every joint; its own entry does not count */
bool ase_edits_add_hold(AseEdits *edits, guint joint, const double *pose, GError **error);
bool ase_edits_remove_hold(AseEdits *edits, guint joint, guint hold, GError **error);

/* As a JSON object, g_free; and back for an arm of n joints: AIO_ERROR_MEANING, AIO_ERROR_SYNTAX,
 * edits untouched. */
char *ase_edits_to_json(const AseEdits *edits, const ArmModel *model);
bool ase_edits_from_json(AseEdits *edits, const ArmModel *model, const char *json, GError **error);

/* By their bytes, as ase_edits_difference. */
bool ase_plan_differs(const ArmPlan *a, const ArmPlan *b);

/* Which inputs of the procedure differ: bit AseInput each. */
guint ase_edits_difference(const AseEdits *a, const AseEdits *b);

#endif
