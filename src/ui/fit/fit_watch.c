/* SPDX-License-Identifier: MIT */
#include "ui/fit/fit_watch.h"

#include "session/recording.h"

struct AuiFitWatch {
  AseSession *session; /* borrowed from the page */
  AsePurpose purpose;
  void (*ready)(void *ctx);
  void *ctx;
  AuiFitData *data;
  AseJob *job;
  bool is_stale; /* what the job works on */
};

typedef struct {
  AuiFitInput *input;
  AuiFitData *data;
} Work;

static void work_free(void *memory) {
  Work *work = memory;
  aui_fit_input_free(work->input);
  aui_fit_data_free(work->data);
  g_free(work);
}

static void compute(AseJob *job, void *memory) {
  Work *work = memory;
  work->data = aui_fit_data_new(work->input, job);
}

static void on_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void on_done(void *memory, bool is_cancelled, void *ctx) {
  Work *work = memory;
  AuiFitWatch *watch = ctx;
  if (!is_cancelled) {
    aui_fit_data_free(watch->data);
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
  work->input = aui_fit_input_new(watch->session, watch->purpose);
  const AseJobTask task = {.work = compute,
                           .data = work,
                           .free_data = work_free,
                           .progress = on_progress,
                           .done = on_done,
                           .ctx = watch};
  watch->job = ase_job_start(&task);
  return true;
}

AuiFitWatch *aui_fit_watch_new(AseSession *session, AsePurpose purpose, void (*ready)(void *ctx),
                               void *ctx) {
  AuiFitWatch *watch = g_new0(AuiFitWatch, 1);
  *watch = (AuiFitWatch){.session = session, .purpose = purpose, .ready = ready, .ctx = ctx};
  return watch;
}

void aui_fit_watch_free(AuiFitWatch *watch) {
  if (!watch)
    return;
  ase_job_free(watch->job);
  aui_fit_data_free(watch->data);
  g_free(watch);
}

const AuiFitData *aui_fit_watch_data(const AuiFitWatch *watch) {
  return watch->data;
}

bool aui_fit_watch_is_busy(const AuiFitWatch *watch) {
  return watch->job != NULL;
}
