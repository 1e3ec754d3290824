/* SPDX-License-Identifier: MIT */
/* The host in a session of minor version 1: its guards, and the answers to what others sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "line.h"
#include "wire/bytes.h"
#include "wire/host.h"

static Line line;
static WireHost host;
static uint64_t now_us;
static WireIncoming last;
static WireRefused refused; /* if last is one */
static unsigned n_answers;

static void begin(uint16_t first_seq, bool is_minor_0) {
  line_init(&line);
  line.config.is_minor_0 = is_minor_0;
  line_reboot(&line);
  now_us = UINT64_C(1000000);
  wire_host_init(&host, line_send, &line, 0, first_seq);
  memset(&last, 0, sizeof last);
  n_answers = 0;
}

static void take_in(void) {
  const uint8_t *bytes = line.bytes;
  size_t n = line.n;
  WireIncoming in;
  while (wire_host_next(&host, now_us, &bytes, &n, &in)) {
    if (in.kind == WIRE_INCOMING_REPORT)
      continue;
    n_answers++;
    last = in;
    (void)wire_refused_get(&refused, in.payload, in.length);
  }
  line.n = 0;
}

static void pass(unsigned ms) {
  for (unsigned k = 0; k < ms; k++) {
    now_us += 1000;
    line_pass(&line, 1000);
    take_in();
    (void)wire_host_tick(&host, now_us);
  }
}

static void ask(uint16_t type, const uint8_t *payload, size_t n) {
  assert_true(wire_host_request(&host, now_us, type, payload, n));
  pass(1);
}

static void hello_as(uint8_t minor) {
  uint8_t payload[WIRE_SIZE_HELLO];
  const WireHello message = {.major = WIRE_VERSION, .minor = minor, .host_id = 77};
  wire_hello_put(payload, &message);
  ask(WIRE_TYPE_HELLO, payload, sizeof payload);
  assert_int_equal(last.type, WIRE_TYPE_HELLO_ACK);
}

static void state_get(void) {
  ask(WIRE_TYPE_STATE_GET, NULL, 0);
  assert_int_equal(last.type, WIRE_TYPE_STATE);
}

static void arm(void) {
  uint8_t payload[WIRE_SIZE_ARM];
  const WireArm message = {line.rig.device.token, 2000};
  wire_arm_put(payload, &message);
  state_get();
  ask(WIRE_TYPE_ARM, payload, sizeof payload);
  assert_int_equal(last.type, WIRE_TYPE_ACK);
}

static const uint8_t *move_to(int32_t q) {
  static uint8_t payload[WIRE_SIZE_MOVE + WIRE_SIZE_MOVE_JOINT] = {1};
  const WireMoveJoint target = {1, q, 100000, 1000000};
  wire_move_joint_put(payload + WIRE_SIZE_MOVE, &target);
  return payload;
}

enum { MOVE_BYTES = WIRE_SIZE_MOVE + WIRE_SIZE_MOVE_JOINT };

/* A frame of somebody else on the way to the device. */
static void inject(uint16_t type, uint16_t seq, uint32_t token, const uint8_t *payload, size_t n) {
  uint8_t bytes[WIRE_FRAME_MAX], sent[WIRE_PAYLOAD_MAX];
  const WireGuard guard = {token, host.wraps};
  const size_t at = token ? WIRE_SIZE_GUARD : 0;
  const WireHeader header = {WIRE_VERSION, (uint16_t)(type | (token ? WIRE_GUARDED : 0)), seq, 0};
  wire_guard_put(sent, &guard);
  if (n > 0)
    memcpy(sent + at, payload, n);
  wire_device_receive(&line.rig.device, bytes, wire_frame_encode(bytes, &header, sent, at + n));
}

/* Every kind of session, with numbers that wrap at its beginning, amid it and right behind HELLO.
 */
