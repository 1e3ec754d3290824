/* SPDX-License-Identifier: MIT */
/* What goes wrong: leases, restarts, lost and spoilt frames, pulled cables, nonsense. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "native_world.h"
#include "wire/host.h"

#define GONE    AIO_REPLY_CODE(AIO_ERROR_GONE)
#define TIMEOUT AIO_REPLY_CODE(AIO_ERROR_TIMEOUT)

static WireDevice *device(void) {
  return &world.line.rig.device;
}

static AioDriverCounters counters(void) {
  AioDriverCounters c;
  aio_driver_counters(world.driver, &c);
  return c;
}

/* ---- the lease ---- */

static void test_the_lease_is_renewed_every_third(void **state) {
  (void)state;
  world_connect();
  world_arm(300);
  const guint64 before = world.line.requests;
  world_pass(3000);
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
  assert_in_range(world.line.requests - before, 29, 31);
  assert_int_equal(RUN(disarm, false), 0);
  const guint64 after = world.line.requests;
  world_pass(1000);
  assert_int_equal(world.line.requests, after); /* and no longer */
}

static void test_nobody_alive_no_lease(void **state) {
  (void)state;
  const AioMoveJoint there = {1, 0.9, 0.1, 5};
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(move, &there, 1), 0);
  world.keeps_alive = false;
  aio_driver_keep_alive(world.driver, world.now_ns + 1000000000);
  world_pass(950);
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
  world_pass(400);
  assert_int_equal(device()->state, WIRE_STATE_LOCKED);
  assert_int_equal(device()->faults, WIRE_FAULT_LEASE);
  world_pass(100);
  assert_int_equal(world_event(AIO_EVENT_MOTION_END)->end, AIO_END_FAULT);
  assert_string_equal(world_event(AIO_EVENT_FAULT)->text, "LEASE: the lease expired");
  assert_int_equal(world_event(AIO_EVENT_STATE)->state.state, AIO_DEVICE_LOCKED);
  assert_int_equal(world_event(AIO_EVENT_STATE)->state.faults, WIRE_FAULT_LEASE);
}

static void test_never_alive_never_renewed(void **state) {
  (void)state;
  world.keeps_alive = false;
  world_connect();
  world_arm(300);
  const guint64 before = world.line.requests;
  world_pass(290);
  assert_int_equal(world.line.requests, before);
  world_pass(20);
  assert_int_equal(device()->faults, WIRE_FAULT_LEASE);
}

static void test_the_lease_goes_between_the_steps_of_others(void **state) {
  (void)state;
  world_connect();
  world_arm(50);
  for (guint k = 0; k < 20; k++) { /* each 20 exchanges of a 1 ms step */
    assert_int_equal(RUN(params_get), 0);
    assert_int_equal(RUN(state), 0);
  }
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
}

/* The DISARM is lost: whoever gave it must not find the arm armed for ever. */
static void test_a_lost_disarm_ends_the_lease(void **state) {
  (void)state;
  world_connect();
  world_arm(2000);
  world.line.drop_requests = WIRE_HOST_TRIES;
  assert_int_equal(RUN(disarm, false), TIMEOUT);
  const guint64 before = world.line.requests;
  world_pass(1500);
  assert_int_equal(world.line.requests, before);
  world_pass(600);
  assert_int_equal(device()->faults, WIRE_FAULT_LEASE);
}

/* Refused is refused: the state is asked, and nobody believes that the lease runs on. */
static void test_a_refused_lease_is_not_renewed(void **state) {
  (void)state;
  world_connect();
  world_arm(300);
  device()->token ^= 1;
  world_pass(110);
  const guint64 before = world.line.requests;
  world_pass(180);
  assert_int_equal(world.line.requests, before);
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
  world_pass(110);
  assert_int_equal(device()->faults, WIRE_FAULT_LEASE);
  assert_int_equal(world_event(AIO_EVENT_STATE)->state.state, AIO_DEVICE_LOCKED);
}

