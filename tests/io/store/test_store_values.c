/* SPDX-License-Identifier: MIT */
/* Values that no program of ours has put into a file: of another kind than their column, out of
 * bounds, chunks that are none. The reading ends with the first, and names it. */
#include "session_v1.h"
#include "wire/crc32.h"

#define DAMAGED                                                                                    \
  "the file is damaged; nothing was changed; copy it before you try anything with it, and go on "  \
  "with an older copy"

static void make(const char *path, bool is_packed) {
  AioStore *store = session_create(path);
  session_fill(store);
  g_assert_cmpuint(is_packed ? session_pack(store) : 2, ==, 2);
  g_assert_true(aio_store_close(store, NULL));
}

/* As it is: only its tables are looked at, not what is in them. */
static AioStore *open_again(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_again(path, &error);
  g_assert_no_error(error);
  return store;
}

/* ---- rows ---- */

#define NO(Row_, name)                                                                             \
  static bool no_##name(const Row_ *row, void *data) {                                             \
    (void)row, (void)data;                                                                         \
    return true;                                                                                   \
  }                                                                                                \
  static bool each_##name(AioStore *store, GError **error) {                                       \
    return aio_store_each_##name(store, no_##name, NULL, error);                                   \
  }

NO(AioStoreConnection, connection)
NO(AioStoreRun, run)
NO(AioStoreRaw, raw)
NO(AioStoreEvent, event)
NO(AioStoreFit, fit)
NO(AioStoreStatistic, statistic)

static bool no_chunk(const AioStoreChunk *row, void *data) {
  (void)row, (void)data;
  return true;
}

static bool each_chunk(AioStore *store, GError **error) {
  return aio_store_each_chunk(store, 0, no_chunk, NULL, error);
}

typedef struct {
  const char *table;
  bool (*each)(AioStore *store, GError **error);
  struct {
    const char *column, *value;
  } wrong[14];
} Table;

static const Table TABLES[] = {
    {"connections",
     each_connection,
     {{"utc_us", "'x'"}, {"t_host_ns", "'x'"}, {"controller", "X'00'"}}},
    {"runs",
     each_run,
     {{"connection", "0"},
      {"kind", "X'00'"},
      {"joint", "33"},
      {"joint", "-1"},
      {"hold", "-1"},
      {"started_us", "'x'"},
      {"motion", "65536"},
      {"motion", "-1"},
      {"outcome", "X'00'"}}},
    {"chunks",
     each_chunk,
     {{"connection", "0"},
      {"run", "0"},
      {"first_index", "-1"},
      {"n", "0"},
      {"n", "65"},
      {"t0_us", "-1"},
      {"data", "'x'"}}},
    {"packs",
     each_chunk,
     {{"chunks", "0"},
      {"chunks", "2049"},
      {"connection", "0"},
      {"run", "0"},
      {"first_index", "-1"},
      {"n", "0"},
      {"n", "2049"},
      {"t0_us", "-1"},
      {"data", "'x'"}}},
    {"raw",
     each_raw,
     {{"connection", "0"},
      {"t_host_ns", "'x'"},
      {"is_sent", "2"},
      {"is_sent", "-1"},
      {"crc32", "-1"},
      {"crc32", "4294967296"},
      {"bytes", "'x'"}}},
    {"events",
     each_event,
     {{"connection", "0"},
      {"run", "0"},
      {"t_host_ns", "'x'"},
      {"t_us", "'x'"},
      {"kind", "X'00'"},
      {"joint", "33"},
      {"motion", "65536"},
      {"level", "3"},
      {"level", "-1"},
      {"value", "'x'"},
      {"text", "X'00'"},
      {"detail", "X'00'"}}},
    {"fits",
     each_fit,
     {{"utc_us", "'x'"},
      {"program", "X'00'"},
      {"dataset_sha256", "X'00'"},
      {"options", "X'00'"},
      {"parameters", "X'00'"}}},
    {"statistics", each_statistic, {{"run", "0"}, {"utc_us", "'x'"}, {"name", "X'00'"}}},
};

/* Past the bounds of the table, whose text is then as before. */
static void put_wrong(const char *path, const char *table, const char *column, const char *value) {
  char *loosen = g_strdup_printf("PRAGMA writable_schema=ON; UPDATE sqlite_master"
                                 " SET sql=replace(sql, 'STRICT', '') WHERE name='%s';",
                                 table);
  char *update = g_strdup_printf("PRAGMA ignore_check_constraints=ON; UPDATE %s SET %s=%s;", table,
                                 column, value);
  char *tighten = g_strdup_printf("PRAGMA writable_schema=ON; UPDATE sqlite_master"
                                  " SET sql=sql || 'STRICT' WHERE name='%s';",
                                  table);
  session_make(path, loosen);
  session_make(path, update);
  session_make(path, tighten);
  g_free(tighten);
  g_free(update);
  g_free(loosen);
}

