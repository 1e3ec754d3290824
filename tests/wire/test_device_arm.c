/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "wire/bytes.h"

static Rig rig;
static RigStorage storage;

static int fresh(void **state) {
  (void)state;
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  return 0;
}

static int armed(void **state) {
  (void)fresh(state);
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  return 0;
}

static uint16_t arm_with(uint32_t token, uint16_t ttl_ms) {
  uint8_t payload[WIRE_SIZE_ARM];
  const WireArm arm = {token, ttl_ms};
  wire_arm_put(payload, &arm);
  (void)rig_request(&rig, WIRE_TYPE_ARM, payload, sizeof payload);
  return rig_result(&rig);
}

static void test_arming_is_explicit(void **state) {
  (void)state;
  rig_hello(&rig);
  assert_int_equal(arm_with(0, 300), WIRE_CODE_TOKEN);
  assert_int_equal(arm_with(rig.token + 1, 300), WIRE_CODE_TOKEN);
  assert_int_equal(arm_with(rig.token, 49), WIRE_CODE_TTL);
  assert_int_equal(rig_refused(&rig).limit, 50);
  assert_int_equal(arm_with(rig.token, 2001), WIRE_CODE_TTL);
  assert_int_equal(rig_refused(&rig).limit, 2000);
  assert_int_equal(rig_move(&rig, 1, 1000, 1000, 1000), WIRE_CODE_NOT_ARMED);
  assert_false(rig.drives_on);
  const uint32_t used = rig.token;
  assert_int_equal(arm_with(used, 300), 0);
  assert_int_equal(rig_ack_value(&rig), 300);
  assert_true(rig.drives_on);
  assert_int_equal(arm_with(used, 300), WIRE_CODE_ARMED);
  assert_int_equal(rig_disarm(&rig, true), 0);
  assert_false(rig.drives_on);
  assert_int_equal(arm_with(used, 300), WIRE_CODE_TOKEN); /* a token serves once */
  assert_int_equal(rig_arm(&rig), 0);
}

/* The set-point is where the arm is, not where it was. */
static void test_arming_does_not_jump(void **state) {
  (void)state;
  rig_hello(&rig);
  rig.reading.q[0] = 123456;
  rig.reading.q[1] = -700000;
  rig_run(&rig, 5, false);
  assert_int_equal(rig_arm(&rig), 0);
  rig_run(&rig, 5, false);
  assert_int_equal(rig.points[0], 123456);
  assert_int_equal(rig.points[1], -700000);
}

static void test_estop_chain(void **state) {
  (void)state;
  rig_hello(&rig);
  rig.reading.is_estop_closed = false;
  rig_run(&rig, 2, false);
  assert_int_equal(rig_state(&rig).flags & WIRE_FLAG_ESTOP_CLOSED, 0);
  assert_int_equal(rig_arm(&rig), WIRE_CODE_ESTOP);
  rig.reading.is_estop_closed = true;
  rig_run(&rig, 2, false);
  assert_int_equal(rig_arm(&rig), 0);
  rig.reading.is_estop_closed = false;
  rig_run(&rig, 1, false);
  assert_false(rig.drives_on);
  const WireState now = rig_state(&rig);
  assert_int_equal(now.state, WIRE_STATE_LOCKED);
  assert_int_equal(now.faults, WIRE_FAULT_ESTOP);
  assert_int_equal(now.active, WIRE_FAULT_ESTOP);
  rig_run(&rig, 600, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_ESTOP), WIRE_CODE_FAULT_ACTIVE);
  rig.reading.is_estop_closed = true;
  rig_run(&rig, 1, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_ESTOP), 0);
  assert_int_equal(rig_state(&rig).state, WIRE_STATE_OFF);
}

/* The host falls silent in mid-motion: the arm decelerates within its bounds and holds. */
static void test_lease_expires_to_a_hold(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000000, 500000, 2000000), 0);
  rig_run(&rig, 299, false);
  assert_int_equal(rig_last(&rig, WIRE_TYPE_ACK)->length, WIRE_SIZE_ACK);
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED);
  assert_int_equal(rig.points_qd[0], 500000);
  rig_run(&rig, 1, false);
  assert_int_equal(rig.device.state, WIRE_STATE_LOCKED);
  rig_run(&rig, 51, false); /* 0.5 rad/s at 10 rad/s2 */
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
  const int32_t held = rig.points[0];
  assert_in_range(held, 84000, 115000);
  rig_run(&rig, 5000, false);
  assert_int_equal(rig.points[0], held);
  assert_true(rig.drives_on && rig.points_qd[0] == 0 && rig.a_max_seen <= 1.001);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_FAULT);
  assert_int_equal(rig_lease(&rig), WIRE_CODE_LOCKED);
  assert_int_equal(rig_state(&rig).faults, WIRE_FAULT_LEASE);
}

