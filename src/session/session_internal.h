/* SPDX-License-Identifier: MIT */
/* Of session_recording.c, for those that are not yet told apart from it. */
#ifndef ARMATURE_SESSION_SESSION_INTERNAL_H
#define ARMATURE_SESSION_SESSION_INTERNAL_H

#include "session/record/followed.h"
#include "session/session_core.h"
#include "session/session_moving.h"

static inline const char *ase_session_arm_name(const AseSession *self) {
  return ase_editor_arm_name(self->editor);
}

void ase_recording_free(AseRecording *recording); /* NULL allowed */
/* There is one to be followed, and it has been checked. */
bool ase_session_has_motion(const AseSession *self);
/* What the text of the steps says of motions that were followed; false: as ase_followed_from_json.
 */
bool ase_session_recall_motions(AseSession *self, const char *steps, GError **error);
/* A run of the file, of a motion, that counts; whole or not: then no more when one is recorded. */
void ase_session_meet_motion_run(AseSession *self, gint64 run, bool is_whole);
/* For that text; NULL: none was followed. g_free. */
char *ase_session_motions_json(const AseSession *self);
/* The motion that was followed last, and what came of it; NULL: none was. Borrowed. */
const AseFollowed *ase_session_followed(AseSession *self);
/* The arm or its ranges are others now. */
void ase_session_outdate_motion(AseSession *self);
/* The session is closing. */
void ase_session_recording_abandon(AseSession *self);

#endif
