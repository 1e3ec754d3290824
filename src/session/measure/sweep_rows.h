/* SPDX-License-Identifier: MIT */
/* The rows of an AseSelection without the rows in memory: those of the sweeps go into a row store
 * (io/recording/row_store.h) as they are read, and which of them are used is kept as where that
 * changes. One run's times, speeds and positions of the joint that sweeps are in memory at a time.
 */
#ifndef ARMATURE_SESSION_SWEEP_ROWS_H
#define ARMATURE_SESSION_SWEEP_ROWS_H

#include "core/data/windows.h"
#include "session/base/job.h"
#include "session/measure/runs.h"

typedef struct AseSweepRows AseSweepRows;

/* As ase_selection_new; AIO_ERROR_IO too, the temporary file.
 *   runs, model  borrowed, the model for as long as the rows */
AseSweepRows *ase_sweep_rows_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                                 const GArray *exclusions, GError **error);
/* The same within a job, which may be cancelled between two runs: NULL without an error. */
AseSweepRows *ase_sweep_rows_new_within(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                        AsePurpose purpose, const GArray *exclusions,
                                        GError **error);
/* The same, of the sweeps that are measured and those of the validation, as one recording. */
AseSweepRows *ase_sweep_rows_new_together(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                          const GArray *exclusions, GError **error);
/* As ase_sweep_rows_new, on one clock: each connection has one of its own, and where time does not
 * go on it is shifted to 1 s after the last row, as between recordings that are fitted together. */
AseSweepRows *ase_sweep_rows_new_on_one_clock(const ArmModel *model, const GPtrArray *runs,
                                              AsePurpose purpose, const GArray *exclusions,
                                              GError **error);
void ase_sweep_rows_free(AseSweepRows *rows); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AseSweepRows, ase_sweep_rows_free)

/* As ase_selection_dataset has them, borrowed. */
const ArmRowSource *ase_sweep_rows_source(const AseSweepRows *rows);

/* For what is kept of each stroke of these rows, and gone with them. */
ArmShelf *ase_sweep_rows_shelf(const AseSweepRows *rows);

/* Why a window could not be read, or the shelf had no room: ARM_E_SOURCE. NULL: all could. Owned by
 * the rows. */
const GError *ase_sweep_rows_error(const AseSweepRows *rows);

/* As ase_selection_digest of what was recorded, used or not: in times of the connections. g_free.
 * NULL: error set, AIO_ERROR_IO. */
char *ase_sweep_rows_digest(const AseSweepRows *rows, GError **error);

/* Gravity and friction told apart for the eye: the mean of both directions and half their
 * difference in bins of position. Empty where only one direction was measured. */
typedef struct {
  double q, gravity, friction; /* [rad or m, A, A] */
  guint n_pos, n_neg;
} AseSplit;

/* The used rows of a joint in `bins` entries over their range. Free with g_array_unref. NULL: error
 * set, AIO_ERROR_IO. */
GArray *ase_sweep_rows_split(AseSweepRows *rows, guint joint, guint bins, GError **error);

#endif
