/* SPDX-License-Identifier: MIT */
/* Bytes deflated and inflated (zlib's format, by GIO), the latter up to a size that is known
 * before. Private to the store_*.c files. */
#ifndef ARMATURE_IO_STORE_DEFLATE_H
#define ARMATURE_IO_STORE_DEFLATE_H

#include <glib.h>
#include <stdbool.h>

/* Appends to `out`. */
void aio_deflate(const guint8 *bytes, gsize n, GByteArray *out);

/* false: they are not deflated bytes that become exactly `size`, with nothing behind them. Writes
 * to `out`, which has room for size + 1, no more than that, whatever they would become. */
bool aio_inflate(const guint8 *bytes, gsize n, guint8 *out, gsize size);

#endif
