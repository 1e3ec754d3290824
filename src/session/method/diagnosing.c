/* SPDX-License-Identifier: MIT */
/* The rows are those of a fit, which is made once more in the thread; what was begun on rows that
 * are others meanwhile is cancelled, and then not known. */
#include "session/method/diagnosing.h"

#include <glib-object.h>

#include "io/base/said.h"
#include "session/base/job.h"
#include "session/base/text.h"
#include "session/measure/sweep_rows.h"

struct AseDiagnosing {
  gpointer object;
  void (*changed)(gpointer object);
  AseDiagnosis told;
  AseJob *job; /* looks for it, NULL: nobody does */
};

AseDiagnosing *ase_diagnosing_new(gpointer object, void (*changed)(gpointer object)) {
  AseDiagnosing *self = g_new0(AseDiagnosing, 1);
  self->object = object;
  self->changed = changed;
  return self;
}

void ase_diagnosing_free(AseDiagnosing *self) {
  if (!self)
    return;
  ase_job_free(self->job);
  g_free(self);
}

void ase_diagnosing_stop(AseDiagnosing *self) {
  g_clear_pointer(&self->job, ase_job_free);
}

bool ase_diagnosing_is_on(const AseDiagnosing *self) {
  return self->job != NULL;
}

const AseDiagnosis *ase_diagnosing_told(const AseDiagnosing *self) {
  return &self->told;
}

void ase_diagnosing_cancel(AseDiagnosing *self) {
  if (self->job)
    ase_job_cancel(self->job);
}

void ase_diagnosing_forget(AseDiagnosing *self) {
  if (self->job)
    ase_job_cancel(self->job);
  else
    self->told = (AseDiagnosis){.state = ASE_DIAGNOSIS_NONE};
}

/* ---- in a thread ---- */

typedef struct {
  ArmModel model;
  AseDiagnosingTask task;
  ArmDiagnosis causes;
  bool has_causes, is_misfit;
  GError *error;
} Work;

static void work_free(gpointer data) {
  Work *work = data;
  g_ptr_array_unref(work->task.runs);
  g_array_unref(work->task.exclusions);
  g_clear_error(&work->error);
  g_free(work);
}

static AseSweepRows *read_rows(AseJob *job, Work *work) {
  return work->task.is_together
             ? ase_sweep_rows_new_together(job, &work->model, work->task.runs,
                                           work->task.exclusions, &work->error)
             : ase_sweep_rows_new_within(job, &work->model, work->task.runs, ASE_PURPOSE_MEASURE,
                                         work->task.exclusions, &work->error);
}

/* The fit once more, of the same rows: a fit that is kept would keep all of its strokes. They stay
 * in memory: each of a thousand causes goes over all of them, on a shelf 2.5 times as long. */
static void compute(AseJob *job, void *data) {
  Work *work = data;
  AseSweepRows *rows = read_rows(job, work);
  if (!rows)
    return;
  ArmGravityFit fit = {0};
  ArmFitOptions *options = &work->task.options;
  options->progress = ase_job_report;
  options->user = job;
  options->diagnosis = &work->causes;
  const ArmStatus status =
      arm_gravity_fit_rows(&work->model, ase_sweep_rows_source(rows), options, &fit);
  work->has_causes = status == ARM_OK;
  work->is_misfit = fit.verdict.verdict == ARM_VERDICT_MISFIT;
  if (status == ARM_OK)
    arm_gravity_fit_clear(&fit);
  else if (status == ARM_E_SOURCE)
    work->error = g_error_copy(ase_sweep_rows_error(rows));
  else
    aio_error_set_kept(&work->error, AIO_ERROR_MEANING, ase_status_said(status));
  ase_sweep_rows_free(rows);
}

/* ---- what becomes of it ---- */

static void tell(AseDiagnosing *self) {
  gpointer object = g_object_ref(self->object);
  self->changed(object);
  g_object_unref(object);
}

static void on_progress(double part, void *ctx) {
  AseDiagnosing *self = ctx;
  self->told.part = part;
  tell(self);
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  const Work *work = data;
  AseDiagnosing *self = ctx;
  AseDiagnosis *d = &self->told;
  d->state = is_cancelled       ? ASE_DIAGNOSIS_NONE
             : work->has_causes ? ASE_DIAGNOSIS_DONE
                                : ASE_DIAGNOSIS_FAILED;
  d->is_together = work->task.is_together;
  d->is_misfit = work->is_misfit;
  if (d->state == ASE_DIAGNOSIS_DONE)
    d->causes = work->causes;
  if (d->state == ASE_DIAGNOSIS_FAILED)
    ase_text_copy(d->reason, sizeof d->reason, work->error->message);
  g_clear_pointer(&self->job, ase_job_free);
  tell(self);
}

void ase_diagnosing_start(AseDiagnosing *self, const AseDiagnosingTask *task) {
  Work *work = g_new0(Work, 1);
  work->model = *task->model;
  work->task = *task;
  work->task.model = NULL;
  const AseJobTask job = {.work = compute,
                          .data = work,
                          .free_data = work_free,
                          .progress = on_progress,
                          .done = on_done,
                          .ctx = self};
  self->told = (AseDiagnosis){.state = ASE_DIAGNOSIS_RUNNING};
  self->job = ase_job_start(&job);
  tell(self);
}
