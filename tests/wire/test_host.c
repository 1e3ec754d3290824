/* SPDX-License-Identifier: MIT */
/* The host's half of the conversation, against the rig's device over a bad line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "line.h"
#include "support/support.h"
#include "wire/bytes.h"
#include "wire/host.h"

static Line line;
static WireHost host;
static uint64_t now_us;
static WireIncoming last; /* the last answer */
static unsigned n_answers, n_urgent, n_reports, given_up;
static uint64_t last_telem_us, telem_gaps;

static int fresh(void **state) {
  (void)state;
  line_init(&line);
  now_us = UINT64_C(1000000);
  wire_host_init(&host, line_send, &line, 0, 0xfffd);
  memset(&last, 0, sizeof last);
  n_answers = n_urgent = n_reports = given_up = 0;
  last_telem_us = telem_gaps = 0;
  return 0;
}

/* Takes in what waits on the line. */
static void take_in(void) {
  const uint8_t *bytes = line.bytes;
  size_t n = line.n;
  WireIncoming in;
  while (wire_host_next(&host, now_us, &bytes, &n, &in)) {
    if (in.kind == WIRE_INCOMING_REPORT) {
      n_reports++;
      if (in.type == WIRE_TYPE_TELEM) {
        assert_true(in.t_us >= last_telem_us);
        last_telem_us = in.t_us;
        telem_gaps += in.lost;
      }
    } else {
      n_answers += in.kind == WIRE_INCOMING_ANSWER;
      n_urgent += in.kind == WIRE_INCOMING_URGENT;
      last = in;
    }
  }
  assert_int_equal(n, 0);
  line.n = 0;
}

/* ms of 1 ms steps; what comes is taken in unless it is held back. */
static void pass(unsigned ms, bool takes) {
  for (unsigned k = 0; k < ms; k++) {
    now_us += 1000;
    line_pass(&line, 1000);
    if (takes)
      take_in();
    given_up |= wire_host_tick(&host, now_us);
  }
}

static void hello(void) {
  uint8_t payload[WIRE_SIZE_HELLO];
  const WireHello message = {.major = WIRE_VERSION, .host_id = 77};
  wire_hello_put(payload, &message);
  assert_true(wire_host_request(&host, now_us, WIRE_TYPE_HELLO, payload, sizeof payload));
  pass(1, true);
  assert_int_equal(last.type, WIRE_TYPE_HELLO_ACK);
}

static void ask(uint16_t type) {
  assert_true(wire_host_request(&host, now_us, type, NULL, 0));
}

static void subscribe(uint16_t hz) {
  uint8_t payload[WIRE_SIZE_SUBSCRIBE];
  const WireSubscribe message = {hz, 0};
  wire_subscribe_put(payload, &message);
  assert_true(wire_host_request(&host, now_us, WIRE_TYPE_SUBSCRIBE, payload, sizeof payload));
  pass(1, true);
  assert_int_equal(last.type, WIRE_TYPE_SUBSCRIBED);
}

static void arm(void) {
  uint8_t payload[WIRE_SIZE_ARM];
  const WireArm message = {line.rig.device.token, 2000};
  wire_arm_put(payload, &message);
  assert_true(wire_host_request(&host, now_us, WIRE_TYPE_ARM, payload, sizeof payload));
  pass(1, true);
  assert_int_equal(last.type, WIRE_TYPE_ACK);
}

static void request_move(int32_t q) {
  uint8_t payload[WIRE_SIZE_MOVE + WIRE_SIZE_MOVE_JOINT] = {1};
  const WireMoveJoint target = {1, q, 100000, 1000000};
  wire_move_joint_put(payload + WIRE_SIZE_MOVE, &target);
  assert_true(wire_host_request(&host, now_us, WIRE_TYPE_MOVE, payload, sizeof payload));
}

static void test_boot_comes_before_any_answer(void **state) {
  (void)state;
  WireIncoming in;
  ask(WIRE_TYPE_STATE_GET); /* before the first tick of the device */
  const uint8_t *bytes = line.bytes;
  size_t n = line.n;
  assert_true(wire_host_next(&host, now_us, &bytes, &n, &in));
  assert_true(in.type == WIRE_TYPE_EVENT && in.is_restart);
  assert_true(wire_host_next(&host, now_us, &bytes, &n, &in));
  assert_int_equal(in.type, WIRE_TYPE_REFUSED);
  line.n = 0;
  pass(5, true);
  assert_int_equal(n_reports, 0); /* and once */
}

