/* SPDX-License-Identifier: MIT */
/* flock on a file beside the session: it ends with the process, however that ends, and needs
 * neither a clock nor a table of processes. Who locks must look again whether the file still has
 * its name: its owner removes it. */
#include "io/store/store_lock.h"

#include "io/base/file.h"
#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "io/store/store_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct AioLock {
  int fd;
  char *path;
};

/* MAX_TRIES: somebody removes the lock each time that it is taken. MAX_LOCK: a program, a host
 * (HOST_NAME_MAX is 64) and two numbers. */
enum { MAX_OWNER = 200, MAX_TRIES = 1000, MAX_LOCK = 1000 };

/* What this process writes, in whichever thread. */
static GMutex mine_lock;
static GSList *mine; /* of AioLock */

static void remember(AioLock *lock) {
  g_mutex_lock(&mine_lock);
  mine = g_slist_prepend(mine, lock);
  g_mutex_unlock(&mine_lock);
}

static void forget(AioLock *lock) {
  g_mutex_lock(&mine_lock);
  mine = g_slist_remove(mine, lock);
  g_mutex_unlock(&mine_lock);
}

bool aio_lock_is_mine(const char *path) {
  char *lock_path = g_strconcat(path, ".lock", NULL);
  bool is_mine = false;
  g_mutex_lock(&mine_lock);
  for (const GSList *link = mine; link; link = link->next)
    is_mine = is_mine || strcmp(((const AioLock *)link->data)->path, lock_path) == 0;
  g_mutex_unlock(&mine_lock);
  g_free(lock_path);
  return is_mine;
}

static void fail(const char *path, int saved, GError **error) {
  const AioErrorCode code = aio_sql_code_of_errno(saved);
  char *found = aio_said(
      N_("cannot lock it for writing: %s%s"), g_strerror(saved),
      code == AIO_ERROR_PERMISSION
          ? aio_said_word(N_("; open it for reading, or copy it to a folder you may write"))
          : "");
  aio_error_set_file_said(error, code, path, found);
  g_free(found);
}

static void tell_owner(const char *path, int fd, GError **error) {
  char owner[MAX_OWNER];
  const gssize got = pread(fd, owner, MAX_OWNER, 0);
  char *valid = g_strchomp(g_utf8_make_valid(owner, MAX(got, 0)));
  char *found = aio_said(N_("is being recorded to by %s; close it there, or open it for reading"),
                         *valid ? aio_said_plain(valid) : aio_said_word(N_("another program")));
  aio_error_set_file_said(error, AIO_ERROR_BUSY, path, found);
  g_free(found);
  g_free(valid);
}

static bool write_owner(int fd, const char *program) {
  GDateTime *now = g_date_time_new_now_utc();
  char *since = g_date_time_format_iso8601(now);
  char *owner = g_strdup_printf("%s (process %ld on %s, since %s)\n", program, (long)getpid(),
                                g_get_host_name(), since);
  const gsize n = strlen(owner);
  const bool is_written = ftruncate(fd, 0) == 0 && pwrite(fd, owner, n, 0) == (gssize)n;
  g_free(owner);
  g_free(since);
  g_date_time_unref(now);
  return is_written;
}

/* The owner removes the file before it unlocks: what was locked may have no name any more. */
static bool is_still_named(int fd, const char *path) {
  struct stat locked, named;
  return fstat(fd, &locked) == 0 && lstat(path, &named) == 0 && locked.st_dev == named.st_dev &&
         locked.st_ino == named.st_ino;
}

/* Of what somebody else has given this name not a byte is changed. What the power cut while it was
 * written is empty, or zeros. */
static bool is_own(int fd) {
  char text[MAX_LOCK + 1] = "";
  const gssize n = pread(fd, text, sizeof text - 1, 0);
  struct stat info;
  if (n < 0 || fstat(fd, &info) != 0 || info.st_size > MAX_LOCK)
    return false;
  const char *process = strstr(text, " (process "), *since = strstr(text, ", since ");
  const bool is_line = n > 0 && strchr(text, '\n') == text + n - 1 && g_str_has_suffix(text, ")\n");
  bool is_blank = true;
  for (gssize k = 0; k < n; k++)
    is_blank = is_blank && !text[k];
  return is_blank || (is_line && process && since && process < since);
}

static bool check_own(int fd, const char *lock_path, const char *path, GError **error) {
  if (!aio_file_check_own(fd, lock_path, path, error))
    return false;
  if (is_own(fd))
    return true;
  char *visible = aio_text_visible(path, false);
  char *said = aio_said(
      N_("is not this program's lock of %s, though it stands beside it as such; nothing was "
         "changed; move it to another folder or give it another name"),
      visible);
  aio_error_set_file_said(error, AIO_ERROR_REFUSED, lock_path, said);
  g_free(said);
  g_free(visible);
  return false;
}

/* -1: error set. What stands there already may be anything: it is opened without following or
 * waiting, and looked at before anything of it is changed. */
static int lock_file(const char *path, const char *lock_path, GError **error) {
  for (int left = MAX_TRIES; left > 0; left--) {
    const int fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0) {
      const int refused = errno;
      if (aio_file_check_beside(path, ".lock", error))
        fail(path, refused, error);
      return -1;
    }
    const bool is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    const int saved = errno;
    if (is_locked && is_still_named(fd, lock_path)) {
      if (check_own(fd, lock_path, path, error))
        return fd;
      close(fd);
      return -1;
    }
    if (!is_locked && saved == EWOULDBLOCK)
      tell_owner(path, fd, error);
    else if (!is_locked)
      fail(path, saved, error);
    close(fd);
    if (!is_locked)
      return -1;
  }
  fail(path, EAGAIN, error);
  return -1;
}

AioLock *aio_lock_take(const char *path, const char *program, GError **error) {
  char *lock_path = g_strconcat(path, ".lock", NULL);
  const int fd = lock_file(path, lock_path, error);
  AioLock *lock = NULL;
  if (fd >= 0) {
    lock = g_new(AioLock, 1);
    *lock = (AioLock){.fd = fd, .path = lock_path};
    remember(lock);
    if (write_owner(fd, program))
      return lock;
    fail(path, errno, error);
    aio_lock_release(lock);
    return NULL;
  }
  g_free(lock_path);
  return NULL;
}

void aio_lock_release(AioLock *lock) {
  if (!lock)
    return;
  forget(lock);
  if (is_still_named(lock->fd, lock->path))
    unlink(lock->path);
  close(lock->fd);
  g_free(lock->path);
  g_free(lock);
}
