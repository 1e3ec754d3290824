/* SPDX-License-Identifier: MIT */
/* The parameters' way into the controller and back: upload with backup, the proof after a restart,
 * a backup brought back; and which fields changed. */
#ifndef ARMATURE_UI_EXPORT_CONTROLLER_H
#define ARMATURE_UI_EXPORT_CONTROLLER_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_EXPORT_CONTROLLER (aui_export_controller_get_type())
G_DECLARE_FINAL_TYPE(AuiExportController, aui_export_controller, AUI, EXPORT_CONTROLLER, GtkBox)

GtkWidget *aui_export_controller_new(AseSession *session);

/* As if it had been chosen with the button. */
void aui_export_controller_restore(AuiExportController *self, const char *path);

#endif
