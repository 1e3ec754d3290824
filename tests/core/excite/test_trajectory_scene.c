/* SPDX-License-Identifier: MIT */
/* Designs held to currents and distances: the gradient against differences, motions on a grid that
 * is ten times as dense, and what happens where there is no way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/trajectory.h"
#include "core/excite/trajectory_scene.h"
#include "support/dyn_random.h"
#include "support/support.h"

enum { N = 3, DENSE = 5000 };

static ArmModel model;
static ArmMotionLimits limits;
static ArmDriveCurrents currents;
static ArmClearance *clearance;
static ArmScene scene;
static ArmBase *base;

static const ArmCurrentFriction friction[N] = {
    {0.1, 0.05, -0.1, 0.05}, {0.05, 0.1, -0.1, 0.02}, {0.1, 0.1, -0.1, 0.1}};

/* The largest current that holds each joint, over poses, times `spare` is its limit. */
static void limit_currents(TestRng *rng, double spare) {
  double most[N] = {0}, zero[N] = {0}, q[N], i[N];
  assert_int_equal(arm_drive_currents_init(&model, friction, &currents), ARM_OK);
  for (int pose = 0; pose < 200; pose++) {
    for (size_t j = 0; j < N; j++)
      q[j] = test_rng_uniform(rng, model.joints[j].limits.q_min, model.joints[j].limits.q_max);
    arm_drive_currents_at(&currents, false, 1, q, zero, zero, i);
    for (size_t j = 0; j < N; j++)
      most[j] = fmax(most[j], fabs(i[j]));
  }
  for (size_t j = 0; j < N; j++)
    model.joints[j].limits.current_max = spare * most[j] + 0.3;
  assert_int_equal(arm_drive_currents_init(&model, friction, &currents), ARM_OK);
}

static void begin(TestRng *rng, double spare) {
  dyn_random_arm(rng, N, &model);
  for (size_t j = 0; j < N; j++) {
    ArmJoint *joint = &model.joints[j];
    joint->limits = (ArmLimits){.q_min = -2, .q_max = 1.5, .speed_max = 2, .accel_max = 6};
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){50, j % 2 ? -1 : 1, 0.1, 0.1, 1e-4};
    joint->n_capsules = 1;
    for (size_t k = 0; k < 3; k++)
      joint->capsules[0].to_m[k] = test_rng_uniform(rng, -0.3, 0.3);
    joint->capsules[0].radius_m = 0.05;
  }
  limit_currents(rng, spare);
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
  assert_int_equal(arm_clearance_new(&model, &limits, -1.5, &clearance), ARM_OK);
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  scene = (ArmScene){&currents, clearance};
}

static void end(void) {
  arm_clearance_free(clearance);
  arm_base_free(base);
}

static const ArmTrajectoryOptions fourier = {.basis = {ARM_BASIS_FOURIER, 4, 8, false},
                                             .criterion = {.kind = ARM_CRITERION_D},
                                             .scene = &scene,
                                             .seed = 1,
                                             .evaluations = 300};

/* ---- the gradient ---- */

static void test_gradient(void **state) {
  TestRng rng;
  double worst = 0;
  int active = 0;
  (void)state;
  test_rng_init(&rng, test_seed(41));
  for (int round = 0; round < 8; round++) {
    ArmTrajectoryOptions options = fourier;
    ArmTrajectorySearch s;
    double y[N * 9], moved[N * 9], direction[N * 9], gradient[N * 9], value, plus, minus;
    begin(&rng, 0.5);
    options.evaluations = 1000;
    const ArmStatus status = arm_trajectory_search_init(&s, &model, base, &options, NULL);
    assert_true(status == ARM_OK || status == ARM_E_INFEASIBLE);
    for (size_t v = 0; status == ARM_OK && v < s.variables; v++) {
      y[v] = 0.5 * test_rng_normal(&rng);
      direction[v] = test_rng_normal(&rng);
    }
    if (status == ARM_OK) {
      double unused[N * 9], got = 0, length = 0;
      const double step = 1e-6;
      s.criterion = options.criterion;
      s.rho = 10;
      arm_trajectory_update(&s, y);
      assert_true(arm_trajectory_cost(y, gradient, &value, &s));
      for (size_t v = 0; v < s.variables; v++)
        moved[v] = y[v] + step * direction[v];
      assert_true(arm_trajectory_cost(moved, unused, &plus, &s));
      for (size_t v = 0; v < s.variables; v++) {
        moved[v] = y[v] - step * direction[v];
        got += gradient[v] * direction[v];
        length += gradient[v] * gradient[v];
      }
      assert_true(arm_trajectory_cost(moved, unused, &minus, &s));
      active += arm_trajectory_scene_cost(&s) != 0;
      worst = fmax(worst, fabs(got - (plus - minus) / (2 * step)) / sqrt(length));
    }
    arm_trajectory_search_clear(&s);
    end();
  }
  print_message("# worst %.2g, in %d of 8 the terms count\n", worst, active);
  assert_true(worst < 1e-5 && active >= 2);
}

