/* SPDX-License-Identifier: MIT */
/* Slices in the main loop for what needs PLplot, a thread for what waits for a disk. Layout borrows
 * from the session and is begun again when that changes; what is laid out is its own. */
#include "ui/report/report_job.h"

#include <glib/gi18n.h>
#include <math.h>

#include "session/base/job.h"

#define LAID_OUT 0.4  /* of the whole, when layout is over */
#define SLOWING  0.93 /* how many parts there will be is not known */

struct AuiReportJob {
  AseSession *session;
  AuiReportNotes notes; /* owned */
  char *path;
  AuiReportWatch watch;
  AseJob *thread;    /* reads or writes */
  AuiReport *report; /* is laid out */
  AuiPdf *pdf;       /* is drawn */
  guint slice;       /* source */
  double ahead;      /* what is left of the layout, 1..0 */
};

/* Belongs to a thread. */
typedef struct {
  char *path;
  AseConditions conditions; /* read */
  AuiPdf *pdf;              /* of which a page is complete */
  bool is_last;             /* was this page */
  GError *error;
} Work;

static void work_free(gpointer memory) {
  Work *work = memory;
  aui_pdf_free(work->pdf);
  g_clear_error(&work->error);
  g_free(work->path);
  g_free(work);
}

static void no_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void start_thread(AuiReportJob *job, Work *work, void (*run)(AseJob *, void *),
                         void (*done)(void *, bool, void *)) {
  const AseJobTask task = {.work = run,
                           .data = work,
                           .free_data = work_free,
                           .progress = no_progress,
                           .done = done,
                           .ctx = job};
  job->thread = ase_job_start(&task);
}

/* The last that is done with a job. */
static void end(AuiReportJob *job, const GError *error) {
  job->watch.done(error, job->watch.ctx);
}

/* ---- drawing, page by page ---- */

static gboolean draw_slice(gpointer data);

/* 60 ms a page: not in the main loop. */
static void finish_page(AseJob *thread, void *memory) {
  Work *work = memory;
  (void)thread;
  work->is_last = !aui_pdf_turn_page(work->pdf);
  if (work->is_last)
    aui_pdf_write(work->pdf, work->path, &work->error);
}

static void on_page(void *memory, bool is_cancelled, void *ctx) {
  AuiReportJob *job = ctx;
  Work *work = memory;
  g_autoptr(GError) error = g_steal_pointer(&work->error);
  (void)is_cancelled;
  if (work->is_last) {
    end(job, error);
    return;
  }
  job->pdf = g_steal_pointer(&work->pdf);
  g_clear_pointer(&job->thread, ase_job_free);
  job->slice = g_idle_add(draw_slice, job);
}

static gboolean draw_slice(gpointer data) {
  AuiReportJob *job = data;
  g_autoptr(GError) error = NULL;
  const bool goes_on = aui_pdf_draw(job->pdf, &error);
  job->watch.progress(LAID_OUT + (1.0 - LAID_OUT) * aui_pdf_part(job->pdf), job->watch.ctx);
  if (goes_on)
    return G_SOURCE_CONTINUE;
  job->slice = 0;
  if (error) {
    end(job, error);
    return G_SOURCE_REMOVE;
  }
  Work *work = g_new0(Work, 1);
  work->path = g_strdup(job->path);
  work->pdf = g_steal_pointer(&job->pdf);
  start_thread(job, work, finish_page, on_page);
  return G_SOURCE_REMOVE;
}

/* ---- layout ---- */

static gboolean layout_slice(gpointer data) {
  AuiReportJob *job = data;
  const bool goes_on = aui_report_add_part(job->report);
  job->ahead *= SLOWING;
  job->watch.progress(LAID_OUT * (1.0 - job->ahead), job->watch.ctx);
  if (goes_on)
    return G_SOURCE_CONTINUE;
  job->pdf = aui_pdf_new(aui_report_take_flow(job->report), _("Calibration report"));
  g_clear_pointer(&job->report, aui_report_free);
  job->slice = g_idle_add(draw_slice, job);
  return G_SOURCE_REMOVE;
}

/* ---- reading ---- */

static void read_file(AseJob *thread, void *memory) {
  Work *work = memory;
  (void)thread;
  ase_conditions_load(&work->conditions, work->path, &work->error);
}

static void on_read(void *memory, bool is_cancelled, void *ctx) {
  AuiReportJob *job = ctx;
  Work *work = memory;
  g_autoptr(GError) error = g_steal_pointer(&work->error);
  (void)is_cancelled;
  if (!error)
    job->report = aui_report_new(job->session, &job->notes, &work->conditions, &error);
  g_clear_pointer(&job->thread, ase_job_free);
  if (error)
    end(job, error);
  else
    job->slice = g_idle_add(layout_slice, job);
}

static void start_reading(AuiReportJob *job) {
  Work *work = g_new0(Work, 1);
  work->path = g_strdup(ase_session_path(job->session));
  work->conditions = (AseConditions){.supply_V = {NAN, NAN}};
  job->ahead = 1.0;
  start_thread(job, work, read_file, on_read);
}

/* What is laid out is borrowed from the session; what is drawn is not. */
static void on_changed(AuiReportJob *job) {
  if (!job->report)
    return;
  g_clear_handle_id(&job->slice, g_source_remove);
  g_clear_pointer(&job->report, aui_report_free);
  start_reading(job);
}

/* ---- the job ---- */

AuiReportJob *aui_report_job_start(AseSession *session, const AuiReportNotes *notes,
                                   const char *path, const AuiReportWatch *watch) {
  AuiReportJob *job = g_new0(AuiReportJob, 1);
  *job = (AuiReportJob){.session = g_object_ref(session),
                        .notes = {.operator_name = g_strdup(notes->operator_name),
                                  .lab = g_strdup(notes->lab),
                                  .notes = g_strdup(notes->notes),
                                  .paper = notes->paper},
                        .path = g_strdup(path),
                        .watch = *watch};
  g_signal_connect_swapped(session, "changed", G_CALLBACK(on_changed), job);
  start_reading(job);
  return job;
}

void aui_report_job_free(AuiReportJob *job) {
  if (!job)
    return;
  g_signal_handlers_disconnect_by_data(job->session, job);
  g_clear_handle_id(&job->slice, g_source_remove);
  ase_job_free(job->thread);
  aui_report_free(job->report);
  aui_pdf_free(job->pdf);
  g_object_unref(job->session);
  g_free((char *)job->notes.operator_name);
  g_free((char *)job->notes.lab);
  g_free((char *)job->notes.notes);
  g_free(job->path);
  g_free(job);
}
