/* SPDX-License-Identifier: MIT */
#include "session/session_job.h"

void ase_session_start_job(AseSession *self, AseStep step, const AseJobTask *task) {
  ase_procedure_start(self->procedure, step, 0);
  ase_work_start(self->work, step, task);
  ase_session_sync(self);
}

void ase_session_end_job(AseSession *self) {
  g_object_ref(self);
  ase_work_end(self->work);
  ase_session_sync(self);
  ase_session_emit_changed(self);
  g_object_unref(self);
}
