/* SPDX-License-Identifier: MIT */
/* A sample is judged by itself and by those around it, so a run is judged when it is over; what
 * stays of it is where the verdict changes. */
#include "session/measure/run_use.h"

#include <string.h>

#include "session/measure/sound.h"

AseRunUse *ase_run_use_ref(AseRunUse *use) {
  g_atomic_ref_count_inc(&use->references);
  return use;
}

void ase_run_use_unref(AseRunUse *use) {
  if (!use || !g_atomic_ref_count_dec(&use->references))
    return;
  g_array_unref(use->marks);
  g_array_unref(use->exclusions);
  g_free(use);
}

/* The last mark that is not behind `row`. */
static guint mark_of(const GArray *marks, gsize row) {
  guint low = 0, high = marks->len;
  while (high - low > 1) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index(marks, AseUseMark, middle).row <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void ase_run_use_fill(const AseRunUse *use, gsize first, gsize count, guint8 *out) {
  const GArray *marks = use->marks;
  for (guint k = mark_of(marks, first); k < marks->len; k++) {
    const AseUseMark *mark = &g_array_index(marks, AseUseMark, k);
    const gsize from = MAX(mark->row, first) - first;
    if (from >= count)
      break;
    memset(out + from, (int)mark->use, count - from);
  }
}

/* ---- exclusions ---- */

static GArray *exclusions_of(gint64 run, const GArray *all) {
  GArray *own = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  for (guint k = 0; all && k < all->len; k++)
    if (g_array_index(all, AseExclusion, k).run == run)
      g_array_append_val(own, g_array_index(all, AseExclusion, k));
  return own;
}

static bool is_same(const AseExclusion *a, const AseExclusion *b) {
  return a->q_low == b->q_low && a->q_high == b->q_high && a->direction == b->direction;
}

bool ase_run_use_has(const AseRunUse *use, const GArray *exclusions) {
  GArray *own = exclusions_of(use->run, exclusions);
  bool is_all = own->len == use->exclusions->len;
  for (guint k = 0; k < own->len && is_all; k++)
    is_all = is_same(&g_array_index(own, AseExclusion, k),
                     &g_array_index(use->exclusions, AseExclusion, k));
  g_array_unref(own);
  return is_all;
}

/* ---- from samples ---- */

struct AseSifter {
  const ArmModel *model;
  const GArray *exclusions;
  const AseRun *run;
  GArray *t, *q, *qd;   /* double: of the run, of the joint that sweeps */
  GArray *sound, *gaps; /* guint8; gsize, samples that come after one */
};

AseSifter *ase_sifter_new(const ArmModel *model, const GArray *exclusions) {
  AseSifter *s = g_new0(AseSifter, 1);
  s->model = model;
  s->exclusions = exclusions;
  s->t = g_array_new(FALSE, FALSE, sizeof(double));
  s->q = g_array_new(FALSE, FALSE, sizeof(double));
  s->qd = g_array_new(FALSE, FALSE, sizeof(double));
  s->sound = g_array_new(FALSE, FALSE, sizeof(guint8));
  s->gaps = g_array_new(FALSE, FALSE, sizeof(gsize));
  return s;
}

void ase_sifter_free(AseSifter *s) {
  GArray *const of_run[] = {s->t, s->q, s->qd, s->sound, s->gaps};
  for (gsize k = 0; k < G_N_ELEMENTS(of_run); k++)
    g_array_unref(of_run[k]);
  g_free(s);
}

void ase_sifter_begin(AseSifter *s, const AseRun *run) {
  GArray *const of_run[] = {s->t, s->q, s->qd, s->sound, s->gaps};
  for (gsize k = 0; k < G_N_ELEMENTS(of_run); k++)
    g_array_set_size(of_run[k], 0);
  s->run = run;
}

bool ase_sifter_wants(const AseSifter *s, const AioChunk *chunk, guint k) {
  return chunk->joints == s->model->n && ase_run_owns(s->run, chunk, k);
}

gsize ase_sifter_add(AseSifter *s, const AioChunk *chunk, guint k) {
  const gsize own = (gsize)k * chunk->joints + s->run->joint - 1, row = s->t->len;
  const guint16 flags = chunk->flags[k];
  const guint8 sound = (guint8)ase_sound_of_sample(s->model, s->run, flags, chunk->current[own]);
  const double t = 1e-6 * (double)chunk->t_us[k];
  g_array_append_val(s->t, t);
  g_array_append_val(s->q, chunk->q[own]);
  g_array_append_val(s->qd, chunk->qd[own]);
  g_array_append_val(s->sound, sound);
  if (flags & (AIO_SAMPLE_GAP | AIO_SAMPLE_LATE | AIO_SAMPLE_UNORDERED))
    g_array_append_val(s->gaps, row);
  return row;
}

static void note(AseRunUse *out, gsize row, AseSampleUse use) {
  const AseUseMark mark = {row, use};
  out->counts[use]++;
  if (row == 0 || g_array_index(out->marks, AseUseMark, out->marks->len - 1).use != use)
    g_array_append_val(out->marks, mark);
}

AseRunUse *ase_sifter_end(AseSifter *s) {
  AseRunUse *out = g_new0(AseRunUse, 1);
  *out = (AseRunUse){.run = s->run->id,
                     .joint = s->run->joint,
                     .rows = s->t->len,
                     .marks = g_array_new(FALSE, FALSE, sizeof(AseUseMark)),
                     .exclusions = exclusions_of(s->run->id, s->exclusions)};
  g_atomic_ref_count_init(&out->references);
  const double *q = (const double *)(const void *)s->q->data;
  const double *qd = (const double *)(const void *)s->qd->data;
  guint8 *sound = (guint8 *)s->sound->data;
  ase_sound_of_run(s->run, (const double *)(const void *)s->t->data, qd, out->rows, s->gaps, sound);
  for (gsize k = 0; k < out->rows; k++)
    note(out, k,
         ase_sound_is_excluded(sound[k], s->run->id, q[k], qd[k], out->exclusions)
             ? ASE_SAMPLE_EXCLUDED
             : (AseSampleUse)sound[k]);
  return out;
}
