/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "support/support.h"
#include "wire/bytes.h"
#include "wire/crc32.h"

static Rig rig;
static RigStorage storage;

static int fresh(void **state) {
  (void)state;
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  return 0;
}

static void test_hello_says_who_it_is(void **state) {
  (void)state;
  rig_run(&rig, 1, false);
  WireEvent boot;
  assert_true(wire_event_get(&boot, rig.frames[0].payload, rig.frames[0].length));
  assert_int_equal(boot.code, WIRE_EVENT_BOOT);
  assert_int_equal(boot.value, 41);
  rig_hello(&rig);
  WireHelloAck ack;
  const RigFrame *frame = rig_answer(&rig);
  assert_true(wire_hello_ack_get(&ack, frame->payload, frame->length));
  assert_int_equal(ack.major, 1);
  assert_int_equal(ack.uid2, 3);
  assert_int_equal(ack.firmware, 0x00010002u);
  assert_int_equal(ack.boot_count, 41);
  assert_int_equal(ack.reset_cause, WIRE_RESET_POWER);
  assert_int_equal(ack.joints, RIG_JOINTS);
  assert_int_equal(ack.params, RIG_PARAMS);
  assert_int_equal(ack.time_factor, 1000);
  assert_true(ack.token != 0 && ack.schema_crc != 0);
  assert_int_equal(ack.segments, WIRE_DEVICE_SEGMENTS);
  assert_int_equal(frame->header.t_us, (uint32_t)(rig.now_us & UINT32_MAX));
}

static void test_nothing_before_hello(void **state) {
  (void)state;
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_STATE_GET), WIRE_CODE_NO_HELLO);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_TRAJ_START), WIRE_CODE_NO_HELLO);
  assert_int_equal(rig_move(&rig, 1, 0, 1, 1), WIRE_CODE_NO_HELLO);
}

static void test_another_major_version_reads_only(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_HELLO];
  const WireHello hello = {.major = 2};
  wire_hello_put(payload, &hello);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_HELLO, payload, sizeof payload),
                   WIRE_TYPE_HELLO_ACK);
  assert_int_equal(rig_arm(&rig), WIRE_CODE_VERSION);
  assert_int_equal(rig_move(&rig, 1, 0, 1, 1), WIRE_CODE_VERSION);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_UPLOAD_ABORT), WIRE_CODE_VERSION);
  const uint8_t get[2] = {10, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_PARAM_GET, get, 2), WIRE_TYPE_PARAM_VALUE);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_DIGEST_GET), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_KILL), 0);
  rig_hello(&rig);
  rig.version = 2; /* frames of the other version after a good HELLO */
  assert_int_equal(rig_arm(&rig), WIRE_CODE_VERSION);
}

static void test_a_number_is_executed_once(void **state) {
  (void)state;
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  uint8_t payload[WIRE_SIZE_MOVE + WIRE_SIZE_MOVE_JOINT] = {1};
  WireMoveJoint target = {1, 5000, 100000, 1000000};
  wire_move_joint_put(payload + 1, &target);
  const uint16_t number = rig.seq;
  assert_int_equal(rig_request(&rig, WIRE_TYPE_MOVE, payload, sizeof payload), WIRE_TYPE_ACK);
  const RigFrame first = *rig_answer(&rig);
  rig_run(&rig, 20, false);
  /* the answer was lost: the same request again gets the same answer, and moves nothing */
  for (int k = 0; k < 3; k++) {
    assert_int_equal(rig_request_seq(&rig, WIRE_TYPE_MOVE, payload, sizeof payload, number),
                     WIRE_TYPE_ACK);
    assert_int_equal(rig_answer(&rig)->length, first.length);
    assert_memory_equal(rig_answer(&rig)->payload, first.payload, first.length);
  }
  assert_int_equal(rig.device.motion.id, number);
  /* the same number with something else is refused, and so are older numbers */
  target.q = 6000;
  wire_move_joint_put(payload + 1, &target);
  assert_int_equal(rig_request_seq(&rig, WIRE_TYPE_MOVE, payload, sizeof payload, number),
                   WIRE_TYPE_REFUSED);
  assert_int_equal(rig_refused(&rig).code, WIRE_CODE_SEQUENCE);
  assert_int_equal(rig_request_seq(&rig, WIRE_TYPE_STATE_GET, NULL, 0, (uint16_t)(number - 1)),
                   WIRE_TYPE_REFUSED);
  assert_int_equal(rig_refused(&rig).code, WIRE_CODE_SEQUENCE);
  assert_int_equal(rig_refused(&rig).limit, number);
  /* numbers that were lost are counted */
  rig.seq = (uint16_t)(rig.seq + 5);
  assert_int_equal(rig_state(&rig).lost, 5);
}

