/* SPDX-License-Identifier: MIT */
/* Files one after the other, or rows from elsewhere, into the blocks of a store. */
#include "io/recording/row_store.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/recording/row_store_internal.h"

AioRowStore *aio_row_store_new(const ArmModel *model) {
  AioRowStore *store = g_new0(AioRowStore, 1);
  store->model = model;
  store->blocks = g_byte_array_new();
  store->steps = aio_spool_new();
  store->ends = g_array_new(FALSE, FALSE, sizeof(goffset));
  store->fd = -1;
  store->median_step = (double)NAN;
  store->kept_bytes = KEPT_BYTES;
  store->shelf = aio_shelf_new();
  aio_row_store_init_keeper(store);
  return store;
}

void aio_row_store_free(AioRowStore *store) {
  if (!store)
    return;
  aio_row_store_free(store->filtered);
  aio_recording_free(store->about);
  g_clear_pointer(&store->blocks, g_byte_array_unref);
  g_array_unref(store->ends);
  g_free(store->packed);
  aio_spool_free(store->steps);
  if (store->fd >= 0)
    close(store->fd);
  g_free(store->open);
  g_free(store->view);
  aio_shelf_free(store->shelf);
  g_clear_error(&store->error);
  g_free(store);
}

const AioRecording *aio_row_store_about(const AioRowStore *store) {
  return store->about;
}

gsize aio_row_store_rows(const AioRowStore *store) {
  return store->rows;
}

gsize aio_row_store_unmoved(const AioRowStore *store) {
  return store->unmoved;
}

/* ---- reading again ---- */

static void seal(AioRowStore *store) {
  if (store->open)
    aio_row_store_close_block(store);
  g_clear_pointer(&store->steps, aio_spool_free);
}

ArmRowSource aio_row_store_source(AioRowStore *store) {
  seal(store);
  ArmRowSource source = {.n = store->model->n,
                         .rows = store->rows,
                         .width = WIDTH,
                         .median_step = store->median_step,
                         .read = aio_row_store_read,
                         .user = store,
                         .keeper = &store->keeper};
  memcpy(source.is_torque, store->about->is_torque, sizeof source.is_torque);
  return source;
}

ArmShelf *aio_row_store_shelf(AioRowStore *store) {
  return aio_shelf_face(store->shelf);
}

const GError *aio_row_store_error(const AioRowStore *store) {
  if (store->error)
    return store->error;
  return store->filtered && store->filtered->error ? store->filtered->error
                                                   : aio_shelf_error(store->shelf);
}

/* ---- one file after the other ---- */

/* What is known of a file while it is read. */
typedef struct {
  AioRecording *window;
  AioReading reading;
  AioFaults faults;
  AioClock clock;
  AioSpool *steps; /* of its times */
} Adding;

static void add_step(AioSpool *steps, double from, double to) {
  if (to - from > 0 && isfinite(to - from))
    aio_spool_add(steps, to - from);
}

/* Returns the last time. */
static double note_steps(const double *t, gsize rows, double last, AioSpool *steps) {
  for (gsize row = 0; row < rows; row++) {
    add_step(steps, last, t[row]);
    last = t[row];
  }
  return last;
}

static bool has_fault(const AioFaults *faults) {
  return faults->size || faults->joint || faults->column || faults->time;
}

static bool take_window(AioRowStore *store, const AioCsv *csv, const AioRecordingColumns *columns,
                        Adding *a, GError **error) {
  double joints[AIO_CSV_WINDOW_ROWS];
  aio_recording_set_rows(a->window, aio_csv_rows(csv));
  if (!aio_recording_read_rows(csv, columns, a->window, &a->reading, joints, &a->faults, error))
    return false;
  const ArmDataset rows = aio_recording_dataset(a->window);
  note_steps(rows.t, rows.rows, a->clock.runs ? a->clock.last : rows.t[0], a->steps);
  aio_recording_check_motion(csv, a->window, &a->clock, &a->faults);
  a->reading.first += a->window->rows;
  return has_fault(&a->faults) || aio_row_store_add_rows(store, &rows, 0, rows.rows, error);
}

static bool take_file(AioRowStore *store, AioCsv *csv, const AioRecordingColumns *columns,
                      Adding *a, GError **error) {
  bool is_read;
  aio_csv_rewind(csv);
  while ((is_read = aio_csv_next(csv, error)) && aio_csv_rows(csv) > 0)
    if (!take_window(store, csv, columns, a, error)) {
      is_read = false;
      break;
    }
  return aio_recording_faults_end(&a->faults, is_read ? error : NULL) && is_read;
}

/* The steps of the rows from `first` on, as they are in the recording. */
static bool append_steps(AioRowStore *store, gsize first, double last, GError **error) {
  ArmDataset view;
  for (gsize k = MIN(first / WIDTH, store->n_blocks); k <= store->n_blocks; k++) {
    if (aio_row_store_read(store, k, &view) != ARM_OK) {
      g_propagate_error(error, g_error_copy(store->error));
      return false;
    }
    const gsize end = k < store->n_blocks ? (k + 1) * WIDTH : store->rows;
    for (gsize row = MAX(first, k * WIDTH); row < end; row++) {
      add_step(store->steps, last, view.t[row - view.first]);
      last = view.t[row - view.first];
    }
  }
  store->last = last;
  return aio_spool_median(store->steps, &store->median_step, error);
}

