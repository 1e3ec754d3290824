/* SPDX-License-Identifier: MIT */
/* What verbs that fit recordings read. */
#ifndef ARMATURE_CLI_RECORDINGS_H
#define ARMATURE_CLI_RECORDINGS_H

#include <glib.h>
#include <stdbool.h>

#include "core/verdict.h"
#include "io/recording.h"

/* All of them as one. NULL: the error is printed. Free with aio_recording_free. */
AioRecording *cli_load_recordings(const GPtrArray *paths, const ArmModel *model);

/* What may surprise: columns without meaning, torques in place of currents. */
void cli_warn_recording(const AioRecording *recording);

/* NULL: the defaults. False: the error is printed. */
bool cli_load_limits(const char *path, ArmVerdictLimits *limits);

#endif
