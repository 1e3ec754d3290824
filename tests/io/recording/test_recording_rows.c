/* SPDX-License-Identifier: MIT */
/* Rows out of chunks that are read twice, against the recording that is put together in memory: the
 * same text and the same messages. */
#include <glib.h>
#include <math.h>

#include "io/recording/recording_chunks.h"
#include "io/recording/recording_rows.h"

enum { JOINTS = 3, ROOM = 8 };

typedef struct {
  AioChunk *chunk[ROOM];
  guint64 connection[ROOM];
  gsize n;
} Chunks;

static ArmModel arm(void) {
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, JOINTS), ==, ARM_OK);
  model.joints[2].type = ARM_JOINT_T;
  return model;
}

/* Times with jitter, every third sample with the time of the one before, every second of these a
 * repetition on purpose. */
static void add_chunk(Chunks *chunks, guint64 connection, guint samples, guint64 t_us, gsize joints,
                      gint step_us) {
  AioChunk *chunk = aio_chunk_new((guint8)joints, 0);
  for (guint k = 0; k < samples; k++) {
    AioSample sample = {.t_us = t_us,
                        .joint = (guint8)(k % (JOINTS + 1)),
                        .flags = k % 6 == 0 && k ? AIO_SAMPLE_REPEATED : 0};
    for (gsize j = 0; j < joints; j++) {
      sample.q[j] = g_test_rand_double_range(-3.0, 3.0);
      sample.qd[j] = j == 1 && connection < 2 ? (double)NAN : g_test_rand_double_range(-1.0, 1.0);
      sample.current[j] = j == 0 || k % 5 == 0 ? (double)NAN : (gint)(t_us % 1000) * 1e-3;
    }
    g_assert_true(aio_chunk_append(chunk, &sample, 0));
    if (k % 3 != 2)
      t_us = (guint64)((gint64)t_us + step_us + (k % 4 == 0));
  }
  chunks->connection[chunks->n] = connection;
  chunks->chunk[chunks->n++] = chunk;
}

static void clear(Chunks *chunks) {
  for (gsize k = 0; k < chunks->n; k++)
    aio_chunk_unref(chunks->chunk[k]);
  chunks->n = 0;
}

/* In memory, a connection after the other. NULL: the error is set. */
static GString *expected_of(const ArmModel *model, const Chunks *chunks, GError **error) {
  AioRecording *all = NULL;
  for (gsize first = 0, end; first < chunks->n; first = end) {
    for (end = first; end < chunks->n && chunks->connection[end] == chunks->connection[first];)
      end++;
    AioRecording *next = aio_recording_from_chunks(
        "s", model, (AioChunk *const *)chunks->chunk + first, end - first, error);
    if (!next) {
      aio_recording_free(all);
      return NULL;
    }
    if (!all) {
      all = next;
      continue;
    }
    g_assert_true(aio_recording_append(all, next, error));
    aio_recording_free(next);
  }
  GString *text = aio_recording_to_csv(all);
  aio_recording_free(all);
  return text;
}

/* What is told to be left out. */
static gsize unordered_of(const Chunks *chunks) {
  gsize unordered = 0;
  for (gsize k = 0; k < chunks->n; k++) {
    gsize here = 0;
    for (guint s = 3; s < chunks->chunk[k]->n; s += 6)
      here++;
    g_assert_cmpuint(aio_recording_chunks_unordered(chunks->chunk + k, 1), ==, here);
    unordered += here;
  }
  return unordered;
}

static GString *found_of(const ArmModel *model, const Chunks *chunks, GError **error) {
  AioRows *rows = aio_rows_new("s", model);
  bool is_good = true;
  for (gsize k = 0; k < chunks->n && is_good; k++) {
    if (k > 0 && chunks->connection[k] != chunks->connection[k - 1])
      is_good = aio_rows_end_connection(rows, error);
    if (is_good)
      aio_rows_count(rows, chunks->chunk[k]);
  }
  is_good = is_good && aio_rows_end_connection(rows, error) && aio_rows_end_connection(rows, error);
  GString *text = is_good ? g_string_new(NULL) : NULL;
  if (is_good)
    aio_rows_append_header(rows, text);
  for (gsize k = 0; k < chunks->n && is_good; k++) {
    if (k > 0 && chunks->connection[k] != chunks->connection[k - 1])
      aio_rows_next_connection(rows);
    aio_rows_append(rows, chunks->chunk[k], text);
  }
  if (is_good) {
    gsize lines = 0;
    for (const char *c = text->str; *c; c++)
      lines += *c == '\n';
    g_assert_cmpuint(lines, ==, aio_rows_total(rows) + 1);
    g_assert_cmpuint(aio_rows_unordered(rows), ==, unordered_of(chunks));
  }
  aio_rows_free(rows);
  return text;
}

static void assert_same(const Chunks *chunks) {
  const ArmModel model = arm();
  GError *a = NULL, *b = NULL;
  GString *expected = expected_of(&model, chunks, &a), *found = found_of(&model, chunks, &b);
  g_assert_cmpstr(a ? a->message : NULL, ==, b ? b->message : NULL);
  g_assert_cmpstr(expected ? expected->str : NULL, ==, found ? found->str : NULL);
  for (GString **text = (GString *[]){expected, found, NULL}; *text; text++)
    g_string_free(*text, TRUE);
  g_clear_error(&a);
  g_clear_error(&b);
}

static void test_one_connection(void) {
  Chunks chunks = {0};
  add_chunk(&chunks, 1, 40, 5000000, JOINTS, 1000);
  assert_same(&chunks);
  add_chunk(&chunks, 1, 37, 9000000, JOINTS, 1003);
  add_chunk(&chunks, 1, 1, 10000000, JOINTS, 0);
  assert_same(&chunks);
  clear(&chunks);
}

/* Later ones begin anew, at other rates; one is of a single row, one goes on by itself. */
static void test_connections(void) {
  Chunks chunks = {0};
  add_chunk(&chunks, 1, 40, 5000000, JOINTS, 1000);
  add_chunk(&chunks, 2, 40, 77, JOINTS, 100003);
  add_chunk(&chunks, 2, 40, 60000077, JOINTS, 100003);
  add_chunk(&chunks, 3, 1, 4, JOINTS, 1);
  add_chunk(&chunks, 4, 30, 4, JOINTS, 333);
  assert_same(&chunks);
  clear(&chunks);
}

static void test_faults(void) {
  Chunks chunks = {0};
  add_chunk(&chunks, 1, 20, 5000000, JOINTS, 1000);
  add_chunk(&chunks, 1, 20, 4000000, JOINTS, 1000);
  add_chunk(&chunks, 1, 20, 4000000, JOINTS - 1, 1000);
  assert_same(&chunks);
  clear(&chunks);
  add_chunk(&chunks, 1, 20, 5000000, JOINTS, 1000);
  add_chunk(&chunks, 2, 20, 5000000, JOINTS, 1000);
  add_chunk(&chunks, 2, 20, 6000000, JOINTS - 1, 1000);
  assert_same(&chunks);
  clear(&chunks);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recording_rows/one_connection", test_one_connection);
  g_test_add_func("/recording_rows/connections", test_connections);
  g_test_add_func("/recording_rows/faults", test_faults);
  return g_test_run();
}
