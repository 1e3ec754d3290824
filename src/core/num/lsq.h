/* SPDX-License-Identifier: MIT */
/* Least squares in fixed memory: streaming Householder QR, then an SVD of the small triangle.
 *
 *   min |A x - b|,  [A b] = Q R,  only R (p x p, p = columns of A plus right-hand sides) is kept.
 *
 * Rows go in one by one or in blocks; 256-row blocks are folded into a scratch triangle and every
 * 64 blocks that is folded into the main one (two levels: errors grow with the logarithm-like
 * number of merges, not with the number of blocks). Triangles of two streams, or of the same
 * stream at another weight, merge without a second pass over the data.
 * Thread rule: re-entrant; two calls never share an object.
 */
#ifndef ARMATURE_CORE_LSQ_H
#define ARMATURE_CORE_LSQ_H

#include <stddef.h>

#include "core/base/status.h"

typedef struct ArmLsq ArmLsq;

/* Memory: about (256 + 2 p) p doubles, independent of the number of rows.
 *   columns  p >= 1, right-hand sides included as the last columns
 * NULL: out of memory or columns outside 1..4096. Free with arm_lsq_free (NULL allowed). */
ArmLsq *arm_lsq_new(size_t columns);
void arm_lsq_free(ArmLsq *lsq);

/* Forgets all rows. */
void arm_lsq_reset(ArmLsq *lsq);

/* Adds rows.
 *   row     columns           one row
 *   block   rows x columns    column-major, leading dimension ld >= rows
 *   column  columns           of rows values each, wherever they lie
 * ARM_E_NOT_FINITE: a value is NaN or infinite, nothing of this call is added.
 * ARM_E_ARGUMENT: ld < rows. */
ARM_MUST_CHECK ArmStatus arm_lsq_push(ArmLsq *lsq, const double *row);
ARM_MUST_CHECK ArmStatus arm_lsq_push_block(ArmLsq *lsq, const double *block, size_t rows,
                                            size_t ld);
ARM_MUST_CHECK ArmStatus arm_lsq_push_columns(ArmLsq *lsq, const double *const *column,
                                              size_t rows);

/* Folds weight * (the rows of `from`) into `into`; `from` keeps its own rows (it is flushed, hence
 * not const). ARM_E_ARGUMENT: columns differ, or weight is negative or not finite.
 * ARM_E_NOT_FINITE: weight times the triangle overflows; `into` is unchanged. */
ARM_MUST_CHECK ArmStatus arm_lsq_merge(ArmLsq *into, ArmLsq *from, double weight);

/* Rows added so far (merged ones included). */
size_t arm_lsq_rows(const ArmLsq *lsq);

/* The triangle of everything added so far.
 *   r  columns x columns  column-major, lower part zero */
void arm_lsq_triangle(ArmLsq *lsq, double *r);

/* ---- small dense problems: what is left once the rows are a triangle ---- */

typedef struct ArmSvdWork ArmSvdWork;

/* Scratch for arm_svd_solve up to max_rows x max_columns. NULL: out of memory. */
ArmSvdWork *arm_svd_work_new(size_t max_rows, size_t max_columns);
void arm_svd_work_free(ArmSvdWork *work);

typedef struct {
  size_t rank;              /* of the column-equilibrated matrix at `rcond` */
  double cond_raw;          /* 2-norm condition as given; INFINITY when rank < columns */
  double cond_equilibrated; /* after scaling columns to unit 2-norm; INFINITY when rank < columns */
} ArmSvdInfo;

/* Minimum-norm least squares of a small problem: columns equilibrated to unit 2-norm, SVD, singular
 * values <= rcond * largest dropped (purely numerical: use 1e-10), unscaled.
 * Zero columns get x = 0 and null_share = 1, and count as missing rank.
 *   m, p        rows and columns of a, 1 <= p, 0 <= m, within the work's sizes
 *   a           m x p  column-major, ld m, untouched
 *   b           m
 *   x           p      solution
 *   covariance  p x p  (A^T A)^+ in the original column units, unscaled by s^2; may be NULL
 *   null_share  p      length of the column's unit vector inside the null space of the equilibrated
 *                      matrix, 0 = fully determined, 1 = not seen by the data; may be NULL
 *   info        may be NULL
 * ARM_E_ARGUMENT: sizes beyond the work, or rcond outside [0, 1). ARM_E_NOT_FINITE: a or b.
 * ARM_E_NUMERIC: the SVD failed, or x overflows.
 * Outputs untouched on failure. */
ARM_MUST_CHECK ArmStatus arm_svd_solve(ArmSvdWork *work, size_t m, size_t p, const double *a,
                                       const double *b, double rcond, double *x, double *covariance,
                                       double *null_share, ArmSvdInfo *info);

/* The same in units of the unknowns' own: columns are scaled by these, not to unit length.
 *   unit  p  > 0; NULL: as above */
ARM_MUST_CHECK ArmStatus arm_svd_solve_in(ArmSvdWork *work, size_t m, size_t p, const double *a,
                                          const double *b, const double *unit, double rcond,
                                          double *x, double *covariance, double *null_share,
                                          ArmSvdInfo *info);

#endif