static void test_both_minors_of_both_sides(void **state) {
  (void)state;
  static const uint16_t firsts[] = {0, 7, 0xfff0, 0xfffe, 0xffff};
  for (unsigned k = 0; k < sizeof firsts / sizeof *firsts; k++)
    for (unsigned which = 0; which < 4; which++) {
      const uint8_t minor = which & 1;
      begin(firsts[k], which & 2);
      hello_as(minor);
      assert_int_equal(host.minor, which == 1);
      assert_int_equal(line.rig.device.minor, which == 1);
      for (unsigned n = 0; n < 40; n++)
        state_get();
      arm();
      ask(WIRE_TYPE_MOVE, move_to(5000), MOVE_BYTES);
      assert_int_equal(last.type, WIRE_TYPE_ACK);
      assert_int_equal(last.request_type, WIRE_TYPE_MOVE);
      assert_int_equal(line.rig.device.motion.kind, WIRE_MOTION_MOVE);
      assert_int_equal(line.rig.device.requests.lost, 0);
      assert_int_equal(host.counters.foreign + host.counters.answers_odd, 0);
    }
}

static void test_numbers_wrap_twice(void **state) {
  (void)state;
  begin(9, false);
  hello_as(1);
  for (unsigned k = 0; k < 140000; k++) {
    ask(WIRE_TYPE_DIGEST_GET, NULL, 0);
    assert_int_equal(last.type, WIRE_TYPE_DIGEST);
    line.rig.n_frames = 0;
  }
  assert_int_equal(host.wraps, 2);
  hello_as(1); /* counts from the beginning */
  state_get();
  assert_int_equal(host.wraps, 0);
  assert_int_equal(host.counters.foreign, 0);
}

/* A disarming and a fault end the token of motions; the host hears the new one. */
static void test_motions_carry_the_token_of_the_arming(void **state) {
  (void)state;
  const uint8_t hold = 0;
  begin(1, false);
  hello_as(1);
  for (int k = 0; k < 3; k++) {
    arm();
    ask(WIRE_TYPE_MOVE, move_to(1000 * (k + 1)), MOVE_BYTES);
    assert_int_equal(last.type, WIRE_TYPE_ACK);
    pass(1000);
    ask(WIRE_TYPE_DISARM, &hold, 1);
    assert_int_equal(last.type, WIRE_TYPE_ACK);
    ask(WIRE_TYPE_MOVE, move_to(0), MOVE_BYTES); /* with the token of before */
    assert_int_equal(last.type, WIRE_TYPE_REFUSED);
    assert_int_equal(refused.code, WIRE_CODE_NOT_ARMED);
  }
}

/* Refusals of frames that were not sent here, with every number: also the one that is waited for,
 * of the same type, at the very moment. */
static void test_a_foreign_refusal_is_no_answer(void **state) {
  (void)state;
  begin(100, false);
  hello_as(1);
  const uint32_t old_token = host.session_token;
  hello_as(1);
  arm();
  for (int ahead = -3; ahead <= 20; ahead++) {
    const uint16_t seq = (uint16_t)(host.next_seq + ahead);
    const uint64_t before = host.counters.foreign;
    inject(WIRE_TYPE_MOVE, seq, old_token, move_to(7000), MOVE_BYTES);
    inject(WIRE_TYPE_MOVE, seq, 0, move_to(7000), MOVE_BYTES);
    n_answers = 0;
    line.drop_requests = 1; /* the repetition gets through */
    assert_true(
        wire_host_request(&host, now_us, WIRE_TYPE_MOVE, move_to(500 + 10 * ahead), MOVE_BYTES));
    pass(20);
    assert_int_equal(n_answers, 0);
    assert_int_equal(host.counters.foreign - before, 2);
    assert_int_equal(host.foreign_type, WIRE_TYPE_MOVE);
    pass(1000);
    assert_int_equal(n_answers, 1);
    assert_int_equal(last.type, WIRE_TYPE_ACK);
    assert_int_equal(last.tries, 2);
    line.rig.n_frames = 0;
    ask(WIRE_TYPE_LEASE,
        (uint8_t[]){(uint8_t)line.rig.device.token, (uint8_t)(line.rig.device.token >> 8),
                    (uint8_t)(line.rig.device.token >> 16), (uint8_t)(line.rig.device.token >> 24)},
        4);
    assert_int_equal(last.type, WIRE_TYPE_ACK);
  }
  assert_int_equal(line.rig.device.requests.lost, 0);
}