static void test_an_answer_and_its_round_trip(void **state) {
  (void)state;
  pass(3, true);
  assert_int_equal(n_reports, 1); /* BOOT */
  hello();
  assert_int_equal(last.tries, 1);
  assert_int_equal(last.round_trip_us, 1000);
  assert_int_equal(last.request_type, WIRE_TYPE_HELLO);
  ask(WIRE_TYPE_STATE_GET);
  assert_false(wire_host_request(&host, now_us, WIRE_TYPE_STATE_GET, NULL, 0)); /* one at a time */
  pass(7, false);
  take_in();
  assert_int_equal(last.type, WIRE_TYPE_STATE);
  assert_int_equal(last.round_trip_us, 7000);
  assert_int_equal(host.counters.answers, 2);
  assert_int_equal(host.counters.repeated, 0);
  assert_true(wire_host_next_us(&host) == UINT64_MAX);
}

static void test_a_lost_request_is_repeated(void **state) {
  (void)state;
  hello();
  line.drop_requests = 1;
  ask(WIRE_TYPE_STATE_GET);
  assert_int_equal(wire_host_next_us(&host), now_us + WIRE_HOST_ANSWER_US);
  pass(49, true);
  assert_int_equal(host.counters.repeated, 0);
  pass(2, true);
  assert_int_equal(last.type, WIRE_TYPE_STATE);
  assert_int_equal(last.tries, 2);
  assert_int_equal(host.counters.repeated, 1);
  assert_int_equal(line.rig.device.requests.lost, 0);
}

static void test_a_lost_or_spoilt_answer_moves_once(void **state) {
  (void)state;
  hello();
  arm();
  line.drop_answers = 1;
  line.spoil_answers = 1;
  request_move(500000);
  const uint16_t id = host.request.seq;
  pass(120, true);
  assert_int_equal(last.request_type, WIRE_TYPE_MOVE);
  assert_int_equal(last.request_seq, id);
  assert_int_equal(last.tries, 3);
  assert_int_equal(line.rig.device.motion.id, id);
  assert_int_equal(line.rig.device.requests.repeated, 2);
  assert_int_equal(wire_counters_rejected(&host.decoder.counters), 1);
  assert_int_equal(host.counters.others_lost, 2); /* answers lost on the line have numbers too */
}

static void test_doubled_and_late_answers_are_counted(void **state) {
  (void)state;
  hello();
  line.double_answers = 1;
  ask(WIRE_TYPE_STATE_GET);
  pass(1, true);
  assert_int_equal(n_answers, 2);
  assert_int_equal(host.counters.answers_late, 1);
  ask(WIRE_TYPE_DIGEST_GET); /* the answer waits on the line while the host repeats twice */
  pass(120, false);
  take_in();
  assert_int_equal(n_answers, 3);
  assert_int_equal(last.type, WIRE_TYPE_DIGEST);
  assert_int_equal(host.counters.repeated, 2);
  assert_int_equal(host.counters.answers_late, 3);
  ask(WIRE_TYPE_STATE_GET); /* given up: its answer means nothing to the next request */
  wire_host_abandon(&host);
  ask(WIRE_TYPE_DIGEST_GET);
  pass(1, true);
  assert_int_equal(last.type, WIRE_TYPE_DIGEST);
  assert_int_equal(host.counters.answers_late, 4);
  assert_int_equal(host.counters.doubled, 0);
}

static void give_up_after(uint16_t type, const uint8_t *payload, size_t n, unsigned ms) {
  given_up = 0;
  assert_true(wire_host_request(&host, now_us, type, payload, n));
  pass(ms - 1, true);
  assert_int_equal(given_up, 0);
  pass(1, true);
  assert_int_equal(given_up, WIRE_HOST_NO_ANSWER);
}

static void test_patience(void **state) {
  (void)state;
  const uint8_t payload[8] = {1};
  hello();
  line.is_cut = true;
  give_up_after(WIRE_TYPE_STATE_GET, NULL, 0, 6 * 50 + 100 + 200 + 400 + 800);
  assert_int_equal(host.counters.repeated, 9);
  host.is_hurried = true;
  give_up_after(WIRE_TYPE_STATE_GET, NULL, 0, 300);
  host.is_hurried = false;
  give_up_after(WIRE_TYPE_ARM, payload, 8, 300); /* nothing arms or moves late */
  give_up_after(WIRE_TYPE_LEASE, payload, 8, 300);
  give_up_after(WIRE_TYPE_MOVE, payload, 8, 300);
  give_up_after(WIRE_TYPE_TRAJ_START, payload, 8, 300);
  give_up_after(WIRE_TYPE_COMMIT, payload, 8, 4000);
  give_up_after(WIRE_TYPE_HELLO, payload, 8, 3050);
  assert_int_equal(host.counters.timeouts, 8);
  host.bytes_per_s = 11520; /* the request and two longest frames: 90.9 ms */
  give_up_after(WIRE_TYPE_STATE_GET, NULL, 0, 6 * 141 + 282 + 564 + 1128 + 2255);
}

