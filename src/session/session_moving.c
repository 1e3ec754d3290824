/* SPDX-License-Identifier: MIT */
#include "session/session_moving.h"

#include <glib/gi18n-lib.h>

AseItinerary *ase_session_plan_itinerary(AseSession *self, GError **error) {
  AseFreedom freedom;
  double start[ARM_MAX_JOINTS];
  ase_edits_freedom(self->edits, &freedom);
  if (!ase_device_pose(self->device, start))
    for (gsize j = 0; j < self->arm->model.n; j++)
      start[j] = 0.5 * (freedom.low[j] + freedom.high[j]);
  return ase_session_measuring(self)->legs(&self->arm->model, &self->edits->plan, &freedom,
                                           &self->edits->itinerary, start, error);
}

bool ase_session_may_move_now(AseSession *self, GError **error) {
  double q[ARM_MAX_JOINTS];
  if (ase_record_disk_failure(self->record))
    return ase_session_refuse_kept(error, ase_record_disk_failure(self->record));
  if (!ase_device_is_armed(self->device))
    return ase_session_refuse(error, N_("the arm is not armed; arm it first"));
  if (ase_device_is_silent(self->device))
    return ase_session_refuse(error,
                              N_("the controller has fallen silent; connect it again first"));
  if (!ase_device_pose(self->device, q))
    return ase_session_refuse(error, N_("where the arm stands is not known; connect it again"));
  return true;
}

bool ase_session_has_room(AseSession *self, const AseItinerary *doing, GError **error) {
  return aio_store_check_space(ase_record_path(self->record), self->procedure->joints,
                               ase_contact_telemetry_hz(self->contact), doing->duration_s, error);
}

/* ---- its runs ---- */

static gint64 on_begin(void *ctx, const AseLeg *leg) {
  AseSession *self = ctx;
  if (leg->sweeps)
    ase_record_supersede_sweep(self->record, leg);
  return ase_record_begin_run(self->record, leg);
}

static void on_end(void *ctx, const AseRun *run) {
  ase_record_end_run(((AseSession *)ctx)->record, run);
}

AseRunLog ase_session_run_log(AseSession *self) {
  return (AseRunLog){.begin = on_begin, .end = on_end, .ctx = self};
}

/* A halt for the disk says so, though it may take what is measured again by now. */
const char *ase_session_why_stopped(const AseSession *self, const char *reason) {
  const char *halted_for = ase_record_halted_for(self->record);
  return halted_for && ase_motion_ended_by(self->motion) == ASE_END_HELD ? halted_for : reason;
}
