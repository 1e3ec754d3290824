/* SPDX-License-Identifier: MIT */
/* From the chunks of runs into a row store. */
#include <math.h>

#include "session/measure/sound.h"
#include "session/measure/sweep_rows_internal.h"

enum { AT_ONCE = 256 }; /* rows that are put into the store */
#define APART_S 1.0     /* as recordings that are fitted together: no stroke goes on */

typedef struct {
  AseSweepRows *rows;
  const ArmModel *model;
  const AseRun *run;
  const GArray *exclusions;
  AioRecording *open; /* AT_ONCE rows */
  gsize count;        /* of them that are filled */
  gsize total, first; /* rows of all runs so far; of those before this one */
  double last;        /* time of the last row [s] */
  double shift, end;  /* what is added to time, and the last row's time with it */
  GArray *t, *q, *qd; /* double: of the run, of the joint that sweeps */
  GArray *sound, *gaps;
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

static void note_sample(Reading *r, const AioChunk *chunk, guint k, double t) {
  const gsize own = (gsize)k * chunk->joints + r->run->joint - 1, of_run = r->total - r->first;
  const guint16 flags = chunk->flags[k];
  const guint8 sound = (guint8)ase_sound_of_sample(r->model, r->run, flags, chunk->current[own]);
  g_array_append_val(r->t, t);
  g_array_append_val(r->q, chunk->q[own]);
  g_array_append_val(r->qd, chunk->qd[own]);
  g_array_append_val(r->sound, sound);
  if (flags & (AIO_SAMPLE_GAP | AIO_SAMPLE_LATE | AIO_SAMPLE_UNORDERED))
    g_array_append_val(r->gaps, of_run);
  if (of_run == 0 && !r->run->is_imported)
    note_beginning(r, false, t);
  else if (flags & AIO_SAMPLE_CUT)
    note_beginning(r, true, t);
}

static void add_sample(Reading *r, const AioChunk *chunk, guint k) {
  copy_sample(r->open, r->count, r->run, chunk, k);
  note_sample(r, chunk, k, r->open->t[r->count]);
  carry_time_on(r, r->open->t[r->count]);
  r->last = r->open->t[r->count];
  r->total++;
  if (++r->count == AT_ONCE)
    flush(r);
}

/* What a file has of another arm is none of it. */
static void add_chunk(const AioChunk *chunk, void *data) {
  Reading *r = data;
  for (guint k = 0; k < chunk->n && chunk->joints == r->open->n && !r->error; k++)
    if (ase_run_owns(r->run, chunk, k))
      add_sample(r, chunk, k);
}

static void note_use(AseSweepRows *rows, gsize row, AseSampleUse use) {
  const GArray *marks = rows->marks;
  const Mark mark = {row, use};
  if (marks->len == 0 || g_array_index(marks, Mark, marks->len - 1).use != use)
    g_array_append_val(rows->marks, mark);
}

static void end_run(Reading *r) {
  const gsize rows = r->total - r->first;
  const double *q = (const double *)(const void *)r->q->data;
  const double *qd = (const double *)(const void *)r->qd->data;
  guint8 *sound = (guint8 *)r->sound->data;
  ase_sound_of_run(r->run, (const double *)(const void *)r->t->data, qd, rows, r->gaps, sound);
  for (gsize k = 0; k < rows; k++) {
    const bool is_excluded =
        ase_sound_is_excluded(sound[k], r->run->id, q[k], qd[k], r->exclusions);
    note_use(r->rows, r->first + k, is_excluded ? ASE_SAMPLE_EXCLUDED : (AseSampleUse)sound[k]);
  }
}

static bool read_run(Reading *r, const AseRun *run, AioStore **reader, GError **error) {
  GArray *const of_run[] = {r->t, r->q, r->qd, r->sound, r->gaps};
  for (gsize k = 0; k < G_N_ELEMENTS(of_run); k++)
    g_array_set_size(of_run[k], 0);
  r->run = run;
  r->first = r->total;
  if (!ase_run_each_chunk(run, reader, add_chunk, r, error))
    return false;
  end_run(r);
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
  Reading r = {.rows = rows, .model = task->model, .exclusions = task->exclusions};
  r.open = window_new(task->model, error);
  if (!r.open)
    return false;
  r.t = g_array_new(FALSE, FALSE, sizeof(double));
  r.q = g_array_new(FALSE, FALSE, sizeof(double));
  r.qd = g_array_new(FALSE, FALSE, sizeof(double));
  r.sound = g_array_new(FALSE, FALSE, sizeof(guint8));
  r.gaps = g_array_new(FALSE, FALSE, sizeof(gsize));
  aio_row_store_begin(rows->store, r.open, false);
  const bool ok = read_runs(&r, task, error);
  GArray *const of_run[] = {r.t, r.q, r.qd, r.sound, r.gaps};
  for (gsize k = 0; k < G_N_ELEMENTS(of_run); k++)
    g_array_unref(of_run[k]);
  aio_recording_free(r.open);
  g_clear_error(&r.error);
  return ok;
}
