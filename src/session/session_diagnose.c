/* SPDX-License-Identifier: MIT */
/* What may cause a misfit, as a job beside the steps': no state of a step changes. Where a fit
 * without a misfit fails its validation, the misfit is between the two: it is looked for in the
 * sweeps of both, fitted as one recording. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/params/diagnosis_file.h"
#include "session/base/text.h"
#include "session/session_internal.h"

struct AseDiagnosing {
  AseDiagnosis told;
  AseJob *job; /* looks for it, NULL: nobody does */
};

AseDiagnosing *ase_diagnosing_new(void) {
  return g_new0(AseDiagnosing, 1);
}

void ase_diagnosing_free(AseDiagnosing *diagnosing) {
  ase_job_free(diagnosing->job);
  g_free(diagnosing);
}

void ase_session_stop_diagnosis(AseSession *self) {
  g_clear_pointer(&self->diagnosing->job, ase_job_free);
}

typedef struct {
  ArmModel model;
  GPtrArray *runs; /* of AseRun that have ended */
  GArray *exclusions;
  ArmFitOptions options;
  bool is_together;
  ArmDiagnosis causes;
  bool has_causes, is_misfit;
  GError *error;
} Work;

static void work_free(gpointer data) {
  Work *work = data;
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  g_clear_error(&work->error);
  g_free(work);
}

static AseSelection *select_rows(AseJob *job, Work *work) {
  return work->is_together
             ? ase_selection_new_together(job, &work->model, work->runs, work->exclusions,
                                          &work->error)
             : ase_selection_new_within(job, &work->model, work->runs, ASE_PURPOSE_MEASURE,
                                        work->exclusions, &work->error);
}

/* The fit once more, of the same rows: a fit that is kept would keep all of its strokes. */
static void compute(AseJob *job, void *data) {
  Work *work = data;
  AseSelection *s = select_rows(job, work);
  if (!s)
    return;
  const ArmDataset dataset = ase_selection_dataset(s);
  ArmGravityFit fit = {0};
  work->options.progress = ase_job_report;
  work->options.user = job;
  work->options.diagnosis = &work->causes;
  const ArmStatus status = arm_gravity_fit(&work->model, &dataset, &work->options, &fit);
  work->has_causes = status == ARM_OK;
  work->is_misfit = fit.verdict.verdict == ARM_VERDICT_MISFIT;
  if (status == ARM_OK)
    arm_gravity_fit_clear(&fit);
  else
    aio_error_set_kept(&work->error, AIO_ERROR_MEANING, ase_status_said(status));
  ase_selection_free(s);
}

static void on_progress(double part, void *ctx) {
  AseSession *self = ctx;
  self->diagnosing->told.part = part;
  ase_session_emit_diagnosis(self);
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  Work *work = data;
  AseSession *self = ctx;
  AseDiagnosis *d = &self->diagnosing->told;
  g_object_ref(self);
  d->state = is_cancelled       ? ASE_DIAGNOSIS_NONE
             : work->has_causes ? ASE_DIAGNOSIS_DONE
                                : ASE_DIAGNOSIS_FAILED;
  d->is_together = work->is_together;
  d->is_misfit = work->is_misfit;
  if (d->state == ASE_DIAGNOSIS_DONE)
    d->causes = work->causes;
  if (d->state == ASE_DIAGNOSIS_FAILED)
    ase_text_copy(d->reason, sizeof d->reason, work->error->message);
  g_clear_pointer(&self->diagnosing->job, ase_job_free);
  ase_session_emit_diagnosis(self);
  g_object_unref(self);
}

void ase_session_forget_diagnosis(AseSession *self) {
  if (self->diagnosing->job)
    ase_job_cancel(self->diagnosing->job);
  else
    self->diagnosing->told = (AseDiagnosis){.state = ASE_DIAGNOSIS_NONE};
}

const AseDiagnosis *ase_session_diagnosis(AseSession *self) {
  return &self->diagnosing->told;
}

