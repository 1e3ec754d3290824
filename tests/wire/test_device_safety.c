/* SPDX-License-Identifier: MIT */
/* What a hostile line, a late loop, wrong sensors and disobedient drives must not lead to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "wire/bytes.h"
#include "wire/crc32.h"

static Rig rig;

static int fresh(void **state) {
  (void)state;
  rig_init(&rig, NULL);
  rig_hello(&rig);
  return 0;
}

static int armed(void **state) {
  (void)fresh(state);
  assert_int_equal(rig_arm(&rig), 0);
  return 0;
}

static void tick_after(uint64_t us) {
  rig.now_us += us;
  rig.wall_us += us;
  wire_device_tick(&rig.device);
}

/* ---- sensors ---- */

/* The loop was busy while somebody turned the joint by hand. */
static void test_arming_looks_again(void **state) {
  (void)state;
  rig_run(&rig, 10, false);
  rig.reading.q[0] = 123456;
  assert_int_equal(rig_arm(&rig), 0);
  rig_run(&rig, 1, false);
  assert_int_equal(rig.points[0], 123456);
  assert_int_equal(rig_disarm(&rig, true), 0);
  rig.reading.is_estop_closed = false;
  assert_int_equal(rig_arm(&rig), WIRE_CODE_ESTOP);
  rig.reading.is_estop_closed = true;
  rig.reading.supply_mv = 1;
  assert_int_equal(rig_arm(&rig), WIRE_CODE_FAULT_ACTIVE);
}

static void test_arming_before_the_first_tick(void **state) {
  (void)state;
  rig_init(&rig, NULL);
  rig.reading.supply_mv = 1;
  rig_reboot(&rig);
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), WIRE_CODE_FAULT_ACTIVE);
}

/* An encoder that lies makes the joint not follow: it is not held at the lie. */
static void test_no_hold_beyond_the_bounds(void **state) {
  (void)state;
  rig_run(&rig, 1, false);
  rig.is_stalled = true;
  rig.reading.q[0] = INT32_MIN;
  rig_run(&rig, 60, true);
  assert_int_equal(rig.device.faults, WIRE_FAULT_FOLLOWING);
  assert_int_equal(rig.points[0], -1000000);
  /* and what does not hold either is let go */
  rig_run(&rig, 60, true);
  assert_int_equal(rig.device.faults, WIRE_FAULT_FOLLOWING | WIRE_FAULT_DRIVE);
  assert_false(rig.drives_on);
}

/* From outside of its bounds a joint holds there, and comes back. */
static void test_back_from_outside(void **state) {
  (void)state;
  rig.reading.q[0] = 1300000;
  assert_int_equal(rig_arm(&rig), 0);
  rig_run(&rig, 10, false);
  assert_int_equal(rig.points[0], 1300000);
  assert_int_equal(rig_move(&rig, 1, 1200000, 1000000, 5000000), WIRE_CODE_BOUND);
  assert_int_equal(rig_move(&rig, 1, 900000, 1000000, 5000000), 0);
  rig_run(&rig, 700, true);
  assert_int_equal(rig.points[0], 900000);
}

/* CLEAR of nothing, again and again, does not switch off the supervision of currents. */
static void test_idle_clear_keeps_filters(void **state) {
  (void)state;
  rig.reading.current[0] = 5001;
  for (int k = 0; k < 30 && rig.device.faults == 0; k++) {
    rig_run(&rig, 1, false);
    if (rig.device.faults == 0)
      assert_int_equal(rig_clear(&rig, 0), 0);
  }
  assert_int_equal(rig.device.faults, WIRE_FAULT_CURRENT);
}

/* ---- drives ---- */

static void test_drives_are_off_from_the_start(void **state) {
  (void)state;
  rig.drives_on = true; /* a watchdog reset of the processor leaves the drives as they were */
  assert_true(wire_device_init(&rig.device, &rig_config, &rig_hal_without_storage, &rig));
  assert_false(rig.drives_on);
}

