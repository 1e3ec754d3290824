/* SPDX-License-Identifier: MIT */
/* UPLOAD and VERIFY. */
#ifndef ARMATURE_SESSION_SESSION_TRANSFER_H
#define ARMATURE_SESSION_SESSION_TRANSFER_H

#include "session/session_core.h"

/* `accepted` by the user for this upload, NULL: nothing. */
bool ase_session_start_transfer(AseSession *self, AseStep step, const AseUploadDoubts *accepted,
                                GError **error);

#endif