static void test_numbers_wrap(void **state) {
  (void)state;
  hello();
  for (unsigned k = 0; k < 70000; k++) {
    ask(WIRE_TYPE_DIGEST_GET);
    take_in();
    line.rig.n_frames = 0;
  }
  assert_int_equal(n_answers, 70001);
  assert_int_equal(line.rig.device.requests.lost, 0);
  assert_int_equal(host.counters.others_lost, 0);
  assert_int_equal(host.counters.answers_late + host.counters.answers_odd, 0);
}

static void test_losses_are_exact(void **state) {
  (void)state;
  hello();
  subscribe(1000);
  uint64_t dropped = 0;
  for (unsigned k = 0; k < 70000; k++) {
    const bool drops = k > 0 && test_rng_below(&line.rng, 7) == 0;
    line.drop_answers = drops;
    dropped += drops;
    pass(1, true);
  }
  pass(1, true);
  assert_int_equal(host.counters.telem_lost, dropped);
  assert_int_equal(telem_gaps, dropped);
  assert_int_equal(host.counters.others_lost, 0);
  line.double_answers = 3;
  const uint64_t before = host.counters.telem;
  pass(3, true);
  assert_int_equal(host.counters.telem, before + 3);
  assert_int_equal(host.counters.doubled, 3);
}

/* More than half of all numbers: the computer slept, and the line had no room. */
static void test_a_long_loss_is_no_repetition(void **state) {
  (void)state;
  hello();
  subscribe(1000);
  pass(10, true);
  const unsigned before = n_reports;
  line.drop_answers = 40000;
  pass(40000, true);
  pass(10, true);
  assert_int_equal(n_reports, before + 10);
  assert_int_equal(host.counters.telem_lost, 40000);
  assert_int_equal(host.counters.doubled, 0);
  line.double_answers = 3;
  pass(3, true);
  assert_int_equal(host.counters.doubled, 3);
}

/* Device time against the rig's own, which never wraps. */
static void check_time(uint64_t origin_us) {
  const uint64_t before = n_reports;
  pass(1, true);
  assert_int_equal(n_reports, before + 1);
  assert_int_equal(last_telem_us - origin_us, line.rig.now_us);
}

static void test_time_goes_on(void **state) {
  (void)state;
  hello();
  subscribe(1000);
  pass(1, true);
  const uint64_t origin_us = last_telem_us - line.rig.now_us;
  for (unsigned k = 0; k < 200; k++) /* the rig's clock wraps here */
    check_time(origin_us);
  const uint64_t silences_us[] = {UINT64_C(4000) * 1000000, UINT64_C(4294967296) * 3 + 5,
                                  UINT64_C(3) * 86400 * 1000000};
  for (size_t k = 0; k < 3; k++) {
    line.rig.now_us += silences_us[k];
    now_us += silences_us[k];
    check_time(origin_us);
  }
}

static void test_time_goes_on_across_a_restart(void **state) {
  (void)state;
  hello();
  subscribe(1000);
  pass(50, true);
  const uint64_t before_us = last_telem_us;
  line_reboot(&line);
  line.rig.now_us = 0;
  now_us += 2000000;
  pass(1, true);
  hello();
  assert_false(last.is_restart); /* EVENT BOOT told it */
  subscribe(1000);
  pass(10, true);
  assert_in_range(last_telem_us - before_us, 2000000, 2020000);
  assert_int_equal(host.counters.telem_lost + host.counters.others_lost, 0);
  line_reboot(&line); /* and if BOOT gets lost, HELLO_ACK tells it */
  line.drop_answers = 1;
  pass(1, true);
  const uint64_t then_us = last_telem_us;
  hello();
  assert_true(last.is_restart);
  subscribe(1000);
  pass(10, true);
  assert_in_range(last_telem_us - then_us, 1, 20000);
  assert_int_equal(host.counters.telem_lost, 0);
}

static void test_a_lost_move_does_not_start_after_a_stop(void **state) {
  (void)state;
  hello();
  arm();
  line.drop_requests = 1;
  request_move(500000);
  pass(10, true);
  wire_host_stop(&host, now_us);
  pass(1, true);
  assert_int_equal(n_urgent, 1);
  assert_int_equal(last.request_type, WIRE_TYPE_STOP);
  assert_int_equal(host.counters.answers_late, 2); /* of the other two copies */
  pass(500, true);
  assert_int_equal(line.rig.device.motion.kind, WIRE_MOTION_NONE);
  assert_int_equal(line.rig.device.last_id, 0); /* it never moved */
  assert_int_equal(given_up, 0);
  ask(WIRE_TYPE_STATE_GET);
  pass(1, true);
  assert_int_equal(last.type, WIRE_TYPE_STATE);
  assert_int_equal(line.rig.device.requests.lost, 1); /* the MOVE, not the STOP */
}

