/* SPDX-License-Identifier: MIT */
/* A session's first moments: its file is there with the arm or not at all; what an older version
 * left without an arm can be begun anew under its name. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "session/session.h"
#include "support/slow_sync.h"
#include "support/support.h"

enum { KILLS = 12, SYNC_MS = 50, LATEST_MS = 700 };

typedef struct {
  char *folder, *path, *arm;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  c->folder = folder_new();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/planar2r.arm.json"), &c->arm, NULL, NULL));
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  g_free(c->arm);
  g_free(c->path);
  folder_free(c->folder);
}

static void close_session(AseSession *session) {
  GError *error = NULL;
  g_assert_true(ase_session_close(session, &error));
  g_assert_no_error(error);
  g_object_unref(session);
}

static void expect_opens(const Case *c) {
  GError *error = NULL;
  AseSession *session = ase_session_open(c->path, "test 1.0", NULL, &error);
  g_assert_no_error(error);
  close_session(session);
}

/* ---- what an older version left ---- */

static void leave(const Case *c, bool has_connection, bool has_arm) {
  const AioStoreConnection row = {.id = 1, .utc_us = 1, .controller = "{}"};
  AioStore *store = aio_store_create(c->path, "old 0.1", NULL);
  g_assert_nonnull(store);
  g_assert_true(!has_connection || aio_store_add_connection(store, &row, NULL));
  g_assert_true(!has_arm || aio_store_add_text(store, AIO_STORE_ARM, c->arm, NULL));
  g_assert_true(aio_store_close(store, NULL));
}

static void test_blank(Case *c, gconstpointer data) {
  GError *error = NULL;
  (void)data;
  leave(c, false, false);
  g_assert_null(ase_session_open(c->path, "test 1.0", NULL, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_nonnull(strstr(error->message, "bench.armsession: the session has no arm"));
  g_assert_nonnull(strstr(error->message, "begin it anew, the same name will do"));
  g_clear_error(&error);
  AseSession *session = ase_session_create(c->path, "test 1.0", "planar2r", c->arm, &error);
  g_assert_no_error(error);
  close_session(session);
  expect_opens(c);
}

/* Whatever is in it: then it is somebody's. */
static void test_taken(Case *c, gconstpointer data) {
  const bool has_arm = data != NULL;
  char *before = NULL, *after = NULL;
  gsize n_before = 0, n_after = 0;
  GError *error = NULL;
  leave(c, !has_arm, has_arm);
  g_assert_true(g_file_get_contents(c->path, &before, &n_before, NULL));
  g_assert_null(ase_session_create(c->path, "test 1.0", "planar2r", c->arm, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  g_assert_true(g_file_get_contents(c->path, &after, &n_after, NULL));
  g_assert_cmpmem(before, n_before, after, n_after);
  g_free(before);
  g_free(after);
}

/* ---- killed at once ---- */

static void begin_for_ever(const Case *c) {
  slow_sync(SYNC_MS);
  if (!ase_session_create(c->path, "test 1.0", "planar2r", c->arm, NULL))
    _exit(1);
  for (;;)
    g_main_context_iteration(NULL, TRUE);
}

static bool kill_after(const Case *c, guint milliseconds) {
  const pid_t child = fork();
  int status = 0;
  if (child == 0)
    begin_for_ever(c);
  g_usleep(1000 * milliseconds);
  g_assert_cmpint(kill(child, SIGKILL), ==, 0);
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_true(WIFSIGNALED(status));
  return g_file_test(c->path, G_FILE_TEST_EXISTS);
}

static void test_killed(Case *c, gconstpointer data) {
  TestRng rng;
  guint there = 0;
  (void)data;
  test_rng_init(&rng, test_seed(20261122));
  for (guint k = 0; k < KILLS; k++) {
    if (kill_after(c, (guint)test_rng_uniform(&rng, 0, LATEST_MS))) {
      expect_opens(c);
      there++;
    }
    g_unlink(c->path);
  }
  g_test_message("%u of %d kills left a session, each with its arm", there, KILLS);
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/begin/" name, Case, data, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("killed", NULL, test_killed); /* before there are threads to fork */
  ADD("blank", NULL, test_blank);
  ADD("with-arm", "arm", test_taken);
  ADD("with-connection", NULL, test_taken);
  return g_test_run();
}
