/* SPDX-License-Identifier: MIT */
/* Where in its files a recording has the wild samples that a fit leaves out (core/sweeps/wild.h).
 */
#ifndef ARMATURE_IO_WILD_SPANS_H
#define ARMATURE_IO_WILD_SPANS_H

#include "core/data/windows.h"
#include "io/recording/recording.h"

/* Wild samples in a row. */
typedef struct {
  guint joint, recording;      /* joint from 1; of the recordings put together, from 0 */
  guint first_line, last_line; /* of that file, from 1; 0: it is no file */
  gsize samples;
  double from_s, to_s; /* in the time of that file */
} AioWildSpan;

/* Of AioWildSpan, in the order of rows; g_array_unref. NULL: no memory, or what the source reports.
 *   source     the recording's, or with other joints and rows left out
 *   recording  need not have the rows
 *   has_lines  a row is a line of a CSV with a header */
GArray *aio_wild_spans(const ArmModel *model, const ArmRowSource *source,
                       const ArmRowOptions *options, const AioRecording *recording, bool has_lines);

/* "lines 5779-5787, 6001" or, without lines, "t = 61.64-61.72 s, 70.1 s" of one joint and
 * recording; after a dozen "and 3 more". NULL: it has none. g_free. */
char *aio_wild_places(const GArray *spans, guint joint, guint recording);

#endif
