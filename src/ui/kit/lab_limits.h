/* SPDX-License-Identifier: MIT */
/* What the lab accepts of a misfit in sessions to come; the user's settings keep it. */
#ifndef ARMATURE_UI_LAB_LIMITS_H
#define ARMATURE_UI_LAB_LIMITS_H

#include "session/session.h"

/* A session that was just made begins with what is kept. */
void aui_lab_limits_begin(AseSession *session);

/* Keeps what this session accepts, of its validation too. */
void aui_lab_limits_keep(AseSession *session);

#endif
