/* SPDX-License-Identifier: MIT */
/* Somebody else sends on the line: recorded frames, also to a controller of minor version 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "native_world.h"
#include "wire/bytes.h"

static const AioMoveJoint there = {1, 0.9, 0.5, 5};

static WireDevice *device(void) {
  return &world.line.rig.device;
}

static AioDriverCounters counters(void) {
  AioDriverCounters c;
  aio_driver_counters(world.driver, &c);
  return c;
}

static int old_device(void **state) {
  (void)world_set_up(state);
  world.line.config.is_minor_0 = true;
  line_reboot(&world.line);
  return 0;
}

/* The bytes that the driver sent last, as a recorder on the line has them. */
typedef struct {
  gsize n;
  guint8 bytes[WIRE_FRAME_MAX];
} Recorded;

static Recorded recorded(void) {
  Recorded r = {.n = world.n_written};
  memcpy(r.bytes, world.written, world.n_written);
  return r;
}

static void replay(const Recorded *r) {
  wire_device_receive(device(), r->bytes, r->n);
}

/* A MOVE as older hosts send it, or with a guard of this token. */
static void inject_move(int ahead, guint32 token) {
  guint8 payload[64], bytes[WIRE_FRAME_MAX];
  const WireMoveJoint target = {1, 5000, 100000, 1000000};
  const WireGuard guard = {token, 0};
  const gsize at = token ? WIRE_SIZE_GUARD : 0;
  const WireHeader header = {WIRE_VERSION, (guint16)(WIRE_TYPE_MOVE | (token ? WIRE_GUARDED : 0)),
                             (guint16)(device()->requests.last + ahead), 0};
  wire_guard_put(payload, &guard);
  payload[at] = 1;
  wire_move_joint_put(payload + at + 1, &target);
  wire_device_receive(device(), bytes,
                      wire_frame_encode(bytes, &header, payload, at + 1 + WIRE_SIZE_MOVE_JOINT));
}

static void expect_text(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("\"%s\" lacks \"%s\"", text, part);
}

/* All numbers, twice a second, while the arm is armed and at rest and while it moves. */
static void test_recorded_frames_do_nothing(void **state) {
  (void)state;
  world_connect();
  const guint32 old_token = world.line.rig.device.session_token;
  world_connect();
  world_arm(300);
  const guint16 before = device()->last_id;
  for (guint k = 0; k < 60; k++) {
    inject_move((int)(k * 700) - 3, k % 2 ? old_token : 0);
    inject_move((int)k % 20, k % 2 ? old_token : 0);
    world_pass(500);
    assert_int_equal(device()->motion.kind, WIRE_MOTION_NONE);
  }
  assert_int_equal(device()->last_id, before);
  assert_int_equal(RUN(move, &there, 1), 0);
  for (guint k = 0; k < 3; k++) {
    inject_move(1 + (int)k, old_token);
    world_pass(500);
  }
  world_pass(1500);
  assert_int_equal(world_event(AIO_EVENT_MOTION_END)->end, AIO_END_DONE);
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
  assert_int_equal(device()->requests.lost, 0);
  assert_int_equal(counters().foreign, 123);
  assert_int_equal(counters().timeouts, 0);
}

/* At once, and then not more often than every minute. */
static void test_it_is_told(void **state) {
  (void)state;
  world_connect();
  inject_move(3, 0);
  world_pass(2);
  assert_int_equal(world_count(AIO_EVENT_FOREIGN), 1);
  assert_string_equal(world_event(AIO_EVENT_FOREIGN)->text,
                      "1 request that this program did not send: MOVE: another "
                      "program or a replayed recording sends on this line: end it or unplug it");
  assert_int_equal(world_event(AIO_EVENT_FOREIGN)->value, 1);
  for (guint k = 0; k < 59; k++) {
    inject_move(3, 0);
    world_pass(1000);
  }
  assert_int_equal(world_count(AIO_EVENT_FOREIGN), 1);
  world_pass(1100);
  inject_move(3, 0);
  world_pass(2);
  assert_int_equal(world_count(AIO_EVENT_FOREIGN), 2);
  expect_text(world_event(AIO_EVENT_FOREIGN)->text, "61 requests that");
}

/* The end of the motion and the answer to the STOP that ended it come with the same bytes: whoever
 * hears of the end knows of the STOP already. */
static void test_it_is_told_before_the_motion_ends(void **state) {
  (void)state;
  guint8 bytes[WIRE_FRAME_MAX];
  const WireHeader stop = {WIRE_VERSION, WIRE_TYPE_STOP, 7, 0};
  world_connect();
  world_arm(2000);
  assert_int_equal(RUN(move, &there, 1), 0);
  world_forget();
  wire_device_receive(device(), bytes, wire_frame_encode(bytes, &stop, NULL, 0));
  line_pass(&world.line, 500000);
  world_pass(1);
  assert_int_equal(world_count(AIO_EVENT_MOTION_END), 1);
  assert_int_equal(world_count(AIO_EVENT_FOREIGN), 1);
  assert_true(world_event(AIO_EVENT_FOREIGN) < world_event(AIO_EVENT_MOTION_END));
}