/* Drives that do not switch off are shown as on, and told again until they obey. */
static void test_off_is_repeated(void **state) {
  (void)state;
  rig_run(&rig, 10, false);
  rig.drives_fail = true;
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_KILL), 0);
  rig_run(&rig, 600, false);
  WireState now = rig_state(&rig);
  assert_int_equal(now.faults, WIRE_FAULT_KILL | WIRE_FAULT_DRIVE);
  assert_true(now.flags & WIRE_FLAG_DRIVES_ON);
  assert_int_equal(rig_clear(&rig, now.faults), WIRE_CODE_FAULT_ACTIVE);
  rig.drives_fail = false;
  rig_run(&rig, 2, false);
  assert_false(rig.drives_on);
  now = rig_state(&rig);
  assert_false(now.flags & WIRE_FLAG_DRIVES_ON);
  assert_int_equal(rig_clear(&rig, now.faults), 0);
  assert_int_equal(rig_state(&rig).state, WIRE_STATE_OFF);
}

static void test_disarm_that_fails_is_a_fault(void **state) {
  (void)state;
  const uint32_t token = rig.token;
  rig.drives_fail = true;
  assert_int_equal(rig_disarm(&rig, true), 0);
  const WireState now = rig_state(&rig);
  assert_int_equal(now.state, WIRE_STATE_LOCKED);
  assert_int_equal(now.faults, WIRE_FAULT_DRIVE);
  assert_true(now.token != token); /* every fault makes a new one */
  WireEvent event;
  assert_true(wire_event_get(&event, rig_last(&rig, WIRE_TYPE_EVENT)->payload, WIRE_SIZE_EVENT));
  assert_int_equal(event.code, WIRE_EVENT_FAULT);
}

static void test_kill_again_locks_out_again(void **state) {
  (void)state;
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_KILL), 0);
  rig_run(&rig, 400, false);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_KILL), 0);
  rig_run(&rig, 499, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_KILL), WIRE_CODE_LOCKOUT);
  rig_run(&rig, 1, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_KILL), 0);
}

/* ---- a recording played back ---- */

/* A HELLO too short to be one does not let the numbers start again. */
static void test_short_hello_opens_no_way_for_old_frames(void **state) {
  (void)state;
  size_t n;
  uint8_t payload[WIRE_SIZE_LEASE], recorded[WIRE_FRAME_MAX];
  wire_put_u32(payload, rig.token);
  const uint16_t number = rig.seq++;
  memcpy(recorded, rig_encode(&rig, WIRE_TYPE_LEASE, payload, sizeof payload, number, &n),
         WIRE_FRAME_MAX);
  wire_device_receive(&rig.device, recorded, n);
  assert_int_equal(rig_result(&rig), 0);
  rig_run(&rig, 200, false);
  assert_int_equal(
      rig_request_seq(&rig, WIRE_TYPE_HELLO, payload, sizeof payload, (uint16_t)(number - 1)),
      WIRE_TYPE_REFUSED);
  assert_int_equal(rig_result(&rig), rig.minor ? WIRE_CODE_TOKEN : WIRE_CODE_SEQUENCE);
  wire_device_receive(&rig.device, recorded, n);
  rig_run(&rig, 101, false);
  assert_int_equal(rig.device.faults, WIRE_FAULT_LEASE);
  (void)rig_request(&rig, WIRE_TYPE_HELLO, payload, sizeof payload);
  assert_int_equal(rig_result(&rig), rig.minor ? WIRE_CODE_TOKEN : WIRE_CODE_LENGTH);
}

/* ---- time ---- */

