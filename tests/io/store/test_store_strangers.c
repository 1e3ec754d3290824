/* SPDX-License-Identifier: MIT */
/* What a stranger has laid beside a session, or in its place: never written through, never waited
 * for. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/acquire/capture.h"
#include "io/base/file.h"
#include "io/json/digest.h"
#include "session_case.h"

static const char VICTIM[] = "what must stay as it is";

typedef struct {
  char *folder, *path, *victim;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->victim = g_build_filename(c->folder, "victim", NULL);
  g_assert_true(g_file_set_contents(c->victim, VICTIM, -1, NULL));
  AioStore *store = aio_store_create(c->path, "test 1", &error);
  g_assert_no_error(error);
  session_fill(store);
  g_assert_true(aio_store_close(store, NULL));
  alarm(60); /* a reader that waits for a pipe ends the test */
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  alarm(0);
  g_free(c->path);
  g_free(c->victim);
  session_remove(c->folder);
}

/* ---- what is laid there ---- */

typedef enum { LINK, DANGLING, HARD_LINK, PIPE, FOLDER, KINDS } Kind;

static const char *const words[KINDS] = {"a symbolic link", "a symbolic link", "hard link",
                                         "a device, pipe or socket", "a directory"};

static void lay(const Case *c, Kind kind, const char *at) {
  char *nothing = g_build_filename(c->folder, "nothing", NULL);
  const int results[KINDS] = {
      [LINK] = kind == LINK ? symlink(c->victim, at) : 0,
      [DANGLING] = kind == DANGLING ? symlink(nothing, at) : 0,
      [HARD_LINK] = kind == HARD_LINK ? link(c->victim, at) : 0,
      [PIPE] = kind == PIPE ? mkfifo(at, 0666) : 0,
      [FOLDER] = kind == FOLDER ? mkdir(at, 0777) : 0,
  };
  g_assert_cmpint(results[kind], ==, 0);
  g_free(nothing);
}

static void assert_victim(const Case *c) {
  char *bytes = NULL, *nothing = g_build_filename(c->folder, "nothing", NULL);
  g_assert_true(g_file_get_contents(c->victim, &bytes, NULL, NULL));
  g_assert_cmpstr(bytes, ==, VICTIM);
  g_assert_false(g_file_test(nothing, G_FILE_TEST_EXISTS));
  g_free(bytes);
  g_free(nothing);
}

static void assert_refused(AioStore *store, GError **error, const char *name, const char *word) {
  g_assert_null(store);
  g_assert_error(*error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr((*error)->message, name));
  g_assert_nonnull(strstr((*error)->message, word));
  g_clear_error(error);
}

/* ---- sidecars ---- */

static void test_sidecars_writing(Case *c, gconstpointer data) {
  (void)data;
  static const char *const suffixes[] = {".lock", "-wal", "-shm", "-journal"};
  for (gsize k = 0; k < G_N_ELEMENTS(suffixes); k++)
    for (Kind kind = LINK; kind < KINDS; kind++) {
      GError *error = NULL;
      char *at = g_strconcat(c->path, suffixes[k], NULL);
      lay(c, kind, at);
      assert_refused(aio_store_open_write(c->path, "test 2", &error), &error, suffixes[k],
                     words[kind]);
      assert_victim(c);
      g_assert_cmpint(remove(at), ==, 0);
      g_free(at);
    }
}

static void test_sidecars_reading(Case *c, gconstpointer data) {
  (void)data;
  static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
  for (gsize k = 0; k < G_N_ELEMENTS(suffixes); k++)
    for (Kind kind = LINK; kind < KINDS; kind++) {
      GError *error = NULL;
      char *at = g_strconcat(c->path, suffixes[k], NULL);
      lay(c, kind, at);
      assert_refused(aio_store_open_read(c->path, &error), &error, suffixes[k], words[kind]);
      assert_refused(aio_store_open_again(c->path, &error), &error, suffixes[k], words[kind]);
      assert_victim(c);
      g_assert_cmpint(remove(at), ==, 0);
      g_free(at);
    }
}

