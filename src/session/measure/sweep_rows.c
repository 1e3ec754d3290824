/* SPDX-License-Identifier: MIT */
/* Rows out of their store, with marks. */
#include "session/measure/sweep_rows.h"

#include <math.h>
#include <string.h>

#include "core/num/filter.h"
#include "session/measure/sweep_rows_internal.h"

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
  const GPtrArray *runs = rows->selection->runs;
  for (guint k = find_behind(rows->firsts, first) - 1; k < runs->len; k++) {
    const AseRunUse *use = runs->pdata[k];
    const gsize begin = g_array_index(rows->firsts, gsize, k), from = MAX(begin, first);
    if (from >= first + count)
      break;
    const gsize end = MIN(begin + use->rows, first + count);
    ase_run_use_fill(use, from - begin, end - from, rows->left_out + (from - first));
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

static void shift_times(const AseSweepRows *rows, ArmDataset *view) {
  const GArray *shifts = rows->shifts;
  guint next = find_behind(shifts, view->first);
  double shift = next > 0 ? g_array_index(shifts, Shift, next - 1).shift : 0.0;
  for (gsize row = 0; row < view->rows; row++) {
    if (next < shifts->len && g_array_index(shifts, Shift, next).row == view->first + row)
      shift = g_array_index(shifts, Shift, next++).shift;
    rows->t[row] = view->t[row] + shift;
  }
  view->t = rows->t;
}

static ArmStatus read_window(void *user, size_t k, ArmDataset *view) {
  const Marked *marked = user;
  const AseSweepRows *rows = marked->rows;
  const ArmStatus status = marked->bare.read(marked->bare.user, k, view);
  if (status != ARM_OK)
    return status;
  mark_uses(rows, view->first, view->rows);
  mark_starts(rows, view->first, view->rows);
  view->left_out = rows->left_out;
  view->begins = rows->starts;
  if (marked == &rows->swept && rows->shifts)
    shift_times(rows, view);
  return ARM_OK;
}

/* What the store keeps of filtered rows gets the marks of those that it was made of. */
static ArmStatus put_filtered(void *user, const ArmDataset *data, size_t begin, size_t end) {
  const ArmRowKeeper *keeper = ((AseSweepRows *)user)->swept.bare.keeper;
  return keeper->put(keeper->user, data, begin, end);
}

static ArmStatus end_filtered(void *user, const double *rounding, ArmRowSource *source) {
  AseSweepRows *rows = user;
  const ArmRowKeeper *keeper = rows->swept.bare.keeper;
  const ArmStatus status = keeper->end(keeper->user, rounding, &rows->filtered.bare);
  *source = rows->filtered.bare;
  source->read = read_window;
  source->user = &rows->filtered;
  return status;
}

static bool open_source(AseSweepRows *rows, GError **error) {
  heal_cuts(rows);
  rows->swept = (Marked){rows, aio_row_store_source(rows->store)};
  rows->filtered.rows = rows;
  rows->keeper = (ArmRowKeeper){put_filtered, end_filtered, rows};
  rows->source = rows->swept.bare;
  rows->source.read = read_window;
  rows->source.user = &rows->swept;
  rows->source.keeper = &rows->keeper;
  const gsize most = rows->source.width + 2 * ARM_WINDOW_MARGIN;
  rows->left_out = g_malloc0(most);
  rows->starts = g_malloc0(most);
  rows->t = g_new0(double, most);
  return !rows->steps || aio_spool_median(rows->steps, &rows->source.median_step, error);
}

static AseSweepRows *sweep_rows_new(const AseSweepTask *task, bool is_on_one_clock,
                                    GError **error) {
  AseSweepRows *rows = g_new0(AseSweepRows, 1);
  rows->store = aio_row_store_new(task->model);
  rows->selection = ase_selection_begin();
  rows->firsts = g_array_new(FALSE, FALSE, sizeof(gsize));
  rows->begins = g_array_new(FALSE, FALSE, sizeof(Beginning));
  rows->shifts = is_on_one_clock ? g_array_new(FALSE, FALSE, sizeof(Shift)) : NULL;
  rows->steps = is_on_one_clock ? aio_spool_new() : NULL;
  if (!ase_sweep_rows_read(rows, task, error) || !open_source(rows, error))
    g_clear_pointer(&rows, ase_sweep_rows_free);
  return rows;
}

AseSweepRows *ase_sweep_rows_new_within(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                        AsePurpose purpose, const GArray *exclusions,
                                        GError **error) {
  const AseSweepTask task = {job, model, runs, 1u << purpose, exclusions};
  return sweep_rows_new(&task, false, error);
}

AseSweepRows *ase_sweep_rows_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                                 const GArray *exclusions, GError **error) {
  return ase_sweep_rows_new_within(NULL, model, runs, purpose, exclusions, error);
}