/* What the driver itself sent in this session, once more: behind. */
static void test_what_was_sent_before_is_behind(void **state) {
  (void)state;
  Recorded kept[6];
  world_connect();
  world_arm(2000);
  kept[0] = recorded();
  assert_int_equal(RUN(move, &there, 1), 0);
  kept[1] = recorded();
  assert_int_equal(RUN(param_set, 11, 3.0), 0);
  kept[2] = recorded();
  world_pass(3000);
  kept[3] = recorded(); /* LEASE */
  assert_int_equal(RUN(disarm, false), 0);
  kept[4] = recorded();
  assert_int_equal(RUN(param_set, 11, 4.0), 0);
  world_arm(2000);
  kept[5] = recorded();
  assert_int_equal(RUN(state), 0);
  assert_int_equal(RUN(state), 0); /* the answer to the request before the last may come twice */
  const guint32 digest = device()->digest;
  for (guint k = 0; k < 50; k++) {
    replay(&kept[k % G_N_ELEMENTS(kept)]);
    world_pass(100);
    assert_int_equal(device()->motion.kind, WIRE_MOTION_NONE);
    assert_int_equal(device()->state, WIRE_STATE_ARMED);
    assert_int_equal(device()->digest, digest);
  }
  assert_int_equal(counters().foreign, 50);
}

/* HELLO of another program while the arm is armed: refused; a new driver takes it over. */
static void test_the_arm_is_taken_over_with_its_token(void **state) {
  (void)state;
  aio_driver_describe(world.driver, world_ticket());
  const Recorded hello = recorded();
  assert_int_equal(world_wait(world.next_ticket - 1), 0);
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(move, &there, 1), 0);
  replay(&hello);
  world_pass(100);
  assert_int_equal(device()->motion.kind, WIRE_MOTION_MOVE);
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
  expect_text(world_event(AIO_EVENT_FOREIGN)->text, "did not send: HELLO");
  world_connect(); /* with the token that the refusal tells */
  assert_int_equal(device()->state, WIRE_STATE_HELD);
  assert_int_equal(device()->motion.end, WIRE_END_HELLO);
  world_pass(300);
  world_arm(300);
}

/* While nobody is armed it takes the session: the next command says what helps. */
static void test_a_lost_session_is_named(void **state) {
  (void)state;
  aio_driver_describe(world.driver, world_ticket());
  const Recorded hello = recorded();
  assert_int_equal(world_wait(world.next_ticket - 1), 0);
  replay(&hello);
  world_pass(2);
  assert_int_equal(RUN(param_set, 11, 3.0), AIO_REPLY_CODE(AIO_ERROR_DEVICE));
  assert_string_equal(world.reply.message,
                      "PARAM_SET refused: the controller serves another session: another program "
                      "or a replayed recording sends on this line: end it or unplug it, then "
                      "connect again");
  world_connect();
  assert_int_equal(RUN(param_set, 11, 3.0), 0);
}

/* ---- older firmware ---- */

/* Its frames are those of minor version 0, and everything works. */
static void test_an_old_controller_is_served(void **state) {
  (void)state;
  double values[RIG_PARAMS];
  const AioSweep sweep = {2, -0.1, 0.1, 0.5, 2, 1, 0, 0};
  world_connect();
  assert_string_equal(world.description.protocol, "1.0");
  assert_int_equal(RUN(params_get), 0);
  for (guint k = 0; k < RIG_PARAMS; k++)
    values[k] = world.params[k].value;
  assert_int_equal(RUN(params_upload, values, RIG_PARAMS), 0);
  assert_int_equal(RUN(telemetry, 100, 0), 0);
  world_arm(300);
  assert_int_equal(RUN(move, &there, 1), 0);
  assert_int_equal(world_sent().type, WIRE_TYPE_MOVE);
  world_pass(4000);
  assert_int_equal(world_event(AIO_EVENT_MOTION_END)->end, AIO_END_DONE);
  assert_int_equal(RUN(sweep, &sweep), 0);
  world_pass(3000);
  assert_int_equal(RUN(trajectory_begin, 1), 0);
  assert_int_equal(RUN(disarm, true), 0);
  assert_int_equal(device()->requests.lost, 0);
  assert_int_equal(counters().foreign, 0);
  world_connect(); /* armed or not, it needs no token */
}

/* It takes the number of a recorded frame for one of the host's: the message names the cause. */
static void test_an_old_controller_follows_others(void **state) {
  (void)state;
  world_connect();
  world_arm(300);
  inject_move(40, 0);
  world_pass(2);
  assert_int_equal(device()->motion.kind, WIRE_MOTION_MOVE); /* it obeys: the host hears it */
  expect_text(world_event(AIO_EVENT_FOREIGN)->text,
              "1 request that this program did not send: MOVE");
  assert_int_equal(RUN(move, &there, 1), AIO_REPLY_CODE(AIO_ERROR_DEVICE));
  expect_text(world.reply.message, "MOVE refused: the controller expects the number after ");
  expect_text(world.reply.message, "another program or a replayed recording sends on this line: "
                                   "end it or unplug it, then connect again");
  world_pass(1000);
  assert_int_equal(device()->faults, WIRE_FAULT_LEASE);
}

#define TEST(function, set_up) cmocka_unit_test_setup_teardown(function, set_up, world_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_recorded_frames_do_nothing, world_set_up),
      TEST(test_it_is_told, world_set_up),
      TEST(test_it_is_told_before_the_motion_ends, world_set_up),
      TEST(test_what_was_sent_before_is_behind, world_set_up),
      TEST(test_the_arm_is_taken_over_with_its_token, world_set_up),
      TEST(test_a_lost_session_is_named, world_set_up),
      TEST(test_an_old_controller_is_served, old_device),
      TEST(test_an_old_controller_follows_others, old_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
