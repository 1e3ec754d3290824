/* SPDX-License-Identifier: MIT */
/* The one thing to do next, as one accented button: from a new session to an exported, validated
 * parameter file with the defaults. After the last sweep it disarms, fits and validates by itself,
 * which moves nothing. */
#ifndef ARMATURE_UI_NEXT_H
#define ARMATURE_UI_NEXT_H

#include <gtk/gtk.h>

#include "session/next.h"

#define AUI_TYPE_NEXT_BUTTON (aui_next_button_get_type())
G_DECLARE_FINAL_TYPE(AuiNextButton, aui_next_button, AUI, NEXT_BUTTON, GtkBox)

/* Below the steps. Shows pages by the action session.page, and exports by session.export. */
GtkWidget *aui_next_button_new(AseSession *session);

#endif
