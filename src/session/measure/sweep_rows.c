/* SPDX-License-Identifier: MIT */
/* From the chunks of runs into a row store, and out of it with marks. */
#include "session/measure/sweep_rows.h"

#include <math.h>
#include <string.h>

#include "core/num/filter.h"
#include "io/recording/row_store.h"
#include "session/measure/sound.h"

enum { AT_ONCE = 256 }; /* rows that are put into the store */

/* From this row on rows are used, or not, as this one is. */
typedef struct {
  gsize row;
  AseSampleUse use;
} Mark;

/* A sweep begins there; of a cut only if it leaves a gap in time: else the sweep goes on over it.
 */
typedef struct {
  gsize row;
  bool is_cut;
  double t[2]; /* of the row before and of this one [s]; NAN: there is none before */
} Beginning;

struct AseSweepRows {
  AioRowStore *store;
  ArmRowSource stored, source; /* without marks; with them */
  GArray *marks, *begins;      /* of Mark, Beginning */
  guint8 *left_out, *starts;   /* of the rows in view */
};

/* ---- from runs into the store ---- */

typedef struct {
  AseSweepRows *rows;
  const ArmModel *model;
  const AseRun *run;
  const GArray *exclusions;
  AioRecording *open; /* AT_ONCE rows */
  gsize count;        /* of them that are filled */
  gsize total, first; /* rows of all runs so far; of those before this one */
  double last;        /* time of the last row [s] */
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

static bool read_runs(Reading *r, const GPtrArray *runs, AsePurpose purpose, GError **error) {
  AioStore *reader = NULL;
  bool ok = true;
  for (guint k = 0; k < runs->len && ok; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->sweeps && run->purpose == purpose)
      ok = read_run(r, run, &reader, error);
  }
  aio_store_close(reader, NULL);
  if (ok && r->total == 0)
    ase_selection_fail_empty(purpose, error);
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

static bool read_all(AseSweepRows *rows, const ArmModel *model, const GPtrArray *runs,
                     AsePurpose purpose, const GArray *exclusions, GError **error) {
  Reading r = {.rows = rows, .model = model, .exclusions = exclusions};
  r.open = window_new(model, error);
  if (!r.open)
    return false;
  r.t = g_array_new(FALSE, FALSE, sizeof(double));
  r.q = g_array_new(FALSE, FALSE, sizeof(double));
  r.qd = g_array_new(FALSE, FALSE, sizeof(double));
  r.sound = g_array_new(FALSE, FALSE, sizeof(guint8));
  r.gaps = g_array_new(FALSE, FALSE, sizeof(gsize));
  aio_row_store_begin(rows->store, r.open, false);
  const bool ok = read_runs(&r, runs, purpose, error);
  GArray *const of_run[] = {r.t, r.q, r.qd, r.sound, r.gaps};
  for (gsize k = 0; k < G_N_ELEMENTS(of_run); k++)
    g_array_unref(of_run[k]);
  aio_recording_free(r.open);
  g_clear_error(&r.error);
  return ok;
}

/* ---- and out of it, with marks ---- */

static void heal_cuts(AseSweepRows *rows) {
  GArray *begins = rows->begins;
  const double step = aio_row_store_step(rows->store);
  guint kept = 0;
  for (guint k = 0; k < begins->len; k++) {
    const Beginning beginning = g_array_index(begins, Beginning, k);
    if (!beginning.is_cut || !arm_filter_is_continued(beginning.t, 1, step))
      g_array_index(begins, Beginning, kept++) = beginning;
  }
  g_array_set_size(begins, kept);
}

/* Both lists begin with the number of their row. Place of the first one that is behind `row`. */
static guint find_behind(const GArray *list, gsize row) {
  const gsize size = g_array_get_element_size((GArray *)list);
  guint low = 0, high = list->len;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    gsize of;
    memcpy(&of, list->data + middle * size, sizeof of);
    if (of <= row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void mark_uses(const AseSweepRows *rows, gsize first, gsize count) {
  const GArray *marks = rows->marks;
  for (guint k = find_behind(marks, first) - 1; k < marks->len; k++) {
    const Mark *mark = &g_array_index(marks, Mark, k);
    const gsize from = MAX(mark->row, first) - first;
    if (from >= count)
      break;
    memset(rows->left_out + from, (int)mark->use, count - from);
  }
}

static void mark_starts(const AseSweepRows *rows, gsize first, gsize count) {
  const GArray *begins = rows->begins;
  memset(rows->starts, 0, count);
  for (guint k = first > 0 ? find_behind(begins, first - 1) : 0; k < begins->len; k++) {
    const gsize row = g_array_index(begins, Beginning, k).row;
    if (row >= first + count)
      break;
    rows->starts[row - first] = 1;
  }
}

static ArmStatus read_window(void *user, size_t k, ArmDataset *view) {
  AseSweepRows *rows = user;
  const ArmStatus status = rows->stored.read(rows->stored.user, k, view);
  if (status != ARM_OK)
    return status;
  mark_uses(rows, view->first, view->rows);
  mark_starts(rows, view->first, view->rows);
  view->left_out = rows->left_out;
  view->begins = rows->starts;
  return ARM_OK;
}

static void open_source(AseSweepRows *rows) {
  heal_cuts(rows);
  rows->stored = rows->source = aio_row_store_source(rows->store);
  rows->source.read = read_window;
  rows->source.user = rows;
  const gsize most = rows->source.width + 2 * ARM_WINDOW_MARGIN;
  rows->left_out = g_malloc0(most);
  rows->starts = g_malloc0(most);
}

AseSweepRows *ase_sweep_rows_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                                 const GArray *exclusions, GError **error) {
  AseSweepRows *rows = g_new0(AseSweepRows, 1);
  rows->store = aio_row_store_new(model);
  rows->marks = g_array_new(FALSE, FALSE, sizeof(Mark));
  rows->begins = g_array_new(FALSE, FALSE, sizeof(Beginning));
  if (read_all(rows, model, runs, purpose, exclusions, error))
    open_source(rows);
  else
    g_clear_pointer(&rows, ase_sweep_rows_free);
  return rows;
}

void ase_sweep_rows_free(AseSweepRows *rows) {
  if (!rows)
    return;
  aio_row_store_free(rows->store);
  g_array_unref(rows->marks);
  g_array_unref(rows->begins);
  g_free(rows->left_out);
  g_free(rows->starts);
  g_free(rows);
}

const ArmRowSource *ase_sweep_rows_source(const AseSweepRows *rows) {
  return &rows->source;
}

const GError *ase_sweep_rows_error(const AseSweepRows *rows) {
  return aio_row_store_error(rows->store);
}

/* ---- gravity and friction ---- */

typedef struct {
  guint joint;
  double low, high;
  double *pos, *neg; /* sums of currents in each bin */
  GArray *bins;
} Split;

static bool is_of_split(const Split *split, const ArmDataset *data, gsize row) {
  return data->joint[row] == (int)split->joint && data->left_out[row] == ASE_SAMPLE_USED;
}

static void take_range(Split *split, const ArmDataset *data, gsize row) {
  const double q = data->q[(split->joint - 1) * data->rows + row];
  if (!is_of_split(split, data, row))
    return;
  split->low = fmin(split->low, q);
  split->high = fmax(split->high, q);
}

static void take_current(Split *split, const ArmDataset *data, gsize row) {
  const gsize at = (split->joint - 1) * data->rows + row;
  const double q = data->q[at], qd = data->qd[at], range = split->high - split->low;
  const guint last = split->bins->len - 1;
  if (!is_of_split(split, data, row) || qd == 0.0 || !(range > 0.0))
    return;
  const guint b = MIN((guint)((q - split->low) / range * split->bins->len), last);
  AseSplit *bin = &g_array_index(split->bins, AseSplit, b);
  *(qd > 0 ? &split->pos[b] : &split->neg[b]) += data->current[at];
  *(qd > 0 ? &bin->n_pos : &bin->n_neg) += 1;
}

static bool each_row(AseSweepRows *rows, Split *split,
                     void (*take)(Split *split, const ArmDataset *data, gsize row),
                     GError **error) {
  const ArmRowSource *source = &rows->source;
  for (gsize k = 0; k * source->width < source->rows; k++) {
    ArmDataset view;
    if (source->read(source->user, k, &view) != ARM_OK) {
      g_propagate_error(error, g_error_copy(ase_sweep_rows_error(rows)));
      return false;
    }
    const gsize begin = k * source->width, end = MIN(begin + source->width, source->rows);
    for (gsize row = begin; row < end; row++)
      take(split, &view, row - view.first);
  }
  return true;
}

static void end_split(Split *split) {
  for (guint b = 0; b < split->bins->len; b++) {
    AseSplit *bin = &g_array_index(split->bins, AseSplit, b);
    const double pos = bin->n_pos ? split->pos[b] / bin->n_pos : NAN;
    const double neg = bin->n_neg ? split->neg[b] / bin->n_neg : NAN;
    bin->q = split->low + (b + 0.5) * (split->high - split->low) / split->bins->len;
    bin->gravity = 0.5 * (pos + neg);
    bin->friction = 0.5 * (pos - neg);
  }
}

GArray *ase_sweep_rows_split(AseSweepRows *rows, guint joint, guint bins, GError **error) {
  Split split = {.joint = joint, .low = INFINITY, .high = -INFINITY};
  split.bins = g_array_new(FALSE, TRUE, sizeof(AseSplit));
  g_array_set_size(split.bins, bins);
  split.pos = g_new0(double, bins);
  split.neg = g_new0(double, bins);
  if (each_row(rows, &split, take_range, error) && each_row(rows, &split, take_current, error))
    end_split(&split);
  else
    g_clear_pointer(&split.bins, g_array_unref);
  g_free(split.pos);
  g_free(split.neg);
  return split.bins;
}