/* What a dead writer left is played back under its lock. */
static void test_lock_of_reader(Case *c, gconstpointer data) {
  (void)data;
  char *journal = g_strconcat(c->path, "-journal", NULL),
       *lock = g_strconcat(c->path, ".lock", NULL);
  g_assert_true(
      g_file_set_contents(journal, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and more", -1, NULL));
  for (Kind kind = LINK; kind < KINDS; kind++) {
    GError *error = NULL;
    lay(c, kind, lock);
    assert_refused(aio_store_open_read(c->path, &error), &error, ".lock", words[kind]);
    assert_victim(c);
    g_assert_cmpint(remove(lock), ==, 0);
  }
  g_free(lock);
  g_free(journal);
}

/* Nothing is made where it could not be locked afterwards. */
static void test_sidecars_creating(Case *c, gconstpointer data) {
  (void)data;
  static const char *const suffixes[] = {".lock", "-shm"};
  char *path = g_build_filename(c->folder, "new.armsession", NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(suffixes); k++)
    for (Kind kind = LINK; kind < KINDS; kind++) {
      GError *error = NULL;
      char *at = g_strconcat(path, suffixes[k], NULL);
      lay(c, kind, at);
      assert_refused(aio_store_create(path, "test 2", &error), &error, suffixes[k], words[kind]);
      g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
      assert_victim(c);
      g_assert_cmpint(remove(at), ==, 0);
      g_free(at);
    }
  g_free(path);
}

/* A lock file left behind is taken over, but not one of somebody else. */
static void test_owner(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *lock = g_strconcat(c->path, ".lock", NULL);
  if (geteuid() != 0) {
    g_test_skip("giving files away needs root");
    g_free(lock);
    return;
  }
  g_assert_true(
      g_file_set_contents(lock, "test 1 (process 1 on bench, since yesterday)\n", -1, NULL));
  g_assert_cmpint(chown(lock, 65534, 65534), ==, 0);
  assert_refused(aio_store_open_write(c->path, "test 2", &error), &error, ".lock",
                 "a file of another user");
  g_assert_cmpint(chown(c->path, 65534, 65534), ==, 0); /* the owner of the session may */
  AioStore *store = aio_store_open_write(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_close(store, NULL));
  g_free(lock);
}

/* What has taken the lock's name meanwhile is somebody else's. */
static void test_lock_replaced(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *lock = g_strconcat(c->path, ".lock", NULL);
  AioStore *store = aio_store_open_write(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_cmpint(g_rename(c->victim, lock), ==, 0);
  g_assert_true(aio_store_close(store, NULL));
  g_assert_cmpint(g_rename(lock, c->victim), ==, 0);
  assert_victim(c);
  g_free(lock);
}

/* ---- the session's own name ---- */

/* A link of the user's own is resolved once: lock and log stand beside the file itself. */
static void test_session_link(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *other = g_build_filename(c->folder, "link.armsession", NULL);
  char *lock = g_strconcat(c->path, ".lock", NULL), *wrong = g_strconcat(other, ".lock", NULL);
  g_assert_cmpint(symlink(c->path, other), ==, 0);
  AioStore *store = aio_store_open_write(other, "test 2", &error);
  g_assert_no_error(error);
  g_assert_true(g_file_test(lock, G_FILE_TEST_EXISTS));
  g_assert_false(g_file_test(wrong, G_FILE_TEST_EXISTS));
  g_assert_true(aio_store_close(store, NULL));
  g_assert_true(g_file_test(other, G_FILE_TEST_IS_SYMLINK));
  g_free(wrong);
  g_free(lock);
  g_free(other);
}

static void test_session_hard_link(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  g_assert_cmpint(link(c->path, other), ==, 0);
  g_assert_null(aio_store_open_write(other, "test 2", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_PERMISSION);
  g_assert_nonnull(strstr(error->message, "hard link"));
  g_clear_error(&error);
  AioStore *store = aio_store_open_read(other, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_close(store, NULL));
  g_assert_cmpint(g_unlink(other), ==, 0);
  store = aio_store_open_write(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_close(store, NULL));
  g_free(other);
}

/* A file that is made has one name at every moment; a kill leaves none behind. */
static void test_new_file_has_one_name(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  GStatBuf info;
  char *path = g_build_filename(c->folder, "made", NULL);
  g_assert_true(aio_file_write_atomic(path, "a", 1, false, &error));
  g_assert_cmpint(g_stat(path, &info), ==, 0);
  g_assert_cmpint(info.st_nlink, ==, 1);
  g_assert_false(aio_file_write_atomic(path, "b", 1, false, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  g_free(path);
}

/* ---- pipes and folders where a file should be ---- */

static void test_no_file(Case *c, gconstpointer data) {
  (void)data;
  static const Kind kinds[] = {PIPE, FOLDER};
  for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
    GError *error = NULL;
    gsize length = 0;
    char *path = g_build_filename(c->folder, "no-file.armsession", NULL);
    lay(c, kinds[k], path);
    g_assert_null(aio_store_open_write(path, "test 2", &error));
    g_assert_nonnull(strstr(error->message, words[kinds[k]]));
    g_clear_error(&error);
    g_assert_null(aio_store_open_read(path, &error));
    g_assert_nonnull(strstr(error->message, words[kinds[k]]));
    g_clear_error(&error);
    g_assert_false(aio_store_is_session(path));
    g_assert_null(aio_store_create(path, "test 2", &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
    g_clear_error(&error);
    g_assert_null(aio_capture_reader_new(path, &error));
    g_assert_nonnull(strstr(error->message, words[kinds[k]]));
    g_clear_error(&error);
    g_assert_null(aio_file_read_all(path, 100, &length, &error));
    g_assert_nonnull(strstr(error->message, words[kinds[k]]));
    g_clear_error(&error);
    g_assert_null(aio_file_digest(path));
    g_assert_cmpint(remove(path), ==, 0);
    g_free(path);
  }
}

#define ADD(name, function)                                                                        \
  g_test_add("/store-strangers/" name, Case, NULL, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("sidecars-writing", test_sidecars_writing);
  ADD("sidecars-reading", test_sidecars_reading);
  ADD("lock-of-reader", test_lock_of_reader);
  ADD("sidecars-creating", test_sidecars_creating);
  ADD("owner", test_owner);
  ADD("lock-replaced", test_lock_replaced);
  ADD("session-link", test_session_link);
  ADD("session-hard-link", test_session_hard_link);
  ADD("one-name", test_new_file_has_one_name);
  ADD("no-file", test_no_file);
  return g_test_run();
}
