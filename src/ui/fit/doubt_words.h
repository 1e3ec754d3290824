/* SPDX-License-Identifier: MIT */
/* What is hardly right in a recording and its fit (core/sweeps/plausible.h) in a technician's
 * words, in the user's language. Without widgets. */
#ifndef ARMATURE_UI_DOUBT_WORDS_H
#define ARMATURE_UI_DOUBT_WORDS_H

#include <glib.h>

#include "core/sweeps/ident.h"
#include "session/session.h"

/* "Joint 3: its position changes 57.3 times as fast as its speed says: is the speed in deg/s where
 * rad/s is meant?" g_free. */
char *aui_doubt_text(const ArmGravityFit *fit, const ArmDoubt *doubt);

/* Those with which the numbers are hardly the arm's (severe), or the others, in the order in which
 * they are told. Of char *, g_ptr_array_unref; empty: none, or no fit. */
GPtrArray *aui_doubt_texts(const ArmGravityFit *fit, bool is_severe);
/* The same of a session's fit. */
GPtrArray *aui_session_doubts(AseSession *session, bool is_severe);

/* The first of the severe ones, or of the others, and how many there are besides; "": none. g_free.
 */
char *aui_doubt_summary(const ArmGravityFit *fit, bool is_severe);

#endif
