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

static guint count_done(const AseProcedure *procedure) {
  const AseSteps *table = procedure->table;
  guint done = 0;
  for (guint k = 0; k < table->count; k++)
    done += ase_step_is_result(&table->rows[k]) &&
            ase_state_is_done(procedure->steps[table->rows[k].step].state);
  return done;
}

bool ase_standing_is_ahead(const AseStanding *standing, const AseProcedure *now) {
  return count_done(now) < count_done(&standing->procedure);
}

bool ase_standing_is_met(const AseStanding *standing, const char *arm_text, const AseEdits *edits) {
  return strcmp(standing->arm_text, arm_text) == 0 &&
         !ase_edits_difference(&standing->edits, edits);
}

void ase_standing_restore(const AseStanding *standing, AseEdits *edits, AseProcedure *procedure) {
  const AseSteps *table = procedure->table;
  const AseProcedure now = *procedure;
  memcpy(edits, &standing->edits, sizeof *edits);
  *procedure = standing->procedure;
  for (guint k = 0; k < table->count; k++) {
    const AseStep step = table->rows[k].step;
    if (ase_step_is_result(&table->rows[k]))
      continue;
    procedure->steps[step] = now.steps[step];
    memcpy(procedure->joint[step], now.joint[step], sizeof now.joint[step]);
  }
}
