/* SPDX-License-Identifier: MIT */
/* Every function of the native driver against the rig's device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/driver/native/driver_native.h"
#include "io/driver/native/wire_units.h"
#include "native_world.h"

#define REFUSED AIO_REPLY_CODE(AIO_ERROR_REFUSED)
#define DEVICE  AIO_REPLY_CODE(AIO_ERROR_DEVICE)

static WireDevice *device(void) {
  return &world.line.rig.device;
}

/* ---- sessions ---- */

static void test_probe(void **state) {
  (void)state;
  assert_int_equal(RUN(probe), 0); /* before a session: NO_HELLO is an answer */
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(probe), 0);
  assert_int_equal(device()->state, WIRE_STATE_ARMED); /* reading only */
  world.line.is_cut = true;
  assert_int_equal(RUN(probe), AIO_REPLY_CODE(AIO_ERROR_TIMEOUT));
  assert_string_equal(world.reply.message,
                      "STATE_GET: no answer from the controller after 6 tries; look at "
                      "its cable and its supply, then connect it again");
}

/* The token is asked for first, and in vain no longer than ARM itself: nothing arms late. */
static void test_arm_is_given_up_soon(void **state) {
  (void)state;
  world_connect();
  world.line.is_cut = true;
  assert_int_equal(RUN(arm, 300), AIO_REPLY_CODE(AIO_ERROR_TIMEOUT));
  assert_non_null(strstr(world.reply.message, "after 6 tries"));
}

static void test_describe(void **state) {
  (void)state;
  world_connect();
  const AioDescription *d = &world.description;
  assert_string_equal(d->driver, "native");
  assert_string_equal(d->serial, "000000010000000200000003");
  assert_string_equal(d->firmware, "00010002");
  assert_string_equal(d->protocol, "1.1");
  assert_string_equal(d->reset_text, "power-up");
  assert_int_equal(d->boot_count, 41);
  assert_false(d->is_read_only);
  assert_int_equal(d->capabilities, AIO_CAN_SWEEP | AIO_CAN_TRAJECTORY | AIO_CAN_STORE |
                                        AIO_CAN_TEST | AIO_CAN_LEASE | AIO_CAN_ESTOP);
  assert_int_equal(d->joints, 3);
  assert_int_equal(d->joint[1].type, ARM_JOINT_R);
  assert_true(d->joint[1].q_min == -2.0 && d->joint[1].q_max == 0.5);
  assert_true(d->joint[1].speed_max == 1.0 && d->joint[1].accel_max == 5.0);
  assert_true(d->joint[1].current_max == 5.0 && d->joint[1].temperature_max_C == 80.0);
  assert_true(d->joint[1].following_max == 0.05 && d->joint[1].quantum == 1e-6);
  assert_int_equal(d->joint[2].type, ARM_JOINT_T);
  assert_true(isnan(d->joint[2].current_max) && isnan(d->joint[2].temperature_max_C));
  assert_true(isnan(d->joint[2].following_max));
  assert_int_equal(d->params, RIG_PARAMS);
  assert_true(d->telemetry_max_hz == 1000 && d->time_factor == 1);
  assert_int_equal(d->lease_min_ms, 50);
  assert_int_equal(d->lease_max_ms, 2000);
  assert_int_equal(world.reply.state.state, AIO_DEVICE_OFF);
  assert_true(world.reply.state.is_estop_closed);
  assert_int_equal(world_count(AIO_EVENT_STATE), 1);
}

static void test_schema_is_read_once(void **state) {
  (void)state;
  world_connect();
  const guint64 first = world.line.requests;
  world_connect();
  assert_int_equal(first, 1 + 3 + RIG_PARAMS + 1);
  assert_int_equal(world.line.requests - first, 1 + 3 + 1);
}

static void test_hello_waits_for_a_board_that_starts(void **state) {
  (void)state;
  world.line.is_cut = true;
  aio_driver_describe(world.driver, world_ticket());
  aio_driver_telemetry(world.driver, world_ticket(), 100, 0);
  world_pass(2500);
  world.line.is_cut = false;
  line_reboot(&world.line);
  assert_int_equal(world_wait(1), 0);
  assert_int_equal(world_wait(2), 0);
  assert_int_equal(world_count(AIO_EVENT_BOOT), 1);
  world.line.is_cut = true;
  const gint64 then_ns = world.now_ns;
  assert_int_equal(RUN(describe), AIO_REPLY_CODE(AIO_ERROR_TIMEOUT));
  assert_in_range((world.now_ns - then_ns) / 1000000, 3000, 3400);
}

