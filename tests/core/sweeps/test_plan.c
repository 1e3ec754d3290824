/* SPDX-License-Identifier: MIT */
/* The planner against published figures of the PUMA 560 and against random plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/sweeps/plan.h"
#include "core/sweeps/predict.h"
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

/* Hold configurations of Lin 1994 ("paper") and antipodal ones, degrees, joints 2..6; the swept
 * joint's entry means nothing. */
typedef struct {
  double hold[2][6];
  size_t n_holds;
  double raw, equilibrated, centred;
} TableRow;

static const TableRow paper[6] = {
    {{{0}}, 1, 7.2, 7.21, 1.0},
    {{{0, 0, 90, 0, 0, 0}, {0, 0, 150, 0, 0, 0}}, 2, 58.8, 8.73, 3.77},
    {{{0, -90, 0, 0, 0, 0}, {0, -90, 0, 0, 90, 0}}, 2, 778, 8.14, 6.90},
    {{{0, -90, 0, 0, 0, 0}, {0, -90, 0, 0, 90, 0}}, 2, 158, 8.06, 2.81},
    {{{0, -90, 0, 0, 0, 0}, {0, -90, 0, 0, 0, 90}}, 2, 2.0e5, 21.2, 19.2},
    {{{0, -90, 0, 0, 0, 0}}, 1, 58.8, 8.06, 1.96},
};
static const TableRow antipodal[6] = {
    {{{0}}, 1, 7.2, 7.21, 1.0},
    {{{0, 0, 0, 0, 0, 0}, {0, 0, 180, 0, 0, 0}}, 2, 58.8, 8.06, 1.96},
    {{{0, -90, 0, -10, 90, 0}, {0, -90, 0, 170, 90, 0}}, 2, 206, 8.06, 1.96},
    {{{0, -90, 0, 0, 90, 39}, {0, -90, 0, 0, -90, 39}}, 2, 70.9, 8.06, 1.96},
    {{{0, -90, 0, 0, 0, 39}, {0, -90, 0, 0, 0, -141}}, 2, 1.4e4, 8.06, 1.96},
    {{{0, -90, 0, 0, 0, 0}}, 1, 58.8, 8.06, 1.96},
};

static ArmPlan plan_of_table(const Golden *golden, const TableRow *table,
                             const ArmPlanOptions *options) {
  ArmPlan plan = {.n = 6};
  ArmStructure structure;
  assert_int_equal(arm_structure_find(&golden->model, &structure), ARM_OK);
  for (size_t i = 0; i < 6; i++) {
    arm_plan_joint_init(&golden->model, &structure, options, i, &plan.joint[i]);
    plan.joint[i].n_holds = table[i].n_holds;
    for (size_t h = 0; h < table[i].n_holds; h++)
      for (size_t j = 0; j < 6; j++)
        plan.joint[i].holds[h][j] = table[i].hold[h][j] * DEG;
  }
  return plan;
}

static ArmPlanReport evaluate_table(const Golden *golden, const ArmGravityFit *fit,
                                    const TableRow *table) {
  ArmPlanOptions options;
  ArmPlanReport report;
  arm_plan_options_default(&options);
  options.ignores_limits = true;
  const ArmPlan plan = plan_of_table(golden, table, &options);
  assert_int_equal(arm_plan_evaluate(&golden->model, &fit->refined, &options, &plan, &report),
                   ARM_OK);
  return report;
}

static void test_published_condition_numbers(void **state) {
  (void)state;
  const TableRow *const tables[] = {paper, antipodal};
  Golden *golden = golden_load("puma560_table1");
  ArmGravityFit fit = fit_golden(golden);
  for (size_t t = 0; t < 2; t++) {
    ArmPlanReport report = evaluate_table(golden, &fit, tables[t]);
    for (size_t i = 0; i < 6; i++) {
      const ArmJointFit *joint = &report.predicted.joint[i];
      assert_true(test_is_near(joint->cond_raw, tables[t][i].raw, 0.03, 0.0));
      assert_true(test_is_near(joint->cond_equilibrated, tables[t][i].equilibrated, 0.005, 0.0));
      assert_true(test_is_near(joint->cond_centred, tables[t][i].centred, 0.005, 0.01));
    }
    arm_plan_report_clear(&report);
  }
  arm_gravity_fit_clear(&fit);
  golden_free(golden);
}

/* standard deviations of the whole chain by a published 60-run Monte Carlo (error about 9 %),
 * k*g in mA; 30 % also covers two-digit rounding */
