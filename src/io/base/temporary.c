/* SPDX-License-Identifier: MIT */
#include "io/base/temporary.h"

#include <errno.h>
#include <fcntl.h>
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
