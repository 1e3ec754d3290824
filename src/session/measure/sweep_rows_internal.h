/* SPDX-License-Identifier: MIT */
/* Shared by sweep_rows*.c. */
#ifndef ARMATURE_SESSION_SWEEP_ROWS_INTERNAL_H
#define ARMATURE_SESSION_SWEEP_ROWS_INTERNAL_H

#include "io/base/spool.h"
#include "io/recording/row_store.h"
#include "session/measure/sweep_rows.h"

/* A sweep begins there; of a cut only if it leaves a gap in time: else the sweep goes on over it.
 */
typedef struct {
  gsize row;
  bool is_cut;
  double t[2]; /* of the row before and of this one [s]; NAN: there is none before */
} Beginning;

/* From this row on so much is added to the time [s]. */
typedef struct {
  gsize row;
  double shift;
} Shift;

/* Rows of the store, or what was made of them, with marks. */
typedef struct {
  AseSweepRows *rows;
  ArmRowSource bare;
} Marked;

struct AseSweepRows {
  AioRowStore *store;
  Marked swept, filtered;
  ArmRowSource source; /* reads `swept` */
  ArmRowKeeper keeper;
  AseSelection *selection;   /* of the rows that were read */
  GArray *firsts, *begins;   /* gsize: row at which each run of it begins; of Beginning */
  GArray *shifts;            /* of Shift; NULL: times are as they were recorded */
  AioSpool *steps;           /* of shifted times; NULL: there are none */
  guint8 *left_out, *starts; /* of the rows in view */
  double *t;
};

/* What is read into them. */
typedef struct {
  AseJob *job; /* NULL: none */
  const ArmModel *model;
  const GPtrArray *runs;
  guint purposes; /* bits, of AsePurpose */
  const GArray *exclusions;
} AseSweepTask;

/* All sweeps of the purposes into the store, which then is at its end. What
 * ase_sweep_rows_new_within reports. */
bool ase_sweep_rows_read(AseSweepRows *rows, const AseSweepTask *task, GError **error);

#endif
