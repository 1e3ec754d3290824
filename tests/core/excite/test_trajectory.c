/* SPDX-License-Identifier: MIT */
/* The trajectory designer: its gradient against differences, its designs within all limits, the
 * same for the same seed, and whole wherever it is ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/trajectory.h"
#include "core/excite/trajectory_internal.h"
#include "core/excite/weights.h"
#include "support/base_case.h"
#include "support/designs.h"
#include "support/support.h"
#include "support/vectors.h"

enum { MOST_JOINTS = 7, FULL = ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR };

static ArmModel model;

static void random_arm(TestRng *rng, size_t n) {
  base_random_arm(rng, n, &model);
  for (size_t j = 0; j < n; j++)
    model.joints[j].limits = (ArmLimits){.q_min = -2, .q_max = 1.5, .speed_max = 2, .accel_max = 6};
}

static ArmBase *base_new(unsigned with) {
  ArmBase *base = NULL;
  assert_int_equal(arm_base_new(&model, with, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  return base;
}

static const ArmTrajectoryOptions fourier = {
    .basis = {ARM_BASIS_FOURIER, 4, 8, false},
    .criterion = {.kind = ARM_CRITERION_D},
    .seed = 1,
    .evaluations = 300,
};

/* ---- the gradient ---- */

static double cost(ArmTrajectorySearch *s, const double *y) {
  double gradient[MOST_JOINTS * 20], value = (double)NAN;
  assert_true(arm_trajectory_cost(y, gradient, &value, s));
  return value;
}

/* The derivative along a random direction, differences of sixth order. */
static double along_error(ArmTrajectorySearch *s, const double *y, const double *gradient,
                          const double *direction) {
  static const double weight[3] = {45, -9, 1};
  const double step = 1e-4;
  double want = 0, got = 0, length = 0, moved[MOST_JOINTS * 20];
  for (int k = 1; k <= 3; k++)
    for (int side = -1; side <= 1; side += 2) {
      for (size_t v = 0; v < s->variables; v++)
        moved[v] = y[v] + side * k * step * direction[v];
      want += side * weight[k - 1] / (60 * step) * cost(s, moved);
    }
  for (size_t v = 0; v < s->variables; v++) {
    got += gradient[v] * direction[v];
    length += gradient[v] * gradient[v];
  }
  return fabs(got - want) / sqrt(length);
}

static void check_gradient(TestRng *rng, unsigned with, const ArmCriterion *criterion,
                           const ArmBasis *basis, double size) {
  ArmBase *base = base_new(with);
  double noise[MOST_JOINTS], y[MOST_JOINTS * 20], direction[MOST_JOINTS * 20];
  double gradient[MOST_JOINTS * 20], value, worst = 0;
  static double cost_of_errors[60 * 60];
  ArmTrajectoryOptions options = fourier;
  ArmTrajectorySearch s;
  options.basis = *basis;
  options.criterion = *criterion;
  options.evaluations = 1000;
  options.noise = noise;
  for (size_t j = 0; j < model.n; j++)
    noise[j] = test_rng_uniform(rng, 0.5, 2);
  assert_int_equal(arm_trajectory_search_init(&s, &model, base, &options, NULL), ARM_OK);
  s.criterion = *criterion;
  if (criterion->kind == ARM_CRITERION_A && with == FULL) { /* torque predictions */
    assert_true(base->count <= 60);
    assert_int_equal(arm_weights_torque(base, &model, &s.limits, noise, cost_of_errors), ARM_OK);
    s.criterion.full = cost_of_errors;
  }
  s.rho = 10;
  for (size_t v = 0; v < s.variables; v++) {
    y[v] = size * test_rng_normal(rng);
    direction[v] = test_rng_normal(rng);
  }
  arm_trajectory_update(&s, y); /* multipliers that are not zero */
  assert_true(arm_trajectory_cost(y, gradient, &value, &s));
  assert_true(isfinite(value));
  worst = along_error(&s, y, gradient, direction);
  print_message("# %zu variables, %zu parameters, criterion %d: off %.2g, largest limit %.3g\n",
                s.variables, base->count, (int)criterion->kind, worst, s.violation);
  assert_true(worst < 1e-6);
  arm_trajectory_search_clear(&s);
  arm_base_free(base);
}

