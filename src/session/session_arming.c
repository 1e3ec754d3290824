/* SPDX-License-Identifier: MIT */
/* May this arm be armed, for this calibration? */
#include <glib/gi18n-lib.h>

#include "session/session_core.h"

/* What is connected is not the arm of the arm file, or it is not well. */
static const char *failure_before(const AseSession *self) {
  const AseSteps *table = self->procedure->table;
  for (guint k = 0; k < table->count; k++) {
    const AseStepInfo *info = &self->procedure->steps[table->rows[k].step];
    if (table->rows[k].inputs & ASE_BIT(ASE_INPUT_DEVICE) && info->state == ASE_STATE_FAILED)
      return info->reason ? info->reason : "";
  }
  return NULL;
}

/* An armed arm moves by what is started next; without a plan or a motion there is nothing to start.
 */
static bool has_plan(AseSession *self, GError **error) {
  const AseStepInfo *info = &self->procedure->steps[ASE_STEP_PLAN];
  if (info->state == ASE_STATE_PASSED || ase_following_is_ready(self->following, NULL))
    return true;
  if (info->state == ASE_STATE_STALE)
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       N_("the plan does not hold any more (%s); make it anew, then arm"),
                       info->reason);
  else
    ase_session_refuse(error, N_("no plan: there is nothing to do for an armed arm; make a plan "
                                 "first"));
  return false;
}

bool ase_session_may_arm(AseSession *self, GError **error) {
  if (ase_record_is_read_only(self->record) || ase_record_is_closed(self->record))
    return ase_session_refuse(error, N_("this session is open for reading only: the arm is not "
                                        "armed from it; open it for writing"));
  if (!ase_device_may_arm(self->device, error))
    return false;
  if (failure_before(self))
    return ase_session_refuse_kept(error, failure_before(self));
  if (ase_record_disk_failure(self->record))
    return ase_session_refuse_kept(error, ase_record_disk_failure(self->record));
  return has_plan(self, error);
}

bool ase_session_begin_arming(AseSession *self, GError **error) {
  return ase_session_may_arm(self, error) && ase_device_arm(self->device, error);
}
