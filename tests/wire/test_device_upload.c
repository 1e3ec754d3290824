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

enum { SET_BYTES = 4 * RIG_PARAMS };

static Rig rig;
static RigStorage storage;

static int connected(void **state) {
  (void)state;
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  rig_hello(&rig);
  return 0;
}

static uint32_t schema_crc(void) {
  return rig.device.schema_crc;
}

/* A set that differs from every other `which`, all in range. */
static void make_set(uint32_t which, uint8_t *bytes) {
  for (size_t k = 0; k < RIG_PARAMS; k++)
    wire_put_u32(bytes + 4 * k, k < 5 ? rig_config.params[k].initial : 1000 * which + (uint32_t)k);
}

static WireParamValue set_param(uint16_t id, uint32_t value) {
  uint8_t payload[WIRE_SIZE_PARAM_SET];
  const WireParamSet set = {schema_crc(), id, value};
  WireParamValue answer = {0};
  wire_param_set_put(payload, &set);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_PARAM_SET, payload, sizeof payload),
                   WIRE_TYPE_PARAM_VALUE);
  assert_true(wire_param_value_get(&answer, rig_answer(&rig)->payload, rig_answer(&rig)->length));
  return answer;
}

static uint32_t get_param(uint16_t id) {
  uint8_t payload[2];
  WireParamValue answer = {0};
  wire_put_u16(payload, id);
  assert_int_equal(rig_request(&rig, WIRE_TYPE_PARAM_GET, payload, 2), WIRE_TYPE_PARAM_VALUE);
  assert_true(wire_param_value_get(&answer, rig_answer(&rig)->payload, rig_answer(&rig)->length));
  return answer.value;
}

static uint16_t upload_begin(uint32_t crc, uint32_t digest, uint16_t length) {
  uint8_t payload[WIRE_SIZE_UPLOAD_BEGIN];
  const WireUploadBegin begin = {crc, digest, length};
  wire_upload_begin_put(payload, &begin);
  (void)rig_request(&rig, WIRE_TYPE_UPLOAD_BEGIN, payload, sizeof payload);
  return rig_result(&rig);
}

static uint16_t upload_data(uint16_t offset, const uint8_t *bytes, size_t n) {
  uint8_t payload[WIRE_SIZE_UPLOAD_DATA + SET_BYTES + 8];
  wire_put_u16(payload, offset);
  memcpy(payload + 2, bytes, n);
  (void)rig_request(&rig, WIRE_TYPE_UPLOAD_DATA, payload, 2 + n);
  return rig_result(&rig);
}

static uint16_t commit(uint32_t crc, uint32_t digest) {
  uint8_t payload[WIRE_SIZE_COMMIT];
  const WireCommit message = {crc, digest};
  wire_commit_put(payload, &message);
  (void)rig_request(&rig, WIRE_TYPE_COMMIT, payload, sizeof payload);
  return rig_result(&rig);
}

static WireDigest digest_get(void) {
  WireDigest digest = {0};
  assert_int_equal(rig_request(&rig, WIRE_TYPE_DIGEST_GET, NULL, 0), WIRE_TYPE_DIGEST);
  assert_true(wire_digest_get(&digest, rig_answer(&rig)->payload, rig_answer(&rig)->length));
  return digest;
}

/* The whole exchange; the code of the COMMIT. */
static uint16_t upload(const uint8_t *set) {
  const uint32_t digest = wire_crc32(0, set, SET_BYTES);
  assert_int_equal(upload_begin(schema_crc(), digest, SET_BYTES), 0);
  for (size_t at = 0; at < SET_BYTES; at += 30) {
    const size_t n = SET_BYTES - at < 30 ? SET_BYTES - at : 30;
    assert_int_equal(upload_data((uint16_t)at, set + at, n), 0);
  }
  return commit(schema_crc(), digest);
}

static bool is_in_force(const uint8_t *set) {
  for (size_t k = 0; k < RIG_PARAMS; k++)
    if (rig.device.values[k] != wire_get_u32(set + 4 * k) || rig.applied[k] != rig.device.values[k])
      return false;
  return true;
}

