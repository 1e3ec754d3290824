/* SPDX-License-Identifier: MIT */
/* The inner loop of core/num/fir.h: four rows of weights times many columns of samples.
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_NUM_FIR_KERNEL_H
#define ARMATURE_CORE_NUM_FIR_KERNEL_H

#include <stddef.h>

enum { ARM_FIR_ROWS = 4, ARM_FIR_BLOCK = 256 };

/* sum[k][c] += tap[k][0..count) * weight[0..count) . column[c][0..count)
 *   tap     ARM_FIR_ROWS pointers; sums of a NULL one are not touched
 *   weight  count, at most ARM_FIR_BLOCK
 *   sum     ARM_FIR_ROWS pointers to `columns` numbers each */
typedef void ArmFirKernel(size_t count, const double *const *tap, const double *weight,
                          size_t columns, const double *const *column, double *const *sum);

/* The kernel for this processor: the widest one with at most `max_lanes` doubles per vector
 * (2, 4 or 8; 8 is no limit). */
ArmFirKernel *arm_fir_kernel(int max_lanes);

#endif
