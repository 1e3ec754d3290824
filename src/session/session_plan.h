/* SPDX-License-Identifier: MIT */
/* PLAN, and the forecast of a plan that has passed. */
#ifndef ARMATURE_SESSION_SESSION_PLAN_H
#define ARMATURE_SESSION_SESSION_PLAN_H

#include "session/session_core.h"

void ase_session_start_plan(AseSession *self);
/* Its limits are what is free. */
void ase_session_plan_options(const AseSession *self, ArmModel *model, ArmPlanOptions *options);

#endif
