/* SPDX-License-Identifier: MIT */
/* A temporary file without a name: it is gone with its descriptor, however the program ends. */
#ifndef ARMATURE_IO_TEMPORARY_H
#define ARMATURE_IO_TEMPORARY_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

/* An empty file in g_get_tmp_dir(); close it. -1: AIO_ERROR_IO. */
int aio_temporary_open(GError **error);

/* Writes at where `fd` stands. false: AIO_ERROR_IO. */
bool aio_temporary_write(int fd, const void *bytes, gsize size, GError **error);

/* Reads `size` bytes from `at` on, wherever `fd` stands. false: AIO_ERROR_IO. */
bool aio_temporary_read(int fd, goffset at, void *bytes, gsize size, GError **error);

/* Takes `size` bytes of the disk for an empty file, so that none of them can be missing when it is
 * mapped and written to. false: AIO_ERROR_IO, of a full disk with what is free. */
bool aio_temporary_reserve(int fd, gsize size, GError **error);

/* "a temporary file in /tmp: cannot DOING: why"; returns false. */
bool aio_temporary_fail(GError **error, const char *doing);

#endif
