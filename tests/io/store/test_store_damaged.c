/* SPDX-License-Identifier: MIT */
/* A damaged session beside its own log is refused with what helps, and stays as it is. */
#include "session_case.h"

enum { PAGE = 16384, CHUNKS = 200 };

static GBytes *read_file(const char *path) {
  GError *error = NULL;
  char *bytes = NULL;
  gsize n = 0;
  g_file_get_contents(path, &bytes, &n, &error);
  g_assert_no_error(error);
  return g_bytes_new_take(bytes, n);
}

static void write_file(const char *path, GBytes *bytes) {
  GError *error = NULL;
  gsize n = 0;
  const char *data = g_bytes_get_data(bytes, &n);
  g_file_set_contents(path, data, (gssize)n, &error);
  g_assert_no_error(error);
}

static void assert_is(const char *path, GBytes *expected) {
  GBytes *now = read_file(path);
  g_assert_true(g_bytes_equal(now, expected));
  g_bytes_unref(now);
}

static void make(const char *path) {
  AioStore *store = session_create(path);
  session_fill(store);
  g_assert_true(aio_store_begin(store, NULL));
  for (guint64 k = 0; k < CHUNKS; k++) {
    AioChunk *chunk = session_chunk(6, 20 * k, 20);
    session_add_chunk(store, 1, chunk);
    aio_chunk_unref(chunk);
  }
  g_assert_true(aio_store_commit(store, NULL));
  g_assert_true(aio_store_close(store, NULL));
}

/* Gone on with: what a kill would leave is in `file` and `log`. */
static void go_on(const char *path, const char *log_path, GBytes **file, GBytes **log) {
  GError *error = NULL;
  const AioStoreRun run = {.connection = 1, .kind = "sweep", .started_us = 1700000000000000};
  AioStore *store = aio_store_open_write(path, "test 1", &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_begin(store, &error));
  g_assert_true(aio_store_add_run(store, &run, &error));
  g_assert_true(aio_store_commit(store, &error));
  *file = read_file(path);
  *log = read_file(log_path);
  g_assert_true(aio_store_close(store, &error));
  g_assert_no_error(error);
}

static GBytes *damage(GBytes *file) {
  gsize n = 0;
  guint8 *bytes = g_bytes_unref_to_data(file, &n);
  memset(bytes + n - PAGE, 0xff, PAGE);
  return g_bytes_new_take(bytes, n);
}

static AioStore *open_write(const char *path, GError **error) {
  return aio_store_open_write(path, "test 1", error);
}

static AioStore *open_waiting(const char *path, GError **error) {
  return aio_store_open_waiting(path, "test 1", error);
}

/* It is not put into the file, as SQLite does with the log of a file that it closes. */
static void test_beside_log(SessionPlace *c, gconstpointer data) {
  static AioStore *(*const ways[])(const char *, GError **) = {aio_store_open_read, open_write,
                                                               open_waiting};
  char *log_path = g_strconcat(c->path, "-wal", NULL);
  GBytes *file = NULL, *log = NULL;
  (void)data;
  make(c->path);
  go_on(c->path, log_path, &file, &log);
  file = damage(file);
  write_file(c->path, file);
  write_file(log_path, log);
  for (gsize k = 0; k < G_N_ELEMENTS(ways); k++) {
    GError *error = NULL;
    g_assert_null(ways[k](c->path, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
    g_assert_nonnull(strstr(error->message, " damaged; nothing was changed; copy it "));
    g_clear_error(&error);
    assert_is(c->path, file);
    assert_is(log_path, log);
  }
  g_bytes_unref(file);
  g_bytes_unref(log);
  g_free(log_path);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add("/store-damaged/beside-log", SessionPlace, NULL, session_place_set_up, test_beside_log,
             session_place_tear_down);
  return g_test_run();
}
