/* SPDX-License-Identifier: MIT */
/* One joint's gravity columns for the planner: its own, and one per cluster it reaches outboard. */
#ifndef ARMATURE_CORE_PLAN_INTERNAL_H
#define ARMATURE_CORE_PLAN_INTERNAL_H

#include "core/sweeps/plan.h"

enum { ARM_PLAN_MAX_COLUMNS = 2 + ARM_MAX_JOINTS };

typedef struct {
  const ArmModel *model;
  size_t joint, own, columns;                        /* own 0..2, columns = own + clusters */
  double weight[ARM_MAX_JOINTS][2 * ARM_MAX_JOINTS]; /* [cluster]: V = row . weight */
  double prior_sd[ARM_MAX_JOINTS];                   /* of the ratio to that cluster */
  double noise_sd;                                   /* A */
  double moment[ARM_PLAN_MAX_COLUMNS * ARM_PLAN_MAX_COLUMNS]; /* mean of a a^T over random poses */
} ArmPlanContext;

void arm_plan_context_init(ArmPlanContext *context, const ArmModel *model,
                           const ArmStructure *structure, const ArmGravityParameters *parameters,
                           const ArmPlanOptions *options, size_t joint);

/* Gravity columns at pose q.
 *   a  columns  out */
void arm_plan_columns(const ArmPlanContext *context, const double *q, double *a);

double arm_plan_context_score(const ArmPlanContext *context, const ArmJointPlan *plan);

#endif
