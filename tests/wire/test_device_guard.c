/* SPDX-License-Identifier: MIT */
/* Frames that somebody else sends, or that were recorded and are sent again, in a session of minor
 * version 1: nothing moves, nothing changes, the conversation goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "requests.h"
#include "rig.h"
#include "wire/bytes.h"
#include "wire/crc32.h"

static Rig rig;
static RigStorage storage;
static uint32_t old_token; /* of the session before */

static int armed(void **state) {
  (void)state;
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  rig.minor = 1;
  rig_hello(&rig);
  old_token = rig.session_token;
  rig_hello(&rig);
  assert_true(old_token != rig.session_token);
  assert_int_equal(rig_arm(&rig), 0);
  return 0;
}

/* ---- frames ---- */

/* Such that it would do something. */
static Frame kind_of(int k) {
  const RequestTarget target = {.schema_crc = rig.device.schema_crc,
                                .digest = rig.device.digest,
                                .token = rig.token, /* in force, for the worst */
                                .param = 11,        /* servo.kd: live */
                                .value = 0x41000000u,
                                .set_bytes = 4 * RIG_PARAMS};
  return request_of_kind((unsigned)k, &target);
}

/* Sends it with this number; token 0: without a GUARD. Returns the code of its refusal, or 0. The
 * refusal must say which frame it was. */
static uint16_t inject(const Frame *f, uint16_t seq, uint32_t token, uint16_t wraps) {
  uint8_t bytes[WIRE_FRAME_MAX], sent[WIRE_PAYLOAD_MAX];
  const WireGuard guard = {token, wraps};
  const size_t at = token ? WIRE_SIZE_GUARD : 0;
  const WireHeader header = {WIRE_VERSION, (uint16_t)(f->type | (token ? WIRE_GUARDED : 0)), seq,
                             0};
  WireRefused refused;
  WireRequestCrc crc;
  wire_guard_put(sent, &guard);
  memcpy(sent + at, f->payload, f->n);
  const size_t before = rig.n_frames;
  wire_device_receive(&rig.device, bytes, wire_frame_encode(bytes, &header, sent, at + f->n));
  assert_int_equal(rig.n_frames, before + 1);
  const RigFrame *answer = rig_answer(&rig);
  if (answer->header.type != WIRE_TYPE_REFUSED)
    return 0;
  assert_int_equal(answer->length, WIRE_SIZE_REFUSED + WIRE_SIZE_REQUEST_CRC);
  assert_true(wire_refused_get(&refused, answer->payload, answer->length));
  assert_true(wire_request_crc_get(&crc, answer->payload + WIRE_SIZE_REFUSED, 4));
  assert_int_equal(refused.request_seq, seq);
  assert_int_equal(refused.request_type, header.type);
  assert_int_equal(crc.crc, wire_crc32(0, sent, at + f->n));
  return refused.code;
}

/* The device but for what receiving and sending count anyway. */
static WireDevice snapshot(void) {
  static WireDevice d;
  d = rig.device;
  memset(&d.decoder, 0, sizeof d.decoder);
  memset(d.tx, 0, sizeof d.tx);
  d.sent = 0;
  d.request_crc = 0;
  d.now_us = d.wall_us = 0;
  return d;
}

static void expect_untouched(const WireDevice *before, const char *what, int kind, int ahead) {
  static WireDevice after;
  after = snapshot();
  if (memcmp(before, &after, sizeof after) != 0)
    fail_msg("%s: kind %d, %d ahead: something changed", what, kind, ahead);
}

static const int aheads[] = {0, 1, 2, 16, 17, 255, 5000, 32767, 32768, 40000, -1, -2, -100};
enum { AHEADS = sizeof aheads / sizeof *aheads };

/* Each kind with each number; after each the host's own next request is taken. */
static void inject_all(const char *what, uint32_t token, uint16_t code, uint16_t motion_code) {
  static WireDevice before;
  for (int k = 0; k < (int)REQUEST_KINDS; k++)
    for (int a = 0; a < AHEADS; a++) {
      const Frame f = kind_of(k);
      const uint16_t seq = (uint16_t)(rig.device.requests.last + aheads[a]);
      const uint64_t lost = rig.device.requests.lost;
      rig.n_frames = 0;
      before = snapshot();
      assert_int_equal(inject(&f, seq, token, rig.wraps),
                       wire_is_motion(f.type) ? motion_code : code);
      expect_untouched(&before, what, k, aheads[a]);
      (void)rig_state(&rig);
      if (rig.device.state == WIRE_STATE_ARMED)
        assert_int_equal(rig_lease(&rig), 0);
      assert_int_equal(rig.device.requests.lost - lost, 0);
    }
}