static void test_published_standard_deviations(void **state) {
  (void)state;
  static const double k_sd[6][2] = {{0, 0}, {1.1, .67}, {.34, .62}, {.48, .73}, {.40, 0}, {0, 0}};
  static const double ratio_sd[3] = {.0010, .0079, .0033};
  Golden *golden = golden_load("puma560_table1");
  ArmGravityFit fit = fit_golden(golden);
  ArmPlanReport report = evaluate_table(golden, &fit, antipodal);
  for (size_t i = 1; i < 5; i++)
    for (size_t a = 0; a < 2; a++)
      if (k_sd[i][a] > 0.0)
        assert_true(test_is_near(report.predicted.joint[i].w[a].sd * 9800.0, k_sd[i][a], 0.3, 0.0));
  for (size_t i = 1; i < 4; i++)
    assert_true(test_is_near(report.predicted.ratio[i][i + 1].sd, ratio_sd[i - 1], 0.3, 0.0));
  assert_false(report.predicted.ratio[4][5].identifiable);
  assert_int_equal(report.predicted.ratio[4][5].reason, ARM_REASON_TOO_WEAK);
  arm_plan_report_clear(&report);
  arm_gravity_fit_clear(&fit);
  golden_free(golden);
}

static size_t rank_at(const Golden *golden, const ArmGravityFit *fit, size_t joint,
                      const ArmJointPlan *plan) {
  ArmStructure structure;
  size_t rank, required;
  assert_int_equal(arm_structure_find(&golden->model, &structure), ARM_OK);
  arm_plan_excitation(&golden->model, &structure, &fit->refined, joint, plan, &rank, &required);
  assert_int_equal(required, 3);
  return rank;
}

/* one hold never suffices, and a different displacement is not a different lever */
static void test_exact_excitation_condition(void **state) {
  (void)state;
  Golden *golden = golden_load("puma560_table1");
  ArmGravityFit fit = fit_golden(golden);
  ArmPlanOptions options;
  arm_plan_options_default(&options);
  options.ignores_limits = true;
  ArmPlan plan = plan_of_table(golden, antipodal, &options);
  ArmJointPlan *p = &plan.joint[1];
  assert_int_equal(rank_at(golden, &fit, 1, p), 3);
  p->n_holds = 1;
  assert_int_equal(rank_at(golden, &fit, 1, p), 2);
  p->n_holds = 2;
  memcpy(p->holds[1], p->holds[0], sizeof p->holds[1]);
  p->holds[1][0] = 1.0; /* joint 1 is inboard: another displacement, the same lever */
  assert_int_equal(rank_at(golden, &fit, 1, p), 2);
  p = &plan.joint[3]; /* axis 4 vertical at q3 = 90 deg: gravity does not load it at all */
  for (size_t h = 0; h < 2; h++)
    p->holds[h][2] = 90.0 * DEG;
  assert_true(rank_at(golden, &fit, 3, p) < 3);
  arm_gravity_fit_clear(&fit);
  golden_free(golden);
}

/* The mass that a boom carries, in kg, says nothing about a wrist's load, in kg m: a plan for
 * made-up wrist loads left k*4 and eta4/eta5 of the Stanford arm undetermined. */
static void test_loads_of_their_own_unit(void **state) {
  (void)state;
  ArmModel model;
  ArmGravityParameters nominal;
  const double mass[3] = {5, 50, 1}, right = 90.0 * DEG;
  assert_int_equal(arm_model_init(&model, 3), ARM_OK);
  arm_joint_set_mdh(&model.joints[0], ARM_JOINT_R, right, 0, 0, 0);
  arm_joint_set_mdh(&model.joints[1], ARM_JOINT_T, right, 0, 0, 0);
  arm_joint_set_mdh(&model.joints[2], ARM_JOINT_R, right, 0, 0, 0);
  for (size_t i = 0; i < 3; i++) {
    ArmLink *link = &model.joints[i].link;
    link->is_present = true;
    link->mass_kg = mass[i];
    memcpy(link->com_m, (double[3]){i == 2 ? 0.05 : 0, 0, 0}, sizeof link->com_m);
  }
  assert_int_equal(arm_plan_nominal(&model, &nominal, NULL), ARM_OK);
  assert_true(test_is_near(nominal.joint[1].w[0].used, 51, 1e-12, 0));
  assert_true(test_is_near(nominal.joint[2].w[0].used, 0.05, 1e-12, 0));
  assert_true(fabs(nominal.joint[2].w[1].used) < 1e-12);
  arm_gravity_parameters_clear(&nominal);
}

/* What is promised without masses holds for the real ones within a factor 1.5, and is not nothing.
 */
