/* SPDX-License-Identifier: MIT */
/* What keeps the arm from being used, over the full width and in red: cause, what the arm does,
 * what a person can do, and the one button that helps. A disk that fails has a bar of its own. */
#ifndef ARMATURE_UI_BANNER_H
#define ARMATURE_UI_BANNER_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_BANNER (aui_banner_get_type())
G_DECLARE_FINAL_TYPE(AuiBanner, aui_banner, AUI, BANNER, GtkBox)

void aui_banner_set_session(AuiBanner *self, AseSession *session);

/* Silence is time that passes: now and then, besides what the session and its device tell. */
void aui_banner_refresh(AuiBanner *self);

/* All of what it says; "": nothing. Borrowed. */
const char *aui_banner_text(AuiBanner *self);

#endif
