/* SPDX-License-Identifier: MIT */
/* The calibration report: what was measured, how, what came out and how sure it is, to be signed.
 * In the user's language. */
#ifndef ARMATURE_UI_REPORT_H
#define ARMATURE_UI_REPORT_H

#include "session/measure/conditions.h"
#include "session/session.h"
#include "ui/report/report_page.h"

/* What no session knows; NULL or "": left out. */
typedef struct {
  const char *operator_name, *lab, *notes;
  AuiPaper paper;
} AuiReportNotes;

/* A report that is being laid out. */
typedef struct AuiReport AuiReport;

/* Session and notes are borrowed; the report is to be given up when the session says "changed".
 * Main thread. NULL: AIO_ERROR_NOT_FOUND, there is no fit yet. */
AuiReport *aui_report_new(AseSession *session, const AuiReportNotes *notes,
                          const AseConditions *conditions, GError **error);
void aui_report_free(AuiReport *report); /* NULL allowed */

/* One section, or the figures of one hold, more; false: that was all. */
bool aui_report_add_part(AuiReport *report);

/* The pages, which nothing binds to the session any more. Free with aui_flow_free. */
AuiFlow *aui_report_take_flow(AuiReport *report);

#endif