static void test_repeated_lease_does_not_extend_it(void **state) {
  (void)state;
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  const uint16_t number = rig.seq;
  uint8_t payload[WIRE_SIZE_LEASE];
  wire_put_u32(payload, rig.token);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(rig_request_seq(&rig, WIRE_TYPE_LEASE, payload, 4, number), WIRE_TYPE_ACK);
    rig_run(&rig, 99, false);
  }
  assert_int_equal(rig.device.faults, WIRE_FAULT_LEASE);
}

static void test_wrong_requests(void **state) {
  (void)state;
  const uint8_t some[40] = {0};
  rig_hello(&rig);
  assert_int_equal(rig_request(&rig, 0x0ff, some, 3), WIRE_TYPE_REFUSED);
  assert_int_equal(rig_result(&rig), WIRE_CODE_TYPE);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_ARM, some, 5), WIRE_TYPE_REFUSED);
  assert_int_equal(rig_result(&rig), WIRE_CODE_LENGTH);
  assert_int_equal(rig_refused(&rig).limit, 6);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_ARM, some, 7), WIRE_TYPE_REFUSED);
  assert_int_equal(rig_result(&rig), WIRE_CODE_LENGTH);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_HELLO, some, 2), WIRE_TYPE_REFUSED);
  assert_int_equal(rig_result(&rig), rig.minor ? WIRE_CODE_TOKEN : WIRE_CODE_LENGTH);
  rig_hello(&rig);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_JOINT_GET, some, 1), WIRE_TYPE_REFUSED);
  assert_int_equal(rig_result(&rig), WIRE_CODE_JOINT);
  const size_t before = rig.n_frames; /* its own kind, echoed by an adapter */
  assert_int_equal(rig_request(&rig, WIRE_TYPE_ACK, some, 16), 0);
  assert_int_equal(rig.n_frames, before);
  assert_int_equal(rig.device.echoes, 1);
}

static void test_joints_are_described(void **state) {
  (void)state;
  rig_hello(&rig);
  WireJoint joint;
  const uint8_t third[1] = {3};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_JOINT_GET, third, 1), WIRE_TYPE_JOINT);
  assert_true(wire_joint_get(&joint, rig_answer(&rig)->payload, rig_answer(&rig)->length));
  assert_int_equal(joint.kind, WIRE_JOINT_SLIDES);
  assert_int_equal(joint.q_max, 300000);
  assert_int_equal(joint.v_max, 500000);
}

/* 700 Hz does not divide a second: the grid is 1428 us, one frame per period, none twice. */
static void test_telemetry(void **state) {
  (void)state;
  rig_hello(&rig);
  const uint8_t rates[4] = {0xbc, 2, 10, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, rates, 4), WIRE_TYPE_SUBSCRIBED);
  rig.reading.q[1] = -77;
  rig.reading.current[2] = -1234;
  rig.reading.flags[0] = 0xabcd;
  rig_run(&rig, 2000, false);
  assert_in_range(rig_count(&rig, WIRE_TYPE_TELEM), 1400, 1402);
  assert_in_range(rig_count(&rig, WIRE_TYPE_HEALTH), 20, 21);
  assert_true(rig.telem.lost == 0 && rig.ordered.lost == 0);
  const RigFrame *frame = rig_last(&rig, WIRE_TYPE_TELEM);
  WireTelem telem;
  WireTelemJoint joint;
  assert_int_equal(frame->length, WIRE_SIZE_TELEM + RIG_JOINTS * WIRE_SIZE_TELEM_JOINT);
  assert_true(wire_telem_get(&telem, frame->payload, frame->length));
  assert_int_equal(telem.count, RIG_JOINTS);
  assert_int_equal(telem.flags & WIRE_FLAG_ESTOP_CLOSED, WIRE_FLAG_ESTOP_CLOSED);
  assert_int_equal(telem.flags & WIRE_FLAG_LATE, 0);
  assert_true(
      wire_telem_joint_get(&joint, frame->payload + WIRE_SIZE_TELEM, WIRE_SIZE_TELEM_JOINT));
  assert_int_equal(joint.flags, 0xab00);
  assert_true(wire_telem_joint_get(&joint, frame->payload + WIRE_SIZE_TELEM + 12, 12));
  assert_int_equal(joint.q, -77);
  assert_true(wire_telem_joint_get(&joint, frame->payload + WIRE_SIZE_TELEM + 24, 12));
  assert_int_equal(joint.current, -1234);
  const RigFrame *health = rig_last(&rig, WIRE_TYPE_HEALTH);
  assert_int_equal(wire_get_u32(health->payload), 24000);
  rig.now_us += 50000; /* the loop stood still: said, not made up for */
  const size_t before = rig_count(&rig, WIRE_TYPE_TELEM);
  rig_run(&rig, 1, false);
  assert_int_equal(rig_count(&rig, WIRE_TYPE_TELEM), before + 1);
  assert_true(wire_telem_get(&telem, rig_last(&rig, WIRE_TYPE_TELEM)->payload, WIRE_SIZE_TELEM));
  assert_int_equal(telem.flags & WIRE_FLAG_LATE, WIRE_FLAG_LATE);
  const uint8_t odd[4] = {101, 0, 0, 0}; /* of 9900.99 us the whole ones */
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, odd, 4), WIRE_TYPE_SUBSCRIBED);
  assert_int_equal(rig.device.telem_period_us, 9900);
}