static void test_frames_of_another_session(void **state) {
  (void)state;
  inject_all("another session", old_token, WIRE_CODE_TOKEN, WIRE_CODE_TOKEN);
  assert_int_equal(rig_disarm(&rig, false), 0);
  inject_all("another session, disarmed", old_token, WIRE_CODE_TOKEN, WIRE_CODE_NOT_ARMED);
  assert_int_equal(rig_request_seq(&rig, WIRE_TYPE_KILL, NULL, 0, 3), WIRE_TYPE_ACK);
  rig_run(&rig, 600, false); /* a recorded CLEAR would now be served */
  inject_all("another session, locked", old_token, WIRE_CODE_TOKEN, WIRE_CODE_LOCKED);
  assert_int_equal(rig_clear(&rig, WIRE_FAULT_KILL), 0);
}

static void test_frames_without_a_guard(void **state) {
  (void)state;
  inject_all("minor version 0", 0, WIRE_CODE_TOKEN, WIRE_CODE_TOKEN);
}

/* While it sweeps, too: a DISARM would end it. */
static void test_frames_in_mid_sweep(void **state) {
  (void)state;
  const WireSweep sweep = {2, 2, 100, -1000000, 400000, 500000, 2000000, 4000};
  assert_int_equal(rig_sweep(&rig, &sweep), 0);
  for (int k = 0; k < 20; k++) {
    rig_run(&rig, 100, true);
    assert_int_equal(rig.device.motion.kind, WIRE_MOTION_SWEEP);
    inject_all("in mid-sweep", k % 2 ? old_token : 0, WIRE_CODE_TOKEN, WIRE_CODE_TOKEN);
  }
  rig_run(&rig, 8000, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
}

/* The same session, armed for the second time: a motion of the first arming. */
static void test_motions_of_an_earlier_arming(void **state) {
  (void)state;
  static WireDevice before;
  const uint32_t first = rig.token;
  assert_int_equal(rig_disarm(&rig, false), 0);
  assert_int_equal(rig_arm(&rig), 0);
  assert_true(rig.token != first);
  before = snapshot();
  for (int k = 0; k < 5; k++)
    for (int ahead = 1; ahead <= WIRE_AHEAD_MAX; ahead++) {
      const Frame f = kind_of(k);
      assert_int_equal(inject(&f, (uint16_t)(rig.seq + ahead - 1), first, rig.wraps),
                       WIRE_CODE_TOKEN);
      expect_untouched(&before, "an earlier arming", k, ahead);
    }
  assert_int_equal(rig_move(&rig, 1, 1000, 1000, 1000), 0);
}

/* The other requests carry the session's token, whatever the arming. */
static void test_the_token_of_the_session_stays(void **state) {
  (void)state;
  assert_int_equal(rig_disarm(&rig, false), 0);
  assert_true(rig.device.token != rig.session_token);
  const Frame lease = kind_of(9), state_get = kind_of(15);
  assert_int_equal(inject(&state_get, rig.seq, rig.device.token, rig.wraps), WIRE_CODE_TOKEN);
  assert_int_equal(inject(&state_get, rig.seq++, rig.session_token, rig.wraps), 0);
  assert_int_equal(rig_arm(&rig), 0);
  assert_int_equal(inject(&lease, rig.seq, rig.device.token, rig.wraps), WIRE_CODE_TOKEN);
}

/* 65536 requests later the same number is ahead again; a long session sends as many. */
static void test_frames_of_this_arming_after_a_wrap(void **state) {
  (void)state;
  static WireDevice before;
  const uint16_t first = rig.seq, wraps = rig.wraps;
  const Frame move = kind_of(0), disarm = kind_of(7);
  assert_int_equal(rig.device.wraps, wraps);
  for (unsigned k = 0; k < 65536 - 8; k++) {
    assert_int_equal(rig_lease(&rig), 0);
    rig.n_frames = 0;
  }
  assert_int_equal((uint16_t)(first - rig.device.requests.last), 9); /* ahead */
  assert_int_equal(rig.device.wraps, rig.wraps);
  before = snapshot();
  assert_int_equal(inject(&move, first, rig.token, wraps), WIRE_CODE_SEQUENCE);
  assert_int_equal(inject(&disarm, first, rig.session_token, wraps), WIRE_CODE_SEQUENCE);
  expect_untouched(&before, "a wrap later", 0, 9);
  assert_int_equal(rig_lease(&rig), 0);
  assert_int_equal(inject(&move, rig.seq, rig.token, rig.wraps), 0); /* and ours is taken */
}

static void test_how_far_ahead(void **state) {
  (void)state;
  static WireDevice before;
  const Frame move = kind_of(0);
  before = snapshot();
  for (unsigned ahead = WIRE_AHEAD_MAX + 1; ahead < 65536; ahead += ahead < 40 ? 1 : 997) {
    const uint16_t seq = (uint16_t)(rig.device.requests.last + ahead);
    const uint16_t wraps = (uint16_t)(rig.wraps + (seq < rig.device.requests.last));
    assert_int_equal(inject(&move, seq, rig.token, wraps), WIRE_CODE_SEQUENCE);
    assert_int_equal(rig_refused(&rig).limit, rig.device.requests.last);
    assert_int_equal(rig_refused(&rig).asked, seq);
    expect_untouched(&before, "too far ahead", 0, (int)ahead);
    rig.n_frames = 0;
  }
  assert_int_equal(
      inject(&move, (uint16_t)(rig.device.requests.last + WIRE_AHEAD_MAX), rig.token, rig.wraps),
      0);
  assert_int_equal(rig.device.requests.lost, WIRE_AHEAD_MAX - 1);
}

/* The answer to repeat is that of the last request of our own. */
static void test_a_repetition_after_foreign_frames(void **state) {
  (void)state;
  const Frame move = kind_of(0), sweep = kind_of(1);
  const uint16_t seq = rig.seq++;
  assert_int_equal(inject(&move, seq, rig.token, rig.wraps), 0);
  const RigFrame first = *rig_answer(&rig);
  assert_int_equal(inject(&sweep, seq, rig.token, rig.wraps), WIRE_CODE_SEQUENCE);
  assert_int_equal(inject(&move, seq, old_token, rig.wraps), WIRE_CODE_TOKEN);
  assert_int_equal(inject(&sweep, (uint16_t)(seq + 1), old_token, rig.wraps), WIRE_CODE_TOKEN);
  assert_int_equal(inject(&move, seq, rig.token, rig.wraps), 0);
  assert_memory_equal(rig_answer(&rig)->payload, first.payload, first.length);
  assert_int_equal(rig.device.requests.repeated, 1);
}

static void test_wrong_frames_with_a_bit(void **state) {
  (void)state;
  const Frame hello = {.type = WIRE_TYPE_HELLO, .payload = {1, 1}, .n = 8};
  const Frame stop = {.type = WIRE_TYPE_STOP}, none = {.type = 0x0ff};
  const Frame short_guard = {.type = WIRE_TYPE_STATE_GET | WIRE_GUARDED, .n = 5};
  assert_int_equal(inject(&hello, rig.seq++, rig.session_token, rig.wraps), WIRE_CODE_TYPE);
  assert_int_equal(inject(&stop, rig.seq++, rig.session_token, rig.wraps), WIRE_CODE_TYPE);
  assert_int_equal(inject(&none, rig.seq++, rig.session_token, rig.wraps), WIRE_CODE_TYPE);
  assert_int_equal(inject(&short_guard, rig.seq, 0, 0), WIRE_CODE_TOKEN);
  assert_int_equal(rig.device.state, WIRE_STATE_ARMED);
  assert_int_equal(rig_lease(&rig), 0);
}

/* ---- HELLO ---- */

static Frame hello_with(uint32_t token) {
  Frame f = {.type = WIRE_TYPE_HELLO};
  const WireHello hello = {.major = WIRE_VERSION, .minor = 1, .host_id = 4711};
  wire_hello_put(f.payload, &hello);
  wire_put_u32(f.payload + WIRE_SIZE_HELLO, token);
  f.n = WIRE_SIZE_HELLO + (token ? WIRE_SIZE_TAKEOVER : 0);
  return f;
}

static void test_hello_takes_over_with_the_token(void **state) {
  (void)state;
  static WireDevice before;
  const Frame recorded = hello_with(0), old = hello_with(old_token);
  before = snapshot();
  for (int a = 0; a < AHEADS; a++) {
    const uint16_t seq = (uint16_t)(rig.device.requests.last + aheads[a]);
    assert_int_equal(inject(&recorded, seq, 0, 0), WIRE_CODE_TOKEN);
    assert_int_equal((uint32_t)rig_refused(&rig).limit, rig.device.token);
    assert_int_equal(inject(&old, seq, 0, 0), WIRE_CODE_TOKEN);
    expect_untouched(&before, "HELLO", 0, aheads[a]);
  }
  const Frame known = hello_with((uint32_t)rig_refused(&rig).limit);
  assert_int_equal(inject(&known, 77, 0, 0), 0);
  assert_int_equal(rig.device.state, WIRE_STATE_HELD);
  assert_int_equal(inject(&known, 77, 0, 0), 0); /* its answer was lost */
  assert_int_equal(rig.device.requests.repeated, 1);
}

static void test_hello_needs_no_token_when_nobody_is_armed(void **state) {
  (void)state;
  const Frame hello = hello_with(0);
  assert_int_equal(rig_disarm(&rig, false), 0);
  assert_int_equal(inject(&hello, 5, 0, 0), 0);
  (void)armed(state);
  rig.wall_us += RIG_TTL_MS * 1000; /* the lease has run out, and no tick has noticed */
  const size_t n = rig.n_frames;
  uint8_t bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, WIRE_TYPE_HELLO, 5, 0};
  wire_device_receive(&rig.device, bytes,
                      wire_frame_encode(bytes, &header, hello.payload, hello.n));
  assert_true(rig.n_frames > n);
  assert_int_equal(rig_answer(&rig)->header.type, WIRE_TYPE_HELLO_ACK);
  assert_int_equal(rig.device.faults, WIRE_FAULT_LEASE);
}

