/* SPDX-License-Identifier: MIT */
/* Chunks are read twice, once to count their rows: a sample with the time of the one before it is
 * none. */
#include "io/recording/recording_chunks.h"

#include <math.h>

#include "io/recording/recording_internal.h"

static bool fail(GError **error, AioErrorCode code, const char *name, gsize chunk,
                 const char *expected, const char *found) {
  char *key = g_strdup_printf("chunk %" G_GSIZE_FORMAT, chunk + 1);
  aio_error_set_at(error, code, name, 0, 0, key, expected, found);
  g_free(key);
  return false;
}

bool aio_recording_check_joints(const char *name, gsize chunk, gsize expected, guint found,
                                GError **error) {
  if (found == expected)
    return true;
  char *joints = g_strdup_printf("%" G_GSIZE_FORMAT " joints as in the arm file", expected);
  char *others = g_strdup_printf("%u", found);
  fail(error, AIO_ERROR_MEANING, name, chunk, joints, others);
  g_free(joints);
  g_free(others);
  return false;
}

bool aio_recording_fail_time(const char *name, gsize chunk, GError **error) {
  return fail(error, AIO_ERROR_REFUSED, name, chunk, "device time that goes on",
              "time running back: the controller restarted; record again");
}

bool aio_recording_is_unordered(const AioChunk *chunk, guint k, guint64 before_us) {
  return chunk->t_us[k] == before_us && !(chunk->flags[k] & AIO_SAMPLE_REPEATED);
}

/* The rows that samples with times of their own make. false: error is set. */
static bool count_rows(const char *name, const ArmModel *model, AioChunk *const *chunks, gsize n,
                       gsize *rows, GError **error) {
  guint64 before_us = 0;
  *rows = 0;
  for (gsize c = 0; c < n; c++) {
    if (!aio_recording_check_joints(name, c, model->n, chunks[c]->joints, error))
      return false;
    for (guint k = 0; k < chunks[c]->n; k++) {
      const guint64 t_us = chunks[c]->t_us[k];
      if (*rows > 0 && t_us < before_us)
        return aio_recording_fail_time(name, c, error);
      *rows += *rows == 0 || t_us > before_us;
      before_us = t_us;
    }
  }
  return true;
}

static void set_row(AioRecording *recording, gsize row, const AioChunk *chunk, guint k,
                    guint64 first_us) {
  recording->t[row] = 1e-6 * (double)(chunk->t_us[k] - first_us);
  recording->joint[row] = chunk->joint[k];
  for (gsize j = 0; j < recording->n; j++) {
    const gsize from = (gsize)k * chunk->joints + j, into = row + j * recording->rows;
    recording->q[into] = chunk->q[from];
    recording->qd[into] = chunk->qd[from];
    recording->current[into] = chunk->current[from];
    recording->has_speed[j] = recording->has_speed[j] || !isnan(chunk->qd[from]);
    recording->has_current[j] = recording->has_current[j] || !isnan(chunk->current[from]);
  }
}

AioRecording *aio_recording_from_chunks(const char *name, const ArmModel *model,
                                        AioChunk *const *chunks, gsize n, GError **error) {
  gsize rows, row = 0;
  if (!count_rows(name, model, chunks, n, &rows, error))
    return NULL;
  AioRecording *recording = aio_recording_new(name, model, rows, false, error);
  guint64 first_us = 0, before_us = 0;
  if (!recording)
    return NULL;
  recording->has_time = recording->has_joint = true;
  for (gsize c = 0; c < n; c++)
    for (guint k = 0; k < chunks[c]->n; k++) {
      const guint64 t_us = chunks[c]->t_us[k];
      if (row > 0 && t_us == before_us)
        continue;
      first_us = row == 0 ? t_us : first_us;
      set_row(recording, row++, chunks[c], k, first_us);
      before_us = t_us;
    }
  return recording;
}

gsize aio_recording_chunks_unordered(AioChunk *const *chunks, gsize n) {
  gsize unordered = 0;
  guint64 before_us = 0;
  bool has_before = false;
  for (gsize c = 0; c < n; c++)
    for (guint k = 0; k < chunks[c]->n; k++) {
      unordered += has_before && aio_recording_is_unordered(chunks[c], k, before_us);
      before_us = chunks[c]->t_us[k];
      has_before = true;
    }
  return unordered;
}
