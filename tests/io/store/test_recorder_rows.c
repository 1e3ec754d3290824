/* SPDX-License-Identifier: MIT */
/* How the recorder writes: how much at a time and how often, what it tells meanwhile, and what it
 * gives up when nothing can be written. */
#include "io/store/recorder_internal.h"
#include "io/store/store_internal.h"
#include "recorder_case.h"

enum { CHUNK_SAMPLES = 20 };

static AioRecorderStatus status_of(const RecorderCase *c) {
  AioRecorderStatus status;
  aio_recorder_status(c->recorder, &status);
  return status;
}

/* Something is written while another number than 0 stands there; taken by the writer. */
typedef struct {
  gint is_failing, is_waiting, has_come;
} Hold;

static bool hold_up(AioStore *store, gconstpointer data, GError **error) {
  Hold *hold = *(Hold *const *)data;
  (void)store;
  g_atomic_int_set(&hold->has_come, 1);
  while (g_atomic_int_get(&hold->is_waiting))
    g_usleep(1000);
  if (!g_atomic_int_get(&hold->is_failing))
    return true;
  g_set_error_literal(error, AIO_ERROR, AIO_ERROR_IO, "bench.armsession: a cable was pulled");
  return false;
}

static void add_hold(RecorderCase *c, Hold *hold) {
  aio_recorder_add(c->recorder, hold_up, g_memdup2(&hold, sizeof hold), g_free);
}

/* ---- how much at a time ---- */

