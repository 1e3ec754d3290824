/* SPDX-License-Identifier: MIT */
#include "whole_rows.h"

#include <math.h>
#include <string.h>

#include "core/num/filter.h"
#include "session/measure/sound.h"

enum { CUT = 2 }; /* in `begins`, while it is not known whether it counts */

static void count_chunk(const AioChunk *chunk, void *data) {
  *(gsize *)data += chunk->n;
}

static void each_run(const GPtrArray *runs, AsePurpose purpose,
                     void (*look)(const AseRun *run, AioStore **reader, void *data), void *data) {
  AioStore *reader = NULL;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->sweeps && run->purpose == purpose)
      look(run, &reader, data);
  }
  aio_store_close(reader, NULL);
}

/* At least as many as there are. */
static void count_run(const AseRun *run, AioStore **reader, void *room) {
  g_assert_true(ase_run_each_chunk(run, reader, count_chunk, room, NULL));
}

/* ---- copying ---- */

static void copy_row(WholeRows *s, gsize row, const AseRun *run, const AioChunk *chunk, guint k) {
  AioRecording *r = s->recording;
  r->t[row] = 1e-6 * (double)chunk->t_us[k];
  s->joint[row] = (int)run->joint;
  s->run[row] = run->id;
  for (gsize j = 0; j < r->n; j++) {
    const gsize from = (gsize)k * chunk->joints + j, to = j * r->rows + row;
    r->q[to] = chunk->q[from];
    /* a controller's held joints stand still but for noise; of a recording nobody knows */
    r->qd[to] = run->is_imported || j + 1 == run->joint ? chunk->qd[from] : 0.0;
    r->current[to] = chunk->current[from];
  }
}

/* While a run is copied. */
typedef struct {
  WholeRows *s;
  gsize row, first; /* the next one; the first of the run */
  const ArmModel *model;
  const AseRun *run;
  GArray *gaps; /* gsize: rows of the run that come after one */
} Copy;

/* What a file has of another arm is none of it. */
static void add_chunk(const AioChunk *chunk, void *data) {
  Copy *copy = data;
  const AioRecording *r = copy->s->recording;
  for (guint k = 0; k < chunk->n && chunk->joints == r->n; k++) {
    if (!ase_run_owns(copy->run, chunk, k))
      continue;
    copy_row(copy->s, copy->row, copy->run, chunk, k);
    const double current = r->current[(copy->run->joint - 1) * r->rows + copy->row];
    const gsize of_run = copy->row - copy->first;
    copy->s->use[copy->row] =
        (guint8)ase_sound_of_sample(copy->model, copy->run, chunk->flags[k], current);
    if (chunk->flags[k] & (AIO_SAMPLE_GAP | AIO_SAMPLE_LATE | AIO_SAMPLE_UNORDERED))
      g_array_append_val(copy->gaps, of_run);
    if (chunk->flags[k] & AIO_SAMPLE_CUT)
      copy->s->begins[copy->row] = CUT;
    copy->row++;
  }
}

static void add_run(const AseRun *run, AioStore **reader, void *data) {
  Copy *copy = data;
  WholeRows *s = copy->s;
  const AioRecording *r = s->recording;
  const gsize first = copy->first = copy->row;
  copy->run = run;
  g_array_set_size(copy->gaps, 0);
  g_assert_true(ase_run_each_chunk(run, reader, add_chunk, copy, NULL));
  if (!run->is_imported && copy->row > first)
    s->begins[first] = 1;
  ase_sound_of_run(run, r->t + first, r->qd + (run->joint - 1) * r->rows + first, copy->row - first,
                   copy->gaps, s->use + first);
}

/* Columns that were made for more rows move together. */
static void close_up(AioRecording *r, gsize rows) {
  double *const columns[] = {r->q, r->qd, r->current};
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++)
    for (gsize j = 1; j < r->n; j++)
      memmove(columns[c] + j * rows, columns[c] + j * r->rows, rows * sizeof(double));
  r->rows = rows;
}