static void test_lease_is_renewed_only_in_time_and_with_the_token(void **state) {
  (void)state;
  rig_run(&rig, 5000, true);
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED);
  rig.token ^= 1;
  assert_int_equal(rig_lease(&rig), WIRE_CODE_TOKEN);
  rig.token ^= 1;
  assert_int_equal(rig_lease(&rig), 0);
  rig.wall_us += 300000; /* late, and no tick has noticed yet */
  assert_int_equal(rig_lease(&rig), WIRE_CODE_LOCKED);
  assert_int_equal(rig.device.faults, WIRE_FAULT_LEASE);
}

/* Lease and lock-out keep wall time, motion and stamps are twenty times faster. */
static void test_compressed_time(void **state) {
  (void)state;
  rig.time_factor = 20;
  assert_int_equal(rig_move(&rig, 1, 1000000, 500000, 2000000), 0);
  assert_int_equal(rig_ack_value(&rig), 2250);
  rig_run(&rig, 113, false);
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
  assert_int_equal(rig.points[0], 1000000);
  rig_run(&rig, 187, false);
  assert_int_equal(rig.device.faults, WIRE_FAULT_LEASE);
  rig_run(&rig, 499, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), WIRE_CODE_LOCKOUT);
  assert_int_equal(rig_refused(&rig).limit, 1);
  rig_run(&rig, 1, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), 0);
}

/* An arm that still decelerates is not cleared: here device time stands still. */
static void test_clear_waits_for_rest(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000000, 500000, 2000000), 0);
  rig_run(&rig, 299, false);
  rig.time_factor = 0;
  rig_run(&rig, 600, false);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_STOPPING);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), WIRE_CODE_BUSY);
  rig.time_factor = 1;
  rig_run(&rig, 60, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), 0);
}

static void test_lock_out_before_arming_again(void **state) {
  (void)state;
  const uint32_t used = rig.token;
  rig_run(&rig, 300, false);
  assert_int_equal(rig_arm(&rig), WIRE_CODE_LOCKED);
  assert_int_equal(rig_refused(&rig).limit, 0);
  assert_int_equal(rig_refused(&rig).asked, WIRE_FAULT_LEASE); /* which one is latched */
  assert_int_equal(rig_clear(&rig, 0), WIRE_CODE_FAULT_UNSEEN);
  assert_int_equal(rig_refused(&rig).limit, WIRE_FAULT_LEASE);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), WIRE_CODE_LOCKOUT);
  rig_run(&rig, 499, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), WIRE_CODE_LOCKOUT);
  rig_run(&rig, 1, false);
  assert_int_equal(rig_arm(&rig), WIRE_CODE_LOCKED);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), 0);
  assert_int_equal(arm_with(used, RIG_TTL_MS), WIRE_CODE_TOKEN); /* not the one of before */
  assert_int_equal(rig_state(&rig).state, WIRE_STATE_HELD);
  assert_true(rig.drives_on);
  assert_int_equal(rig_move(&rig, 1, 1000, 1000, 1000), WIRE_CODE_NOT_ARMED);
  assert_int_equal(rig_arm(&rig), 0);
}

/* Brings the device into one of its states, or says that there is no such state. */
enum { CASES = 9 };
static const char *enter(int which) {
  (void)fresh(NULL);
  if (which == 0)
    return "before HELLO";
  rig_hello(&rig);
  if (which == 1)
    return "off";
  assert_int_equal(rig_arm(&rig), 0);
  const WireSweep sweep = {1, 3, 10, -500000, 500000, 1000000, 5000000, 0};
  switch (which) {
  case 2:
    return "armed";
  case 3:
    assert_int_equal(rig_disarm(&rig, false), 0);
    return "held";
  case 4:
    assert_int_equal(rig_move(&rig, 1, 1000000, 500000, 2000000), 0);
    rig_run(&rig, 200, true);
    return "moving";
  case 5:
    assert_int_equal(rig_sweep(&rig, &sweep), 0);
    rig_run(&rig, 300, true);
    return "sweeping";
  case 6:
    assert_int_equal(rig_move(&rig, 1, 1000000, 2000000, 10000000), 0);
    rig_run(&rig, 250, true);
    assert_int_equal(rig_plain(&rig, WIRE_TYPE_STOP), 0);
    rig_run(&rig, 5, true);
    return "stopping";
  case 7:
    rig_run(&rig, 301, false);
    return "locked, holding";
  default:
    assert_int_equal(rig_plain(&rig, WIRE_TYPE_KILL), 0);
    return "locked, off";
  }
}

