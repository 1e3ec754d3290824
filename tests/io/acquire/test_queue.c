/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <poll.h>
#include <stdbool.h>

#include "io/acquire/queue.h"

static AioChunk *chunk_of(guint64 index, guint n) {
  AioChunk *chunk = aio_chunk_new(1, index);
  for (guint k = 0; k < n; k++) {
    const AioSample sample = {.t_us = index + k};
    g_assert_true(aio_chunk_push(chunk, &sample, 0));
  }
  return chunk;
}

static bool push_new(AioQueue *queue, guint64 index, guint n) {
  AioChunk *chunk = chunk_of(index, n);
  const bool is_kept = aio_queue_push(queue, chunk);
  aio_chunk_unref(chunk);
  return is_kept;
}

static guint64 pop_index(AioQueue *queue) {
  AioChunk *chunk = aio_queue_pop(queue);
  g_assert_nonnull(chunk);
  const guint64 index = chunk->first_index;
  aio_chunk_unref(chunk);
  return index;
}

static AioQueue *queue_new(guint capacity, AioQueuePolicy policy) {
  GError *error = NULL;
  AioQueue *queue = aio_queue_new("recorder", capacity, policy, &error);
  g_assert_no_error(error);
  return queue;
}

static bool is_readable(AioQueue *queue) {
  struct pollfd event = {.fd = aio_queue_fd(queue), .events = POLLIN};
  return poll(&event, 1, 0) == 1;
}

static void assert_counters(AioQueue *queue, guint depth, guint64 pushed, guint64 taken,
                            guint64 dropped, guint64 samples_dropped) {
  AioQueueCounters counters;
  aio_queue_counters(queue, &counters);
  g_assert_cmpstr(counters.name, ==, "recorder");
  g_assert_cmpuint(counters.depth, ==, depth);
  g_assert_cmpuint(counters.pushed, ==, pushed);
  g_assert_cmpuint(counters.taken, ==, taken);
  g_assert_cmpuint(counters.dropped, ==, dropped);
  g_assert_cmpuint(counters.samples_dropped, ==, samples_dropped);
  g_assert_cmpuint(counters.pushed, ==, counters.taken + counters.dropped + counters.depth);
}

static void test_keep_oldest(void) {
  AioQueue *queue = queue_new(3, AIO_QUEUE_KEEP_OLDEST);
  for (guint k = 0; k < 5; k++)
    g_assert_true(push_new(queue, k, 10 + k) == (k < 3));
  assert_counters(queue, 3, 5, 0, 2, 13 + 14);
  for (guint k = 0; k < 3; k++)
    g_assert_cmpuint(pop_index(queue), ==, k);
  g_assert_null(aio_queue_pop(queue));
  assert_counters(queue, 0, 5, 3, 2, 27);
  aio_queue_unref(queue);
}

static void test_keep_newest(void) {
  AioQueue *queue = queue_new(3, AIO_QUEUE_KEEP_NEWEST);
  for (guint k = 0; k < 5; k++)
    g_assert_true(push_new(queue, k, 10 + k) == (k < 3));
  assert_counters(queue, 3, 5, 0, 2, 10 + 11);
  for (guint k = 2; k < 5; k++)
    g_assert_cmpuint(pop_index(queue), ==, k);
  g_assert_null(aio_queue_pop(queue));
  aio_queue_unref(queue);
}

static void test_wake_up(void) {
  for (AioQueuePolicy policy = AIO_QUEUE_KEEP_OLDEST; policy <= AIO_QUEUE_KEEP_NEWEST; policy++) {
    AioQueue *queue = queue_new(1, policy);
    g_assert_false(is_readable(queue));
    g_assert_false(aio_queue_wait(queue, 0));
    for (guint k = 0; k < 3; k++)
      push_new(queue, k, 1);
    g_assert_true(is_readable(queue));
    g_assert_true(aio_queue_wait(queue, -1));
    g_assert_cmpuint(pop_index(queue), ==, policy == AIO_QUEUE_KEEP_OLDEST ? 0 : 2);
    g_assert_false(is_readable(queue));
    aio_queue_unref(queue);
  }
}

static void test_close(void) {
  AioQueue *queue = queue_new(4, AIO_QUEUE_KEEP_OLDEST);
  push_new(queue, 0, 1);
  aio_queue_close(queue);
  aio_queue_close(queue);
  push_new(queue, 1, 1);
  g_assert_false(aio_queue_is_finished(queue));
  g_assert_cmpuint(pop_index(queue), ==, 0);
  g_assert_true(aio_queue_is_finished(queue));
  g_assert_true(is_readable(queue)); /* whoever waits is told that nothing comes any more */
  g_assert_false(aio_queue_wait(queue, -1));
  assert_counters(queue, 0, 1, 1, 0, 0);
  aio_queue_unref(queue);
}

static void test_unref_frees(void) {
  AioQueue *queue = queue_new(4, AIO_QUEUE_KEEP_OLDEST);
  for (guint k = 0; k < 4; k++)
    push_new(queue, k, 1);
  aio_queue_unref(aio_queue_ref(queue));
  aio_queue_unref(queue); /* the leak checker looks at the chunks */
  aio_queue_unref(NULL);
}

/* ---- a producer that is faster than its consumer ---- */

enum { CHUNKS = 20000 };

static gpointer produce(gpointer data) {
  AioQueue *queue = data;
  for (guint k = 0; k < CHUNKS; k++)
    push_new(queue, k, 1 + k % 3);
  aio_queue_close(queue);
  return NULL;
}

static void test_threads(gconstpointer data) {
  AioQueue *queue = queue_new(16, (AioQueuePolicy)GPOINTER_TO_INT(data));
  GThread *producer = g_thread_new("producer", produce, aio_queue_ref(queue));
  guint64 taken = 0, samples = 0, next = 0;
  while (!aio_queue_is_finished(queue)) {
    aio_queue_wait(queue, -1);
    for (AioChunk *chunk; (chunk = aio_queue_pop(queue)); aio_chunk_unref(chunk)) {
      g_assert_cmpuint(chunk->first_index, >=, next);
      next = chunk->first_index + 1;
      taken++;
      samples += chunk->n;
      if (taken % 64 == 0)
        g_usleep(200);
    }
  }
  g_thread_join(producer);
  AioQueueCounters counters;
  aio_queue_counters(queue, &counters);
  g_test_message("%" G_GUINT64_FORMAT " of %d chunks taken", taken, CHUNKS);
  g_assert_cmpuint(counters.pushed, ==, CHUNKS);
  g_assert_cmpuint(counters.taken, ==, taken);
  g_assert_cmpuint(counters.taken + counters.dropped, ==, CHUNKS);
  g_assert_cmpuint(counters.dropped, >, 0);
  g_assert_cmpuint(samples + counters.samples_dropped, ==, CHUNKS / 3 * 6 + 1 + 2);
  g_assert_cmpuint(counters.deepest, ==, 16);
  aio_queue_unref(queue);
  aio_queue_unref(queue);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/queue/keep-oldest", test_keep_oldest);
  g_test_add_func("/queue/keep-newest", test_keep_newest);
  g_test_add_func("/queue/wake-up", test_wake_up);
  g_test_add_func("/queue/close", test_close);
  g_test_add_func("/queue/unref", test_unref_frees);
  g_test_add_data_func("/queue/threads/keep-oldest", GINT_TO_POINTER(AIO_QUEUE_KEEP_OLDEST),
                       test_threads);
  g_test_add_data_func("/queue/threads/keep-newest", GINT_TO_POINTER(AIO_QUEUE_KEEP_NEWEST),
                       test_threads);
  return g_test_run();
}
