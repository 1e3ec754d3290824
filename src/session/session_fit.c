/* SPDX-License-Identifier: MIT */
/* FIT as a job, and the parameters as a text. */
#include "session/session_fit.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/said.h"
#include "io/params/params_file.h"
#include "session/base/text.h"
#include "session/session_job.h"
#include "session/session_select.h"
#include "session/session_validate.h"

/* ---- FIT ---- */

typedef struct {
  const AseMeasuring *measuring;
  ArmModel model;
  GPtrArray *runs; /* of AseRun that have ended */
  GArray *exclusions;
  ArmFitOptions options;
  AseSelection *selection; /* of the rows that were fitted; NULL: there are none */
  AseFitted found;         /* fit NULL: none, see error; the arm is known before */
  GError *error;
} FitWork;

static void fit_work_free(gpointer data) {
  FitWork *work = data;
  ase_fitted_clear(&work->found);
  ase_selection_unref(work->selection);
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  g_clear_error(&work->error);
  g_free(work);
}

static void compute_fit(AseJob *job, void *data) {
  FitWork *work = data;
  AseSweepRows *rows = ase_sweep_rows_new_within(job, &work->model, work->runs, ASE_PURPOSE_MEASURE,
                                                 work->exclusions, &work->error);
  if (!rows)
    return;
  work->selection = ase_selection_ref(ase_sweep_rows_selection(rows));
  work->measuring->fit(job, &work->model, rows, &work->options, &work->found, &work->error);
  ase_sweep_rows_free(rows);
}

/* ---- the verdict on a joint ---- */

static const AseFit *fit_of(const AseSession *self) {
  return ase_results_fit(self->results);
}

/* Neither planned nor recorded, and nobody expects it. */
static bool is_left_out(AseSession *self, guint joint) {
  if (ase_session_measuring(self)->has_rows(fit_of(self), joint))
    return false;
  if (self->edits->has_plan)
    return !self->edits->plan.joint[joint - 1].is_swept;
  const GPtrArray *runs = ase_record_runs(self->record);
  for (guint k = 0; k < runs->len; k++)
    if (((const AseRun *)runs->pdata[k])->joint == joint)
      return false;
  return ase_session_is_imported(self);
}

/* Of its load nothing is known, which others carry: the verdict on the fit is "unknown". */
static void leave_out(AseSession *self, guint joint) {
  char *text = aio_said(N_("not judged: joint %u was never swept: sweep it"), joint);
  ase_procedure_leave_unjudged(self->procedure, ASE_STEP_FIT, joint, text);
  g_free(text);
}

static void judge_joint(AseSession *self, guint joint) {
  if (is_left_out(self, joint)) {
    leave_out(self, joint);
    return;
  }
  const AseJudgement judgement = ase_session_measuring(self)->judge(fit_of(self), joint);
  ase_session_take_judgement(self, ASE_STEP_FIT, joint, &judgement);
}

/* ---- what is said of the fit ---- */

static AseFitSettings settings_of(const AseSession *self) {
  return (AseFitSettings){.rows = &self->edits->rows,
                          .limits = &self->edits->misfit,
                          .exclusions = self->edits->n_exclusions};
}

static AioProvenance *make_provenance(const AseSession *self) {
  const char *program = ase_record_program(self->record), *space = strrchr(program, ' ');
  char *name = space ? g_strndup(program, (gsize)(space - program)) : g_strdup(program);
  const AseFitSettings settings = settings_of(self);
  AioProvenance *provenance =
      aio_provenance_new(name, space ? space + 1 : NULL, ase_results_arm_digest(self->results));
  char *file = g_path_get_basename(ase_record_path(self->record));
  const char *digits = ase_results_sha256(self->results);
  char *sha256 = digits ? g_strconcat("sha256:", digits, NULL) : NULL;
  aio_provenance_add_recording(provenance, file, sha256);
  provenance->options = ase_session_measuring(self)->options(fit_of(self), &settings, true);
  const GArray *wild = ase_results_wild(self->results);
  provenance->wild = wild ? g_array_ref((GArray *)wild) : NULL;
  g_free(name);
  g_free(file);
  g_free(sha256);
  return provenance;
}

/* held_out: of AioHeldOut, NULL: none. g_free. */
static char *parameters_text(const AseSession *self, const GPtrArray *held_out) {
  AioProvenance *provenance = make_provenance(self);
  char *text = ase_session_measuring(self)->format(
      fit_of(self), self->arm->name, ase_results_arm_digest(self->results),
      ase_record_program(self->record), provenance, held_out);
  aio_provenance_free(provenance);
  return text;
}

