/* SPDX-License-Identifier: MIT */
/* What is selected of what was measured. An armed arm does not wait for the disk: its lease would
 * end. Its samples are then read in a thread. */
#ifndef ARMATURE_SESSION_SESSION_SELECT_H
#define ARMATURE_SESSION_SESSION_SELECT_H

#include "session/session_core.h"

/* Of AseExclusion, a copy. */
GArray *ase_session_exclusions(AseSession *self);

#endif
