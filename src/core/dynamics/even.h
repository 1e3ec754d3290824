/* SPDX-License-Identifier: MIT */
/* Samples of uneven steps put on an even grid, in fixed memory: a logger that asks every 8 to 12 ms
 * is off by the jitter of its steps if they count as equal, and by more than that in time.
 *
 *   x(t) = sum_k x_k prod_{l != k} (t - t_l)/(t_k - t_l)     Lagrange, two samples on either side
 *
 * Exact for polynomials of degree 3; at the ends of a stretch for those of degree 2. A sine of w
 * rad/s sampled at steps of h is off by some (w h)^4 / 40. Grid times begin at the first sample of
 * a stretch and go on in steps; where more than ARM_EVEN_GAP steps are missing another stretch
 * begins. Efforts are not made up: a point between samples one of which has none has none, and so
 * have points in intervals of more than ARM_EVEN_BRIDGE steps.
 * Thread rule: re-entrant; two calls never share an object.
 */
#ifndef ARMATURE_CORE_DYNAMICS_EVEN_H
#define ARMATURE_CORE_DYNAMICS_EVEN_H

#include "core/dynamics/stream.h"

#define ARM_EVEN_GAP    5.0
#define ARM_EVEN_BRIDGE 2.5

/* Takes samples on the grid; valid during the call. What it returns, if not ARM_OK, ends the call
 * that it came from. */
typedef ArmStatus ArmEvenSink(void *user, const ArmDynSamples *samples);

typedef struct ArmEven ArmEven;

/*   n        joints
 *   step_s   of the grid [s], positive
 *   has_qd, has_qdd  given with the samples
 * Free with arm_even_free (NULL allowed). ARM_E_ARGUMENT, ARM_E_MEMORY: *even is untouched. */
ARM_MUST_CHECK ArmStatus arm_even_new(size_t n, double step_s, bool has_qd, bool has_qdd,
                                      ArmEvenSink *sink, void *user, ArmEven **even);
void arm_even_free(ArmEven *even);

/* Samples in the order of time; one without time or a position is passed over. An empty speed or
 * acceleration of a held joint counts as 0. What the sink returns. */
ARM_MUST_CHECK ArmStatus arm_even_push(ArmEven *even, const ArmDynSamples *samples);

/* All that is left; the next sample begins another stretch. */
ARM_MUST_CHECK ArmStatus arm_even_end(ArmEven *even);

#endif
