/* SPDX-License-Identifier: MIT */
/* Whether columns are of one motion: honest ones, as designs, recordings and coarse files have
 * them, are never told; jumps, columns of zeros, other signs and other units always are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "core/excite/agree.h"
#include "support/support.h"

enum { ROWS = 5001 };

static ArmModel model;
static ArmMotionLimits limits;
static double t[ROWS], q[ROWS], qd[ROWS], qdd[ROWS];
static bool is_speed_derived[1], is_acceleration_derived[1];
static ArmMotionContradiction found[ARM_MOTION_MOST_CONTRADICTIONS];

/* Two harmonics within 4 rad/s^2, as many rows as 5 s have. */
static size_t make(double rate_Hz) {
  const size_t rows = (size_t)lround(5 * rate_Hz) + 1;
  assert_int_equal(arm_model_init(&model, 1), ARM_OK);
  model.joints[0].limits = (ArmLimits){.q_min = -3, .q_max = 3, .speed_max = 3, .accel_max = 5};
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
  for (size_t k = 0; k < rows; k++) {
    t[k] = (double)k / rate_Hz;
    q[k] = sin(1.3 * t[k]) + 0.1 * cos(4 * t[k]);
    qd[k] = 1.3 * cos(1.3 * t[k]) - 0.4 * sin(4 * t[k]);
    qdd[k] = -1.69 * sin(1.3 * t[k]) - 1.6 * cos(4 * t[k]);
  }
  return rows;
}

static size_t judge(size_t rows) {
  const ArmStatedMotion motion = {rows, t, q, qd, qdd, is_speed_derived, is_acceleration_derived};
  size_t count = 99;
  assert_int_equal(arm_motion_contradictions(&model, &limits, &motion, found, &count), ARM_OK);
  return count;
}

static const double rates_Hz[] = {1000, 500, 100, 50, 20, 10, 4, 2, 1};

static void test_honest(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 1);
  for (size_t r = 0; r < sizeof rates_Hz / sizeof *rates_Hz; r++) {
    size_t rows = make(rates_Hz[r]);
    assert_int_equal(judge(rows), 0);
    for (double size = 1e-6; size < 0.02; size *= 10) {
      rows = make(rates_Hz[r]);
      for (size_t k = 0; k < rows; k++) { /* noise, and speeds filtered by 20 ms */
        q[k] += test_rng_uniform(&rng, -size, size);
        qd[k] += test_rng_uniform(&rng, -20 * size, 20 * size) - 0.02 * qdd[k];
      }
      assert_int_equal(judge(rows), 0);
      rows = make(rates_Hz[r]);
      for (size_t k = 0; k < rows; k++) { /* steps of an encoder */
        q[k] = size * round(q[k] / size);
        qd[k] = 20 * size * round(qd[k] / (20 * size));
      }
      assert_int_equal(judge(rows), 0);
    }
  }
}

static void test_jump(void **state) {
  (void)state;
  for (size_t r = 0; r < 6; r++) {
    const size_t rows = make(rates_Hz[r]), at = rows / 3;
    for (size_t k = at; k < rows; k++)
      q[k] += 0.5;
    assert_int_equal(judge(rows), 1);
    assert_int_equal(found[0].quantity, ARM_MOTION_SPEED);
    assert_int_equal(found[0].from, at - 1);
    assert_int_equal(found[0].to, at);
    assert_true(test_is_near(found[0].stated, (qd[at - 1] + qd[at]) / 2, 1e-9, 0));
    assert_true(test_is_near(found[0].found, (q[at] - q[at - 1]) * rates_Hz[r], 1e-9, 0));
  }
}

/* Each of these scales of the speeds, then of the accelerations, is another motion's. */
static void test_columns(void **state) {
  static const double scales[] = {0, -1, 0.5, 57.3};
  (void)state;
  for (size_t r = 0; r < 4; r++)
    for (size_t s = 0; s < 4; s++) {
      size_t rows = make(rates_Hz[r]);
      for (size_t k = 0; k < rows; k++)
        qd[k] *= scales[s];
      assert_true(judge(rows) >= 1);
      assert_int_equal(found[0].quantity, ARM_MOTION_SPEED);
      assert_true(found[0].from < found[0].to && found[0].to < rows);
      is_speed_derived[0] = true;
      assert_int_equal(judge(rows), 0);
      is_speed_derived[0] = false;
      rows = make(rates_Hz[r]);
      for (size_t k = 0; k < rows; k++)
        qdd[k] *= scales[s];
      if (scales[s] == 0.5)
        continue; /* within what noise and filters are granted */
      assert_int_equal(judge(rows), 1);
      assert_int_equal(found[0].quantity, ARM_MOTION_ACCELERATION);
      is_acceleration_derived[0] = true;
      assert_int_equal(judge(rows), 0);
      is_acceleration_derived[0] = false;
    }
}

/* Poses that are held, with time enough to go from one to the next, and with too little. */
static void test_poses(void **state) {
  (void)state;
  for (int is_fast = 0; is_fast < 2; is_fast++) {
    const size_t rows = make(is_fast ? 10 : 1);
    for (size_t k = 0; k < rows; k++) {
      q[k] = k % 2 ? 0.5 : -0.5;
      qd[k] = qdd[k] = 0;
    }
    assert_int_equal(judge(rows), is_fast);
  }
  make(10);
  const ArmStatedMotion motion = {1, t, q, qd, qdd, is_speed_derived, is_acceleration_derived};
  size_t count;
  assert_int_equal(arm_motion_contradictions(&model, &limits, &motion, found, &count),
                   ARM_E_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_honest),
      cmocka_unit_test(test_jump),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_poses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
