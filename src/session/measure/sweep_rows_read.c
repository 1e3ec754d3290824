/* SPDX-License-Identifier: MIT */
/* From the chunks of runs into a row store. */
#include <math.h>

#include "session/measure/sweep_rows_internal.h"

enum { AT_ONCE = 256 }; /* rows that are put into the store */
#define APART_S 1.0     /* as recordings that are fitted together: no stroke goes on */

typedef struct {
  AseSweepRows *rows;
  const AseRun *run;
  AseSifter *sifter;
  AioRecording *open; /* AT_ONCE rows */
  gsize count;        /* of them that are filled */
  gsize total;        /* rows of all runs so far */
  double last;        /* time of the last row [s] */
  double shift, end;  /* what is added to time, and the last row's time with it */
  GError *error;
} Reading;

static void flush(Reading *r) {
  const ArmDataset data = aio_recording_dataset(r->open);
  if (!r->error)
    aio_row_store_put_rows(r->rows->store, &data, 0, r->count, &r->error);
  r->count = 0;
}

static void note_beginning(Reading *r, bool is_cut, double t) {
  const Beginning beginning = {
      .row = r->total, .is_cut = is_cut, .t = {r->total > 0 ? r->last : (double)NAN, t}};
  g_array_append_val(r->rows->begins, beginning);
}

static void carry_time_on(Reading *r, double t) {
  AseSweepRows *rows = r->rows;
  if (!rows->shifts)
    return;
  if (r->total > 0 && t + r->shift <= r->end) {
    const Shift shift = {r->total, r->end + APART_S - t};
    r->shift = shift.shift;
    g_array_append_val(rows->shifts, shift);
  }
  const double step = t + r->shift - r->end;
  if (r->total > 0 && step > 0 && isfinite(step))
    aio_spool_add(rows->steps, step);
  r->end = t + r->shift;
}

static void copy_sample(AioRecording *to, gsize row, const AseRun *run, const AioChunk *chunk,
                        guint k) {
  to->t[row] = 1e-6 * (double)chunk->t_us[k];
  to->joint[row] = (int)run->joint;
  for (gsize j = 0; j < to->n; j++) {
    const gsize from = (gsize)k * chunk->joints + j, at = j * to->rows + row;
    to->q[at] = chunk->q[from];
    /* a controller's held joints stand still but for noise; of a recording nobody knows */
    to->qd[at] = run->is_imported || j + 1 == run->joint ? chunk->qd[from] : 0.0;
    to->current[at] = chunk->current[from];
  }
}

static void add_sample(Reading *r, const AioChunk *chunk, guint k) {
  copy_sample(r->open, r->count, r->run, chunk, k);
  const double t = r->open->t[r->count];
  if (ase_sifter_add(r->sifter, chunk, k) == 0 && !r->run->is_imported)
    note_beginning(r, false, t);
  else if (chunk->flags[k] & AIO_SAMPLE_CUT)
    note_beginning(r, true, t);
  carry_time_on(r, t);
  r->last = t;
  r->total++;
  if (++r->count == AT_ONCE)
    flush(r);
}

static void add_chunk(const AioChunk *chunk, void *data) {
  Reading *r = data;
  for (guint k = 0; k < chunk->n && !r->error; k++)
    if (ase_sifter_wants(r->sifter, chunk, k))
      add_sample(r, chunk, k);
}

static void end_run(Reading *r, gsize first) {
  ase_selection_add(r->rows->selection, ase_sifter_end(r->sifter));
  if (r->total > first)
    g_array_append_val(r->rows->firsts, first);
}

static bool read_run(Reading *r, const AseRun *run, AioStore **reader, GError **error) {
  const gsize first = r->total;
  r->run = run;
  ase_sifter_begin(r->sifter, run);
  if (!ase_run_each_chunk(run, reader, add_chunk, r, error))
    return false;
  end_run(r, first);
  if (r->error)
    g_propagate_error(error, g_error_copy(r->error));
  return !r->error;
}

static bool read_runs(Reading *r, const AseSweepTask *task, GError **error) {
  AioStore *reader = NULL;
  bool ok = true;
  for (guint k = 0; k < task->runs->len && ok; k++) {
    const AseRun *run = task->runs->pdata[k];
    if (run->sweeps && (task->purposes & (1u << run->purpose)))
      ok = !ase_job_is_cancelled(task->job) && read_run(r, run, &reader, error);
  }
  aio_store_close(reader, NULL);
  if (ok && r->total == 0)
    ase_selection_fail_empty((AsePurpose)g_bit_nth_lsf(task->purposes, -1), error);
  if (!ok || r->total == 0)
    return false;
  flush(r);
  if (r->error)
    g_propagate_error(error, g_error_copy(r->error));
  return !r->error && aio_row_store_end(r->rows->store, error);
}

static AioRecording *window_new(const ArmModel *model, GError **error) {
  AioRecording *window = aio_recording_new("sweeps", model, AT_ONCE, false, error);
  if (!window)
    return NULL;
  window->has_time = window->has_joint = true;
  for (gsize j = 0; j < model->n; j++)
    window->has_speed[j] = window->has_current[j] = true;
  return window;
}

bool ase_sweep_rows_read(AseSweepRows *rows, const AseSweepTask *task, GError **error) {
  Reading r = {.rows = rows};
  r.open = window_new(task->model, error);
  if (!r.open)
    return false;
  r.sifter = ase_sifter_new(task->model, task->exclusions);
  aio_row_store_begin(rows->store, r.open, false);
  const bool ok = read_runs(&r, task, error);
  ase_sifter_free(r.sifter);
  aio_recording_free(r.open);
  g_clear_error(&r.error);
  return ok;
}