/* A cut counts where it leaves a gap in time: else the sweep goes on over it. */
static void heal_cuts(WholeRows *s) {
  const AioRecording *r = s->recording;
  double step;
  if (!memchr(s->begins, CUT, r->rows))
    return;
  if (arm_filter_median_step(r->rows, r->t, &step) != ARM_OK)
    step = (double)NAN;
  for (gsize row = 0; row < r->rows; row++)
    if (s->begins[row] == CUT)
      s->begins[row] = row == 0 || !arm_filter_is_continued(r->t, row, step);
}

static void exclude(WholeRows *s, const GArray *exclusions) {
  AioRecording *r = s->recording;
  for (gsize row = 0; row < r->rows; row++) {
    const gsize at = ((gsize)s->joint[row] - 1) * r->rows + row;
    if (ase_sound_is_excluded(s->use[row], s->run[row], r->q[at], r->qd[at], exclusions))
      s->use[row] = ASE_SAMPLE_EXCLUDED;
    s->counts[s->joint[row] - 1][s->use[row]]++;
    r->joint[row] = s->use[row] == ASE_SAMPLE_USED ? s->joint[row] : 0;
  }
}

/* ---- all of it ---- */

static WholeRows *rows_alloc(const ArmModel *model, gsize room) {
  WholeRows *s = g_new0(WholeRows, 1);
  *s = (WholeRows){.recording = aio_recording_new("sweeps", model, room, false, NULL),
                   .use = g_new0(guint8, room),
                   .joint = g_new0(int, room),
                   .run = g_new0(gint64, room),
                   .begins = g_new0(guint8, room)};
  g_assert_nonnull(s->recording);
  s->recording->has_time = s->recording->has_joint = true;
  for (gsize j = 0; j < model->n; j++)
    s->recording->has_speed[j] = s->recording->has_current[j] = true;
  return s;
}

WholeRows *whole_rows_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                          const GArray *exclusions) {
  gsize room = 0;
  each_run(runs, purpose, count_run, &room);
  g_assert_cmpuint(room, >, 0);
  Copy copy = {.s = rows_alloc(model, room), .model = model};
  copy.gaps = g_array_new(FALSE, FALSE, sizeof(gsize));
  each_run(runs, purpose, add_run, &copy);
  g_array_unref(copy.gaps);
  g_assert_cmpuint(copy.row, >, 0);
  close_up(copy.s->recording, copy.row);
  heal_cuts(copy.s);
  exclude(copy.s, exclusions);
  return copy.s;
}

ArmDataset whole_rows_dataset(const WholeRows *rows) {
  ArmDataset data = aio_recording_dataset(rows->recording);
  data.joint = rows->joint;
  data.left_out = rows->use;
  data.begins = rows->begins;
  return data;
}

/* Of the arrays joint (32 bit), t, q, qd, current (doubles), as they lie in memory. */
char *whole_rows_digest(const WholeRows *rows, const int *joint) {
  const AioRecording *r = rows->recording;
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  const gsize column = r->rows * sizeof(double);
  g_checksum_update(sum, (const guchar *)joint, (gssize)(r->rows * sizeof *joint));
  g_checksum_update(sum, (const guchar *)r->t, (gssize)column);
  g_checksum_update(sum, (const guchar *)r->q, (gssize)(column * r->n));
  g_checksum_update(sum, (const guchar *)r->qd, (gssize)(column * r->n));
  g_checksum_update(sum, (const guchar *)r->current, (gssize)(column * r->n));
  char *hex = g_strdup(g_checksum_get_string(sum));
  g_checksum_free(sum);
  return hex;
}

void whole_rows_free(WholeRows *rows) {
  aio_recording_free(rows->recording);
  g_free(rows->use);
  g_free(rows->joint);
  g_free(rows->run);
  g_free(rows->begins);
  g_free(rows);
}
