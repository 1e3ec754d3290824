/* SPDX-License-Identifier: MIT */
/* The planner as it was before rows of a sweep came from one chain per hold (3a8272b): a chain for
 * each of 24 positions of each hold and each trial, ties broken by rounding, and currents of all
 * joints in every row of an evaluation. What bench_plan measures against. */
#ifndef ARMATURE_TESTS_BENCH_PLAN_BEFORE_H
#define ARMATURE_TESTS_BENCH_PLAN_BEFORE_H

#include "core/sweeps/plan_internal.h"

typedef struct {
  const ArmModel *model;
  size_t joint, own, columns;
  double weight[ARM_MAX_JOINTS][2 * ARM_MAX_JOINTS];
  double prior_sd[ARM_MAX_JOINTS];
  double noise_sd;
  double moment[ARM_PLAN_MAX_COLUMNS * ARM_PLAN_MAX_COLUMNS];
} BeforeContext;

/* How equal holds are told apart. */
typedef enum {
  BEFORE_BY_ROUNDING,       /* as it was */
  BEFORE_BY_OTHER_ROUNDING, /* the same, scores off by up to 1e-15 */
  BEFORE_BY_RULE            /* scores to a relative 2^-32, as arm_plan_propose sees them */
} BeforeTies;

/* Each as the function of core/sweeps/plan.h or core/sweeps/plan_internal.h that it is named after.
 */
void before_context_init(BeforeContext *context, const ArmModel *model,
                         const ArmStructure *structure, const ArmGravityParameters *parameters,
                         const ArmPlanOptions *options, size_t joint);
double before_context_score(const BeforeContext *context, const ArmJointPlan *plan);
double before_score(const ArmModel *model, const ArmStructure *structure,
                    const ArmGravityParameters *parameters, const ArmPlanOptions *options,
                    size_t joint, const ArmJointPlan *plan);
ARM_MUST_CHECK ArmStatus before_propose(const ArmModel *model,
                                        const ArmGravityParameters *parameters,
                                        const ArmPlanOptions *options, BeforeTies ties,
                                        ArmPlan *plan);
ARM_MUST_CHECK ArmStatus before_evaluate(const ArmModel *model,
                                         const ArmGravityParameters *parameters,
                                         const ArmPlanOptions *options, const ArmPlan *plan,
                                         ArmPlanReport *report);

#endif
