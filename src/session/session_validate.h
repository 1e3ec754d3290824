/* SPDX-License-Identifier: MIT */
/* VALIDATE. */
#ifndef ARMATURE_SESSION_SESSION_VALIDATE_H
#define ARMATURE_SESSION_SESSION_VALIDATE_H

#include "session/session_core.h"

void ase_session_validate(AseSession *self);
/* What the parameters of the fit say of its validation, of AioHeldOut; NULL: there is none, nor
 * sweeps for one. g_ptr_array_unref it. */
GPtrArray *ase_session_held_out(AseSession *self);

#endif
