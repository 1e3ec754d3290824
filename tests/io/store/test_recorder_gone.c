/* SPDX-License-Identifier: MIT */
/* The file that is recorded to is deleted, renamed or replaced: it is told within a second, all of
 * it goes on in another file, and what has taken its place is left as it is. */
#include <string.h>
#include <unistd.h>

#include "recorder_case.h"

static const char STRANGER[] = "somebody else's file\n";

typedef struct {
  const char *said; /* of the file that is missed */
  bool is_replaced;
  void (*harm)(const RecorderCase *c);
} Harm;

static char *beside(const RecorderCase *c, const char *suffix) {
  return g_strconcat(c->path, suffix, NULL);
}

static void put_stranger(const RecorderCase *c, const char *suffix) {
  char *path = beside(c, suffix), *other = g_build_filename(c->folder, "stranger", NULL);
  g_assert_true(g_file_set_contents(other, STRANGER, -1, NULL));
  g_assert_cmpint(g_rename(other, path), ==, 0);
  g_free(other);
  g_free(path);
}

static void check_stranger(const RecorderCase *c, const char *suffix) {
  char *path = beside(c, suffix), *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_assert_cmpstr(text, ==, STRANGER);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_free(text);
  g_free(path);
}

static void delete_file(const RecorderCase *c) {
  g_assert_cmpint(g_unlink(c->path), ==, 0);
}

static void replace_file(const RecorderCase *c) {
  put_stranger(c, "");
}

static void delete_log(const RecorderCase *c) {
  char *log = beside(c, "-wal");
  g_assert_cmpint(g_unlink(log), ==, 0);
  g_free(log);
}

static void replace_log(const RecorderCase *c) {
  put_stranger(c, "-wal");
}

/* It is mapped: who reads it then is killed by SIGBUS. A flush may be followed by packing, which
 * reads it; the next one comes after that, and 75 ms before any more of it. */
static void cut_index(const RecorderCase *c) {
  char *index = beside(c, "-shm");
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpint(truncate(index, 0), ==, 0);
  g_free(index);
}

static void rename_file(const RecorderCase *c) {
  char *other = g_build_filename(c->folder, "renamed.armsession", NULL);
  g_assert_cmpint(g_rename(c->path, other), ==, 0);
  g_free(other);
}

static const Harm HARMS[] = {{"bench.armsession: was deleted", false, delete_file},
                             {"bench.armsession: was replaced", true, replace_file},
                             {"bench.armsession-wal: was deleted", false, delete_log},
                             {"bench.armsession-wal: was replaced", true, replace_log},
                             {"bench.armsession: was deleted or renamed", false, rename_file},
                             {"bench.armsession-shm: was overwritten or cut", false, cut_index}};

static void expect_told(RecorderCase *c, const char *said) {
  AioRecorderStatus status;
  GError *error = NULL;
  recorder_case_push(c, 6, 5);
  g_assert_false(aio_recorder_flush(c->recorder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_assert_nonnull(strstr(error->message, said));
  g_clear_error(&error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 1);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_GONE);
  aio_recorder_status(c->recorder, &status);
  g_assert_true(status.is_failing);
  g_assert_cmpuint(status.samples_waiting, ==, 100);
}

static void go_on_in(RecorderCase *c, const char *path) {
  GError *error = NULL;
  aio_recorder_move_to(c->recorder, path);
  g_assert_true(aio_recorder_flush(c->recorder, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_MOVED), ==, 1);
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  char *now = aio_recorder_path(c->recorder);
  g_assert_cmpstr(now, ==, path);
  g_free(now);
  recorder_case_push(c, 6, 1);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(path), ==, c->next);
}

static void test_harm(RecorderCase *c, gconstpointer data) {
  const Harm *harm = data;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  char *renamed = g_build_filename(c->folder, "renamed.armsession", NULL);
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 50);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  const guint64 before = c->next;
  harm->harm(c);
  expect_told(c, harm->said);
  go_on_in(c, other);
  if (harm->harm == rename_file) { /* whole, without the log that it was parted from */
    g_assert_cmpuint(recorder_case_count(renamed), ==, before);
    g_assert_cmpint(g_unlink(renamed), ==, 0);
  }
  if (harm->is_replaced)
    check_stranger(c, harm->harm == replace_log ? "-wal" : "");
  const bool has_file =
      harm->harm == delete_log || harm->harm == replace_log || harm->harm == cut_index;
  g_assert_true(g_file_test(c->path, G_FILE_TEST_EXISTS) == has_file);
  if (has_file) {
    g_assert_cmpuint(recorder_case_count(c->path), ==, before);
    g_assert_cmpint(g_unlink(c->path), ==, 0);
  }
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  g_free(renamed);
  g_free(other);
}

