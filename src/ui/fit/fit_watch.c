/* SPDX-License-Identifier: MIT */
/* One computation at a time: what changes meanwhile makes it begin anew when it has ended. While
 * the arm sweeps there is none. What goes into the thread is a copy: the session goes on. */
#include "ui/fit/fit_watch.h"

#include "session/recording.h"

struct AuiFitWatch {
  AseSession *session; /* borrowed from the page */
  const AseMeasuring *measuring;
  AsePurpose purpose;
  void (*ready)(void *ctx);
  void *ctx;
  AseSwept *data;
  AseJob *job;
  bool is_stale; /* what the job works on */
};

typedef struct {
  AseSweptInput *input;
  AseSwept *data;
} Work;

static void work_free(void *memory) {
  Work *work = memory;
  ase_swept_input_free(work->input);
  ase_swept_free(work->data);
  g_free(work);
}

AseSweptInput *aui_fit_input_new(AseSession *session, const AseMeasuring *measuring,
                                 AsePurpose purpose) {
  const GPtrArray *runs = ase_session_runs(session);
  const AseEdits *edits = ase_session_edits(session);
  AseSweptInput *input = g_new0(AseSweptInput, 1);
  input->purpose = purpose;
  input->model = ase_session_arm(session)->model;
  input->rows = edits->rows;
  input->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  for (guint k = 0; k < runs->len; k++) {
    AseRun *run = runs->pdata[k];
    if (run->outcome && run->purpose == purpose)
      g_ptr_array_add(input->runs, ase_run_ref(run));
  }
  input->exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  if (purpose == ASE_PURPOSE_MEASURE)
    g_array_append_vals(input->exclusions, edits->exclusions, edits->n_exclusions);
  input->select = measuring->select;
  input->predictor = measuring->predictor(&input->model, ase_session_fit(session));
  return input;
}

static void compute(AseJob *job, void *memory) {
  Work *work = memory;
  work->data = ase_swept_new(work->input, job);
}

static void on_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void on_done(void *memory, bool is_cancelled, void *ctx) {
  Work *work = memory;
  AuiFitWatch *watch = ctx;
  if (!is_cancelled) {
    ase_swept_free(watch->data);
    watch->data = g_steal_pointer(&work->data);
  }
  g_clear_pointer(&watch->job, ase_job_free);
  if (watch->is_stale)
    aui_fit_watch_update(watch);
  watch->ready(watch->ctx);
}

static bool is_moving(AuiFitWatch *watch) {
  const AseProcedure *procedure = ase_session_procedure(watch->session);
  return ase_session_record_state(watch->session)->state == ASE_STATE_RUNNING ||
         ase_procedure_state(procedure, ASE_STEP_SWEEP) == ASE_STATE_RUNNING ||
         ase_procedure_state(procedure, ASE_STEP_DRY_RUN) == ASE_STATE_RUNNING;
}

bool aui_fit_watch_update(AuiFitWatch *watch) {
  watch->is_stale = watch->job != NULL;
  if (watch->job)
    ase_job_cancel(watch->job);
  if (watch->job)
    return true;
  if (is_moving(watch))
    return false;
  Work *work = g_new0(Work, 1);
  work->input = aui_fit_input_new(watch->session, watch->measuring, watch->purpose);
  const AseJobTask task = {.work = compute,
                           .data = work,
                           .free_data = work_free,
                           .progress = on_progress,
                           .done = on_done,
                           .ctx = watch};
  watch->job = ase_job_start(&task);
  return true;
}

AuiFitWatch *aui_fit_watch_new(AseSession *session, const AseMeasuring *measuring,
                               AsePurpose purpose, void (*ready)(void *ctx), void *ctx) {
  AuiFitWatch *watch = g_new0(AuiFitWatch, 1);
  *watch = (AuiFitWatch){
      .session = session, .measuring = measuring, .purpose = purpose, .ready = ready, .ctx = ctx};
  return watch;
}

void aui_fit_watch_free(AuiFitWatch *watch) {
  if (!watch)
    return;
  ase_job_free(watch->job);
  ase_swept_free(watch->data);
  g_free(watch);
}

const AseSwept *aui_fit_watch_data(const AuiFitWatch *watch) {
  return watch->data;
}

bool aui_fit_watch_is_busy(const AuiFitWatch *watch) {
  return watch->job != NULL;
}