/* ---- older ends ---- */

/* STOP and KILL need nothing at all. */
static void test_stop_and_kill_stand_above_it(void **state) {
  (void)state;
  const Frame stop = {.type = WIRE_TYPE_STOP}, kill = {.type = WIRE_TYPE_KILL};
  assert_int_equal(rig_move(&rig, 1, 800000, 1000000, 5000000), 0);
  rig_run(&rig, 100, true);
  const uint16_t last = rig.device.requests.last;
  assert_int_equal(inject(&stop, 3, 0, 0), 0);
  assert_int_equal(rig.device.motion.kind, WIRE_MOTION_STOPPING);
  uint8_t bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, kill.type, 3, 0};
  wire_device_receive(&rig.device, bytes, wire_frame_encode(bytes, &header, NULL, 0));
  assert_false(rig.drives_on);
  assert_int_equal(rig.device.requests.last, last);
}

static void test_a_host_of_minor_0_is_served(void **state) {
  (void)state;
  assert_int_equal(rig_disarm(&rig, false), 0);
  rig.minor = 0;
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  rig.seq = (uint16_t)(rig.seq + 1000); /* lost, as before */
  assert_int_equal(rig_move(&rig, 1, 1000, 1000, 1000), 0);
  assert_int_equal(rig.device.requests.lost, 1000);
  const Frame guarded = kind_of(15);
  assert_int_equal(inject(&guarded, rig.seq++, rig.token, 0), WIRE_CODE_TYPE);
  rig_hello(&rig); /* takes over without a token */
  assert_int_equal(rig.device.state, WIRE_STATE_HELD);
}

