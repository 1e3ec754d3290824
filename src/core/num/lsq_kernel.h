/* SPDX-License-Identifier: MIT */
/* The hot loop of the streaming QR: one block of rows folded into a triangle.
 *
 *   [R; B] -> Q^T [R; B] = [R'; 0]   Householder reflectors that touch row k of R and B only
 *
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., 5.2.3 (compact WY form), 5.3.
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_LSQ_KERNEL_H
#define ARMATURE_CORE_LSQ_KERNEL_H

#include <stddef.h>

enum {
  ARM_LSQ_BLOCK_ROWS = 256, /* rows of a full block */
  ARM_LSQ_BLOCK_LD = 264,   /* its leading dimension: off the power of two, whole cache lines */
  ARM_LSQ_ROW_STEP = 8,     /* a fold takes a multiple of this many rows; pad with zeros */
  ARM_LSQ_ALIGN = 64        /* of the block, in bytes */
};

/* Folds a block into a triangle.
 *   rows     a multiple of ARM_LSQ_ROW_STEP, at most ARM_LSQ_BLOCK_ROWS
 *   r        columns x columns  upper triangle, ld columns, no diagonal value negative; the part
 *                              below is never touched
 *   block    rows x columns     column-major, ld ARM_LSQ_BLOCK_LD, aligned; destroyed */
typedef void ArmLsqFold(size_t rows, size_t columns, double *r, double *block);

/* The kernel for this processor: the widest one with at most `max_lanes` doubles per vector
 * (2, 4 or 8; 8 is no limit). */
ArmLsqFold *arm_lsq_kernel(int max_lanes);

#endif
