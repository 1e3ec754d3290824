/* SPDX-License-Identifier: MIT */
/* Sessions where SQLite has no log, as on network drives: it keeps a rollback journal, readers and
 * the writer wait for each other, and a descriptor closed too early drops the writer's locks. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/store/store_internal.h"
#include "io/store/store_lock.h"
#include "session_case.h"

/* As if there were no shared memory. */
static AioStore *make(const char *path) {
  GError *error = NULL;
  AioStore *store = session_create(path);
  session_fill(store);
  g_assert_true(aio_sql_exec(store->sql, "PRAGMA journal_mode=DELETE", &error));
  g_assert_no_error(error);
  aio_store_remember_place(store);
  g_assert_false(aio_store_has_log(store));
  return store;
}

static AioStore *open_read(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  return store;
}

static void begin_with(AioStore *store, const char *name) {
  GError *error = NULL;
  const AioStoreStatistic row = {.name = name, .value = 1};
  g_assert_true(aio_store_begin(store, &error));
  g_assert_true(aio_store_add_statistic(store, &row, &error));
  g_assert_no_error(error);
}

static bool on_statistic(const AioStoreStatistic *row, void *data) {
  GString *names = data;
  g_string_append_printf(names, " %s", row->name);
  return true;
}

static void assert_statistics(AioStore *store, const char *expected) {
  GError *error = NULL;
  GString *names = g_string_new(NULL);
  g_assert_true(aio_store_each_statistic(store, on_statistic, names, &error));
  g_assert_no_error(error);
  g_assert_cmpstr(names->str, ==, expected);
  g_string_free(names, TRUE);
}

/* ---- a commit that a reader holds up ---- */

static bool commit_meanwhile(const AioStoreChunk *row, void *data) {
  GError *error = NULL;
  (void)row;
  g_assert_false(aio_store_commit(data, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_BUSY);
  g_clear_error(&error);
  return false;
}

/* None of it stays, and the next transaction can begin. */
static void test_commit_refused(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = make(c->path), *reader = open_read(c->path);
  begin_with(store, "gone");
  g_assert_true(aio_store_each_chunk(reader, 0, commit_meanwhile, store, &error));
  g_assert_no_error(error);
  g_assert_true(aio_store_close(reader, NULL));
  assert_statistics(store, " lost");
  begin_with(store, "kept");
  g_assert_true(aio_store_commit(store, &error));
  g_assert_no_error(error);
  assert_statistics(store, " lost kept");
  g_assert_true(aio_store_close(store, &error));
}

/* ---- a reader in the writer's process ---- */

/* Asked by another process: may somebody else write now? SQLite's locks begin at 0x40000000. */
static bool is_locked(const char *path) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512};
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
  }
  int status = 0;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Nothing that it opens drops the locks of a transaction. */
static void test_reader_beside(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = make(c->path);
  begin_with(store, "mine");
  g_assert_true(is_locked(c->path));
  AioStore *reader = open_read(c->path);
  g_assert_true(is_locked(c->path));
  assert_statistics(reader, " lost");
  g_assert_true(aio_store_close(reader, NULL));
  g_assert_true(is_locked(c->path));
  g_assert_true(aio_store_commit(store, &error));
  g_assert_no_error(error);
  g_assert_false(is_locked(c->path));
  g_assert_true(aio_store_close(store, &error));
}

/* ---- the journal of somebody else ---- */

/* Stays in the middle of a transaction until it is killed, or this process ends. */
static pid_t writer_at_work(const char *path) {
  int ready[2], life[2];
  char byte = 0;
  g_assert_cmpint(pipe(ready), ==, 0);
  g_assert_cmpint(pipe(life), ==, 0);
  const pid_t child = fork();
  if (child == 0) {
    close(life[1]);
    begin_with(make(path), "gone");
    g_assert_cmpint(write(ready[1], "x", 1), ==, 1);
    _exit(read(life[0], &byte, 1) == 0);
  }
  close(ready[1]); /* so that a writer that failed is not waited for */
  g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
  close(ready[0]);
  close(life[0]); /* the other end stays open as long as this process */
  return child;
}

/* It is read beside a living writer, and when that is dead. */
static void test_journal(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  GStatBuf info;
  char *journal = g_strconcat(c->path, "-journal", NULL);
  const pid_t child = writer_at_work(c->path);
  g_assert_cmpint(g_stat(journal, &info), ==, 0);
  g_assert_cmpint(info.st_size, >, 0);
  AioStore *reader = open_read(c->path);
  assert_statistics(reader, " lost");
  g_assert_true(aio_store_close(reader, NULL));
  g_assert_cmpint(g_stat(journal, &info), ==, 0);
  g_assert_cmpint(kill(child, SIGKILL), ==, 0);
  g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
  reader = open_read(c->path);
  assert_statistics(reader, " lost");
  g_assert_true(aio_store_close(reader, NULL));
  AioLock *lock = aio_lock_take(c->path, "a writer", &error); /* whoever played it back is done */
  g_assert_no_error(error);
  aio_lock_release(lock);
  g_free(journal);
}

#define ADD(name, function)                                                                        \
  g_test_add("/store-journal/" name, SessionPlace, NULL, session_place_set_up, function,           \
             session_place_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("commit-refused", test_commit_refused);
  ADD("reader-beside", test_reader_beside);
  ADD("journal", test_journal);
  return g_test_run();
}