static void test_another_major_version_is_read_only(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_HELLO_ACK];
  WireHelloAck ack = {.major = 2, .minor = 3, .joints = 3, .boot_count = 1};
  world.is_mute = true;
  aio_driver_describe(world.driver, world_ticket());
  ack.request_seq = world_sent().seq;
  wire_hello_ack_put(payload, &ack);
  line_forge(&world.line, 2, WIRE_TYPE_HELLO_ACK, 7, payload, sizeof payload);
  assert_int_equal(world_wait(1), 0); /* joints do not answer: unknown */
  assert_true(world.description.is_read_only);
  assert_string_equal(world.description.protocol, "2.3");
  assert_int_equal(world.description.joints, 3);
  assert_true(isnan(world.description.joint[0].q_max));
  assert_int_equal(RUN(arm, 300), REFUSED);
  assert_string_equal(world.reply.message,
                      "the controller speaks version 2.3 of the protocol, this program version "
                      "1.1: only reading is possible");
  const AioMoveJoint move = {1, 0.1, 0.1, 0.1};
  assert_int_equal(RUN(move, &move, 1), REFUSED);
  assert_int_equal(RUN(params_digest), AIO_REPLY_CODE(AIO_ERROR_TIMEOUT)); /* tried */
}

static void test_nothing_without_a_session(void **state) {
  (void)state;
  assert_int_equal(RUN(state), REFUSED);
  assert_string_equal(world.reply.message, "no session with the controller: connect first");
  assert_int_equal(RUN(params_get), REFUSED);
  assert_int_equal(RUN(stop), 0); /* but for these */
  assert_int_equal(RUN(kill), 0);
}

/* ---- motion ---- */

static void test_move(void **state) {
  (void)state;
  const AioMoveJoint joints[] = {{1, 0.5, 1.0, 5.0}, {3, 0.1, 0.25, 1.0}};
  world_connect();
  world_arm(300);
  assert_true(world.reply.state.drives_on);
  world_forget();
  assert_int_equal(RUN(move, joints, 2), 0);
  assert_true(fabs(world.reply.duration_s - 0.7) < 0.002);
  const guint16 id = world.reply.motion_id;
  assert_int_equal(id, device()->motion.id);
  assert_int_equal(world.reply.state.motion, AIO_MOTION_MOVE);
  world_pass(800);
  const AioEvent *end = world_event(AIO_EVENT_MOTION_END);
  assert_non_null(end);
  assert_int_equal(end->motion_id, id);
  assert_int_equal(end->end, AIO_END_DONE);
  assert_string_equal(end->text, "the motion is complete");
  assert_int_equal(world.line.rig.points[0], 500000);
  assert_int_equal(world.line.rig.points[2], 100000);
  assert_int_equal(world_count(AIO_EVENT_STATE), 2); /* it begins, it ends: each once */
  assert_int_equal(RUN(state), 0);
  assert_int_equal(world.reply.state.last_motion_id, id);
  assert_int_equal(world.reply.state.last_end, AIO_END_DONE);
  assert_in_range(world.reply.state.lease_left_ms, 150, 300);
  assert_int_equal(RUN(disarm, true), 0);
  assert_int_equal(world.reply.state.state, AIO_DEVICE_OFF);
}

static void test_sweep(void **state) {
  (void)state;
  const AioSweep sweep = {2, -1, 0.4, 0.5, 2, 2, 0.1, 4};
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(sweep, &sweep), 0);
  assert_true(fabs(world.reply.duration_s - 8.65) < 0.002);
  assert_int_equal(RUN(telemetry, 100, 0), 0);
  world_pass(5000);
  assert_int_equal(world.samples[100].joint, 2);
  assert_int_equal(world.samples[100].motion, device()->motion.id);
  assert_int_equal(world.reply.state.motion, AIO_MOTION_SWEEP);
  world_pass(4000);
  assert_int_equal(world_count(AIO_EVENT_LEG), 2);
  assert_int_equal(world_event(AIO_EVENT_LEG)->joint, 2);
  assert_int_equal(world_event(AIO_EVENT_LEG)->value, 2);
  assert_string_equal(world_event(AIO_EVENT_LEG)->text, "joint 2: pass 2 begins");
  assert_int_equal(world_event(AIO_EVENT_MOTION_END)->end, AIO_END_DONE);
}

