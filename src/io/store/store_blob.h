/* SPDX-License-Identifier: MIT */
/* A chunk as bytes: little-endian columns behind a header with a CRC-32; the layout is told in
 * docs/session-file.md. Loses nothing: a column of values that all are whole millionths (as the
 * native protocol's are) is kept as 32-bit integers, any other as IEEE doubles, bit for bit. */
#ifndef ARMATURE_IO_STORE_BLOB_H
#define ARMATURE_IO_STORE_BLOB_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/chunk.h"

enum { AIO_BLOB_HEADER = 32 };

/* Free with g_byte_array_unref. */
GByteArray *aio_blob_encode(const AioChunk *chunk);

/* Any bytes. NULL: not a chunk, and `why` says what is wrong with it (static text). */
AioChunk *aio_blob_decode(const guint8 *bytes, gsize n, const char **why);

/* Are all of them whole millionths that a 32-bit integer holds, to the last bit? */
bool aio_blob_are_micro(const double *values, gsize count);
/* That integer, of one that is. */
gint32 aio_blob_micro(double value);

#endif
