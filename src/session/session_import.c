/* SPDX-License-Identifier: MIT */
/* A session from a recording: its sweeps as runs, and the steps up to SWEEP passed by them. */
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "io/base/said.h"
#include "session/measure/recorded.h"
#include "session/session_load.h"
#include "session/session_record.h"

void ase_import_options_default(AseImportOptions *options) {
  *options = (AseImportOptions){.held_out = 0.2};
  arm_row_options_default(&options->rows);
}

/* ---- the file ---- */

/* The writer's queue is for live samples; what comes at once must not overrun it. */
static bool push_chunks(AseSession *self, const AseRun *run, guint *pushed, GError **error) {
  enum { AT_ONCE = 4096 };
  for (guint k = 0; k < run->chunks->len; k++) {
    aio_queue_push(ase_record_queue(self->record), run->chunks->pdata[k]);
    if (++*pushed % AT_ONCE == 0 && !ase_record_flush(self->record, error))
      return false;
  }
  return true;
}

static bool write_run(AseSession *self, AseRun *run, guint *pushed, GError **error) {
  const AseLeg leg = {.purpose = run->purpose,
                      .sweeps = true,
                      .joint = run->joint,
                      .hold = run->hold,
                      .speed_R = run->speed};
  run->id = ase_record_begin_run(self->record, &leg);
  const bool ok = push_chunks(self, run, pushed, error);
  ase_record_end_run(self->record, run);
  ase_record_write_statistic(self->record, run->id, ASE_STATISTIC_IMPORTED, 1.0);
  return ok;
}

static bool write_runs(AseSession *self, GError **error) {
  const GPtrArray *runs = ase_record_runs(self->record);
  guint pushed = 0;
  for (guint k = 0; k < runs->len; k++)
    if (!write_run(self, runs->pdata[k], &pushed, error))
      return false;
  return ase_record_flush(self->record, error);
}

/* ---- the session ---- */

static void say_imported(AseSession *self, const AioRecording *recording) {
  const GPtrArray *runs = ase_record_runs(self->record);
  guint held_out = 0;
  gsize samples = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    held_out += run->purpose == ASE_PURPOSE_VALIDATE;
    samples += ase_run_samples(run);
  }
  ase_session_say(
      self, 0, N_("from %s: %zu of %zu rows, in %u sweeps, of which %u are held out for Validate"),
      aio_said_plain(recording->name), samples, recording->rows, runs->len, held_out);
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
  ase_record_take_runs(self->record, runs);
  self->edits->rows = options->rows;
  ase_session_write_edits(self, false);
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
