/* SPDX-License-Identifier: MIT */
/* What stands against using a fit, in the same sentences on the page and in the question before an
 * upload. */
#ifndef ARMATURE_UI_EXPORT_WORDS_H
#define ARMATURE_UI_EXPORT_WORDS_H

#include "session/session.h"

/* That nothing tells whether the fit is good, or that it is not, and why. The session has a fit.
 * g_free. */
char *aui_export_fit_text(AseSession *session);

/* That the fit has not passed its validation, and why; of AseUploadDoubts' is_unvalidated. g_free.
 */
char *aui_export_validation_text(AseSession *session);

#endif
