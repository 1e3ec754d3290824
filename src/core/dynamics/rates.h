/* SPDX-License-Identifier: MIT */
/* Speeds and accelerations of positions alone: low-passed at the cut-off, as there is no filter
 * behind that takes their noise (rows of an identification have one, stream.h), and differentiated
 * as band-limited signals (core/num/smooth.h), in blocks of any size and fixed memory, one state
 * for each sample, in their order, some time after it.
 *
 * A segment ends where time does not increase, where more than a tenth of a period of the cut-off
 * is missing (below, q is interpolated linearly), and where as many samples in succession have no
 * position. 3.2 periods of the cut-off at either end of a segment have no state: what is missing
 * there cannot be had without a bias.
 * Deterministic, whatever the blocks. Nothing allocates after arm_rates_new. Thread rule: two calls
 * never share an object.
 */
#ifndef ARMATURE_CORE_DYNAMICS_RATES_H
#define ARMATURE_CORE_DYNAMICS_RATES_H

#include <stddef.h>

#include "core/base/status.h"

/* Takes the states of the next samples.
 *   q, qd, qdd  samples x n, leading dimension ld; NAN throughout where there is none. q is
 *               low-passed. Valid during the call */
typedef void ArmRatesSink(void *user, size_t samples, const double *q, const double *qd,
                          const double *qdd, size_t ld);

typedef struct ArmRates ArmRates;

/* Before the first sample.
 *   n          columns
 *   step_s     between samples [s]
 *   cutoff_Hz  -6 dB
 *   sink       called with `user`, during push and finish
 * Free with arm_rates_free (NULL allowed). ARM_E_ARGUMENT: arm_dyn_stream_check of such options
 * without rates says why. ARM_E_MEMORY. *rates is then untouched. */
ARM_MUST_CHECK ArmStatus arm_rates_new(size_t n, double step_s, double cutoff_Hz,
                                       ArmRatesSink *sink, void *user, ArmRates **rates);
void arm_rates_free(ArmRates *rates);

/*   t  samples  [s]      q  samples x n, leading dimension ld; NAN: not measured */
void arm_rates_push(ArmRates *rates, size_t samples, const double *t, const double *q, size_t ld);

/* Gives all that is left. */
void arm_rates_finish(ArmRates *rates);

#endif
