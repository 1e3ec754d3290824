/* SPDX-License-Identifier: MIT */
/* DRY_RUN and SWEEP. */
#ifndef ARMATURE_SESSION_SESSION_MOTION_H
#define ARMATURE_SESSION_SESSION_MOTION_H

#include "session/session_core.h"

/* joint 0: all, or what is left of them. */
bool ase_session_motion_start(AseSession *self, AseStep step, guint joint, GError **error);

#endif
