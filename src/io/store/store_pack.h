/* SPDX-License-Identifier: MIT */
/* Many chunks of one run as one block of bytes, a third to a sixth of their size: a column for each
 * quantity of each joint, differences of integers or of the bits of a double, their bytes sorted by
 * place, all of it deflated; the layout is told in docs/session-file.md. Loses nothing: the chunks
 * that come out are those that went in, with their ends, to the last bit.
 *
 * What a block inflates to follows from its header, which is bounded: AIO_PACK_ROOM samples of
 * ARM_MAX_JOINTS joints take 2 MB. Not a byte more is inflated.
 */
#ifndef ARMATURE_IO_STORE_PACK_H
#define ARMATURE_IO_STORE_PACK_H

#include <glib.h>

#include "io/acquire/chunk.h"

/* Samples, and therefore chunks, in a pack. */
enum { AIO_PACK_ROOM = 2048, AIO_PACK_HEADER = 32 };

/* Chunks that follow one another, of as many joints each, with 1 .. AIO_PACK_ROOM samples together.
 * NULL: they are not. Free with g_byte_array_unref. */
GByteArray *aio_pack_encode(AioChunk *const *chunks, guint count);

/* A pack that is read. */
typedef struct AioPack AioPack;

/* Any bytes, which are not needed afterwards. NULL: not a pack, and `why` says what is wrong with
 * it (static text). */
AioPack *aio_pack_open(const guint8 *bytes, gsize n, const char **why);
void aio_pack_free(AioPack *pack); /* NULL allowed */

guint aio_pack_chunks(const AioPack *pack);
guint aio_pack_samples(const AioPack *pack);
/* Of its first sample. */
guint64 aio_pack_first_index(const AioPack *pack);
guint64 aio_pack_t0_us(const AioPack *pack);

/* The next chunk, with no more room than it needs; NULL: there was none left. */
AioChunk *aio_pack_next(AioPack *pack);

#endif
