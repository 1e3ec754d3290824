/* SPDX-License-Identifier: MIT */
/* A session that waits for its first row: what happens to its file and beside it meanwhile. */
#include <unistd.h>

#include "io/store/store_internal.h"
#include "session_v1.h"

static AioStore *make(const char *path) {
  AioStore *store = session_create(path);
  session_fill(store);
  return store;
}

/* Its place is lost, and put back. */
static void test_waited_too_long(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  g_assert_true(aio_store_close(make(c->path), NULL));
  AioStore *store = aio_store_open_waiting(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_cmpint(g_rename(c->path, other), ==, 0);
  g_assert_false(aio_store_start_writing(store, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  g_assert_true(aio_store_is_waiting(store));
  g_assert_cmpint(g_rename(other, c->path), ==, 0);
  session_make(c->path, "PRAGMA ignore_check_constraints=ON; UPDATE runs SET joint=99;");
  g_assert_true(aio_store_start_writing(store, &error)); /* not looked through once more */
  g_assert_no_error(error);
  g_assert_true(aio_store_has_log(store));
  g_assert_true(aio_store_close(store, &error));
  g_free(other);
}

/* What a stranger has laid there meanwhile is seen. */
static void test_waited_beside_strangers(SessionPlace *c, gconstpointer data) {
  (void)data;
  static const char tail[] = "victim\0\0\0\6\0\0\2\210\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  char *journal = g_strconcat(c->path, "-journal", NULL);
  char *log = g_strconcat(c->path, "-wal", NULL);
  g_assert_true(aio_store_close(make(c->path), NULL));
  AioStore *store = aio_store_open_waiting(c->path, "test 2", NULL);
  for (int k = 0; k < 3; k++) {
    GError *error = NULL;
    const gint code = k == 0 ? AIO_ERROR_PERMISSION : AIO_ERROR_REFUSED;
    const char *const names[] = {other, journal, log};
    g_assert_true(k == 1   ? g_file_set_contents(journal, tail, sizeof tail - 1, NULL)
                  : k == 0 ? link(c->path, other) == 0
                           : symlink(other, log) == 0);
    g_assert_false(aio_store_start_writing(store, &error));
    g_assert_error(error, AIO_ERROR, code);
    g_assert_true(aio_store_is_waiting(store));
    g_clear_error(&error);
    g_assert_cmpint(g_unlink(names[k]), ==, 0);
  }
  g_assert_true(aio_store_start_writing(store, NULL));
  g_assert_true(aio_store_close(store, NULL));
  g_free(log);
  g_free(journal);
  g_free(other);
}

#define ADD(name, function)                                                                        \
  g_test_add("/store-waiting/" name, SessionPlace, NULL, session_place_set_up, function,           \
             session_place_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("too-long", test_waited_too_long);
  ADD("beside-strangers", test_waited_beside_strangers);
  return g_test_run();
}
