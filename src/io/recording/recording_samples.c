/* SPDX-License-Identifier: MIT */
/* One window of rows is allocated, and filled again and again. */
#include "io/recording/recording_samples.h"

#include <math.h>

#include "io/recording/recording_internal.h"

static const AioReading samples = {.is_motion = false, .rate_Hz = (double)NAN};
static const AioReading motion = {.is_motion = true, .rate_Hz = (double)NAN};

static void clear(double *values, gsize count) {
  for (gsize k = 0; values && k < count; k++)
    values[k] = (double)NAN;
}

/* Its columns are then in other places. */
void aio_recording_set_rows(AioRecording *window, gsize rows) {
  if (rows == window->rows)
    return;
  window->rows = rows;
  clear(window->t, rows);
  clear(window->qd, rows * window->n);
  clear(window->qdd, rows * window->n);
  clear(window->current, rows * window->n);
}

static bool each_window(AioCsv *csv, const AioReading *reading, const AioRecordingColumns *columns,
                        AioRecording *window, AioSamplesEach each, void *data, GError **error) {
  double joints[AIO_CSV_WINDOW_ROWS];
  AioFaults faults = {0};
  bool is_read;
  aio_csv_rewind(csv);
  while ((is_read = aio_csv_next(csv, error)) && aio_csv_rows(csv) > 0) {
    aio_recording_set_rows(window, aio_csv_rows(csv));
    is_read = aio_recording_read_rows(csv, columns, window, reading, joints, &faults, error);
    if (!is_read || (!faults.size && !faults.joint && !each(csv, window, data)))
      break;
  }
  return aio_recording_faults_end(&faults, is_read ? error : NULL) && is_read;
}

static bool each_of(AioCsv *csv, const ArmModel *model, const AioReading *reading,
                    AioSamplesEach each, void *data, GError **error) {
  AioRecordingColumns columns;
  GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
  AioRecording *window = NULL;
  if (aio_recording_find_columns(csv, model, &columns, ignored, error) &&
      aio_recording_check_required(csv, model, &columns, reading, error)) {
    bool has_qdd = false;
    for (gsize j = 0; j < model->n; j++)
      has_qdd = has_qdd || columns.qdd[j] >= 0;
    window = aio_recording_new(aio_csv_name(csv), model, AIO_CSV_WINDOW_ROWS, has_qdd, error);
  }
  const bool is_read = window && each_window(csv, reading, &columns, window, each, data, error);
  aio_recording_free(window);
  g_ptr_array_unref(ignored);
  return is_read;
}

bool aio_samples_each(AioCsv *csv, const ArmModel *model, AioSamplesEach each, void *data,
                      GError **error) {
  return each_of(csv, model, &samples, each, data, error);
}

bool aio_recording_each(AioCsv *csv, const ArmModel *model, AioSamplesEach each, void *data,
                        GError **error) {
  return each_of(csv, model, &motion, each, data, error);
}
