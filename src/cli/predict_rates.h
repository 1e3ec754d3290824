/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_CLI_PREDICT_RATES_H
#define ARMATURE_CLI_PREDICT_RATES_H

#include "core/dynamics/rates.h"
#include "io/csv/csv.h"
#include "io/recording/recording.h"

/* Speeds and accelerations of the positions of a table, at its own times: behind the filter of
 * identifications, on an even grid where steps are uneven, as there. Memory does not grow with the
 * table. */
typedef struct CliRates CliRates;

CliRates *cli_rates_new(void);
void cli_rates_free(CliRates *rates); /* NULL allowed */

/* Each window of the first reading. */
void cli_rates_look(CliRates *rates, const AioRecording *window);

/* Before the second one.
 *   lowpass_Hz  NAN: 5 Hz
 *   sink        called with `user` during what follows: states of the rows in their order, 88 at a
 *               time at most
 * false: AIO_ERROR_MEANING: no times, or a cut-off that does not suit them; what aio_spool_median
 * reports; AIO_ERROR_MEMORY. */
bool cli_rates_begin(CliRates *rates, const AioCsv *csv, size_t n, double lowpass_Hz,
                     ArmRatesSink *sink, void *user, GError **error);

/* The next row.
 *   q  n, of joint j at [j * ld] */
void cli_rates_push(CliRates *rates, double t, const double *q, size_t ld);
/* All that is left. */
void cli_rates_finish(CliRates *rates);

#endif
