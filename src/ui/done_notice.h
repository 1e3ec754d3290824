/* SPDX-License-Identifier: MIT */
/* Tells the desktop when something long has ended while nobody looked. */
#ifndef ARMATURE_UI_DONE_NOTICE_H
#define ARMATURE_UI_DONE_NOTICE_H

#include <gtk/gtk.h>

#include "session/session.h"

enum { AUI_DONE_NOTICE_S = 20 };

/* Worth a notification: what ran for this long ended while the window was inactive. */
bool aui_done_notice_is_due(gint64 began_us, gint64 ended_us, bool is_active);

/* `step` has ended: its title and how, with its reason; pressed, it raises the window. The
 * application must be registered; one notification per step, the latest. */
void aui_done_notice_send(GApplication *application, const AseProcedure *procedure, AseStep step);

/* For as long as the window lives. */
void aui_done_notice_install(GtkWindow *window, AseSession *session);

#endif
