/* SPDX-License-Identifier: MIT */
/* Low-passed values and their first two derivatives at every sample, in blocks and fixed memory.
 *
 *   z_m = sum_k h(k - m D) x_k            the filter of core/num/fir.h, at every D-th sample
 *   x(t) = sum_m g(t/(D dt) - m) z_m,  x' and x'' by g' and g''
 *
 * z holds all of the low-passed signal (at least 16 samples a period of the cut-off, where the
 * recording has them), so that g (kaiser.h) is a band-limited interpolation and the derivatives
 * are the filtered signal's own: no differences. With w_c = 2 pi cut-off, x' is good to 1e-9 w_c
 * and x'' to 1e-7 w_c^2 of the signal's size up to a tenth of the sampling rate (there 1e-8 and
 * 2e-7); at a fifth, 3e-5 and 3e-4. That would be much beside the acceleration of a motion much
 * slower than the cut-off, so cubics in time are exact: slower than a tenth of the cut-off, x'' is
 * good to 1e-3 of the motion's own w^2, at any sampling rate.
 * A sample comes out when it has the whole filter on both sides. So some 3.2 / cutoff seconds at
 * each end of a segment have no value; what is missing there cannot be had without a bias.
 * Thread rule: re-entrant; two calls never share an object.
 */
#ifndef ARMATURE_CORE_NUM_SMOOTH_H
#define ARMATURE_CORE_NUM_SMOOTH_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/num/fir.h"

/* Cut-offs above this share of the sampling rate leave no room between the signal and its images:
 * the derivatives above would be worse still. */
#define ARM_SMOOTH_MOST 0.2

typedef struct ArmSmooth ArmSmooth;

/*   cutoff   [cycles per sample], 1e-6 .. ARM_SMOOTH_MOST
 *   step_s   from sample to sample [s], positive
 *   columns  1 or more
 * Free with arm_smooth_free (NULL allowed). ARM_E_ARGUMENT, ARM_E_MEMORY: *smooth is untouched. */
ARM_MUST_CHECK ArmStatus arm_smooth_new(double cutoff, double step_s, size_t columns,
                                        ArmSmooth **smooth);
void arm_smooth_free(ArmSmooth *smooth);

/* Back to before the first sample of a segment. */
void arm_smooth_reset(ArmSmooth *smooth);

/* Samples at the start of each segment that have no value. At its end there are `delay` at most. */
size_t arm_smooth_skip(const ArmSmooth *smooth);

/* Most samples beyond the skipped ones that are pushed and not out yet when all are taken that can
 * be. */
size_t arm_smooth_delay(const ArmSmooth *smooth);

/* Adds samples; all values that are ready must have been taken before.
 *   samples  at most ARM_FIR_BLOCK
 *   x        samples x columns   leading dimension ld, finite
 * ARM_E_ARGUMENT: too many samples, or values are waiting; nothing is added. */
ARM_MUST_CHECK ArmStatus arm_smooth_push(ArmSmooth *smooth, size_t samples, const double *x,
                                         size_t ld);

/* The next values that are ready, sample after sample from number `skip` on.
 *   most    room in the outputs
 *   value   most x columns    leading dimension ld >= most
 *   rate    most x columns    [per s]
 *   second  most x columns    [per s^2]
 * Returns how many. */
size_t arm_smooth_take(ArmSmooth *smooth, size_t most, double *value, double *rate, double *second,
                       size_t ld);

#endif
