/* SPDX-License-Identifier: MIT */
/* The recorder: what belongs together, full disks, another place, a full memory. */
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder_case.h"
#include "support/file_limit.h"

enum { WAITS = 20 };

/* ---- what belongs together ---- */

typedef struct {
  gint64 connection[8], run[8];
  guint n;
} Owners;

static bool on_owned(const AioStoreChunk *row, void *data) {
  Owners *owners = data;
  g_assert_cmpuint(owners->n, <, G_N_ELEMENTS(owners->run));
  owners->connection[owners->n] = row->connection;
  owners->run[owners->n++] = row->run;
  return true;
}

static bool on_run(const AioStoreRun *row, void *data) {
  guint *n = data;
  ++*n;
  g_assert_cmpint(row->id, ==, *n);
  g_assert_cmpint(row->connection, ==, *n);
  g_assert_cmpstr(row->kind, ==, "sweep");
  g_assert_cmpstr(row->outcome, ==, *n == 1 ? "done" : NULL);
  g_assert_cmpuint(row->motion, ==, *n == 1 ? 7 : 0);
  g_assert_true((row->ended_us >= row->started_us) == (*n == 1));
  return true;
}

static bool on_event(const AioStoreEvent *row, void *data) {
  if (++*(guint *)data == 2) {
    g_assert_cmpint(row->connection, ==, 2);
    g_assert_cmpint(row->run, ==, 2);
    g_assert_cmpuint(row->level, ==, 2);
    return true;
  }
  g_assert_cmpint(row->connection, ==, 1);
  g_assert_cmpint(row->run, ==, 1);
  g_assert_cmpstr(row->kind, ==, "health");
  g_assert_cmpstr(row->text, ==, "warm");
  g_assert_nonnull(strstr(row->detail, "\"supply_V\": 24"));
  return true;
}

static bool on_statistic(const AioStoreStatistic *row, void *data) {
  ++*(guint *)data;
  g_assert_cmpstr(row->name, ==, "mine");
  return true;
}

static bool add_mine(AioStore *store, gconstpointer data, GError **error) {
  const AioStoreStatistic row = {.name = data, .value = 1};
  return aio_store_add_statistic(store, &row, error);
}

static void check_owners(const char *path) {
  static const gint64 connections[] = {1, 1, 1, 1, 2, 2}, runs[] = {0, 1, 1, 0, 0, 2};
  GError *error = NULL;
  Owners owners = {.n = 0};
  guint n_runs = 0, n_events = 0, n_statistics = 0;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_chunk(store, 0, on_owned, &owners, &error));
  g_assert_cmpuint(owners.n, ==, 6);
  for (guint k = 0; k < owners.n; k++) {
    g_assert_cmpint(owners.connection[k], ==, connections[k]);
    g_assert_cmpint(owners.run[k], ==, runs[k]);
  }
  g_assert_true(aio_store_each_run(store, on_run, &n_runs, &error));
  g_assert_true(aio_store_each_event(store, on_event, &n_events, &error));
  g_assert_true(aio_store_each_statistic(store, on_statistic, &n_statistics, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(n_runs, ==, 2);
  g_assert_cmpuint(n_events, ==, 2);
  g_assert_cmpuint(n_statistics, ==, 1);
  aio_store_close(store, NULL);
}

/* Everything is given within a few microseconds, so that order alone tells what belongs where. */
static void test_order(RecorderCase *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  const AioStoreRun run = {.kind = "sweep", .joint = 2};
  AioEvent event = {
      .kind = AIO_EVENT_HEALTH, .supply_V = 24, .board_C = (double)NAN, .text = "warm"};
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 1);
  g_assert_cmpint(aio_recorder_begin_run(c->recorder, &run), ==, 1);
  recorder_case_push(c, 6, 2);
  aio_recorder_add_event(c->recorder, &event);
  aio_recorder_end_run(c->recorder, 1, 7, "done");
  recorder_case_push(c, 6, 1);
  g_assert_cmpint(aio_recorder_connect(c->recorder, "{}"), ==, 2);
  recorder_case_push(c, 6, 1);
  g_assert_cmpint(aio_recorder_begin_run(c->recorder, &run), ==, 2);
  recorder_case_push(c, 6, 1);
  event.joint = 255; /* whatever a driver says, the event is kept */
  event.level = 7;
  aio_recorder_add_event(c->recorder, &event);
  aio_recorder_add(c->recorder, add_mine, g_strdup("mine"), g_free);
  aio_recorder_add(c->recorder, add_mine, g_strdup(""), g_free); /* no name: refused */
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  check_owners(c->path);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_REFUSED), ==, 1);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_MEANING);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  check_owners(c->path);
}

