/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/data/dataset.h"

enum { ROWS = 400, JOINTS = 2 };

static struct {
  ArmModel model;
  ArmDataset data;
  ArmRowOptions options;
  double t[ROWS], q[ROWS * JOINTS], qd[ROWS * JOINTS], qdd[ROWS * JOINTS], current[ROWS * JOINTS];
  int joint[ROWS];
  ArmRowUse use[ROWS];
} world;

/* Joint 1 is R and moves at 0.5 rad/s, joint 2 is T and is held. */
static int set_up(void **unused) {
  (void)unused;
  memset(&world, 0, sizeof world);
  world.model.n = JOINTS;
  world.model.joints[0].type = ARM_JOINT_R;
  world.model.joints[1].type = ARM_JOINT_T;
  for (size_t k = 0; k < ROWS; k++) {
    world.t[k] = 0.01 * (double)k;
    world.joint[k] = 1;
    world.q[k] = 0.5 * world.t[k];
    world.qd[k] = 0.5;
    world.qd[k + ROWS] = NAN;
    world.current[k] = 1.0;
    world.current[k + ROWS] = NAN;
  }
  world.data = (ArmDataset){.n = JOINTS,
                            .rows = ROWS,
                            .t = world.t,
                            .joint = world.joint,
                            .q = world.q,
                            .qd = world.qd,
                            .current = world.current};
  arm_row_options_default(&world.options);
  return 0;
}

static void select_rows(void) {
  assert_int_equal(ARM_OK,
                   arm_dataset_select(&world.model, &world.data, &world.options, world.use));
}

static size_t count(ArmRowUse use) {
  size_t found = 0;
  for (size_t k = 0; k < ROWS; k++)
    found += world.use[k] == use;
  return found;
}

static void test_held_joint_needs_neither_speed_nor_current(void **unused) {
  (void)unused;
  select_rows();
  assert_int_equal(ROWS, count(ARM_ROW_USED));
}

static void test_each_reason(void **unused) {
  (void)unused;
  world.joint[0] = 0;
  world.joint[1] = 3; /* no such joint */
  world.qd[2] = -0.005;
  world.qd[3] = -0.0051;
  world.qd[4] = NAN;
  world.q[5 + ROWS] = NAN;
  world.current[6] = NAN;
  world.joint[7] = 2;
  world.qd[7 + ROWS] = 0.0006; /* T: its own bound */
  world.current[7 + ROWS] = 3.0;
  world.joint[8] = 2;
  world.qd[8 + ROWS] = 0.0005;
  select_rows();
  assert_int_equal(ARM_ROW_NO_JOINT, world.use[0]);
  assert_int_equal(ARM_ROW_NO_JOINT, world.use[1]);
  assert_int_equal(ARM_ROW_SLOW, world.use[2]);
  assert_int_equal(ARM_ROW_USED, world.use[3]);
  assert_int_equal(ARM_ROW_NO_SPEED, world.use[4]);
  assert_int_equal(ARM_ROW_NO_POSITION, world.use[5]);
  assert_int_equal(ARM_ROW_NO_CURRENT, world.use[6]);
  assert_int_equal(ARM_ROW_USED, world.use[7]);
  assert_int_equal(ARM_ROW_SLOW, world.use[8]);
  assert_int_equal(ROWS - 7, count(ARM_ROW_USED));
}

static void test_acceleration_only_when_asked_and_given(void **unused) {
  (void)unused;
  world.options.wants_acceleration = true;
  select_rows(); /* qdd absent altogether: the caller computes it */
  assert_int_equal(ROWS, count(ARM_ROW_USED));
  world.qdd[9] = NAN;
  world.data.qdd = world.qdd;
  select_rows();
  assert_int_equal(ARM_ROW_NO_ACCEL, world.use[9]);
  assert_int_equal(ROWS - 1, count(ARM_ROW_USED));
  world.options.wants_acceleration = false;
  select_rows();
  assert_int_equal(ROWS, count(ARM_ROW_USED));
}

static void test_other_n_is_refused(void **unused) {
  (void)unused;
  world.data.n = 1;
  world.use[0] = ARM_ROW_REASONS;
  assert_int_equal(ARM_E_ARGUMENT,
                   arm_dataset_select(&world.model, &world.data, &world.options, world.use));
  assert_int_equal(ARM_ROW_REASONS, world.use[0]);
}

/* One stroke of 2 rad up and one down, 100 % speed between ramps of 20 rows. */
static void fill_trapezoids(void) {
  const size_t half = ROWS / 2;
  double q = 0.2;
  for (size_t k = 0; k < ROWS; k++) {
    const size_t at = k % half;
    const double from_end = (double)(at < half / 2 ? at : half - 1 - at);
    const double speed = 1.2 * fmin(1.0, (from_end + 1.0) / 20.0) * (k < half ? 1 : -1);
    world.qd[k] = speed;
    world.q[k] = q;
    q += 0.01 * speed;
  }
}