static void test_a_lost_lease_is_repeated(void **state) {
  (void)state;
  world_connect();
  world_arm(300);
  for (guint k = 0; k < 30; k++) {
    world.line.drop_requests = 1;
    world_pass(100);
  }
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
  assert_in_range(counters().retries, 15, 31);
}

/* What it says is lost, what it is told arrives: no request may keep the lease waiting. */
static void test_a_mute_controller_keeps_its_lease(void **state) {
  (void)state;
  world_connect();
  world_arm(1000);
  world.line.drop_answers = 1000000;
  for (guint k = 0; k < 5; k++)
    assert_int_equal(RUN(state), TIMEOUT);
  world.line.drop_answers = 0;
  assert_int_equal(device()->state, WIRE_STATE_ARMED);
}

/* ---- states and samples ---- */

static void test_each_change_is_told_once(void **state) {
  (void)state;
  world_connect();
  assert_int_equal(RUN(telemetry, 500, 10), 0);
  assert_true(world.reply.telemetry_hz == 500);
  world_forget();
  world_arm(300);
  world_pass(100);
  assert_int_equal(world_count(AIO_EVENT_STATE), 1);
  world.line.rig.reading.is_estop_closed = false;
  world_pass(100);
  assert_int_equal(world_count(AIO_EVENT_FAULT), 1);
  assert_int_equal(world_event(AIO_EVENT_STATE)->state.faults, WIRE_FAULT_ESTOP);
  assert_false(world_event(AIO_EVENT_STATE)->state.is_estop_closed);
  assert_false(world_event(AIO_EVENT_STATE)->state.drives_on);
  assert_int_equal(RUN(state), 0);
  assert_int_equal(world.reply.state.active, WIRE_FAULT_ESTOP);
  world_forget();
  world.line.rig.reading.is_estop_closed = true;
  world_pass(1000);
  assert_int_equal(world_count(AIO_EVENT_STATE), 1);
  assert_int_equal(world.n_health, 10);
}

static void test_samples_in_si(void **state) {
  (void)state;
  world_connect();
  WireReading *reading = &world.line.rig.reading;
  reading->q[0] = -123456;
  reading->qd[1] = 250000;
  reading->current[2] = -1250;
  reading->flags[2] = 0x4200;
  reading->supply_mv = 24125;
  reading->motor_temperature[1] = 4150;
  assert_int_equal(RUN(telemetry, 1000, 5), 0);
  world_pass(300);
  const AioSample *sample = &world.samples[world.n_samples - 1];
  assert_true(sample->q[0] == -0.123456 && sample->qd[1] == 0.25 && sample->current[2] == -1.25);
  assert_int_equal(sample->joint_flags[2], 0x4200);
  assert_int_equal(sample->flags, AIO_SAMPLE_ESTOP_CLOSED);
  assert_int_equal(sample->t_host_ns, world.now_ns);
  assert_int_equal(sample->t_us - world.samples[0].t_us, 1000 * (world.n_samples - 1));
  assert_true(world.health.supply_V == 24.125 && world.health.board_C == 30.0);
  assert_true(world.health.motor_C[1] == 41.5 && isnan(world.health.motor_C[3]));
  world.line.rig.now_us += 50000; /* the device is late */
  world.line.drop_answers = 2;
  world_forget();
  world_pass(10);
  assert_int_equal(world.samples[0].lost, 2);
  assert_true(world.samples[0].flags & AIO_SAMPLE_GAP);
  assert_int_equal(counters().samples_lost, 2);
  world.line.rig.now_us += 50000;
  world_forget();
  world_pass(1);
  assert_true(world.samples[0].flags & AIO_SAMPLE_LATE);
  wire_device_log(device(), WIRE_LOG_WARNING, "h\xc3\xa4lt \x01\xe2\x80\xae\xff");
  world_pass(1);
  assert_string_equal(world_event(AIO_EVENT_LOG)->text, "h\xc3\xa4lt   \xef\xbf\xbd");
  assert_int_equal(world_event(AIO_EVENT_LOG)->level, 1);
}