/* ---- designs ---- */

/* On times that the designer does not look at. */
static void check_scene(const ArmTrajectory *t) {
  static double x[3][N * DENSE], current[N * DENSE];
  ArmCurrentViolation too_much[N];
  static ArmClearanceViolation too_near[ARM_CLEARANCE_MOST];
  const double step = t->basis.period_s / (10 * DENSE); /* in ten pieces */
  for (int piece = 0; piece < 10; piece++) {
    for (size_t k = 0; k < DENSE; k++) {
      double one[3][N];
      arm_basis_motion(&t->basis, N, t->c, step * ((double)k + DENSE * piece), one[0], one[1],
                       one[2]);
      for (int d = 0; d < 3; d++)
        for (size_t j = 0; j < N; j++)
          x[d][j * DENSE + k] = one[d][j];
    }
    arm_drive_currents_at(&currents, false, DENSE, x[0], x[1], x[2], current);
    assert_int_equal(arm_drive_currents_violations(&currents, 1, DENSE, current, too_much), 0);
    assert_int_equal(arm_clearance_violations(clearance, 0, DENSE, x[0], too_near), 0);
  }
}

typedef struct {
  size_t end;
} Watch;

static bool watch(size_t evaluations, void *user) {
  return evaluations < ((const Watch *)user)->end;
}

static void test_designs(void **state) {
  static const ArmBasis bases[] = {{ARM_BASIS_FOURIER, 4, 8, false},
                                   {ARM_BASIS_SPLINE, 12, 8, true}};
  TestRng rng;
  int designed = 0;
  (void)state;
  test_rng_init(&rng, test_seed(42));
  for (int round = 0; round < 4; round++) {
    ArmTrajectoryOptions options = fourier;
    ArmTrajectory with = {0}, again = {0}, without = {0};
    Watch until = {test_rng_below(&rng, 200)};
    begin(&rng, 1.25); /* a T joint may carry the same everywhere */
    options.basis = bases[round % 2];
    const ArmStatus status = arm_trajectory_design(&model, base, &options, &with, NULL);
    assert_true(status == ARM_OK || status == ARM_E_INFEASIBLE);
    if (status == ARM_OK) {
      designed++;
      check_scene(&with);
      assert_int_equal(arm_trajectory_design(&model, base, &options, &again, NULL), ARM_OK);
      assert_memory_equal(with.c, again.c, N * arm_basis_functions(&with.basis) * sizeof(double));
      arm_trajectory_clear(&again);
      options.watch = watch; /* ended at any time */
      options.user = &until;
      assert_int_equal(arm_trajectory_design(&model, base, &options, &again, NULL), ARM_OK);
      check_scene(&again);
      options.watch = NULL;
      options.scene = NULL;
      assert_int_equal(arm_trajectory_design(&model, base, &options, &without, NULL), ARM_OK);
      print_message("# %.4g with, %.4g without\n", with.value, without.value);
      arm_trajectory_clear(&with);
      arm_trajectory_clear(&again);
      arm_trajectory_clear(&without);
    }
    end();
  }
  print_message("# %d of 4 arms\n", designed);
  assert_true(designed >= 3);
}

/* An arm that cannot hold itself anywhere. */
static void test_no_way(void **state) {
  TestRng rng;
  ArmTrajectory t = {.n = 77};
  (void)state;
  test_rng_init(&rng, 43);
  begin(&rng, 1);
  for (size_t j = 0; j < N; j++)
    currents.limit[j] = 1e-6;
  assert_int_equal(arm_trajectory_design(&model, base, &fourier, &t, NULL), ARM_E_INFEASIBLE);
  assert_int_equal(t.n, 77);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradient),
                                     cmocka_unit_test(test_designs), cmocka_unit_test(test_no_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