static void test_wrong(SessionPlace *c, gconstpointer data) {
  const Table *table = data;
  for (gsize k = 0; table->wrong[k].column; k++) {
    GError *error = NULL;
    gsize samples = 0;
    char *said = g_strdup_printf("%s: table %s, row 1: %s; " DAMAGED, c->path, table->table,
                                 table->wrong[k].column);
    make(c->path, g_str_equal(table->table, "packs"));
    put_wrong(c->path, table->table, table->wrong[k].column, table->wrong[k].value);
    AioStore *store = open_again(c->path);
    g_assert_false(table->each(store, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
    g_assert_cmpstr(error->message, ==, said);
    g_clear_error(&error);
    if (g_str_equal(table->wrong[k].column, "n")) {
      g_assert_false(aio_store_count_samples(store, 1, &samples, &error));
      g_assert_cmpstr(error->message, ==, said);
      g_clear_error(&error);
    }
    g_assert_true(aio_store_close(store, NULL));
    g_assert_cmpint(g_unlink(c->path), ==, 0);
    g_free(said);
  }
}

/* ---- single values ---- */

static void assert_damaged(const SessionPlace *c, const char *value, GError *error,
                           const char *what) {
  char *said = g_strdup_printf("%s: table %s; " DAMAGED, c->path, what);
  g_assert_null(value);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_cmpstr(error->message, ==, said);
  g_error_free(error);
  g_free(said);
}

static void test_texts(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  gint64 version = 1;
  make(c->path, false);
  session_make(c->path, "UPDATE meta SET value=CAST(X'ff' AS TEXT) WHERE key='program';"
                        "UPDATE arm SET text=CAST(X'ff' AS TEXT);"
                        "UPDATE plan SET sha256='" SESSION_DIGEST "';");
  AioStore *store = open_again(c->path);
  char *value = aio_store_get_meta(store, "program", &error);
  assert_damaged(c, value, error, "meta, row 0: program");
  error = NULL;
  value = aio_store_get_text(store, AIO_STORE_ARM, &error);
  assert_damaged(c, value, error, "arm, row 1: its SHA-256 does not fit");
  error = NULL;
  value = aio_store_get_text(store, AIO_STORE_PLAN, &error);
  assert_damaged(c, value, error, "plan, row 2: its SHA-256 does not fit");
  error = NULL;
  g_assert_null(aio_store_get_meta(store, "nothing", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  session_make(c->path, "DROP TABLE meta; DROP TABLE steps; DROP TABLE connections;");
  g_assert_null(aio_store_get_meta(store, "uid", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_null(aio_store_get_text(store, AIO_STORE_STEPS, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_false(aio_store_last_ids(store, &version, &version, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_true(aio_store_close(store, NULL));
}

/* A table that another program has dropped since the file was opened ends the reading. */
static void test_table_gone(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  make(c->path, false);
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_no_error(error);
  session_make(c->path, "DROP TABLE fits; DROP TABLE statistics;");
  g_assert_false(each_fit(store, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_nonnull(strstr(error->message, "bench.armsession: "));
  g_clear_error(&error);
  g_assert_false(each_statistic(store, &error)); /* known by now */
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_true(aio_store_close(store, &error));
}

/* Samples in no run would be in none of the results. */
static void test_run_gone(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  make(c->path, false);
  session_make(c->path, "UPDATE chunks SET run = 99 WHERE id = 1");
  g_assert_null(aio_store_open_read(c->path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_nonnull(strstr(error->message, "of a run that is not there"));
  g_clear_error(&error);
  session_make(c->path, "UPDATE chunks SET run = NULL WHERE id = 1"); /* between two runs */
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_close(store, &error));
}

/* ---- chunks ---- */

static AioChunk *chunk_of(guint joints, guint n) {
  AioChunk *chunk = aio_chunk_new(joints, 0);
  for (guint k = 0; k < n; k++) {
    const AioSample sample = session_sample(joints, k);
    g_assert_true(aio_chunk_append(chunk, &sample, (gint64)(1000000 * k + 5)));
  }
  return chunk;
}

/* Takes the chunk. The bytes of a value of each column: 4 or 8. */
static void assert_stored(AioChunk *chunk, guint q, guint qd, guint current) {
  const char *why = NULL;
  GByteArray *bytes = aio_blob_encode(chunk);
  g_assert_cmpuint(bytes->len, ==,
                   AIO_BLOB_HEADER + chunk->n * (21 + chunk->joints * (2 + q + qd + current)));
  AioChunk *again = aio_blob_decode(bytes->data, bytes->len, &why);
  g_assert_nonnull(again);
  session_assert_same(again, chunk);
  aio_chunk_unref(again);
  aio_chunk_unref(chunk);
  g_byte_array_unref(bytes);
}

static void test_sizes(void) {
  assert_stored(chunk_of(32, 64), 4, 4, 4);
  assert_stored(chunk_of(1, 1), 4, 4, 4);
  AioChunk *chunk = chunk_of(1, 1);
  chunk->q[0] = chunk->qd[0] = 2147.483647; /* the largest */
  chunk->current[0] = -2147.483647;
  assert_stored(chunk, 4, 4, 4);
  chunk = chunk_of(1, 1);
  chunk->q[0] = 2147.483648;
  assert_stored(chunk, 8, 4, 4);
  chunk = chunk_of(2, 2);
  chunk->qd[3] = 0.1234567;
  assert_stored(chunk, 4, 8, 4);
  chunk = chunk_of(2, 2);
  chunk->current[0] = (double)NAN;
  assert_stored(chunk, 4, 4, 8);
  chunk = chunk_of(1, 2);
  chunk->q[1] = 0.1234567;
  chunk->n = 1; /* what is behind it does not count */
  assert_stored(chunk, 4, 4, 4);
}

enum { JOINTS = 2, SAMPLES = 3, AT_JOINT = AIO_BLOB_HEADER + SAMPLES * 20 };

typedef struct {
  guint length, at;
  guint8 byte;
  bool is_crc_right;
  const char *why;
} Spoilt;

static const Spoilt SPOILT[] = {
    {31, 0, 0x41, false, "shorter than its header"},
    {32, 0, 0x41, false, "not as long as its header says"},
    {0, 0, 0x42, true, "not a chunk of samples"},
    {0, 8, 0, true, "impossible numbers of samples or joints"},
    {0, 8, 65, true, "impossible numbers of samples or joints"},
    {0, 10, 33, true, "impossible numbers of samples or joints"},
    {0, 11, 8, true, "impossible numbers of samples or joints"},
    {0, 12, 1, true, "impossible numbers of samples or joints"},
    {0, 8, SAMPLES - 1, true, "not as long as its header says"},
    {0, 16, 1, false, "its CRC-32 does not fit"},
    {0, AT_JOINT, JOINTS + 1, true, "a sweep of a joint that the arm does not have"},
    {0, AT_JOINT + SAMPLES - 1, 255, true, "a sweep of a joint that the arm does not have"},
};

static void test_spoilt(void) {
  for (gsize k = 0; k < G_N_ELEMENTS(SPOILT); k++) {
    const Spoilt *spoilt = &SPOILT[k];
    const char *why = NULL;
    AioChunk *chunk = chunk_of(JOINTS, SAMPLES);
    chunk->joint[1] = JOINTS; /* the last joint may sweep */
    GByteArray *bytes = aio_blob_encode(chunk);
    AioChunk *again = aio_blob_decode(bytes->data, bytes->len, &why);
    session_assert_same(again, chunk);
    bytes->data[spoilt->at] = spoilt->byte;
    if (spoilt->is_crc_right) {
      const guint32 crc = GUINT32_TO_LE(wire_crc32(0, bytes->data + 8, bytes->len - 8));
      memcpy(bytes->data + 4, &crc, sizeof crc);
    }
    g_assert_null(aio_blob_decode(bytes->data, spoilt->length ? spoilt->length : bytes->len, &why));
    g_assert_cmpstr(why, ==, spoilt->why);
    aio_chunk_unref(again);
    aio_chunk_unref(chunk);
    g_byte_array_unref(bytes);
  }
}

/* The smallest chunk, in the file. */
static bool on_one(const AioStoreChunk *row, void *data) {
  g_assert_cmpuint(row->chunk->n, ==, 1);
  return ++*(guint *)data;
}

static void test_one_sample(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  guint count = 0;
  gsize samples = 0;
  AioStore *store = session_create(c->path);
  const AioStoreConnection connection = {.id = 1, .controller = "{}"};
  const AioStoreRun run = {.id = 1, .connection = 1, .kind = "sweep"};
  g_assert_true(aio_store_add_connection(store, &connection, &error));
  g_assert_true(aio_store_add_run(store, &run, &error));
  AioChunk *chunk = chunk_of(1, 1);
  session_add_chunk(store, 1, chunk);
  aio_chunk_unref(chunk);
  g_assert_true(aio_store_each_chunk(store, 1, on_one, &count, &error));
  g_assert_true(aio_store_count_samples(store, 1, &samples, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(count, ==, 1);
  g_assert_cmpuint(samples, ==, 1);
  g_assert_true(aio_store_close(store, NULL));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(TABLES); k++) {
    char *name = g_strconcat("/store-values/wrong/", TABLES[k].table, NULL);
    g_test_add(name, SessionPlace, &TABLES[k], session_place_set_up, test_wrong,
               session_place_tear_down);
    g_free(name);
  }
  g_test_add("/store-values/texts", SessionPlace, NULL, session_place_set_up, test_texts,
             session_place_tear_down);
  g_test_add("/store-values/table-gone", SessionPlace, NULL, session_place_set_up, test_table_gone,
             session_place_tear_down);
  g_test_add("/store-values/run-gone", SessionPlace, NULL, session_place_set_up, test_run_gone,
             session_place_tear_down);
  g_test_add("/store-values/one-sample", SessionPlace, NULL, session_place_set_up, test_one_sample,
             session_place_tear_down);
  g_test_add_func("/store-values/sizes", test_sizes);
  g_test_add_func("/store-values/spoilt", test_spoilt);
  return g_test_run();
}
