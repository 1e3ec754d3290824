/* SPDX-License-Identifier: MIT */
/* Which part of the session does a step, and whether it may begin: one thing at a time, nothing
 * that needs the arm in a session that is only read, in the procedure's order. */
#include <glib/gi18n-lib.h>

#include "session/session_edits.h"
#include "session/session_fit.h"
#include "session/session_motion.h"
#include "session/session_plan.h"
#include "session/session_transfer.h"
#include "session/session_validate.h"

static bool start_read(AseSession *self, AseStep step, GError **error) {
  switch (step) {
  case ASE_STEP_FIT:
    ase_session_start_fit(self);
    return true;
  case ASE_STEP_VALIDATE:
    ase_session_validate(self);
    return true;
  case ASE_STEP_EXPORT:
    return ase_session_refuse(error, N_("Export: choose a file for the parameters"));
  case ASE_STEP_CONNECT:
  case ASE_STEP_DESCRIBE:
  case ASE_STEP_CHECK:
  case ASE_STEP_CONFIGURE:
  case ASE_STEP_PLAN:
  case ASE_STEP_DRY_RUN:
  case ASE_STEP_SWEEP:
  case ASE_STEP_UPLOAD:
  case ASE_STEP_VERIFY:
  case ASE_STEPS:
    break;
  }
  return ase_session_refuse(error,
                            N_("this session is open for reading only; open it for writing"));
}

static bool start_write(AseSession *self, AseStep step, const AseUploadDoubts *accepted,
                        GError **error) {
  switch (step) {
  case ASE_STEP_CONNECT:
    return ase_session_refuse(error, N_("Connect: choose a port"));
  case ASE_STEP_DESCRIBE:
    return ase_session_refuse(error, N_("Controller: connect it again to ask it again"));
  case ASE_STEP_CHECK:
    ase_contact_check_again(self->contact);
    break;
  case ASE_STEP_CONFIGURE:
    ase_session_configure(self);
    break;
  case ASE_STEP_PLAN:
    ase_session_start_plan(self);
    break;
  case ASE_STEP_DRY_RUN:
  case ASE_STEP_SWEEP:
    return ase_session_motion_start(self, step, 0, error);
  case ASE_STEP_UPLOAD:
  case ASE_STEP_VERIFY:
    if (!ase_session_start_transfer(self, step, accepted, error))
      return false;
    break;
  case ASE_STEP_FIT:
  case ASE_STEP_VALIDATE:
  case ASE_STEP_EXPORT:
  case ASE_STEPS:
    return start_read(self, step, error);
  }
  ase_session_sync(self);
  return true;
}

/* `accepted` by the user for an upload, NULL: nothing. */
static bool start(AseSession *self, AseStep step, const AseUploadDoubts *accepted, GError **error) {
  if (!ase_session_is_free(self, error) || !ase_procedure_may_start(self->procedure, step, error))
    return false;
  if (step != ASE_STEP_PLAN && ase_step_is_result(ase_steps_find(self->procedure->table, step)))
    ase_editor_take_standing(self->editor, NULL);
  return ase_record_is_read_only(self->record) ? start_read(self, step, error)
                                               : start_write(self, step, accepted, error);
}

bool ase_session_start(AseSession *self, AseStep step, GError **error) {
  return start(self, step, NULL, error);
}

bool ase_session_upload_anyway(AseSession *self, const AseUploadDoubts *accepted, GError **error) {
  return start(self, ASE_STEP_UPLOAD, accepted, error);
}

bool ase_session_repeat(AseSession *self, AseStep step, guint joint, GError **error) {
  const AseStepRow *row = ase_steps_find(self->procedure->table, step);
  if (!ase_step_moves(step) || !row || !row->is_jointwise || joint < 1 ||
      joint > self->procedure->joints)
    return ase_session_refuse(error,
                              N_("only the dry run and the sweeps of a joint can be repeated "
                                 "by themselves"));
  if (!ase_session_is_free(self, error))
    return false;
  if (ase_procedure_state(self->procedure, step) != ASE_STATE_PASSED ||
      !ase_planned_itinerary(self->planned))
    return ase_session_refuse(error, N_("finish this step before one joint of it is repeated"));
  ase_editor_take_standing(self->editor, NULL);
  return ase_session_motion_start(self, step, joint, error);
}

bool ase_session_skip(AseSession *self, GError **error) {
  const AseItinerary *doing = ase_motion_doing(self->motion);
  if (doing && doing->trajectory)
    return ase_session_refuse(error, N_("all joints follow one motion, of which no part can be "
                                        "left out; let it come to its end, or hold it"));
  return ase_motion_skip(self->motion) || ase_session_refuse(error, N_("no joint moves now"));
}

void ase_session_cancel(AseSession *self) {
  ase_motion_stop(self->motion);
  ase_diagnosing_cancel(self->diagnosing);
  ase_work_cancel(self->work);
  ase_delivery_cancel(self->delivery);
}
