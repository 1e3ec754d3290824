/* SPDX-License-Identifier: MIT */
/* FIT. */
#ifndef ARMATURE_SESSION_SESSION_FIT_H
#define ARMATURE_SESSION_SESSION_FIT_H

#include "session/session_core.h"

void ase_session_start_fit(AseSession *self);

#endif
