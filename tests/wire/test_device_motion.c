/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "support/support.h"
#include "wire/profile.h"

static Rig rig;

static int armed(void **state) {
  (void)state;
  rig_init(&rig, NULL);
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  return 0;
}

static void refused_bound(uint8_t joint, WireBound bound, int32_t limit, int32_t asked) {
  const WireRefused refused = rig_refused(&rig);
  assert_int_equal(refused.code, WIRE_CODE_BOUND);
  assert_int_equal(refused.joint, joint);
  assert_int_equal(refused.bound, bound);
  assert_int_equal(refused.limit, limit);
  assert_int_equal(refused.asked, asked);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
}

static void test_square_root(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(9));
  for (int k = 0; k < 100000; k++) {
    const double x = test_rng_uniform(&rng, 0.0, 1e3), y = x * x * (k % 2 ? 1e-12 : 1e9);
    assert_true(test_is_near(wire_sqrt(y) * wire_sqrt(y), y, 1e-15, 0.0));
  }
  assert_true(wire_sqrt(0.0) == 0.0 && wire_sqrt(-1.0) == 0.0 && wire_sqrt(4.0) == 2.0);
}

/* Position is the integral of speed, both continuous, bounded, from rest to rest. */
static void test_profile(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(10));
  for (int run = 0; run < 500; run++) {
    const double d = test_rng_uniform(&rng, 1e-3, 3.0), v = test_rng_uniform(&rng, 1e-2, 3.0);
    const double a = test_rng_uniform(&rng, 1e-1, 20.0);
    WireProfile p;
    wire_profile_plan(&p, d, v, a);
    const double h = p.total / 1000.0;
    double x0, v0, x1, v1, time = d / v + v / a;
    if (v * v / a > d)
      time = 2.0 * wire_sqrt(d / a);
    assert_true(test_is_near(p.total, time, 1e-12, 0.0));
    wire_profile_at(&p, 0.0, &x0, &v0);
    assert_true(x0 == 0.0 && v0 == 0.0);
    for (int k = 1; k <= 1000; k++, x0 = x1, v0 = v1) {
      wire_profile_at(&p, k * h, &x1, &v1);
      assert_true(v1 <= v * (1 + 1e-12));
      assert_true(v1 - v0 <= a * h * 1.000001 && v0 - v1 <= a * h * 1.000001);
      /* the trapezoid rule is exact but where the acceleration jumps */
      assert_true(test_is_near(x1 - x0, 0.5 * h * (v0 + v1), 0.0, 0.26 * a * h * h));
    }
    wire_profile_at(&p, p.total + 1.0, &x1, &v1);
    assert_true(x1 == d && v1 == 0.0);
  }
}

static void test_move_is_checked(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000001, 1000, 1000), WIRE_CODE_BOUND);
  refused_bound(1, WIRE_BOUND_Q_MAX, 1000000, 1000001);
  assert_int_equal(rig_move(&rig, 2, -2000001, 1000, 1000), WIRE_CODE_BOUND);
  refused_bound(2, WIRE_BOUND_Q_MIN, -2000000, -2000001);
  assert_int_equal(rig_move(&rig, 3, 100, 500001, 1000), WIRE_CODE_BOUND);
  refused_bound(3, WIRE_BOUND_V_MAX, 500000, 500001);
  assert_int_equal(rig_move(&rig, 3, 100, 1000, 2000001), WIRE_CODE_BOUND);
  refused_bound(3, WIRE_BOUND_A_MAX, 2000000, 2000001);
  assert_int_equal(rig_move(&rig, 3, 100, 1000, 0xffffffffu), WIRE_CODE_BOUND);
  refused_bound(3, WIRE_BOUND_A_MAX, 2000000, INT32_MAX);
  assert_int_equal(rig_move(&rig, 1, 100, 0, 1000), WIRE_CODE_VALUE);
  assert_int_equal(rig_move(&rig, 1, 100, 1000, 0), WIRE_CODE_VALUE);
  assert_int_equal(rig_move(&rig, 0, 100, 1000, 1000), WIRE_CODE_JOINT);
  assert_int_equal(rig_move(&rig, 4, 100, 1000, 1000), WIRE_CODE_JOINT);
  const uint8_t none[1] = {0}, two[14] = {2};
  (void)rig_request(&rig, WIRE_TYPE_MOVE, none, 1);
  assert_int_equal(rig_result(&rig), WIRE_CODE_LENGTH);
  (void)rig_request(&rig, WIRE_TYPE_MOVE, two, sizeof two);
  assert_int_equal(rig_result(&rig), WIRE_CODE_LENGTH);
  uint8_t twice[27] = {2};
  const WireMoveJoint target = {1, 100, 1000, 1000};
  wire_move_joint_put(twice + 1, &target);
  wire_move_joint_put(twice + 14, &target);
  (void)rig_request(&rig, WIRE_TYPE_MOVE, twice, sizeof twice);
  assert_int_equal(rig_result(&rig), WIRE_CODE_JOINT);
}

