/* SPDX-License-Identifier: MIT */
/* Where a calibration stood before edits. Results do not rest on the way to an edit: when undo,
 * redo or a hand makes the edits again what they were, and nothing was measured or computed with
 * others meanwhile, what had passed has passed. A plain value. */
#ifndef ARMATURE_SESSION_STANDING_H
#define ARMATURE_SESSION_STANDING_H

#include "session/edits.h"
#include "session/procedure.h"

typedef struct {
  char *arm_text;
  AseEdits edits;
  AseProcedure procedure;
  ArmPlanReport *forecast; /* counted; NULL: none */
  bool has_itinerary, wants_validation;
} AseStanding;

/* Copies; the forecast and what follows it are the caller's to set. */
AseStanding *ase_standing_new(const char *arm_text, const AseEdits *edits,
                              const AseProcedure *procedure);
void ase_standing_free(AseStanding *standing); /* NULL allowed */

/* There were more results (ase_step_is_result) than there are now. A plan may be proposed and
 * forecast meanwhile: it is an edit too, and takes nothing from what was measured. */
bool ase_standing_is_ahead(const AseStanding *standing, const AseProcedure *now);
/* Arm and edits are those of then. */
bool ase_standing_is_met(const AseStanding *standing, const char *arm_text, const AseEdits *edits);
/* Edits, with where the plan is from, and steps are those of then; but what is connected may have
 * become another one, so that steps that are no results stay as they are. */
void ase_standing_restore(const AseStanding *standing, AseEdits *edits, AseProcedure *procedure);

#endif
