/* SPDX-License-Identifier: MIT */
/* A ring under a mutex that is held for a few instructions, with an eventfd that is readable
 * exactly while there is something to take: the consumer needs no thread, and the filler never
 * waits for it. */
#include "io/acquire/queue.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The event descriptor is readable exactly while depth > 0 or is_closed. */
struct AioQueue {
  atomic_uint references;
  int fd;
  AioQueuePolicy policy;
  GMutex lock; /* guards all below */
  AioQueueCounters counters;
  bool is_closed;
  guint first; /* of the ring */
  AioChunk *ring[];
};

AioQueue *aio_queue_new(const char *name, guint capacity, AioQueuePolicy policy, GError **error) {
  g_assert(capacity > 0);
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) {
    aio_error_set_said(error, AIO_ERROR_IO, N_("%s: cannot make an event descriptor: %s"), name,
                       g_strerror(errno));
    return NULL;
  }
  AioQueue *queue = g_malloc0(sizeof *queue + capacity * sizeof *queue->ring);
  atomic_init(&queue->references, 1);
  queue->fd = fd;
  queue->policy = policy;
  g_mutex_init(&queue->lock);
  g_strlcpy(queue->counters.name, name, sizeof queue->counters.name);
  queue->counters.capacity = capacity;
  return queue;
}

AioQueue *aio_queue_ref(AioQueue *queue) {
  atomic_fetch_add_explicit(&queue->references, 1, memory_order_relaxed);
  return queue;
}

void aio_queue_unref(AioQueue *queue) {
  if (!queue || atomic_fetch_sub_explicit(&queue->references, 1, memory_order_acq_rel) != 1)
    return;
  for (AioChunk *chunk; (chunk = aio_queue_pop(queue));)
    aio_chunk_unref(chunk);
  g_mutex_clear(&queue->lock);
  close(queue->fd);
  g_free(queue);
}

static void raise_event(AioQueue *queue) {
  const guint64 one = 1;
  const gssize written = write(queue->fd, &one, sizeof one);
  (void)written; /* cannot fail: the count stays far below its 64 bits */
}

static void clear_event(AioQueue *queue) {
  guint64 count;
  const gssize got = read(queue->fd, &count, sizeof count);
  (void)got; /* was readable, or is cleared already */
}

static AioChunk *take_first(AioQueue *queue) {
  AioChunk *chunk = queue->ring[queue->first];
  queue->first = (queue->first + 1) % queue->counters.capacity;
  queue->counters.depth--;
  return chunk;
}

static void put_last(AioQueue *queue, AioChunk *chunk) {
  AioQueueCounters *counters = &queue->counters;
  queue->ring[(queue->first + counters->depth) % counters->capacity] = aio_chunk_ref(chunk);
  if (counters->depth++ == 0)
    raise_event(queue);
  counters->deepest = MAX(counters->deepest, counters->depth);
}

bool aio_queue_push(AioQueue *queue, AioChunk *chunk) {
  AioChunk *oldest = NULL;
  g_mutex_lock(&queue->lock);
  AioQueueCounters *counters = &queue->counters;
  const bool is_full = !queue->is_closed && counters->depth == counters->capacity;
  if (is_full) {
    oldest = queue->policy == AIO_QUEUE_KEEP_NEWEST ? take_first(queue) : NULL;
    counters->dropped++;
    counters->samples_dropped += oldest ? oldest->n : chunk->n;
  }
  if (!queue->is_closed) {
    counters->pushed++;
    if (!is_full || oldest)
      put_last(queue, chunk);
  }
  g_mutex_unlock(&queue->lock);
  aio_chunk_unref(oldest);
  return !is_full;
}

AioChunk *aio_queue_pop(AioQueue *queue) {
  AioChunk *chunk = NULL;
  g_mutex_lock(&queue->lock);
  if (queue->counters.depth > 0) {
    chunk = take_first(queue);
    queue->counters.taken++;
    if (queue->counters.depth == 0 && !queue->is_closed)
      clear_event(queue);
  }
  g_mutex_unlock(&queue->lock);
  return chunk;
}

int aio_queue_fd(const AioQueue *queue) {
  return queue->fd;
}

bool aio_queue_wait(AioQueue *queue, int timeout_ms) {
  const gint64 end_us = g_get_monotonic_time() + (gint64)timeout_ms * 1000;
  struct pollfd event = {.fd = queue->fd, .events = POLLIN};
  int left_ms = timeout_ms;
  while (poll(&event, 1, left_ms) < 0 && errno == EINTR)
    if (timeout_ms >= 0)
      left_ms = (int)MAX((end_us - g_get_monotonic_time()) / 1000, 0);
  AioQueueCounters counters;
  aio_queue_counters(queue, &counters);
  return counters.depth > 0;
}

void aio_queue_close(AioQueue *queue) {
  g_mutex_lock(&queue->lock);
  if (!queue->is_closed)
    raise_event(queue);
  queue->is_closed = true;
  g_mutex_unlock(&queue->lock);
}

void aio_queue_open(AioQueue *queue) {
  g_mutex_lock(&queue->lock);
  if (queue->is_closed && queue->counters.depth == 0)
    clear_event(queue);
  queue->is_closed = false;
  g_mutex_unlock(&queue->lock);
}

bool aio_queue_is_finished(AioQueue *queue) {
  g_mutex_lock(&queue->lock);
  const bool is_finished = queue->is_closed && queue->counters.depth == 0;
  g_mutex_unlock(&queue->lock);
  return is_finished;
}

void aio_queue_counters(AioQueue *queue, AioQueueCounters *out) {
  g_mutex_lock(&queue->lock);
  *out = queue->counters;
  g_mutex_unlock(&queue->lock);
}
