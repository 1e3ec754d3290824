/* SPDX-License-Identifier: MIT */
/* What a recorder has written it packs: runs that are over, and of one that goes on what is enough.
 * Whatever goes wrong with that, and whenever it is killed, no sample is missing and none is there
 * twice. */
#include <sqlite3.h>
#include <unistd.h>

#include "io/store/store_internal.h"
#include "recorder_case.h"
#include "session_v1.h"
#include "support/support.h"

enum { JOINTS = 12, KILLS = 25 };

static gint64 count_in(const char *path, const char *sql) {
  GError *error = NULL;
  gint64 count = -1;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_sql_get_int(store->sql, sql, &count, &error));
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  return count;
}

#define CHUNKS_LEFT "SELECT count(*) FROM chunks"
#define PACKS_MADE  "SELECT count(*) FROM packs"

static void push_and_flush(RecorderCase *c, guint chunks) {
  GError *error = NULL;
  recorder_case_push(c, JOINTS, chunks);
  aio_recorder_flush(c->recorder, &error);
  g_assert_no_error(error);
}

/* Until as many packs are in the file; the writer packs when it has nothing else to do. */
static void wait_for_packs(RecorderCase *c, gint64 packs) {
  for (guint k = 0; k < 200 && count_in(c->path, PACKS_MADE) < packs; k++)
    g_usleep(50000);
  g_assert_cmpint(count_in(c->path, PACKS_MADE), >=, packs);
}

static guint64 run_samples(const char *path, gint64 run) {
  GError *error = NULL;
  gsize samples = 0;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_true(aio_store_count_samples(store, run, &samples, &error));
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  return samples;
}

/* While a run goes on, once it is over, and at the end. */
static void test_packs(RecorderCase *c, gconstpointer data) {
  const AioStoreRun run = {.kind = "sweep", .joint = 1};
  (void)data;
  recorder_case_start(c, 0);
  g_assert_cmpint(aio_recorder_begin_run(c->recorder, &run), ==, 1);
  push_and_flush(c, 120); /* two of 192 kB, and some */
  wait_for_packs(c, 2);
  g_assert_cmpint(count_in(c->path, CHUNKS_LEFT), >, 1);
  g_assert_cmpuint(recorder_case_count(c->path), ==, 2400);
  aio_recorder_end_run(c->recorder, 1, 7, "done");
  wait_for_packs(c, 3);
  g_assert_cmpint(count_in(c->path, CHUNKS_LEFT), ==, 0);
  g_assert_cmpint(aio_recorder_begin_run(c->recorder, &run), ==, 2);
  push_and_flush(c, 10);
  recorder_case_stop(c);
  g_assert_cmpint(count_in(c->path, CHUNKS_LEFT), ==, 0);
  g_assert_cmpint(count_in(c->path, PACKS_MADE), ==, 4);
  g_assert_cmpuint(recorder_case_count(c->path), ==, 2600);
  g_assert_cmpuint(run_samples(c->path, 1), ==, 2400);
  g_assert_cmpuint(run_samples(c->path, 2), ==, 200);
}

/* What an earlier program left is packed by the next one that writes. */
static void test_packs_before(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  (void)data;
  AioStore *store = session_create(c->path);
  session_fill(store);
  g_assert_true(aio_store_close(store, &error));
  c->next = 200;
  recorder_case_start(c, 0);
  push_and_flush(c, 1);
  recorder_case_stop(c);
  g_assert_cmpint(count_in(c->path, PACKS_MADE), ==, 2);
  g_assert_cmpint(count_in(c->path, CHUNKS_LEFT), ==, 1); /* of another connection, alone */
  g_assert_cmpuint(recorder_case_count(c->path), ==, 220);
}

/* Pages of what was packed are used again: an hour of one run takes no more than its packs. */
static void test_size(RecorderCase *c, gconstpointer data) {
  const AioStoreRun run = {.kind = "sweep", .joint = 1};
  (void)data;
  recorder_case_start(c, 0);
  aio_recorder_begin_run(c->recorder, &run);
  for (gint64 k = 1; k <= 10; k++) {
    push_and_flush(c, 60);
    wait_for_packs(c, k);
  }
  recorder_case_stop(c);
  const gint64 pages = count_in(c->path, "PRAGMA page_count");
  const gint64 packed = count_in(c->path, "SELECT sum(length(data)) FROM packs");
  g_assert_cmpuint(recorder_case_count(c->path), ==, 12000);
  g_assert_cmpint(16384 * pages, <, packed + (1 << 20)); /* 2.3 MB unpacked */
}

static bool be_in_the_way(AioStore *store, gconstpointer data, GError **error) {
  (void)data;
  return aio_sql_exec(store->sql, "INSERT INTO packs VALUES (1, 1, 1, NULL, 0, 1, 0, X'')", error);
}

