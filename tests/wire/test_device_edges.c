/* SPDX-License-Identifier: MIT */
/* Each limit from both sides, and answers field by field: what mutants of the device have shown
 * that no other test looks at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static Rig rig;

static int armed(void **state) {
  (void)state;
  rig_init(&rig, NULL);
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  return 0;
}

static WireEvent last_event(void) {
  WireEvent event;
  const RigFrame *frame = rig_last(&rig, WIRE_TYPE_EVENT);
  assert_non_null(frame);
  assert_true(wire_event_get(&event, frame->payload, frame->length));
  return event;
}

static void assert_event(WireEventCode code, uint16_t id, uint8_t joint, uint8_t reason,
                         int32_t value) {
  const WireEvent event = last_event();
  assert_int_equal(event.code, code);
  assert_int_equal(event.id, id);
  assert_int_equal(event.joint, joint);
  assert_int_equal(event.reason, reason);
  assert_int_equal(event.value, value);
}

/* ---- what is asked ---- */

static void test_bounds_belong_to_what_is_allowed(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000000, 2000000, 10000000), 0);
  rig_run(&rig, 800, true);
  assert_int_equal(rig.points[0], 1000000);
  assert_int_equal(rig_move(&rig, 1, -1000000, 2000000, 10000000), 0);
  rig_run(&rig, 1300, true);
  assert_int_equal(rig.points[0], -1000000);
  const WireSweep sweep = {1, 1, 0, -1000000, 1000000, 2000000, 10000000, 5000};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  rig_run(&rig, 1400, true);
  assert_int_equal(rig.points[0], 1000000);
  const WireSweep back = {1, 1, 0, 1000000, -1000000, 2000000, 10000000, 5000};
  assert_int_equal(rig_sweep(&rig, &back), 0);
}

static void test_first_and_last_joint(void **state) {
  (void)state;
  const WireSweep first = {1, 1, 0, 100, 1000, 1000, 1000, 0};
  const WireSweep last = {3, 1, 0, 100, 1000, 1000, 1000, 0};
  assert_int_equal(rig_sweep(&rig, &last), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_STOP), 0);
  rig_run(&rig, 50, true);
  assert_int_equal(rig_sweep(&rig, &first), 0);
  assert_int_equal(rig_state(&rig).joint, 1);
}

static void test_the_shortest_and_the_longest_lease(void **state) {
  (void)state;
  static const uint16_t leases[] = {50, 2000};
  for (size_t k = 0; k < 2; k++) {
    uint8_t payload[WIRE_SIZE_ARM];
    assert_int_equal(rig_disarm(&rig, false), 0);
    const WireArm arm = {rig_state(&rig).token, leases[k]};
    wire_arm_put(payload, &arm);
    (void)rig_request(&rig, WIRE_TYPE_ARM, payload, sizeof payload);
    assert_int_equal(rig_result(&rig), 0);
    assert_int_equal(rig_ack_value(&rig), leases[k]);
    assert_int_equal(rig_state(&rig).lease_ms, leases[k]);
  }
}

static void test_a_move_to_where_it_is_takes_no_time(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, rig.points[0], 1000, 1000), 0);
  assert_int_equal(rig_ack_value(&rig), 0);
}

/* ---- limits that are reached and not exceeded ---- */

static void test_reached_is_not_exceeded(void **state) {
  (void)state;
  rig.reading.motor_temperature[0] = 8000;
  rig.reading.current[0] = -5000;
  rig.reading.current[1] = 5000;
  rig.reading.supply_mv = 20000;
  rig_run(&rig, 200, true);
  rig.reading.supply_mv = 30000;
  rig_run(&rig, 200, true);
  assert_int_equal(rig_state(&rig).faults, 0);
  assert_int_equal(rig_state(&rig).active, 0);
  rig.is_stalled = true;
  rig.reading.q[0] = 50000;
  rig.reading.q[1] = -50000;
  rig_run(&rig, 200, true);
  assert_int_equal(rig_state(&rig).faults, 0);
}

