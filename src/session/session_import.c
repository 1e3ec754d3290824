/* SPDX-License-Identifier: MIT */
/* A session from a recording: its sweeps as runs, and the steps up to SWEEP passed by them. */
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "session/measure/recorded.h"
#include "session/session_internal.h"

void ase_import_options_default(AseImportOptions *options) {
  *options = (AseImportOptions){.held_out = 0.2};
  arm_row_options_default(&options->rows);
}

bool ase_session_is_imported(AseSession *self) {
  const AseRun *first = self->runs->len ? self->runs->pdata[0] : NULL;
  return first && first->is_imported;
}

/* ---- the file ---- */

/* The writer's queue is for live samples; what comes at once must not overrun it. */
static bool push_chunks(AseSession *self, const AseRun *run, guint *pushed, GError **error) {
  enum { AT_ONCE = 4096 };
  for (guint k = 0; k < run->chunks->len; k++) {
    aio_queue_push(self->queue, run->chunks->pdata[k]);
    if (++*pushed % AT_ONCE == 0 && !aio_recorder_flush(self->recorder, error))
      return false;
  }
  return true;
}

static bool write_run(AseSession *self, AseRun *run, guint *pushed, GError **error) {
  const AseLeg leg = {.purpose = run->purpose, .sweeps = true};
  const AioStoreRun row = {
      .kind = ase_run_kind(&leg), .joint = run->joint, .hold = run->hold, .speed = run->speed};
  run->id = aio_recorder_begin_run(self->recorder, &row);
  const bool ok = push_chunks(self, run, pushed, error);
  aio_recorder_end_run(self->recorder, run->id, run->motion, run->outcome);
  ase_session_write_statistic(self, run->id, ASE_STATISTIC_IMPORTED, 1.0);
  return ok;
}

static bool write_runs(AseSession *self, GError **error) {
  guint pushed = 0;
  for (guint k = 0; k < self->runs->len; k++)
    if (!write_run(self, self->runs->pdata[k], &pushed, error))
      return false;
  return aio_recorder_flush(self->recorder, error);
}

/* ---- the session ---- */

void ase_session_pass_imported(AseSession *self) {
  for (AseStep step = ASE_STEP_CONNECT; step <= ASE_STEP_SWEEP; step++)
    if (step != ASE_STEP_CONFIGURE && self->procedure->steps[step].state != ASE_STATE_PASSED)
      ase_procedure_pass(self->procedure, step, 0, _("from a recording"));
}

static void say_imported(AseSession *self, const AioRecording *recording) {
  guint held_out = 0;
  gsize samples = 0;
  for (guint k = 0; k < self->runs->len; k++) {
    const AseRun *run = self->runs->pdata[k];
    held_out += run->purpose == ASE_PURPOSE_VALIDATE;
    samples += ase_run_samples(run);
  }
  ase_session_say(
      self, 0, _("from %s: %zu of %zu rows, in %u sweeps, of which %u are held out for Validate"),
      recording->name, samples, recording->rows, self->runs->len, held_out);
}

static void write_edits(AseSession *self, const ArmRowOptions *rows) {
  self->edits->rows = *rows;
  char *json = ase_edits_to_json(self->edits, &self->arm->model);
  ase_session_write_text(self, AIO_STORE_PLAN, json);
  g_free(json);
}

AseSession *ase_session_import(const char *path, const char *program, const char *name,
                               const char *arm_text, const AioRecording *recording,
                               const AseImportOptions *options, GError **error) {
  GPtrArray *runs = ase_recorded_runs(recording, options->held_out, error);
  AseSession *self = runs ? ase_session_create(path, program, name, arm_text, error) : NULL;
  if (!self) {
    g_clear_pointer(&runs, g_ptr_array_unref);
    return NULL;
  }
  g_ptr_array_unref(self->runs);
  self->runs = runs;
  write_edits(self, &options->rows);
  if (!write_runs(self, error)) {
    g_object_unref(self);
    g_unlink(path);
    return NULL;
  }
  ase_session_pass_imported(self);
  ase_session_sync(self);
  say_imported(self, recording);
  return self;
}
