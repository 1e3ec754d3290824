/* SPDX-License-Identifier: MIT */
/* A run's samples are in memory, then on the shelf, and who reads them cannot tell the difference.
 * What stays for the eye is a trace of bounded size: every other point goes when there are too
 * many. */
#include "session/measure/runs.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"

static GPtrArray *chunks_new(void) {
  return g_ptr_array_new_with_free_func((GDestroyNotify)aio_chunk_unref);
}

static AseTrace *trace_new(guint most) {
  AseTrace *trace = g_new0(AseTrace, 1);
  trace->most = most;
  trace->low = INFINITY;
  trace->high = -INFINITY;
  trace->points = g_array_new(FALSE, FALSE, sizeof(AseTracePoint));
  return trace;
}

void ase_trace_free(AseTrace *trace) {
  g_array_unref(trace->points);
  g_free(trace);
}

AseRun *ase_run_new(const AseLeg *leg, gint64 id) {
  AseRun *run = g_new0(AseRun, 1);
  *run = (AseRun){.id = id,
                  .purpose = leg->purpose,
                  .sweeps = leg->sweeps,
                  .joint = leg->joint,
                  .hold = leg->hold,
                  .speed = leg->trajectory ? (double)NAN : leg->speed_R,
                  .chunks = chunks_new(),
                  .lock = g_new(GMutex, 1),
                  .trace = trace_new(ASE_TRACE_POINTS)};
  g_mutex_init(run->lock);
  g_atomic_ref_count_init(&run->references);
  return run;
}

AseRun *ase_run_ref(AseRun *run) {
  g_atomic_ref_count_inc(&run->references);
  return run;
}

void ase_run_unref(AseRun *run) {
  if (!run || !g_atomic_ref_count_dec(&run->references))
    return;
  g_ptr_array_unref(run->chunks);
  ase_shelf_unref(run->shelf);
  ase_trace_free(run->trace);
  g_free(run->outcome);
  g_mutex_clear(run->lock);
  g_free(run->lock);
  g_free(run);
}

bool ase_run_owns(const AseRun *run, const AioChunk *chunk, guint k) {
  return !run->motion || chunk->motion[k] == run->motion;
}

/* ---- chunks, here or there ---- */

/* Of the chunks in memory a reference; NULL: they are on the shelf. */
static GPtrArray *chunks_in_memory(const AseRun *run) {
  g_mutex_lock(run->lock);
  GPtrArray *chunks = run->shelf ? NULL : g_ptr_array_ref(run->chunks);
  g_mutex_unlock(run->lock);
  return chunks;
}

typedef struct {
  AseChunkFunc each;
  void *data;
  gsize chunks;
} Caller;

static bool on_stored(const AioStoreChunk *row, void *data) {
  Caller *caller = data;
  caller->each(row->chunk, caller->data);
  caller->chunks++;
  return true;
}

static bool is_open(const AseRun *run, AioStore **reader, GError **error) {
  if (!*reader)
    *reader = ase_shelf_open(run->shelf, error);
  return *reader != NULL;
}

static bool each_stored(const AseRun *run, AioStore *reader, Caller *caller, GError **error) {
  if (!aio_store_each_chunk(reader, run->id, on_stored, caller, error))
    return false;
  if (caller->chunks == 0)
    aio_error_set_said(
        error, AIO_ERROR_NOT_FOUND,
        N_("%s: the samples of joint %u, hold %u, which were here, are gone; sweep it again"),
        aio_said_plain(aio_store_path(reader)), run->joint, run->hold);
  return caller->chunks > 0;
}

bool ase_run_each_chunk(const AseRun *run, AioStore **reader, AseChunkFunc each, void *data,
                        GError **error) {
  GPtrArray *chunks = chunks_in_memory(run);
  if (!chunks) {
    Caller caller = {each, data, 0};
    return is_open(run, reader, error) && each_stored(run, *reader, &caller, error);
  }
  for (guint c = 0; c < chunks->len; c++)
    each(chunks->pdata[c], data);
  g_ptr_array_unref(chunks);
  return true;
}

bool ase_run_room(const AseRun *run, AioStore **reader, gsize *samples, GError **error) {
  GPtrArray *chunks = chunks_in_memory(run);
  if (!chunks)
    return is_open(run, reader, error) && aio_store_count_samples(*reader, run->id, samples, error);
  *samples = 0;
  for (guint c = 0; c < chunks->len; c++)
    *samples += ((const AioChunk *)chunks->pdata[c])->n;
  g_ptr_array_unref(chunks);
  return true;
}

/* ---- what stays in memory ---- */

/* Every other point goes when there are too many. */
static void halve(AseTrace *trace) {
  AseTracePoint *points = (AseTracePoint *)(void *)trace->points->data;
  const guint half = (trace->points->len + 1) / 2;
  for (guint k = 0; k < half; k++)
    points[k] = points[2 * k];
  g_array_set_size(trace->points, half);
  trace->step *= 2;
}

