/* SPDX-License-Identifier: MIT */
/* Any number of doubles in fixed memory, to be read again in their order, and their exact median:
 * beyond 2 MB they lie in a temporary file without a name.
 */
#ifndef ARMATURE_IO_SPOOL_H
#define ARMATURE_IO_SPOOL_H

#include <glib.h>
#include <stdbool.h>

typedef struct AioSpool AioSpool;

AioSpool *aio_spool_new(void);
void aio_spool_free(AioSpool *spool); /* NULL allowed */
void aio_spool_clear(AioSpool *spool);

/* A file that cannot be written is told by the functions below. */
void aio_spool_add(AioSpool *spool, double value);

/* Calls `each` for the values in their order. false: AIO_ERROR_IO, the temporary file. */
bool aio_spool_each(AioSpool *spool, void (*each)(double value, void *data), void *data,
                    GError **error);

/* The value before which `rank` others come in their order; rank < how many there are. Of values
 * >= 0, and NAN, which comes last. false: AIO_ERROR_IO. */
bool aio_spool_rank(AioSpool *spool, gsize rank, double *out, GError **error);

/* As arm_filter_median of values > 0 that are finite; NAN: there is none. false: AIO_ERROR_IO. */
bool aio_spool_median(AioSpool *spool, double *out, GError **error);

#endif
