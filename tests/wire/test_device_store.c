/* SPDX-License-Identifier: MIT */
/* What an upload may not do, and what the two slots must prove. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/device_internal.h"

enum { SET_BYTES = 4 * RIG_PARAMS };

static Rig rig;
static RigStorage storage;
static uint8_t set[SET_BYTES];

static int connected(void **state) {
  (void)state;
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  rig_hello(&rig);
  return 0;
}

/* In range; `table[0]` tells which. */
static uint32_t make_set(uint32_t which) {
  for (size_t k = 0; k < RIG_PARAMS; k++)
    wire_put_u32(set + 4 * k, k < 5 ? rig_config.params[k].initial : 1000 * which + (uint32_t)k);
  return wire_crc32(0, set, sizeof set);
}

static uint16_t begin(uint32_t digest) {
  uint8_t payload[WIRE_SIZE_UPLOAD_BEGIN];
  const WireUploadBegin message = {rig.device.schema_crc, digest, SET_BYTES};
  wire_upload_begin_put(payload, &message);
  (void)rig_request(&rig, WIRE_TYPE_UPLOAD_BEGIN, payload, sizeof payload);
  return rig_result(&rig);
}

static uint16_t data(size_t offset, const uint8_t *bytes, size_t n) {
  uint8_t payload[WIRE_PAYLOAD_MAX];
  wire_put_u16(payload, (uint16_t)offset);
  memcpy(payload + WIRE_SIZE_UPLOAD_DATA, bytes, n);
  (void)rig_request(&rig, WIRE_TYPE_UPLOAD_DATA, payload, WIRE_SIZE_UPLOAD_DATA + n);
  return rig_result(&rig);
}

static uint16_t commit(uint32_t digest) {
  uint8_t payload[WIRE_SIZE_COMMIT];
  const WireCommit message = {rig.device.schema_crc, digest};
  wire_commit_put(payload, &message);
  (void)rig_request(&rig, WIRE_TYPE_COMMIT, payload, sizeof payload);
  return rig_result(&rig);
}

static uint16_t upload(uint32_t which) {
  const uint32_t digest = make_set(which);
  assert_int_equal(begin(digest), 0);
  assert_int_equal(data(0, set, SET_BYTES), 0);
  return commit(digest);
}

/* Of the device's `table[0]`; 0: the initial values. */
static uint32_t which_is_in_force(void) {
  return rig.device.values[5] / 1000;
}

/* One byte more than is left goes nowhere: not behind the set, not into it. */
static void test_no_data_beyond_what_is_left(void **state) {
  (void)state;
  uint8_t more[SET_BYTES + 300];
  const uint32_t digest = make_set(1);
  memset(more, 0xaa, sizeof more);
  assert_int_equal(begin(digest), 0);
  assert_int_equal(data(0, more, SET_BYTES + 1), WIRE_CODE_OFFSET);
  assert_int_equal(data(0, set, 50), 0);
  for (size_t n = SET_BYTES - 50 + 1; n < SET_BYTES + 300; n += 37) {
    assert_int_equal(data(50, more, n), WIRE_CODE_OFFSET);
    assert_int_equal(rig_refused(&rig).limit, 50);
    assert_int_equal(rig_refused(&rig).asked, 50);
  }
  assert_int_equal(data(49, more, 1), WIRE_CODE_OFFSET);
  assert_int_equal(data(51, more, 1), WIRE_CODE_OFFSET);
  for (size_t k = RIG_PARAMS; k < WIRE_DEVICE_PARAMS; k++)
    assert_int_equal(rig.device.staged[k], 0);
  assert_int_equal(data(50, set + 50, SET_BYTES - 50), 0);
  assert_int_equal(data(SET_BYTES, more, 1), WIRE_CODE_OFFSET);
  assert_int_equal(data(SET_BYTES, more, 0), 0); /* nothing fits always */
  assert_int_equal(commit(digest), 0);
  assert_int_equal(which_is_in_force(), 1);
}

