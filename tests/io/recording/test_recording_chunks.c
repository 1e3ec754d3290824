/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdbool.h>

#include "io/recording/recording_chunks.h"

enum { JOINTS = 3, CHUNKS = 4, EACH = 20, COUNT = CHUNKS * EACH };

static ArmModel arm(void) {
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, JOINTS), ==, ARM_OK);
  model.joints[2].type = ARM_JOINT_T;
  return model;
}

static guint64 time_us(guint k) {
  return 5000000 + (guint64)k * 1000;
}

static AioSample sample_at(guint k) {
  AioSample sample = {.t_us = time_us(k), .joint = (guint8)(1 + k % JOINTS)};
  for (guint j = 0; j < JOINTS; j++) {
    sample.q[j] = sin(1.0 + k + 100.0 * j); /* all digits of a double */
    sample.qd[j] = cos(1.0 + k + 100.0 * j);
    sample.current[j] = j == 1 ? NAN : sample.q[j] / 3; /* joint 2 has no current sensor */
  }
  return sample;
}

static void make_chunks(AioChunk *chunks[CHUNKS]) {
  for (guint c = 0; c < CHUNKS; c++) {
    chunks[c] = aio_chunk_new(JOINTS, c * EACH);
    for (guint k = 0; k < EACH; k++) {
      const AioSample sample = sample_at(c * EACH + k);
      g_assert_true(aio_chunk_push(chunks[c], &sample, 0));
    }
  }
}

static void free_chunks(AioChunk *chunks[CHUNKS]) {
  for (guint c = 0; c < CHUNKS; c++)
    aio_chunk_unref(chunks[c]);
}

static void assert_row(const ArmDataset *data, gsize row, guint k) {
  const AioSample sample = sample_at(k);
  g_assert_cmpfloat_with_epsilon(data->t[row], 0.001 * k, 1e-12);
  g_assert_cmpint(data->joint[row], ==, sample.joint);
  for (guint j = 0; j < JOINTS; j++) {
    g_assert_cmpfloat(data->q[row + j * data->rows], ==, sample.q[j]);
    g_assert_cmpfloat(data->qd[row + j * data->rows], ==, sample.qd[j]);
    if (j == 1)
      g_assert_true(isnan(data->current[row + j * data->rows]));
    else
      g_assert_cmpfloat(data->current[row + j * data->rows], ==, sample.current[j]);
  }
}

static void test_values(void) {
  const ArmModel model = arm();
  GError *error = NULL;
  AioChunk *chunks[CHUNKS];
  make_chunks(chunks);
  AioRecording *recording = aio_recording_from_chunks("run 1", &model, chunks, CHUNKS, &error);
  g_assert_no_error(error);
  const ArmDataset data = aio_recording_dataset(recording);
  g_assert_cmpuint(data.rows, ==, COUNT);
  for (guint k = 0; k < COUNT; k++)
    assert_row(&data, k, k);
  g_assert_true(recording->has_current[0] && !recording->has_current[1]);
  g_assert_true(recording->has_time && recording->has_joint && recording->has_speed[1]);
  aio_recording_free(recording);
  free_chunks(chunks);
}

/* Written and read again, every value is the same double. */
static void test_round_trip(void) {
  const ArmModel model = arm();
  GError *error = NULL;
  AioChunk *chunks[CHUNKS];
  char *directory = g_dir_make_tmp("armature-XXXXXX", &error);
  g_assert_no_error(error);
  char *path = g_build_filename(directory, "run.csv", NULL);
  make_chunks(chunks);
  AioRecording *recording = aio_recording_from_chunks("run 1", &model, chunks, CHUNKS, &error);
  g_assert_no_error(error);
  g_assert_true(aio_recording_write(recording, path, false, &error));
  AioRecording *again = aio_recording_load(path, &model, &error);
  g_assert_no_error(error);
  const ArmDataset data = aio_recording_dataset(again);
  g_assert_cmpuint(data.rows, ==, COUNT);
  for (guint k = 0; k < COUNT; k++) {
    assert_row(&data, k, k);
    g_assert_cmpfloat(data.t[k], ==, recording->t[k]);
  }
  aio_recording_free(again);
  aio_recording_free(recording);
  free_chunks(chunks);
  g_unlink(path);
  g_rmdir(directory);
  g_free(path);
  g_free(directory);
}

static void test_repeated_and_lost(void) {
  const ArmModel model = arm();
  GError *error = NULL;
  AioChunk *chunk = aio_chunk_new(JOINTS, 0);
  const guint kept[] = {3, 4, 4, 9};
  for (guint k = 0; k < G_N_ELEMENTS(kept); k++) {
    const AioSample sample = sample_at(kept[k]);
    g_assert_true(aio_chunk_push(chunk, &sample, 0));
  }
  AioRecording *recording = aio_recording_from_chunks("run 1", &model, &chunk, 1, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(recording->rows, ==, 3);
  g_assert_cmpfloat(recording->t[0], ==, 0);
  g_assert_cmpfloat_with_epsilon(recording->t[1], 0.001, 1e-12);
  g_assert_cmpfloat_with_epsilon(recording->t[2], 0.006, 1e-12);
  aio_recording_free(recording);
  aio_chunk_unref(chunk);
  recording = aio_recording_from_chunks("nothing", &model, NULL, 0, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(recording->rows, ==, 0);
  aio_recording_free(recording);
}

static void assert_refused(const ArmModel *model, AioChunk *const *chunks, AioErrorCode code,
                           const char *message) {
  GError *error = NULL;
  g_assert_null(aio_recording_from_chunks("run 1", model, chunks, CHUNKS, &error));
  g_assert_error(error, AIO_ERROR, (int)code);
  g_assert_cmpstr(error->message, ==, message);
  g_error_free(error);
}

static void test_refused(void) {
  ArmModel model = arm();
  AioChunk *chunks[CHUNKS];
  make_chunks(chunks);
  AioChunk *const swapped[CHUNKS] = {chunks[0], chunks[2], chunks[1], chunks[3]};
  assert_refused(&model, swapped, AIO_ERROR_REFUSED,
                 "run 1: chunk 3: expected device time that goes on, found time running back: the "
                 "controller restarted; record again");
  g_assert_cmpint(arm_model_init(&model, 2), ==, ARM_OK);
  assert_refused(&model, chunks, AIO_ERROR_MEANING,
                 "run 1: chunk 1: expected 2 joints as in the arm file, found 3");
  free_chunks(chunks);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recording-chunks/values", test_values);
  g_test_add_func("/recording-chunks/round-trip", test_round_trip);
  g_test_add_func("/recording-chunks/repeated-and-lost", test_repeated_and_lost);
  g_test_add_func("/recording-chunks/refused", test_refused);
  return g_test_run();
}