/* With everything that is in it; the new place is elsewhere. */
static void test_folder(RecorderCase *c, gconstpointer data) {
  char *moved = g_strconcat(c->folder, "-moved", NULL), *elsewhere = session_folder();
  char *other = g_build_filename(elsewhere, "other.armsession", NULL);
  char *old = g_build_filename(moved, "bench.armsession", NULL);
  (void)data;
  recorder_case_start(c, 0);
  recorder_case_push(c, 6, 50);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpint(g_rename(c->folder, moved), ==, 0);
  expect_told(c, "bench.armsession: was deleted");
  go_on_in(c, other);
  g_assert_cmpuint(recorder_case_count(old), ==, 1000);
  g_free(old);
  g_free(other);
  session_remove(elsewhere);
  session_remove(moved);
}

static bool fail_while(AioStore *store, gconstpointer data, GError **error) {
  gint *const *is_failing = data;
  (void)store;
  if (!g_atomic_int_get(*is_failing))
    return true;
  g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "bench.armature: a cable was pulled");
  return false;
}

/* Whoever knows of a failure already is told that it is another one now. */
static void test_after_failure(RecorderCase *c, gconstpointer data) {
  char *other = g_build_filename(c->folder, "other.armature", NULL);
  gint is_failing = 1, *const flag = &is_failing;
  (void)data;
  recorder_case_start(c, 0);
  aio_recorder_add(c->recorder, fail_while, g_memdup2(&flag, sizeof flag), g_free);
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 1);
  delete_file(c);
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 2);
  g_assert_cmpint(c->failure, ==, AIO_ERROR_GONE);
  g_atomic_int_set(&is_failing, 0);
  go_on_in(c, other);
  g_free(other);
}

static bool fail_and_count(AioStore *store, gconstpointer data, GError **error) {
  gint *const *attempts = data;
  (void)store;
  g_atomic_int_inc(*attempts);
  g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "bench.armature: a cable was pulled");
  return false;
}

/* A disk that fails is tried every second, not with every commit; or at once by who asks. */
static void test_retries(RecorderCase *c, gconstpointer data) {
  gint attempts = 0, *const counter = &attempts;
  (void)data;
  recorder_case_start(c, 0);
  aio_recorder_add(c->recorder, fail_and_count, g_memdup2(&counter, sizeof counter), g_free);
  while (recorder_case_told(c, AIO_RECORDER_FAILED) == 0)
    g_usleep(1000);
  const gint before = g_atomic_int_get(&attempts);
  g_usleep(1000 * (AIO_RECORDER_RETRY_MS + AIO_RECORDER_COMMIT_MS));
  const gint after = g_atomic_int_get(&attempts);
  g_assert_cmpint(after - before, <=, 2);
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpint(g_atomic_int_get(&attempts), >, after);
  g_assert_false(aio_recorder_free(g_steal_pointer(&c->recorder), NULL));
}

/* Told though nothing is to be written, once; and over when it is put back. */
static void test_put_back(RecorderCase *c, gconstpointer data) {
  char *other = g_build_filename(c->folder, "renamed.armsession", NULL);
  (void)data;
  recorder_case_start(c, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpint(g_rename(c->path, other), ==, 0);
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_false(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_FAILED), ==, 1);
  g_assert_cmpint(g_rename(other, c->path), ==, 0);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  g_assert_cmpuint(recorder_case_told(c, AIO_RECORDER_RESUMED), ==, 1);
  recorder_case_push(c, 6, 1);
  recorder_case_stop(c);
  g_assert_cmpuint(recorder_case_count(c->path), ==, c->next);
  g_free(other);
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/recorder/gone/" name, RecorderCase, data, recorder_case_set_up, function,           \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("deleted", &HARMS[0], test_harm);
  ADD("replaced", &HARMS[1], test_harm);
  ADD("log-deleted", &HARMS[2], test_harm);
  ADD("log-replaced", &HARMS[3], test_harm);
  ADD("renamed", &HARMS[4], test_harm);
  ADD("index-cut", &HARMS[5], test_harm);
  ADD("folder-renamed", NULL, test_folder);
  ADD("after-failure", NULL, test_after_failure);
  ADD("retries", NULL, test_retries);
  ADD("put-back", NULL, test_put_back);
  return g_test_run();
}