static void test_goes_on(RecorderCase *c, gconstpointer data) {
  (void)data;
  const AioStoreRun run = {.kind = "sweep", .joint = 2};
  for (gint64 k = 1; k <= 3; k++) {
    recorder_case_start(c, 0);
    g_assert_cmpint(aio_recorder_begin_run(c->recorder, &run), ==, k);
    recorder_case_push(c, 6, 10);
    recorder_case_stop(c);
  }
  g_assert_cmpuint(recorder_case_count(c->path), ==, 600);
}

/* Chunks that somebody else took before do not count. */
static void test_used_queue(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  guint n_statistics = 0;
  (void)data;
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 2);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_true(aio_recorder_free(c->recorder, NULL));
  AioStore *store = aio_store_open_write(c->path, "test 1", NULL);
  c->recorder = aio_recorder_new(store, c->queue, &(AioRecorderOptions){.program = "test 1"}, NULL);
  aio_recorder_add(c->recorder, add_mine, g_strdup("mine"), g_free);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  store = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_statistic(store, on_statistic, &n_statistics, &error));
  g_assert_cmpuint(n_statistics, ==, 1);
  aio_store_close(store, NULL);
  recorder_case_stop(c);
}

static void test_commits_by_itself(RecorderCase *c, gconstpointer data) {
  (void)data;
  AioRecorderStatus status;
  recorder_case_start(c, 0);
  recorder_case_push(c, 12, 50);
  g_usleep(1000 * (AIO_RECORDER_COMMIT_MS + 850));
  aio_recorder_status(c->recorder, &status);
  g_assert_cmpuint(status.samples, ==, 1000);
  g_assert_cmpuint(status.chunks, ==, 50);
  g_assert_cmpuint(status.samples_waiting, ==, 0);
  g_assert_cmpuint(status.bytes_waiting, ==, 0);
  g_assert_cmpuint(status.bytes, >, 1000 * 12 * 12); /* three numbers of four bytes a joint */
  g_assert_cmpuint(status.bytes, <, 1000 * 12 * 24);
  g_assert_cmpint(status.worst_commit_us, >, 0);
  g_assert_false(status.is_failing);
  g_assert_cmpuint(recorder_case_count(c->path), ==, 1000);
}