/* In TELEM and STATE 0 says that nothing moves, and numbers of requests come to it. */
static void test_no_motion_has_the_number_0(void **state) {
  (void)state;
  const AioMoveJoint joint = {1, 0.5, 1.0, 5.0};
  world_free();
  world_init_as(0xffb0);
  world_connect();
  world_arm(300);
  while (((AioNative *)world.driver)->host.next_seq > 0)
    assert_int_equal(RUN(state), 0);
  assert_int_equal(RUN(move, &joint, 1), 0);
  assert_int_equal(world.reply.motion_id, 1);
  assert_int_equal(device()->motion.id, 1);
  world_pass(1000);
  assert_int_equal(world_event(AIO_EVENT_MOTION_END)->motion_id, 1);
  assert_int_equal(device()->requests.lost, 0);
}

static void test_trajectory(void **state) {
  (void)state;
  AioSegment segment = {.duration_s = 0.1, .q = {0.005, 0, 0.002}, .qd = {0.1, 0, 0.04}};
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(trajectory_begin, 5), 0);
  assert_int_equal(world.reply.free_segments, WIRE_DEVICE_SEGMENTS);
  assert_int_equal(RUN(trajectory_segment, &segment), 0);
  assert_int_equal(world.reply.free_segments, WIRE_DEVICE_SEGMENTS - 1);
  segment = (AioSegment){.duration_s = 0.1, .is_last = true, .q = {0.01, 9, 0.004}};
  assert_int_equal(RUN(trajectory_segment, &segment), 0);
  assert_int_equal(RUN(trajectory_start), 0);
  assert_int_equal(world.reply.state.motion, AIO_MOTION_TRAJECTORY);
  assert_int_not_equal(world.reply.motion_id, 0);
  world_pass(250);
  assert_int_equal(world_event(AIO_EVENT_MOTION_END)->end, AIO_END_DONE);
  assert_int_equal(world.line.rig.points[0], 10000);
  assert_int_equal(world.line.rig.points[1], 0);
  assert_int_equal(world.line.rig.points[2], 4000);
}

static void test_stop_overtakes(void **state) {
  (void)state;
  const AioMoveJoint there = {1, 0.9, 1, 5}, back = {1, 0, 1, 5};
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(move, &there, 1), 0);
  world_pass(300);
  aio_driver_state(world.driver, world_ticket());
  aio_driver_move(world.driver, world_ticket(), &back, 1);
  const guint64 stop = world_ticket();
  aio_driver_stop(world.driver, stop);
  assert_int_equal(device()->motion.kind, WIRE_MOTION_STOPPING); /* before any time passes */
  assert_int_equal(world.replies[stop - 1].code, AIO_REPLY_CODE(AIO_ERROR_CANCELLED));
  assert_string_equal(world.replies[stop - 1].message, "cancelled by a stop");
  assert_int_equal(world_wait(stop), 0);
  assert_int_equal(world.reply.state.motion, AIO_MOTION_STOPPING);
  world_pass(2000);
  assert_int_equal(device()->state, WIRE_STATE_ARMED); /* the lease is renewed all the same */
  assert_int_equal(world_event(AIO_EVENT_MOTION_END)->end, AIO_END_STOP);
  assert_int_equal(RUN(move, &back, 1), 0);
}

static void test_a_lost_move_stays_lost_after_a_stop(void **state) {
  (void)state;
  const AioMoveJoint there = {1, 0.9, 1, 5};
  world_connect();
  world_arm(300);
  world.line.drop_requests = 1;
  aio_driver_move(world.driver, world_ticket(), &there, 1);
  world_pass(5);
  assert_int_equal(RUN(stop), 0);
  world_pass(1000);
  assert_int_equal(world.line.rig.points[0], 0);
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
}

static void stop_at_motion(const AioEvent *event) {
  if (event->kind != AIO_EVENT_STATE || event->state.motion != AIO_MOTION_MOVE)
    return;
  world.on_event = NULL;
  aio_driver_stop(world.driver, world_ticket());
  aio_driver_state(world.driver, world_ticket());
}

