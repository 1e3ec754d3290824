/* SPDX-License-Identifier: MIT */
/* Another session is copied over the file that is recorded to, or it is cut off, in place ("cp
 * other FILE"): it is told with the next commit, nothing of the other one is ever taken for ours,
 * nothing of ours is written into it, and what can still be read goes on in another file. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "io/store/recorder_internal.h"
#include "io/store/store_internal.h"
#include "recorder_case.h"
#include "support/file_limit.h"
#include "support/support.h"

enum {
  STRANGERS = 1000000,
  STRANGER_CHUNKS = 300,
  WAITS_MAX = 1000,
  PIECE = 50,
  MOVED_PIECES = 100
};

typedef struct {
  const char *suffix;
  bool is_cut;   /* to nothing, rather than overwritten */
  bool is_moved; /* what was recorded is in the file, the log begun anew */
  bool keeps_all;
} Harm;

static const Harm HARMS[] = {{"", false, false, true},     {"", true, false, true},
                             {"", false, true, false},     {"", true, true, false},
                             {"-wal", false, true, false}, {"-wal", true, true, false}};

/* ---- somebody else's session ---- */

static char *stranger(const RecorderCase *c, gsize *n) {
  char *path = g_build_filename(c->folder, "stranger.armsession", NULL), *bytes = NULL;
  const AioStoreConnection connection = {.utc_us = 1, .controller = "{}"};
  AioStore *store = aio_store_create(path, "test 2", NULL);
  g_assert_true(aio_store_begin(store, NULL));
  g_assert_true(aio_store_add_connection(store, &connection, NULL));
  for (guint k = 0; k < STRANGER_CHUNKS; k++) {
    AioChunk *chunk = session_chunk(6, STRANGERS + 20ull * k, 20);
    GByteArray *data = aio_blob_encode(chunk);
    const AioStoreBlob row = {.connection = 1,
                              .first_index = chunk->first_index,
                              .n = chunk->n,
                              .t0_us = chunk->t_us[0],
                              .data = data->data,
                              .size = data->len};
    g_assert_true(aio_store_add_blob(store, &row, NULL));
    g_byte_array_unref(data);
    aio_chunk_unref(chunk);
  }
  g_assert_true(aio_store_commit(store, NULL));
  g_assert_true(aio_store_close(store, NULL));
  g_assert_true(g_file_get_contents(path, &bytes, n, NULL));
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_free(path);
  return bytes;
}

static void write_over(const char *path, const char *bytes, gsize n) {
  const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(write(fd, bytes, n), ==, (gssize)n);
  close(fd);
}

/* ---- what is left of ours ---- */

typedef struct {
  guint64 samples, wrong, chunks, last; /* last: first_index of the last chunk */
  guint runs;
} Left;

static bool on_left(const AioStoreChunk *row, void *data) {
  Left *left = data;
  AioChunk *expected = session_chunk(6, row->chunk->first_index, row->chunk->n);
  session_assert_same(row->chunk, expected);
  aio_chunk_unref(expected);
  left->samples += row->chunk->n;
  left->wrong += row->chunk->first_index >= STRANGERS;
  left->chunks++;
  left->last = row->chunk->first_index;
  return true;
}

static bool on_run_left(const AioStoreRun *row, void *data) {
  g_assert_cmpint(row->id, ==, ++*(guint *)data);
  g_assert_cmpstr(row->kind, ==, "move");
  g_assert_cmpuint(row->motion, ==, row->id == 1 ? 7 : 0);
  g_assert_cmpstr(row->outcome, ==, row->id == 1 ? "done" : NULL);
  return true;
}

static Left left_in(const char *path) {
  Left left = {0};
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_chunk(store, 0, on_left, &left, &error));
  g_assert_true(aio_store_each_run(store, on_run_left, &left.runs, &error));
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  return left;
}

/* ---- */

