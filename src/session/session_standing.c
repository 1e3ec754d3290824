/* SPDX-License-Identifier: MIT */
/* Where the calibration stood before edits. Results do not rest on the way to an edit: when undo,
 * redo or a hand makes the edits again what they were, and nothing was measured or computed with
 * others meanwhile, what had passed has passed. A plan may be proposed and forecast meanwhile: it
 * is an edit too, and takes nothing from what was measured. */
#include "session/session_internal.h"

struct AseStanding {
  char *arm_text;
  AseEdits edits;
  AseProcedure procedure;
  ArmPlanReport *forecast; /* counted; NULL: none */
  bool has_itinerary, wants_validation;
};

static void standing_free(AseStanding *standing) {
  ase_forecast_unref(standing->forecast);
  g_free(standing->arm_text);
  g_free(standing);
}

void ase_session_forget_standing(AseSession *self) {
  g_clear_pointer(&self->standing, standing_free);
}

static guint count_passed(const AseProcedure *procedure) {
  guint passed = 0;
  for (guint k = ASE_STEP_PLAN; k < ASE_STEPS; k++)
    passed += ase_state_is_done(procedure->steps[k].state);
  return passed;
}

void ase_session_remember_standing(AseSession *self) {
  if (!ase_session_is_free(self, NULL) ||
      (self->standing && count_passed(self->procedure) < count_passed(&self->standing->procedure)))
    return;
  ase_session_forget_standing(self);
  AseStanding *standing = g_new0(AseStanding, 1);
  standing->arm_text = g_strdup(self->arm_text);
  memcpy(&standing->edits, self->edits, sizeof standing->edits); /* compared as bytes */
  standing->procedure = *self->procedure;
  standing->forecast = self->forecast ? g_atomic_rc_box_acquire(self->forecast) : NULL;
  standing->has_itinerary = self->itinerary != NULL;
  standing->wants_validation = self->wants_validation;
  self->standing = standing;
}

static void restore_plan(AseSession *self, const AseStanding *standing) {
  ase_session_forget_plan(self);
  self->forecast = standing->forecast ? g_atomic_rc_box_acquire(standing->forecast) : NULL;
  self->wants_forecast = !self->forecast && self->edits->has_plan &&
                         self->procedure->steps[ASE_STEP_PLAN].state == ASE_STATE_PASSED;
  if (standing->has_itinerary)
    self->itinerary = ase_session_plan_itinerary(self, NULL);
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
  if (!self->standing || strcmp(self->standing->arm_text, self->arm_text) != 0 ||
      ase_edits_difference(&self->standing->edits, self->edits))
    return;
  AseStanding *standing = g_steal_pointer(&self->standing);
  AseProcedure *now = g_memdup2(self->procedure, sizeof *now);
  const bool has_checked = standing->procedure.steps[ASE_STEP_CHECK].state == ASE_STATE_PASSED;
  memcpy(self->edits, &standing->edits, sizeof *self->edits); /* with where the plan is from */
  *self->procedure = standing->procedure;
  for (guint k = 0; k < ASE_STEP_PLAN; k++)
    self->procedure->steps[k] = now->steps[k];
  restore_plan(self, standing);
  self->wants_validation |= standing->wants_validation;
  meet_again(self, has_checked);
  g_free(now);
  standing_free(standing);
}
