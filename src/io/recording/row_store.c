/* SPDX-License-Identifier: MIT */
/* Rows lie in blocks as a fit wants to see them: column by column, with the last rows of the block
 * before and the first of the next, so that a window is one read and nothing is turned around. In
 * the file they are packed: a fit goes over it again and again. */
#include "io/recording/row_store.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/base/spool.h"
#include "io/base/temporary.h"
#include "io/recording/recording_internal.h"

enum { WIDTH = 1024, MARGIN = ARM_WINDOW_MARGIN, MOST = WIDTH + 2 * MARGIN, KEPT_BYTES = 16 << 20 };

struct AioRowStore {
  const ArmModel *model;
  AioRecording *about; /* NULL: no file has been added */
  bool has_qdd;
  gsize rows, unmoved;
  GByteArray *blocks;       /* whole ones, while they are few, else NULL */
  int fd;                   /* -1: they are few; else packed ones, one after the other */
  GArray *ends;             /* goffset: of the blocks in the file */
  double *packed;           /* one of them */
  gsize n_blocks;           /* written */
  double *open;             /* the block that is filled */
  gsize open_rows;          /* with those of its neighbours */
  double *view;             /* the block that is read */
  double t[MOST];           /* its times, where files have been put together */
  AioSpool *steps;          /* of time, from row to row; NULL: nothing more is added */
  double median_step, last; /* last: time of the last row */
  GError *error;
};

AioRowStore *aio_row_store_new(const ArmModel *model) {
  AioRowStore *store = g_new0(AioRowStore, 1);
  store->model = model;
  store->blocks = g_byte_array_new();
  store->steps = aio_spool_new();
  store->ends = g_array_new(FALSE, FALSE, sizeof(goffset));
  store->fd = -1;
  store->median_step = (double)NAN;
  return store;
}

