/* SPDX-License-Identifier: MIT */
/* Whole files in, whole files out: nothing half-written ever carries the final name. */
#ifndef ARMATURE_IO_FILE_H
#define ARMATURE_IO_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

/* Reads a regular file of at most `max_bytes`. The result is NUL-terminated beyond *length; free
 * with g_free. NULL: AIO_ERROR_NOT_FOUND, AIO_ERROR_TOO_LARGE, AIO_ERROR_IO. */
char *aio_file_read_all(const char *path, gsize max_bytes, gsize *length, GError **error);

/* A descriptor of the regular file at `path`, for reading; never waits, whatever stands there. A
 * symbolic link is followed. -1: AIO_ERROR_NOT_FOUND, AIO_ERROR_PERMISSION, AIO_ERROR_IO ("expected
 * a regular file, found a device, pipe or socket"). */
int aio_file_open(const char *path, GError **error);

/* Reads from where `fd` stands until `size` bytes are there or the file ends. -1: AIO_ERROR_IO.
 *   path  what messages call it */
gssize aio_file_read(int fd, const char *path, void *bytes, gsize size, GError **error);

/* May PATH + SUFFIX, which stands beside the file `path` and will be written, be trusted to be what
 * its name says? true: there is none, or it is a regular file of this name alone, of this user or
 * of the owner of `path`. false: AIO_ERROR_REFUSED, a link, pipe, ... that would lead the writing
 * elsewhere. */
bool aio_file_check_beside(const char *path, const char *suffix, GError **error);

/* The same of an open file; `path` is what messages call it, `session` the file that it belongs to.
 */
bool aio_file_check_own(int fd, const char *path, const char *session, GError **error);

/* May `path` be written? false: AIO_ERROR_IO, what is there is not a regular file (nor a link to
 * one); AIO_ERROR_EXISTS as below. For asking before long work. */
bool aio_file_may_write(const char *path, bool force, GError **error);

/* Writes a temporary in the same directory, fsyncs it, renames it to `path`, fsyncs the directory.
 *   force  overwrite; without it an existing `path` (even one that appears meanwhile) is
 *          AIO_ERROR_EXISTS, "PATH: exists; use --force". A directory, device, pipe or
 *          socket is never replaced: AIO_ERROR_IO
 * On failure (AIO_ERROR_IO, AIO_ERROR_NOT_FOUND, AIO_ERROR_EXISTS) `path` is as it was and the
 * temporary is gone. A symbolic link at `path` is followed, permissions of a replaced file are
 * kept. */
bool aio_file_write_atomic(const char *path, const char *bytes, gsize length, bool force,
                           GError **error);

/* Fsyncs `temporary`, renames it to `path` in the same directory, where nothing stands, and fsyncs
 * the directory. AIO_ERROR_IO, AIO_ERROR_EXISTS: the temporary is still there, but for a directory
 * that cannot be written to disk. */
bool aio_file_give_name(const char *temporary, const char *path, GError **error);

/* The same for a file that is longer than the memory: written piece by piece into the temporary,
 * which has the final name only after aio_file_writer_close. */
typedef struct AioFileWriter AioFileWriter;

/* NULL: as aio_file_write_atomic. */
AioFileWriter *aio_file_writer_new(const char *path, bool force, GError **error);
/* false: AIO_ERROR_IO; the writer is then only good for being dropped. */
bool aio_file_writer_add(AioFileWriter *writer, const char *bytes, gsize length, GError **error);
/* Frees it in any case. false: as aio_file_write_atomic; the temporary is gone. */
bool aio_file_writer_close(AioFileWriter *writer, GError **error);
/* Removes the temporary and frees; NULL allowed. */
void aio_file_writer_drop(AioFileWriter *writer);

#endif