/* The file begins at row `first`. */
static bool join(AioRowStore *store, Adding *a, gsize first, GError **error) {
  double step, shift = 0.0;
  if (!aio_recording_check_alike(store->about, a->window, error) ||
      !aio_spool_median(a->steps, &step, error))
    return false;
  if (first > 0 && store->rows > first)
    shift = aio_recording_shift(store->last, store->median_step, a->clock.first, step);
  aio_recording_note(store->about, a->window, first, shift);
  if (first > 0)
    return append_steps(store, first, store->last, error);
  aio_spool_free(store->steps);
  store->steps = g_steal_pointer(&a->steps);
  store->median_step = step;
  store->last = a->clock.last;
  return true;
}

static void begin(AioRowStore *store, const char *name, bool has_qdd) {
  store->about = aio_recording_new(name, store->model, 0, false, NULL);
  g_array_set_size(store->about->segments, 0);
  g_array_set_size(store->about->shifts, 0);
  store->has_qdd = has_qdd;
  aio_row_store_open_block(store);
}

static bool add_csv(AioRowStore *store, AioCsv *csv, const AioRecordingColumns *columns, Adding *a,
                    GError **error) {
  const gsize first = store->rows;
  if (!store->about)
    begin(store, a->window->name, a->window->qdd || store->expects_qdd);
  return take_file(store, csv, columns, a, error) && join(store, a, first, error);
}

static bool has_accelerations(const AioRecordingColumns *columns, gsize n) {
  bool has_qdd = false;
  for (gsize j = 0; j < n; j++)
    has_qdd = has_qdd || columns->qdd[j] >= 0;
  return has_qdd;
}

static AioRecording *window_of(const AioCsv *csv, const ArmModel *model,
                               const AioRecordingColumns *columns, GPtrArray *ignored,
                               GError **error) {
  const bool has_qdd = has_accelerations(columns, model->n);
  AioRecording *window =
      aio_recording_new(aio_csv_name(csv), model, AIO_CSV_WINDOW_ROWS, has_qdd, error);
  if (window) {
    g_ptr_array_unref(window->ignored);
    window->ignored = g_ptr_array_ref(ignored);
  }
  return window;
}

bool aio_row_store_add(AioRowStore *store, const char *path, double rate_Hz, GChecksum *sum,
                       GError **error) {
  AioCsv *csv = aio_csv_open_as(path, &AIO_CSV_PLAIN, sum, error);
  if (!csv)
    return false;
  AioRecordingColumns columns;
  Adding a = {.reading = {.is_motion = true, .rate_Hz = rate_Hz}, .steps = aio_spool_new()};
  GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
  if (aio_recording_find_columns(csv, store->model, &columns, ignored, error) &&
      aio_recording_check_required(csv, store->model, &columns, &a.reading, error))
    a.window = window_of(csv, store->model, &columns, ignored, error);
  const bool is_added = a.window && add_csv(store, csv, &columns, &a, error);
  aio_recording_free(a.window);
  aio_spool_free(a.steps);
  g_ptr_array_unref(ignored);
  aio_csv_free(csv);
  return is_added;
}

void aio_row_store_expect(AioRowStore *store, const char *path) {
  AioRecordingColumns columns;
  AioCsv *csv = aio_csv_open_as(path, &AIO_CSV_PLAIN, NULL, NULL);
  GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
  if (csv && aio_recording_find_columns(csv, store->model, &columns, ignored, NULL))
    store->expects_qdd |= has_accelerations(&columns, store->model->n);
  g_ptr_array_unref(ignored);
  aio_csv_free(csv);
}

/* ---- rows from elsewhere ---- */

void aio_row_store_begin(AioRowStore *store, const AioRecording *about, bool has_qdd) {
  begin(store, about->name, has_qdd);
  aio_recording_note(store->about, about, 0, 0.0);
}

bool aio_row_store_put_rows(AioRowStore *store, const ArmDataset *rows, gsize first, gsize end,
                            GError **error) {
  if (end > first)
    store->last = note_steps(rows->t + first, end - first,
                             store->rows > 0 ? store->last : rows->t[first], store->steps);
  return aio_row_store_add_rows(store, rows, first, end, error);
}

bool aio_row_store_put(AioRowStore *store, const AioRecording *window, GError **error) {
  const ArmDataset rows = aio_recording_dataset(window);
  if (!store->about)
    aio_row_store_begin(store, window, window->qdd != NULL);
  return aio_row_store_put_rows(store, &rows, 0, rows.rows, error);
}

bool aio_row_store_end(AioRowStore *store, GError **error) {
  return aio_spool_median(store->steps, &store->median_step, error);
}

double aio_row_store_step(const AioRowStore *store) {
  return store->median_step;
}