static void test_a_sink_may_give_commands(void **state) {
  (void)state;
  const AioMoveJoint there = {1, 0.9, 1, 5};
  world_connect();
  world_arm(300);
  world.on_event = stop_at_motion; /* within the answer to the move */
  assert_int_equal(RUN(move, &there, 1), 0);
  assert_int_equal(world_wait(world.next_ticket - 2), 0);
  assert_int_equal(world_wait(world.next_ticket - 1), 0);
  world_pass(500);
  assert_int_equal(device()->last_end, WIRE_END_STOP);
}

static void test_kill_and_clear(void **state) {
  (void)state;
  world_connect();
  world_arm(300);
  world_forget();
  assert_int_equal(RUN(kill), 0);
  assert_false(world.line.rig.drives_on);
  assert_int_equal(world.reply.state.state, AIO_DEVICE_LOCKED);
  world_pass(5);
  const AioEvent *fault = world_event(AIO_EVENT_FAULT);
  assert_int_equal(fault->value, WIRE_FAULT_KILL);
  assert_string_equal(fault->text, "KILL: drives switched off by command");
  assert_int_equal(RUN(clear, WIRE_FAULT_KILL), DEVICE);
  assert_int_equal(
      strncmp(world.reply.message, "CLEAR refused: too soon after the fault: wait 4", 47), 0);
  world_pass(500);
  assert_int_equal(RUN(clear, WIRE_FAULT_LEASE), DEVICE);
  assert_string_equal(world.reply.message,
                      "CLEAR refused: a fault is latched that the request does not name: KILL: "
                      "drives switched off by command");
  assert_int_equal(RUN(clear, WIRE_FAULT_KILL), 0);
  world_pass(5);
  assert_int_equal(world_event(AIO_EVENT_CLEARED)->value, WIRE_FAULT_KILL);
  assert_int_equal(world.reply.state.faults, 0);
}

static void test_what_the_wire_cannot_carry(void **state) {
  (void)state;
  const AioMoveJoint moves[] = {{1, NAN, 1, 1},  {2, 3000, 1, 1}, {3, 0, -1, 1},
                                {1, 0, 1, 5000}, {33, 0, 1, 1},   {0, 0, 1, 1}};
  static const char *const texts[] = {
      "joint 1: the position is not a number that the protocol can carry (up to 2147 rad, m)",
      "joint 2: the position is not a number that the protocol can carry (up to 2147 rad, m)",
      "joint 3: the speed is not a number that the protocol can carry (up to 4294 rad/s, m/s)",
      ("joint 1: the acceleration is not a number that the protocol can carry (up to 4294 rad/s^2, "
       "m/s^2)"),
      "joint 33: joints count from 1 to 32",
      "joint 0: joints count from 1 to 32"};
  world_connect();
  world_arm(300);
  for (guint k = 0; k < G_N_ELEMENTS(moves); k++) {
    assert_int_equal(RUN(move, &moves[k], 1), REFUSED);
    assert_string_equal(world.reply.message, texts[k]);
  }
  assert_int_equal(RUN(move, moves, 0), REFUSED);
  assert_int_equal(RUN(arm, 70000), REFUSED);
  assert_int_equal(RUN(telemetry, -1, 0), REFUSED);
  assert_int_equal(RUN(telemetry, 1, NAN), REFUSED);
  AioSweep sweep = {2, -1, 0.4, 0.5, 2, 256, 0.1, 4};
  assert_int_equal(RUN(sweep, &sweep), REFUSED);
  sweep.passes = 2;
  sweep.dwell_s = 66;
  assert_int_equal(RUN(sweep, &sweep), REFUSED);
  sweep.dwell_s = 0;
  sweep.current_max = 33; /* more than a current in TELEM can be */
  assert_int_equal(RUN(sweep, &sweep), REFUSED);
  const AioTest test = {70000, 1, 0, 0};
  assert_int_equal(RUN(test, &test), REFUSED);
  assert_int_equal(RUN(trajectory_begin, 1), 0);
  AioSegment segment = {.duration_s = 5000};
  assert_int_equal(RUN(trajectory_segment, &segment), REFUSED);
  assert_string_equal(world.reply.message,
                      "segment 0: the duration is not a number from 0 to 4294 s");
  segment = (AioSegment){.duration_s = 1, .qd = {-INFINITY}};
  assert_int_equal(RUN(trajectory_segment, &segment), REFUSED);
}

