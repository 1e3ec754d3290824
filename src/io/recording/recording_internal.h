/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_RECORDING_INTERNAL_H
#define ARMATURE_IO_RECORDING_INTERNAL_H

#include "io/recording/recording.h"
#include "io/recording/recording_columns.h"

typedef struct {
  bool is_motion;
  double rate_Hz; /* NAN: the file has the time */
} AioReading;

/* What is wrong with rows whose cells are numbers. It is told after all cells have been read: sizes
 * before joints, of sizes the first column's. */
typedef struct {
  GError *size, *joint;
  gsize size_column; /* its place among those that are read */
} AioFaults;

/* Sets the error of the first fault, if there is one, and clears them. */
bool aio_recording_faults_end(AioFaults *faults, GError **error);

/* AIO_ERROR_MEANING: a column is missing. */
bool aio_recording_check_required(const AioCsv *csv, const ArmModel *model,
                                  const AioRecordingColumns *columns, const AioReading *reading,
                                  GError **error);

/* Time must be in every row and increase, from `last` [s] of the row before the first on; NAN:
 * there is none. AIO_ERROR_MEANING, AIO_ERROR_REFUSED. */
bool aio_recording_check_time(const AioCsv *csv, const AioRecording *recording, double last,
                              GError **error);

/* Reads the rows of `csv` into the recording, which has as many; faults found before are kept.
 *   joints  rows  scratch
 * false: a cell is no number. */
bool aio_recording_read_rows(const AioCsv *csv, const AioRecordingColumns *columns,
                             AioRecording *recording, const AioReading *reading, double *joints,
                             AioFaults *faults, GError **error);

/* Of recording_chunks.h. Chunks count from 0; both set the error and return false. */
bool aio_recording_check_joints(const char *name, gsize chunk, gsize expected, guint found,
                                GError **error);
bool aio_recording_fail_time(const char *name, gsize chunk, GError **error);

/* What aio_recording_append adds to times that begin with `first` [s], so that they come after
 * `last`.
 *   step_before, step  median steps of both [s]; NAN: not known */
double aio_recording_shift(double last, double step_before, double first, double step);

#endif
