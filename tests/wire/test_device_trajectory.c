/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "support/support.h"
#include "wire/bytes.h"

static Rig rig;

static int armed(void **state) {
  (void)state;
  rig_init(&rig, NULL);
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  return 0;
}

static uint16_t begin(uint32_t joints) {
  uint8_t payload[WIRE_SIZE_TRAJ_BEGIN];
  wire_put_u32(payload, joints);
  (void)rig_request(&rig, WIRE_TYPE_TRAJ_BEGIN, payload, sizeof payload);
  return rig_result(&rig);
}

static uint16_t add_as(uint16_t index, uint8_t is_last, uint32_t duration_us, size_t n,
                       const WireKnot *knots) {
  uint8_t payload[WIRE_SIZE_TRAJ_SEGMENT + RIG_JOINTS * WIRE_SIZE_KNOT];
  const WireTrajSegment head = {index, is_last, 0, duration_us};
  wire_traj_segment_put(payload, &head);
  for (size_t k = 0; k < n; k++)
    wire_knot_put(payload + WIRE_SIZE_TRAJ_SEGMENT + WIRE_SIZE_KNOT * k, &knots[k]);
  (void)rig_request(&rig, WIRE_TYPE_TRAJ_SEGMENT, payload,
                    WIRE_SIZE_TRAJ_SEGMENT + n * WIRE_SIZE_KNOT);
  return rig_result(&rig);
}

static uint16_t add(uint16_t index, bool is_last, uint32_t duration_us, size_t n,
                    const WireKnot *knots) {
  return add_as(index, is_last, duration_us, n, knots);
}

static uint16_t add_one(uint16_t index, bool is_last, uint32_t duration_us, int32_t q, int32_t qd) {
  const WireKnot knot = {q, qd};
  return add(index, is_last, duration_us, 1, &knot);
}

static void refused_bound(uint8_t joint, WireBound bound) {
  assert_int_equal(rig_refused(&rig).code, WIRE_CODE_BOUND);
  assert_int_equal(rig_refused(&rig).joint, joint);
  assert_int_equal(rig_refused(&rig).bound, bound);
}

static void test_order_of_messages(void **state) {
  (void)state;
  assert_int_equal(add_one(0, true, 500000, 1000, 0), WIRE_CODE_NO_TRAJECTORY);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), WIRE_CODE_NO_TRAJECTORY);
  assert_int_equal(begin(0), WIRE_CODE_JOINT);
  assert_int_equal(begin(8), WIRE_CODE_JOINT);
  assert_int_equal(begin(0x80000000u), WIRE_CODE_JOINT);
  assert_int_equal(begin(1), 0);
  assert_int_equal(rig_ack_value(&rig), WIRE_DEVICE_SEGMENTS);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), WIRE_CODE_NO_TRAJECTORY);
  assert_int_equal(add_one(1, false, 500000, 1000, 0), WIRE_CODE_SEGMENT);
  assert_int_equal(rig_refused(&rig).limit, 0);
  const WireKnot two[2] = {{1000, 0}, {1000, 0}};
  assert_int_equal(add(0, false, 500000, 2, two), WIRE_CODE_LENGTH);
  assert_int_equal(add_one(0, false, 999, 0, 0), WIRE_CODE_VALUE);
  assert_int_equal(add_as(0, 2, 500000, 1, two), WIRE_CODE_VALUE);
  assert_int_equal(add_one(0, true, 500000, 1000, 1), WIRE_CODE_VALUE); /* must end at rest */
  assert_int_equal(rig_refused(&rig).limit, 0);
  assert_int_equal(add_one(0, true, 500000, 1000, 0), 0);
  assert_int_equal(rig_ack_value(&rig), WIRE_DEVICE_SEGMENTS - 1);
  assert_int_equal(add_one(1, true, 500000, 1000, 0), WIRE_CODE_NO_TRAJECTORY); /* after the last */
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), 0);
  assert_int_equal(rig_ack_value(&rig), WIRE_DEVICE_SEGMENTS - 1);
  assert_int_equal(begin(1), WIRE_CODE_BUSY);
  rig_run(&rig, 499, true);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_TRAJECTORY);
  rig_run(&rig, 1, true); /* exactly at the end, not later */
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
  assert_int_equal(rig.points[0], 1000);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), WIRE_CODE_NO_TRAJECTORY);
}

