/* SPDX-License-Identifier: MIT */
/* Writes the calibration report while the program goes on: laid out and drawn in slices of the main
 * loop, since PLplot knows one thread only (see ui/plot/painter.h); what needs a disk is in a
 * thread.
 *
 * When the session changes before all of it is laid out, it is begun again. The file is whole, or
 * as it was before. */
#ifndef ARMATURE_UI_REPORT_JOB_H
#define ARMATURE_UI_REPORT_JOB_H

#include "ui/report/report.h"

typedef struct AuiReportJob AuiReportJob;

typedef struct {
  void (*progress)(double part, void *ctx);
  /* NULL: it is written. Else borrowed: AIO_ERROR_NOT_FOUND, there is no fit; what
   * ase_conditions_load, aui_painter_new and aui_pdf_write report. May free the job. */
  void (*done)(const GError *error, void *ctx);
  void *ctx;
} AuiReportWatch;

/* Everything is copied, the session referenced. Main thread. */
AuiReportJob *aui_report_job_start(AseSession *session, const AuiReportNotes *notes,
                                   const char *path, const AuiReportWatch *watch);

/* Cancels it if it still runs; `done` is not called any more. NULL allowed. */
void aui_report_job_free(AuiReportJob *job);

#endif
