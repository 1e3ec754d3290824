/* SPDX-License-Identifier: MIT */
/* The rows of a recording as text, out of chunks that are read twice and never together in memory:
 * the text of aio_recording_to_csv, of aio_recording_from_chunks of each connection, put together
 * by aio_recording_append.
 */
#ifndef ARMATURE_IO_RECORDING_ROWS_H
#define ARMATURE_IO_RECORDING_ROWS_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/acquire/chunk.h"

typedef struct AioRows AioRows;

/* name  how messages call the recording */
AioRows *aio_rows_new(const char *name, const ArmModel *model);
void aio_rows_free(AioRows *rows); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioRows, aio_rows_free)

/* ---- the first reading: which columns and rows there are, and where each connection's time goes
 * ---- */

/* The next chunk of the connection. */
void aio_rows_count(AioRows *rows, const AioChunk *chunk);
/* The connection has ended; nothing when it had no chunk. false: as aio_recording_from_chunks
 * reports it of these chunks; AIO_ERROR_IO, a temporary file. */
bool aio_rows_end_connection(AioRows *rows, GError **error);

/* Of all connections that have ended. */
gsize aio_rows_total(const AioRows *rows);
/* How many samples make no row; as aio_recording_chunks_unordered. */
gsize aio_rows_unordered(const AioRows *rows);

/* ---- the second reading, of the same chunks ---- */

void aio_rows_append_header(const AioRows *rows, GString *text);
/* Appends the rows of a chunk. */
void aio_rows_append(AioRows *rows, const AioChunk *chunk, GString *text);
void aio_rows_next_connection(AioRows *rows);

#endif
