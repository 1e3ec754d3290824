/* SPDX-License-Identifier: MIT */
/* What the contact with the controller asks of a session. */
#ifndef ARMATURE_SESSION_SESSION_DEVICE_H
#define ARMATURE_SESSION_SESSION_DEVICE_H

#include "session/session_core.h"

AseContact *ase_session_make_contact(AseSession *self);

#endif