static void check_promises(const Golden *golden, const ArmPlan *plan, ArmPlanReport *promised) {
  GoldenDataset set;
  ArmFitOptions fit_options;
  ArmPlanOptions options;
  ArmGravityFit fit;
  ArmPlanReport real;
  size_t count = 0;
  arm_fit_options_default(&fit_options);
  arm_plan_options_default(&options);
  assert_true(golden_dataset_init(&set, golden));
  assert_int_equal(arm_gravity_fit(&golden->model, &set.data, &fit_options, &fit), ARM_OK);
  for (size_t i = 0; i < 6; i++)
    fit.refined.joint[i].residual_sd = (double)NAN;
  assert_int_equal(arm_plan_evaluate(&golden->model, &fit.refined, &options, plan, &real), ARM_OK);
  for (size_t k = 0; k < real.predicted.n_ids; k++) {
    const ArmParamId id = real.predicted.ids[k];
    const double sd = arm_gravity_parameters_at(&promised->predicted, id)->sd;
    const double want = arm_gravity_parameters_at(&real.predicted, id)->sd;
    assert_true(id.kind != ARM_PARAM_RATIO || isnan(sd));
    if (isnan(sd))
      continue;
    count++;
    assert_true(sd <= 1.5 * want && want <= 1.5 * sd);
  }
  assert_true(count >= 14); /* viscous friction of all, all of the first joint */
  arm_plan_report_clear(&real);
  arm_gravity_fit_clear(&fit);
  golden_dataset_clear(&set);
}

/* An arm file without masses: the structure alone asks for two different holds where a ratio is to
 * be found, and the limits, accelerations and speeds of the file are kept. */
static void test_plan_without_masses(void **state) {
  (void)state;
  Golden *golden = golden_load("puma560_table1");
  ArmModel *model = &golden->model;
  ArmGravityParameters nominal;
  ArmPlanOptions options;
  ArmPlanReport report;
  ArmPlan plan;
  for (size_t i = 0; i < 6; i++) {
    model->joints[i].link.is_present = false;
    model->joints[i].limits.q_min = -1e5;
    model->joints[i].limits.q_max = 1e5;
    model->joints[i].limits.accel_max = 0.01;
  }
  arm_plan_options_default(&options);
  assert_int_equal(arm_plan_nominal(model, &nominal, &options), ARM_OK);
  assert_true(options.is_made_up);
  assert_int_equal(arm_plan_propose(model, &nominal, &options, &plan), ARM_OK);
  assert_int_equal(arm_plan_evaluate(model, &nominal, &options, &plan, &report), ARM_OK);
  assert_true(report.predicted.joint[0].friction[0].identifiable);
  check_promises(golden, &plan, &report);
  assert_true(isnan(report.score[1]) && isnan(report.score[5]) && report.score[0] == 0.0);
  assert_int_equal(report.predicted.ratio[1][2].reason, ARM_REASON_LOAD_NOT_STATED);
  for (size_t i = 1; i < 6; i++) {
    const ArmJointPlan *p = &plan.joint[i];
    assert_int_equal(report.excitation_required[i], i < 5 ? 3 : 2);
    assert_int_equal(p->n_holds, i < 5 ? 2 + ARM_PLAN_MORE_HOLDS : 1);
    assert_int_equal(report.excitation_rank[i], report.excitation_required[i]);
    assert_true(report.predicted.joint[i].w[0].identifiable);
    for (size_t j = 0; j < 6; j++)
      assert_true(fabs(p->holds[0][j]) <= 360.0 * DEG);
    for (size_t k = 0; k < p->n_speeds; k++)
      assert_true(p->speeds[k] * p->speeds[k] <= 2.0 * 0.01 * 0.1 * (p->to - p->from) * 1.001);
  }
  arm_plan_report_clear(&report);
  arm_gravity_parameters_clear(&nominal);
  golden_free(golden);
}

/* planar 2R under gravity, drives as stated */
static void make_planar(ArmModel *model, double outer_kg) {
  assert_int_equal(arm_model_init(model, 2), ARM_OK);
  model->gravity_m_s2[0] = -9.81;
  model->gravity_m_s2[2] = 0.0;
  for (size_t i = 0; i < 2; i++) {
    ArmJoint *joint = &model->joints[i];
    arm_joint_set_mdh(joint, ARM_JOINT_R, 0.0, 0.4 * (double)i, 0.0, 0.0);
    joint->link =
        (ArmLink){.is_present = true, .mass_kg = i ? outer_kg : 5.0, .com_m = {0.2, 0.0, 0.0}};
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){.gear_ratio = 100.0,
                                  .motor_sign = 1,
                                  .torque_constant_Nm_A = 0.1,
                                  .torque_constant_rel_sd = 0.1,
                                  .rotor_inertia_kg_m2 = (double)NAN};
  }
}

static void plan_planar(const ArmModel *model, ArmPlanOptions *options, ArmPlanReport *report) {
  ArmGravityParameters nominal;
  ArmPlan plan;
  arm_plan_options_default(options);
  assert_int_equal(arm_plan_nominal(model, &nominal, options), ARM_OK);
  assert_int_equal(arm_plan_propose(model, &nominal, options, &plan), ARM_OK);
  assert_int_equal(arm_plan_evaluate(model, &nominal, options, &plan, report), ARM_OK);
  arm_gravity_parameters_clear(&nominal);
}

