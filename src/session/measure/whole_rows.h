/* SPDX-License-Identifier: MIT */
/* The rows of sweeps in memory, each with the reason why it is used or not. */
#ifndef ARMATURE_SESSION_WHOLE_ROWS_H
#define ARMATURE_SESSION_WHOLE_ROWS_H

#include "io/recording/recording.h"
#include "session/base/job.h"
#include "session/measure/runs.h"

/* Recording and reasons, row by row. */
typedef struct {
  AioRecording *recording; /* joint = 0 where not used */
  guint8 *use;             /* rows: AseSampleUse */
  guint8 *sound;           /* rows: use without exclusions */
  int *joint;              /* rows: that sweeps, used or not */
  gint64 *run;             /* rows: id of the run */
  guint8 *begins;          /* rows: the first of a run; if it is imported, what follows on
                              something left out, but not on a gap of the recording */
  gsize counts[ARM_MAX_JOINTS][ASE_SAMPLE_USES]; /* of the joint that sweeps, from 0 */
} AseWholeRows;

/* The sweeps of one purpose. Held joints get the speed 0 that they were commanded.
 *   runs        of AseRun
 *   exclusions  of AseExclusion, may be NULL
 * NULL: AIO_ERROR_NOT_FOUND, there is not one sample; AIO_ERROR_MEMORY. */
AseWholeRows *ase_whole_rows_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                                 const GArray *exclusions, GError **error);
/* The same within a job, which may be cancelled between two runs: NULL without an error. */
AseWholeRows *ase_whole_rows_new_within(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                        AsePurpose purpose, const GArray *exclusions,
                                        GError **error);
void ase_whole_rows_free(AseWholeRows *selection); /* NULL allowed */

/* The core's view, borrowed: all that was recorded of a sweep, so that the plateau of a stroke is
 * that of the whole stroke whatever is left out of it, and which of it is used. */
ArmDataset ase_whole_rows_dataset(const AseWholeRows *selection);

/* SHA-256 of all of it, hexadecimal; g_free.
 *   joint  rows: `joint` of the recording, so that it is of what is used, or of the selection, so
 *          that exclusions do not change it */
char *ase_whole_rows_digest(const AseWholeRows *selection, const int *joint);

#endif
