/* SPDX-License-Identifier: MIT */
/* What only people know of a calibration: operator, laboratory, notes; and the paper. All but the
 * notes are settings, remembered for the next report. */
#ifndef ARMATURE_UI_REPORT_DETAILS_H
#define ARMATURE_UI_REPORT_DETAILS_H

#include <gtk/gtk.h>

#include "ui/report/report.h"

#define AUI_TYPE_REPORT_DETAILS (aui_report_details_get_type())
G_DECLARE_FINAL_TYPE(AuiReportDetails, aui_report_details, AUI, REPORT_DETAILS, GtkBox)

GtkWidget *aui_report_details_new(void);

/* Borrowed until they are edited. Remembers the paper. */
void aui_report_details_get(AuiReportDetails *self, AuiReportNotes *out);

#endif