static void test_a_sweep_may_reach_its_current(void **state) {
  (void)state;
  const WireSweep sweep = {1, 1, 0, 1000, 100000, 500000, 5000000, 1000};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  rig.reading.current[0] = 1000;
  rig_run(&rig, 100, true);
  rig.reading.current[0] = -1000;
  rig_run(&rig, 500, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
}

/* Of its own it has none then. */
static void test_a_sweep_without_a_current(void **state) {
  (void)state;
  const WireSweep sweep = {1, 1, 0, 1000, 100000, 500000, 5000000, 0};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  rig.reading.current[0] = 5000;
  rig_run(&rig, 600, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
}

/* For how long a joint has been beyond a limit counts from when the drives came on. */
static void test_limits_begin_with_the_drives(void **state) {
  for (int j = 0; j < 2; j++) {
    (void)armed(state);
    rig_run(&rig, 10, true);
    assert_int_equal(rig_disarm(&rig, true), 0);
    rig_run(&rig, 200, false);
    assert_int_equal(rig_arm(&rig), 0);
    rig.is_stalled = true;
    rig.reading.current[j] = 5001;
    rig.reading.q[j] += 50001;
    rig_run(&rig, 15, false);
    assert_int_equal(rig_state(&rig).faults, 0);
    rig_run(&rig, 10, false);
    assert_int_equal(rig_state(&rig).faults, WIRE_FAULT_CURRENT);
  }
}

/* Drives that would not come on may have come on nevertheless: they are told to be off. */
static void test_drives_that_came_on_unsaid(void **state) {
  (void)state;
  assert_int_equal(rig_disarm(&rig, true), 0);
  rig.drives_fail = true;
  assert_int_equal(rig_arm(&rig), WIRE_CODE_FAULT_ACTIVE);
  rig.drives_fail = false;
  rig.drives_on = true;
  rig_run(&rig, 2, false);
  assert_false(rig.drives_on);
}

/* A device that was just switched on has looked at its inputs when it answers. */
static void test_inputs_before_the_first_tick(void **state) {
  (void)state;
  rig_reboot(&rig);
  rig_hello(&rig);
  const WireState now = rig_state(&rig);
  assert_true(now.flags & WIRE_FLAG_ESTOP_CLOSED);
  assert_int_equal(now.active, 0);
}

static void test_a_segment_is_last_or_not(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_TRAJ_SEGMENT + WIRE_SIZE_KNOT] = {0};
  const WireTrajBegin begin = {1};
  wire_traj_begin_put(payload, &begin);
  (void)rig_request(&rig, WIRE_TYPE_TRAJ_BEGIN, payload, WIRE_SIZE_TRAJ_BEGIN);
  assert_int_equal(rig_result(&rig), 0);
  const WireTrajSegment segment = {.index = 0, .is_last = 2, .duration_us = 500000};
  wire_traj_segment_put(payload, &segment);
  (void)rig_request(&rig, WIRE_TYPE_TRAJ_SEGMENT, payload, sizeof payload);
  assert_int_equal(rig_result(&rig), WIRE_CODE_VALUE);
}

/* ---- what is said ---- */

/* After a late tick one sample that says so, then one per period again: no burst. */
static void test_late_telemetry(void **state) {
  (void)state;
  const uint8_t rates[4] = {100, 0, 1, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, rates, 4), WIRE_TYPE_SUBSCRIBED);
  rig_run(&rig, 100, true);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_TELEM), 10);
  WireTelem telem;
  assert_true(wire_telem_get(&telem, rig_last(&rig, WIRE_TYPE_TELEM)->payload, WIRE_SIZE_TELEM));
  assert_false(telem.flags & WIRE_FLAG_LATE);
  rig.now_us += 55000;
  rig_run(&rig, 1, true);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_TELEM), 11);
  assert_true(wire_telem_get(&telem, rig_last(&rig, WIRE_TYPE_TELEM)->payload, WIRE_SIZE_TELEM));
  assert_true(telem.flags & WIRE_FLAG_LATE);
  rig_run(&rig, 100, true);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_TELEM), 21);
  assert_true(wire_telem_get(&telem, rig_last(&rig, WIRE_TYPE_TELEM)->payload, WIRE_SIZE_TELEM));
  assert_false(telem.flags & WIRE_FLAG_LATE);
}

/* Another connection has not asked for telemetry, and gets none. */
static void test_hello_ends_telemetry(void **state) {
  (void)state;
  const uint8_t rates[4] = {100, 0, 1, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, rates, 4), WIRE_TYPE_SUBSCRIBED);
  rig_run(&rig, 2000, true);
  assert_in_range(rig_count(&rig, WIRE_TYPE_HEALTH), 1, 3);
  rig_hello(&rig);
  const size_t telem = rig_count(&rig, WIRE_TYPE_TELEM), health = rig_count(&rig, WIRE_TYPE_HEALTH);
  rig_run(&rig, 2000, false);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_TELEM), telem);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_HEALTH), health);
}

static uint8_t joint_in_telemetry(void) {
  WireTelem telem;
  rig_run(&rig, 20, true);
  assert_true(wire_telem_get(&telem, rig_last(&rig, WIRE_TYPE_TELEM)->payload, WIRE_SIZE_TELEM));
  return telem.joint;
}