static void test_kill_in_every_state(void **state) {
  (void)state;
  for (int which = 0; which < CASES; which++)
    for (int way = 0; way < 3; way++) {
      print_message("# KILL while %s\n", enter(which));
      const bool was_moving = rig.device.motion.kind != WIRE_MOTION_NONE;
      rig.version = way == 1 ? 7 : WIRE_VERSION; /* another version, an old number */
      if (way < 2)
        assert_int_equal(
            rig_request_seq(&rig, WIRE_TYPE_KILL, NULL, 0, way == 1 ? 0x7777 : (long)rig.seq),
            WIRE_TYPE_ACK);
      else
        wire_device_receive(&rig.device, (const uint8_t *)"\0\x18\x18\x18\x18\x18\x18\x18\x18\0",
                            10);
      assert_false(rig.drives_on);
      assert_int_equal(rig.device.state, WIRE_STATE_LOCKED);
      assert_true(rig.device.faults & (way < 2 ? WIRE_FAULT_KILL : WIRE_FAULT_EMERGENCY));
      assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
      assert_true(rig.device.qd[0] == 0.0);
      if (was_moving)
        assert_true(rig_motion_end(&rig) == (way < 2 ? WIRE_END_KILL : WIRE_END_FAULT));
      rig_run(&rig, 5, false);
      assert_false(rig.drives_on);
    }
}

static void test_stop_in_every_state(void **state) {
  (void)state;
  for (int which = 0; which < CASES; which++) {
    print_message("# STOP while %s\n", enter(which));
    const uint8_t before = rig.device.state;
    const bool was_on = rig.drives_on;
    for (int k = 0; k < 3; k++) /* sent three times, answered three times */
      assert_int_equal(rig_request_seq(&rig, WIRE_TYPE_STOP, NULL, 0, 3), WIRE_TYPE_ACK);
    rig.a_max_seen = 0;
    rig_run(&rig, 220, false);
    assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
    assert_int_equal(rig.device.state, before);
    assert_int_equal(rig.drives_on, was_on);
    assert_true(rig.a_max_seen <= 1.001);
  }
}

/* A line break does what the string does. */
static void test_line_break(void **state) {
  (void)state;
  wire_device_line_break(&rig.device);
  assert_false(rig.drives_on);
  assert_int_equal(rig.device.faults, WIRE_FAULT_EMERGENCY);
}

static void expect_fault(uint32_t faults, bool drives_on) {
  const WireState now = rig_state(&rig);
  assert_int_equal(now.state, WIRE_STATE_LOCKED);
  assert_int_equal(now.faults, faults);
  assert_int_equal(rig.drives_on, drives_on);
  WireEvent event;
  const RigFrame *frame = rig_last(&rig, WIRE_TYPE_EVENT);
  assert_true(frame && wire_event_get(&event, frame->payload, frame->length));
}

static void test_over_current(void **state) {
  (void)state;
  rig.reading.current[1] = -5001;
  rig_run(&rig, 19, true);
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED); /* a spike is not a fault */
  rig.reading.current[1] = -5000;
  rig_run(&rig, 1, true);
  rig.reading.current[1] = -5001;
  rig_run(&rig, 21, true);
  expect_fault(WIRE_FAULT_CURRENT, false);
}

static void test_over_temperature_holds(void **state) {
  (void)state;
  rig.reading.motor_temperature[0] = 8001;
  rig_run(&rig, 1, true);
  expect_fault(WIRE_FAULT_TEMPERATURE, true);
  rig_run(&rig, 600, true);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_TEMPERATURE), WIRE_CODE_FAULT_ACTIVE);
}

