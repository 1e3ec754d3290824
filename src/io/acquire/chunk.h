/* SPDX-License-Identifier: MIT */
/* A piece of a measurement: up to AIO_CHUNK_ROOM samples of all joints, in SI.
 *
 * A chunk is filled by one thread, then frozen: from then on nobody changes it, and any thread may
 * hold a reference (C11 atomics). Positions [rad or m], speeds [rad/s or m/s], currents [A], joint
 * side.
 */
#ifndef ARMATURE_IO_CHUNK_H
#define ARMATURE_IO_CHUNK_H

#include <glib.h>
#include <stdbool.h>

#include "io/driver/sample.h"

/* 20 ms: what waits at most before it is seen; at 1 kHz that is a third of the room. */
enum { AIO_CHUNK_ROOM = 64, AIO_CHUNK_SPAN_US = 20000 };

/* Arrays of n samples; values of all joints of a sample lie together: q[sample * joints + joint].
 * Read-only once frozen. */
typedef struct {
  guint joints, n;
  guint64 first_index; /* counts the samples of a connection from 0 */
  guint64 lost;        /* samples missing inside and directly before this chunk */
  guint64 *t_us;
  gint64 *t_host_ns; /* device time mapped to CLOCK_MONOTONIC, smooth; see io/acquire/clock_map.h */
  guint16 *flags, *motion;
  guint8 *joint;
  double *q, *qd, *current;
  guint16 *joint_flags;
} AioChunk;

/* An empty chunk with one reference, room for AIO_CHUNK_ROOM samples; never NULL. */
AioChunk *aio_chunk_new(guint joints, guint64 first_index);

/* The same with room for 1 .. AIO_CHUNK_ROOM samples only, which its owner writes into the arrays:
 * aio_chunk_push and aio_chunk_append know nothing of it. */
AioChunk *aio_chunk_new_for(guint joints, guint64 first_index, guint room);

/* Appends; false when it is full, or spans AIO_CHUNK_SPAN_US already: freeze it and take a new one.
 * Only before the chunk is shared. */
bool aio_chunk_push(AioChunk *chunk, const AioSample *sample, gint64 t_host_ns);

/* The same however long it spans: of what is not live nobody waits for. */
bool aio_chunk_append(AioChunk *chunk, const AioSample *sample, gint64 t_host_ns);

/* The same with room for no more than it has: what is frozen may stay in memory for as long as a
 * sweep lasts. Takes the only reference, gives one back. */
AioChunk *aio_chunk_pack(AioChunk *chunk);

AioChunk *aio_chunk_ref(AioChunk *chunk);
void aio_chunk_unref(AioChunk *chunk); /* NULL allowed */

#endif
