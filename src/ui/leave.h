/* SPDX-License-Identifier: MIT */
/* Closing a window whose arm moves or is armed, or whose session has something in memory that its
 * file could not take. */
#ifndef ARMATURE_UI_LEAVE_H
#define ARMATURE_UI_LEAVE_H

#include <gtk/gtk.h>

#include "session/session.h"

/* From now on the window asks before it closes: "Hold and close" of an arm that could move, then
 * whether to lose what is not saved. gtk_window_destroy asks nothing. */
void aui_leave_install(GtkWindow *window, AseSession *session);

#endif
