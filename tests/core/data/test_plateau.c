/* SPDX-License-Identifier: MIT */
/* Which rows of sweeps are on their plateau, found some rows at a time, against all at once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/data/windows.h"
#include "support/row_source.h"
#include "support/support.h"

enum { ROWS = 100000, LONG = 70000, JOINTS = 2 };

static struct {
  ArmModel model;
  ArmDataset data;
  ArmRowOptions options;
  double t[ROWS], q[ROWS * JOINTS], qd[ROWS * JOINTS], current[ROWS * JOINTS];
  unsigned char left_out[ROWS];
  int joint[ROWS];
  ArmRowUse whole[ROWS];
} world;

static bool is_odd(size_t k, size_t period) {
  return k > LONG && k % period == 0;
}

/* A sweep that is longer than what a median keeps, which what is left out does not end; then many
 * short ones, to and fro, of both joints; some rows too slow, without current, behind a gap. */
static void fill_row(size_t k, TestRng *rng) {
  const size_t part = k < LONG ? 0 : 1 + (k - LONG) / 171, joint = part / 5 % JOINTS;
  const double way = part % 2 ? -1.0 : 1.0;
  world.t[k] = (k > 0 ? world.t[k - 1] : 0.0) + (is_odd(k, 997) ? 0.3 : 0.01);
  world.joint[k] = is_odd(k, 1201) ? 0 : (int)joint + 1;
  for (size_t j = 0; j < JOINTS; j++) {
    const size_t at = k + j * ROWS;
    world.qd[at] = j == joint ? way * (0.3 + 0.012 * test_rng_normal(rng)) : NAN;
    world.q[at] = (k > 0 ? world.q[at - 1] : 0.0) + (j == joint ? 0.01 * world.qd[at] : 0.0);
    world.current[at] = j == joint && k % 503 != 0 ? 1.0 : NAN;
  }
  if (is_odd(k, 1409))
    world.qd[k + joint * ROWS] = 1e-4;
  world.left_out[k] = k % 311 < 3;
}

static int set_up(void **unused) {
  TestRng rng;
  (void)unused;
  test_rng_init(&rng, 5);
  world.model.n = JOINTS;
  world.model.joints[0].type = ARM_JOINT_R;
  world.model.joints[1].type = ARM_JOINT_T;
  for (size_t k = 0; k < ROWS; k++)
    fill_row(k, &rng);
  world.data = (ArmDataset){.n = JOINTS,
                            .rows = ROWS,
                            .t = world.t,
                            .joint = world.joint,
                            .q = world.q,
                            .qd = world.qd,
                            .current = world.current,
                            .left_out = world.left_out};
  arm_row_options_default(&world.options);
  world.options.wants_plateau = true;
  assert_int_equal(arm_dataset_select(&world.model, &world.data, &world.options, world.whole),
                   ARM_OK);
  return 0;
}

static size_t count(ArmRowUse use) {
  size_t found = 0;
  for (size_t k = 0; k < ROWS; k++)
    found += world.whole[k] == use;
  return found;
}

static void compare(size_t width) {
  ArmWindows windows;
  TestRowSource s;
  const ArmRowSource source = test_row_source(&s, &world.data, width);
  assert_int_equal(arm_windows_open(&windows, &world.model, &world.options, &source), ARM_OK);
  assert_true(windows.n_sweeps > 100);
  for (size_t k = 0, row = 0; k < windows.count; k++) {
    const ArmWindow *window;
    assert_int_equal(arm_windows_get(&windows, k, &window), ARM_OK);
    for (size_t r = window->begin; r < window->end; r++, row++)
      assert_int_equal(window->use[r], world.whole[row]);
  }
  arm_windows_clear(&windows);
  test_row_source_clear(&s);
}

static void test_windows(void **unused) {
  (void)unused;
  assert_true(count(ARM_ROW_USED) > ROWS / 4 && count(ARM_ROW_OFF_PLATEAU) > ROWS / 10);
  assert_true(count(ARM_ROW_LEFT_OUT) > 100 && count(ARM_ROW_NO_CURRENT) > 50);
  compare(2);
  compare(1000);
  compare(LONG - ARM_WINDOW_MARGIN); /* a sweep begins behind the first window's margin */
  compare(LONG);
  compare(ROWS + 1);
}

/* What cannot be read is told, with nothing left behind. */
static void test_failing(void **unused) {
  ArmWindows windows;
  TestRowSource s;
  ArmStatus status = ARM_E_SOURCE;
  (void)unused;
  const ArmRowSource source = test_row_source(&s, &world.data, ROWS / 7);
  for (s.fail_at = 0; status != ARM_OK; s.fail_at++) {
    s.calls = 0;
    status = arm_windows_open(&windows, &world.model, &world.options, &source);
    if (status != ARM_OK)
      assert_int_equal(status, ARM_E_SOURCE);
  }
  assert_true(s.fail_at > 8 + 2 * LONG / (ROWS / 7)); /* the long sweep is gone over again */
  arm_windows_clear(&windows);
  test_row_source_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_failing),
  };
  return cmocka_run_group_tests_name("plateau", tests, set_up, NULL);
}