static void test_plateau_of_each_stroke(void **unused) {
  (void)unused;
  fill_trapezoids();
  world.options.wants_plateau = true;
  world.current[100] = NAN; /* keeps its own reason and does not end the sweep */
  select_rows();
  assert_int_equal(ARM_ROW_NO_CURRENT, world.use[100]);
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t k = 0; k < ROWS; k++) {
    const size_t stroke = k / (ROWS / 2);
    low[stroke] = fmin(low[stroke], world.q[k]);
    high[stroke] = fmax(high[stroke], world.q[k]);
  }
  for (size_t k = 0; k < ROWS; k++) {
    const size_t stroke = k / (ROWS / 2);
    const double margin = 0.1 * (high[stroke] - low[stroke]);
    const bool is_kept = fabs(world.qd[k]) >= 0.95 * 1.2 && world.q[k] >= low[stroke] + margin &&
                         world.q[k] <= high[stroke] - margin;
    if (k != 100)
      assert_int_equal(is_kept ? ARM_ROW_USED : ARM_ROW_OFF_PLATEAU, world.use[k]);
  }
  assert_true(count(ARM_ROW_USED) > 2 * 140 && count(ARM_ROW_USED) < 2 * 165);
}

/* Who leaves out rows in mid-stroke loses these and no others, and gains none near the ends. */
static void test_plateau_of_a_stroke_in_part(void **unused) {
  (void)unused;
  ArmRowUse whole[ROWS];
  unsigned char left_out[ROWS] = {0};
  fill_trapezoids();
  world.options.wants_plateau = true;
  select_rows();
  memcpy(whole, world.use, sizeof whole);
  memset(left_out + 80, 1, 40);  /* the middle of the way up */
  memset(left_out + 200, 1, 30); /* the beginning of the way down, ramp and all */
  world.data.left_out = left_out;
  select_rows();
  for (size_t k = 0; k < ROWS; k++)
    assert_int_equal(left_out[k] ? ARM_ROW_LEFT_OUT : whole[k], world.use[k]);
}

/* A long stroke of a rotation loses 25 deg at both ends, of a translation always 10 %. */
static void test_plateau_margin_by_type(void **unused) {
  (void)unused;
  world.options.wants_plateau = true;
  for (size_t k = 0; k < ROWS; k++) {
    world.qd[k] = 2.5;
    world.q[k] = 2.5 * world.t[k]; /* 9.975 in all */
  }
  select_rows(); /* 25 deg = 17.5 rows */
  assert_int_equal(ARM_ROW_OFF_PLATEAU, world.use[17]);
  assert_int_equal(ARM_ROW_USED, world.use[18]);
  world.model.joints[0].type = ARM_JOINT_T;
  select_rows();
  assert_int_equal(ARM_ROW_OFF_PLATEAU, world.use[39]);
  assert_int_equal(ARM_ROW_USED, world.use[40]);
  assert_int_equal(ARM_ROW_USED, world.use[359]);
  assert_int_equal(ARM_ROW_OFF_PLATEAU, world.use[360]);
}

/* After a gap, at a time that runs back and at another joint a new stroke begins. */
static void test_plateau_sweeps_end(void **unused) {
  (void)unused;
  world.options.wants_plateau = true;
  for (size_t k = 100; k < ROWS; k++)
    world.t[k] += 1.0;
  for (size_t k = 200; k < ROWS; k++)
    world.t[k] -= 2.0;
  for (size_t k = 300; k < ROWS; k++) {
    world.joint[k] = 2;
    world.q[k + ROWS] = 0.1 * world.t[k];
    world.qd[k + ROWS] = 0.1;
    world.current[k + ROWS] = 1.0;
  }
  select_rows();
  for (size_t k = 0; k < ROWS; k += 100) {
    assert_int_equal(ARM_ROW_OFF_PLATEAU, world.use[k + 8]);
    assert_int_equal(ARM_ROW_USED, world.use[k + 11]);
    assert_int_equal(ARM_ROW_USED, world.use[k + 88]);
    assert_int_equal(ARM_ROW_OFF_PLATEAU, world.use[k + 91]);
  }
}

static void test_keys_are_distinct(void **unused) {
  (void)unused;
  for (int a = 0; a < ARM_ROW_REASONS; a++) {
    assert_string_not_equal("unknown", arm_row_use_key((ArmRowUse)a));
    for (int b = 0; b < a; b++)
      assert_string_not_equal(arm_row_use_key((ArmRowUse)b), arm_row_use_key((ArmRowUse)a));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_held_joint_needs_neither_speed_nor_current, set_up),
      cmocka_unit_test_setup(test_each_reason, set_up),
      cmocka_unit_test_setup(test_acceleration_only_when_asked_and_given, set_up),
      cmocka_unit_test_setup(test_other_n_is_refused, set_up),
      cmocka_unit_test_setup(test_plateau_of_each_stroke, set_up),
      cmocka_unit_test_setup(test_plateau_of_a_stroke_in_part, set_up),
      cmocka_unit_test_setup(test_plateau_margin_by_type, set_up),
      cmocka_unit_test_setup(test_plateau_sweeps_end, set_up),
      cmocka_unit_test(test_keys_are_distinct),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