/* What was refused to the host itself, once and in its repetitions, is nobody else's. */
static void test_ones_own_refusals_are_not_foreign(void **state) {
  (void)state;
  begin(100, false);
  hello_as(1);
  line.drop_answers = 1;
  host.wraps = 5; /* as a host would that lost count */
  assert_true(wire_host_request(&host, now_us, WIRE_TYPE_STATE_GET, NULL, 0));
  pass(60);
  assert_int_equal(last.type, WIRE_TYPE_REFUSED);
  assert_int_equal(refused.code, WIRE_CODE_SEQUENCE);
  line.double_answers = 1;
  ask(WIRE_TYPE_DIGEST_GET, NULL, 0);
  assert_int_equal(last.type, WIRE_TYPE_REFUSED);
  line.double_answers = 1; /* the second copy comes when the next one is outstanding */
  assert_true(wire_host_request(&host, now_us, WIRE_TYPE_STATE_GET, NULL, 0));
  line.is_cut = true;
  const uint8_t *bytes = line.bytes;
  size_t n = line.n;
  WireIncoming in;
  assert_true(wire_host_next(&host, now_us, &bytes, &n, &in));
  assert_true(wire_host_request(&host, now_us, WIRE_TYPE_STATE_GET, NULL, 0));
  assert_false(wire_host_next(&host, now_us, &bytes, &n, &in));
  assert_int_equal(host.counters.foreign, 0);
}

static void test_foreign_stops_and_hellos_are_seen(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_HELLO];
  const WireHello message = {.major = WIRE_VERSION, .minor = 1, .host_id = 5};
  wire_hello_put(payload, &message);
  begin(100, false);
  hello_as(1);
  wire_host_stop(&host, now_us);
  wire_host_stop(&host, now_us);
  pass(1);
  wire_host_kill(&host, now_us);
  pass(1);
  assert_int_equal(host.counters.foreign, 0);
  inject(WIRE_TYPE_STOP, 4, 0, NULL, 0);
  pass(1);
  assert_int_equal(host.counters.foreign, 1);
  assert_int_equal(host.foreign_type, WIRE_TYPE_STOP);
  inject(WIRE_TYPE_KILL, 5, 0, NULL, 0);
  pass(1);
  assert_int_equal(host.counters.foreign, 2);
  inject(WIRE_TYPE_HELLO, 1, 0, payload, sizeof payload);
  pass(1);
  assert_int_equal(host.counters.foreign, 3);
  assert_int_equal(host.foreign_type, WIRE_TYPE_HELLO);
  ask(WIRE_TYPE_STATE_GET, NULL, 0); /* it has taken the session */
  assert_int_equal(last.type, WIRE_TYPE_REFUSED);
  assert_int_equal(refused.code, WIRE_CODE_TOKEN);
}

/* A guard takes room: what no longer fits is not sent. */
static void test_the_longest_payload(void **state) {
  (void)state;
  uint8_t payload[WIRE_PAYLOAD_MAX] = {0};
  begin(1, false);
  hello_as(1);
  assert_false(wire_host_request(&host, now_us, WIRE_TYPE_UPLOAD_DATA, payload,
                                 WIRE_PAYLOAD_MAX - WIRE_SIZE_GUARD + 1));
  ask(WIRE_TYPE_UPLOAD_DATA, payload, WIRE_PAYLOAD_MAX - WIRE_SIZE_GUARD);
  assert_int_equal(last.type, WIRE_TYPE_REFUSED);
  assert_int_equal(refused.code, WIRE_CODE_NO_UPLOAD);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_minors_of_both_sides),
      cmocka_unit_test(test_numbers_wrap_twice),
      cmocka_unit_test(test_motions_carry_the_token_of_the_arming),
      cmocka_unit_test(test_a_foreign_refusal_is_no_answer),
      cmocka_unit_test(test_ones_own_refusals_are_not_foreign),
      cmocka_unit_test(test_foreign_stops_and_hellos_are_seen),
      cmocka_unit_test(test_the_longest_payload),
  };
  return cmocka_run_group_tests_name("host_guard", tests, NULL, NULL);
}