/* After a failure not everything at once: no transaction has more than 8 MiB, nor only a row. */
static void test_pieces(RecorderCase *c, gconstpointer data) {
  enum { MEGABYTES = 20 };
  Hold hold = {.is_failing = 1};
  (void)data;
  recorder_case_start(c, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  const guint64 before = status_of(c).commits;
  add_hold(c, &hold);
  while (status_of(c).bytes_waiting < (gsize)MEGABYTES << 20) {
    recorder_case_push(c, 32, 400);
    g_assert_false(aio_recorder_flush(c->recorder, NULL));
  }
  g_assert_cmpuint(status_of(c).commits, ==, before);
  g_assert_cmpuint(status_of(c).samples_waiting, ==, c->next);
  g_atomic_int_set(&hold.is_failing, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(status_of(c).commits - before, >=, MEGABYTES / 8);
  g_assert_cmpuint(status_of(c).commits - before, <=, MEGABYTES / 8 + 3);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

/* Unasked every 150 ms and not more often, however much comes; times as they went. */
static void test_pace(RecorderCase *c, gconstpointer data) {
  (void)data;
  const gint64 begin = g_get_monotonic_time();
  recorder_case_start(c, 0);
  while (status_of(c).commits < 5) {
    recorder_case_push(c, 6, 1);
    g_usleep(5000);
  }
  const AioRecorderStatus status = status_of(c);
  const gint64 took = g_get_monotonic_time() - begin;
  g_assert_cmpuint(status.commits, <=, (guint64)took / 1000 / AIO_RECORDER_COMMIT_MS + 2);
  g_assert_cmpint(status.last_commit_us, >, 0);
  g_assert_cmpint(status.last_commit_us, <=, status.worst_commit_us);
  g_assert_cmpint(status.worst_commit_us, <=, took);
  g_assert_cmpuint(status.chunks * CHUNK_SAMPLES, ==, status.samples);
  recorder_case_stop(c);
}

/* ---- what it tells ---- */

/* While the writer is held up chunks stay in the queue, and rows cost memory as well. */
static void test_held_up(RecorderCase *c, gconstpointer data) {
  Hold hold = {.is_waiting = 1};
  const AioEvent event = {.kind = AIO_EVENT_LOG, .text = "text"};
  (void)data;
  recorder_case_start(c, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  add_hold(c, &hold);
  while (!g_atomic_int_get(&hold.has_come))
    g_usleep(1000);
  recorder_case_push(c, 6, 3);
  g_assert_cmpuint(status_of(c).queue_depth, ==, 3);
  g_assert_cmpuint(status_of(c).deepest_queue, ==, 3);
  g_atomic_int_set(&hold.is_waiting, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(status_of(c).queue_depth, ==, 0);
  g_assert_cmpuint(status_of(c).deepest_queue, ==, 3);
  g_assert_cmpuint(status_of(c).bytes_waiting, ==, 0);
  g_atomic_int_set(&hold.is_failing, 1);
  add_hold(c, &hold);
  for (guint k = 0; k < 10; k++)
    aio_recorder_add_event(c->recorder, &event);
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(status_of(c).bytes_waiting, >=, 10 * sizeof event);
  g_assert_cmpuint(status_of(c).bytes_waiting, <, 100 * sizeof event);
  g_atomic_int_set(&hold.is_failing, 0);
  recorder_case_stop(c);
}

static bool on_connection(const AioStoreConnection *row, void *data) {
  const gint64 *span_us = data;
  g_assert_cmpstr(row->controller, ==, "{\"name\": \"bench\"}");
  g_assert_cmpint(row->t_host_ns / 1000, >=, span_us[0]);
  g_assert_cmpint(row->t_host_ns / 1000, <=, span_us[1]);
  return true;
}

static void test_controller(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  (void)data;
  gint64 span_us[2] = {g_get_monotonic_time(), 0};
  AioStore *store = aio_store_create(c->path, "test 1", &error);
  c->queue = aio_queue_new("recorder", 512, AIO_QUEUE_KEEP_OLDEST, &error);
  const AioRecorderOptions options = {.program = "test 1", .controller = "{\"name\": \"bench\"}"};
  c->recorder = aio_recorder_new(store, c->queue, &options, &error);
  recorder_case_stop(c);
  span_us[1] = g_get_monotonic_time();
  store = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_connection(store, on_connection, span_us, &error));
  g_assert_no_error(error);
  aio_store_close(store, NULL);
}

/* ---- what is given up ---- */

/* Told once, counted, and told at the end. */
static void test_memory_full(RecorderCase *c, gconstpointer data) {
  enum { ROOM = 1 << 16 };
  Hold hold = {.is_failing = 1};
  GError *error = NULL;
  (void)data;
  recorder_case_start(c, ROOM);
  add_hold(c, &hold);
  for (guint k = 0; k < 5; k++) {
    recorder_case_push(c, 6, 40);
    g_assert_false(aio_recorder_flush(c->recorder, NULL));
  }
  const AioRecorderStatus status = status_of(c);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MEMORY_FULL), ==, 1);
  g_assert_cmpuint(status.samples_lost, >, 0);
  g_assert_cmpuint(status.samples_waiting + status.samples_lost, ==, c->next);
  g_assert_cmpuint(status.deepest_bytes, <=, ROOM);
  g_assert_cmpuint(status.deepest_bytes, >, ROOM / 2);
  g_atomic_int_set(&hold.is_failing, 0);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_false(aio_recorder_free(g_steal_pointer(&c->recorder), &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  g_clear_error(&error);
  g_assert_cmpuint(recorder_case_count(c->path), ==, status.samples_waiting);
}

/* ---- a session that waits for its first row ---- */

/* Something that a stranger has laid there is not written through; gone, it goes on. */
static void test_start_refused(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  char *log = g_strconcat(c->path, "-wal", NULL);
  (void)data;
  g_assert_true(aio_store_close(aio_store_create(c->path, "test 1", &error), NULL));
  AioStore *store = aio_store_open_waiting(c->path, "test 1", &error);
  c->queue = aio_queue_new("recorder", 512, AIO_QUEUE_KEEP_OLDEST, &error);
  c->recorder = aio_recorder_new(store, c->queue, &(AioRecorderOptions){.program = "test 1"}, NULL);
  g_assert_null(c->recorder->checkpointer);
  g_assert_cmpint(symlink(c->folder, log), ==, 0);
  recorder_case_push(c, 6, 1);
  g_assert_false(aio_recorder_flush(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_assert_cmpint(g_unlink(log), ==, 0);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_nonnull(c->recorder->checkpointer);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
  g_free(log);
}

/* ---- another place ---- */

/* Only the store that is written first: what was packed may fail, and all be tried again. */
static bool spoil(AioStore *store, gconstpointer data, GError **error) {
  (void)error;
  if (!g_str_equal(aio_store_path(store), data))
    return true;
  aio_sql_bar(store->sql, false);
  aio_sql_bar(store->sql, true);
  return true;
}

static bool on_sample(const AioStoreChunk *row, void *data) {
  *(guint64 *)data += row->chunk->n;
  return true;
}

/* A disk that cannot be read any more: what is known goes on elsewhere. Of several places that are
 * asked for at once the last counts. */
static void test_unreadable(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  guint64 samples = 0;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  (void)data;
  recorder_case_start(c, 0);
  recorder_case_push(c, 32, 400); /* more than SQLite keeps in memory */
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  aio_recorder_add(c->recorder, spoil, c->path, NULL);
  aio_recorder_flush(c->recorder, NULL);
  for (guint k = 0; k < 50; k++)
    aio_recorder_move_to(c->recorder, c->path);
  aio_recorder_move_to(c->recorder, other);
  recorder_case_push(c, 32, 5);
  aio_recorder_flush(c->recorder, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVED), ==, 1);
  recorder_case_stop(c);
  AioStore *store = aio_store_open_read(other, &error);
  g_assert_true(aio_store_each_chunk(store, 0, on_sample, &samples, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(samples, >=, 100);
  aio_store_close(store, NULL);
  g_free(other);
}

#define ADD(name, function)                                                                        \
  g_test_add("/recorder/rows/" name, RecorderCase, NULL, recorder_case_set_up, function,           \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("pieces", test_pieces);
  ADD("pace", test_pace);
  ADD("held-up", test_held_up);
  ADD("controller", test_controller);
  ADD("memory-full", test_memory_full);
  ADD("start-refused", test_start_refused);
  ADD("unreadable", test_unreadable);
  return g_test_run();
}
