/* SPDX-License-Identifier: MIT */
#include "session/session_standing.h"

#include "session/session_moving.h"

void ase_session_remember_standing(AseSession *self) {
  const AseStanding *before = ase_editor_standing(self->editor);
  if (!ase_session_is_free(self, NULL) ||
      (before && ase_standing_is_ahead(before, self->procedure)))
    return;
  AseStanding *standing =
      ase_standing_new(ase_editor_arm_json(self->editor), self->edits, self->procedure);
  standing->forecast = ase_planned_ref_forecast(self->planned);
  standing->has_itinerary = ase_planned_itinerary(self->planned) != NULL;
  standing->wants_validation = ase_results_wants_validation(self->results);
  ase_editor_take_standing(self->editor, standing);
}

static void restore_plan(AseSession *self, const AseStanding *standing) {
  ase_planned_forget(self->planned);
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
  AseStanding *standing = ase_editor_meet_standing(self->editor, self->edits);
  if (!standing)
    return;
  ase_standing_restore(standing, self->edits, self->procedure);
  restore_plan(self, standing);
  if (standing->wants_validation)
    ase_results_want_validation(self->results, true);
  meet_again(self, standing->procedure.steps[ASE_STEP_CHECK].state == ASE_STATE_PASSED);
  ase_standing_free(standing);
}