static void test_a_device_of_minor_0(void **state) {
  (void)state;
  static WireDeviceConfig config;
  uint8_t payload[WIRE_SIZE_HELLO];
  const WireHello hello = {.major = WIRE_VERSION, .minor = 1};
  WireHelloAck ack;
  config = rig_config;
  config.is_minor_0 = true;
  rig.session_token = 0;
  assert_true(wire_device_init(&rig.device, &config, &rig_hal, &rig));
  wire_hello_put(payload, &hello);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_HELLO, payload, sizeof payload),
                   WIRE_TYPE_HELLO_ACK);
  assert_true(wire_hello_ack_get(&ack, rig_answer(&rig)->payload, rig_answer(&rig)->length));
  assert_int_equal(ack.minor, 0);
  assert_int_equal(rig_arm(&rig), 0);
  assert_int_equal(rig_move(&rig, 1, 1000, 1000, 1000), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_STATE_GET | WIRE_GUARDED), WIRE_CODE_TYPE);
  assert_int_equal(rig_answer(&rig)->length, WIRE_SIZE_REFUSED);
}

#define TEST(function) cmocka_unit_test_setup(function, armed)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_frames_of_another_session),
      TEST(test_frames_without_a_guard),
      TEST(test_frames_in_mid_sweep),
      TEST(test_motions_of_an_earlier_arming),
      TEST(test_the_token_of_the_session_stays),
      TEST(test_frames_of_this_arming_after_a_wrap),
      TEST(test_how_far_ahead),
      TEST(test_a_repetition_after_foreign_frames),
      TEST(test_wrong_frames_with_a_bit),
      TEST(test_hello_takes_over_with_the_token),
      TEST(test_hello_needs_no_token_when_nobody_is_armed),
      TEST(test_stop_and_kill_stand_above_it),
      TEST(test_a_host_of_minor_0_is_served),
      TEST(test_a_device_of_minor_0),
  };
  return cmocka_run_group_tests_name("device_guard", tests, NULL, NULL);
}