AseSweepRows *ase_sweep_rows_new_together(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                          const GArray *exclusions, GError **error) {
  const AseSweepTask task = {job, model, runs,
                             1u << ASE_PURPOSE_MEASURE | 1u << ASE_PURPOSE_VALIDATE, exclusions};
  return sweep_rows_new(&task, false, error);
}

AseSweepRows *ase_sweep_rows_new_on_one_clock(const ArmModel *model, const GPtrArray *runs,
                                              AsePurpose purpose, const GArray *exclusions,
                                              GError **error) {
  const AseSweepTask task = {NULL, model, runs, 1u << purpose, exclusions};
  return sweep_rows_new(&task, true, error);
}

void ase_sweep_rows_free(AseSweepRows *rows) {
  if (!rows)
    return;
  aio_row_store_free(rows->store);
  ase_selection_unref(rows->selection);
  g_array_unref(rows->firsts);
  g_array_unref(rows->begins);
  g_clear_pointer(&rows->shifts, g_array_unref);
  aio_spool_free(rows->steps);
  g_free(rows->left_out);
  g_free(rows->starts);
  g_free(rows->t);
  g_free(rows);
}

const ArmRowSource *ase_sweep_rows_source(const AseSweepRows *rows) {
  return &rows->source;
}

AseSelection *ase_sweep_rows_selection(const AseSweepRows *rows) {
  return rows->selection;
}

const AioRecording *ase_sweep_rows_about(const AseSweepRows *rows) {
  return aio_row_store_about(rows->store);
}

ArmShelf *ase_sweep_rows_shelf(const AseSweepRows *rows) {
  return aio_row_store_shelf(rows->store);
}

const GError *ase_sweep_rows_error(const AseSweepRows *rows) {
  return aio_row_store_error(rows->store);
}

/* ---- the digest ---- */

/* Of rows that are not used the joint is 0. */
static void hide_unused(const AseSweepRows *rows, const ArmDataset *view, int *joint) {
  mark_uses(rows, view->first, view->rows);
  for (gsize row = 0; row < view->rows; row++)
    joint[row] = rows->left_out[row] == ASE_SAMPLE_USED ? view->joint[row] : 0;
}

/* Column c of a window, joints, times, then those of each joint: count rows as they lie in memory.
 *   joint  room for a window; NULL: of all rows */
static void add_column(const AseSweepRows *rows, const ArmDataset *view, gsize c, gsize begin,
                       gsize count, int *joint, GChecksum *sum) {
  const double *const of_joints[] = {view->q, view->qd, view->current};
  if (c == 0) {
    if (joint)
      hide_unused(rows, view, joint);
    g_checksum_update(sum, (const guchar *)((joint ? joint : view->joint) + begin),
                      (gssize)(count * sizeof *joint));
    return;
  }
  const double *column =
      c == 1 ? view->t : of_joints[(c - 2) / view->n] + (c - 2) % view->n * view->rows;
  g_checksum_update(sum, (const guchar *)(column + begin), (gssize)(count * sizeof *column));
}

static char *digest(const AseSweepRows *rows, int *joint, GError **error) {
  const ArmRowSource *bare = &rows->swept.bare;
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  ArmStatus status = ARM_OK;
  for (gsize c = 0; c < 2 + 3 * bare->n && status == ARM_OK; c++)
    for (gsize k = 0; k * bare->width < bare->rows && status == ARM_OK; k++) {
      ArmDataset view;
      const gsize begin = k * bare->width, count = MIN(bare->width, bare->rows - begin);
      status = bare->read(bare->user, k, &view);
      if (status == ARM_OK)
        add_column(rows, &view, c, begin - view.first, count, joint, sum);
    }
  char *hex = status == ARM_OK ? g_strdup(g_checksum_get_string(sum)) : NULL;
  if (!hex)
    g_propagate_error(error, g_error_copy(ase_sweep_rows_error(rows)));
  g_checksum_free(sum);
  return hex;
}

char *ase_sweep_rows_digest(const AseSweepRows *rows, GError **error) {
  return digest(rows, NULL, error);
}

char *ase_sweep_rows_digest_of_used(const AseSweepRows *rows, GError **error) {
  int *joint = g_new(int, rows->source.width + 2 * ARM_WINDOW_MARGIN);
  char *hex = digest(rows, joint, error);
  g_free(joint);
  return hex;
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