static void test_answers_what_is_stored(void **state) {
  (void)state;
  WireParamValue v = set_param(12, 20);
  assert_true(v.value == 20 && v.status == WIRE_PARAM_OK && get_param(12) == 20);
  v = set_param(12, 51);
  assert_true(v.value == 50 && v.status == WIRE_PARAM_CLAMPED && get_param(12) == 50);
  v = set_param(12, 0);
  assert_true(v.value == 1 && v.status == WIRE_PARAM_CLAMPED && rig.applied[2] == 1);
  v = set_param(13, (uint32_t)-11);
  assert_true(v.value == (uint32_t)-10 && v.status == WIRE_PARAM_CLAMPED);
  v = set_param(13, 11);
  assert_true(v.value == 10 && v.status == WIRE_PARAM_CLAMPED);
  v = set_param(10, 0x7f800000u); /* infinity */
  assert_true(v.value == 0x43c80000u && v.status == WIRE_PARAM_CLAMPED);
  v = set_param(10, 0x7fc00000u); /* not a number */
  assert_true(v.value == 0x43c80000u && v.status == WIRE_PARAM_INVALID);
  v = set_param(14, 9);
  assert_true(v.value == 7 && v.status == WIRE_PARAM_READ_ONLY);
  assert_true(rig_state(&rig).flags & WIRE_FLAG_UNSAVED);
}

static void test_setting_while_armed(void **state) {
  (void)state;
  assert_int_equal(rig_arm(&rig), 0);
  WireParamValue v = set_param(12, 20);
  assert_true(v.value == 10 && v.status == WIRE_PARAM_NEEDS_DISARM);
  v = set_param(13, 5); /* live */
  assert_true(v.value == 5 && v.status == WIRE_PARAM_OK);
  assert_int_equal(upload_begin(schema_crc(), 0, SET_BYTES), WIRE_CODE_ARMED);
  assert_int_equal(commit(schema_crc(), rig.device.digest), WIRE_CODE_ARMED);
}

/* A host that compares digests sees what was set. */
static void test_digest_after_a_set(void **state) {
  (void)state;
  const uint32_t before = digest_get().in_use;
  assert_int_equal(set_param(12, 20).status, WIRE_PARAM_OK);
  assert_true(digest_get().in_use != before);
  assert_int_equal(set_param(12, 10).status, WIRE_PARAM_OK);
  assert_int_equal(digest_get().in_use, before);
}

static void test_another_schema_is_refused(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_PARAM_SET];
  const WireParamSet set = {schema_crc() ^ 1, 12, 20};
  wire_param_set_put(payload, &set);
  (void)rig_request(&rig, WIRE_TYPE_PARAM_SET, payload, sizeof payload);
  assert_int_equal(rig_result(&rig), WIRE_CODE_SCHEMA);
  assert_int_equal(upload_begin(schema_crc() ^ 1, 0, SET_BYTES), WIRE_CODE_SCHEMA);
  assert_int_equal(commit(schema_crc() ^ 1, 0), WIRE_CODE_SCHEMA);
  const uint8_t id[2] = {99, 0};
  (void)rig_request(&rig, WIRE_TYPE_PARAM_GET, id, 2);
  assert_int_equal(rig_result(&rig), WIRE_CODE_PARAM);
}

/* The host computes the schema's CRC from the answers; names use all of their bytes. */
static void test_schema(void **state) {
  (void)state;
  uint32_t crc = 0;
  for (uint16_t k = 0; k < RIG_PARAMS; k++) {
    uint8_t index[2];
    WireSchema schema;
    wire_put_u16(index, k);
    assert_int_equal(rig_request(&rig, WIRE_TYPE_SCHEMA_GET, index, 2), WIRE_TYPE_SCHEMA);
    const RigFrame *frame = rig_answer(&rig);
    assert_true(wire_schema_get(&schema, frame->payload, frame->length));
    assert_int_equal(schema.id, rig_config.params[k].id);
    assert_int_equal(strncmp(schema.name, rig_config.params[k].name, WIRE_NAME_BYTES), 0);
    assert_int_equal(strncmp(schema.unit, rig_config.params[k].unit, WIRE_UNIT_BYTES), 0);
    crc = wire_crc32(crc, frame->payload + WIRE_SCHEMA_CANONICAL,
                     WIRE_SIZE_SCHEMA - WIRE_SCHEMA_CANONICAL);
  }
  assert_int_equal(crc, schema_crc());
  const uint8_t beyond[2] = {RIG_PARAMS, 0};
  (void)rig_request(&rig, WIRE_TYPE_SCHEMA_GET, beyond, 2);
  assert_int_equal(rig_result(&rig), WIRE_CODE_PARAM);
}

