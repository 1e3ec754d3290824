/* SPDX-License-Identifier: MIT */
/* The window of one session: steps, pages, the two stops, what is happening. */
#ifndef ARMATURE_UI_WINDOW_H
#define ARMATURE_UI_WINDOW_H

#include <adwaita.h>

#include "session/session.h"

#define AUI_TYPE_WINDOW (aui_window_get_type())
G_DECLARE_FINAL_TYPE(AuiWindow, aui_window, AUI, WINDOW, AdwApplicationWindow)

/* Keeps a reference to the session; closing the window closes it. application may be NULL. */
GtkWidget *aui_window_new(AdwApplication *application, AseSession *session);

/* "connect", "arm", "plan", "sweep", "fit", "validate", "export" */
void aui_window_show_page(AuiWindow *self, const char *name);

AseSession *aui_window_session(AuiWindow *self); /* borrowed */

#endif