void aio_row_store_free(AioRowStore *store) {
  if (!store)
    return;
  aio_recording_free(store->about);
  g_clear_pointer(&store->blocks, g_byte_array_unref);
  g_array_unref(store->ends);
  g_free(store->packed);
  aio_spool_free(store->steps);
  if (store->fd >= 0)
    close(store->fd);
  g_free(store->open);
  g_free(store->view);
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

/* ---- blocks ---- */

/* Doubles of a row: t, q, qd, current, perhaps qdd, and the joint. */
static gsize cells(const AioRowStore *store) {
  return 2 + (store->has_qdd ? 4 : 3) * store->model->n;
}

static gsize block_size(const AioRowStore *store) {
  return cells(store) * MOST * sizeof(double);
}

/* ---- blocks in the file: a column of one value is that value, and most joints stand still ---- */

/* Bytes of a column; the joints' is the last one. */
static gsize column_size(const AioRowStore *store, gsize c) {
  return MOST * (c + 1 < cells(store) ? sizeof(double) : sizeof(int));
}

/* Doubles before the columns: a byte for each, is it one value? */
static gsize flags_room(const AioRowStore *store) {
  return (cells(store) + sizeof(double) - 1) / sizeof(double);
}

/* Returns its bytes. */
static gsize pack(const AioRowStore *store, const double *block, double *to) {
  guint8 *is_one = (guint8 *)(void *)to;
  double *at = to + flags_room(store);
  for (gsize c = 0; c < cells(store); c++) {
    const gsize size = column_size(store, c), step = size / MOST;
    const char *from = (const char *)(const void *)(block + c * MOST);
    is_one[c] = memcmp(from, from + step, size - step) == 0;
    memcpy(at, from, is_one[c] ? sizeof *at : size);
    at += is_one[c] ? 1 : size / sizeof *at;
  }
  return (gsize)(at - to) * sizeof *at;
}

static void unpack(const AioRowStore *store, const double *from, double *block) {
  const guint8 *is_one = (const guint8 *)(const void *)from;
  int *joint = (int *)(void *)(block + (cells(store) - 1) * MOST);
  from += flags_room(store);
  for (gsize c = 0; c < cells(store); c++) {
    const gsize size = column_size(store, c);
    if (!is_one[c])
      memcpy(block + c * MOST, from, size);
    for (gsize row = 0; row < MOST && is_one[c] && c + 1 < cells(store); row++)
      block[c * MOST + row] = *from;
    for (gsize row = 0; row < MOST && is_one[c] && c + 1 == cells(store); row++)
      joint[row] = *(const int *)(const void *)from;
    from += is_one[c] ? 1 : size / sizeof *from;
  }
}

static goffset end_of(const AioRowStore *store, gsize blocks) {
  return blocks > 0 ? g_array_index(store->ends, goffset, blocks - 1) : 0;
}

static bool write_packed(AioRowStore *store, const double *block, GError **error) {
  const gsize size = pack(store, block, store->packed);
  const goffset end = end_of(store, store->ends->len) + (goffset)size;
  g_array_append_val(store->ends, end);
  return aio_temporary_write(store->fd, store->packed, size, error);
}

static bool read_packed(AioRowStore *store, gsize k) {
  const goffset at = end_of(store, k);
  if (!aio_temporary_read(store->fd, at, store->packed, (gsize)(end_of(store, k + 1) - at),
                          &store->error))
    return false;
  unpack(store, store->packed, store->view);
  return true;
}

/* They are too many for the memory, which is given back. */
static bool spill(AioRowStore *store, GError **error) {
  const gsize size = block_size(store);
  store->fd = aio_temporary_open(error);
  bool is_written = store->fd >= 0;
  store->packed = g_new0(double, flags_room(store) + size / sizeof(double));
  for (gsize at = 0; is_written && at < store->blocks->len; at += size)
    is_written = write_packed(store, (double *)(void *)(store->blocks->data + at), error);
  g_clear_pointer(&store->blocks, g_byte_array_unref);
  return is_written;
}

/* Rows of the open block that are those before its own. */
static gsize before(const AioRowStore *store) {
  return store->n_blocks > 0 ? MARGIN : 0;
}

/* The last rows of a block are also the first of the next one; rows that only fill it up move no
 * joint. */
static void carry(AioRowStore *store, gsize from) {
  const gsize columns = cells(store) - 1, rows = store->open_rows - from;
  int *joint = (int *)(void *)(store->open + columns * MOST);
  for (gsize c = 0; c < columns; c++)
    memmove(store->open + c * MOST, store->open + c * MOST + from, rows * sizeof(double));
  memmove(joint, joint + from, rows * sizeof *joint);
  memset(joint + rows, 0, (MOST - rows) * sizeof *joint);
  store->open_rows = rows;
}

static bool write_block(AioRowStore *store, GError **error) {
  const gsize size = block_size(store), from = before(store) + WIDTH - MARGIN;
  bool is_written = true;
  if (store->fd >= 0) {
    is_written = write_packed(store, store->open, error);
  } else {
    g_byte_array_append(store->blocks, (const guint8 *)store->open, (guint)size);
    is_written = store->blocks->len < KEPT_BYTES || spill(store, error);
  }
  store->n_blocks++;
  carry(store, from);
  return is_written;
}

static void put_row(AioRowStore *store, const ArmDataset *rows, gsize row) {
  const gsize n = store->model->n, k = store->open_rows++;
  double *block = store->open;
  block[k] = rows->t[row];
  for (gsize j = 0; j < n; j++) {
    const gsize at = row + j * rows->rows;
    block[(1 + j) * MOST + k] = rows->q[at];
    block[(1 + n + j) * MOST + k] = rows->qd[at];
    block[(1 + 2 * n + j) * MOST + k] = rows->current[at];
    if (store->has_qdd)
      block[(1 + 3 * n + j) * MOST + k] = rows->qdd ? rows->qdd[at] : (double)NAN;
  }
  ((int *)(void *)(block + (cells(store) - 1) * MOST))[k] = rows->joint[row];
}

static bool put_rows(AioRowStore *store, const ArmDataset *rows, gsize begin, gsize end,
                     GError **error) {
  for (gsize row = begin; row < end; row++) {
    put_row(store, rows, row);
    store->unmoved += rows->joint[row] == 0;
    store->rows++;
    if (store->open_rows == before(store) + WIDTH + MARGIN && !write_block(store, error))
      return false;
  }
  return true;
}

/* ---- reading again ---- */

/* Times of the recording, not of the files. */
static void shift_times(AioRowStore *store, ArmDataset *view) {
  const GArray *segments = store->about->segments, *shifts = store->about->shifts;
  guint s = 0;
  for (gsize row = 0; row < MOST; row++) {
    while (s + 1 < segments->len && g_array_index(segments, gsize, s + 1) <= view->first + row)
      s++;
    store->t[row] = view->t[row] + g_array_index(shifts, double, s);
  }
  view->t = store->t;
}

static ArmStatus read_block(void *user, size_t k, ArmDataset *view) {
  AioRowStore *store = user;
  const gsize size = block_size(store), n = store->model->n;
  double *block = store->view;
  if (store->error)
    return ARM_E_SOURCE;
  if (k == store->n_blocks)
    block = store->open;
  else if (store->blocks)
    block = (double *)(void *)(store->blocks->data + k * size);
  else if (!read_packed(store, k))
    return ARM_E_SOURCE;
  *view = (ArmDataset){.n = n,
                       .rows = MOST,
                       .first = k > 0 ? k * WIDTH - MARGIN : 0,
                       .t = block,
                       .q = block + MOST,
                       .qd = block + (1 + n) * MOST,
                       .qdd = store->has_qdd ? block + (1 + 3 * n) * MOST : NULL,
                       .current = block + (1 + 2 * n) * MOST,
                       .joint = (int *)(void *)(block + (cells(store) - 1) * MOST)};
  memcpy(view->is_torque, store->about->is_torque, sizeof view->is_torque);
  if (store->about->segments->len > 1)
    shift_times(store, view);
  return ARM_OK;
}

/* The open block may have rows of its own and of the next one, which then is the last. */
static void seal(AioRowStore *store) {
  if (store->open_rows > before(store) + WIDTH)
    write_block(store, &store->error);
  g_clear_pointer(&store->steps, aio_spool_free);
}

ArmRowSource aio_row_store_source(AioRowStore *store) {
  seal(store);
  ArmRowSource source = {.n = store->model->n,
                         .rows = store->rows,
                         .width = WIDTH,
                         .median_step = store->median_step,
                         .read = read_block,
                         .user = store};
  memcpy(source.is_torque, store->about->is_torque, sizeof source.is_torque);
  return source;
}

const GError *aio_row_store_error(const AioRowStore *store) {
  return store->error;
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
  return has_fault(&a->faults) || put_rows(store, &rows, 0, rows.rows, error);
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
    if (read_block(store, k, &view) != ARM_OK) {
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
  store->open = g_malloc0(block_size(store));
  store->view = g_malloc0(block_size(store));
}

static bool add_csv(AioRowStore *store, AioCsv *csv, const AioRecordingColumns *columns, Adding *a,
                    GError **error) {
  const gsize first = store->rows;
  if (!store->about)
    begin(store, a->window->name, a->window->qdd != NULL);
  return take_file(store, csv, columns, a, error) && join(store, a, first, error);
}

static AioRecording *window_of(const AioCsv *csv, const ArmModel *model,
                               const AioRecordingColumns *columns, GPtrArray *ignored,
                               GError **error) {
  bool has_qdd = false;
  for (gsize j = 0; j < model->n; j++)
    has_qdd = has_qdd || columns->qdd[j] >= 0;
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
  return put_rows(store, rows, first, end, error);
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

static void copy_rows(AioRecording *into, const ArmDataset *view, gsize begin, gsize first,
                      gsize rows) {
  const double *const from[] = {view->q, view->qd, view->current, view->qdd};
  double *const to[] = {into->q, into->qd, into->current, into->qdd};
  memcpy(into->t + first, view->t + begin, rows * sizeof *view->t);
  memcpy(into->joint + first, view->joint + begin, rows * sizeof *view->joint);
  for (gsize c = 0; c < G_N_ELEMENTS(from); c++)
    for (gsize j = 0; to[c] && j < into->n; j++)
      memcpy(to[c] + first + j * into->rows, from[c] + begin + j * view->rows,
             rows * sizeof *from[c]);
}

static AioRecording *recording_like(const AioRowStore *store, GError **error) {
  const AioRecording *about = store->about;
  AioRecording *made =
      aio_recording_new(about->name, store->model, store->rows, store->has_qdd, error);
  if (!made)
    return NULL;
  made->has_time = about->has_time;
  made->has_joint = about->has_joint;
  memcpy(made->has_speed, about->has_speed, sizeof made->has_speed);
  memcpy(made->has_current, about->has_current, sizeof made->has_current);
  memcpy(made->is_torque, about->is_torque, sizeof made->is_torque);
  return made;
}

AioRecording *aio_row_store_collect(AioRowStore *store, GError **error) {
  const ArmRowSource source = aio_row_store_source(store);
  AioRecording *made = recording_like(store, error);
  ArmDataset view;
  for (gsize k = 0, first = 0; made && first < source.rows; k++, first += source.width) {
    const gsize rows = MIN(source.width, source.rows - first);
    if (source.read(source.user, k, &view) == ARM_OK) {
      copy_rows(made, &view, k > 0 ? MARGIN : 0, first, rows);
      continue;
    }
    g_propagate_error(error, g_error_copy(store->error));
    g_clear_pointer(&made, aio_recording_free);
  }
  return made;
}
