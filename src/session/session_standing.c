/* SPDX-License-Identifier: MIT */
/* Where the calibration stood before edits. Results do not rest on the way to an edit: when undo,
 * redo or a hand makes the edits again what they were, and nothing was measured or computed with
 * others meanwhile, what had passed has passed. A plan may be proposed and forecast meanwhile: it
 * is an edit too, and takes nothing from what was measured. */
#include "session/session_editor.h"

struct AseStanding {
  char *arm_text;
  AseEdits edits;
  AseProcedure procedure;
  ArmPlanReport *forecast; /* counted; NULL: none */
  bool has_itinerary, wants_validation;
};

void ase_standing_free(AseStanding *standing) {
  if (!standing)
    return;
  ase_forecast_unref(standing->forecast);
  g_free(standing->arm_text);
  g_free(standing);
}

void ase_session_forget_standing(AseSession *self) {
  g_clear_pointer(&self->editor->standing, ase_standing_free);
}

static guint count_passed(const AseProcedure *procedure) {
  guint passed = 0;
  for (guint k = ASE_STEP_PLAN; k < ASE_STEPS; k++)
    passed += ase_state_is_done(procedure->steps[k].state);
  return passed;
}

void ase_session_remember_standing(AseSession *self) {
  if (!ase_session_is_free(self, NULL) ||
      (self->editor->standing &&
       count_passed(self->procedure) < count_passed(&self->editor->standing->procedure)))
    return;
  ase_session_forget_standing(self);
  AseStanding *standing = g_new0(AseStanding, 1);
  standing->arm_text = g_strdup(self->editor->arm_text);
  memcpy(&standing->edits, self->edits, sizeof standing->edits); /* compared as bytes */
  standing->procedure = *self->procedure;
  standing->forecast = ase_planned_ref_forecast(self->planned);
  standing->has_itinerary = ase_planned_itinerary(self->planned) != NULL;
  standing->wants_validation = ase_results_wants_validation(self->results);
  self->editor->standing = standing;
}

static void restore_plan(AseSession *self, const AseStanding *standing) {
  ase_session_forget_plan(self);
  if (standing->forecast)
    ase_planned_take_forecast(self->planned, g_atomic_rc_box_acquire(standing->forecast));
  ase_planned_want_forecast(self->planned,
                            !standing->forecast && self->edits->has_plan &&
                                self->procedure->steps[ASE_STEP_PLAN].state == ASE_STATE_PASSED);
  if (standing->has_itinerary)
    ase_planned_take_itinerary(self->planned, ase_session_plan_itinerary(self, NULL));
}

/* The controller may have become another one meanwhile, or stand elsewhere. */
static void meet_again(AseSession *self, bool has_checked) {
  if (ase_device_link(self->device) != ASE_LINK_READY)
    return;
  ase_procedure_meet(self->procedure, ase_device_description(self->device)->serial, 0);
  if (has_checked && self->procedure->steps[ASE_STEP_DESCRIBE].state == ASE_STATE_PASSED)
    ase_contact_check(self->contact);
}

void ase_session_return_to_standing(AseSession *self) {
  if (!self->editor->standing ||
      strcmp(self->editor->standing->arm_text, self->editor->arm_text) != 0 ||
      ase_edits_difference(&self->editor->standing->edits, self->edits))
    return;
  AseStanding *standing = g_steal_pointer(&self->editor->standing);
  AseProcedure *now = g_memdup2(self->procedure, sizeof *now);
  const bool has_checked = standing->procedure.steps[ASE_STEP_CHECK].state == ASE_STATE_PASSED;
  memcpy(self->edits, &standing->edits, sizeof *self->edits); /* with where the plan is from */
  *self->procedure = standing->procedure;
  for (guint k = 0; k < ASE_STEP_PLAN; k++)
    self->procedure->steps[k] = now->steps[k];
  restore_plan(self, standing);
  if (standing->wants_validation)
    ase_results_want_validation(self->results, true);
  meet_again(self, has_checked);
  g_free(now);
  ase_standing_free(standing);
}
