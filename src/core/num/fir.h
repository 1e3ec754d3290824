/* SPDX-License-Identifier: MIT */
/* Zero-phase low-pass of many columns, decimated, in blocks and in fixed memory.
 *
 *   y_r = sum_k h(k - r D) w_k x_k,   weight_r = sum_k h(k - r D) w_k,   |k - r D| <= H
 *
 *   h  symmetric, sum 1: a sinc under Kaiser's window (kaiser.h), -6 dB at the cut-off, flat to
 *      1e-4 up to half of it, below 1e-4 from 1.5 of it on
 *   w  weights of the samples: 0 = does not count. y_r / weight_r is then a mean of those that do;
 *      samples before the first and after the last count as 0 too
 *   D  the step: every D-th output is made, the others are never computed
 *
 * Finite memory of H samples to both sides: what comes in blocks equals the whole record to
 * rounding, whatever the blocks, and no past is kept but the sums of some 2 H / D outputs. The
 * same h and w on every column of a linear model keep the model exact, at the ends too.
 * Thread rule: re-entrant; two calls never share an object.
 */
#ifndef ARMATURE_CORE_NUM_FIR_H
#define ARMATURE_CORE_NUM_FIR_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/num/fir_kernel.h"

typedef struct ArmFir ArmFir;

/* H of a cut-off [cycles per sample]: 2.51 / cutoff, rounded up. */
size_t arm_fir_half(double cutoff);

/* A filter before its first sample.
 *   cutoff   [cycles per sample], above 0, below 1/2, at least 1e-6
 *   step     D >= 1
 *   columns  1 or more
 * Memory: (2 H / D + 256) (columns + 1) + 2 H + 6 D numbers at most. Free with arm_fir_free (NULL
 * allowed). ARM_E_ARGUMENT, ARM_E_MEMORY: *fir is untouched. */
ARM_MUST_CHECK ArmStatus arm_fir_new(double cutoff, size_t step, size_t columns, ArmFir **fir);
void arm_fir_free(ArmFir *fir);

/* H. */
size_t arm_fir_half_of(const ArmFir *fir);

/* Outputs of white noise, c_k their autocorrelation at k steps. */
typedef struct {
  double gain;   /* their variance over that of a sample */
  double lag1;   /* c_1 */
  double growth; /* sum of all c_k: variance of the mean of many over that of white noise */
  double spread; /* sum of their squares: the same of the mean square */
} ArmFirWhite;

/* Of a filter whose samples all count; arguments and errors as arm_fir_new. */
ARM_MUST_CHECK ArmStatus arm_fir_white(double cutoff, size_t step, ArmFirWhite *white);

/* Back to before the first sample. */
void arm_fir_reset(ArmFir *fir);

/* Adds samples; all outputs that are ready must have been taken before.
 *   samples  at most ARM_FIR_BLOCK
 *   column   columns pointers to `samples` numbers, finite also where the weight is 0
 *   weight   samples, or NULL: all 1
 * ARM_E_ARGUMENT: too many samples, or outputs are waiting; nothing is added. */
ARM_MUST_CHECK ArmStatus arm_fir_push(ArmFir *fir, size_t samples, const double *const *column,
                                      const double *weight);

/* No more samples: outputs at all samples there are become ready. */
void arm_fir_end(ArmFir *fir);

/* The next output if it is ready: number r, at sample r D. False: none is, outputs untouched.
 *   y       columns  sums, as above
 *   weight           as above; may be NULL
 *   is_whole         all 2 H + 1 samples were there; may be NULL */
bool arm_fir_take(ArmFir *fir, double *y, double *weight, bool *is_whole);

/* For tests: as arm_fir_kernel. */
void arm_fir_limit_lanes(ArmFir *fir, int max_lanes);

#endif
