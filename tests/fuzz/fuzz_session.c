/* SPDX-License-Identifier: MIT */
/* A session file from any bytes. It may be refused, or read; either way no file is opened, made or
 * deleted, and nothing is loaded. The first byte of an input says how the rest is meant:
 *   0  a whole file
 *   1  changes to a good session: page, place in the page, length, bytes; again and again
 *   2  a chunk, whose CRC-32 is then made to fit
 *   3  as 1, to a session of version 1 */
#include <glib.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../io/store/session_case.h"
#include "../io/store/session_v1.h"
#include "wire/crc32.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Small pages make small files: more inputs in the same time. */
enum { PAGE = 512 };

static guint8 *base[2]; /* of the present version and of version 1 */
static gsize base_size[2];

static void require(bool claim) {
  if (!claim)
    abort();
}

/* ---- what must never be called ---- */

static int trap_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                     int *out) {
  (void)vfs, (void)name, (void)file, (void)flags, (void)out;
  abort();
}

static int trap_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs, (void)name, (void)sync;
  abort();
}

static void *trap_load(sqlite3_vfs *vfs, const char *name) {
  (void)vfs, (void)name;
  abort();
}

static void set_traps(void) {
  static sqlite3_vfs vfs;
  vfs = *sqlite3_vfs_find(NULL);
  vfs.zName = "traps";
  vfs.xOpen = trap_open;
  vfs.xDelete = trap_delete;
  vfs.xDlOpen = trap_load;
  require(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}

static guint8 *file_bytes(const char *path, gsize *n) {
  char *bytes = NULL;
  require(g_file_get_contents(path, &bytes, n, NULL));
  return (guint8 *)bytes;
}

/* Of two chunks that are of no run. */
static void add_pack(AioStore *store) {
  for (guint64 k = 0; k < 2; k++) {
    AioChunk *chunk = session_chunk(1, 100 + 2 * k, 2);
    session_add_chunk(store, 0, chunk);
    aio_chunk_unref(chunk);
  }
  require(session_pack(store) == 1);
}

static void make_bases(void) {
  char *folder = session_folder(), *path = g_build_filename(folder, "base.armsession", NULL);
  GString *sql = g_string_new(SESSION_V1);
  require(g_string_replace(sql, "page_size=16384", "page_size=512", 1) == 1);
  session_make(path, sql->str);
  base[1] = file_bytes(path, &base_size[1]);
  AioStore *store = aio_store_open_write(path, "fuzz", NULL);
  const AioStoreStatistic row = {.run = 1, .name = "lost", .value = 0.5};
  require(store && aio_store_add_statistic(store, &row, NULL));
  add_pack(store);
  require(aio_store_close(store, NULL));
  base[0] = file_bytes(path, &base_size[0]);
  require(base_size[0] > PAGE && base_size[0] < 64 * PAGE);
  session_remove(folder);
  g_string_free(sql, TRUE);
  g_free(path);
}

/* ---- reading everything ---- */

static bool on_connection(const AioStoreConnection *row, void *count) {
  require(g_utf8_validate(row->controller, -1, NULL));
  return ++*(guint *)count < 10000;
}

static bool on_run(const AioStoreRun *row, void *count) {
  require(row->joint <= ARM_MAX_JOINTS && g_utf8_validate(row->kind, -1, NULL));
  return ++*(guint *)count < 10000;
}

static bool on_chunk(const AioStoreChunk *row, void *count) {
  require(row->chunk->n >= 1 && row->chunk->n <= AIO_CHUNK_ROOM);
  return ++*(guint *)count < 10000;
}

static bool on_raw(const AioStoreRaw *row, void *count) {
  require(row->bytes != NULL);
  return ++*(guint *)count < 10000;
}

static bool on_event(const AioStoreEvent *row, void *count) {
  require(row->joint <= ARM_MAX_JOINTS && row->level <= 2 && g_utf8_validate(row->text, -1, NULL));
  return ++*(guint *)count < 10000;
}

static bool on_fit(const AioStoreFit *row, void *count) {
  require(g_utf8_validate(row->parameters, -1, NULL));
  return ++*(guint *)count < 10000;
}

static bool on_statistic(const AioStoreStatistic *row, void *count) {
  require(g_utf8_validate(row->name, -1, NULL));
  return ++*(guint *)count < 10000;
}

/* An error and a message, or neither. */
static void judge(bool is_read, GError **error) {
  require(is_read == (*error == NULL));
  require(!*error || g_utf8_validate((*error)->message, -1, NULL));
  g_clear_error(error);
}

static guint read_all(AioStore *store) {
  GError *error = NULL;
  guint n = 0;
  for (int kind = AIO_STORE_ARM; kind <= AIO_STORE_STEPS; kind++) {
    char *text = aio_store_get_text(store, (AioStoreText)kind, &error);
    judge(text != NULL, &error);
    g_free(text);
  }
  char *uid = aio_store_get_meta(store, "uid", &error);
  judge(uid != NULL, &error);
  g_free(uid);
  judge(aio_store_each_connection(store, on_connection, &n, &error), &error);
  judge(aio_store_each_run(store, on_run, &n, &error), &error);
  judge(aio_store_each_chunk(store, 0, on_chunk, &n, &error), &error);
  judge(aio_store_each_chunk(store, 1, on_chunk, &n, &error), &error);
  judge(aio_store_each_raw(store, on_raw, &n, &error), &error);
  judge(aio_store_each_event(store, on_event, &n, &error), &error);
  judge(aio_store_each_fit(store, on_fit, &n, &error), &error);
  judge(aio_store_each_statistic(store, on_statistic, &n, &error), &error);
  return n;
}

/* The number of rows, -1 when it was refused. */
static int read_file(const guint8 *bytes, gsize n) {
  GError *error = NULL;
  AioStore *store = aio_store_open_bytes("fuzz", bytes, n, &error);
  judge(store != NULL, &error);
  const int rows = store ? (int)read_all(store) : -1;
  aio_store_close(store, NULL);
  return rows;
}

/* ---- inputs ---- */

static void read_changed(int which, const uint8_t *bytes, size_t length) {
  guint8 *copy = g_memdup2(base[which], base_size[which]);
  const guint pages = (guint)(base_size[which] / PAGE);
  while (length >= 5) {
    const gsize at = bytes[0] % pages * (gsize)PAGE + (bytes[1] | bytes[2] << 8) % PAGE;
    const gsize n = MIN(MIN((gsize)bytes[3] % 16 + 1, length - 4), base_size[which] - at);
    memcpy(copy + at, bytes + 4, n);
    bytes += 4 + n;
    length -= 4 + n;
  }
  read_file(copy, base_size[which]);
  g_free(copy);
}

static void read_chunk(const uint8_t *bytes, size_t length) {
  guint8 *copy = g_memdup2(bytes, length);
  const char *why = NULL;
  if (length > 8) {
    const guint32 crc = GUINT32_TO_LE(wire_crc32(0, copy + 8, length - 8));
    memcpy(copy + 4, &crc, sizeof crc);
  }
  AioChunk *chunk = aio_blob_decode(copy, length, &why);
  require(chunk || why);
  if (chunk) { /* what was read is kept in every bit when written again */
    GByteArray *again = aio_blob_encode(chunk);
    AioChunk *same = aio_blob_decode(again->data, again->len, &why);
    require(same && same->n == chunk->n && same->joints == chunk->joints);
    session_assert_same(chunk, same);
    aio_chunk_unref(same);
    g_byte_array_unref(again);
  }
  aio_chunk_unref(chunk);
  g_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (!base[0]) {
    make_bases();
    set_traps();
    require(read_file(base[0], base_size[0]) == 10 && read_file(base[1], base_size[1]) == 7);
  }
  if (length == 0)
    return 0;
  switch (bytes[0] % 4) {
  case 0:
    read_file(bytes + 1, length - 1);
    break;
  case 2:
    read_chunk(bytes + 1, length - 1);
    break;
  default:
    read_changed(bytes[0] % 4 == 3, bytes + 1, length - 1);
  }
  return 0;
}