/* With multipliers and broken limits; without friction, whose steps have no derivative. */
static void test_gradient(void **state) {
  static const ArmBasis bases[] = {{ARM_BASIS_FOURIER, 3, 6, false},
                                   {ARM_BASIS_FOURIER, 4, 9, true},
                                   {ARM_BASIS_SPLINE, 9, 7, false},
                                   {ARM_BASIS_SPLINE, 12, 9, true}};
  static const ArmCriterion criteria[] = {{.kind = ARM_CRITERION_D},
                                          {.kind = ARM_CRITERION_A},
                                          {.kind = ARM_CRITERION_COND_P, .exponent = 1},
                                          {.kind = ARM_CRITERION_COND_P, .exponent = 3}};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(11));
  for (int k = 0; k < 8; k++) {
    random_arm(&rng, 2 + (size_t)k % 3);
    check_gradient(&rng, k % 2 ? ARM_BASE_WITH_ROTOR : 0, &criteria[k % 4], &bases[k / 2], 1);
  }
}

/* Viscous friction bends where a drive turns round, between samples: nearly everywhere smooth. */
static void test_gradient_of_friction(void **state) {
  const ArmBasis basis = {ARM_BASIS_FOURIER, 3, 6, false};
  static const ArmCriterion criteria[] = {{.kind = ARM_CRITERION_D}, {.kind = ARM_CRITERION_A}};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 12);
  random_arm(&rng, 3);
  for (int k = 0; k < 2; k++)
    check_gradient(&rng, FULL, &criteria[k], &basis, 0.5);
}

/* ---- designs ---- */

static void check_feasible(const ArmTrajectory *t) {
  enum { SAMPLES = 5000 };
  ArmMotionLimits limits;
  const size_t functions = arm_basis_functions(&t->basis);
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
  for (size_t j = 0; j < t->n; j++)
    for (size_t s = 0; s < SAMPLES; s++) {
      double x[3];
      arm_basis_motion(&t->basis, 1, t->c + j * functions, t->basis.period_s * (double)s / SAMPLES,
                       x, x + 1, x + 2);
      x[0] -= limits.middle[j];
      for (int d = 0; d < 3; d++)
        assert_true(fabs(x[d]) <= limits.half[d][j]);
    }
}

static void test_designs(void **state) {
  static const ArmBasis bases[] = {{ARM_BASIS_FOURIER, 4, 8, false},
                                   {ARM_BASIS_SPLINE, 12, 8, true}};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 13);
  random_arm(&rng, 3);
  ArmBase *base = base_new(FULL);
  for (int b = 0; b < 2; b++)
    for (int kind = 0; kind < 2; kind++) {
      ArmTrajectoryOptions options = fourier;
      ArmTrajectory first = {0}, again = {0}, one = {0};
      options.basis = bases[b];
      options.criterion.kind = kind ? ARM_CRITERION_COND_P : ARM_CRITERION_D;
      assert_int_equal(arm_trajectory_design(&model, base, &options, &first, NULL), ARM_OK);
      assert_int_equal(arm_trajectory_design(&model, base, &options, &again, NULL), ARM_OK);
      assert_int_equal(first.evaluations, options.evaluations);
      assert_memory_equal(first.c, again.c,
                          first.n * arm_basis_functions(&first.basis) * sizeof(double));
      check_feasible(&first);
      options.evaluations = 1;
      assert_int_equal(arm_trajectory_design(&model, base, &options, &one, NULL), ARM_OK);
      check_feasible(&one);
      print_message("# %d %d: %.4g after one evaluation, %.4g after %zu\n", b, kind, one.value,
                    first.value, first.evaluations);
      assert_true(first.value < one.value - 0.5);
      arm_trajectory_clear(&first);
      arm_trajectory_clear(&again);
      arm_trajectory_clear(&one);
    }
  arm_base_free(base);
}

