/* SPDX-License-Identifier: MIT */
/* The point designer: its gradient by differences, limits, what it reaches, and that (seed,
 * evaluations) says which design it is, whatever ends the search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/points_internal.h"
#include "core/num/optimise.h"
#include "support/dyn_random.h"
#include "support/robot3.h"
#include "support/support.h"

static const double accelerations[3] = {5, 4, 8};

static ArmPointsOptions options_of(size_t r, size_t evaluations) {
  return (ArmPointsOptions){
      .r = r, .criterion = {.kind = ARM_CRITERION_COND_P}, .seed = 1, .evaluations = evaluations};
}

static void model_of(Robot3Set set, ArmModel *model) {
  robot3_model(set, model);
  for (size_t j = 0; j < 3; j++)
    model->joints[j].limits.accel_max = accelerations[j];
}

/* ---- the cost ---- */

static double cost_at(ArmPointsSearch *search, const double *z) {
  double value = 0, unused[400];
  assert_true(search->variables <= 400);
  assert_true(arm_points_cost(z, unused, &value, search));
  return value;
}

static double gradient_error(ArmPointsSearch *search, double *z) {
  static const double weight[3] = {45, -9, 1};
  double gradient[400], value, worst = 0, most = 0;
  assert_true(arm_points_cost(z, gradient, &value, search));
  for (size_t k = 0; k < search->variables; k++) {
    const double was = z[k], step = search->options->lambda > 0 ? 1e-6 : 1e-4;
    double want = 0;
    for (int s = 1; s <= 3; s++)
      for (int side = -1; side <= 1; side += 2) {
        z[k] = was + side * s * step;
        want += side * weight[s - 1] * cost_at(search, z) / (60 * step);
      }
    z[k] = was;
    most = fmax(most, fabs(want));
    worst = fmax(worst, fabs(want - gradient[k]));
  }
  return worst / most;
}

static void test_gradient(void **state) {
  static ArmModel model;
  static const ArmCriterionKind kinds[] = {ARM_CRITERION_D, ARM_CRITERION_A, ARM_CRITERION_COND_P};
  uint64_t random = test_seed(1);
  double worst = 0;
  (void)state;
  model_of(ROBOT3_P, &model);
  for (size_t round = 0; round < 12; round++) {
    ArmPointsOptions options = options_of(18, 1000000);
    ArmPointsSearch search;
    size_t joint;
    double z[400];
    options.has_margin = round % 2;
    options.lambda = round / 2 % 2 ? 0.1 : 0;
    options.criterion.kind = kinds[round % 3];
    assert_int_equal(arm_points_search_init(&search, &model, &options, &joint), ARM_OK);
    assert_int_equal(search.variables, 5 * 19); /* joint 1's position does not count */
    assert_true(!search.counts[0] && search.counts[1] && search.counts[2]);
    search.criterion = (ArmCriterion){.kind = kinds[round % 3], .exponent = 2};
    arm_points_start(&search, &random, z);
    /* away from values of W that are almost zero, of which S is made */
    assert_int_equal(
        arm_optimise_smooth(search.variables, z, 60, 0, arm_points_cost, &search, NULL), ARM_OK);
    worst = fmax(worst, gradient_error(&search, z));
    arm_points_search_clear(&search);
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-6);
}

/* ---- designs ---- */

static void check_limits(const ArmModel *model, const ArmPoints *points, bool has_margin) {
  for (size_t j = 0; j < points->n; j++) {
    const ArmLimits *limits = &model->joints[j].limits;
    for (size_t i = 0; i < points->points; i++) {
      const double q = points->q[j * points->points + i], qd = points->qd[j * points->points + i];
      const double way = has_margin ? 0.75 * qd * qd / limits->accel_max : 0;
      assert_true(fabs(qd) <= limits->speed_max);
      assert_true(q - way >= limits->q_min - 1e-12 && q + way <= limits->q_max + 1e-12);
    }
  }
}

static double design(Robot3Set set, const ArmPointsOptions *options, ArmPoints *points) {
  static ArmModel model;
  model_of(set, &model);
  assert_int_equal(arm_points_design(&model, options, points, NULL), ARM_OK);
  check_limits(&model, points, options->has_margin);
  assert_true(points->evaluations == options->evaluations);
  assert_int_equal(points->points, options->r + 1);
  return points->condition;
}

/* Limits: what this seed reaches, and 10 %. */
static void test_condition_numbers(void **state) {
  static const struct {
    Robot3Set set;
    size_t r;
    double limit;
  } cases[] = {{ROBOT3_P, 15, 8}, {ROBOT3_P, 30, 3.6}, {ROBOT3_A, 30, 9.8}, {ROBOT3_F, 30, 1.2}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const ArmPointsOptions options = options_of(cases[k].r, 8000);
    ArmPoints points;
    const double condition = design(cases[k].set, &options, &points);
    print_message("# r %d: %.3f\n", (int)cases[k].r, condition);
    assert_true(condition < cases[k].limit);
    assert_true(test_is_near(points.value, log(condition), 1e-9, 0));
    arm_points_clear(&points);
  }
}

