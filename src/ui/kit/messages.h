/* SPDX-License-Identifier: MIT */
/* All messages of a session, one below the other, up to a bound; the newest is in sight unless
 * somebody reads further up. Lines can be chosen and copied. */
#ifndef ARMATURE_UI_MESSAGES_H
#define ARMATURE_UI_MESSAGES_H

#include <gtk/gtk.h>

#define AUI_TYPE_MESSAGES (aui_messages_get_type())
G_DECLARE_FINAL_TYPE(AuiMessages, aui_messages, AUI, MESSAGES, GtkBox)

/* The oldest line goes when there are too many. */
void aui_messages_append(AuiMessages *self, const char *line);

#endif