/* ---- ended at any time ---- */

typedef struct {
  size_t end, calls;
} Watch;

static bool watch(size_t evaluations, void *user) {
  Watch *w = user;
  assert_int_equal(evaluations, w->calls++);
  return evaluations < w->end;
}

static void test_cancelled(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(14));
  random_arm(&rng, 2);
  ArmBase *base = base_new(0);
  for (int k = 0; k < 20; k++) {
    Watch ends = {.end = test_rng_below(&rng, 200)};
    ArmTrajectoryOptions options = fourier;
    ArmTrajectory cancelled = {0}, counted = {0};
    options.watch = watch;
    options.user = &ends;
    assert_int_equal(arm_trajectory_design(&model, base, &options, &cancelled, NULL), ARM_OK);
    assert_int_equal(cancelled.evaluations, ends.end);
    check_feasible(&cancelled);
    options.watch = NULL;
    options.evaluations = ends.end ? ends.end : 1;
    if (ends.end > 0) { /* the evaluations done say which design it is */
      assert_int_equal(arm_trajectory_design(&model, base, &options, &counted, NULL), ARM_OK);
      assert_true(cancelled.value == counted.value);
      arm_trajectory_clear(&counted);
    }
    arm_trajectory_clear(&cancelled);
  }
  arm_base_free(base);
}

static void test_refused(void **state) {
  TestRng rng;
  ArmTrajectory t = {.n = 9};
  ArmTrajectoryOptions options = fourier;
  size_t joint = 99;
  const double noise[2] = {1, 0};
  (void)state;
  test_rng_init(&rng, 15);
  random_arm(&rng, 2);
  ArmBase *base = base_new(0);
  options.evaluations = 0;
  assert_int_equal(arm_trajectory_design(&model, base, &options, &t, NULL), ARM_E_ARGUMENT);
  options = fourier;
  options.noise = noise;
  assert_int_equal(arm_trajectory_design(&model, base, &options, &t, NULL), ARM_E_ARGUMENT);
  options = fourier;
  options.basis.order = 0;
  assert_int_equal(arm_trajectory_design(&model, base, &options, &t, NULL), ARM_E_ARGUMENT);
  options = fourier;
  options.criterion.kind = ARM_CRITERION_KINDS;
  assert_int_equal(arm_trajectory_design(&model, base, &options, &t, NULL), ARM_E_ARGUMENT);
  options = fourier;
  model.joints[1].limits.accel_max = (double)NAN;
  assert_int_equal(arm_trajectory_design(&model, base, &options, &t, &joint), ARM_E_NO_DATA);
  assert_int_equal(joint, 1);
  assert_int_equal(t.n, 9);
  arm_base_free(base);
}

/* ---- the PUMA of the shared vectors: a first good design ---- */

static void test_puma(void **state) {
  (void)state;
  char *text = vectors_read("vectors/traj/fourier_designs.json");
  if (!text) {
    print_message("# skipped: no ../shared/vectors/traj\n");
    skip();
  }
  ArmTrajectoryOptions options = fourier;
  ArmTrajectory t = {0};
  assert_true(designs_model(text, "puma", &model));
  ArmBase *base = base_new(0);
  options.basis = (ArmBasis){ARM_BASIS_FOURIER, 5, 10, false};
  options.criterion.kind = ARM_CRITERION_COND_P;
  options.evaluations = 600;
  assert_int_equal(arm_trajectory_design(&model, base, &options, &t, NULL), ARM_OK);
  check_feasible(&t);
  print_message("# cond %.4g after %zu evaluations, %zu starts\n", exp(t.value), t.evaluations,
                t.starts);
  assert_true(exp(t.value) < 20);
  arm_trajectory_clear(&t);
  arm_base_free(base);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradient), cmocka_unit_test(test_gradient_of_friction),
      cmocka_unit_test(test_designs),  cmocka_unit_test(test_cancelled),
      cmocka_unit_test(test_refused),  cmocka_unit_test(test_puma),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