static void test_bounds(void **state) {
  (void)state;
  assert_int_equal(begin(1), 0);
  assert_int_equal(add_one(0, false, 2000000, 1000001, 0), WIRE_CODE_BOUND);
  refused_bound(1, WIRE_BOUND_Q_MAX);
  assert_int_equal(rig_refused(&rig).asked, 1000001);
  assert_int_equal(add_one(0, false, 2000000, -1000001, 0), WIRE_CODE_BOUND);
  refused_bound(1, WIRE_BOUND_Q_MIN);
  assert_int_equal(add_one(0, false, 600000, 900000, 0), WIRE_CODE_BOUND); /* 2.25 rad/s */
  refused_bound(1, WIRE_BOUND_V_MAX);
  assert_int_equal(rig_refused(&rig).asked, 4500000);
  assert_int_equal(add_one(0, false, 100000, 20000, 0), WIRE_CODE_BOUND); /* 12 rad/s2 */
  refused_bound(1, WIRE_BOUND_A_MAX);
  assert_int_equal(rig_refused(&rig).asked, 12000000);
  /* at .9 rad with 1.5 rad/s there is no room to stop, with 1.4 there is */
  assert_int_equal(add_one(0, false, 1000000, 900000, 1500000), WIRE_CODE_BOUND);
  refused_bound(1, WIRE_BOUND_Q_MAX);
  assert_int_equal(rig_refused(&rig).asked, 1012500);
  assert_int_equal(add_one(0, false, 1000000, -900000, -1500000), WIRE_CODE_BOUND);
  refused_bound(1, WIRE_BOUND_Q_MIN);
  assert_int_equal(rig_refused(&rig).asked, -1012500);
  assert_int_equal(add_one(0, false, 1000000, 900000, 1400000), 0);
}

/* A segment after one that ends in motion; each exceeds one bound by one term alone. */
static const struct {
  uint32_t first_us;
  int32_t first_q, first_qd;
  uint32_t duration_us;
  int32_t q, qd;
  WireBound bound;
  int32_t asked;
} excesses[] = {
    {1000000, 900000, 1400000, 500000, 900000, 0, WIRE_BOUND_Q_MAX, 1133333},
    {1000000, -900000, -1400000, 500000, -900000, 0, WIRE_BOUND_Q_MIN, -1133333},
    {1000000, 500000, 0, 500000, 900000, -1400000, WIRE_BOUND_Q_MAX, 1133333},
    {1000000, -500000, 0, 500000, -900000, 1400000, WIRE_BOUND_Q_MIN, -1133333},
    {1000000, 0, 0, 1000000, 700000, 2100000, WIRE_BOUND_V_MAX, 2100000},
    {1000000, 0, 0, 1000000, -700000, -2100000, WIRE_BOUND_V_MAX, 2100000},
    {1000000, 500000, 1500000, 250000, 625000, 0, WIRE_BOUND_A_MAX, 12000000},
    {1000000, 0, 0, 250000, 150000, 1800000, WIRE_BOUND_A_MAX, 14400000},
    /* and none at all: up to the last unit of each */
    {1000000, 0, 0, 2000000, 1000000, 0, WIRE_BOUND_NONE, 0},
    {1000000, 0, 0, 2000000, -1000000, 0, WIRE_BOUND_NONE, 0},
    {1000000, 0, 0, 1000000, 700000, 2000000, WIRE_BOUND_NONE, 0},
    {1000000, 0, 0, 250000, 100000, 1225000, WIRE_BOUND_NONE, 0},
    {1000000, 0, 0, 1000, 0, 0, WIRE_BOUND_NONE, 0},
};

static void test_each_term(void **state) {
  for (size_t k = 0; k < sizeof excesses / sizeof *excesses; k++) {
    (void)armed(state);
    assert_int_equal(begin(1), 0);
    assert_int_equal(
        add_one(0, false, excesses[k].first_us, excesses[k].first_q, excesses[k].first_qd), 0);
    const uint16_t code = add_one(1, false, excesses[k].duration_us, excesses[k].q, excesses[k].qd);
    assert_int_equal(code, excesses[k].bound == WIRE_BOUND_NONE ? 0 : WIRE_CODE_BOUND);
    if (code == 0)
      continue;
    refused_bound(1, excesses[k].bound);
    assert_true(test_is_near(rig_refused(&rig).asked, excesses[k].asked, 0.0, 1.0));
  }
}