/* The clocks wrap after 71.6 min; the loop stands still for almost as long. */
static void test_long_stall(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000000, 1000000, 5000000), 0);
  rig_run(&rig, 200, true);
  const int32_t before = rig.points[0];
  tick_after(UINT64_C(4290000000));
  assert_int_equal(rig.device.faults, WIRE_FAULT_LEASE);
  assert_in_range(rig.points[0] - before, 0, 20000); /* nor has it leapt */
  assert_int_equal(rig_state(&rig).lockout_ms, WIRE_LOCKOUT_MS);
  tick_after(UINT64_C(3000000000)); /* more than half of the wrap */
  assert_int_equal(rig_state(&rig).lockout_ms, 0);
  rig_run(&rig, 200, false);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_LEASE), 0);
}

/* A late tick delays the motion: the set-points do not leap, and the goal is reached. */
static void test_late_ticks(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000000, 1000000, 5000000), 0);
  int32_t before = rig.points[0];
  for (int k = 0; k < 400; k++) {
    tick_after(k % 7 == 6 ? 100000 : 4000);
    assert_true(rig.points[0] - before <= 20001);
    before = rig.points[0];
    assert_int_equal(rig_lease(&rig), 0);
  }
  assert_int_equal(rig.points[0], 1000000);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
}

/* Two counters of two cores may differ by some microseconds: no time, not 71 minutes. */
static void test_clock_that_steps_back(void **state) {
  (void)state;
  assert_int_equal(rig_move(&rig, 1, 1000000, 1000000, 5000000), 0);
  int32_t before = rig.points[0];
  for (int k = 0; k < 100; k++) {
    rig.now_us -= 3;
    rig.wall_us -= 3;
    wire_device_tick(&rig.device);
    assert_true(rig.points[0] >= before && rig.points[0] - before <= 1001);
    before = rig.points[0];
    rig_run(&rig, 1, false);
  }
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_MOVE);
}

/* ---- set-points ---- */

/* A hold is at a whole unit, the one that was sent: a trajectory that is checked from there starts
 * there. Over 1 ms one unit is 6 rad/s^2. */
static void test_holds_are_whole_units(void **state) {
  (void)state;
  for (uint32_t at = 101; at < 120; at++) {
    (void)armed(state);
    assert_int_equal(rig_move(&rig, 1, 777777, 1234567, 3456789), 0);
    rig_run(&rig, at, false);
    assert_int_equal(rig_plain(&rig, WIRE_TYPE_STOP), 0);
    rig_run(&rig, 150, false);
    assert_int_equal(rig.device.motion.kind, WIRE_MOTION_NONE);
    assert_true(rig.device.q[0] == rig.points[0]);
  }
}

/* Speed and acceleration divide; a joint without them cannot be driven. */
static void test_joints_without_bounds(void **state) {
  (void)state;
  WireDeviceJoint joints[RIG_JOINTS];
  WireDeviceConfig config = rig_config;
  config.joints = joints;
  for (int k = 0; k < 3; k++) {
    memcpy(joints, rig_config.joints, sizeof joints);
    joints[k].v_max = k == 0 ? 0 : joints[k].v_max;
    joints[k].a_max = k == 1 ? 0 : joints[k].a_max;
    joints[k].q_min = k == 2 ? joints[k].q_max + 1 : joints[k].q_min;
    assert_false(wire_device_init(&rig.device, &config, &rig_hal_without_storage, &rig));
  }
  joints[2].q_min = joints[2].q_max;
  joints[2].v_max = joints[2].a_max = 1; /* slow is not unusable */
  assert_true(wire_device_init(&rig.device, &config, &rig_hal_without_storage, &rig));
}

/* ---- both directions, and to the last unit ---- */

/* The joint is measured `error` away from its set-point for 60 ms. */
static bool is_followed(int32_t error) {
  (void)armed(NULL);
  rig_run(&rig, 5, true);
  rig.is_stalled = true;
  rig.reading.q[1] = rig.points[1] + error;
  rig_run(&rig, 60, true);
  return rig.device.faults == 0;
}