/* The joint is that of a sweep, and none of any other motion. */
static void test_telemetry_names_the_joint(void **state) {
  (void)state;
  const uint8_t rates[4] = {100, 0, 0, 0};
  const WireSweep sweep = {2, 1, 0, 1000, 100000, 500000, 5000000, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, rates, 4), WIRE_TYPE_SUBSCRIBED);
  assert_int_equal(joint_in_telemetry(), 0);
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  assert_int_equal(joint_in_telemetry(), 2);
  rig_run(&rig, 600, true);
  assert_int_equal(rig_move(&rig, 1, 100000, 1000000, 5000000), 0);
  assert_int_equal(joint_in_telemetry(), 0);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_HEALTH), 0); /* at 0 Hz */
}

static void test_ends_and_faults_say_what_they_mean(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 100000, 1000000, 5000000), 0);
  const uint16_t id = rig.device.motion.id;
  assert_true(id != 0);
  rig_run(&rig, 400, true);
  assert_event(WIRE_EVENT_MOTION_END, id, 0, WIRE_END_DONE, 0);
  const WireState rest = rig_state(&rig);
  assert_int_equal(rest.motion_id, 0);
  assert_int_equal(rest.motion, WIRE_MOTION_NONE);
  assert_int_equal(rest.joint, 0);
  assert_int_equal(rest.last_id, id);
  assert_int_equal(rest.last_end, WIRE_END_DONE);
  const WireSweep sweep = {2, 1, 0, -100000, 100000, 500000, 5000000, 0};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  const uint16_t second = rig.device.motion.id;
  assert_int_equal(rig_state(&rig).joint, 2);
  rig_run(&rig, 400, true);
  assert_event(WIRE_EVENT_SWEEP_LEG, second, 2, 0, 1);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_KILL), 0);
  assert_event(WIRE_EVENT_FAULT, second, 0, 0, WIRE_FAULT_KILL);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_KILL);
  rig_run(&rig, 600, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_KILL), 0);
  assert_event(WIRE_EVENT_CLEARED, 0, 0, 0, WIRE_FAULT_KILL);
}

static void test_refusals_say_what_they_mean(void **state) {
  (void)state;
  rig_init(&rig, NULL);
  (void)rig_plain(&rig, WIRE_TYPE_STATE_GET);
  WireRefused refused = rig_refused(&rig);
  assert_int_equal(refused.code, WIRE_CODE_NO_HELLO);
  assert_int_equal(refused.request_type, WIRE_TYPE_STATE_GET);
  assert_int_equal(refused.limit, 0);
  assert_int_equal(refused.asked, 0);
  rig_hello(&rig);
  assert_int_equal(rig_move(&rig, 1, 100, 1000, 1000), WIRE_CODE_NOT_ARMED);
  refused = rig_refused(&rig);
  assert_int_equal(refused.joint, 0);
  assert_int_equal(refused.bound, 0);
  assert_int_equal(refused.limit, 0);
  assert_int_equal(refused.asked, 0);
  assert_int_equal(rig_arm(&rig), 0);
  assert_int_equal(rig_move(&rig, 1, 100, 0, 1000), WIRE_CODE_VALUE);
  refused = rig_refused(&rig);
  assert_int_equal(refused.limit, 1);
  assert_int_equal(refused.asked, 0);
  assert_int_equal(rig_move(&rig, 1, 500000, 1000, 1000), 0);
  const uint16_t id = rig.device.motion.id;
  assert_int_equal(rig_move(&rig, 1, 100, 1000, 1000), WIRE_CODE_BUSY);
  refused = rig_refused(&rig);
  assert_int_equal(refused.limit, 0);
  assert_int_equal(refused.asked, id);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_bounds_belong_to_what_is_allowed, armed),
      cmocka_unit_test_setup(test_first_and_last_joint, armed),
      cmocka_unit_test_setup(test_a_move_to_where_it_is_takes_no_time, armed),
      cmocka_unit_test_setup(test_the_shortest_and_the_longest_lease, armed),
      cmocka_unit_test_setup(test_reached_is_not_exceeded, armed),
      cmocka_unit_test_setup(test_a_sweep_may_reach_its_current, armed),
      cmocka_unit_test_setup(test_a_sweep_without_a_current, armed),
      cmocka_unit_test_setup(test_limits_begin_with_the_drives, armed),
      cmocka_unit_test_setup(test_drives_that_came_on_unsaid, armed),
      cmocka_unit_test_setup(test_inputs_before_the_first_tick, armed),
      cmocka_unit_test_setup(test_a_segment_is_last_or_not, armed),
      cmocka_unit_test_setup(test_late_telemetry, armed),
      cmocka_unit_test_setup(test_telemetry_names_the_joint, armed),
      cmocka_unit_test_setup(test_hello_ends_telemetry, armed),
      cmocka_unit_test_setup(test_ends_and_faults_say_what_they_mean, armed),
      cmocka_unit_test_setup(test_refusals_say_what_they_mean, armed),
  };
  return cmocka_run_group_tests_name("device_edges", tests, NULL, NULL);
}