/* Each joint from where it stands, at rest; the first segment, too. */
static void test_from_here(void **state) {
  (void)state;
  const WireKnot knots[2] = {{500300, 0}, {50100, 0}}, near[2] = {{501000, 0}, {50500, 0}};
  assert_int_equal(rig_move(&rig, 1, 500000, 1000000, 5000000), 0);
  rig_run(&rig, 2000, true);
  assert_int_equal(rig_move(&rig, 3, 50000, 400000, 1000000), 0);
  rig_run(&rig, 2000, true);
  assert_int_equal(begin(5), 0);
  assert_int_equal(add(0, false, 50000, 2, knots), 0);
  assert_int_equal(add(1, false, 50000, 2, near), 0);
  assert_int_equal(begin(5), 0); /* anew: the two are forgotten */
  assert_int_equal(rig.device.trajectory.qd[0], 0);
  assert_int_equal(add(0, true, 50000, 2, knots), 0);
  assert_int_equal(rig_ack_value(&rig), WIRE_DEVICE_SEGMENTS - 1);
  rig.a_max_seen = rig.v_max_seen = 0.0;
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), 0);
  rig_run(&rig, 25, true);
  assert_in_range(rig.points[0], 500149, 500151);
  assert_in_range(rig.points[2], 50049, 50051);
  rig_run(&rig, 25, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
  assert_true(rig.points[0] == 500300 && rig.points[1] == 0 && rig.points[2] == 50100);
  assert_true(rig.v_max_seen <= 1.01 && rig.a_max_seen <= 1.01);
}

/* Too late is too late, even before the next tick. */
static void test_segment_after_the_lease(void **state) {
  (void)state;
  assert_int_equal(begin(1), 0);
  rig_run(&rig, 10, true);
  rig.now_us += 1000 * RIG_TTL_MS;
  rig.wall_us += 1000 * RIG_TTL_MS;
  assert_int_equal(add_one(0, true, 500000, 1000, 0), WIRE_CODE_LOCKED);
}

enum { PIECES = 90, PIECE_US = 50000 };

/* Piece k of q = A sin^2(w t / 2) of all joints; the last one brakes evenly, for four times as
 * long. */
static uint16_t add_sine(uint16_t k) {
  const double amplitude[3] = {800000.0, 400000.0, 140000.0}, w = 1.3,
               t = (k + 1) * PIECE_US * 1e-6;
  const WireTrajectory *ring = &rig.device.trajectory;
  const bool is_last = k + 1 == PIECES;
  const uint32_t duration = is_last ? 4 * PIECE_US : PIECE_US;
  WireKnot knots[3];
  for (int j = 0; j < 3; j++) {
    knots[j].q = (int32_t)(0.5 * amplitude[j] * (1.0 - cos(w * t)));
    knots[j].qd = (int32_t)(0.5 * amplitude[j] * w * sin(w * t));
    if (is_last) {
      knots[j].q = ring->q[j] + (int32_t)(0.5 * ring->qd[j] * duration * 1e-6);
      knots[j].qd = 0;
    }
  }
  return add(k, is_last, duration, 3, knots);
}

/* Sent while it runs, twelve pieces ahead: more than the ring holds in all. */
static void test_streamed_sine(void **state) {
  (void)state;
  uint16_t sent = 0;
  assert_int_equal(begin(7), 0);
  for (uint32_t ms = 0; ms < PIECES * PIECE_US / 1000; ms++) {
    for (; sent < PIECES && sent < ms / 50 + 12; sent++)
      assert_int_equal(add_sine(sent), 0);
    if (ms == 0)
      assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), 0);
    rig_run(&rig, 1, false);
    if (ms % 100 == 0)
      assert_int_equal(rig_lease(&rig), 0);
    const double q = 400000.0 * (1.0 - cos(1.3 * (ms + 1) * 1e-3));
    if (ms < 50 * (PIECES - 1) - 1)
      assert_true(test_is_near(rig.points[0], q, 0.0, 3.0)); /* the cubic's own error */
  }
  rig_run(&rig, 160, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
  assert_true(rig.v_max_seen <= 1.01 && rig.a_max_seen <= 1.01);
}

/* The host is too slow: the arm brakes where the last segment ended and stays within its bounds. */
static void test_underrun(void **state) {
  (void)state;
  assert_int_equal(begin(1), 0);
  assert_int_equal(add_one(0, false, 1000500, 900000, 1400000), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), 0);
  rig_run(&rig, 1000, true);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_TRAJECTORY);
  const int32_t before = rig.points[0];
  rig_run(&rig, 1, true); /* the segment ends in the middle of this millisecond */
  assert_in_range(rig.points[0] - before, 1390, 1401);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_STOPPING);
  assert_int_equal(add_one(1, true, 1000000, 0, 0), WIRE_CODE_NO_TRAJECTORY);
  rig_run(&rig, 141, true);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_UNDERRUN);
  assert_true(rig.points[0] == 998000 && rig.high[0] <= 998000);
  assert_true(rig.a_max_seen <= 1.01);
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED);
}

