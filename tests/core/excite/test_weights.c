/* SPDX-License-Identifier: MIT */
/* What errors of parameters cost: a pendulum by hand, other arms by states drawn anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/excite/weights.h"
#include "support/base_case.h"
#include "support/support.h"

enum { MOST = 64 };

static ArmModel model;
static ArmMotionLimits limits;

static ArmBase *base_new(unsigned with) {
  ArmBase *base = NULL;
  for (size_t j = 0; j < model.n; j++)
    model.joints[j].limits =
        (ArmLimits){.q_min = -2, .q_max = 1, .speed_max = 2, .accel_max = 5 + (double)j};
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
  assert_int_equal(arm_base_new(&model, with, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  assert_true(base->count <= MOST);
  return base;
}

/* tau = ZZ qdd + g (mX cos q - mY sin q) with a horizontal axis. */
static void test_pendulum(void **state) {
  const double noise = 0.5, g = 9.81, from = -2, to = 1;
  const double square = 0.5 + (sin(2 * to) - sin(2 * from)) / (4 * (to - from));
  double weights[9], diagonal[3], x[3] = {2, 0, 1e-6};
  (void)state;
  assert_int_equal(arm_model_init(&model, 1), ARM_OK);
  arm_joint_set_mdh(&model.joints[0], ARM_JOINT_R, acos(-1) / 2, 0, 0, 0);
  ArmBase *base = base_new(0);
  assert_int_equal(base->count, 3);
  assert_int_equal(arm_weights_torque(base, &model, &limits, &noise, weights), ARM_OK);
  assert_true(test_is_near(weights[0] * noise * noise, 25.0 / 3, 0.06, 0));
  assert_true(test_is_near(weights[4] * noise * noise, g * g * square, 0.06, 0));
  assert_true(test_is_near(weights[8] * noise * noise, g * g * (1 - square), 0.06, 0));
  assert_int_equal(arm_weights_prior(base, x, weights, diagonal), ARM_OK);
  assert_true(test_is_near(diagonal[0], 0.25, 1e-12, 0));
  for (int b = 1; b < 3; b++) /* as if they made 1 % of the torque of ZZ */
    assert_true(test_is_near(diagonal[b], weights[4 * b] / (4e-4 * weights[0]), 1e-12, 0));
  x[0] = x[2] = 0;
  assert_int_equal(arm_weights_prior(base, x, weights, diagonal), ARM_E_NO_DATA);
  x[1] = (double)NAN;
  assert_int_equal(arm_weights_prior(base, x, weights, diagonal), ARM_E_NOT_FINITE);
  arm_base_free(base);
}

/* Mean square of the torques, in their noise, that an error makes at states of our own. */
static double cost(TestRng *rng, const ArmBase *base, const double *noise, const double *error) {
  enum { STATES = 4000 };
  double total = 0;
  for (int s = 0; s < STATES; s++) {
    double x[3][BASE_JOINTS], y[BASE_JOINTS * MOST];
    for (int d = 0; d < 3; d++)
      for (size_t j = 0; j < model.n; j++)
        x[d][j] = (d ? 0 : limits.middle[j]) + limits.half[d][j] * test_rng_uniform(rng, -1, 1);
    assert_int_equal(arm_base_regressor(base, &model, x[0], x[1], x[2], y), ARM_OK);
    for (size_t j = 0; j < model.n; j++) {
      double torque = 0;
      for (size_t b = 0; b < base->count; b++)
        torque += y[j * base->count + b] * error[b] / noise[j];
      total += torque * torque;
    }
  }
  return total / STATES;
}

static void test_random_arms(void **state) {
  TestRng rng;
  double worst = 0;
  (void)state;
  test_rng_init(&rng, test_seed(16));
  for (size_t n = 1; n <= 4; n++) {
    double noise[4], weights[MOST * MOST], error[MOST];
    base_random_arm(&rng, n, &model);
    ArmBase *base = base_new(n % 2 ? ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR : 0);
    const size_t p = base->count;
    for (size_t j = 0; j < n; j++)
      noise[j] = test_rng_uniform(&rng, 0.5, 2);
    assert_int_equal(arm_weights_torque(base, &model, &limits, noise, weights), ARM_OK);
    for (int round = 0; round < 3; round++) {
      double sum = 0;
      for (size_t b = 0; b < p; b++)
        error[b] = test_rng_normal(&rng);
      for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++)
          sum += error[a] * weights[a * p + b] * error[b];
      worst = fmax(worst, fabs(sum / cost(&rng, base, noise, error) - 1));
    }
    arm_base_free(base);
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 0.15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum),
                                     cmocka_unit_test(test_random_arms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
