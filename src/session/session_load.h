/* SPDX-License-Identifier: MIT */
/* What an earlier program left in the file. */
#ifndef ARMATURE_SESSION_SESSION_LOAD_H
#define ARMATURE_SESSION_SESSION_LOAD_H

#include "session/session_core.h"

/* Everything in the store. `interrupted` gets the joint of a run that has not ended, 0:
 * none. */
bool ase_session_load(AseSession *self, AioStore *store, guint *interrupted, GError **error);
/* "resumed: 12 of 20 sweeps, 48211 samples; interrupted in joint 3". g_free. */
char *ase_session_kept(AseSession *self, guint interrupted);
/* The steps that a recording stands for; a restart of the program takes nothing from it. */
void ase_session_pass_imported(AseSession *self);

#endif
