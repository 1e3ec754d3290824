/* SPDX-License-Identifier: MIT */
/* What the files of the point designer share: variables, the cost, random sequences. */
#ifndef ARMATURE_CORE_EXCITE_POINTS_INTERNAL_H
#define ARMATURE_CORE_EXCITE_POINTS_INTERNAL_H

#include "core/excite/energy.h"
#include "core/excite/points.h"

/* Variables z: for each joint whose position counts its z_q of all points, then for each joint its
 * z_v:
 *
 *   qd = speed sin z_v
 *   q  = mid + (half - margin qd^2) sin z_q */
typedef struct {
  const ArmPointsOptions *options;
  ArmEnergy *energy;
  ArmCriterionWork *work;
  size_t n, points, p, stride, variables;
  double mid[ARM_MAX_JOINTS], half[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS], margin[ARM_MAX_JOINTS];
  bool counts[ARM_MAX_JOINTS]; /* its position changes W */
  ArmCriterion criterion;      /* of the present stage */
  size_t evaluations;
  bool is_over;
  double *q, *qd, *q_bar, *qd_bar; /* points x n */
  double *sine, *cosine;           /* of z */
  double *w, *dw;                  /* (points - 1) x stride */
  double *m, *dm;                  /* p x p */
} ArmPointsSearch;

/* joint: as in points.h. */
ArmStatus arm_points_search_init(ArmPointsSearch *search, const ArmModel *model,
                                 const ArmPointsOptions *options, size_t *joint);
void arm_points_search_clear(ArmPointsSearch *search);

/* q and qd of z. */
void arm_points_place(ArmPointsSearch *search, const double *z);

/* L-BFGS first steps by the gradient itself: that of a logarithm leaps out of the slow path that a
 * start is. Of 40 starts for r = 30 on the limits of a PUMA 560 (p-norm homotopy, evaluations to
 * Cond 11.16) the median is 707 at 1, 31 at 0.1, 24 at 0.01. */
#define ARM_POINTS_COST_SCALE 0.01

/* An ArmSmoothObjective, ARM_POINTS_COST_SCALE times the criterion: counts, and asks whether to go
 * on. */
bool arm_points_cost(const double *z, double *gradient, double *value, void *search);

/* What sequences are compared by: cond_2 for condition numbers, P = 512 for E. INFINITY where M is
 * singular. W and M of z are left in the search. */
double arm_points_measure(ArmPointsSearch *search, const double *z);

/* A slow path in q with random speeds. */
void arm_points_start(const ArmPointsSearch *search, uint64_t *random, double *z);

/* A random change of a sequence. */
void arm_points_kick(const ArmPointsSearch *search, uint64_t *random, double *z);

#endif
