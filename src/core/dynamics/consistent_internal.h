/* SPDX-License-Identifier: MIT */
/* What the two methods of completion share: data made linear, and ridge regression.
 *
 * Both make steps ds of coordinates of their own, d(pi, kap) = M ds, that solve
 *
 *   min | c + A ds |^2 + | d + D ds |^2        A = R M, D diagonal > 0
 *
 * with R the triangle of the data's Jacobian by (beta, kap) and c its residual. */
#ifndef ARMATURE_CORE_DYNAMICS_CONSISTENT_INTERNAL_H
#define ARMATURE_CORE_DYNAMICS_CONSISTENT_INTERNAL_H

#include "core/dynamics/consistent.h"
#include "core/dynamics/logchol.h"
#include "core/num/lsq.h"

typedef struct {
  const ArmConsistentData *data;
  size_t n, p;                        /* joints; base parameters */
  size_t free, joint[ARM_MAX_JOINTS]; /* unknown eta: how many, of which joints */
  size_t rows, columns;               /* of A: p + free, 10 n + free */
  size_t rank;                        /* singular values: the smaller of the two */
  ArmLsq *lsq;
  double *block;    /* p x (rows + 1)           one joint's */
  double *triangle; /* (rows + 1)^2             [ R | c ] */
  double *beta;     /* p */
  double *nominal;  /* 10 n */
  double *metric;   /* 10 x 10 x n              blocks of M, column-major; of kap it is 1 */
  double *a;        /* rows x columns           A D^-1, destroyed */
  double *c;        /* rows */
  double *diagonal; /* columns                  D */
  double *pull;     /* columns                  d */
  double *step;     /* columns                  ds */
  double *u;        /* rows x rank */
  double *vt;       /* rank x columns */
  double *singular; /* rank */
  double *lapack;
  int lapack_size; /* doubles */
} ArmConsistentWork;

/* Where a method is. */
typedef struct {
  double pi[10 * ARM_MAX_JOINTS];
  double kap[ARM_MAX_JOINTS];
  size_t iterations;
} ArmConsistentState;

/* ---- consistent_solve.c ---- */

/* ARM_E_MEMORY; free in any case. */
ArmStatus arm_consistent_work_new(size_t n, const ArmConsistentData *data, ArmConsistentWork *work);
void arm_consistent_work_free(ArmConsistentWork *work);

/* chi2. */
double arm_consistent_chi2(ArmConsistentWork *work, const ArmConsistentState *state);

/* Fills `triangle` at a state. ARM_E_NOT_FINITE. */
ArmStatus arm_consistent_linearise(ArmConsistentWork *work, const ArmConsistentState *state);

/* ds from triangle, metric, diagonal and pull. ARM_E_NUMERIC: the SVD failed.
 *   decrease  how much less the sum of squares is at ds than at 0 */
ArmStatus arm_consistent_step(ArmConsistentWork *work, double *decrease);

/* D of eta that stay as they are: the last columns' steps are 0. `is_last`: of the step that gives
 * the sds, the prior's. Nothing without has_eta. */
void arm_consistent_hold_eta(ArmConsistentWork *work, bool is_last);

/* The sds after a step, which is lost: of pi and kap, and those of the prior alone. */
void arm_consistent_spread(ArmConsistentWork *work, ArmConsistent *result);

/* change = M ds of one link. */
void arm_consistent_change(const ArmConsistentWork *work, size_t link, double *change);

/* The least of chi2 over beta at the last linearisation. */
double arm_consistent_least(const ArmConsistentWork *work);

/* ---- the methods: ARM_E_NUMERIC not converged, ARM_E_NO_DATA cancelled ---- */

/* Both start at the nominal links; the metric, D and d at the end are those of the end, so that a
 * step gives the sds. */
ArmStatus arm_consistent_logdet(ArmConsistentWork *work, const ArmConsistentOptions *options,
                                ArmConsistentState *state);
ArmStatus arm_consistent_logchol(ArmConsistentWork *work, const ArmConsistentOptions *options,
                                 ArmConsistentState *state);

#endif
