/* SPDX-License-Identifier: MIT */
/* How good an observation matrix is, as one number to be minimised, with its gradient.
 *
 *   W   rows x p         what the parameters are identified from: W X = Y + noise
 *   w   rows             weights, 1/sigma of each row
 *   M   = sum over rows k of w_k^2 W_k' W_k,   eigenvalues l_1 <= .. <= l_p
 *   c   p                column scale: M stands for C M C, C = diag(c)
 *
 *   COND_P    log cond_P = (log tr M^P + log tr M^-P) / (2 P),  P = 2^e
 *   LOG_COND  log cond_2(W) = log(l_p / l_1) / 2
 *   D         -log det M
 *   A         log tr(G M^-1)
 *   E         log tr M^-P / P
 *
 * COND_P with P = 1 is akin to A, with P = 2 half the logarithm of the Frobenius condition of W'W
 * (Gautier and Khalil, Int. J. Robotics Research 11(4) 1992, (21)); as P grows it tends to
 * LOG_COND, which has no gradient where eigenvalues coincide, as they do at its optimum. A is the
 * sum of variances for G = 1, of relative ones for diag(1/X^2), the variance of a predicted torque
 * for G = mean of Y'Y. E tends to the largest variance.
 *
 * All but LOG_COND come from a Cholesky factor and repeated squaring, without any eigenvalue.
 * Relative error of dM: 1e-13 at cond M = 1e4, 3e-10 at 1e8, 6e-6 at 1e12.
 *
 * Thread rule: re-entrant; two calls never share a work object.
 */
#ifndef ARMATURE_CORE_EXCITE_CRITERION_H
#define ARMATURE_CORE_EXCITE_CRITERION_H

#include <stddef.h>

#include "core/base/status.h"

typedef enum {
  ARM_CRITERION_D = 0,
  ARM_CRITERION_A,
  ARM_CRITERION_E,
  ARM_CRITERION_COND_P,
  ARM_CRITERION_LOG_COND,
  ARM_CRITERION_KINDS
} ArmCriterionKind;

enum { ARM_CRITERION_MAX_EXPONENT = 12 }; /* P = 4096 */

typedef struct {
  ArmCriterionKind kind;
  unsigned exponent;      /* e of COND_P and E */
  const double *scale;    /* p      c; NULL = 1 */
  const double *diagonal; /* p      of G, not negative; NULL = see full */
  const double *full;     /* p x p  G, symmetric; NULL = G is diagonal or 1 */
} ArmCriterion;

typedef struct ArmCriterionWork ArmCriterionWork;

/* Scratch for p columns. NULL: out of memory, or p outside 1..4096. */
ArmCriterionWork *arm_criterion_work_new(size_t p);
void arm_criterion_work_free(ArmCriterionWork *work);

/* For tests: at most `lanes` doubles per vector, 2 (nothing beyond the base instruction set), 4 or
 * 8 (no limit). */
void arm_criterion_limit_lanes(ArmCriterionWork *work, int lanes);

/* Value and gradient.
 *   m      p x p  symmetric, leading dimension p
 *   value  the criterion
 *   dm     p x p  its derivative, symmetric: df = sum over i, j of dm_ij dM_ij; may be NULL
 * ARM_E_ARGUMENT: an unknown kind, an exponent beyond the limit.
 * ARM_E_NOT_FINITE: m is not finite.
 * ARM_E_NUMERIC: M is not positive definite to working precision: the rows do not determine all
 * parameters. Outputs are untouched on failure. */
ARM_MUST_CHECK ArmStatus arm_criterion(ArmCriterionWork *work, const ArmCriterion *criterion,
                                       const double *m, double *value, double *dm);

/* The distance of two rows below, in doubles: p rounded up to whole vectors. */
size_t arm_criterion_stride(size_t p);

/* M of rows.
 *   w       rows x stride  row after row; what lies beyond column p must be finite and is ignored
 *   weight  rows           NULL = 1
 *   m       p x p          leading dimension p */
void arm_criterion_gram(ArmCriterionWork *work, size_t rows, const double *w, const double *weight,
                        double *m);

/* The gradient by the rows: dw_k = 2 weight_k^2 w_k dm.
 *   w, weight  as above
 *   dm         p x p
 *   dw         rows x stride  zero beyond column p; must not alias w */
void arm_criterion_rows(ArmCriterionWork *work, size_t rows, const double *w, const double *weight,
                        const double *dm, double *dw);

/* For reports: cond_2(W) by eigenvalues, and that of W with its columns scaled to unit length.
 *   m           p x p
 *   plain       cond_2(W), within about 1e-16 cond^2; INFINITY where M is singular to that
 *   normalised  the same of unit columns; may be NULL
 * ARM_E_NOT_FINITE. ARM_E_NUMERIC: LAPACK failed. */
ARM_MUST_CHECK ArmStatus arm_criterion_condition(ArmCriterionWork *work, const double *m,
                                                 double *plain, double *normalised);

#endif