/* The answer of ARM is lost and comes again later, as old as it is: TELEM knows better. */
static void test_an_old_answer_does_not_turn_the_state_back(void **state) {
  (void)state;
  world_connect();
  assert_int_equal(RUN(telemetry, 1000, 0), 0);
  const guint64 ticket = world_ticket();
  aio_driver_arm(world.driver, ticket, 300);
  while (device()->state != WIRE_STATE_ARMED)
    world_pass(1);
  world.line.n = 0; /* the answer of ARM */
  world.line.rig.reading.is_estop_closed = false;
  world_pass(20);
  world_forget();
  assert_int_equal(world_wait(ticket), 0);
  world_pass(50);
  for (guint k = 0; k < world.n_events; k++)
    assert_int_equal(world.events[k].state.state, AIO_DEVICE_LOCKED);
  assert_int_equal(world.reply.state.state, AIO_DEVICE_LOCKED);
}

/* ---- restarts ---- */

static void check_gone(guint64 first) {
  for (guint64 k = first; k < world.next_ticket; k++) {
    assert_int_equal(world_wait(k), GONE);
    assert_string_equal(world.replies[k].message, "the controller has restarted: connect again");
  }
}

static void test_a_restart_ends_the_session(void **state) {
  (void)state;
  const AioMoveJoint there = {1, 0.9, 0.1, 5};
  world_connect();
  world_arm(300);
  assert_int_equal(RUN(move, &there, 1), 0);
  world_pass(100);
  const guint64 first = world.next_ticket;
  world.line.drop_requests = 1;
  aio_driver_state(world.driver, world_ticket());
  aio_driver_params_get(world.driver, world_ticket());
  line_reboot(&world.line);
  world_pass(5);
  check_gone(first);
  assert_int_equal(world_event(AIO_EVENT_BOOT)->value, 42);
  assert_string_equal(world_event(AIO_EVENT_BOOT)->text,
                      "the controller has restarted (power-up): connect again");
  assert_int_equal(RUN(state), AIO_REPLY_CODE(AIO_ERROR_REFUSED));
  const guint64 before = world.line.requests;
  world_pass(1000);
  assert_int_equal(world.line.requests, before); /* no lease for a session that is over */
  world_connect();
  assert_int_equal(world.description.boot_count, 42);
  assert_int_equal(world.reply.state.state, AIO_DEVICE_OFF);
  assert_int_equal(world_count(AIO_EVENT_BOOT), 1);
}

static void test_a_restart_whose_event_is_lost(void **state) {
  (void)state;
  world_connect();
  line_reboot(&world.line);
  world.line.drop_answers = 1;
  world_pass(5);
  const guint64 first = world.next_ticket;
  aio_driver_state(world.driver, world_ticket());
  aio_driver_telemetry(world.driver, world_ticket(), 100, 0);
  check_gone(first); /* NO_HELLO */
  world_connect();
  assert_int_equal(world_count(AIO_EVENT_BOOT), 1); /* the boot count told it */
  assert_int_equal(world_event(AIO_EVENT_BOOT)->value, 42);
}

static void test_a_pulled_cable(void **state) {
  (void)state;
  world_connect();
  world_arm(300);
  world.line.is_cut = true;
  aio_driver_state(world.driver, world_ticket());
  aio_driver_describe(world.driver, world_ticket());
  aio_driver_stop(world.driver, world_ticket());
  aio_driver_kill(world.driver, world_ticket());
  aio_driver_params_digest(world.driver, world_ticket());
  aio_driver_disconnected(world.driver);
  for (guint64 k = world.next_ticket - 3; k < world.next_ticket; k++) {
    assert_int_equal(world.replies[k].code, GONE);
    assert_string_equal(world.replies[k].message, "the connection to the controller was lost");
  }
  assert_int_equal(aio_driver_tick(world.driver, world.now_ns + 1), G_MAXINT64);
  world.line.is_cut = false;
  world_pass(1000);
  assert_int_equal(device()->faults, WIRE_FAULT_LEASE); /* it halts by itself */
  world_connect();
}

