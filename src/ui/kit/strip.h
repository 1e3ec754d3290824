/* SPDX-License-Identifier: MIT */
/* The bottom of the window: what is happening, how long it will take, the last message; and above
 * it, when asked for, all messages. */
#ifndef ARMATURE_UI_STRIP_H
#define ARMATURE_UI_STRIP_H

#include <gtk/gtk.h>
#include <stdbool.h>

#include "session/session.h"

#define AUI_TYPE_STRIP (aui_strip_get_type())
G_DECLARE_FINAL_TYPE(AuiStrip, aui_strip, AUI, STRIP, GtkBox)

void aui_strip_set_session(AuiStrip *self, AseSession *session);

/* level: as the session's "message". In one line, as it may contain a stranger's name. */
void aui_strip_say(AuiStrip *self, int level, const char *text);

/* Shows or hides all messages. */
void aui_strip_toggle_log(AuiStrip *self);

/* From anywhere in the window: shows why something was not done and clears the error. Returns
 * is_done. aui_say_failed(widget, try(&error), &error) may be written so: it is read after the
 * call. */
bool aui_say_failed(GtkWidget *from, bool is_done, GError **error);

#endif