static void test_supply_and_hardware_faults(void **state) {
  (void)state;
  rig.reading.supply_mv = 19999;
  rig_run(&rig, 1, true);
  expect_fault(WIRE_FAULT_SUPPLY_LOW, false);
  (void)armed(state);
  rig.reading.supply_mv = 30001;
  rig_run(&rig, 1, true);
  expect_fault(WIRE_FAULT_SUPPLY_HIGH, false);
  (void)armed(state);
  rig.reading.faults = WIRE_FAULT_ENCODER;
  rig_run(&rig, 1, true);
  expect_fault(WIRE_FAULT_ENCODER, false);
  (void)armed(state);
  rig.reading.faults = WIRE_FAULT_DRIVE;
  rig_run(&rig, 1, true);
  expect_fault(WIRE_FAULT_DRIVE, false);
  (void)fresh(state);
  rig_hello(&rig);
  rig.reading.faults = WIRE_FAULT_DRIVE; /* disarmed: nothing to latch, no way to arm */
  rig_run(&rig, 1, true);
  assert_int_equal(rig_arm(&rig), WIRE_CODE_FAULT_ACTIVE);
}

static void test_drives_that_do_not_obey(void **state) {
  (void)state;
  rig_hello(&rig);
  rig.drives_fail = true;
  assert_int_equal(rig_arm(&rig), WIRE_CODE_FAULT_ACTIVE);
  const WireState now = rig_state(&rig);
  assert_int_equal(now.state, WIRE_STATE_LOCKED);
  assert_int_equal(now.faults, WIRE_FAULT_DRIVE);
  rig_run(&rig, 10, false);
}

/* A stalled joint is held where it is, not pushed. */
static void test_stall(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 800000, 1000000, 5000000), 0);
  rig_run(&rig, 300, true);
  rig.is_stalled = true;
  rig.reading.q[0] = rig.points[0];
  rig_run(&rig, 200, true);
  expect_fault(WIRE_FAULT_FOLLOWING, true);
  assert_int_equal(rig.points[0], rig.reading.q[0]);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_FAULT);
}

static void test_disarm(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 800000, 1000000, 5000000), 0);
  rig_run(&rig, 300, true);
  assert_int_equal(rig_disarm(&rig, false), 0);
  assert_int_equal(rig_state(&rig).state, WIRE_STATE_HELD);
  assert_int_equal(rig_arm(&rig), WIRE_CODE_BUSY);
  rig_run(&rig, 600, false); /* no lease: nothing expires */
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DISARM);
  assert_int_equal(rig_state(&rig).faults, 0);
  assert_true(rig.drives_on);
  const uint8_t odd[1] = {2};
  (void)rig_request(&rig, WIRE_TYPE_DISARM, odd, 1);
  assert_int_equal(rig_result(&rig), WIRE_CODE_VALUE);
  assert_int_equal(rig_disarm(&rig, true), 0);
  assert_false(rig.drives_on);
}

/* Another program connects: the arm stops and is no longer the first one's. */
static void test_hello_takes_over(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 800000, 1000000, 5000000), 0);
  rig_run(&rig, 300, true);
  const uint32_t old = rig.token;
  rig_hello(&rig);
  rig_run(&rig, 250, false);
  const WireState now = rig_state(&rig);
  assert_int_equal(now.state, WIRE_STATE_HELD);
  assert_int_equal(now.last_end, WIRE_END_HELLO);
  assert_true(now.token != old);
  rig.token = old;
  assert_int_equal(rig_lease(&rig), WIRE_CODE_NOT_ARMED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_arming_is_explicit, fresh),
      cmocka_unit_test_setup(test_arming_does_not_jump, fresh),
      cmocka_unit_test_setup(test_estop_chain, fresh),
      cmocka_unit_test_setup(test_lease_expires_to_a_hold, armed),
      cmocka_unit_test_setup(test_lease_is_renewed_only_in_time_and_with_the_token, armed),
      cmocka_unit_test_setup(test_compressed_time, armed),
      cmocka_unit_test_setup(test_lock_out_before_arming_again, armed),
      cmocka_unit_test_setup(test_clear_waits_for_rest, armed),
      cmocka_unit_test(test_kill_in_every_state),
      cmocka_unit_test(test_stop_in_every_state),
      cmocka_unit_test_setup(test_line_break, armed),
      cmocka_unit_test_setup(test_over_current, armed),
      cmocka_unit_test_setup(test_over_temperature_holds, armed),
      cmocka_unit_test_setup(test_supply_and_hardware_faults, armed),
      cmocka_unit_test_setup(test_drives_that_do_not_obey, fresh),
      cmocka_unit_test_setup(test_stall, armed),
      cmocka_unit_test_setup(test_disarm, armed),
      cmocka_unit_test_setup(test_hello_takes_over, armed),
  };
  return cmocka_run_group_tests_name("device_arm", tests, NULL, NULL);
}
