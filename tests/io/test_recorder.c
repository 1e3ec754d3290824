/* SPDX-License-Identifier: MIT */
/* The recorder: what belongs together, full disks, another place, a full memory. */
#include <sys/wait.h>
#include <unistd.h>

#include "recorder_case.h"
#include "support/file_limit.h"

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
  ++*(guint *)data;
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
  g_assert_cmpuint(n_events, ==, 1);
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

static void test_commits_by_itself(RecorderCase *c, gconstpointer data) {
  (void)data;
  AioRecorderStatus status;
  recorder_case_start(c, 0);
  recorder_case_push(c, 12, 50);
  g_usleep(1000 * (AIO_RECORDER_COMMIT_MS + 850));
  aio_recorder_status(c->recorder, &status);
  g_assert_cmpuint(status.samples, ==, 1000);
  g_assert_cmpuint(status.samples_waiting, ==, 0);
  g_assert_cmpuint(status.bytes_waiting, ==, 0);
  g_assert_cmpint(status.worst_commit_us, >, 0);
  g_assert_false(status.is_failing);
  g_assert_cmpuint(recorder_case_count(c->path), ==, 1000);
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
  g_assert_nonnull(strstr(error->message, "bench.armature"));
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
  g_usleep(1000 * (AIO_RECORDER_RETRY_MS + 500));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  recorder_case_push(c, 12, 1);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

static void another_place(RecorderCase *c) {
  char *other = g_build_filename(c->folder, "other.armature", NULL);
  GError *error = NULL;
  record_until_full(c);
  const guint64 before = recorder_case_count(c->path);
  aio_recorder_move_to(c->recorder, c->path); /* exists */
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVE_FAILED), ==, 1);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_EXISTS);
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

/* The old file cannot be read any more either. */
static void lost_place(RecorderCase *c) {
  char *other = g_build_filename(c->folder, "other.armature", NULL);
  GError *error = NULL;
  AioRecorderStatus status;
  const AioStoreRun run = {.kind = "sweep", .joint = 1};
  aio_recorder_begin_run(c->recorder, &run);
  record_until_full(c);
  aio_recorder_status(c->recorder, &status);
  g_assert_cmpint(truncate(c->path, 100), ==, 0);
  test_limit_files(0);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  aio_recorder_free(c->recorder, NULL);
  c->recorder = NULL;
  AioStore *store = aio_store_open_read(other, &error);
  g_assert_no_error(error);
  Prefix prefix = {status.samples};
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
  test_limit_files(0);
  GError *error = NULL;
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next - status.samples_lost);
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
  ADD("commits-by-itself", NULL, test_commits_by_itself);
  ADD("full/room-again", &FULL[0], test_full);
  ADD("full/another-place", &FULL[1], test_full);
  ADD("full/lost-place", &FULL[2], test_full);
  ADD("full/memory-full", &FULL[3], test_full);
  return g_test_run();
}
