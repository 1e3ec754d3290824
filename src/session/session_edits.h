/* SPDX-License-Identifier: MIT */
/* The arm, edits and undo. */
#ifndef ARMATURE_SESSION_SESSION_EDITS_H
#define ARMATURE_SESSION_SESSION_EDITS_H

#include "session/session_core.h"

/* Both are taken over. */
void ase_session_take_arm(AseSession *self, AioArm *arm, char *arm_text);
/* Passes CONFIGURE; the arm file's warnings become messages. */
void ase_session_configure(AseSession *self);
/* ase_session_set_arm; `what` is the edit in words. */
bool ase_session_set_arm_as(AseSession *self, const char *arm_text, const char *what,
                            GError **error);

#endif