static void test_stop_and_kill_without_answer(void **state) {
  (void)state;
  world_connect();
  world.line.is_cut = true;
  aio_driver_stop(world.driver, world_ticket());
  aio_driver_kill(world.driver, world_ticket());
  aio_driver_state(world.driver, world_ticket());
  assert_int_equal(world_wait(world.next_ticket - 3), TIMEOUT);
  assert_string_equal(world.reply.message,
                      "the controller does not answer: use the emergency stop of the arm");
  assert_int_equal(world_wait(world.next_ticket - 2), TIMEOUT);
  assert_int_equal(world_wait(world.next_ticket - 1), TIMEOUT);
}

/* ---- noise ---- */

static bool is_true_sample(const AioSample *sample) {
  return sample->q[0] == 0.123456 && sample->q[1] == -1.5 && sample->qd[2] == 0.25 &&
         sample->current[0] == -1.25;
}

/* 100 s at 1 kHz, a bit error in one of 10000 bytes: every frame that was hit is missing, none is
 * wrong, and the gaps say exactly how many. */
static void test_noise(void **state) {
  (void)state;
  world_connect();
  WireReading *reading = &world.line.rig.reading;
  reading->q[0] = 123456;
  reading->q[1] = -1500000;
  reading->qd[2] = 250000;
  reading->current[0] = -1250;
  assert_int_equal(RUN(telemetry, 1000, 0), 0);
  world_pass(10);
  world_forget();
  const AioDriverCounters before = counters();
  const guint64 sent_before = world.line.sends, telem_before = device()->telem_sent;
  world.line.noise = 1e-4;
  for (guint k = 0; k < 99; k++) {
    world_pass(1000);
    assert_int_equal(RUN(state), 0);
    world.next_ticket--; /* tickets are few: the same one again */
    world.is_answered[world.next_ticket] = false;
  }
  world.line.noise = 0;
  world_pass(2);
  const AioDriverCounters after = counters();
  const guint sent = (guint16)(device()->telem_sent - telem_before);
  assert_int_equal((guint16)(world.n_samples + world.lost), sent);
  for (guint k = 0; k < world.n_samples; k++)
    assert_true(is_true_sample(&world.samples[k]));
  const guint64 lost =
      after.samples_lost - before.samples_lost + after.other_lost - before.other_lost;
  const guint64 rejected = after.frames_bad - before.frames_bad;
  print_message("# %u samples, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                " frames unusable, %" G_GUINT64_FORMAT " missing, %" G_GUINT64_FORMAT
                " runs of bytes rejected\n",
                world.n_samples, world.line.unusable, world.line.sends - sent_before, lost,
                rejected);
  assert_int_equal(world.lost, after.samples_lost - before.samples_lost);
  assert_true(world.line.spoilt > 300);
  assert_int_equal(lost, world.line.unusable);
  /* a new zero makes two runs of one frame, a lost one makes one of two */
  assert_in_range(rejected, lost * 9 / 10, lost * 5 / 4);
}

static void test_random_bytes(void **state) {
  (void)state;
  guint8 bytes[300];
  world_connect();
  world_arm(300);
  aio_driver_params_get(world.driver, world_ticket());
  for (guint k = 0; k < 20000; k++) {
    const gsize n = 1 + test_rng_below(&world.line.rng, sizeof bytes);
    for (gsize i = 0; i < n; i++)
      bytes[i] = (guint8)(test_rng_next(&world.line.rng) % (k % 2 ? 256 : 8));
    aio_driver_receive(world.driver, world.now_ns, bytes, n);
    if (k % 100 == 0)
      world_pass(1);
  }
  assert_int_equal(world_wait(world.next_ticket - 1), 0);
  assert_int_equal(RUN(state), 0);
  assert_int_equal(world.n_samples, 0);
}

