/* SPDX-License-Identifier: MIT */
/* From runs to the rows of a fit, each with the reason why it is used or not. */
#include "session/measure/whole_rows.h"

#include <math.h>
#include <string.h>

#include "core/num/filter.h"
#include "session/measure/selection.h"
#include "session/measure/sound.h"

enum { CUT = 2 }; /* in `begins`, while it is not known whether it counts */

static bool is_of(const AseRun *run, AsePurpose purpose) {
  return run->sweeps && run->purpose == purpose;
}

/* At least as many as there are. */
static bool count_room(const GPtrArray *runs, AsePurpose purpose, AioStore **reader, gsize *room,
                       GError **error) {
  *room = 0;
  for (guint k = 0; k < runs->len; k++) {
    gsize samples = 0;
    if (is_of(runs->pdata[k], purpose) && !ase_run_room(runs->pdata[k], reader, &samples, error))
      return false;
    *room += samples;
  }
  return true;
}

/* ---- copying ---- */

static void copy_row(AseWholeRows *s, gsize row, const AseRun *run, const AioChunk *chunk,
                     guint k) {
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
  AseWholeRows *s;
  gsize row, first; /* the next one; the first of the run */
  const ArmModel *model;
  const AseRun *run;
  AseJob *job;  /* NULL: none */
  GArray *gaps; /* gsize: rows of the run that come after one */
} Copy;

/* What a file has of another arm, or more than it had a moment ago, is none of it. */
static void add_chunk(const AioChunk *chunk, void *data) {
  Copy *copy = data;
  const AioRecording *r = copy->s->recording;
  for (guint k = 0; k < chunk->n && chunk->joints == r->n && copy->row < r->rows; k++) {
    if (!ase_run_owns(copy->run, chunk, k))
      continue;
    copy_row(copy->s, copy->row, copy->run, chunk, k);
    const double current = r->current[(copy->run->joint - 1) * r->rows + copy->row];
    const gsize of_run = copy->row - copy->first;
    copy->s->sound[copy->row] =
        (guint8)ase_sound_of_sample(copy->model, copy->run, chunk->flags[k], current);
    if (chunk->flags[k] & (AIO_SAMPLE_GAP | AIO_SAMPLE_LATE | AIO_SAMPLE_UNORDERED))
      g_array_append_val(copy->gaps, of_run);
    if (chunk->flags[k] & AIO_SAMPLE_CUT)
      copy->s->begins[copy->row] = CUT;
    copy->row++;
  }
}

static bool add_run(Copy *copy, const AseRun *run, AioStore **reader, GError **error) {
  AseWholeRows *s = copy->s;
  const AioRecording *r = s->recording;
  const gsize first = copy->first = copy->row;
  copy->run = run;
  g_array_set_size(copy->gaps, 0);
  const bool ok = ase_run_each_chunk(run, reader, add_chunk, copy, error);
  if (!run->is_imported && copy->row > first)
    s->begins[first] = 1;
  ase_sound_of_run(run, r->t + first, r->qd + (run->joint - 1) * r->rows + first, copy->row - first,
                   copy->gaps, s->sound + first);
  return ok;
}

static bool add_runs(Copy *copy, const GPtrArray *runs, AsePurpose purpose, AioStore **reader,
                     GError **error) {
  bool ok = true;
  copy->gaps = g_array_new(FALSE, FALSE, sizeof(gsize));
  for (guint k = 0; k < runs->len && ok; k++)
    if (is_of(runs->pdata[k], purpose))
      ok = !ase_job_is_cancelled(copy->job) && add_run(copy, runs->pdata[k], reader, error);
  g_array_unref(copy->gaps);
  if (ok && copy->row == 0)
    ase_selection_fail_empty(purpose, error);
  return ok && copy->row > 0;
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
static void heal_cuts(AseWholeRows *s) {
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

static void exclude(AseWholeRows *s, const GArray *exclusions) {
  AioRecording *r = s->recording;
  memset(s->counts, 0, sizeof s->counts);
  for (gsize row = 0; row < r->rows; row++) {
    const gsize at = ((gsize)s->joint[row] - 1) * r->rows + row;
    const bool is_excluded =
        ase_sound_is_excluded(s->sound[row], s->run[row], r->q[at], r->qd[at], exclusions);
    s->use[row] = is_excluded ? ASE_SAMPLE_EXCLUDED : s->sound[row];
    s->counts[s->joint[row] - 1][s->use[row]]++;
    r->joint[row] = s->use[row] == ASE_SAMPLE_USED ? s->joint[row] : 0;
  }
}

/* ---- all of it ---- */

static AseWholeRows *selection_alloc(const ArmModel *model, gsize room, GError **error) {
  AioRecording *recording = aio_recording_new("sweeps", model, room, false, error);
  if (!recording)
    return NULL;
  AseWholeRows *s = g_new0(AseWholeRows, 1);
  *s = (AseWholeRows){.recording = recording,
                      .use = g_new0(guint8, room),
                      .sound = g_new0(guint8, room),
                      .joint = g_new0(int, room),
                      .run = g_new0(gint64, room),
                      .begins = g_new0(guint8, room)};
  recording->has_time = recording->has_joint = true;
  for (gsize j = 0; j < model->n; j++)
    recording->has_speed[j] = recording->has_current[j] = true;
  return s;
}

static AseWholeRows *select_runs(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                 AsePurpose purpose, const GArray *exclusions, GError **error) {
  AioStore *reader = NULL;
  gsize room;
  AseWholeRows *s = count_room(runs, purpose, &reader, &room, error)
                        ? selection_alloc(model, MAX(room, 1), error)
                        : NULL;
  Copy copy = {.s = s, .model = model, .job = job};
  if (s && add_runs(&copy, runs, purpose, &reader, error)) {
    close_up(s->recording, copy.row);
    heal_cuts(s);
    exclude(s, exclusions);
  } else {
    g_clear_pointer(&s, ase_whole_rows_free);
  }
  aio_store_close(reader, NULL);
  return s;
}

AseWholeRows *ase_whole_rows_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                                 const GArray *exclusions, GError **error) {
  return select_runs(NULL, model, runs, purpose, exclusions, error);
}

AseWholeRows *ase_whole_rows_new_within(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                        AsePurpose purpose, const GArray *exclusions,
                                        GError **error) {
  return select_runs(job, model, runs, purpose, exclusions, error);
}

ArmDataset ase_whole_rows_dataset(const AseWholeRows *selection) {
  ArmDataset data = aio_recording_dataset(selection->recording);
  data.joint = selection->joint;
  data.left_out = selection->use;
  data.begins = selection->begins;
  return data;
}

/* Of the arrays joint (32 bit), t, q, qd, current (doubles), as they lie in memory. */
char *ase_whole_rows_digest(const AseWholeRows *selection, const int *joint) {
  const AioRecording *r = selection->recording;
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

void ase_whole_rows_free(AseWholeRows *selection) {
  if (!selection)
    return;
  aio_recording_free(selection->recording);
  g_free(selection->use);
  g_free(selection->sound);
  g_free(selection->joint);
  g_free(selection->run);
  g_free(selection->begins);
  g_free(selection);
}
