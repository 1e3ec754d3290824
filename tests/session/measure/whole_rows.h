/* SPDX-License-Identifier: MIT */
/* The rows of sweeps in memory, each with the reason why it is used or not: made in another way
 * than the program does, which never has them all. */
#ifndef ARMATURE_TESTS_SESSION_WHOLE_ROWS_H
#define ARMATURE_TESTS_SESSION_WHOLE_ROWS_H

#include "io/recording/recording.h"
#include "session/measure/runs.h"

/* Recording and reasons, row by row. */
typedef struct {
  AioRecording *recording; /* joint = 0 where not used */
  guint8 *use;             /* rows: AseSampleUse */
  int *joint;              /* rows: that sweeps, used or not */
  gint64 *run;             /* rows: id of the run */
  guint8 *begins;          /* rows: the first of a run; if it is imported, what follows on
                              something left out, but not on a gap of the recording */
  gsize counts[ARM_MAX_JOINTS][ASE_SAMPLE_USES]; /* of the joint that sweeps, from 0 */
} WholeRows;

/* The sweeps of one purpose, of which there must be a sample; exclusions may be NULL. */
WholeRows *whole_rows_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                          const GArray *exclusions);
void whole_rows_free(WholeRows *rows);

/* All that was recorded, and which of it is used; borrowed. */
ArmDataset whole_rows_dataset(const WholeRows *rows);

/* As ase_sweep_rows_digest, of the joints of the recording or of the rows. g_free. */
char *whole_rows_digest(const WholeRows *rows, const int *joint);

#endif
