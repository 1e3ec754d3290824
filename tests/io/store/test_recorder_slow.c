/* SPDX-License-Identifier: MIT */
/* A slow disk: every commit is synced, and the writer waits for nothing else. */
#include "recorder_case.h"
#include "support/slow_sync.h"

enum {
  SYNC_MS = 20,
  PIECES = 60,
  CHUNKS = 40,
  WAITS_MAX = 1000,
  PAUSE_EVERY = 10,
  PAUSE_US = 300000
};

/* 20 MB, five times what SQLite would have moved into the file by itself. */
static void test_slow(RecorderCase *c, gconstpointer data) {
  AioRecorderStatus status;
  GError *error = NULL;
  (void)data;
  recorder_case_start(c, 0);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  aio_recorder_status(c->recorder, &status);
  const guint64 before = status.commits;
  slow_sync(SYNC_MS);
  for (guint k = 0; k < PIECES; k++) {
    recorder_case_push(c, 12, CHUNKS);
    g_assert_true(aio_recorder_flush(c->recorder, &error));
    g_assert_no_error(error);
    if (k % PAUSE_EVERY == 0)
      g_usleep(PAUSE_US); /* the checkpointer has moved everything */
  }
  aio_recorder_status(c->recorder, &status);
  const guint64 commits = status.commits - before;
  g_test_message("%u commits, each sync %d ms longer: worst %.0f ms", (guint)commits, SYNC_MS,
                 1e-3 * (double)status.worst_commit_us);
  g_assert_cmpuint(commits, >=, PIECES);
  g_assert_cmpuint(slow_syncs(true, true), ==, commits); /* the log never begins anew */
  g_assert_cmpuint(slow_syncs(true, false), ==, 0);
  g_assert_cmpuint(slow_syncs(false, false), >, 0); /* the checkpointer */
  slow_sync(0);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
}

/* Counted from the moment at which a run of so many chunks ends. */
static void end_run(RecorderCase *c, guint chunks) {
  const AioStoreRun run = {.kind = "sweep", .joint = 1};
  const gint64 id = aio_recorder_begin_run(c->recorder, &run);
  recorder_case_push(c, 6, chunks);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(slow_syncs(false, false), ==, 0);
  aio_recorder_end_run(c->recorder, id, 1, "done");
  for (guint k = 0; k < 5; k++) {
    g_assert_true(aio_recorder_flush(c->recorder, NULL));
    g_usleep(50000);
    recorder_case_push(c, 6, 1);
  }
}

/* What the writer syncs for one more commit. */
static guint syncs_of_commit(RecorderCase *c) {
  const guint before = slow_syncs(true, true);
  recorder_case_push(c, 6, 1);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  return slow_syncs(true, true) - before;
}

/* An arm that rests after a run is a good moment, unless there is next to nothing in the log: the
 * log is moved and begun anew then, for which nobody waits. */
static void test_end_of_run(RecorderCase *c, gconstpointer data) {
  (void)data;
  recorder_case_start(c, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  slow_sync(0);
  end_run(c, 1);
  g_assert_cmpuint(slow_syncs(false, false), ==, 0);
  end_run(c, 500); /* 1.1 MB */
  for (guint k = 0; k < WAITS_MAX && slow_syncs(false, false) == 0; k++)
    g_usleep(10000);
  g_assert_cmpuint(slow_syncs(false, false), >, 0);
  g_assert_cmpuint(slow_syncs(false, false), <=, 2); /* of the file, and once of its folder */
  g_assert_cmpuint(slow_syncs(true, false), ==, 0);
  const guint before = slow_syncs(true, true);
  for (guint k = 0; k < WAITS_MAX && slow_syncs(true, true) < before + 2; k++)
    g_usleep(10000);
  g_assert_cmpuint(slow_syncs(true, true), ==, before + 2); /* its head, and a frame */
  g_assert_cmpuint(syncs_of_commit(c), ==, 1);
  recorder_case_stop(c);
}

#define ADD(name, function)                                                                        \
  g_test_add("/recorder/slow/" name, RecorderCase, NULL, recorder_case_set_up, function,           \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("commits", test_slow);
  ADD("end-of-run", test_end_of_run);
  return g_test_run();
}
