/* SPDX-License-Identifier: MIT */
/* Files to export: what each is for, where it went. */
#ifndef ARMATURE_UI_EXPORT_FILES_H
#define ARMATURE_UI_EXPORT_FILES_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/report/report_details.h"

#define AUI_TYPE_EXPORT_FILES (aui_export_files_get_type())
G_DECLARE_FINAL_TYPE(AuiExportFiles, aui_export_files, AUI, EXPORT_FILES, GtkBox)

/* details: what the report shall say */
GtkWidget *aui_export_files_new(AseSession *session, AuiReportDetails *details);

/* As if the path had been chosen with the button. Not while a report is being written. */
void aui_export_files_save_report(AuiExportFiles *self, const char *path);

#endif
