/* SPDX-License-Identifier: MIT */
/* A session whose chunks were packed says what it said before, whoever reads it and when; what is
 * interrupted leaves the old or the new; a session of version 2 is read as it is. */
#include <sqlite3.h>

#include "io/store/store_internal.h"
#include "io/store/store_pack.h"
#include "session_v1.h"
#include "wire/crc32.h"

enum { JOINTS = 6, CONNECTIONS = 2, RUNS = 3, PER_RUN = 70, BETWEEN = 3, PER_CHUNK = 20 };

/* ---- a session of several runs ---- */

static void add_chunks(AioStore *store, gint64 connection, gint64 run, guint64 *first, guint n) {
  for (guint k = 0; k < n; k++, *first += PER_CHUNK) {
    AioChunk *chunk = session_chunk(JOINTS, *first, PER_CHUNK - k % 3);
    GByteArray *bytes = aio_blob_encode(chunk);
    const AioStoreBlob blob = {.connection = connection,
                               .run = run,
                               .first_index = chunk->first_index,
                               .t0_us = chunk->t_us[0],
                               .n = chunk->n,
                               .data = bytes->data,
                               .size = bytes->len};
    g_assert_true(aio_store_add_blob(store, &blob, NULL));
    g_byte_array_unref(bytes);
    aio_chunk_unref(chunk);
  }
}

/* Runs with chunks of no run between them; the connection changes amid those. */
static AioStore *make(const char *path) {
  AioStore *store = session_create(path);
  guint64 first = 0;
  g_assert_true(aio_store_begin(store, NULL));
  for (gint64 id = 1; id <= CONNECTIONS; id++)
    g_assert_true(
        aio_store_add_connection(store, &(AioStoreConnection){.id = id, .controller = "{}"}, NULL));
  for (gint64 id = 1; id <= RUNS; id++) {
    const gint64 connection = id < RUNS ? 1 : 2;
    g_assert_true(aio_store_add_run(
        store, &(AioStoreRun){.id = id, .connection = connection, .kind = "sweep"}, NULL));
    add_chunks(store, connection, id, &first, PER_RUN);
    add_chunks(store, connection, 0, &first, BETWEEN);
    add_chunks(store, CONNECTIONS, 0, &first, 1);
  }
  g_assert_true(aio_store_commit(store, NULL));
  return store;
}

/* ---- what it says ---- */

static bool tell_chunk(const AioStoreChunk *row, void *data) {
  GByteArray *bytes = aio_blob_encode(row->chunk);
  char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes->data, bytes->len);
  g_string_append_printf(data,
                         "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s\n",
                         row->id, row->connection, row->run, digest);
  g_byte_array_unref(bytes);
  g_free(digest);
  return true;
}

/* All of it, then run after run, with the figures that are told without reading. g_free. */
static char *tell(AioStore *store) {
  GString *text = g_string_new(NULL);
  gint64 last = 0;
  for (gint64 run = 0; run <= RUNS; run++) {
    gsize samples = 0;
    g_assert_true(aio_store_each_chunk(store, run, tell_chunk, text, NULL));
    g_assert_true(aio_store_count_samples(store, run, &samples, NULL));
    g_string_append_printf(text, "%zu samples\n", samples);
  }
  g_assert_true(aio_store_last_chunk(store, &last, NULL));
  g_string_append_printf(text, "last %" G_GINT64_FORMAT "\n", last);
  return g_string_free(text, FALSE);
}

static gint64 count_in(AioStore *store, const char *sql) {
  gint64 count = -1;
  g_assert_true(aio_sql_get_int(store->sql, sql, &count, NULL));
  return count;
}

#define CHUNKS_LEFT "SELECT count(*) FROM chunks"
#define PACKS_MADE  "SELECT count(*) FROM packs"

/* ---- the same ---- */

static void test_same(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = make(c->path);
  char *before = tell(store);
  const guint packs = session_pack(store);
  g_assert_cmpuint(packs, ==, count_in(store, PACKS_MADE));
  g_assert_cmpuint(packs, ==, 2 * RUNS); /* a run, and what is between two of them */
  g_assert_cmpint(count_in(store, CHUNKS_LEFT), ==, RUNS - 1);
  char *packed = tell(store);
  g_assert_cmpstr(packed, ==, before);
  g_free(packed);
  g_assert_true(aio_store_close(store, &error));
  store = aio_store_open_read(c->path, &error);
  g_assert_no_error(error);
  packed = tell(store);
  g_assert_cmpstr(packed, ==, before);
  aio_store_close(store, NULL);
  g_free(packed);
  g_free(before);
}

