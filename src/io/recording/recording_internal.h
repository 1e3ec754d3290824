/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_RECORDING_INTERNAL_H
#define ARMATURE_IO_RECORDING_INTERNAL_H

#include "io/acquire/chunk.h"
#include "io/recording/recording.h"
#include "io/recording/recording_columns.h"

typedef struct {
  bool is_motion;
  double rate_Hz; /* NAN: the file has the time */
  gsize first;    /* rows of the file before these */
} AioReading;

/* What is wrong with rows whose cells are numbers. It is told after all cells have been read, in
 * this order; of sizes the first column's. */
typedef struct {
  GError *size, *joint;
  GError *column; /* a current, or the speed of a joint that moves */
  GError *time;
  gsize size_column; /* its place among those that are read */
} AioFaults;

/* Times seen so far. */
typedef struct {
  bool runs;
  double first, last;
} AioClock;

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

/* What a fit needs beyond positions, of rows that follow those which the clock has seen. */
void aio_recording_check_motion(const AioCsv *csv, const AioRecording *recording, AioClock *clock,
                                AioFaults *faults);

/* Makes a window of another length of a recording: what no column fills is NAN. */
void aio_recording_set_rows(AioRecording *window, gsize rows);

/* What aio_recording_append refuses. false: AIO_ERROR_MEANING. */
bool aio_recording_check_alike(const AioRecording *dst, const AioRecording *src, GError **error);
/* What it notes beside the rows: which columns there are, and where the rows of src begin. */
void aio_recording_note(AioRecording *dst, const AioRecording *src, gsize first, double shift);

/* Of recording_chunks.h. Chunks count from 0; both set the error and return false. */
bool aio_recording_check_joints(const char *name, gsize chunk, gsize expected, guint found,
                                GError **error);
bool aio_recording_fail_time(const char *name, gsize chunk, GError **error);
/* Has sample k the time of the one before it, and is no repetition of it? */
bool aio_recording_is_unordered(const AioChunk *chunk, guint k, guint64 before_us);

/* What aio_recording_append adds to times that begin with `first` [s], so that they come after
 * `last`.
 *   step_before, step  median steps of both [s]; NAN: not known */
double aio_recording_shift(double last, double step_before, double first, double step);

#endif
