/* SPDX-License-Identifier: MIT */
/* Where to go on: the sessions that were open lately, each with its arm, date and how far it came;
 * a click opens one. Not to be seen while there is none. */
#ifndef ARMATURE_UI_RECENT_LIST_H
#define ARMATURE_UI_RECENT_LIST_H

#include <adwaita.h>

#include "session/procedure.h"

enum { AUI_RECENT_SHOWN = 6 };

#define AUI_TYPE_RECENT_LIST (aui_recent_list_get_type())
G_DECLARE_FINAL_TYPE(AuiRecentList, aui_recent_list, AUI, RECENT_LIST, AdwPreferencesGroup)

/* own: path of the session in whose window it is, which is left out. Opens by the action
 * app.open-path. */
GtkWidget *aui_recent_list_new(const char *own);

#endif