/* What comes next has an id of its own, though none of those before it is in its table. */
static void test_goes_on(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  guint64 first = 0;
  gint64 before = 0, after = 0;
  AioStore *store = session_create(c->path);
  g_assert_true(
      aio_store_add_connection(store, &(AioStoreConnection){.id = 1, .controller = "{}"}, NULL));
  for (guint turn = 0; turn < 3; turn++) {
    g_assert_true(aio_store_last_chunk(store, &before, &error));
    g_assert_true(aio_store_begin(store, NULL));
    add_chunks(store, 1, 0, &first, 10);
    g_assert_true(aio_store_commit(store, NULL));
    g_assert_cmpuint(session_pack(store), ==, 1);
    g_assert_cmpint(count_in(store, CHUNKS_LEFT), ==, 0);
    g_assert_true(aio_store_last_chunk(store, &after, &error));
    g_assert_cmpint(after, ==, before + 10);
    g_assert_true(aio_store_close(store, &error));
    store = aio_store_open_write(c->path, "test 2", &error);
    g_assert_no_error(error);
  }
  g_assert_true(aio_store_close(store, &error));
}

/* A run that goes on is packed as far as it makes 192 kB, what is left of it when it is over. */
static void test_open_run(SessionPlace *c, gconstpointer data) {
  (void)data;
  guint64 first = 0;
  AioStore *store = session_create(c->path);
  AioPacker *packer = aio_packer_new(store);
  const AioStoreRun run = {.id = 1, .connection = 1, .kind = "sweep"};
  g_assert_true(
      aio_store_add_connection(store, &(AioStoreConnection){.id = 1, .controller = "{}"}, NULL));
  g_assert_true(aio_store_add_run(store, &run, NULL));
  add_chunks(store, 1, 1, &first, 10);
  g_assert_false(aio_packer_prepare(packer, 1, false));
  add_chunks(store, 1, 1, &first, 100); /* 110 of 2 kB */
  g_assert_true(aio_packer_prepare(packer, 1, false));
  g_assert_true(aio_packer_is_ready(packer));
  g_assert_false(aio_packer_prepare(packer, 1, false));
  g_assert_true(aio_packer_prepare(packer, 0, false));
  g_assert_false(aio_packer_prepare(packer, 0, false));
  aio_packer_free(packer);
  g_assert_true(aio_store_close(store, NULL));
}

/* ---- amid reading ---- */

typedef struct {
  AioStore *writer;
  guint chunks;
  gint64 last;
} Amid;

static bool pack_at_first(const AioStoreChunk *row, void *data) {
  Amid *amid = data;
  g_assert_cmpint(row->id, >, amid->last);
  amid->last = row->id;
  if (amid->chunks++ == 0)
    g_assert_cmpuint(session_pack(amid->writer), >, 0);
  return true;
}

