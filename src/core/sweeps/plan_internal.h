/* SPDX-License-Identifier: MIT */
/* One joint's gravity columns for the planner: its own, and one per cluster it reaches outboard. */
#ifndef ARMATURE_CORE_PLAN_INTERNAL_H
#define ARMATURE_CORE_PLAN_INTERNAL_H

#include "core/sweeps/plan.h"

enum { ARM_PLAN_MAX_COLUMNS = 2 + ARM_MAX_JOINTS };

typedef struct {
  const ArmModel *model;
  size_t joint, own, columns;                               /* own 0..2, columns = own + clusters */
  double weight[ARM_MAX_JOINTS][2 * ARM_MAX_JOINTS];        /* [cluster]: V = row . weight */
  double coupling[ARM_MAX_JOINTS];                          /* row `joint` of (I+L)^-T */
  double prior_sd[ARM_MAX_JOINTS];                          /* of the ratio to that cluster */
  double noise_sd;                                          /* A */
  double square[ARM_PLAN_MAX_COLUMNS];                      /* mean of a^2 over random poses */
  double root[ARM_PLAN_MAX_COLUMNS * ARM_PLAN_MAX_COLUMNS]; /* U, upper: mean of a a^T = U^T U */
} ArmPlanContext;

void arm_plan_context_init(ArmPlanContext *context, const ArmModel *model,
                           const ArmStructure *structure, const ArmGravityParameters *parameters,
                           const ArmPlanOptions *options, size_t joint);

/* Gravity columns at pose q.
 *   a  columns  out */
void arm_plan_columns(const ArmPlanContext *context, const double *q, double *a);

/* ---- plan_hold.c ---- */

/* The chain at one hold, so that the next hold asked for costs only what moved. */
typedef struct {
  double q[ARM_MAX_JOINTS]; /* where it stands, NAN: nowhere yet */
  double rotation[ARM_MAX_JOINTS][9];
  double gravity[ARM_MAX_JOINTS][3];               /* inboard of the joint, in frame j [m/s^2] */
  double lever[ARM_MAX_JOINTS][ARM_MAX_JOINTS][3]; /* [cluster][j]: v, outboard, in frame j */
  double pull[ARM_MAX_JOINTS][ARM_MAX_JOINTS][3];  /* [cluster][j]: w of coupled motors */
} ArmPlanChain;

void arm_plan_chain_clear(ArmPlanChain *chain);

/* Columns while the joint alone moves: a[0] + a[1] cos(offset + q) + a[2] sin(offset + q) of its
 * own position q (a T joint: a[0] alone). The same bits whatever `chain` held before.
 *   at  n, at[joint] is not read    a  columns x 3  out */
void arm_plan_hold_columns(const ArmPlanContext *context, const double *at, ArmPlanChain *chain,
                           double (*a)[3]);

/* ---- plan_score.c ---- */

/* Mean of (cos, sin)(offset + q) over the positions of a sweep, and about it the triangle
 * [root0 root1; 0 root2] of these two columns. */
typedef struct {
  double from, to;
  size_t positions; /* of these; 0: of none yet */
  double mean[2], root[3];
} ArmPlanGrid;

/* What scores of one joint share; hold h uses chain[h % count]. */
typedef struct {
  ArmPlanGrid grid;
  size_t count;
  ArmPlanChain *chain;
} ArmPlanMemo;

double arm_plan_context_score(const ArmPlanContext *context, const ArmJointPlan *plan,
                              ArmPlanMemo *memo);

#endif