static void test_upload_survives_a_reboot(void **state) {
  (void)state;
  uint8_t a[SET_BYTES], b[SET_BYTES];
  make_set(1, a);
  make_set(2, b);
  assert_true(rig_state(&rig).flags & WIRE_FLAG_DEFAULTS);
  assert_int_equal(upload(a), 0);
  assert_true(is_in_force(a));
  assert_int_equal(
      rig_state(&rig).flags & (WIRE_FLAG_DEFAULTS | WIRE_FLAG_UNSAVED | WIRE_FLAG_UPLOAD), 0);
  assert_int_equal(set_param(12, get_param(12) == 20 ? 21 : 20).status, WIRE_PARAM_OK);
  assert_int_equal(rig_state(&rig).flags & (WIRE_FLAG_DEFAULTS | WIRE_FLAG_UNSAVED),
                   WIRE_FLAG_UNSAVED);
  assert_int_equal(upload(b), 0);
  for (int k = 0; k < 2; k++) {
    assert_true(is_in_force(b));
    const WireDigest digest = digest_get();
    assert_int_equal(digest.stored, wire_crc32(0, b, SET_BYTES));
    assert_int_equal(digest.in_use, digest.stored);
    assert_int_equal(digest.generation, 2);
    rig_reboot(&rig);
    rig_hello(&rig);
  }
}

/* What PARAM_SET changed is stored by a COMMIT without an upload, when it is what the host thinks.
 */
static void test_commit_of_the_values_in_use(void **state) {
  (void)state;
  (void)set_param(12, 33);
  rig_reboot(&rig);
  rig_hello(&rig);
  assert_int_equal(get_param(12), 10);
  (void)set_param(12, 33);
  assert_int_equal(commit(schema_crc(), rig.device.digest ^ 1), WIRE_CODE_DIGEST);
  assert_int_equal(commit(schema_crc(), rig.device.digest), 0);
  rig_reboot(&rig);
  rig_hello(&rig);
  assert_int_equal(get_param(12), 33);
}

static void test_uploads_that_are_wrong(void **state) {
  (void)state;
  uint8_t set[SET_BYTES + 8] = {0};
  make_set(3, set);
  const uint32_t digest = wire_crc32(0, set, SET_BYTES);
  assert_int_equal(upload_data(0, set, 4), WIRE_CODE_NO_UPLOAD);
  assert_int_equal(upload_begin(schema_crc(), digest, SET_BYTES - 4), WIRE_CODE_OFFSET);
  assert_int_equal(upload_begin(schema_crc(), digest, SET_BYTES), 0);
  assert_int_equal(upload_data(4, set, 4), WIRE_CODE_OFFSET);
  assert_int_equal(upload_data(0, set, SET_BYTES + 1), WIRE_CODE_OFFSET);
  assert_int_equal(upload_data(0, set, 6), 0);
  assert_int_equal(upload_data(0, set, 6), WIRE_CODE_OFFSET);
  assert_int_equal(rig_refused(&rig).limit, 6);
  assert_int_equal(commit(schema_crc(), digest), WIRE_CODE_OFFSET); /* incomplete */
  assert_int_equal(upload_data(6, set, 6), WIRE_CODE_NO_UPLOAD);    /* and over */
  assert_int_equal(upload_begin(schema_crc(), digest ^ 1, SET_BYTES), 0);
  assert_int_equal(upload_data(0, set, SET_BYTES), 0);
  assert_int_equal(commit(schema_crc(), digest ^ 1), WIRE_CODE_DIGEST);
  wire_put_u32(set + 8, 51); /* servo.dt out of range */
  assert_int_equal(upload(set), WIRE_CODE_PARAM_RANGE);
  assert_int_equal(rig_refused(&rig).asked, 12);
  assert_int_equal(rig_refused(&rig).limit, 0);
  make_set(3, set);
  wire_put_u32(set, 0x7fc00000u); /* servo.kp is not a number */
  assert_int_equal(upload(set), WIRE_CODE_PARAM_RANGE);
  assert_int_equal(rig_refused(&rig).asked, 10);
  assert_int_equal(rig_refused(&rig).limit, 0);
  assert_int_equal(upload_begin(schema_crc(), digest, SET_BYTES), 0);
  assert_int_equal(rig_plain(&rig, WIRE_TYPE_UPLOAD_ABORT), 0);
  assert_int_equal(upload_data(0, set, 4), WIRE_CODE_NO_UPLOAD);
  assert_int_equal(upload_begin(schema_crc(), digest, SET_BYTES), 0);
  rig_hello(&rig); /* another connection */
  assert_int_equal(upload_data(0, set, 4), WIRE_CODE_NO_UPLOAD);
  assert_true(storage.operations == 0 && rig.device.slot < 0);
}

