/* SPDX-License-Identifier: MIT */
/* The object: made, closed, freed. */
#ifndef ARMATURE_SESSION_SESSION_OBJECT_H
#define ARMATURE_SESSION_SESSION_OBJECT_H

#include "session/session_core.h"

/* Of nothing yet: a file is to be started or loaded. program, is_read_only: as ase_record_new. */
AseSession *ase_session_new(const char *path, const char *program, const char *arm_name,
                            bool is_read_only);

#endif
