/* SPDX-License-Identifier: MIT */
/* The seven steps: number, state and why; choosing one shows its page. */
#ifndef ARMATURE_UI_SIDEBAR_H
#define ARMATURE_UI_SIDEBAR_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_SIDEBAR (aui_sidebar_get_type())
G_DECLARE_FINAL_TYPE(AuiSidebar, aui_sidebar, AUI, SIDEBAR, GtkBox)

/* The stack's pages are named as in ui/kit/steps.h. */
GtkWidget *aui_sidebar_new(AseSession *session, GtkStack *stack);

#endif