/* The arm rests, so that all is moved and the log begins anew. */
static void let_rest(const RecorderCase *c) {
  char *log = g_strconcat(c->path, "-wal", NULL), *head = NULL, *now = NULL;
  gsize n = 0;
  bool is_same = true;
  g_assert_true(g_file_get_contents(log, &head, &n, NULL));
  for (guint k = 0; k < WAITS_MAX && is_same; k++) {
    g_usleep(10000);
    g_assert_true(g_file_get_contents(log, &now, &n, NULL));
    is_same = memcmp(head, now, 32) == 0;
    g_free(now);
  }
  g_assert_false(is_same);
  g_free(head);
  g_free(log);
}

static void expect_told(RecorderCase *c, const char *suffix) {
  GError *error = NULL;
  char *said = g_strdup_printf("bench.armsession%s: was overwritten or cut off", suffix);
  recorder_case_push(c, 6, 5);
  g_assert_false(aio_recorder_flush(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_assert_nonnull(strstr(error->message, said));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 1);
  g_clear_error(&error);
  g_free(said);
}

static void expect_untouched(const RecorderCase *c, const Harm *harm, const char *bytes, gsize n) {
  char *found = NULL, *log = g_strconcat(c->path, "-wal", NULL);
  gsize length = 0;
  g_assert_false(g_file_test(log, G_FILE_TEST_EXISTS)); /* it would be taken for the other's */
  if (!*harm->suffix) {
    g_assert_true(g_file_get_contents(c->path, &found, &length, NULL));
    g_assert_cmpmem(found, length, bytes, harm->is_cut ? 0 : n);
  }
  g_free(found);
  g_free(log);
}

/* Enough for a session, not for what is salvaged: nothing is begun, and the name stays free. */
static void expect_no_room(RecorderCase *c, const char *other) {
  aio_recorder_move_to(c->recorder, c->path); /* not over what is there */
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVE_FAILED), ==, 1);
  g_assert_true(g_file_test(c->path, G_FILE_TEST_EXISTS));
  test_limit_files(1 << 19);
  aio_recorder_move_to(c->recorder, other);
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVE_FAILED), ==, 2);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_FULL);
  test_limit_files(0);
  g_assert_false(g_file_test(other, G_FILE_TEST_EXISTS));
}

/* Packed, all of it would be kept in memory, and half of the file be free pages. */
static bool stop_packing(AioStore *store, gconstpointer data, GError **error) {
  AioRecorder *recorder = (AioRecorder *)data;
  (void)store, (void)error;
  g_clear_pointer(&recorder->packer, aio_packer_free);
  return true;
}

static void test_harm(RecorderCase *c, gconstpointer data) {
  const Harm *harm = data;
  GError *error = NULL;
  gsize n = 0;
  char *other = g_build_filename(c->folder, "other.armsession", NULL), *bytes = stranger(c, &n);
  char *harmed = g_strconcat(c->path, harm->suffix, NULL);
  const AioStoreRun run = {.kind = "move"};
  recorder_case_start(c, 0);
  aio_recorder_add(c->recorder, stop_packing, c->recorder, NULL);
  aio_recorder_end_run(c->recorder, aio_recorder_begin_run(c->recorder, &run), 7, "done");
  for (guint k = 0; k < (harm->is_moved ? MOVED_PIECES : 1); k++) {
    recorder_case_push(c, 6, PIECE);
    g_assert_true(aio_recorder_flush(c->recorder, NULL));
  }
  if (harm->is_moved) {
    let_rest(c);
    recorder_case_push(c, 6, 100);
    g_assert_true(aio_recorder_flush(c->recorder, NULL));
  }
  aio_recorder_begin_run(c->recorder, &run);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  write_over(harmed, bytes, harm->is_cut ? 0 : n);
  expect_told(c, harm->suffix);
  if (harm->is_moved)
    expect_no_room(c, other);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  recorder_case_push(c, 6, 1);
  recorder_case_stop(c);
  expect_untouched(c, harm, bytes, n);
  const Left left = left_in(other);
  g_test_message("%u of %u samples are left; %s", (guint)left.samples, (guint)c->next,
                 c->loss ? c->loss : "nothing lost");
  g_assert_cmpuint(left.wrong, ==, 0);
  g_assert_cmpuint(left.runs, ==, 2);
  g_assert_cmpuint(left.samples, <=, c->next);
  g_assert_cmpuint(left.samples, >=, harm->keeps_all ? c->next : 120); /* what waited, at least */
  if (harm->is_moved && !*harm->suffix) /* more than is kept in memory */
    g_assert_cmpuint(left.samples, <, c->next);
  g_assert_true((left.samples < c->next) == (c->loss != NULL));
  g_free(harmed);
  g_free(other);
  g_free(bytes);
}