/* Ratios have the size of the loads in A, which takes the drives. */
static void test_plan_without_drives(void **state) {
  (void)state;
  ArmModel model;
  ArmPlanOptions options;
  ArmPlanReport report;
  make_planar(&model, 2.0);
  plan_planar(&model, &options, &report);
  assert_false(options.is_made_up || options.is_unscaled);
  assert_true(report.predicted.ratio[0][1].identifiable && report.score[0] > 0.0);
  arm_plan_report_clear(&report);
  model.joints[1].n_motors = 0;
  plan_planar(&model, &options, &report);
  assert_true(options.is_unscaled && !options.is_made_up);
  assert_int_equal(report.predicted.ratio[0][1].reason, ARM_REASON_LOAD_NOT_STATED);
  assert_true(isnan(report.score[0]) && isnan(report.predicted.joint[1].w[0].sd));
  assert_true(report.predicted.joint[1].friction[1].sd > 0.0);
  arm_plan_report_clear(&report);
}

/* A load that a plan takes for larger than it is stated is promised as it is stated: a fifth of
 * the load has five times the sd. */
static void test_promise_of_a_small_load(void **state) {
  (void)state;
  double sd[2];
  for (size_t k = 0; k < 2; k++) {
    ArmModel model;
    ArmPlanOptions options;
    ArmPlanReport report;
    make_planar(&model, k ? 0.02 : 0.1); /* 2 % of joint 1's load: 0.11, 0.13 kg */
    plan_planar(&model, &options, &report);
    sd[k] = report.predicted.ratio[0][1].identifiable ? report.predicted.ratio[0][1].sd
                                                      : (double)INFINITY;
    arm_plan_report_clear(&report);
  }
  assert_true(sd[0] > 0.0 && sd[1] > 3.0 * sd[0]);
}

/* Of three joints in a plane the outermost is found: the middle one needs no holds more, the
 * innermost still carries the middle one's made-up load. */
static void test_plan_after_the_first_joint(void **state) {
  (void)state;
  ArmModel model;
  ArmGravityParameters known, found = {.n = 3};
  ArmPlanOptions options;
  ArmPlan before, after;
  assert_int_equal(arm_model_init(&model, 3), ARM_OK);
  model.gravity_m_s2[0] = -9.81;
  model.gravity_m_s2[2] = 0.0;
  for (size_t i = 1; i < 3; i++)
    arm_joint_set_mdh(&model.joints[i], ARM_JOINT_R, 0.0, 0.4, 0.0, 0.0);
  arm_plan_options_default(&options);
  assert_int_equal(arm_plan_nominal(&model, &known, &options), ARM_OK);
  assert_int_equal(arm_plan_propose(&model, &known, &options, &before), ARM_OK);
  found.joint[2] = (ArmJointFit){.rows_used = 100, .residual_sd = 0.003};
  found.joint[2].w[0].used = 0.3;
  found.joint[2].w[1].used = -0.4;
  found.joint[2].friction[0].used = 0.7;
  arm_plan_take_found(&found, &known, &options);
  assert_true(options.is_made_up && options.is_unscaled && options.is_found[2]);
  assert_true(known.joint[2].w[1].used == -0.4 && known.joint[2].friction[0].used == 0.7);
  assert_true(known.joint[2].residual_sd == 0.003 && isnan(known.joint[1].residual_sd));
  assert_true(
      test_is_near(hypot(known.joint[1].w[0].used, known.joint[1].w[1].used), 0.5, 1e-12, 0));
  assert_int_equal(arm_plan_propose(&model, &known, &options, &after), ARM_OK);
  assert_int_equal(after.joint[2].n_holds, before.joint[2].n_holds);
  assert_int_equal(after.joint[1].n_holds, before.joint[1].n_holds - ARM_PLAN_MORE_HOLDS);
  assert_int_equal(after.joint[0].n_holds, before.joint[0].n_holds);
  found.joint[0].rows_used = found.joint[1].rows_used = 100;
  arm_plan_take_found(&found, &known, &options);
  assert_false(options.is_made_up || options.is_unscaled);
  arm_gravity_parameters_clear(&known);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_puma_reaches_the_floor),
      cmocka_unit_test(test_published_condition_numbers),
      cmocka_unit_test(test_published_standard_deviations),
      cmocka_unit_test(test_exact_excitation_condition),
      cmocka_unit_test(test_loads_of_their_own_unit),
      cmocka_unit_test(test_plan_without_masses),
      cmocka_unit_test(test_plan_without_drives),
      cmocka_unit_test(test_promise_of_a_small_load),
      cmocka_unit_test(test_plan_after_the_first_joint),
  };
  return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
