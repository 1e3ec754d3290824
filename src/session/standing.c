/* SPDX-License-Identifier: MIT */
#include "session/standing.h"

#include <string.h>

#include "session/measure/planned.h"

AseStanding *ase_standing_new(const char *arm_text, const AseEdits *edits,
                              const AseProcedure *procedure) {
  AseStanding *standing = g_new0(AseStanding, 1);
  standing->arm_text = g_strdup(arm_text);
  memcpy(&standing->edits, edits, sizeof standing->edits); /* compared as bytes */
  standing->procedure = *procedure;
  return standing;
}

void ase_standing_free(AseStanding *standing) {
  if (!standing)
    return;
  ase_forecast_unref(standing->forecast);
  g_free(standing->arm_text);
  g_free(standing);
}

static guint count_passed(const AseProcedure *procedure) {
  guint passed = 0;
  for (guint k = ASE_STEP_PLAN; k < ASE_STEPS; k++)
    passed += ase_state_is_done(procedure->steps[k].state);
  return passed;
}

bool ase_standing_is_ahead(const AseStanding *standing, const AseProcedure *now) {
  return count_passed(now) < count_passed(&standing->procedure);
}

bool ase_standing_is_met(const AseStanding *standing, const char *arm_text, const AseEdits *edits) {
  return strcmp(standing->arm_text, arm_text) == 0 &&
         !ase_edits_difference(&standing->edits, edits);
}

void ase_standing_restore(const AseStanding *standing, AseEdits *edits, AseProcedure *procedure) {
  AseStepInfo before[ASE_STEP_PLAN];
  memcpy(before, procedure->steps, sizeof before);
  memcpy(edits, &standing->edits, sizeof *edits);
  *procedure = standing->procedure;
  memcpy(procedure->steps, before, sizeof before);
}
