/* SPDX-License-Identifier: MIT */
/* What the controller says of itself, how the line does, and what CHECK finds, with its reasons. */
#ifndef ARMATURE_UI_CONTROLLER_FACTS_H
#define ARMATURE_UI_CONTROLLER_FACTS_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_CONTROLLER_FACTS (aui_controller_facts_get_type())
G_DECLARE_FINAL_TYPE(AuiControllerFacts, aui_controller_facts, AUI, CONTROLLER_FACTS, GtkBox)

GtkWidget *aui_controller_facts_new(AseSession *session);

#endif