/* Three joints start and arrive together, on a straight line, each within its bounds. */
static void test_coordinated_move(void **state) {
  (void)state;
  uint8_t payload[1 + 3 * WIRE_SIZE_MOVE_JOINT] = {3};
  const int32_t goal[3] = {800000, -1200000, 100000};
  const uint32_t v[3] = {2000000, 1000000, 500000}, a[3] = {10000000, 5000000, 2000000};
  for (uint8_t j = 0; j < 3; j++) {
    const WireMoveJoint target = {(uint8_t)(j + 1), goal[j], v[j], a[j]};
    wire_move_joint_put(payload + 1 + WIRE_SIZE_MOVE_JOINT * j, &target);
  }
  (void)rig_request(&rig, WIRE_TYPE_MOVE, payload, sizeof payload);
  assert_int_equal(rig_result(&rig), 0);
  const uint32_t ms = rig_ack_value(&rig);
  assert_int_equal(ms, 1400); /* joint 2: 1.2 / 1 + 1 / 5 s */
  for (uint32_t k = 0; k < ms; k++) {
    assert_int_equal(rig.device.motion.kind, WIRE_MOTION_MOVE);
    rig_run(&rig, 1, true);
    for (int j = 0; j < 3; j++)
      assert_true(test_is_near(rig.points[j] / (double)goal[j], rig.points[0] / (double)goal[0],
                               0.0, 2e-5));
    if (k % 100 == 0)
      assert_int_equal(rig_lease(&rig), 0);
  }
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
  assert_memory_equal(rig.points, goal, sizeof goal);
  assert_true(rig.v_max_seen <= 1.001 && rig.v_max_seen > 0.999 && rig.a_max_seen <= 1.01);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
}

static void test_one_motion_at_a_time(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 500000, 1000000, 5000000), 0);
  rig_run(&rig, 10, false);
  assert_int_equal(rig_move(&rig, 2, 100, 1000, 1000), WIRE_CODE_BUSY);
  assert_int_equal(rig_refused(&rig).asked, rig.device.motion.id);
  const WireSweep sweep = {1, 1, 0, 0, 1000, 1000, 1000, 0};
  assert_int_equal(rig_sweep(&rig, &sweep), WIRE_CODE_BUSY);
}

static void test_a_move_to_where_it_is(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 0, 1000, 1000), 0);
  rig_run(&rig, 1, false);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
}

static void test_sweep_is_checked(void **state) {
  (void)state;
  const WireSweep good = {2, 2, 100, -1000000, 400000, 500000, 2000000, 4000};
  WireSweep s = good;
  s.q1 = 500001;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_BOUND);
  refused_bound(2, WIRE_BOUND_Q_MAX, 500000, 500001);
  s = good;
  s.q0 = -2000001;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_BOUND);
  refused_bound(2, WIRE_BOUND_Q_MIN, -2000000, -2000001);
  s = good;
  s.v = 1000001;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_BOUND);
  refused_bound(2, WIRE_BOUND_V_MAX, 1000000, 1000001);
  s = good;
  s.a = 5000001;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_BOUND);
  refused_bound(2, WIRE_BOUND_A_MAX, 5000000, 5000001);
  s = good;
  s.i_max = 5001;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_BOUND);
  refused_bound(2, WIRE_BOUND_I_MAX, 5000, 5001);
  s = good;
  s.passes = 0;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_VALUE);
  assert_int_equal(rig_refused(&rig).limit, 1); /* pass at least */
  assert_int_equal(rig_refused(&rig).asked, 0);
  s = good;
  s.q1 = s.q0;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_VALUE);
  s = good;
  s.joint = 4;
  assert_int_equal(rig_sweep(&rig, &s), WIRE_CODE_JOINT);
}

