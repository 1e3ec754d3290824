/* SPDX-License-Identifier: MIT */
/* The calibration report: what was measured, how, what came out and how sure it is, to be signed.
 * In the user's language. */
#ifndef ARMATURE_UI_REPORT_H
#define ARMATURE_UI_REPORT_H

#include "session/session.h"
#include "ui/report_page.h"

/* What no session knows; NULL or "": left out. */
typedef struct {
  const char *operator_name, *lab, *notes;
  AuiPaper paper;
} AuiReportNotes;

/* Main thread. NULL: AIO_ERROR_NOT_FOUND, there is no fit yet. Free with aui_flow_free. */
AuiFlow *aui_report_new(AseSession *session, const AuiReportNotes *notes, GError **error);

/* As a PDF, over an older file. false: what aui_report_new and aui_flow_write_pdf report. */
bool aui_report_write(AseSession *session, const AuiReportNotes *notes, const char *path,
                      GError **error);

#endif
