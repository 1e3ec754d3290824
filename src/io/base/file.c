/* SPDX-License-Identifier: MIT */
/* Temporary in the same directory, fsync, rename, fsync of the directory: after a power cut there
 * is the old file or the new one. Whether a name is free is for the kernel to decide, not for a
 * check before it. */
#include "io/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_errno(const char *path, const char *doing, int saved, GError **error) {
  AioErrorCode code = saved == ENOENT   ? AIO_ERROR_NOT_FOUND
                      : saved == EEXIST ? AIO_ERROR_EXISTS
                      : saved == EACCES ? AIO_ERROR_PERMISSION
                                        : AIO_ERROR_IO;
  if (saved == EEXIST)
    g_set_error(error, AIO_ERROR, (gint)code, "%s: exists; use --force", path);
  else
    g_set_error(error, AIO_ERROR, (gint)code, "%s: cannot %s: %s", path, doing, g_strerror(saved));
  return false;
}

static void fail_size(const char *path, gsize max_bytes, GError **error) {
  g_set_error(error, AIO_ERROR, AIO_ERROR_TOO_LARGE,
              "%s: expected at most %" G_GSIZE_FORMAT " bytes, found more", path, max_bytes);
}

/* Reads until end of file: fstat says what is too much, but not what it is (it may grow, or be 0 as
 * in /proc). */
static char *read_up_to(int fd, const char *path, gsize max_bytes, gsize *length, GError **error) {
  struct stat info;
  guint8 part[1 << 16];
  if (fstat(fd, &info) == 0 && info.st_size > 0 && (guint64)info.st_size > max_bytes) {
    fail_size(path, max_bytes, error);
    return NULL;
  }
  GByteArray *bytes = g_byte_array_new();
  for (;;) {
    ssize_t got = read(fd, part, sizeof part);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      fail_errno(path, "read", errno, error);
      break;
    }
    if ((gsize)got > max_bytes - bytes->len) {
      fail_size(path, max_bytes, error);
      break;
    }
    if (got == 0) {
      *length = bytes->len;
      g_byte_array_append(bytes, (const guint8 *)"", 1);
      return (char *)g_byte_array_free(bytes, FALSE);
    }
    g_byte_array_append(bytes, part, (guint)got);
  }
  g_byte_array_free(bytes, TRUE);
  return NULL;
}

static const char *special_text(const struct stat *info) {
  return S_ISDIR(info->st_mode) ? "a directory" : "a device, pipe or socket";
}

static bool is_regular(int fd, const char *path, GError **error) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return fail_errno(path, "open", errno, error);
  if (!S_ISREG(info.st_mode))
    aio_error_set_at(error, AIO_ERROR_IO, path, 0, 0, NULL, "a regular file", special_text(&info));
  return S_ISREG(info.st_mode);
}

int aio_file_open(const char *path, GError **error) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    fail_errno(path, "open", errno, error);
    return -1;
  }
  if (is_regular(fd, path, error))
    return fd;
  close(fd);
  return -1;
}

gssize aio_file_read(int fd, const char *path, void *bytes, gsize size, GError **error) {
  gsize have = 0;
  while (have < size) {
    const ssize_t got = read(fd, (char *)bytes + have, size - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      fail_errno(path, "read", errno, error);
      return -1;
    }
    if (got == 0)
      break;
    have += (gsize)got;
  }
  return (gssize)have;
}

char *aio_file_read_all(const char *path, gsize max_bytes, gsize *length, GError **error) {
  const int fd = aio_file_open(path, error);
  if (fd < 0)
    return NULL;
  char *bytes = read_up_to(fd, path, MIN(max_bytes, (gsize)G_MAXINT - 1), length, error);
  close(fd);
  return bytes;
}

/* ---- what stands beside a file ---- */

static const char *strange_text(const struct stat *info, const char *session) {
  struct stat main;
  if (S_ISLNK(info->st_mode))
    return "a symbolic link";
  if (!S_ISREG(info->st_mode))
    return special_text(info);
  if (info->st_nlink > 1)
    return "a file that has another name too (hard link)";
  const bool is_known =
      info->st_uid == geteuid() || (stat(session, &main) == 0 && main.st_uid == info->st_uid);
  return is_known ? NULL : "a file of another user";
}

static bool check_own(const struct stat *info, const char *path, const char *session,
                      GError **error) {
  const char *strange = strange_text(info, session);
  if (strange)
    g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED,
                "%s: expected a file of this program's own, found %s, which was not touched; copy "
                "the session alone to an empty folder and open it there",
                path, strange);
  return !strange;
}

bool aio_file_check_own(int fd, const char *path, const char *session, GError **error) {
  struct stat info;
  return fstat(fd, &info) == 0 ? check_own(&info, path, session, error)
                               : fail_errno(path, "open", errno, error);
}

bool aio_file_check_beside(const char *path, const char *suffix, GError **error) {
  struct stat info;
  char *name = g_strconcat(path, suffix, NULL);
  const bool is_there = lstat(name, &info) == 0;
  const bool is_sound = !is_there || check_own(&info, name, path, error);
  g_free(name);
  return is_sound;
}