/* The old set and the new one, and nothing else, whatever byte of whatever frame was the last. */
static void test_cable_pulled_at_every_byte(void **state) {
  (void)state;
  rig.minor = 0; /* the frames are made before their session, whose token nobody knows */
  rig_hello(&rig);
  uint8_t a[SET_BYTES], b[SET_BYTES];
  static uint8_t stream[4096];
  size_t length = 0, n;
  make_set(1, a);
  make_set(2, b);
  assert_int_equal(upload(a), 0);
  const RigStorage before = storage;
  const uint32_t digest = wire_crc32(0, b, SET_BYTES);
  /* the bytes of one upload, HELLO first */
  uint8_t payload[WIRE_PAYLOAD_MAX];
  const WireHello hello = {.major = 1, .host_id = 99};
  const WireUploadBegin begin = {schema_crc(), digest, SET_BYTES};
  const WireCommit message = {schema_crc(), digest};
  wire_hello_put(payload, &hello);
  const uint8_t *bytes = rig_encode(&rig, WIRE_TYPE_HELLO, payload, WIRE_SIZE_HELLO, 1, &n);
  memcpy(stream, bytes, length = n);
  wire_upload_begin_put(payload, &begin);
  bytes = rig_encode(&rig, WIRE_TYPE_UPLOAD_BEGIN, payload, WIRE_SIZE_UPLOAD_BEGIN, 2, &n);
  memcpy(stream + length, bytes, n);
  length += n;
  for (uint16_t at = 0; at < SET_BYTES; at = (uint16_t)(at + 20)) {
    wire_put_u16(payload, at);
    memcpy(payload + 2, b + at, 20);
    bytes = rig_encode(&rig, WIRE_TYPE_UPLOAD_DATA, payload, 22, 3 + at, &n);
    memcpy(stream + length, bytes, n);
    length += n;
  }
  wire_commit_put(payload, &message);
  bytes = rig_encode(&rig, WIRE_TYPE_COMMIT, payload, WIRE_SIZE_COMMIT, 500, &n);
  memcpy(stream + length, bytes, n);
  length += n;
  for (size_t cut = 0; cut <= length; cut++) {
    storage = before;
    rig_reboot(&rig);
    assert_true(is_in_force(a));
    wire_device_receive(&rig.device, stream, cut);
    assert_true(is_in_force(cut < length ? a : b));
    rig_reboot(&rig); /* and so after power is cut, too */
    assert_true(is_in_force(cut < length ? a : b));
    /* the next connection starts cleanly */
    rig_hello(&rig);
    assert_int_equal(rig_state(&rig).flags & WIRE_FLAG_UPLOAD, 0);
  }
}

/* Power fails at every byte that is written, from every starting point. */
static void test_brown_out_at_every_write(void **state) {
  (void)state;
  uint8_t old[SET_BYTES], new[SET_BYTES];
  for (uint32_t sets = 0; sets < 4; sets++) {
    (void)connected(state);
    make_set(0, old);
    for (size_t k = 0; k < RIG_PARAMS; k++)
      wire_put_u32(old + 4 * k, rig_config.params[k].initial);
    for (uint32_t k = 1; k <= sets; k++) {
      make_set(k, old);
      assert_int_equal(upload(old), 0);
    }
    const RigStorage before = storage;
    make_set(100, new);
    size_t kept = 0, cut = 0;
    for (;; cut++) {
      storage = before;
      rig_reboot(&rig);
      rig_hello(&rig);
      storage.power = cut;
      const bool is_done = upload(new) == 0;
      assert_int_equal(is_done, is_in_force(new));
      assert_int_equal(!is_done, is_in_force(old));
      storage.power = UINT64_MAX;
      rig_reboot(&rig);
      rig_hello(&rig);
      assert_int_equal(is_done, is_in_force(new));
      assert_int_equal(!is_done, is_in_force(old));
      kept += !is_done;
      if (is_done)
        break;
      assert_int_equal(upload(new), 0); /* and the next attempt works */
      rig_reboot(&rig);
      assert_true(is_in_force(new));
    }
    assert_int_equal(cut, 1 + SET_BYTES + WIRE_SLOT_HEADER_BYTES);
    assert_int_equal(kept, cut);
  }
}