/* More than SQLite keeps in memory, packed or not. */
static void push_noise(RecorderCase *c) {
  TestRng rng;
  test_rng_init(&rng, test_seed(20261127));
  for (guint k = 0; k < STRANGER_CHUNKS; k++, c->next += 20) {
    AioChunk *chunk = session_chunk(32, c->next, 20);
    for (guint v = 0; v < 20 * 32; v++) {
      chunk->q[v] = test_rng_normal(&rng);
      chunk->qd[v] = test_rng_normal(&rng);
      chunk->current[v] = test_rng_normal(&rng);
    }
    g_assert_true(aio_queue_push(c->queue, chunk));
    aio_chunk_unref(chunk);
  }
}

/* What an earlier program recorded is lost with the file, and this one has added no chunk: told. */
static void test_resumed(RecorderCase *c, gconstpointer data) {
  const AioStoreRun run = {.kind = "move"};
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  (void)data;
  recorder_case_start(c, 0);
  push_noise(c);
  recorder_case_stop(c);
  recorder_case_start(c, 0);
  aio_recorder_begin_run(c->recorder, &run);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpint(truncate(c->path, 0), ==, 0);
  expect_told(c, "");
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  recorder_case_stop(c);
  g_assert_nonnull(c->loss);
  g_free(other);
}

/* Commits, passes of the checkpointer and readers are no strangers. */
static void test_nobody(RecorderCase *c, gconstpointer data) {
  (void)data;
  recorder_case_start(c, 0);
  for (guint k = 0; k < 60; k++) {
    recorder_case_push(c, 12, 40);
    g_assert_true(aio_recorder_flush(c->recorder, NULL));
    if (k % 10 == 0) {
      AioStore *reader = aio_store_open_read(c->path, NULL);
      g_usleep(20000);
      g_assert_true(aio_store_close(reader, NULL));
    }
  }
  let_rest(c);
  recorder_case_push(c, 12, 1);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 0);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
}

/* Nor is a commit that begins the log anew on a full disk: it changes the log's head and fails. */
static void test_full_disk(RecorderCase *c, gconstpointer data) {
  (void)data;
  const AioStoreConnection connection = {.utc_us = 1, .controller = "{}"};
  GError *error = NULL;
  AioStore *store = aio_store_create(c->path, "test 1", &error);
  g_assert_no_error(error);
  AioCheckpointer *checkpointer = aio_checkpointer_new(store);
  g_assert_true(aio_store_begin(store, NULL));
  g_assert_true(aio_store_add_connection(store, &connection, NULL));
  g_assert_true(aio_store_commit(store, NULL));
  g_assert_true(aio_sql_exec(store->sql, "PRAGMA wal_checkpoint(PASSIVE)", NULL));
  aio_store_remember_content(store, true);
  test_limit_files(100); /* the head, no page */
  g_assert_true(aio_store_begin(store, NULL));
  g_assert_true(aio_store_add_connection(store, &connection, NULL));
  g_assert_false(aio_store_commit(store, NULL));
  test_limit_files(0);
  g_assert_true(aio_store_check_place(store, &error));
  g_assert_no_error(error);
  g_assert_true(aio_store_begin(store, NULL));
  g_assert_true(aio_store_add_connection(store, &connection, NULL));
  g_assert_true(aio_store_commit(store, NULL));
  aio_checkpointer_free(checkpointer);
  g_assert_true(aio_store_close(store, NULL));
}