static void test_following_in_both_directions(void **state) {
  (void)state;
  const int32_t most = (int32_t)rig_config.joints[1].following_max;
  assert_true(is_followed(most));
  assert_true(is_followed(-most));
  assert_false(is_followed(most + 1));
  assert_int_equal(rig.device.faults & WIRE_FAULT_FOLLOWING, WIRE_FAULT_FOLLOWING);
  assert_false(is_followed(-most - 1));
  assert_int_equal(rig.device.faults & WIRE_FAULT_FOLLOWING, WIRE_FAULT_FOLLOWING);
}

/* How a sweep of joint 2 ends with this current in joint `at`, from 0. */
static uint8_t sweep_end(size_t at, int16_t current) {
  const WireSweep sweep = {2, 1, 0, -100000, 100000, 500000, 2000000, 2000};
  (void)armed(NULL);
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  rig_run(&rig, 50, true);
  rig.reading.current[at] = current;
  rig_run(&rig, 1500, true);
  assert_int_equal(rig.device.faults, 0); /* its own limit does not lock */
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED);
  return rig_motion_end(&rig);
}

static void test_sweep_current_of_both_signs(void **state) {
  (void)state;
  assert_int_equal(sweep_end(1, 2000), WIRE_END_DONE);
  assert_int_equal(sweep_end(1, -2000), WIRE_END_DONE);
  assert_int_equal(sweep_end(1, 2001), WIRE_END_CURRENT);
  assert_int_equal(sweep_end(1, -2001), WIRE_END_CURRENT);
  assert_int_equal(sweep_end(0, -2001), WIRE_END_DONE); /* of another joint */
}

/* The 20 ms of a sweep's own limit begin with the sweep, not when the drives were on last. */
static void test_sweep_current_counts_from_its_start(void **state) {
  (void)state;
  const WireSweep sweep = {2, 1, 0, -100000, 100000, 500000, 2000000, 2000};
  (void)fresh(NULL);
  rig_hello(&rig);
  rig_run(&rig, 100, false);
  rig.reading.current[1] = 2001;
  assert_int_equal(rig_arm(&rig), 0);
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  rig_run(&rig, 15, false);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_SWEEP);
  rig_run(&rig, 10, false);
  assert_int_not_equal(rig.device.motion.kind, WIRE_MOTION_SWEEP);
}

/* The hardware may be on although the device believes it off. */
static void test_kill_commands_off_drives_too(void **state) {
  (void)fresh(state);
  for (int way = 0; way < 4; way++) {
    assert_false(rig.device.drives_on);
    rig.drives_on = true;
    if (way == 1)
      wire_device_line_break(&rig.device);
    else if (way == 2)
      wire_device_receive(&rig.device, (const uint8_t *)"\0\x18\x18\x18\x18\x18\x18\x18\x18\0", 10);
    else
      assert_int_equal(rig_plain(&rig, WIRE_TYPE_KILL), 0);
    assert_false(rig.drives_on);
  }
}

/* ---- parameters ---- */

/* DISARM lets it decelerate: not armed any more, but it moves. */
static void test_no_change_while_decelerating(void **state) {
  (void)state;
  static RigStorage storage;
  uint8_t payload[WIRE_SIZE_UPLOAD_BEGIN];
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  assert_int_equal(rig_move(&rig, 1, 800000, 1000000, 5000000), 0);
  rig_run(&rig, 200, true);
  assert_int_equal(rig_disarm(&rig, false), 0);
  assert_int_equal(rig.device.state, WIRE_STATE_HELD);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_STOPPING);
  const uint64_t operations = storage.operations;
  const WireParamSet set = {rig.device.schema_crc, 10, 0x41200000u};
  wire_put_u32(payload, rig.device.schema_crc);
  wire_put_u32(payload + 4, rig.device.digest);
  wire_put_u16(payload + 8, 4 * RIG_PARAMS);
  (void)rig_request(&rig, WIRE_TYPE_COMMIT, payload, WIRE_SIZE_COMMIT);
  assert_int_equal(rig_result(&rig), WIRE_CODE_ARMED);
  (void)rig_request(&rig, WIRE_TYPE_UPLOAD_BEGIN, payload, sizeof payload);
  assert_int_equal(rig_result(&rig), WIRE_CODE_ARMED);
  wire_param_set_put(payload, &set);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_PARAM_SET, payload, WIRE_SIZE_PARAM_SET),
                   WIRE_TYPE_PARAM_VALUE);
  assert_int_equal(rig_answer(&rig)->payload[4], WIRE_PARAM_NEEDS_DISARM);
  assert_int_equal(storage.operations, operations);
  rig_run(&rig, 300, false); /* at rest */
  wire_put_u32(payload, rig.device.schema_crc);
  wire_put_u32(payload + 4, rig.device.digest);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_COMMIT, payload, WIRE_SIZE_COMMIT),
                   WIRE_TYPE_DIGEST);
}

