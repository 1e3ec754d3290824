/* SPDX-License-Identifier: MIT */
/* Closing a window whose session has something in memory that its file could not take. */
#ifndef ARMATURE_UI_LEAVE_H
#define ARMATURE_UI_LEAVE_H

#include <gtk/gtk.h>

#include "session/session.h"

/* From now on the window asks before it closes and loses that. An arm that is armed is held first:
 * a question takes the keyboard. gtk_window_destroy asks nothing. */
void aui_leave_install(GtkWindow *window, AseSession *session);

#endif
