/* SPDX-License-Identifier: MIT */
/* The lock of a session where the system refuses it, and where somebody removes it as soon as it is
 * taken: played by functions of the system that this program replaces. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/store/store_lock.h"
#include "session_case.h"

static guint removals; /* so often the name is gone when it is looked at */
static int refusal;    /* errno of flock; 0: none */
static guint asked;
static int unwritten; /* errno of pwrite; 0: none */

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
  if (!unwritten)
    return syscall(SYS_pwrite64, fd, bytes, n, at);
  errno = unwritten;
  return -1;
}

int lstat(const char *path, struct stat *info) {
  if (removals && g_str_has_suffix(path, ".lock")) {
    removals--;
    errno = ENOENT;
    return -1;
  }
  return fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int flock(int fd, int operation) {
  asked++;
  if (!refusal)
    return (int)syscall(SYS_flock, fd, operation);
  errno = refusal;
  return -1;
}

typedef struct {
  char *folder, *path;
  guint files;
} Case;

static guint open_files(void) {
  return session_count_files("/proc/self/fd");
}

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->files = open_files();
  asked = removals = 0;
  refusal = 0;
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  removals = 0;
  g_assert_cmpuint(open_files(), ==, c->files);
  g_free(c->path);
  session_remove(c->folder);
}

static void assert_refused(const Case *c, AioErrorCode code, const char *said) {
  GError *error = NULL;
  g_assert_null(aio_lock_take(c->path, "test 1", &error));
  g_assert_error(error, AIO_ERROR, (gint)code);
  g_assert_nonnull(strstr(error->message, said));
  g_assert_false(aio_lock_is_mine(c->path));
  g_clear_error(&error);
}

static void test_removed(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  removals = 5;
  AioLock *lock = aio_lock_take(c->path, "test 1", &error);
  g_assert_no_error(error);
  g_assert_cmpuint(asked, ==, 6);
  g_assert_true(aio_lock_is_mine(c->path));
  aio_lock_release(lock);
  g_assert_false(aio_lock_is_mine(c->path));
  g_assert_cmpuint(session_count_files(c->folder), ==, 0);
}

/* Not tried for ever. */
static void test_always_removed(Case *c, gconstpointer data) {
  (void)data;
  removals = 100000;
  assert_refused(c, AIO_ERROR_IO, g_strerror(EAGAIN));
  g_assert_cmpuint(asked, >=, 100);
  g_assert_cmpuint(asked, <=, 10000);
}

/* As on a network drive without locks: asked once, and the reason told. */
static void test_refused(Case *c, gconstpointer data) {
  (void)data;
  refusal = ENOLCK;
  char *said = g_strdup_printf("%s: cannot lock it for writing: %s", c->path, g_strerror(ENOLCK));
  GError *error = NULL;
  g_assert_null(aio_lock_take(c->path, "test 1", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_assert_cmpstr(error->message, ==, said);
  g_clear_error(&error);
  g_assert_cmpuint(asked, ==, 1);
  g_free(said);
  refusal = EPERM;
  assert_refused(c, AIO_ERROR_PERMISSION, "; open it for reading, or copy it");
}

/* Nobody could be told who has it: it is not taken. */
static void test_unwritten(Case *c, gconstpointer data) {
  (void)data;
  unwritten = ENOSPC;
  assert_refused(c, AIO_ERROR_FULL, g_strerror(ENOSPC));
  unwritten = 0;
  g_assert_cmpuint(session_count_files(c->folder), ==, 0);
}

/* As the user wants his files. */
static void test_mode(Case *c, gconstpointer data) {
  (void)data;
  GStatBuf info;
  char *name = g_strconcat(c->path, ".lock", NULL);
  const mode_t mask = umask(022);
  AioLock *lock = aio_lock_take(c->path, "test 1", NULL);
  umask(mask);
  g_assert_cmpint(g_stat(name, &info), ==, 0);
  g_assert_cmpint(info.st_mode & 07777, ==, 0644);
  aio_lock_release(lock);
  g_free(name);
}

static void test_held(Case *c, gconstpointer data) {
  (void)data;
  char *name = g_strconcat(c->path, ".lock", NULL);
  g_assert_true(g_file_set_contents(name, "somebody (process 12)\n", -1, NULL));
  refusal = EWOULDBLOCK;
  assert_refused(c, AIO_ERROR_BUSY, "is being recorded to by somebody (process 12); close it");
  g_assert_cmpuint(asked, ==, 1);
  g_assert_true(g_file_set_contents(name, "", -1, NULL));
  assert_refused(c, AIO_ERROR_BUSY, "is being recorded to by another program; close it");
  char *many = g_strnfill(1000, 'x'), *most = g_strnfill(200, 'x');
  char *said = g_strdup_printf("is being recorded to by %s; close it", most);
  g_assert_true(g_file_set_contents(name, many, -1, NULL));
  assert_refused(c, AIO_ERROR_BUSY, said);
  g_free(said);
  g_free(most);
  g_free(many);
  g_free(name);
}

#define ADD(name, function) g_test_add("/store/lock/" name, Case, NULL, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("removed", test_removed);
  ADD("always-removed", test_always_removed);
  ADD("refused", test_refused);
  ADD("unwritten", test_unwritten);
  ADD("mode", test_mode);
  ADD("held", test_held);
  return g_test_run();
}
