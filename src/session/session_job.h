/* SPDX-License-Identifier: MIT */
/* The computation of a step, as a job. */
#ifndef ARMATURE_SESSION_SESSION_JOB_H
#define ARMATURE_SESSION_SESSION_JOB_H

#include "session/session_core.h"

void ase_session_start_job(AseSession *self, AseStep step, const AseJobTask *task);
/* When the job is done: its step is over. */
void ase_session_end_job(AseSession *self);

#endif