/* The memory keeps something else than was written: each byte of header and values. */
static void test_storage_is_read_back(void **state) {
  (void)state;
  assert_int_equal(upload(1), 0);
  const RigStorage good = storage;
  for (size_t byte = 1; byte < RIG_SLOT_BYTES; byte++) {
    storage = good;
    rig_reboot(&rig);
    rig_hello(&rig);
    assert_int_equal(which_is_in_force(), 1);
    storage.spoils = byte;
    assert_int_equal(upload(2), WIRE_CODE_STORAGE);
    assert_int_equal(which_is_in_force(), 1);
    storage.spoils = 0;
    rig_reboot(&rig);
    assert_int_equal(which_is_in_force(), 1);
  }
  rig_hello(&rig);
  assert_int_equal(upload(2), 0);
}

/* The memory ignores what it is told and says that it was done: the values of the set before last
 * stand there still, and so does its header. */
static void test_storage_is_protected(void **state) {
  (void)state;
  assert_int_equal(upload(1), 0);
  assert_int_equal(upload(2), 0);
  storage.is_protected = true;
  assert_int_equal(upload(1), WIRE_CODE_STORAGE);
  assert_int_equal(which_is_in_force(), 2);
  rig_reboot(&rig);
  assert_int_equal(which_is_in_force(), 2);
}

/* Reading fails once, wherever: at the start a whole set is in force, whichever, and says so; what
 * cannot be read back is not stored. */
static void test_storage_is_read_at_all(void **state) {
  (void)state;
  assert_int_equal(upload(1), 0);
  assert_int_equal(upload(2), 0);
  const RigStorage good = storage;
  rig_reboot(&rig);
  const uint64_t at_start = storage.loads - good.loads;
  assert_true(at_start > 2);
  for (uint64_t k = 1; k <= at_start; k++) {
    storage = good;
    storage.bad_load = good.loads + k;
    rig_reboot(&rig);
    const uint32_t which = which_is_in_force();
    assert_int_equal(rig.device.slot < 0, which == 0);
    assert_int_equal(wire_device_flags(&rig.device) & WIRE_FLAG_DEFAULTS ? 0 : 1, which != 0);
    for (size_t p = 5; p < RIG_PARAMS; p++)
      assert_int_equal(rig.device.values[p], which ? 1000 * which + p : 0);
    if (which)
      assert_int_equal(rig.device.stored_digest, rig.device.digest);
  }
  storage = good;
  rig_reboot(&rig);
  rig_hello(&rig);
  const uint64_t before = storage.loads;
  assert_int_equal(upload(3), 0);
  const uint64_t in_upload = storage.loads - before;
  for (uint64_t k = 1; k <= in_upload; k++) {
    storage = good;
    rig_reboot(&rig);
    rig_hello(&rig);
    storage.bad_load = storage.loads + k;
    assert_int_equal(upload(3), WIRE_CODE_STORAGE);
    assert_int_equal(which_is_in_force(), 2);
    rig_reboot(&rig);
    assert_int_equal(which_is_in_force(), 2);
  }
}

/* The generation goes through 2^32: newer stays newer, whichever slot has it. */
static void test_generations_wrap(void **state) {
  (void)state;
  for (uint32_t first = 0xfffffffcu; first != 4; first++) {
    (void)connected(state);
    rig.device.generation = first;
    for (uint32_t which = 1; which <= 6; which++) {
      assert_int_equal(upload(which), 0);
      assert_int_equal(rig.device.generation, first + which);
      rig_reboot(&rig);
      assert_int_equal(which_is_in_force(), which);
      assert_int_equal(rig.device.generation, first + which);
      rig_hello(&rig);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_no_data_beyond_what_is_left, connected),
      cmocka_unit_test_setup(test_storage_is_read_back, connected),
      cmocka_unit_test_setup(test_storage_is_protected, connected),
      cmocka_unit_test_setup(test_storage_is_read_at_all, connected),
      cmocka_unit_test_setup(test_generations_wrap, connected),
  };
  return cmocka_run_group_tests_name("device_store", tests, NULL, NULL);
}
