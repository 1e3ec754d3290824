/* SPDX-License-Identifier: MIT */
/* PLAN, and the forecast of a plan that has passed. */
#ifndef ARMATURE_SESSION_SESSION_PLAN_H
#define ARMATURE_SESSION_SESSION_PLAN_H

#include "session/session_core.h"

void ase_session_start_plan(AseSession *self);
/* For a plan of this arm, within what is free, without what was found. planning: zeros before. */
void ase_session_planning(const AseSession *self, AsePlanning *planning);

#endif
