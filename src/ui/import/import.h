/* SPDX-License-Identifier: MIT */
/* Opening a recording: its columns and first rows, the arm it belongs to, what is wrong with it;
 * and a session begins from it, which whoever asked for it shows. */
#ifndef ARMATURE_UI_IMPORT_H
#define ARMATURE_UI_IMPORT_H

#include <gtk/gtk.h>

#include "session/session.h"

/* Is given the session that begins, and keeps the reference. */
typedef void (*AuiImportBegin)(AseSession *session);

/* Shows the window.
 *   parent   the window that it belongs to, or NULL
 *   session  whose stop keys it obeys, or NULL
 *   path     a CSV, or NULL: to be chosen */
void aui_import_open(GtkWindow *parent, AseSession *session, const char *path,
                     AuiImportBegin begin);

#endif
