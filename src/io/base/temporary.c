/* SPDX-License-Identifier: MIT */
#include "io/base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool aio_temporary_fail(GError **error, const char *doing) {
  g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "a temporary file in %s: cannot %s: %s",
              g_get_tmp_dir(), doing, g_strerror(errno));
  return false;
}

int aio_temporary_open(GError **error) {
  char *path = g_build_filename(g_get_tmp_dir(), "armature.XXXXXX", NULL);
  const int fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    unlink(path);
  else
    aio_temporary_fail(error, "create");
  g_free(path);
  return fd;
}

bool aio_temporary_write(int fd, const void *bytes, gsize size, GError **error) {
  const char *at = bytes;
  while (size > 0) {
    const ssize_t put = write(fd, at, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return aio_temporary_fail(error, "write");
    at += put;
    size -= (gsize)put;
  }
  return true;
}

bool aio_temporary_read(int fd, goffset at, void *bytes, gsize size, GError **error) {
  char *to = bytes;
  while (size > 0) {
    const ssize_t got = pread(fd, to, size, at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      errno = got == 0 ? ENODATA : errno;
      return aio_temporary_fail(error, "read");
    }
    to += got;
    at += got;
    size -= (gsize)got;
  }
  return true;
}

static void fail_full(int fd, gsize size, GError **error) {
  struct statvfs info;
  double found = 0;
  if (ftruncate(fd, 0) == 0 && fstatvfs(fd, &info) == 0) /* with what was taken until it was full */
    found = (double)info.f_bavail * (double)info.f_frsize;
  g_set_error(error, AIO_ERROR, AIO_ERROR_IO,
              "a temporary file in %s: expected %.0f MB free, found %.0f MB; free some space, or "
              "name another folder in TMPDIR",
              g_get_tmp_dir(), ceil((double)size / 1e6), floor(found / 1e6));
}

bool aio_temporary_reserve(int fd, gsize size, GError **error) {
  do
    errno = posix_fallocate(fd, 0, (off_t)size);
  while (errno == EINTR); /* of /tmp in memory it gives up at any signal */
  if (errno == 0)
    return true;
  if (errno != ENOSPC)
    return aio_temporary_fail(error, "write");
  fail_full(fd, size, error);
  return false;
}
