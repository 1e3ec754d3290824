/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stdbool.h>

#include "io/acquire/chunk.h"

static AioSample sample_at(guint64 t_us) {
  AioSample sample = {.t_us = t_us, .flags = AIO_SAMPLE_ARMED, .motion = 7, .joint = 2};
  for (guint j = 0; j < ARM_MAX_JOINTS; j++) {
    sample.q[j] = (double)t_us + 0.1 * j;
    sample.qd[j] = -sample.q[j];
    sample.current[j] = 2 * sample.q[j];
    sample.joint_flags[j] = (guint16)(t_us + j);
  }
  return sample;
}

/* Sample k is that of 100 + k us. */
static void check_values(const AioChunk *chunk, guint joints, guint n) {
  g_assert_cmpuint(chunk->first_index, ==, 1000);
  g_assert_cmpuint(chunk->joints, ==, joints);
  g_assert_cmpuint(chunk->n, ==, n);
  for (guint k = 0; k < n; k++) {
    const AioSample sample = sample_at(100 + k);
    g_assert_cmpuint(chunk->t_us[k], ==, sample.t_us);
    g_assert_cmpint(chunk->t_host_ns[k], ==, 5 * k);
    g_assert_cmpuint(chunk->flags[k], ==, AIO_SAMPLE_ARMED);
    g_assert_cmpuint(chunk->motion[k], ==, 7);
    g_assert_cmpuint(chunk->joint[k], ==, 2);
    for (guint j = 0; j < joints; j++) {
      g_assert_cmpfloat(chunk->q[k * joints + j], ==, sample.q[j]);
      g_assert_cmpfloat(chunk->qd[k * joints + j], ==, sample.qd[j]);
      g_assert_cmpfloat(chunk->current[k * joints + j], ==, sample.current[j]);
      g_assert_cmpuint(chunk->joint_flags[k * joints + j], ==, sample.joint_flags[j]);
    }
  }
}

static AioChunk *filled(guint joints, guint n) {
  AioChunk *chunk = aio_chunk_new(joints, 1000);
  for (guint k = 0; k < n; k++) {
    const AioSample sample = sample_at(100 + k);
    g_assert_true(aio_chunk_push(chunk, &sample, 5 * k));
  }
  return chunk;
}

static void test_values(void) {
  for (guint joints = 0; joints <= ARM_MAX_JOINTS; joints++) {
    AioChunk *chunk = filled(joints, AIO_CHUNK_ROOM);
    const AioSample one_more = sample_at(100 + AIO_CHUNK_ROOM);
    g_assert_false(aio_chunk_push(chunk, &one_more, 0));
    check_values(chunk, joints, AIO_CHUNK_ROOM);
    aio_chunk_unref(chunk);
  }
  aio_chunk_unref(NULL);
}

static void test_packed(void) {
  static const guint sizes[] = {0, 1, 2, 20, AIO_CHUNK_ROOM};
  for (guint joints = 0; joints <= ARM_MAX_JOINTS; joints++)
    for (guint size = 0; size < G_N_ELEMENTS(sizes); size++) {
      AioChunk *chunk = filled(joints, sizes[size]);
      chunk->lost = 3;
      chunk = aio_chunk_pack(chunk);
      check_values(chunk, joints, sizes[size]);
      g_assert_cmpuint(chunk->lost, ==, 3);
      aio_chunk_unref(chunk);
    }
}

static void test_span(void) {
  AioChunk *chunk = aio_chunk_new(1, 0);
  const AioSample first = sample_at(5000), last = sample_at(5000 + AIO_CHUNK_SPAN_US - 1),
                  late = sample_at(5000 + AIO_CHUNK_SPAN_US), early = sample_at(4999);
  g_assert_true(aio_chunk_push(chunk, &first, 0));
  g_assert_true(aio_chunk_push(chunk, &first, 0)); /* time may repeat */
  g_assert_true(aio_chunk_push(chunk, &last, 0));
  g_assert_false(aio_chunk_push(chunk, &late, 0));
  g_assert_false(aio_chunk_push(chunk, &early, 0)); /* time ran back */
  g_assert_cmpuint(chunk->n, ==, 3);
  aio_chunk_unref(chunk);
}

static void test_gaps(void) {
  AioChunk *chunk = aio_chunk_new(1, 0);
  AioSample sample = sample_at(1);
  sample.lost = 3;
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  sample.lost = 0;
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  sample.lost = 2;
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  g_assert_cmpuint(chunk->lost, ==, 5);
  g_assert_cmpuint(chunk->flags[0], ==, AIO_SAMPLE_ARMED | AIO_SAMPLE_GAP);
  g_assert_cmpuint(chunk->flags[1], ==, AIO_SAMPLE_ARMED);
  g_assert_cmpuint(chunk->flags[2], ==, AIO_SAMPLE_ARMED | AIO_SAMPLE_GAP);
  aio_chunk_unref(chunk);
}

/* Each thread takes and drops references of chunks that the others hold, and reads them; the last
 * one, whoever it is, frees them. A counter that is not atomic frees too early or never. */
enum { HOLDERS = 4, SHARED = 4, TURNS = 300000 };

static gint ready;

static gpointer hold(gpointer data) {
  AioChunk **chunks = data;
  g_atomic_int_inc(&ready);
  while (g_atomic_int_get(&ready) < HOLDERS)
    ; /* at once and awake, or a counter that is not atomic would pass */
  double sum = 0;
  for (guint turn = 0; turn < TURNS; turn++)
    for (guint k = 0; k < SHARED; k++) {
      AioChunk *mine = aio_chunk_ref(chunks[k]);
      sum += mine->q[0];
      aio_chunk_unref(mine);
    }
  for (guint k = 0; k < SHARED; k++)
    aio_chunk_unref(chunks[k]);
  g_assert_cmpfloat(sum, ==, TURNS * (SHARED * (SHARED - 1) / 2.0));
  return NULL;
}

static void test_references(void) {
  AioChunk *chunks[SHARED];
  GThread *threads[HOLDERS];
  for (guint k = 0; k < SHARED; k++) {
    const AioSample sample = sample_at(k);
    chunks[k] = aio_chunk_new(6, 0);
    g_assert_true(aio_chunk_push(chunks[k], &sample, 0));
    for (guint holder = 1; holder < HOLDERS; holder++)
      aio_chunk_ref(chunks[k]);
  }
  for (guint holder = 0; holder < HOLDERS; holder++)
    threads[holder] = g_thread_new("holder", hold, chunks);
  for (guint holder = 0; holder < HOLDERS; holder++)
    g_thread_join(threads[holder]);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/chunk/values", test_values);
  g_test_add_func("/chunk/packed", test_packed);
  g_test_add_func("/chunk/span", test_span);
  g_test_add_func("/chunk/gaps", test_gaps);
  g_test_add_func("/chunk/references", test_references);
  return g_test_run();
}
