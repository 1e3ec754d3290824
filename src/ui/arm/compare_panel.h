/* SPDX-License-Identifier: MIT */
/* Beside the arm: where its file and the controller differ, at any time; and, on request, what has
 * changed in the controller since its last backup. */
#ifndef ARMATURE_UI_COMPARE_PANEL_H
#define ARMATURE_UI_COMPARE_PANEL_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_COMPARE_PANEL (aui_compare_panel_get_type())
G_DECLARE_FINAL_TYPE(AuiComparePanel, aui_compare_panel, AUI, COMPARE_PANEL, GtkBox)

GtkWidget *aui_compare_panel_new(AseSession *session);

#endif