static void test_amid_reading(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  Amid amid = {.writer = make(c->path)};
  AioStore *reader = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_chunk(reader, 0, pack_at_first, &amid, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(amid.chunks, ==, RUNS * (PER_RUN + BETWEEN + 1));
  aio_store_close(reader, NULL);
  g_assert_true(aio_store_close(amid.writer, &error));
}

static bool stop_at_third(const AioStoreChunk *row, void *data) {
  (void)row;
  return ++*(guint *)data < 3;
}

/* Amid a pack as amid chunks. */
static void test_stopped(SessionPlace *c, gconstpointer data) {
  (void)data;
  guint chunks = 0;
  AioStore *store = make(c->path);
  session_pack(store);
  g_assert_true(aio_store_each_chunk(store, 0, stop_at_third, &chunks, NULL));
  g_assert_cmpuint(chunks, ==, 3);
  g_assert_true(aio_store_close(store, NULL));
}

/* ---- neither both nor none ---- */

/* What could not be written is packed later on. */
static void test_rolled_back(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = make(c->path);
  char *before = tell(store);
  AioPacker *packer = aio_packer_new(store);
  for (guint turn = 0; turn < 2; turn++) {
    g_assert_true(aio_packer_prepare(packer, 0, true));
    g_assert_true(aio_store_begin(store, &error));
    g_assert_true(aio_packer_write(packer, &error));
    g_assert_cmpint(count_in(store, PACKS_MADE), ==, 1);
    aio_store_rollback(store);
    aio_packer_forget(packer);
    g_assert_false(aio_packer_is_ready(packer));
    g_assert_cmpint(count_in(store, PACKS_MADE), ==, 0);
    char *after = tell(store);
    g_assert_cmpstr(after, ==, before);
    g_free(after);
  }
  g_assert_false(aio_sql_exec(store->sql, "DELETE FROM chunks", &error)); /* as ever */
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_assert_cmpuint(session_pack_with(packer, store), ==, 2 * RUNS);
  aio_packer_free(packer);
  g_free(before);
  g_assert_true(aio_store_close(store, NULL));
}

/* ---- what stays as it is ---- */

/* A chunk that is damaged is told as it was before, and those around it are packed. */
static void test_damaged_chunk(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  guint chunks = 0;
  g_assert_true(aio_store_close(make(c->path), NULL));
  session_make(c->path, "UPDATE chunks SET data=CAST(substr(data, 1, 100) AS BLOB) WHERE id=3;"
                        "UPDATE chunks SET n=n-1 WHERE id=100;");
  AioStore *store = aio_store_open_write(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_cmpuint(session_pack(store), >, 0);
  g_assert_cmpint(count_in(store, "SELECT count(*) FROM chunks WHERE id IN (3, 100)"), ==, 2);
  g_assert_false(aio_store_each_chunk(store, 0, stop_at_third, &chunks, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_nonnull(strstr(error->message, "table chunks, row 3: not as long as its header says"));
  g_clear_error(&error);
  g_assert_true(aio_store_close(store, NULL));
}

/* Doubles that could be millionths are not what this program writes: they would come back as such.
 */
static void test_written_otherwise(SessionPlace *c, gconstpointer data) {
  (void)data;
  guint64 first = 0;
  AioStore *store = session_create(c->path);
  g_assert_true(
      aio_store_add_connection(store, &(AioStoreConnection){.id = 1, .controller = "{}"}, NULL));
  add_chunks(store, 1, 0, &first, 2);
  AioChunk *chunk = session_chunk(JOINTS, first, 1);
  chunk->q[0] = 0.1234567; /* kept as doubles: this one alone, then not even this one */
  GByteArray *bytes = aio_blob_encode(chunk);
  const guint at = AIO_BLOB_HEADER + 21;
  memset(bytes->data + at, 0, 8);
  const guint32 crc = GUINT32_TO_LE(wire_crc32(0, bytes->data + 8, bytes->len - 8));
  memcpy(bytes->data + 4, &crc, sizeof crc);
  const AioStoreBlob blob = {.connection = 1,
                             .first_index = first,
                             .t0_us = chunk->t_us[0],
                             .n = 1,
                             .data = bytes->data,
                             .size = bytes->len};
  g_assert_true(aio_store_add_blob(store, &blob, NULL));
  g_assert_cmpuint(session_pack(store), ==, 0);
  g_assert_cmpint(count_in(store, CHUNKS_LEFT), ==, 3);
  g_byte_array_unref(bytes);
  aio_chunk_unref(chunk);
  g_assert_true(aio_store_close(store, NULL));
}

/* ---- packs of strangers ---- */

typedef struct {
  const char *name, *sql, *message;
} Hostile;

static const Hostile HOSTILE[] = {
    {"twice",
     "INSERT INTO chunks SELECT id + 1, connection, run, first_index, 1, t0_us, data FROM"
     " packs LIMIT 1",
     "table chunks, row 2: the same samples as in the row before"},
    {"overlapping",
     "INSERT INTO packs SELECT id + 1, chunks, connection, run, first_index, n,"
     " t0_us, data FROM packs LIMIT 1",
     "table packs, row 2: the same samples as in the row before"},
    {"bit", "UPDATE packs SET data=CAST(substr(data, 1, 60) || X'00' || substr(data, 62) AS BLOB)",
     "table packs, row 1: its CRC-32 does not fit"},
    {"empty", "UPDATE packs SET data=X''", "table packs, row 1: shorter than its header"},
    {"fewer", "UPDATE packs SET chunks=chunks - 1", "the pack is not the one that its row says"},
    {"samples", "UPDATE packs SET n=n - 1", "the pack is not the one that its row says"},
    {"index", "UPDATE packs SET first_index=1", "the pack is not the one that its row says"},
    {"time", "UPDATE packs SET t0_us=1", "the pack is not the one that its row says"},
    {"last", "UPDATE packs SET id=9223372036854775807 WHERE id=1", "9223372036854775807: id"},
    {"huge", "UPDATE packs SET data=zeroblob(20000000)", "too big"}};

static bool no_chunk(const AioStoreChunk *row, void *data) {
  (void)row, (void)data;
  return true;
}

static void test_hostile(SessionPlace *c, gconstpointer data) {
  const Hostile *hostile = data;
  GError *error = NULL;
  AioStore *store = make(c->path);
  session_pack(store);
  g_assert_true(aio_store_close(store, NULL));
  session_make(c->path, hostile->sql);
  store = aio_store_open_again(c->path, &error);
  g_assert_no_error(error);
  g_assert_false(aio_store_each_chunk(store, 0, no_chunk, NULL, &error));
  g_assert_nonnull(strstr(error->message, "bench.armsession: "));
  g_assert_nonnull(strstr(error->message, hostile->message));
  g_clear_error(&error);
  g_assert_true(aio_store_close(store, NULL));
}

static void test_run_gone(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = make(c->path);
  session_pack(store);
  g_assert_true(aio_store_close(store, NULL));
  session_make(c->path, "UPDATE packs SET run = 99 WHERE id = 1");
  g_assert_null(aio_store_open_read(c->path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_nonnull(strstr(error->message, "of a run that is not there"));
  g_clear_error(&error);
}

/* ---- version 2 ---- */

static void make_v2(const char *path) {
  g_assert_true(aio_store_close(make(path), NULL));
  session_make(path, "DROP TABLE packs; PRAGMA user_version=2;");
}

/* Whoever reads it while another program migrates and packs it goes on with all of it. */
static void test_migrated_meanwhile(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  make_v2(c->path);
  AioStore *reader = aio_store_open_read(c->path, &error);
  char *before = tell(reader);
  AioStore *writer = aio_store_open_write(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_cmpuint(session_pack(writer), >, 0);
  char *after = tell(reader);
  g_assert_cmpstr(after, ==, before);
  aio_store_close(reader, NULL);
  g_assert_true(aio_store_close(writer, &error));
  g_free(after);
  g_free(before);
}

/* Read where it lies, not copied into memory; written to, it becomes one of version 3. */
static void test_version_2(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *bytes = NULL, *again = NULL;
  gsize n = 0, n_again = 0;
  make_v2(c->path);
  g_assert_true(g_file_get_contents(c->path, &bytes, &n, NULL));
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_no_error(error);
  g_assert_false(store->has_packs);
  g_assert_cmpint(count_in(store, "PRAGMA user_version"), ==, 2);
  char *before = tell(store);
  aio_store_close(store, NULL);
  store = aio_store_open_waiting(c->path, "test 2", &error);
  char *waiting = tell(store);
  g_assert_cmpstr(waiting, ==, before);
  g_assert_true(g_file_get_contents(c->path, &again, &n_again, NULL));
  g_assert_cmpmem(bytes, n, again, n_again);
  g_assert_true(aio_store_start_writing(store, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(session_pack(store), >, 0);
  char *packed = tell(store);
  g_assert_cmpstr(packed, ==, before);
  g_assert_true(aio_store_close(store, &error));
  g_assert_cmpuint(session_count_files(c->folder), ==, 2); /* with the copy of version 2 */
  g_free(packed);
  g_free(waiting);
  g_free(before);
  g_free(again);
  g_free(bytes);
}

#define ADD(name, function)                                                                        \
  g_test_add("/store-packs/" name, SessionPlace, NULL, session_place_set_up, function,             \
             session_place_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("same", test_same);
  ADD("goes-on", test_goes_on);
  ADD("open-run", test_open_run);
  ADD("amid-reading", test_amid_reading);
  ADD("stopped", test_stopped);
  ADD("rolled-back", test_rolled_back);
  ADD("damaged-chunk", test_damaged_chunk);
  ADD("written-otherwise", test_written_otherwise);
  ADD("run-gone", test_run_gone);
  ADD("version-2", test_version_2);
  ADD("migrated-meanwhile", test_migrated_meanwhile);
  for (gsize k = 0; k < G_N_ELEMENTS(HOSTILE); k++) {
    char *name = g_strconcat("/store-packs/hostile/", HOSTILE[k].name, NULL);
    g_test_add(name, SessionPlace, &HOSTILE[k], session_place_set_up, test_hostile,
               session_place_tear_down);
    g_free(name);
  }
  return g_test_run();
}