/* D and A give smaller variances than the smallest condition number; S costs some of it. */
static void test_criteria_differ(void **state) {
  static const ArmCriterionKind kinds[] = {ARM_CRITERION_COND_P, ARM_CRITERION_D, ARM_CRITERION_A,
                                           ARM_CRITERION_E};
  double condition[4], value[4];
  ArmPoints points;
  (void)state;
  for (size_t k = 0; k < 4; k++) {
    ArmPointsOptions options = options_of(30, 3000);
    options.criterion.kind = kinds[k];
    options.has_margin = true;
    condition[k] = design(ROBOT3_P, &options, &points);
    value[k] = points.value;
    assert_true(points.normalised >= 1);
    arm_points_clear(&points);
  }
  print_message("# conditions %.3g %.3g %.3g %.3g\n", condition[0], condition[1], condition[2],
                condition[3]);
  assert_true(condition[0] < condition[1] && condition[0] < condition[2]);
  assert_true(value[1] < -38); /* the stored design of least condition has log det M = 38.1 */
  ArmPointsOptions options = options_of(30, 6000);
  options.lambda = 0.1;
  condition[0] = design(ROBOT3_P, &options, &points);
  print_message("# with S: (%.3g, %.3g)\n", condition[0], points.spread);
  assert_true(condition[0] < 11.16 && points.spread < 5000); /* without: 1e6 and more */
  arm_points_clear(&points);
}

/* ---- what ends it ---- */

typedef struct {
  size_t limit, seen;
} Watch;

static bool watch(size_t evaluations, const double *m, void *user) {
  Watch *w = user;
  assert_true((m == NULL) == (evaluations == 0));
  w->seen = evaluations;
  return evaluations < w->limit;
}

static void check_same(const ArmPoints *a, const ArmPoints *b) {
  const size_t size = 2 * a->points * a->n * sizeof *a->q;
  assert_int_equal(a->evaluations, b->evaluations);
  assert_true(a->value == b->value && a->condition == b->condition);
  assert_memory_equal(a->q, b->q, size);
}

static void test_evaluations_say_which_design(void **state) {
  static ArmModel model;
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(4));
  model_of(ROBOT3_P, &model);
  for (int round = 0; round < 8; round++) {
    const size_t count = 1 + test_rng_below(&rng, round < 4 ? 300 : 4000);
    Watch w = {.limit = count};
    ArmPointsOptions options = options_of(20, count);
    ArmPoints points[3];
    (void)design(ROBOT3_P, &options, &points[0]);
    (void)design(ROBOT3_P, &options, &points[1]);
    options.evaluations = 1000000;
    options.watch = watch;
    options.user = &w;
    assert_int_equal(arm_points_design(&model, &options, &points[2], NULL), ARM_OK);
    assert_int_equal(w.seen, count);
    check_same(&points[0], &points[1]);
    check_same(&points[0], &points[2]);
    for (int k = 0; k < 3; k++)
      arm_points_clear(&points[k]);
  }
}

/* More evaluations are never worse. */
static void test_the_best_is_kept(void **state) {
  double last = (double)INFINITY;
  (void)state;
  for (size_t count = 10; count < 5000; count = 3 * count) {
    const ArmPointsOptions options = options_of(20, count);
    ArmPoints points;
    const double condition = design(ROBOT3_A, &options, &points);
    assert_true(condition <= last);
    last = condition;
    arm_points_clear(&points);
  }
}

static void test_other_arms(void **state) {
  static ArmModel model;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(5));
  for (int round = 0; round < 6; round++) {
    ArmPointsOptions options = options_of(60, 150);
    ArmPoints points;
    dyn_random_arm(&rng, 2 + (size_t)round % 3, &model);
    for (size_t j = 0; j < model.n; j++) {
      model.joints[j].limits = (ArmLimits){-1.5, 2, 1.5, 4, (double)NAN, (double)NAN};
    }
    options.has_margin = true;
    options.criterion.kind = ARM_CRITERION_D;
    assert_int_equal(arm_points_design(&model, &options, &points, NULL), ARM_OK);
    check_limits(&model, &points, true);
    assert_true(points.condition >= points.normalised / 1e6 && isfinite(points.value));
    arm_points_clear(&points);
  }
}

static void test_refused(void **state) {
  static ArmModel model;
  ArmPoints points = {.points = 77};
  ArmPointsOptions options = options_of(14, 10);
  size_t joint = 7;
  (void)state;
  model_of(ROBOT3_P, &model);
  assert_int_equal(arm_points_design(&model, &options, &points, &joint), ARM_E_ARGUMENT);
  assert_int_equal(joint, 3);
  options = options_of(15, 0);
  assert_int_equal(arm_points_design(&model, &options, &points, &joint), ARM_E_ARGUMENT);
  options = options_of(15, 10);
  options.lambda = -1;
  assert_int_equal(arm_points_design(&model, &options, &points, &joint), ARM_E_ARGUMENT);
  options.lambda = 0;
  model.joints[1].limits.accel_max = (double)NAN;
  options.has_margin = true;
  assert_int_equal(arm_points_design(&model, &options, &points, &joint), ARM_E_ARGUMENT);
  assert_int_equal(joint, 1);
  model.joints[0].limits.speed_max = (double)NAN;
  assert_int_equal(arm_points_design(&model, &options, &points, &joint), ARM_E_ARGUMENT);
  assert_int_equal(joint, 0);
  model_of(ROBOT3_P, &model);
  model.joints[2].limits.q_max = model.joints[2].limits.q_min;
  assert_int_equal(arm_points_design(&model, &options, &points, &joint), ARM_E_ARGUMENT);
  assert_int_equal(joint, 2);
  assert_int_equal(points.points, 77);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradient),         cmocka_unit_test(test_condition_numbers),
      cmocka_unit_test(test_criteria_differ),  cmocka_unit_test(test_evaluations_say_which_design),
      cmocka_unit_test(test_the_best_is_kept), cmocka_unit_test(test_other_arms),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests_name("points", tests, NULL, NULL);
}
