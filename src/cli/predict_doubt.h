/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_CLI_PREDICT_DOUBT_H
#define ARMATURE_CLI_PREDICT_DOUBT_H

#include "core/arm/model.h"
#include "io/csv/csv.h"
#include "io/recording/recording.h"

/* Says on stderr, in at most one line each, which samples lie outside of the arm's limits, and,
 * where a motion is given with its time, whether its speeds are not those of its positions. */
void cli_predict_warn(const AioCsv *csv, const AioRecording *samples, const ArmModel *model);

#endif