static void test_upload_leaves_read_only_alone(void **state) {
  (void)state;
  static RigStorage storage;
  uint8_t data[2 + 4 * RIG_PARAMS] = {0}, begin[WIRE_SIZE_UPLOAD_BEGIN], commit[WIRE_SIZE_COMMIT];
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  rig_hello(&rig);
  for (size_t k = 0; k < RIG_PARAMS; k++)
    wire_put_u32(data + 2 + 4 * k, rig_config.params[k].initial + (k == 4)); /* `serial` */
  const uint32_t digest = wire_crc32(0, data + 2, sizeof data - 2);
  wire_put_u32(begin, rig.device.schema_crc);
  wire_put_u32(begin + 4, digest);
  wire_put_u16(begin + 8, 4 * RIG_PARAMS);
  memcpy(commit, begin, sizeof commit);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_UPLOAD_BEGIN, begin, sizeof begin),
                   WIRE_TYPE_UPLOAD_STATE);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_UPLOAD_DATA, data, sizeof data),
                   WIRE_TYPE_UPLOAD_STATE);
  (void)rig_request(&rig, WIRE_TYPE_COMMIT, commit, sizeof commit);
  assert_int_equal(rig_result(&rig), WIRE_CODE_PARAM_RANGE);
  assert_int_equal(rig_refused(&rig).asked, rig_config.params[4].id);
  assert_int_equal(rig.device.values[4], rig_config.params[4].initial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_arming_looks_again, fresh),
      cmocka_unit_test(test_arming_before_the_first_tick),
      cmocka_unit_test_setup(test_no_hold_beyond_the_bounds, armed),
      cmocka_unit_test_setup(test_back_from_outside, fresh),
      cmocka_unit_test_setup(test_idle_clear_keeps_filters, armed),
      cmocka_unit_test_setup(test_drives_are_off_from_the_start, fresh),
      cmocka_unit_test_setup(test_off_is_repeated, armed),
      cmocka_unit_test_setup(test_disarm_that_fails_is_a_fault, armed),
      cmocka_unit_test_setup(test_kill_again_locks_out_again, armed),
      cmocka_unit_test_setup(test_short_hello_opens_no_way_for_old_frames, armed),
      cmocka_unit_test_setup(test_long_stall, armed),
      cmocka_unit_test_setup(test_late_ticks, armed),
      cmocka_unit_test_setup(test_clock_that_steps_back, armed),
      cmocka_unit_test(test_holds_are_whole_units),
      cmocka_unit_test_setup(test_joints_without_bounds, fresh),
      cmocka_unit_test(test_upload_leaves_read_only_alone),
      cmocka_unit_test(test_following_in_both_directions),
      cmocka_unit_test(test_sweep_current_of_both_signs),
      cmocka_unit_test(test_sweep_current_counts_from_its_start),
      cmocka_unit_test(test_kill_commands_off_drives_too),
      cmocka_unit_test(test_no_change_while_decelerating),
  };
  return cmocka_run_group_tests_name("device_safety", tests, NULL, NULL);
}
