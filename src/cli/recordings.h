/* SPDX-License-Identifier: MIT */
/* What verbs that fit recordings read. */
#ifndef ARMATURE_CLI_RECORDINGS_H
#define ARMATURE_CLI_RECORDINGS_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/verdict.h"
#include "io/recording/recording.h"

/* The help of --rate, and what a --rate that is not above 0 is told. */
#define CLI_RATE_HELP                                                                              \
  "Samples per second of recordings that have no column of time, in Hz: their rows follow each "   \
  "other evenly, and none is missing. A recording with t_s is refused then. Default: t_s is "      \
  "needed."
#define CLI_RATE_USAGE "--rate: expected a frequency above 0 Hz"

/* All of them as one. rate_Hz: of recordings without time, NAN: they have one. NULL: the error is
 * printed. Free with aio_recording_free. */
AioRecording *cli_load_recordings(const GPtrArray *paths, const ArmModel *model, double rate_Hz);

/* What may surprise: columns without meaning, torques in place of currents. */
void cli_warn_recording(const AioRecording *recording);

/* NULL: the defaults. False: the error is printed. */
bool cli_load_limits(const char *path, ArmVerdictLimits *limits);

#endif