/* 0 on the wire is no limit: nobody may come to that by rounding. */
static void test_a_small_current_limit_stays_one(void **state) {
  (void)state;
  guint16 milli = 99;
  assert_true(aio_wire_from_current_limit(0.0001, &milli));
  assert_int_equal(milli, 1);
  assert_true(aio_wire_from_current_limit(0, &milli));
  assert_int_equal(milli, 0);
  assert_true(aio_wire_from_current_limit(32.767, &milli));
  assert_int_equal(milli, 32767);
  assert_false(aio_wire_from_current_limit(32.768, &milli));
  assert_false(aio_wire_from_current_limit(NAN, &milli));
}

static void test_a_joint_and_its_bound_are_named(void **state) {
  (void)state;
  AioMoveJoint move = {2, 1.7, 1, 5};
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(move, &move, 1), DEVICE);
  assert_string_equal(world.reply.message,
                      "joint 2: 1.700 rad is above the highest position 0.500 rad");
  move = (AioMoveJoint){3, -0.001, 1, 1};
  assert_int_equal(RUN(move, &move, 1), DEVICE);
  assert_string_equal(world.reply.message,
                      "joint 3: -0.001 m is below the lowest position 0.000 m");
  move = (AioMoveJoint){7, 0, 1, 1};
  assert_int_equal(RUN(move, &move, 1), DEVICE);
  assert_string_equal(world.reply.message, "MOVE refused: there is no such joint, or it is named "
                                           "twice: joint 7; the arm has 3");
}

static void test_test(void **state) {
  (void)state;
  const AioTest test = {WIRE_TEST_OVER_CURRENT, 2, 1500, 40};
  world_connect();
  assert_int_equal(RUN(test, &test), 0);
  assert_int_equal(world.line.rig.test.kind, WIRE_TEST_OVER_CURRENT);
  assert_int_equal(world.line.rig.test.joint, 2);
  assert_int_equal(world.line.rig.test.value, 1500);
  assert_int_equal(world.line.rig.test.duration_ms, 40);
}

/* A class with nothing but the least. */
static void test_what_a_driver_lacks_is_refused(void **state) {
  (void)state;
  AioDriverClass poor = *world.driver->klass;
  const AioDriverClass *rich = world.driver->klass;
  poor.sweep = NULL;
  world.driver->klass = &poor;
  const AioSweep sweep = {0};
  assert_int_equal(RUN(sweep, &sweep), REFUSED);
  assert_string_equal(world.reply.message,
                      "SWEEP: a controller of the kind \"native\" cannot do this");
  world.driver->klass = rich;
  char *text = aio_faults_text(WIRE_FAULT_LEASE | WIRE_FAULT_ESTOP | 1u << 20, 0);
  assert_string_equal(text, "LEASE: the lease expired; ESTOP: the emergency stop chain is open; "
                            "fault 20: unknown");
  g_free(text);
  text = aio_faults_text(WIRE_FAULT_LEASE | WIRE_FAULT_FOLLOWING, 1u << 1);
  assert_string_equal(text, "LEASE: the lease expired; FOLLOWING: a joint does not follow its "
                            "set-point (joint 2)");
  g_free(text);
  text = aio_faults_text(WIRE_FAULT_ENCODER, 1u << 1 | 1u << 31);
  assert_non_null(strstr(text, " (joints 2, 32)"));
  g_free(text);
  text = aio_faults_text(0, 0);
  assert_string_equal(text, "");
  g_free(text);
  assert_string_equal(aio_device_state_text(AIO_DEVICE_LOCKED), "locked by a fault");
  assert_string_equal(aio_motion_text(AIO_MOTION_SWEEP), "sweeping one joint");
  assert_string_equal(aio_motion_end_text(AIO_END_STOP), "stopped by command");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, world_set_up, world_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_probe),
      TEST(test_arm_is_given_up_soon),
      TEST(test_describe),
      TEST(test_schema_is_read_once),
      TEST(test_hello_waits_for_a_board_that_starts),
      TEST(test_another_major_version_is_read_only),
      TEST(test_nothing_without_a_session),
      TEST(test_move),
      TEST(test_sweep),
      TEST(test_no_motion_has_the_number_0),
      TEST(test_trajectory),
      TEST(test_stop_overtakes),
      TEST(test_a_lost_move_stays_lost_after_a_stop),
      TEST(test_a_sink_may_give_commands),
      TEST(test_kill_and_clear),
      TEST(test_what_the_wire_cannot_carry),
      TEST(test_a_small_current_limit_stays_one),
      TEST(test_a_joint_and_its_bound_are_named),
      TEST(test_test),
      TEST(test_what_a_driver_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