static bool has_alarm(const AseSession *self) {
  return arm_verdict_first(&ase_results_fit(self->results)->verdict) < ARM_TESTS;
}

bool ase_session_may_diagnose(AseSession *self, GError **error) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  if (self->diagnosing->job)
    return ase_session_refuse(error, N_("the cause is being looked for"));
  if (!ase_session_is_free(self, error))
    return false;
  if (!ase_results_fit(self->results))
    return ase_session_refuse(error, N_("nothing has been fitted yet"));
  if (!ase_state_is_done(state) && state != ASE_STATE_FAILED)
    return ase_session_refuse(error, N_("the fit is out of date; fit again first"));
  return has_alarm(self) || ase_session_is_contradicted(self) ||
         ase_session_refuse(error, N_("there is no misfit to look for the cause of"));
}

/* Those that the fit has: of the same rows the same joints get them again. */
static void offer_terms(const ArmGravityFit *fit, bool offers[ARM_TERMS]) {
  for (gsize j = 0; j < fit->refined.n; j++)
    for (guint t = 0; t < ARM_TERMS; t++)
      offers[t] = offers[t] || fit->refined.joint[j].has_term[t];
}

bool ase_session_diagnose(AseSession *self, GError **error) {
  if (!ase_session_may_diagnose(self, error))
    return false;
  Work *work = g_new0(Work, 1);
  work->model = self->arm->model;
  work->runs = ase_record_ref_runs(self->record);
  work->exclusions = ase_session_exclusions(self);
  work->is_together = !has_alarm(self);
  arm_fit_options_default(&work->options);
  work->options.rows = self->edits->rows;
  work->options.limits = self->edits->misfit;
  offer_terms(ase_results_fit(self->results), work->options.offers_term);
  const AseJobTask task = {.work = compute,
                           .data = work,
                           .free_data = work_free,
                           .progress = on_progress,
                           .done = on_done,
                           .ctx = self};
  self->diagnosing->told = (AseDiagnosis){.state = ASE_DIAGNOSIS_RUNNING};
  self->diagnosing->job = ase_job_start(&task);
  ase_session_emit_diagnosis(self);
  return true;
}

void ase_session_cancel_diagnosis(AseSession *self) {
  if (self->diagnosing->job)
    ase_job_cancel(self->diagnosing->job);
}

/* ---- the arm that a cause implies ---- */

static AioArm *load_arm(const AseSession *self, GError **error) {
  const char *text = ase_session_arm_text(self);
  return aio_arm_load_stored(ase_session_arm_name(self), text, strlen(text), error);
}

/* A copy with the correction; NULL: error set. */
static AioArm *correct(AseSession *self, guint k, GError **error) {
  const AseDiagnosis *d = &self->diagnosing->told;
  char *reason = NULL;
  if (d->state != ASE_DIAGNOSIS_DONE || k >= d->causes.count) {
    ase_session_refuse(error, N_("this cause is no longer known; look for it again"));
    return NULL;
  }
  if (!d->causes.at[k].explains_it) {
    ase_session_refuse(error, N_("this cause does not explain the misfit"));
    return NULL;
  }
  AioArm *arm = load_arm(self, error);
  if (!arm || aio_diagnosis_correct(arm, &d->causes.at[k], &reason))
    return arm;
  ase_session_refuse(error, reason);
  g_free(reason);
  aio_arm_free(arm);
  return NULL;
}

bool ase_session_may_correct(AseSession *self, guint k, GError **error) {
  AioArm *arm = correct(self, k, error);
  aio_arm_free(arm);
  return arm != NULL;
}

bool ase_session_correct(AseSession *self, guint k, GError **error) {
  AioArm *arm = correct(self, k, error);
  if (!arm)
    return false;
  char *text = aio_arm_format(arm, NULL);
  const bool ok =
      ase_session_set_arm_as(self, text, _("correct the arm as the diagnosis says"), error);
  g_free(text);
  aio_arm_free(arm);
  return ok;
}
