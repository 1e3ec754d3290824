/* SPDX-License-Identifier: MIT */
/* The inner loops of criteria: products and inverses of small matrices, row after row.
 *
 * Rows are `ld` doubles apart, a multiple of ARM_DENSE_STEP, aligned to ARM_DENSE_ALIGN bytes.
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_EXCITE_DENSE_KERNEL_H
#define ARMATURE_CORE_EXCITE_DENSE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  ARM_DENSE_STEP = 8,  /* doubles: one vector of the widest kind */
  ARM_DENSE_ALIGN = 64 /* bytes */
};

typedef struct {
  /* C = A B, or C + A B.
   *   a  value (i, k) at [i * row + k * column]: either order, any matrix or its transpose
   *   b  inner x ld
   *   c  rows x ld */
  void (*multiply)(bool add, size_t rows, size_t inner, size_t ld, const double *a, size_t row,
                   size_t column, const double *b, double *c);
  /* Cholesky factor U (M = U'U) and inverse factor L^-1 = (U')^-1 (M^-1 = L^-T L^-1).
   *   u      n x ld  M before (its upper triangle counts), U after; below the diagonal undefined
   *   lower  n x ld  L^-1, zero above the diagonal
   * Returns false where M is not positive definite. */
  bool (*factor)(size_t n, size_t ld, double *u, double *lower);
} ArmDenseKernel;

/* The kernel for this processor with at most `max_lanes` doubles per vector (2, 4 or 8). */
const ArmDenseKernel *arm_dense_kernel(int max_lanes);

#endif
