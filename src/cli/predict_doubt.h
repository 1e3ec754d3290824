/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_CLI_PREDICT_DOUBT_H
#define ARMATURE_CLI_PREDICT_DOUBT_H

#include "core/arm/model.h"
#include "io/csv/csv.h"
#include "io/recording/recording.h"

/* Which samples lie outside of the arm's limits and, where a motion is given with its time, whether
 * its speeds are not those of its positions. Windows of rows are looked at twice, as the second
 * look needs the median step in time. */
typedef struct CliPredictDoubt CliPredictDoubt;

CliPredictDoubt *cli_predict_doubt_new(const ArmModel *model);
void cli_predict_doubt_free(CliPredictDoubt *doubt); /* NULL allowed */

/* Each window of the first reading, `csv` at the same rows; then of the second one. */
void cli_predict_doubt_look(CliPredictDoubt *doubt, const AioCsv *csv, const AioRecording *window);
void cli_predict_doubt_look_again(CliPredictDoubt *doubt, const AioRecording *window);

/* Says all of it on stderr, in at most one line of each kind. */
void cli_predict_warn(CliPredictDoubt *doubt, const AioCsv *csv);

#endif
