/* SPDX-License-Identifier: MIT */
/* Which rows a recording has, in memory that does not grow with them: of the numbers of each row
 * (joint, positions, currents or torques; not the time) a hash of 64 bits, of which the smallest
 * are kept (bottom-k sketch: Broder, On the resemblance and containment of documents, 1997). Two
 * recordings that share rows share these, whatever white space, digits, times or order their files
 * have. Shares are of a sample: with 256 hashes they are within 0.1 of the true one.
 */
#ifndef ARMATURE_IO_ROW_SKETCH_H
#define ARMATURE_IO_ROW_SKETCH_H

#include "io/recording/recording.h"

enum { AIO_ROW_SKETCH = 256 };

/* {0}: of no row. Plain data. */
typedef struct {
  guint n; /* hashes that are kept, from the smallest */
  guint64 hash[AIO_ROW_SKETCH];
  guint times[AIO_ROW_SKETCH]; /* how often there was such a row */
  guint64 before;              /* the row before */
} AioRowSketch;

/* Rows first .. first + count - 1 of a recording. One like the row before does not count: an arm at
 * rest. */
void aio_row_sketch_add(AioRowSketch *sketch, const AioRecording *recording, gsize first,
                        gsize count);

/* The share of the different rows of `a` that `b` has, too; 0: none, or too few to compare. */
double aio_row_sketch_shared(const AioRowSketch *a, const AioRowSketch *b);

/* The share of the different rows that are there more than once. */
double aio_row_sketch_repeated(const AioRowSketch *sketch);

#endif
