/* SPDX-License-Identifier: MIT */
/* What the record asks of a session; and where its file is. */
#ifndef ARMATURE_SESSION_SESSION_RECORD_H
#define ARMATURE_SESSION_SESSION_RECORD_H

#include "session/session_core.h"

AseRecord *ase_session_make_record(AseSession *self, const char *path, const char *program,
                                   bool is_read_only);
/* Ranges, speeds, exclusions, plan as they are now, with the arm and the steps where that is
 * another one. */
void ase_session_write_edits(AseSession *self, bool has_arm);

#endif
