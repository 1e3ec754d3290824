/* SPDX-License-Identifier: MIT */
/* What stands beside a session by its name, and whether it is the session's own; private to the
 * store_*.c files. `path` is the session's, resolved. Nothing is changed. false: AIO_ERROR_REFUSED
 * names both files and what helps; or a file cannot be read: AIO_ERROR_IO, AIO_ERROR_PERMISSION,
 * with the system's reason. */
#ifndef ARMATURE_IO_STORE_BESIDE_H
#define ARMATURE_IO_STORE_BESIDE_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

/* Of PATH + SUFFIX in bytes; -1: there is none. */
goffset aio_beside_size(const char *path, const char *suffix);

/* Of a session that is to be made: neither it nor a log or journal of that name is there, else
 * false with AIO_ERROR_EXISTS. */
bool aio_beside_check_free(const char *path, GError **error);

/* No link, pipe, ... that SQLite would follow, write to or wait for. */
bool aio_beside_check_kind(const char *path, GError **error);

/* A rollback journal that SQLite would play back, or an empty one. Also when there is none. */
bool aio_beside_check_journal(const char *path, GError **error);

/* By how PATH-wal begins, without a look at `path` itself: true, too, if it is empty, or cannot be
 * read, or is not there. */
bool aio_beside_may_be_log(const char *path);

/* A log that continues this file, and no other session's, nor an earlier state. Also when there is
 * none, or an empty one. Too: what a reading of the two reports (io/store/store_sql.h).
 * Where the two are to be read, and while nobody but their writer changes them. */
bool aio_beside_check_log(const char *path, GError **error);

#endif
