/* SPDX-License-Identifier: MIT */
/* What a capture says: its bytes through a driver of the kind that read them when they came, which
 * its head names, so that the samples are the same ones, also in their times on the host. */
#ifndef ARMATURE_IO_CAPTURE_SAMPLES_H
#define ARMATURE_IO_CAPTURE_SAMPLES_H

#include <glib.h>

#include "io/acquire/chunk.h"
#include "io/driver/driver.h"

typedef struct {
  AioDescription description; /* of the controller, the last time it was asked */
  GPtrArray *chunks;          /* of AioChunk, in order, of all connections */
  AioDriverCounters counters; /* over all connections */
  char *damage;               /* how the file is cut short; NULL: it is whole */
  guint64 records;            /* of the file that were played */
} AioCaptureSamples;

/* NULL: the errors of aio_capture_reader_new; AIO_ERROR_NOT_FOUND, this program does not know the
 * driver, or the capture does not hold how the controller described itself, without which its
 * telemetry has no meaning; AIO_ERROR_REFUSED, a second controller has another number of joints, or
 * the driver cannot play captures. */
AioCaptureSamples *aio_capture_samples_load(const char *path, GError **error);

/* The same, but each chunk is given away as it comes, and none is kept: `chunks` is empty. What is
 * wrong with the capture may be found after some of them.
 *   most  records are played at most: a file that grows meanwhile is read again as it was
 *   each  the controller as it described itself last; take a reference to keep the chunk. false: no
 *         more */
typedef bool (*AioCaptureEach)(const AioDescription *description, AioChunk *chunk, void *data);
AioCaptureSamples *aio_capture_samples_play(const char *path, guint64 most, AioCaptureEach each,
                                            void *data, GError **error);
void aio_capture_samples_free(AioCaptureSamples *samples); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioCaptureSamples, aio_capture_samples_free)

#endif