static bool write_whole(int fd, const char *bytes, gsize length) {
  while (length > 0) {
    ssize_t put = write(fd, bytes, length);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    bytes += put;
    length -= (gsize)put;
  }
  return true;
}

/* A replaced file keeps its permissions; a new one has what the umask left of rw-rw-rw-. */
static bool keep_mode(int fd, const char *path) {
  struct stat info;
  return stat(path, &info) != 0 || fchmod(fd, info.st_mode & 07777) == 0;
}

/* The directory's entry is on disk only after the directory itself is. A file system without
 * fsync on directories (EINVAL) gives no stronger promise; nothing to report. */
static bool sync_directory(const char *path) {
  char *directory = g_path_get_dirname(path);
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_free(directory);
  if (fd < 0)
    return errno == EACCES;
  bool is_synced = fsync(fd) == 0 || errno == EINVAL;
  int saved = errno;
  close(fd);
  errno = saved;
  return is_synced;
}

/* Gives the temporary its final name. Without force the kernel decides atomically whether the name
 * is free; a file system that cannot has a hard link decide, and one without links (EPERM) gets a
 * check and a rename. */
static bool give_name(const char *temporary, const char *path, bool force) {
  if (force)
    return rename(temporary, path) == 0;
  if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  if (link(temporary, path) == 0) {
    unlink(temporary);
    return true;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
    return false;
  if (access(path, F_OK) == 0) {
    errno = EEXIST;
    return false;
  }
  return rename(temporary, path) == 0;
}

static bool sync_file(const char *path) {
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const bool is_synced = fd >= 0 && fsync(fd) == 0;
  const int saved = errno;
  if (fd >= 0)
    close(fd);
  errno = saved;
  return is_synced;
}

bool aio_file_give_name(const char *temporary, const char *path, GError **error) {
  if (!sync_file(temporary))
    return fail_errno(path, "write to disk", errno, error);
  if (!give_name(temporary, path, false))
    return fail_errno(path, "rename the temporary", errno, error);
  return sync_directory(path) || fail_errno(path, "write the directory to disk", errno, error);
}

bool aio_file_may_write(const char *path, bool force, GError **error) {
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
    aio_error_set_at(error, AIO_ERROR_IO, path, 0, 0, NULL, "a regular file to be written",
                     special_text(&info));
    return false;
  }
  return force || lstat(path, &info) != 0 || fail_errno(path, "write", EEXIST, error);
}

struct AioFileWriter {
  char *path, *temporary;
  int fd;
  bool force;
};

static void free_writer(AioFileWriter *writer) {
  g_free(writer->path);
  g_free(writer->temporary);
  g_free(writer);
}

AioFileWriter *aio_file_writer_new(const char *path, bool force, GError **error) {
  if (!aio_file_may_write(path, force, error))
    return NULL;
  char *target = force ? realpath(path, NULL) : NULL;
  AioFileWriter *writer = g_new0(AioFileWriter, 1);
  writer->path = g_strdup(target ? target : path);
  writer->temporary = g_strconcat(writer->path, ".XXXXXX", NULL);
  writer->force = force;
  free(target);
  writer->fd = g_mkstemp_full(writer->temporary, O_RDWR | O_CLOEXEC, 0666);
  if (writer->fd >= 0)
    return writer;
  fail_errno(writer->path, "create a temporary beside it", errno, error);
  free_writer(writer);
  return NULL;
}

bool aio_file_writer_add(AioFileWriter *writer, const char *bytes, gsize length, GError **error) {
  return write_whole(writer->fd, bytes, length) || fail_errno(writer->path, "write", errno, error);
}

void aio_file_writer_drop(AioFileWriter *writer) {
  if (!writer)
    return;
  close(writer->fd);
  unlink(writer->temporary);
  free_writer(writer);
}

bool aio_file_writer_close(AioFileWriter *writer, GError **error) {
  const char *failed = NULL;
  if (!keep_mode(writer->fd, writer->path))
    failed = "set permissions";
  else if (fsync(writer->fd) != 0)
    failed = "write to disk";
  int saved = errno;
  if (close(writer->fd) != 0 && !failed) {
    failed = "write";
    saved = errno;
  }
  if (!failed && !give_name(writer->temporary, writer->path, writer->force)) {
    failed = "rename the temporary";
    saved = errno;
  }
  if (failed)
    unlink(writer->temporary);
  else if (!sync_directory(writer->path)) {
    failed = "write the directory to disk";
    saved = errno;
  }
  const bool is_written = !failed || fail_errno(writer->path, failed, saved, error);
  free_writer(writer);
  return is_written;
}

bool aio_file_write_atomic(const char *path, const char *bytes, gsize length, bool force,
                           GError **error) {
  AioFileWriter *writer = aio_file_writer_new(path, force, error);
  if (!writer)
    return false;
  if (aio_file_writer_add(writer, bytes, length, error))
    return aio_file_writer_close(writer, error);
  aio_file_writer_drop(writer);
  return false;
}
