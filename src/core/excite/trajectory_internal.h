/* SPDX-License-Identifier: MIT */
/* What the parts of the trajectory designer share. */
#ifndef ARMATURE_CORE_EXCITE_TRAJECTORY_INTERNAL_H
#define ARMATURE_CORE_EXCITE_TRAJECTORY_INTERNAL_H

#include "core/excite/dense_kernel.h"
#include "core/excite/limits.h"
#include "core/excite/trajectory.h"

/* Samples of a period, and a motion there. Rows of the free variables, times down. */
typedef struct {
  size_t samples;                      /* a multiple of ARM_DENSE_STEP */
  double *rows[ARM_MOTION_QUANTITIES]; /* samples x free */
  double *back[ARM_MOTION_QUANTITIES]; /* padded x samples: the same, row after row */
  double *x[ARM_MOTION_QUANTITIES];    /* samples x n  q, qd, qdd */
  double *bar[ARM_MOTION_QUANTITIES];  /* samples x n  what the cost's gradient gives them */
} ArmTrajectoryGrid;

typedef struct {
  const ArmModel *model;
  const ArmBase *base;
  const ArmTrajectoryOptions *options;
  ArmMotionLimits limits;
  ArmCriterion criterion; /* of the stage */
  ArmCriterionWork *work;
  const ArmDenseKernel *kernel;
  size_t n, functions, free, variables, stride;
  size_t padded; /* free, up to a multiple of ARM_DENSE_STEP */
  ArmTrajectoryGrid cost, bound;
  double *z;   /* functions x free */
  double *sum; /* padded x n: of move_back */
  /* regressor: rows are joint by joint, times within */
  double *full, *weight, *w, *dw, *column_bar, *inertial_bar, *m, *dm;
  double *multiplier;    /* 2 x quantities x samples of bound x n: upper, lower */
  double rho, violation; /* of the Lagrangian; the largest c when it was last computed */
  size_t evaluations;
  bool is_over;
  ArmStatus failure; /* of an evaluation that could not be made */
  void *block;
  struct ArmTrajectoryScene *scene; /* NULL: nothing but joint limits */
} ArmTrajectorySearch;

/* Errors of arm_trajectory_design. The search is cleared in any case. */
ARM_MUST_CHECK ArmStatus arm_trajectory_search_init(ArmTrajectorySearch *s, const ArmModel *model,
                                                    const ArmBase *base,
                                                    const ArmTrajectoryOptions *options,
                                                    size_t *joint);
void arm_trajectory_search_clear(ArmTrajectorySearch *s);

/* The criterion at the motion in s->cost.x, and in s->cost.bar its gradient there. Errors of
 * arm_criterion: ARM_E_NUMERIC and ARM_E_NOT_FINITE where the motion tells nothing. */
ARM_MUST_CHECK ArmStatus arm_trajectory_observe(ArmTrajectorySearch *s, double *value);

/* The Lagrangian and its gradient at y, an ArmSmoothObjective; user is the search. */
bool arm_trajectory_cost(const double *y, double *gradient, double *value, void *user);

/* la <- max(0, la + rho c) at y; leaves the largest c in s->violation. */
void arm_trajectory_update(ArmTrajectorySearch *s, const double *y);

/* The criterion without limits at coefficients c; INFINITY where M is singular. */
double arm_trajectory_measure(ArmTrajectorySearch *s, const double *c, double *y);

#endif