/* After a pause the instants are those of before, modulo the period. */
static void test_telemetry_keeps_its_grid(void **state) {
  (void)state;
  rig_hello(&rig);
  const uint8_t rates[4] = {100, 0, 0, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, rates, 4), WIRE_TYPE_SUBSCRIBED);
  rig_run(&rig, 50, false);
  const uint32_t start = rig_last(&rig, WIRE_TYPE_TELEM)->header.t_us;
  assert_int_equal((rig.device.telem_next_us) % 10000, 0);
  rig.now_us += 53000;
  rig_run(&rig, 48, false);
  const RigFrame *frame = rig_last(&rig, WIRE_TYPE_TELEM);
  assert_int_equal((frame->header.t_us - start) % 10000, 0);
}

/* What could not be sent shows as a gap of exactly its size. */
static void test_full_line_shows_as_gap(void **state) {
  (void)state;
  rig_hello(&rig);
  const uint8_t rates[4] = {0xff, 0xff, 0, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, rates, 4), WIRE_TYPE_SUBSCRIBED);
  assert_int_equal(wire_get_u16(rig_answer(&rig)->payload + 2), 1000);
  rig_run(&rig, 100, false);
  rig.is_line_full = true;
  rig_run(&rig, 37, false);
  rig.is_line_full = false;
  rig_run(&rig, 100, false);
  assert_int_equal(rig.telem.lost, 37);
}

static void test_clock_wraps_in_mid_motion(void **state) {
  (void)state;
  rig_hello(&rig);
  assert_int_equal(rig_arm(&rig), 0);
  assert_int_equal(rig_move(&rig, 1, 900000, 1000000, 10000000), 0);
  assert_true((rig.now_us >> 32) == 0);
  rig_run(&rig, 999, true);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_NONE);
  rig_run(&rig, 1, true);
  assert_true((rig.now_us >> 32) == 1 && (rig.wall_us >> 32) == 1);
  assert_int_equal(rig_motion_end(&rig), WIRE_END_DONE);
  assert_int_equal(rig.points[0], 900000);
  assert_true(rig.v_max_seen <= 0.51);
}

/* A recorded conversation, cut anywhere, gives the same answers. */
static void test_any_split_gives_the_same(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(8));
  static uint8_t stream[20000];
  size_t length = 0;
  for (uint16_t k = 0; k < 60; k++) {
    uint8_t payload[64];
    size_t n;
    for (size_t b = 0; b < sizeof payload; b++)
      payload[b] = (uint8_t)test_rng_below(&rng, 256);
    payload[0] = k == 0 ? 1 : payload[0];
    const uint16_t types[] = {WIRE_TYPE_STATE_GET, WIRE_TYPE_MOVE, WIRE_TYPE_STOP, 0x123};
    const size_t size = k == 0 ? WIRE_SIZE_HELLO : test_rng_below(&rng, 2) * 14;
    const uint8_t *bytes =
        rig_encode(&rig, k == 0 ? WIRE_TYPE_HELLO : types[k % 4], payload, size, k, &n);
    memcpy(stream + length, bytes, n);
    length += n;
  }
  uint32_t expected = 0;
  for (int run = 0; run < 50; run++) {
    (void)fresh(state);
    for (size_t at = 0, n; at < length; at += n) {
      n = run == 0 ? length : 1 + test_rng_below(&rng, run == 1 ? 1 : 100);
      n = n < length - at ? n : length - at;
      wire_device_receive(&rig.device, stream + at, n);
    }
    uint32_t digest = 0;
    for (size_t k = 0; k < rig.n_frames; k++)
      digest = wire_crc32(digest, rig.frames[k].payload, rig.frames[k].length);
    assert_true(rig.n_frames >= 60);
    expected = run == 0 ? digest : expected;
    assert_int_equal(digest, expected);
  }
}

