/* SPDX-License-Identifier: MIT */
/* A bounded queue of chunks between one thread that fills it and one that empties it.
 *
 * Filling never waits for the other thread. A full queue drops chunks, counts them, and says so by
 * the result of aio_queue_push; nothing is lost in silence. The emptying thread waits on
 * aio_queue_fd() with its own poll or g_unix_fd_source_new, or in aio_queue_wait(): one wake-up for
 * all chunks that have come meanwhile.
 */
#ifndef ARMATURE_IO_QUEUE_H
#define ARMATURE_IO_QUEUE_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/chunk.h"
#include "io/base/error.h"

typedef struct AioQueue AioQueue;

/* What a full queue keeps. */
typedef enum {
  AIO_QUEUE_KEEP_OLDEST, /* for a recorder: one gap instead of many */
  AIO_QUEUE_KEEP_NEWEST  /* for a display: what is old is of no use */
} AioQueuePolicy;

/* In chunks: pushed = taken + dropped + depth, at any moment. */
typedef struct {
  char name[32];
  guint capacity, depth, deepest;
  guint64 pushed, taken, dropped;
  guint64 samples_dropped;
} AioQueueCounters;

/* `name` is what statistics and messages call its consumer. One reference.
 * NULL: AIO_ERROR_IO, no descriptor is left. */
AioQueue *aio_queue_new(const char *name, guint capacity, AioQueuePolicy policy, GError **error);
AioQueue *aio_queue_ref(AioQueue *queue);
void aio_queue_unref(AioQueue *queue); /* NULL allowed; the last one frees what is still inside */

/* Adds a reference of its own to the chunk. false: the queue was full and dropped this chunk or its
 * oldest. A chunk for a closed queue is ignored and counted nowhere. */
bool aio_queue_push(AioQueue *queue, AioChunk *chunk);

/* The oldest chunk, a reference of the caller's own; NULL: empty. */
AioChunk *aio_queue_pop(AioQueue *queue);

/* Readable (POLLIN) while the queue holds chunks or is closed. Never read it yourself. */
int aio_queue_fd(const AioQueue *queue);

/* Waits at most timeout_ms (-1: for ever) until there is a chunk to pop. false: there is none, the
 * time is over or the queue is closed. */
bool aio_queue_wait(AioQueue *queue, int timeout_ms);

/* Ends it from either side: nothing more comes in; what is inside can still be popped. */
void aio_queue_close(AioQueue *queue);

/* A closed queue takes chunks again: a recorder outlives the connection that closed its queue. */
void aio_queue_open(AioQueue *queue);

/* Closed and empty. */
bool aio_queue_is_finished(AioQueue *queue);

/* From any thread. */
void aio_queue_counters(AioQueue *queue, AioQueueCounters *out);

#endif