/* Good frames of every type with random contents: what they say is nonsense, and survived. */
static void test_random_frames(void **state) {
  (void)state;
  static const uint16_t types[] = {
      WIRE_TYPE_HELLO_ACK,    WIRE_TYPE_STATE,  WIRE_TYPE_JOINT,      WIRE_TYPE_SCHEMA,
      WIRE_TYPE_PARAM_VALUE,  WIRE_TYPE_DIGEST, WIRE_TYPE_SUBSCRIBED, WIRE_TYPE_ACK,
      WIRE_TYPE_UPLOAD_STATE, WIRE_TYPE_TELEM,  WIRE_TYPE_HEALTH,     WIRE_TYPE_EVENT,
      WIRE_TYPE_LOG,          WIRE_TYPE_REFUSED};
  uint8_t payload[WIRE_PAYLOAD_MAX];
  const double values[RIG_PARAMS] = {0};
  world_connect();
  for (guint k = 0; k < 30000; k++) {
    const uint16_t type = types[test_rng_below(&world.line.rng, G_N_ELEMENTS(types))];
    const gsize n = test_rng_below(&world.line.rng, k % 3 ? 60 : sizeof payload);
    for (gsize i = 0; i < n; i++)
      payload[i] = (uint8_t)(test_rng_next(&world.line.rng) % (k % 2 ? 256 : 5));
    if (n > 3 && world.n_written > 12) {
      payload[0] = (uint8_t)world_sent().seq;
      payload[1] = (uint8_t)(world_sent().seq >> 8);
      payload[2] = (uint8_t)world_sent().type;
      payload[3] = (uint8_t)(world_sent().type >> 8);
    }
    line_forge(&world.line, WIRE_VERSION, type, (uint16_t)k, payload, n);
    if (world.next_ticket < WORLD_TICKETS - 10) {
      aio_driver_describe(world.driver, world_ticket());
      aio_driver_params_upload(world.driver, world_ticket(), values, RIG_PARAMS);
      aio_driver_arm(world.driver, world_ticket(), 300);
    }
    world_pass(1);
  }
  for (guint64 k = 1; k < world.next_ticket; k++)
    (void)world_wait(k);
}

/* A joint that the arm does not have: the event counts, its joint does not. */
static void test_a_joint_that_is_not_there(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_EVENT];
  static const uint8_t codes[] = {WIRE_EVENT_FAULT, WIRE_EVENT_MOTION_END, WIRE_EVENT_CLEARED,
                                  WIRE_EVENT_SWEEP_LEG};
  world_connect();
  const guint joints = world.description.joints;
  uint16_t seq = 2000; /* newer than all that the device has sent */
  assert_in_range(joints, 1, 32);
  for (gsize k = 0; k < G_N_ELEMENTS(codes); k++)
    for (guint joint = joints; joint <= 255; joint += 255 - joints) {
      const WireEvent event = {.code = codes[k], .joint = (uint8_t)joint, .value = 1};
      const guint64 bad = counters().frames_bad;
      world_forget();
      wire_event_put(payload, &event);
      line_forge(&world.line, WIRE_VERSION, WIRE_TYPE_EVENT, seq++, payload, sizeof payload);
      world_pass(1);
      assert_int_equal(counters().frames_bad - bad, joint > joints);
      for (guint n = 0; n < world.n_events; n++)
        assert_true(world.events[n].joint <= joints);
      if (codes[k] == WIRE_EVENT_FAULT)
        assert_int_equal(world_count(AIO_EVENT_FAULT), 1);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, world_set_up, world_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_the_lease_is_renewed_every_third),
      TEST(test_nobody_alive_no_lease),
      TEST(test_never_alive_never_renewed),
      TEST(test_the_lease_goes_between_the_steps_of_others),
      TEST(test_a_lost_disarm_ends_the_lease),
      TEST(test_a_refused_lease_is_not_renewed),
      TEST(test_a_lost_lease_is_repeated),
      TEST(test_a_mute_controller_keeps_its_lease),
      TEST(test_each_change_is_told_once),
      TEST(test_samples_in_si),
      TEST(test_an_old_answer_does_not_turn_the_state_back),
      TEST(test_a_restart_ends_the_session),
      TEST(test_a_restart_whose_event_is_lost),
      TEST(test_a_pulled_cable),
      TEST(test_stop_and_kill_without_answer),
      TEST(test_noise),
      TEST(test_random_bytes),
      TEST(test_a_joint_that_is_not_there),
      TEST(test_random_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