/* Power fails, is back, and fails again at every byte of the next attempt. */
static void test_two_brown_outs(void **state) {
  (void)state;
  uint8_t old[SET_BYTES], new[SET_BYTES];
  make_set(1, old);
  make_set(2, new);
  assert_int_equal(upload(old), 0);
  const RigStorage before = storage;
  const size_t most = 1 + SET_BYTES + WIRE_SLOT_HEADER_BYTES;
  for (size_t first = 0; first < most; first += 5)
    for (size_t second = 0; second < most; second += 7) {
      storage = before;
      for (int k = 0; k < 2; k++) {
        rig_reboot(&rig);
        rig_hello(&rig);
        storage.power = k ? second : first;
        assert_int_equal(upload(new), WIRE_CODE_STORAGE);
        storage.power = UINT64_MAX;
      }
      rig_reboot(&rig);
      assert_true(is_in_force(old));
    }
}

static void test_storage_that_reports_errors(void **state) {
  (void)state;
  uint8_t a[SET_BYTES], b[SET_BYTES];
  make_set(1, a);
  make_set(2, b);
  assert_int_equal(upload(a), 0);
  storage.is_failing = true;
  assert_int_equal(upload(b), WIRE_CODE_STORAGE);
  assert_true(is_in_force(a));
  storage.is_failing = false;
  rig_reboot(&rig);
  assert_true(is_in_force(a));
  rig_hello(&rig);
  storage.fails_headers = true; /* refused, and so it stays after a restart */
  assert_int_equal(upload(b), WIRE_CODE_STORAGE);
  rig_reboot(&rig);
  assert_true(is_in_force(a));
  rig_init(&rig, NULL); /* no storage at all */
  rig_hello(&rig);
  assert_int_equal(upload(b), WIRE_CODE_UNSUPPORTED);
}

/* Any rubbish in the storage: the initial values, or the other slot. */
static void test_rubbish_in_storage(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(12));
  uint8_t a[SET_BYTES], b[SET_BYTES];
  make_set(1, a);
  make_set(2, b);
  assert_int_equal(upload(a), 0);
  assert_int_equal(upload(b), 0);
  const RigStorage before = storage;
  for (size_t k = 0; k < 8 * RIG_SLOT_BYTES; k++) { /* each bit of the newer slot */
    storage = before;
    storage.bytes[1][k / 8] ^= (uint8_t)(1u << k % 8);
    rig_reboot(&rig);
    assert_true(is_in_force(a));
  }
  for (size_t k = 0; k < sizeof storage.bytes; k++)
    ((uint8_t *)storage.bytes)[k] = (uint8_t)test_rng_below(&rng, 256);
  rig_reboot(&rig);
  rig_hello(&rig);
  assert_true(rig_state(&rig).flags & WIRE_FLAG_DEFAULTS);
  assert_int_equal(get_param(12), 10);
}

/* Both ends of a range belong to it, and what lies beyond does not. */
static void test_ranges(void **state) {
  (void)state;
  static const struct {
    size_t at; /* parameter */
    uint32_t low, high, below, above;
  } range[] = {{0, 0x00000000u, 0x43c80000u, 0x80000001u, 0x43c80001u}, /* float */
               {2, 1, 50, 0, 51},
               {3, 0xfffffff6u, 10, 0xfffffff5u, 11}}; /* signed */
  uint8_t set[SET_BYTES];
  for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
    const uint32_t value[] = {range[k].low, range[k].high, range[k].below, range[k].above};
    for (size_t i = 0; i < 4; i++) {
      make_set(3, set);
      wire_put_u32(set + 4 * range[k].at, value[i]);
      assert_int_equal(upload(set), i < 2 ? 0 : WIRE_CODE_PARAM_RANGE);
      assert_int_equal(rig.device.values[range[k].at] == value[i], i < 2);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_answers_what_is_stored, connected),
      cmocka_unit_test_setup(test_ranges, connected),
      cmocka_unit_test_setup(test_setting_while_armed, connected),
      cmocka_unit_test_setup(test_digest_after_a_set, connected),
      cmocka_unit_test_setup(test_another_schema_is_refused, connected),
      cmocka_unit_test_setup(test_schema, connected),
      cmocka_unit_test_setup(test_upload_survives_a_reboot, connected),
      cmocka_unit_test_setup(test_commit_of_the_values_in_use, connected),
      cmocka_unit_test_setup(test_uploads_that_are_wrong, connected),
      cmocka_unit_test_setup(test_cable_pulled_at_every_byte, connected),
      cmocka_unit_test_setup(test_brown_out_at_every_write, connected),
      cmocka_unit_test_setup(test_two_brown_outs, connected),
      cmocka_unit_test_setup(test_storage_that_reports_errors, connected),
      cmocka_unit_test_setup(test_rubbish_in_storage, connected),
  };
  return cmocka_run_group_tests_name("device_upload", tests, NULL, NULL);
}