/* Random admissible trajectories, stopped at random: never outside the bounds. */
static void test_stop_anywhere(void **state) {
  TestRng rng;
  test_rng_init(&rng, test_seed(11));
  size_t accepted = 0;
  for (int run = 0; run < 300; run++) {
    (void)armed(state);
    assert_int_equal(begin(1), 0);
    uint16_t index = 0;
    uint32_t total_ms = 0;
    for (int tries = 0; tries < 60 && index < 20; tries++) {
      const uint32_t ms = 50 + (uint32_t)test_rng_below(&rng, 500);
      const int32_t q = (int32_t)test_rng_uniform(&rng, -1e6, 1e6);
      const int32_t qd = (int32_t)test_rng_uniform(&rng, -2e6, 2e6);
      if (add_one(index, false, 1000 * ms, q, qd) == 0) {
        index++;
        total_ms += ms;
      }
    }
    accepted += index;
    if (index == 0)
      continue;
    assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), 0);
    rig_run(&rig, (uint32_t)test_rng_below(&rng, total_ms + 50), true);
    assert_int_equal(rig_plain(&rig, WIRE_TYPE_STOP), 0);
    assert_int_equal(rig_lease(&rig), 0);
    rig_run(&rig, 201, true);
    assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
    assert_true(rig.low[0] >= -1000001 && rig.high[0] <= 1000001);
    assert_true(rig.v_max_seen <= 1.01 && rig.a_max_seen <= 1.01);
  }
  print_message("# %zu segments\n", accepted);
  assert_true(accepted > 300);
}

static void test_the_ring_fills(void **state) {
  (void)state;
  assert_int_equal(begin(1), 0);
  for (uint16_t k = 0; k < WIRE_DEVICE_SEGMENTS; k++)
    assert_int_equal(add_one(k, false, 100000, 10 * (k + 1), 0), 0);
  assert_int_equal(add_one(WIRE_DEVICE_SEGMENTS, false, 100000, 0, 0), WIRE_CODE_FULL);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), 0);
  rig_run(&rig, 150, true);
  assert_int_equal(add_one(WIRE_DEVICE_SEGMENTS, true, 100000, 0, 0), 0);
  rig_run(&rig, 3200, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
}

/* A trajectory begun before the hold changed cannot be started after it. */
static void test_does_not_survive(void **state) {
  (void)state;
  assert_int_equal(begin(1), 0);
  assert_int_equal(add_one(0, true, 500000, 1000, 0), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_STOP), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), WIRE_CODE_NO_TRAJECTORY);
  assert_int_equal(begin(1), 0);
  assert_int_equal(add_one(0, true, 500000, 1000, 0), 0);
  assert_int_equal(rig_move(&rig, 1, 100, 100000, 100000), 0);
  rig_run(&rig, 100, true);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), WIRE_CODE_NO_TRAJECTORY);
  assert_int_equal(begin(1), 0);
  assert_int_equal(add_one(0, true, 500000, 1000, 0), 0);
  assert_int_equal(rig_disarm(&rig, true), 0);
  assert_int_equal(add_one(1, true, 500000, 1000, 0), WIRE_CODE_NOT_ARMED);
  rig.reading.q[0] = 500000;
  rig_run(&rig, 1, false);
  assert_int_equal(rig_arm(&rig), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), WIRE_CODE_NO_TRAJECTORY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_order_of_messages, armed),
      cmocka_unit_test_setup(test_bounds, armed),
      cmocka_unit_test(test_each_term),
      cmocka_unit_test_setup(test_from_here, armed),
      cmocka_unit_test_setup(test_segment_after_the_lease, armed),
      cmocka_unit_test_setup(test_streamed_sine, armed),
      cmocka_unit_test_setup(test_underrun, armed),
      cmocka_unit_test(test_stop_anywhere),
      cmocka_unit_test_setup(test_the_ring_fills, armed),
      cmocka_unit_test_setup(test_does_not_survive, armed),
  };
  return cmocka_run_group_tests_name("device_trajectory", tests, NULL, NULL);
}