/* Whoever waits for his rows need not wait long: not as long as after a failure. */
static void test_commits_often(RecorderCase *c, gconstpointer data) {
  enum { TIMES = 8 };
  AioRecorderStatus status;
  (void)data;
  recorder_case_start(c, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  const gint64 begin = g_get_monotonic_time();
  for (guint k = 1; k <= TIMES; k++) {
    recorder_case_push(c, 6, 1);
    do {
      g_usleep(1000);
      aio_recorder_status(c->recorder, &status);
    } while (status.samples < 20 * k);
  }
  g_assert_cmpint(g_get_monotonic_time() - begin, <, TIMES * 800000); /* of 150 ms each */
  recorder_case_stop(c);
}

static bool on_ended(const AioStoreRun *row, void *data) {
  g_assert_cmpint(row->id, ==, ++*(guint *)data);
  g_assert_cmpint(row->connection, ==, 1);
  g_assert_cmpint(row->ended_us, >=, row->started_us);
  g_assert_cmpuint(row->motion, ==, 10 + (guint)row->id);
  g_assert_cmpstr(row->outcome, ==, "done");
  return true;
}

/* Several in one connection, each with its own end; whoever ends late ends what he began. */
static void test_runs(RecorderCase *c, gconstpointer data) {
  enum { RUNS = 4 };
  const AioStoreRun run = {.kind = "move"};
  GError *error = NULL;
  guint n = 0;
  (void)data;
  recorder_case_start(c, 0);
  for (guint k = 1; k <= RUNS; k++)
    g_assert_cmpint(aio_recorder_begin_run(c->recorder, &run), ==, k);
  aio_recorder_end_run(c->recorder, 2, 12, "done");
  recorder_case_push(c, 6, 1); /* of the last that has begun */
  for (guint k = RUNS; k > 0; k--)
    if (k != 2)
      aio_recorder_end_run(c->recorder, k, 10 + k, "done");
  recorder_case_push(c, 6, 1); /* of none */
  recorder_case_stop(c);
  Owners owners = {.n = 0};
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_run(store, on_ended, &n, &error));
  g_assert_true(aio_store_each_chunk(store, 0, on_owned, &owners, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(n, ==, RUNS);
  g_assert_cmpint(owners.run[0], ==, RUNS);
  g_assert_cmpint(owners.run[1], ==, 0);
  aio_store_close(store, NULL);
}

static bool on_connection(const AioStoreConnection *row, void *data) {
  g_assert_cmpstr(row->controller, ==, "{}");
  return ++*(guint *)data;
}

/* A chunk that comes before anything else has a connection, and so does what follows. */
static void test_chunk_first(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  guint n = 0, events = 0;
  const AioEvent event = {
      .kind = AIO_EVENT_HEALTH, .supply_V = 24, .board_C = (double)NAN, .text = "warm"};
  const AioStoreRun run = {.kind = "sweep"};
  (void)data;
  AioStore *store = aio_store_create(c->path, "test 1", &error);
  g_assert_true(aio_store_close(store, &error));
  store = aio_store_open_waiting(c->path, "test 1", &error);
  c->queue = aio_queue_new("recorder", 512, AIO_QUEUE_KEEP_OLDEST, &error);
  c->recorder = aio_recorder_new(store, c->queue, &(AioRecorderOptions){.program = "test 1"}, NULL);
  recorder_case_push(c, 6, 1);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_cmpint(aio_recorder_begin_run(c->recorder, &run), ==, 1);
  aio_recorder_add_event(c->recorder, &event);
  recorder_case_stop(c);
  store = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_connection(store, on_connection, &n, &error));
  g_assert_true(aio_store_each_event(store, on_event, &events, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpuint(events, ==, 1);
  aio_store_close(store, NULL);
}

/* ---- a transaction that fails ---- */

/* Once, after its row is in. */
static bool add_and_fail(AioStore *store, gconstpointer data, GError **error) {
  gint *left = *(gint *const *)data;
  if (!add_mine(store, "mine", error))
    return false;
  if (g_atomic_int_add(left, -1) <= 0)
    return true;
  g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "bench.armature: a cable was pulled");
  return false;
}

/* Nothing of it stays, and the next one begins. */
static void test_rolled_back(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  guint n_statistics = 0;
  gint left = 1, *const counter = &left;
  (void)data;
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 5);
  aio_recorder_add(c->recorder, add_and_fail, g_memdup2(&counter, sizeof counter), g_free);
  recorder_case_push(c, 6, 5);
  while (recorder_case_told(c, AIO_RECORDER_FAILED) == 0)
    g_usleep(1000);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_IO);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_statistic(store, on_statistic, &n_statistics, &error));
  g_assert_cmpuint(n_statistics, ==, 1);
  aio_store_close(store, NULL);
}

/* ---- a file that another program holds ---- */

static sqlite3 *hold(const char *path) {
  sqlite3 *db = NULL;
  g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
  return db;
}

/* Not even begun, and nothing of it is forgotten. */
static void test_held(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  AioRecorderStatus status;
  (void)data;
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 5);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  sqlite3 *other = hold(c->path);
  recorder_case_push(c, 6, 5);
  g_assert_false(aio_recorder_flush(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_BUSY);
  g_clear_error(&error);
  aio_recorder_status(c->recorder, &status);
  g_assert_cmpuint(status.samples, ==, 100);
  g_assert_cmpuint(status.samples_waiting, ==, 100);
  g_assert_cmpint(sqlite3_close(other), ==, SQLITE_OK);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

/* ---- a disk that is full ---- */

/* Until the disk is full; everything is then in memory or on the disk. */
static void record_until_full(RecorderCase *c) {
  AioRecorderStatus status;
  GError *error = NULL;
  test_limit_files(1 << 20);
  for (guint k = 0; k < 100 && recorder_case_told(c, AIO_RECORDER_FAILED) == 0; k++) {
    recorder_case_push(c, 12, 50);
    aio_recorder_flush(c->recorder, NULL);
  }
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 1);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_FULL);
  recorder_case_push(c, 12, 50);
  g_assert_false(aio_recorder_flush(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  g_assert_nonnull(strstr(error->message, "bench.armsession"));
  g_assert_nonnull(strstr(error->message, "another place"));
  g_clear_error(&error);
  aio_recorder_status(c->recorder, &status);
  g_assert_true(status.is_failing);
  g_assert_cmpuint(status.samples + status.samples_waiting, ==, c->next);
  g_assert_cmpuint(status.samples_lost, ==, 0);
  g_assert_cmpuint(recorder_case_count(c->path), ==, status.samples);
}

static void room_again(RecorderCase *c) {
  record_until_full(c);
  test_limit_files(0);
  for (guint k = 0; k < WAITS && recorder_case_told(c, AIO_RECORDER_RESUMED) == 0; k++)
    g_usleep(1000 * AIO_RECORDER_RETRY_MS);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  recorder_case_push(c, 12, 1);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

static void another_place(RecorderCase *c) {
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  GError *error = NULL;
  record_until_full(c);
  const guint64 before = recorder_case_count(c->path);
  aio_recorder_move_to(c->recorder, c->path); /* exists */
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVE_FAILED), ==, 1);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_EXISTS);
  test_limit_files(1 << 17); /* no room there either: nothing is begun without what was before */
  aio_recorder_move_to(c->recorder, other);
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVE_FAILED), ==, 2);
  g_assert_false(g_file_test(other, G_FILE_TEST_EXISTS));
  test_limit_files(0);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVED), ==, 1);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  recorder_case_push(c, 12, 1);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(other), ==, c->next);
  g_assert_cmpuint(recorder_case_count(c->path), ==, before);
  g_free(other);
}

