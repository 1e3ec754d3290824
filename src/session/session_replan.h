/* SPDX-License-Identifier: MIT */
/* PLAN of the joints to come, after the first one has been swept. */
#ifndef ARMATURE_SESSION_SESSION_REPLAN_H
#define ARMATURE_SESSION_SESSION_REPLAN_H

#include "session/session_core.h"

/* Where the sweeps in `doing` are to end. joint, out: after whose sweeps the others are planned
 * again; 0: they are not, and it is the end of all. */
guint ase_session_replan_end(const AseSession *self, const AseItinerary *doing, guint *joint);
void ase_session_start_replan(AseSession *self, guint joint);

#endif