static void test_hello_ends_telemetry(void **state) {
  (void)state;
  rig_hello(&rig);
  const uint8_t rates[4] = {0xe8, 3, 100, 0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_SUBSCRIBE, rates, 4), WIRE_TYPE_SUBSCRIBED);
  rig_run(&rig, 100, false);
  assert_true(rig_count(&rig, WIRE_TYPE_TELEM) > 90 && rig_count(&rig, WIRE_TYPE_HEALTH) > 8);
  rig_hello(&rig);
  rig.n_frames = 0;
  rig_run(&rig, 100, false);
  assert_int_equal(rig.n_frames, 0);
}

/* The token of a device right after its start. */
static uint32_t token_of(uint32_t uid, uint32_t boot_count, uint64_t wall_us) {
  static WireDeviceConfig config;
  config = rig_config;
  config.uid[0] = uid;
  config.boot_count = boot_count;
  rig.wall_us = wall_us;
  assert_true(wire_device_init(&rig.device, &config, &rig_hal, &rig));
  return rig.device.token;
}

/* Whatever differs of device, start, time and count: another token. */
static void test_tokens_do_not_repeat(void **state) {
  (void)state;
  const uint32_t token = token_of(1, 41, 1000);
  assert_true(token != 0 && token == token_of(1, 41, 1000));
  assert_true(token != token_of(2, 41, 1000));
  assert_true(token != token_of(1, 42, 1000));
  assert_true(token != token_of(1, 41, 1001));
  assert_int_equal(token_of(1, 41, 1000), token);
  assert_int_equal(token_of(1, 41, 577285143), 1); /* whose CRC is 0, which is no token */
  uint32_t seen[20];
  for (size_t k = 0; k < 20; k++) { /* at the same instant */
    rig_hello(&rig);
    seen[k] = rig.device.token;
    for (size_t i = 0; i < k; i++)
      assert_true(seen[i] != seen[k]);
  }
}

static void test_log_and_test_messages(void **state) {
  (void)state;
  rig_hello(&rig);
  wire_device_log(&rig.device, WIRE_LOG_WARNING, "fan slow");
  assert_int_equal(rig_answer(&rig)->length, 9);
  assert_memory_equal(rig_answer(&rig)->payload, "\1fan slow", 9);
  const WireTest stall = {WIRE_TEST_STALL, 2, -5, 1000};
  uint8_t payload[WIRE_SIZE_TEST];
  wire_test_put(payload, &stall);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_TEST, payload, sizeof payload), WIRE_TYPE_ACK);
  assert_memory_equal(&rig.test, &stall, sizeof stall);
  rig_init(&rig, NULL);
  rig_hello(&rig);
  (void)rig_request(&rig, WIRE_TYPE_TEST, payload, sizeof payload);
  assert_int_equal(rig_result(&rig), WIRE_CODE_UNSUPPORTED);
}

static void test_what_cannot_be_started(void **state) {
  (void)state;
  WireDevice *d = &rig.device;
  WireDeviceConfig config = rig_config;
  WireHal hal = rig_hal;
  config.n_joints = WIRE_DEVICE_JOINTS + 1;
  assert_false(wire_device_init(d, &config, &hal, &rig));
  config = rig_config;
  config.n_params = WIRE_DEVICE_PARAMS + 1;
  assert_false(wire_device_init(d, &config, &hal, &rig));
  hal.set_points = NULL;
  assert_false(wire_device_init(d, &rig_config, &hal, &rig));
  hal = rig_hal;
  hal.erase = NULL; /* half a storage */
  assert_false(wire_device_init(d, &rig_config, &hal, &rig));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_hello_says_who_it_is, fresh),
      cmocka_unit_test_setup(test_nothing_before_hello, fresh),
      cmocka_unit_test_setup(test_another_major_version_reads_only, fresh),
      cmocka_unit_test_setup(test_a_number_is_executed_once, fresh),
      cmocka_unit_test_setup(test_repeated_lease_does_not_extend_it, fresh),
      cmocka_unit_test_setup(test_wrong_requests, fresh),
      cmocka_unit_test_setup(test_joints_are_described, fresh),
      cmocka_unit_test_setup(test_telemetry, fresh),
      cmocka_unit_test_setup(test_telemetry_keeps_its_grid, fresh),
      cmocka_unit_test_setup(test_full_line_shows_as_gap, fresh),
      cmocka_unit_test_setup(test_clock_wraps_in_mid_motion, fresh),
      cmocka_unit_test_setup(test_any_split_gives_the_same, fresh),
      cmocka_unit_test_setup(test_hello_ends_telemetry, fresh),
      cmocka_unit_test_setup(test_tokens_do_not_repeat, fresh),
      cmocka_unit_test_setup(test_log_and_test_messages, fresh),
      cmocka_unit_test_setup(test_what_cannot_be_started, fresh),
  };
  return cmocka_run_group_tests_name("device_session", tests, NULL, NULL);
}