static void trace_sample(AseTrace *trace, const AseRun *run, const AioChunk *chunk, guint k) {
  const double *q = chunk->q + (gsize)k * chunk->joints;
  const gsize at = (gsize)k * chunk->joints + run->joint - 1;
  if (trace->samples == 0) {
    memcpy(trace->pose, q, chunk->joints * sizeof *q);
    trace->start_us = chunk->t_us[k];
  }
  const bool is_between = trace->samples++ % trace->step != 0;
  if (run->joint < 1 || run->joint > chunk->joints)
    return;
  trace->low = fminf(trace->low, (float)chunk->q[at]);
  trace->high = fmaxf(trace->high, (float)chunk->q[at]);
  if (is_between)
    return;
  const gint64 since_us = (gint64)(chunk->t_us[k] - trace->start_us);
  const AseTracePoint point = {(float)chunk->q[at], (float)chunk->qd[at], (float)chunk->current[at],
                               (float)(1e-6 * (double)since_us)};
  g_array_append_val(trace->points, point);
  if (trace->points->len == trace->most)
    halve(trace);
}

static void trace_chunk(AseTrace *trace, const AseRun *run, const AioChunk *chunk) {
  trace->lost += chunk->lost;
  if (!trace->first_us)
    trace->first_us = chunk->t_us[0];
  trace->last_us = chunk->t_us[chunk->n - 1];
  for (guint k = 0; k < chunk->n; k++)
    if (ase_run_owns(run, chunk, k))
      trace_sample(trace, run, chunk, k);
}

typedef struct {
  const AseRun *run;
  AseTrace *trace;
} Tracing;

static void on_trace_chunk(const AioChunk *chunk, void *data) {
  const Tracing *tracing = data;
  trace_chunk(tracing->trace, tracing->run, chunk);
}

static void fill_trace(AseTrace *trace, const AseRun *run, AioStore **reader) {
  Tracing tracing = {run, trace};
  trace->step = 1;
  ase_run_each_chunk(run, reader, on_trace_chunk, &tracing, NULL);
}

/* A power of two, as the room of an array is: else half of it would stay empty. */
guint ase_trace_most(guint runs) {
  guint most = ASE_TRACE_POINTS;
  while (most > ASE_TRACE_LEAST && (guint64)most * runs > ASE_TRACES_POINTS)
    most /= 2;
  return most;
}

AseTrace *ase_run_read_trace(const AseRun *run, guint most, AioStore **reader) {
  AseTrace *trace = trace_new(most);
  fill_trace(trace, run, reader);
  return trace;
}

void ase_run_take_trace(AseRun *run, AseTrace *trace) {
  if (run->trace->step) {
    ase_trace_free(trace);
    return;
  }
  ase_trace_free(run->trace);
  run->trace = trace;
}

const AseTrace *ase_run_trace(const AseRun *run) {
  AioStore *reader = NULL;
  if (!run->trace->step)
    fill_trace(run->trace, run, &reader);
  aio_store_close(reader, NULL);
  return run->trace;
}

guint64 ase_run_newest_us(const AseRun *run) {
  const AioChunk *last = run->chunks->len ? run->chunks->pdata[run->chunks->len - 1] : NULL;
  return last ? last->t_us[last->n - 1] : 0;
}

/* NULL: there is none of its own yet. */
static const guint64 *first_us(const AseRun *run) {
  for (guint c = 0; c < run->chunks->len; c++) {
    const AioChunk *chunk = run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++)
      if (ase_run_owns(run, chunk, k))
        return &chunk->t_us[k];
  }
  return NULL;
}

guint64 ase_run_span_us(const AseRun *run) {
  const guint64 *first = first_us(run);
  return first ? ase_run_newest_us(run) - *first : 0;
}

gsize ase_run_samples(const AseRun *run) {
  return run->is_counted ? run->samples : ase_run_trace(run)->samples;
}

guint64 ase_run_lost(const AseRun *run) {
  return run->is_counted ? run->lost : ase_run_trace(run)->lost + run->missing;
}

void ase_run_shelve(AseRun *run, AseShelf *shelf) {
  if (ase_run_samples(run) == 0)
    return;
  GPtrArray *empty = chunks_new();
  g_mutex_lock(run->lock);
  GPtrArray *chunks = run->chunks;
  run->chunks = empty;
  run->shelf = ase_shelf_ref(shelf);
  g_mutex_unlock(run->lock);
  g_ptr_array_unref(chunks);
}

void ase_run_shelve_unread(AseRun *run, AseShelf *shelf, gsize samples, guint64 lost) {
  run->is_counted = true;
  run->samples = samples;
  run->lost = lost;
  run->shelf = samples ? ase_shelf_ref(shelf) : NULL;
}
