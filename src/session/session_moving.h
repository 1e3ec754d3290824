/* SPDX-License-Identifier: MIT */
/* What any motion of the arm asks for: where it begins, whether it may, where its runs go. */
#ifndef ARMATURE_SESSION_SESSION_MOVING_H
#define ARMATURE_SESSION_SESSION_MOVING_H

#include "session/session_core.h"

/* From the newest pose, else the middle of what is free. */
AseItinerary *ase_session_plan_itinerary(AseSession *self, GError **error);
/* Armed, heard, a pose, a disk that takes what is measured. */
bool ase_session_may_move_now(AseSession *self, GError **error);
bool ase_session_has_room(AseSession *self, const AseItinerary *doing, GError **error);
/* For a runner of this session. */
AseRunLog ase_session_run_log(AseSession *self);
/* Why it stopped, in words: the disk, where the arm was halted for it. */
const char *ase_session_why_stopped(const AseSession *self, const char *reason);

#endif
