/* SPDX-License-Identifier: MIT */
/* Of session_recording.c, for those that are not yet told apart from it. */
#ifndef ARMATURE_SESSION_SESSION_INTERNAL_H
#define ARMATURE_SESSION_SESSION_INTERNAL_H

#include "session/session_core.h"
#include "session/session_moving.h"

static inline const char *ase_session_arm_name(const AseSession *self) {
  return ase_editor_arm_name(self->editor);
}

void ase_recording_free(AseRecording *recording); /* NULL allowed */
/* There is one to be followed, and it has been checked. */
bool ase_session_has_motion(const AseSession *self);
/* A run of the file, of a motion that did not come to its end: it counts no more when one is
 * recorded. */
void ase_session_note_unfinished(AseSession *self, gint64 run);
/* The arm or its ranges are others now. */
void ase_session_outdate_motion(AseSession *self);
/* The session is closing. */
void ase_session_recording_abandon(AseSession *self);

#endif
