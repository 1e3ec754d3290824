/* SPDX-License-Identifier: MIT */
/* The planner against published figures of the PUMA 560 and against random plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/plan.h"
#include "core/predict.h"
#include "support/golden.h"
#include "support/support.h"

#define DEG (3.14159265358979323846 / 180.0)

static const double table1_sd[6] = {.0225, .0293, .0149, .0187, .0167, .00636};

static ArmGravityFit fit_golden(const Golden *golden) {
  GoldenDataset set;
  ArmFitOptions options;
  ArmGravityFit fit;
  assert_true(golden_dataset_init(&set, golden));
  arm_fit_options_default(&options);
  assert_int_equal(arm_gravity_fit(&golden->model, &set.data, &options, &fit), ARM_OK);
  for (size_t i = 0; i < 6; i++)
    fit.refined.joint[i].residual_sd = table1_sd[i];
  golden_dataset_clear(&set);
  return fit;
}

/* sweeps of +-125 deg, holds within +-180 deg: equilibrated 8.1 and centred 2.0 for joints 2-6 */
static void test_free_puma_reaches_the_floor(void **state) {
  (void)state;
  Golden *golden = golden_load("puma560_table1");
  ArmGravityFit fit = fit_golden(golden);
  ArmPlanOptions options;
  ArmPlan plan;
  ArmPlanReport report;
  arm_plan_options_default(&options);
  options.ignores_limits = true;
  assert_int_equal(arm_plan_propose(&golden->model, &fit.refined, &options, &plan), ARM_OK);
  assert_int_equal(arm_plan_evaluate(&golden->model, &fit.refined, &options, &plan, &report),
                   ARM_OK);
  for (size_t i = 0; i < 6; i++) {
    const ArmJointFit *joint = &report.predicted.joint[i];
    print_message("# joint %zu: equilibrated %.4f centred %.4f score %.3g A, %zu holds\n", i + 1,
                  joint->cond_equilibrated, joint->cond_centred, report.score[i],
                  plan.joint[i].n_holds);
    for (size_t h = 0; h < plan.joint[i].n_holds; h++)
      print_message("#   hold %7.1f %7.1f %7.1f %7.1f %7.1f %7.1f\n",
                    plan.joint[i].holds[h][0] / DEG, plan.joint[i].holds[h][1] / DEG,
                    plan.joint[i].holds[h][2] / DEG, plan.joint[i].holds[h][3] / DEG,
                    plan.joint[i].holds[h][4] / DEG, plan.joint[i].holds[h][5] / DEG);
    assert_int_equal(report.excitation_rank[i], report.excitation_required[i]);
    if (i > 0) {
      assert_true(joint->cond_equilibrated <= 8.1);
      assert_true(joint->cond_centred <= 2.0);
    }
  }
  arm_plan_report_clear(&report);
  arm_gravity_fit_clear(&fit);
  golden_free(golden);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_puma_reaches_the_floor)};
  return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
