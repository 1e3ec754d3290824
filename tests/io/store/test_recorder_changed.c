/* SPDX-License-Identifier: MIT */
/* Another program writes to the file that is recorded to, as every tool that knows SQLite can: it
 * is told with the next commit, once, and the session goes on in another file with all rows that
 * are still there, and with the runs that were begun. */
#include <sqlite3.h>
#include <string.h>

#include "recorder_case.h"

typedef struct {
  const char *sql;
  bool is_lossy; /* samples are gone */
} Change;

static const Change CHANGES[] = {{"DELETE FROM events; DELETE FROM runs", false},
                                 {"DELETE FROM chunks", true},
                                 {"VACUUM", false},
                                 {"PRAGMA wal_checkpoint(TRUNCATE)", false},
                                 {"CREATE TABLE notes (text)", false}};

static sqlite3 *open_and_change(const RecorderCase *c, const char *sql) {
  sqlite3 *other = NULL;
  g_assert_cmpint(sqlite3_open(c->path, &other), ==, SQLITE_OK);
  sqlite3_busy_timeout(other, 1000);
  g_assert_cmpint(sqlite3_exec(other, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  return other;
}

static void change(const RecorderCase *c, const char *sql) {
  g_assert_cmpint(sqlite3_close(open_and_change(c, sql)), ==, SQLITE_OK);
}

static bool count_run(const AioStoreRun *row, void *data) {
  g_assert_cmpstr(row->kind, ==, "move");
  ++*(guint *)data;
  return true;
}

static guint runs_in(const char *path) {
  guint runs = 0;
  AioStore *store = aio_store_open_read(path, NULL);
  g_assert_true(aio_store_each_run(store, count_run, &runs, NULL));
  g_assert_true(aio_store_close(store, NULL));
  return runs;
}

static bool count_samples(const AioStoreChunk *row, void *data) {
  *(guint64 *)data += row->chunk->n;
  return true;
}

static guint64 samples_in(const char *path) {
  guint64 samples = 0;
  AioStore *store = aio_store_open_read(path, NULL);
  g_assert_true(aio_store_each_chunk(store, 0, count_samples, &samples, NULL));
  g_assert_true(aio_store_close(store, NULL));
  return samples;
}

static void add_event(RecorderCase *c) {
  AioEvent event = {.kind = AIO_EVENT_LOG, .joint = ARM_MAX_JOINTS, .level = 1};
  g_strlcpy(event.text, "something", sizeof event.text);
  aio_recorder_add_event(c->recorder, &event);
}

static void expect_told(RecorderCase *c) {
  GError *error = NULL;
  for (guint k = 0; k < 3; k++) { /* what cannot be written is tried again, and told once */
    recorder_case_push(c, 6, 1);
    add_event(c);
    g_assert_false(aio_recorder_flush(c->recorder, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
    g_assert_nonnull(strstr(error->message, "bench.armsession: was changed by another program"));
    g_clear_error(&error);
  }
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 1);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_REFUSED), ==, 0);
}

static void test_changed(RecorderCase *c, gconstpointer data) {
  const Change *by = data;
  const AioStoreRun run = {.kind = "move"};
  GError *error = NULL;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  recorder_case_start(c, 0);
  aio_recorder_begin_run(c->recorder, &run);
  recorder_case_push(c, 6, 5);
  add_event(c);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  const guint64 before = c->next;
  change(c, by->sql);
  expect_told(c);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVED), ==, 1);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  recorder_case_push(c, 6, 1);
  recorder_case_stop(c);
  g_assert_cmpuint(samples_in(other), ==, by->is_lossy ? c->next - before : c->next);
  g_assert_cmpuint(runs_in(other), ==, 1);
  g_assert_true((c->loss != NULL) == by->is_lossy);
  if (by->is_lossy)
    g_assert_nonnull(strstr(c->loss, "5 of 5 pieces"));
  g_free(other);
}

/* The other program goes on: its log is not taken away from under it. */
static void test_still_open(RecorderCase *c, gconstpointer data) {
  (void)data;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  char *log = g_strconcat(c->path, "-wal", NULL);
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 5);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  sqlite3 *stranger = open_and_change(c, "CREATE TABLE notes (text)");
  expect_told(c);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  recorder_case_stop(c);
  g_assert_true(g_file_test(log, G_FILE_TEST_EXISTS));
  g_assert_cmpint(sqlite3_exec(stranger, "INSERT INTO notes VALUES ('x')", NULL, NULL, NULL), ==,
                  SQLITE_OK);
  g_assert_cmpint(sqlite3_close(stranger), ==, SQLITE_OK);
  change(c, "UPDATE notes SET text = 'y'");
  g_assert_cmpuint(recorder_case_count(other), ==, c->next);
  g_free(log);
  g_free(other);
}

/* And then somebody overwrites it in place: what stands there now is not ours. */
static void test_then_cut(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  (void)data;
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 5);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  change(c, "CREATE TABLE notes (text)");
  expect_told(c);
  g_assert_cmpint(truncate(c->path, 0), ==, 0);
  g_assert_false(aio_recorder_flush(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_assert_nonnull(strstr(error->message, "was overwritten or cut off"));
  g_clear_error(&error);
  aio_recorder_free(c->recorder, NULL);
  c->recorder = NULL;
  GStatBuf file;
  g_assert_cmpint(g_stat(c->path, &file), ==, 0);
  g_assert_cmpint(file.st_size, ==, 0); /* not a byte into it */
}

/* Other programs that only read, and our own passes of the checkpointer, change nothing. */
static void test_read(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  (void)data;
  recorder_case_start(c, 0);
  for (guint k = 0; k < 20; k++) {
    recorder_case_push(c, 12, 40);
    change(c, "SELECT count(*) FROM chunks");
    aio_recorder_flush(c->recorder, &error);
    g_assert_no_error(error);
  }
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 0);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/recorder/changed/" name, RecorderCase, data, recorder_case_set_up, function,        \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("runs deleted", &CHANGES[0], test_changed);
  ADD("samples deleted", &CHANGES[1], test_changed);
  ADD("vacuum", &CHANGES[2], test_changed);
  ADD("log begun anew", &CHANGES[3], test_changed);
  ADD("table added", &CHANGES[4], test_changed);
  ADD("still open", NULL, test_still_open);
  ADD("then cut off", NULL, test_then_cut);
  ADD("read", NULL, test_read);
  return g_test_run();
}