static void take_fit(AseSession *self, FitWork *work) {
  ase_diagnosing_forget(self->diagnosing);
  ase_results_take_fit(self->results, &work->found);
  ase_text_copy(self->procedure->fit_serial, ASE_SERIAL_BYTES, self->procedure->sweep_serial);
  /* no need to read the file again */
  ase_selecting_take(self->selecting, work->selection);
  for (guint joint = 1; joint <= self->arm->model.n; joint++)
    judge_joint(self, joint);
  const AseFitSettings settings = settings_of(self);
  char *options = ase_session_measuring(self)->options(fit_of(self), &settings, false);
  char *parameters = NULL;
  if (ase_session_may_export(self, NULL))
    parameters = parameters_text(self, NULL); /* no validation has seen it */
  ase_record_write_fit(self->record, ase_results_sha256(self->results), options, parameters);
  g_free(options);
  g_free(parameters);
}

/* What an earlier fit found is still there, and is not of what was to be fitted now. */
static void miss_fit(AseSession *self, const char *reason) {
  ase_procedure_fail(self->procedure, ASE_STEP_FIT, 0, reason);
  if (fit_of(self))
    ase_procedure_outdate(self->procedure, ASE_STEP_FIT, reason);
}

static void on_fitted(void *data, bool is_cancelled, void *ctx) {
  FitWork *work = data;
  AseSession *self = ctx;
  if (is_cancelled)
    miss_fit(self, aio_said_word(N_("cancelled")));
  else if (!work->found.fit)
    miss_fit(self, aio_error_said(work->error));
  else
    take_fit(self, work);
  ase_session_end_job(self);
}

void ase_session_start_fit(AseSession *self) {
  ase_diagnosing_forget(self->diagnosing);
  FitWork *work = g_new0(FitWork, 1);
  work->measuring = ase_session_measuring(self);
  work->model = self->arm->model;
  work->found.arm_digest = g_strdup(self->arm->digest);
  work->runs = ase_record_ref_runs(self->record);
  work->exclusions = ase_session_exclusions(self);
  arm_fit_options_default(&work->options);
  work->options.rows = self->edits->rows;
  work->options.limits = self->edits->misfit;
  memcpy(work->options.offers_term, self->edits->offers_term, sizeof work->options.offers_term);
  const AseJobTask task = {
      .work = compute_fit, .data = work, .free_data = fit_work_free, .done = on_fitted};
  ase_session_start_job(self, ASE_STEP_FIT, &task);
}

/* ---- EXPORT ---- */

static bool refuse_none(const AseSession *self, GError **error) {
  const char *why = self->procedure->steps[ASE_STEP_FIT].reason;
  const bool was_fitted = ase_procedure_state(self->procedure, ASE_STEP_FIT) == ASE_STATE_STALE;
  aio_error_set_kept(error, AIO_ERROR_NOT_FOUND,
                     was_fitted && why ? why : aio_said_word(N_("nothing has been fitted yet")));
  return false;
}

/* What is to be done depends on what the fit rests on. */
static bool refuse_old(const AseSession *self, const char *why, GError **error) {
  const bool may_fit = ase_procedure_may_start(self->procedure, ASE_STEP_FIT, NULL);
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      /* TRANSLATORS: what has changed, "the arm has been edited" */
      may_fit ? N_("the fit is out of date (%s): fit again first")
              : N_("the fit is out of date (%s): sweep and fit again, or undo the change"),
      why);
  return false;
}

bool ase_session_may_export(AseSession *self, GError **error) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  if (!fit_of(self))
    return refuse_none(self, error);
  if (state == ASE_STATE_RUNNING)
    return ase_session_refuse(error, N_("a computation runs; wait for it, or cancel it"));
  if (state == ASE_STATE_STALE)
    return refuse_old(self, self->procedure->steps[ASE_STEP_FIT].reason, error);
  return strcmp(ase_results_arm_digest(self->results), self->arm->digest) == 0 ||
         refuse_old(self, aio_said_word(N_("it was fitted with another arm file")), error);
}

char *ase_session_parameters(AseSession *self, GError **error) {
  if (!ase_session_may_export(self, error))
    return NULL;
  GPtrArray *held_out = ase_session_held_out(self);
  char *text = parameters_text(self, held_out);
  if (held_out)
    g_ptr_array_unref(held_out);
  return text;
}

/* A file of what did not pass is a result that nothing says is good. */
void ase_session_exported(AseSession *self, const char *path) {
  if (!ase_session_may_export(self, NULL))
    return;
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  ase_editor_take_standing(self->editor, NULL);
  (state == ASE_STATE_PASSED ? ase_procedure_pass : ase_procedure_leave_unjudged)(
      self->procedure, ASE_STEP_EXPORT, 0, path);
  ase_session_sync(self);
}
