/* SPDX-License-Identifier: MIT */
/* The rows of sweeps without the rows in memory: they go into a row store
 * (io/recording/row_store.h) as they are read, and which of them are used is a selection. Held
 * joints get the speed 0 that they were commanded. Times, speeds and positions of one run's joint
 * that sweeps are in memory at a time.
 */
#ifndef ARMATURE_SESSION_SWEEP_ROWS_H
#define ARMATURE_SESSION_SWEEP_ROWS_H

#include "core/data/windows.h"
#include "io/recording/recording.h"
#include "session/measure/selection.h"

typedef struct AseSweepRows AseSweepRows;

/* The sweeps of one purpose.
 *   model       borrowed for as long as the rows
 *   runs        of AseRun that have ended
 *   exclusions  of AseExclusion, may be NULL
 * NULL: AIO_ERROR_NOT_FOUND, there is not one sample; AIO_ERROR_IO, the temporary file; what
 * ase_run_each_chunk reports. */
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

/* All that was recorded of a sweep, so that the plateau of a stroke is that of the whole stroke
 * whatever is left out of it, and which of it is used; borrowed. */
const ArmRowSource *ase_sweep_rows_source(const AseSweepRows *rows);

/* Which of them are used; borrowed. */
AseSelection *ase_sweep_rows_selection(const AseSweepRows *rows);

/* All that is known of them as a recording, but for its rows; borrowed. */
const AioRecording *ase_sweep_rows_about(const AseSweepRows *rows);

/* For what is kept of each stroke of these rows, and gone with them. */
ArmShelf *ase_sweep_rows_shelf(const AseSweepRows *rows);

/* Why a window could not be read, or the shelf had no room: ARM_E_SOURCE. NULL: all could. Owned by
 * the rows. */
const GError *ase_sweep_rows_error(const AseSweepRows *rows);

/* SHA-256 of what was recorded, used or not, so that exclusions do not change it, in times of the
 * connections: of the arrays joint (32 bit), t, q, qd, current (doubles). Hexadecimal, g_free.
 * NULL: error set, AIO_ERROR_IO. */
char *ase_sweep_rows_digest(const AseSweepRows *rows, GError **error);
/* The same of what is used: of other rows the joint is 0. */
char *ase_sweep_rows_digest_of_used(const AseSweepRows *rows, GError **error);

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
