/* SPDX-License-Identifier: MIT */
/* Which samples of one run are used, and why not the others: a few bytes for each time that this
 * changes within the run, however long it is.
 */
#ifndef ARMATURE_SESSION_RUN_USE_H
#define ARMATURE_SESSION_RUN_USE_H

#include "session/measure/runs.h"

/* From this sample of the run on they are used, or not, as this one is. */
typedef struct {
  gsize row;
  AseSampleUse use;
} AseUseMark;

/* Of a run that has ended; never changed, and counted, so that any number may have it. */
typedef struct {
  gint64 run;
  guint joint;
  gsize rows;                    /* samples that belong to it */
  gsize counts[ASE_SAMPLE_USES]; /* of them */
  GArray *marks;                 /* of AseUseMark, in their order; the first of row 0 */
  GArray *exclusions;            /* of AseExclusion: those of this run */
  gatomicrefcount references;
} AseRunUse;

AseRunUse *ase_run_use_ref(AseRunUse *use);
void ase_run_use_unref(AseRunUse *use); /* NULL allowed */

/* Samples first to first + count - 1 < rows, each an AseSampleUse.
 *   out  count */
void ase_run_use_fill(const AseRunUse *use, gsize first, gsize count, guint8 *out);

/* With these exclusions, of any runs, it would be the same.
 *   exclusions  of AseExclusion, NULL: none */
bool ase_run_use_has(const AseRunUse *use, const GArray *exclusions);

/* ---- made of a run's samples ---- */

/* Takes the samples of one run after the other; of one run 25 bytes a sample are in memory, as only
 * its whole says where the joint had settled. */
typedef struct AseSifter AseSifter;

/* model, exclusions (may be NULL) borrowed */
AseSifter *ase_sifter_new(const ArmModel *model, const GArray *exclusions);
void ase_sifter_free(AseSifter *sifter);

/* The run is borrowed until the next one begins. */
void ase_sifter_begin(AseSifter *sifter, const AseRun *run);
/* What a file has of another arm is none of it. */
bool ase_sifter_wants(const AseSifter *sifter, const AioChunk *chunk, guint k);
/* Sample k of it, which is wanted; they come in their order. Returns its number in the run. */
gsize ase_sifter_add(AseSifter *sifter, const AioChunk *chunk, guint k);
/* After the last one. */
AseRunUse *ase_sifter_end(AseSifter *sifter);

#endif