static void test_stop_survives_two_losses(void **state) {
  (void)state;
  hello();
  arm();
  request_move(500000);
  pass(200, true);
  line.drop_requests = 2;
  wire_host_stop(&host, now_us);
  assert_int_equal(line.rig.device.motion.kind, WIRE_MOTION_STOPPING);
  line.n = 0; /* its answer is lost */
  pass(60, true);
  assert_int_equal(n_urgent, 1);
  assert_int_equal(last.tries, 2);
}

static void test_kill_without_answer_takes_the_emergency_string(void **state) {
  (void)state;
  hello();
  arm();
  line.longest_request = WIRE_EMERGENCY_BYTES + 2; /* no frame gets through */
  wire_host_kill(&host, now_us);
  pass(49, true);
  assert_true(line.rig.drives_on);
  pass(1, true);
  assert_false(line.rig.drives_on);
  assert_int_equal(line.rig.device.faults, WIRE_FAULT_EMERGENCY);
  pass(300, true);
  assert_int_equal(given_up, WIRE_HOST_NO_KILL);
}

static void test_what_is_not_for_a_host_is_counted(void **state) {
  (void)state;
  const uint8_t payload[WIRE_SIZE_STATE] = {0};
  hello();
  line_forge(&line, WIRE_VERSION, WIRE_TYPE_STOP, 1, NULL, 0);
  line_forge(&line, WIRE_VERSION, 0x8ff, 1, payload, 20);
  line_forge(&line, 2, WIRE_TYPE_STATE, 1, payload, sizeof payload);
  const uint8_t echo[] = {0, 24, 24, 24, 24, 24, 24, 24, 24, 0};
  memcpy(line.bytes + line.n, echo, sizeof echo);
  line.n += sizeof echo;
  take_in();
  assert_int_equal(host.counters.echoes, 2);
  assert_int_equal(host.counters.unknown, 1);
  assert_int_equal(host.counters.versions, 1);
  assert_int_equal(n_answers, 1);
}

static void test_an_answer_must_fit_its_request(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_STATE] = {0};
  hello();
  line.is_cut = true;
  ask(WIRE_TYPE_STATE_GET);
  wire_put_u16(payload, host.request.seq);
  line_forge(&line, WIRE_VERSION, WIRE_TYPE_DIGEST, 100, payload, WIRE_SIZE_DIGEST);
  line_forge(&line, WIRE_VERSION, WIRE_TYPE_STATE, 101, payload, WIRE_SIZE_STATE - 1);
  wire_put_u16(payload + 2, WIRE_TYPE_ARM); /* a refusal of something else */
  line_forge(&line, WIRE_VERSION, WIRE_TYPE_REFUSED, 102, payload, WIRE_SIZE_REFUSED);
  line_forge(&line, WIRE_VERSION, WIRE_TYPE_ACK, 103, payload, WIRE_SIZE_ACK);
  take_in();
  assert_int_equal(n_answers, 1);
  assert_int_equal(host.counters.answers_odd, 4);
  wire_put_u16(payload + 2, WIRE_TYPE_STATE_GET);
  line_forge(&line, WIRE_VERSION, WIRE_TYPE_REFUSED, 104, payload, WIRE_SIZE_REFUSED);
  take_in();
  assert_int_equal(last.type, WIRE_TYPE_REFUSED);
}

static void test_a_new_line_begins_clean(void **state) {
  (void)state;
  hello();
  ask(WIRE_TYPE_STATE_GET);
  line.n /= 2; /* pulled in the middle of a frame */
  take_in();
  wire_host_disconnect(&host);
  assert_true(wire_host_next_us(&host) == UINT64_MAX);
  line.n = 0;
  hello();
  assert_int_equal(n_answers, 2);
  assert_int_equal(wire_counters_rejected(&host.decoder.counters), 1);
}

#define TEST(function) cmocka_unit_test_setup(function, fresh)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_boot_comes_before_any_answer),
      TEST(test_an_answer_and_its_round_trip),
      TEST(test_a_lost_request_is_repeated),
      TEST(test_a_lost_or_spoilt_answer_moves_once),
      TEST(test_doubled_and_late_answers_are_counted),
      TEST(test_patience),
      TEST(test_numbers_wrap),
      TEST(test_losses_are_exact),
      TEST(test_a_long_loss_is_no_repetition),
      TEST(test_time_goes_on),
      TEST(test_time_goes_on_across_a_restart),
      TEST(test_a_lost_move_does_not_start_after_a_stop),
      TEST(test_stop_survives_two_losses),
      TEST(test_kill_without_answer_takes_the_emergency_string),
      TEST(test_what_is_not_for_a_host_is_counted),
      TEST(test_an_answer_must_fit_its_request),
      TEST(test_a_new_line_begins_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
