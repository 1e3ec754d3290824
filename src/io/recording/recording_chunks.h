/* SPDX-License-Identifier: MIT */
/* A recording to be fitted, from what an acquisition measured. */
#ifndef ARMATURE_IO_RECORDING_CHUNKS_H
#define ARMATURE_IO_RECORDING_CHUNKS_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/chunk.h"
#include "io/recording/recording.h"

/* Time is the device's, from the first sample on [s]; `joint` is the one that sweeps. A sample that
 * repeats the time of the one before it is left out. Lost samples leave a gap in time, which no
 * filter reaches over.
 *   chunks  n  in the order in which they came, of one run; untouched
 * NULL: AIO_ERROR_MEANING, a chunk has another number of joints than the model; AIO_ERROR_REFUSED,
 * time runs back: the controller restarted; AIO_ERROR_MEMORY. */
AioRecording *aio_recording_from_chunks(const char *name, const ArmModel *model,
                                        AioChunk *const *chunks, gsize n, GError **error);

/* How many samples that leaves out though they are no repetition of the one before: the
 * controller's clock stood still or ran back (io/acquire/clock_order.h). */
gsize aio_recording_chunks_unordered(AioChunk *const *chunks, gsize n);

#endif
