/* SPDX-License-Identifier: MIT */
/* Opening a recording: its columns and first rows, the arm it belongs to, what is wrong with it;
 * and a session begins from it, in a window of its own. */
#ifndef ARMATURE_UI_IMPORT_H
#define ARMATURE_UI_IMPORT_H

#include <gtk/gtk.h>

/* Shows the window.
 *   parent  a session's window whose stop keys it obeys, or NULL
 *   path    a CSV, or NULL: to be chosen */
void aui_import_open(GtkWindow *parent, const char *path);

#endif