/* A row that is in the way: nothing is packed, and everything recorded. */
static void test_in_the_way(RecorderCase *c, gconstpointer data) {
  (void)data;
  recorder_case_start(c, 0);
  push_and_flush(c, 1);
  aio_recorder_add(c->recorder, be_in_the_way, NULL, NULL);
  for (guint k = 0; k < 8; k++) {
    push_and_flush(c, 30);
    g_usleep(1000 * AIO_RECORDER_COMMIT_MS);
  }
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 0);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_REFUSED), ==, 0);
  recorder_case_stop(c);
  sqlite3 *other = NULL;
  g_assert_cmpint(sqlite3_open(c->path, &other), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(other, "DELETE FROM packs", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_close(other), ==, SQLITE_OK);
  g_assert_cmpint(count_in(c->path, PACKS_MADE), ==, 0);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

/* ---- another place ---- */

static void test_moved(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  (void)data;
  recorder_case_start(c, 0);
  push_and_flush(c, 120);
  wait_for_packs(c, 2);
  aio_recorder_move_to(c->recorder, other);
  push_and_flush(c, 120);
  recorder_case_stop(c);
  g_assert_no_error(error);
  g_assert_cmpint(count_in(other, CHUNKS_LEFT), ==, 0);
  g_assert_cmpuint(recorder_case_count(other), ==, c->next);
  g_free(other);
}

/* What is packed is saved of a file that was cut off, and counted. */
static void test_salvaged(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  (void)data;
  recorder_case_start(c, 0);
  push_and_flush(c, 120);
  wait_for_packs(c, 2);
  g_assert_cmpint(truncate(c->path, 100), ==, 0);
  recorder_case_push(c, JOINTS, 5);
  g_assert_false(aio_recorder_flush(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_cmpstr(c->loss, ==, NULL);
  aio_recorder_free(c->recorder, NULL);
  c->recorder = NULL;
  g_assert_cmpuint(recorder_case_count(other), ==, c->next);
  g_free(other);
}

/* ---- killed ---- */

/* The child: what it tells is on the disk, as it was told itself. */
static void record_for_ever(const char *path, int told) {
  RecorderCase c = {.path = (char *)path};
  const AioStoreRun run = {.kind = "sweep", .joint = 1};
  recorder_case_start(&c, 0);
  for (gint64 id = 0;; id++) {
    if (id % 5 == 0)
      aio_recorder_begin_run(c.recorder, &run);
    recorder_case_push(&c, JOINTS, 25);
    if (!aio_recorder_flush(c.recorder, NULL) || write(told, &c.next, sizeof c.next) < 0)
      _exit(1);
    g_usleep(10000);
  }
}

/* The number of packs that it left. */
static gint64 kill_once(guint milliseconds) {
  GError *error = NULL;
  SessionPlace place;
  session_place_set_up(&place, NULL);
  guint64 told = 0; /* samples */
  (void)recorder_case_kill(place.path, milliseconds, record_for_ever, &told);
  gint64 packs = 0;
  if (g_file_test(place.path, G_FILE_TEST_EXISTS)) {
    const guint64 stored = recorder_case_count(place.path);
    g_assert_cmpuint(stored, >=, told);
    packs = count_in(place.path, PACKS_MADE);
    AioStore *store = aio_store_open_write(place.path, "after", &error);
    g_assert_no_error(error);
    session_pack(store);
    g_assert_true(aio_store_close(store, &error));
    g_assert_cmpuint(recorder_case_count(place.path), ==, stored);
  }
  session_place_tear_down(&place, NULL);
  return packs;
}

static void test_killed(void) {
  TestRng rng;
  gint64 packs = 0;
  test_rng_init(&rng, test_seed(20261127));
  for (guint k = 0; k < KILLS; k++)
    packs += kill_once((guint)test_rng_uniform(&rng, 0, 700));
  for (guint k = 0; k < KILLS && packs == 0; k++) /* a machine that is busy with other work */
    packs += kill_once(3000);
  g_test_message("%" G_GINT64_FORMAT " packs in what %d kills left", packs, KILLS);
  g_assert_cmpint(packs, >, 0);
}

#define ADD(name, function)                                                                        \
  g_test_add("/recorder-pack/" name, RecorderCase, NULL, recorder_case_set_up, function,           \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("packs", test_packs);
  ADD("packs-before", test_packs_before);
  ADD("size", test_size);
  ADD("in-the-way", test_in_the_way);
  ADD("moved", test_moved);
  ADD("salvaged", test_salvaged);
  g_test_add_func("/recorder-pack/killed", test_killed);
  return g_test_run();
}
