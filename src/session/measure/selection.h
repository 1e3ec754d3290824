/* SPDX-License-Identifier: MIT */
/* Which samples of the sweeps are used, and why not the others: without the samples. */
#ifndef ARMATURE_SESSION_SELECTION_H
#define ARMATURE_SESSION_SELECTION_H

#include "session/base/job.h"
#include "session/measure/run_use.h"

/* Never changed by who has it, and counted (g_atomic_rc_box). */
typedef struct {
  GPtrArray *runs; /* of AseRunUse: those with samples, in their order */
  gsize rows;      /* samples of all of them */
  gsize counts[ARM_MAX_JOINTS][ASE_SAMPLE_USES]; /* of the joint that sweeps, from 0 */
} AseSelection;

/* Of the sweeps of one purpose.
 *   job         NULL: none; else it may be cancelled between two runs: NULL without an error
 *   runs        of AseRun that have ended
 *   exclusions  of AseExclusion, may be NULL
 *   known       of the same arm: what is the same in it is not read again; NULL: nothing is
 * NULL: AIO_ERROR_NOT_FOUND, there is not one sample; what ase_run_each_chunk reports. */
AseSelection *ase_selection_new(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                AsePurpose purpose, const GArray *exclusions,
                                const AseSelection *known, GError **error);
AseSelection *ase_selection_ref(AseSelection *selection);
void ase_selection_unref(AseSelection *selection); /* NULL allowed */

/* For who reads the samples for more than this: without runs, and one more at its end, which is
 * taken over. */
AseSelection *ase_selection_begin(void);
void ase_selection_add(AseSelection *selection, AseRunUse *use);

/* Of the run with this id, borrowed; NULL: it has none. */
AseRunUse *ase_selection_find(const AseSelection *selection, gint64 run);

/* Samples of all joints with this use. */
gsize ase_selection_count(const AseSelection *selection, AseSampleUse use);

/* AIO_ERROR_NOT_FOUND: no sweep of this purpose has been recorded. */
void ase_selection_fail_empty(AsePurpose purpose, GError **error);

#endif