/* Lead-in, a dwell, there and back, a dwell after each; ends by itself. */
static void test_sweep(void **state) {
  (void)state;
  const WireSweep sweep = {2, 2, 100, -1000000, 400000, 500000, 2000000, 4000};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  /* 1/.5+.25 + .1, twice 1.4/.5+.25 + .1 */
  assert_int_equal(rig_ack_value(&rig), 8650);
  rig_run(&rig, 2250, true);
  assert_int_equal(rig.points[1], -1000000);
  rig_run(&rig, 99, true);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_EVENT), 1); /* BOOT */
  rig_run(&rig, 1 + 1525, true);
  assert_int_equal(rig.points[1], -300000); /* half way, at full speed */
  assert_int_equal(rig.points_qd[1], 500000);
  WireEvent leg;
  assert_true(wire_event_get(&leg, rig_last(&rig, WIRE_TYPE_EVENT)->payload, WIRE_SIZE_EVENT));
  assert_int_equal(leg.code, WIRE_EVENT_SWEEP_LEG);
  assert_int_equal(leg.joint, 2);
  assert_int_equal(leg.value, 1);
  rig_run(&rig, 1525 + 100 + 1525, true);
  assert_int_equal(rig.points_qd[1], -500000);
  rig_run(&rig, 1525 + 99, true);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_SWEEP);
  rig_run(&rig, 1, true);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
  assert_int_equal(rig.points[1], -1000000);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
  assert_int_equal(rig.points[0], 0);
  assert_int_equal(rig.points[2], 0);
  assert_true(rig.high[1] <= 400000 && rig.low[1] >= -1000000);
}

static void test_sweep_ends_at_its_current(void **state) {
  (void)state;
  const WireSweep sweep = {2, 2, 100, -1000000, 400000, 500000, 2000000, 1500};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  rig_run(&rig, 500, true);
  rig.reading.current[1] = 1501;
  rig_run(&rig, 300, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_CURRENT);
  const WireState now = rig_state(&rig);
  assert_int_equal(now.state, WIRE_STATE_ARMED); /* not a fault of the arm */
  assert_int_equal(now.last_end, WIRE_END_CURRENT);
}

/* Legs that do not last whole ticks do not add up to a delay. */
static void test_sweep_keeps_its_time(void **state) {
  (void)state;
  const WireSweep sweep = {1, 60, 7, -333, 100123, 1234567, 9876543, 0};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  const uint32_t ms = rig_ack_value(&rig);
  uint32_t took = 0;
  for (; rig.device.motion.kind != WIRE_MOTION_NONE; took++) {
    rig_run(&rig, 1, false);
    if (took % 100 == 0)
      assert_int_equal(rig_lease(&rig), 0);
  }
  assert_in_range(took, ms - 1, ms + 1);
}

/* The deceleration starts from where and when the set-points were, not when STOP came. */
static void test_stop_between_ticks(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000000, 1000000, 10000000), 0);
  rig_run(&rig, 200, true);
  const int32_t before = rig.points[0];
  rig.now_us += 900;
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_STOP), 0);
  rig.now_us -= 900;
  rig_run(&rig, 1, true);
  assert_in_range(rig.points[0] - before, 990, 1000);
}

/* Stopped at any time, the arm rests within the bounds of its motion, at its bounds of braking. */
static void test_stop_anywhere(void **state) {
  const WireSweep sweep = {1, 2, 20, -1000000, 1000000, 2000000, 10000000, 0};
  for (uint32_t at = 1; at < 3000; at += 23) {
    (void)armed(state);
    assert_int_equal(rig_sweep(&rig, &sweep), 0);
    rig_run(&rig, at, true);
    assert_int_equal(rig_plain(&rig, WIRE_TYPE_STOP), 0);
    rig_run(&rig, 201, true);
    assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
    assert_true(rig.low[0] >= -1000000 && rig.high[0] <= 1000000);
    assert_true(rig.a_max_seen <= 1.01 && rig.v_max_seen <= 1.001);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_square_root),
      cmocka_unit_test(test_profile),
      cmocka_unit_test_setup(test_move_is_checked, armed),
      cmocka_unit_test_setup(test_coordinated_move, armed),
      cmocka_unit_test_setup(test_one_motion_at_a_time, armed),
      cmocka_unit_test_setup(test_a_move_to_where_it_is, armed),
      cmocka_unit_test_setup(test_sweep_is_checked, armed),
      cmocka_unit_test_setup(test_sweep, armed),
      cmocka_unit_test_setup(test_sweep_ends_at_its_current, armed),
      cmocka_unit_test_setup(test_sweep_keeps_its_time, armed),
      cmocka_unit_test_setup(test_stop_between_ticks, armed),
      cmocka_unit_test(test_stop_anywhere),
  };
  return cmocka_run_group_tests_name("device_motion", tests, NULL, NULL);
}