/* The old file is cut off as well: its log has all of it. */
static void lost_place(RecorderCase *c) {
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  GError *error = NULL;
  const AioStoreRun run = {.kind = "sweep", .joint = 1};
  aio_recorder_begin_run(c->recorder, &run);
  record_until_full(c);
  g_assert_cmpint(truncate(c->path, 100), ==, 0);
  test_limit_files(0);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  aio_recorder_free(c->recorder, NULL);
  c->recorder = NULL;
  AioStore *store = aio_store_open_read(other, &error);
  g_assert_no_error(error);
  Prefix prefix = {0};
  g_assert_true(aio_store_each_chunk(store, 1, recorder_case_on_chunk, &prefix, &error));
  g_assert_cmpuint(prefix.next, ==, c->next);
  aio_store_close(store, NULL);
  g_free(other);
}

static void memory_full(RecorderCase *c) {
  AioRecorderStatus status;
  record_until_full(c);
  for (guint k = 0; k < 20; k++) {
    recorder_case_push(c, 12, 100);
    aio_recorder_flush(c->recorder, NULL);
  }
  aio_recorder_status(c->recorder, &status);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MEMORY_FULL), ==, 1);
  g_assert_cmpuint(status.samples_lost, >, 0);
  g_assert_cmpuint(status.samples + status.samples_waiting + status.samples_lost, ==, c->next);
  g_assert_cmpuint(status.deepest_bytes, <=, 1 << 20);
  g_assert_cmpuint(status.deepest_bytes, >, 1 << 19);
  test_limit_files(0);
  GError *error = NULL;
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next - status.samples_lost);
  test_limit_files(1 << 20); /* once more, and told once more */
  for (guint k = 0; k < 20; k++) {
    recorder_case_push(c, 12, 100);
    aio_recorder_flush(c->recorder, NULL);
  }
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MEMORY_FULL), ==, 2);
  test_limit_files(0);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_false(aio_recorder_free(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  g_clear_error(&error);
  c->recorder = NULL;
}

typedef struct {
  void (*check)(RecorderCase *c);
  gsize memory_max;
} Full;

static const Full FULL[] = {
    {room_again, 0}, {another_place, 0}, {lost_place, 0}, {memory_full, 1 << 20}};

/* In a process of its own, since the limit holds for all its files. */
static void test_full(RecorderCase *c, gconstpointer data) {
  const Full *full = data;
  const pid_t child = fork();
  if (child == 0) {
    recorder_case_start(c, full->memory_max);
    full->check(c);
    _exit(0);
  }
  int status = 1;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/recorder/" name, RecorderCase, data, recorder_case_set_up, function,                \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("order", NULL, test_order);
  ADD("goes-on", NULL, test_goes_on);
  ADD("used-queue", NULL, test_used_queue);
  ADD("commits-by-itself", NULL, test_commits_by_itself);
  ADD("commits-often", NULL, test_commits_often);
  ADD("runs", NULL, test_runs);
  ADD("chunk-first", NULL, test_chunk_first);
  ADD("rolled-back", NULL, test_rolled_back);
  ADD("held", NULL, test_held);
  ADD("full/room-again", &FULL[0], test_full);
  ADD("full/another-place", &FULL[1], test_full);
  ADD("full/lost-place", &FULL[2], test_full);
  ADD("full/memory-full", &FULL[3], test_full);
  return g_test_run();
}
