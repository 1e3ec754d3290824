/* SPDX-License-Identifier: MIT */
/* What verbs that fit recordings read. */
#ifndef ARMATURE_CLI_RECORDINGS_H
#define ARMATURE_CLI_RECORDINGS_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/verdict.h"
#include "io/recording/recording.h"
#include "io/recording/row_store.h"

/* The help of --rate, and what a --rate that is not above 0 is told. */
#define CLI_RATE_HELP                                                                              \
  "Samples per second of recordings that have no column of time, in Hz: their rows follow each "   \
  "other evenly, and none is missing. A recording with t_s is refused then. Default: t_s is "      \
  "needed."
#define CLI_RATE_USAGE "--rate: expected a frequency above 0 Hz"

/* Recordings to be fitted, put together as one, whose rows are read some at a time. */
typedef struct {
  const AioRecording *about; /* of the store, without rows */
  AioRowStore *store;        /* owned */
  GPtrArray *digests;        /* owned, char * of each file; NULL: not asked for */
  gsize rows, unmoved;       /* unmoved: joint = 0 */
} CliRows;

/*   rate_Hz      of recordings without time, NAN: they have one
 *   wants_acceleration  where any of several files has accelerations, all have, if not measured
 * False: the error is printed. Cleared by cli_rows_clear in both cases. */
bool cli_rows_load(const GPtrArray *paths, const ArmModel *model, double rate_Hz,
                   bool wants_acceleration, bool wants_digests, CliRows *rows);
void cli_rows_clear(CliRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliRows, cli_rows_clear)

/* Of a recording in memory. */
gsize cli_count_unmoved(const AioRecording *recording);

/* What may surprise: columns without meaning, torques in place of currents. */
void cli_warn_recording(const AioRecording *recording);

/* NULL: the defaults. False: the error is printed. */
bool cli_load_limits(const char *path, ArmVerdictLimits *limits);

#endif
