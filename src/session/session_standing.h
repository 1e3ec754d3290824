/* SPDX-License-Identifier: MIT */
/* What undo of an edit gives back: session/standing.h. */
#ifndef ARMATURE_SESSION_SESSION_STANDING_H
#define ARMATURE_SESSION_SESSION_STANDING_H

#include "session/session_core.h"

/* Before an edit: remembers edits and states, unless more had passed with those remembered. */
void ase_session_remember_standing(AseSession *self);
/* After an edit: if it made the edits those remembered, states and plan are what they were. */
void ase_session_return_to_standing(AseSession *self);

#endif
