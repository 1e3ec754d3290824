/* SPDX-License-Identifier: MIT */
#include "io/acquire/chunk.h"

#include <stdatomic.h>
#include <string.h>

/* The arrays follow in the same allocation, doubles first. */
typedef struct {
  AioChunk chunk;
  atomic_uint references;
} Owned;

enum { PER_SAMPLE = 2 * sizeof(guint64) + 2 * sizeof(guint16) + sizeof(guint8) };

static AioChunk *chunk_new(guint joints, guint64 first_index, gsize room) {
  const gsize values = room * joints;
  const gsize head = (sizeof(Owned) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
  guint8 *memory =
      g_malloc(head + values * (3 * sizeof(double) + sizeof(guint16)) + room * PER_SAMPLE);
  Owned *owned = (Owned *)memory;
  AioChunk *chunk = &owned->chunk;
  *chunk = (AioChunk){.joints = joints, .first_index = first_index};
  chunk->q = (double *)(memory + head);
  chunk->qd = chunk->q + values;
  chunk->current = chunk->qd + values;
  chunk->t_us = (guint64 *)(chunk->current + values);
  chunk->t_host_ns = (gint64 *)(chunk->t_us + room);
  chunk->joint_flags = (guint16 *)(chunk->t_host_ns + room);
  chunk->flags = chunk->joint_flags + values;
  chunk->motion = chunk->flags + room;
  chunk->joint = (guint8 *)(chunk->motion + room);
  atomic_init(&owned->references, 1);
  return chunk;
}

AioChunk *aio_chunk_new(guint joints, guint64 first_index) {
  g_assert(joints <= ARM_MAX_JOINTS);
  return chunk_new(joints, first_index, AIO_CHUNK_ROOM);
}

AioChunk *aio_chunk_new_for(guint joints, guint64 first_index, guint room) {
  g_assert(joints <= ARM_MAX_JOINTS && room >= 1 && room <= AIO_CHUNK_ROOM);
  return chunk_new(joints, first_index, room);
}

AioChunk *aio_chunk_pack(AioChunk *chunk) {
  const gsize n = chunk->n, values = n * chunk->joints;
  AioChunk *packed = chunk_new(chunk->joints, chunk->first_index, n);
  packed->n = chunk->n;
  packed->lost = chunk->lost;
  memcpy(packed->q, chunk->q, values * sizeof *chunk->q);
  memcpy(packed->qd, chunk->qd, values * sizeof *chunk->qd);
  memcpy(packed->current, chunk->current, values * sizeof *chunk->current);
  memcpy(packed->t_us, chunk->t_us, n * sizeof *chunk->t_us);
  memcpy(packed->t_host_ns, chunk->t_host_ns, n * sizeof *chunk->t_host_ns);
  memcpy(packed->joint_flags, chunk->joint_flags, values * sizeof *chunk->joint_flags);
  memcpy(packed->flags, chunk->flags, n * sizeof *chunk->flags);
  memcpy(packed->motion, chunk->motion, n * sizeof *chunk->motion);
  memcpy(packed->joint, chunk->joint, n * sizeof *chunk->joint);
  aio_chunk_unref(chunk);
  return packed;
}

bool aio_chunk_push(AioChunk *chunk, const AioSample *sample, gint64 t_host_ns) {
  /* a time that runs back, after a restart, wraps to a huge span: another chunk as well */
  return !(chunk->n > 0 && sample->t_us - chunk->t_us[0] >= AIO_CHUNK_SPAN_US) &&
         aio_chunk_append(chunk, sample, t_host_ns);
}

bool aio_chunk_append(AioChunk *chunk, const AioSample *sample, gint64 t_host_ns) {
  const guint at = chunk->n, joints = chunk->joints;
  if (at == AIO_CHUNK_ROOM)
    return false;
  chunk->t_us[at] = sample->t_us;
  chunk->t_host_ns[at] = t_host_ns;
  chunk->flags[at] = sample->flags | (sample->lost > 0 ? AIO_SAMPLE_GAP : 0);
  chunk->motion[at] = sample->motion;
  chunk->joint[at] = sample->joint;
  memcpy(chunk->q + (gsize)at * joints, sample->q, joints * sizeof *sample->q);
  memcpy(chunk->qd + (gsize)at * joints, sample->qd, joints * sizeof *sample->qd);
  memcpy(chunk->current + (gsize)at * joints, sample->current, joints * sizeof *sample->current);
  memcpy(chunk->joint_flags + (gsize)at * joints, sample->joint_flags,
         joints * sizeof *sample->joint_flags);
  chunk->lost += sample->lost;
  chunk->n = at + 1;
  return true;
}

AioChunk *aio_chunk_ref(AioChunk *chunk) {
  atomic_fetch_add_explicit(&((Owned *)chunk)->references, 1, memory_order_relaxed);
  return chunk;
}

void aio_chunk_unref(AioChunk *chunk) {
  /* what every holder did with the chunk happens before it is freed */
  if (chunk &&
      atomic_fetch_sub_explicit(&((Owned *)chunk)->references, 1, memory_order_acq_rel) == 1)
    g_free(chunk);
}
