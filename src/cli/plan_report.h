/* SPDX-License-Identifier: MIT */
/* A plan of sweeps for people and for programs. */
#ifndef ARMATURE_CLI_PLAN_REPORT_H
#define ARMATURE_CLI_PLAN_REPORT_H

#include <stdbool.h>

#include "core/sweeps/plan.h"
#include "io/arm/arm_file.h"

typedef struct {
  const AioArm *arm;
  const char *params_path; /* NULL: planned with the nominal masses of the arm file */
  const ArmPlanOptions *options;
  const ArmPlan *plan;
  ArmPlanReport *report;
  const ArmParamSet *found; /* what a fit is expected to know */
} CliPlanReport;

/* {"format": "armature-plan", "version": 1, ..}; free with g_free. */
char *cli_plan_format(const CliPlanReport *report, gsize *length);
void cli_plan_print(const CliPlanReport *report);

/* CLI_INFEASIBLE when a gravity or friction parameter would not be identifiable; says which. */
int cli_plan_judge(const CliPlanReport *report);

#endif
