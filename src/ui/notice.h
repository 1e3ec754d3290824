/* SPDX-License-Identifier: MIT */
/* A bar below the header: something to know about this session, which stays until it is closed; an
 * error until it is over. */
#ifndef ARMATURE_UI_NOTICE_H
#define ARMATURE_UI_NOTICE_H

#include <gtk/gtk.h>

#define AUI_TYPE_NOTICE (aui_notice_get_type())
G_DECLARE_FINAL_TYPE(AuiNotice, aui_notice, AUI, NOTICE, GtkBox)

/* type: GTK_MESSAGE_INFO, _WARNING or _ERROR. "" hides it. In one line, as it may
 * contain a stranger's name (io/base/safe_text). */
void aui_notice_show(AuiNotice *self, GtkMessageType type, const char *text);
const char *aui_notice_text(AuiNotice *self); /* "" when nothing is shown; borrowed */

#endif
