/* SPDX-License-Identifier: MIT */
/* Samples to be predicted out of a file of any size: rows are read, handed on and forgotten. */
#ifndef ARMATURE_IO_RECORDING_SAMPLES_H
#define ARMATURE_IO_RECORDING_SAMPLES_H

#include <stdbool.h>

#include "io/csv/csv.h"
#include "io/recording/recording.h"

/* At most AIO_CSV_WINDOW_ROWS rows, as aio_recording_from_csv reads samples; `csv` stands at the
 * same rows. `each` may change what is in the window. false: no more wanted. */
typedef bool (*AioSamplesEach)(const AioCsv *csv, AioRecording *window, void *data);

/* Reads all rows from the first on. What is wrong is told as by aio_recording_from_csv, whose order
 * is that of the whole file: a broken cell before a value that is too large, wherever they are;
 * `each` gets no window behind what is wrong.
 *   csv  from aio_csv_open */
bool aio_samples_each(AioCsv *csv, const ArmModel *model, AioSamplesEach each, void *data,
                      GError **error);

/* The same of a recording to be fitted: time, the moving joint and positions must have columns,
 * currents and torques are read, and what aio_recording_load would say of a column is said. That
 * time increases is for the caller to see. */
bool aio_recording_each(AioCsv *csv, const ArmModel *model, AioSamplesEach each, void *data,
                        GError **error);

#endif