/* Where no thread moves the log into the file a long commit does, and it is known what it made of
 * it: the file cut off to what it was before is somebody else's doing. */
static void test_cut_after_pass(RecorderCase *c, gconstpointer data) {
  (void)data;
  GStatBuf before, after;
  GError *error = NULL;
  AioStore *store = aio_store_create(c->path, "test 1", &error);
  g_assert_no_error(error);
  char *text = g_strnfill(5000000, 'x');
  g_assert_cmpint(g_stat(c->path, &before), ==, 0);
  g_assert_true(aio_store_begin(store, NULL));
  g_assert_true(aio_store_add_text(store, AIO_STORE_ARM, text, NULL));
  g_assert_true(aio_store_commit(store, NULL));
  g_free(text);
  g_assert_cmpint(g_stat(c->path, &after), ==, 0);
  g_assert_cmpint(after.st_size, >, before.st_size);
  g_assert_cmpint(truncate(c->path, before.st_size), ==, 0);
  g_assert_false(aio_store_check_place(store, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  aio_store_close(store, NULL);
}

/* A page of a file that is otherwise ours cannot be read: a copy of it is refused, whatever else
 * can be read comes along, and what does not is told. */
static void test_damaged(RecorderCase *c, gconstpointer data) {
  (void)data;
  enum { PAGE = 16384 };
  GError *error = NULL;
  GStatBuf file;
  static const guint8 nonsense[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  recorder_case_start(c, 0);
  aio_recorder_add(c->recorder, stop_packing, c->recorder, NULL);
  for (guint k = 0; k < MOVED_PIECES; k++) {
    recorder_case_push(c, 6, PIECE);
    g_assert_true(aio_recorder_flush(c->recorder, NULL));
  }
  let_rest(c);
  g_assert_cmpint(g_stat(c->path, &file), ==, 0);
  const int fd = open(c->path, O_WRONLY | O_CLOEXEC);
  for (gint64 page = file.st_size / PAGE / 2, n = page + 3; page < n; page++)
    g_assert_cmpint(pwrite(fd, nonsense, sizeof nonsense, PAGE * page), ==, sizeof nonsense);
  close(fd);
  aio_recorder_move_to(c->recorder, other);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVED), ==, 1);
  recorder_case_stop(c);
  const Left left = left_in(other);
  g_test_message("%u of %u samples are left; %s", (guint)left.samples, (guint)c->next, c->loss);
  g_assert_cmpuint(left.last, ==, c->next - 20); /* from both ends */
  char *said = g_strdup_printf("%" G_GUINT64_FORMAT " of %d pieces", c->next / 20 - left.chunks,
                               (int)(c->next / 20));
  g_assert_nonnull(strstr(c->loss, said));
  g_free(said);
  g_assert_cmpuint(left.wrong, ==, 0);
  g_assert_cmpuint(left.samples, >=, c->next / 4);
  g_assert_cmpuint(left.samples, <, c->next);
  g_assert_nonnull(strstr(c->loss, "are lost with"));
  g_free(other);
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/recorder/overwritten/" name, RecorderCase, data, recorder_case_set_up, function,    \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("file", &HARMS[0], test_harm);
  ADD("file-cut", &HARMS[1], test_harm);
  ADD("file-moved", &HARMS[2], test_harm);
  ADD("file-moved-cut", &HARMS[3], test_harm);
  ADD("log", &HARMS[4], test_harm);
  ADD("log-cut", &HARMS[5], test_harm);
  ADD("resumed", NULL, test_resumed);
  ADD("nobody", NULL, test_nobody);
  ADD("full-disk", NULL, test_full_disk);
  ADD("cut-after-pass", NULL, test_cut_after_pass);
  ADD("damaged", NULL, test_damaged);
  return g_test_run();
}
