/* SPDX-License-Identifier: MIT */
/* Rows lie in blocks as a fit wants to see them: column by column, with the last rows of the block
 * before and the first of the next, so that a window is one read and nothing is turned around. In
 * the file they are packed: a fit goes over it again and again. */
#include <math.h>
#include <string.h>

#include "io/base/temporary.h"
#include "io/recording/row_store_internal.h"

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
    is_written = store->blocks->len < store->kept_bytes || spill(store, error);
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

bool aio_row_store_add_rows(AioRowStore *store, const ArmDataset *rows, gsize begin, gsize end,
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

static void round_accelerations(const AioRowStore *store, double *qdd) {
  for (gsize j = 0; j < store->model->n; j++)
    for (gsize row = 0; row < MOST && store->rounding[j] > 0.0; row++)
      if (fabs(qdd[j * MOST + row]) <= store->rounding[j])
        qdd[j * MOST + row] = 0.0;
}

ArmStatus aio_row_store_read(void *user, size_t k, ArmDataset *view) {
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
  if (store->has_qdd)
    round_accelerations(store, block + (1 + 3 * n) * MOST);
  return ARM_OK;
}

void aio_row_store_open_block(AioRowStore *store) {
  store->open = g_malloc0(block_size(store));
  store->view = g_malloc0(block_size(store));
}

void aio_row_store_close_block(AioRowStore *store) {
  if (store->open_rows > before(store) + WIDTH)
    write_block(store, &store->error);
}
