/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/text.h"

enum { RUNS = 200 };

static TestRng rng;

static void fill(uint8_t *bytes, size_t n) {
  for (size_t k = 0; k < n; k++)
    bytes[k] = (uint8_t)test_rng_below(&rng, 256);
}

/* Any bytes are some message, which writes the same bytes; one byte less is none. */
#define ROUND_TRIP(NAME, Type, function, size)                                                     \
  for (int run = 0; run < RUNS; run++) {                                                           \
    Wire##Type message;                                                                            \
    uint8_t in[WIRE_PAYLOAD_MAX], out[WIRE_PAYLOAD_MAX];                                           \
    fill(in, sizeof in);                                                                           \
    memset(out, 0xa5, sizeof out);                                                                 \
    assert_true(wire_##function##_get(&message, in, WIRE_SIZE_##NAME));                            \
    assert_true(wire_##function##_get(&message, in, WIRE_SIZE_##NAME + 1));                        \
    wire_##function##_put(out, &message);                                                          \
    assert_memory_equal(in, out, WIRE_SIZE_##NAME);                                                \
    assert_int_equal(out[WIRE_SIZE_##NAME], 0xa5);                                                 \
    assert_false(wire_##function##_get(&message, in, WIRE_SIZE_##NAME - 1));                       \
  }
#define ROUND_TRIP_MESSAGE(NAME, Type, function, number, size)                                     \
  ROUND_TRIP(NAME, Type, function, size)

static void test_round_trip(void **state) {
  (void)state;
  WIRE_MESSAGES(ROUND_TRIP_MESSAGE)
  WIRE_RECORDS(ROUND_TRIP)
}

static void test_byte_order_and_signs(void **state) {
  (void)state;
  const WireSweep sweep = {.joint = 2,
                           .passes = 3,
                           .dwell_ms = 0x0405,
                           .q0 = -2,
                           .q1 = INT32_MIN,
                           .v = 0x0a0b0c0du,
                           .a = 0xfffffffeu,
                           .i_max = 0x1234};
  const uint8_t expected[WIRE_SIZE_SWEEP] = {2,    3,    0x05, 0x04, 0xfe, 0xff, 0xff, 0xff,
                                             0,    0,    0,    0x80, 0x0d, 0x0c, 0x0b, 0x0a,
                                             0xfe, 0xff, 0xff, 0xff, 0x34, 0x12};
  uint8_t out[WIRE_SIZE_SWEEP];
  wire_sweep_put(out, &sweep);
  assert_memory_equal(out, expected, sizeof out);
  WireSweep back;
  assert_true(wire_sweep_get(&back, out, sizeof out));
  assert_int_equal(back.q0, -2);
  assert_int_equal(back.q1, INT32_MIN);
  const WireTelemJoint joint = {.q = INT32_MAX, .qd = -1, .current = INT16_MIN, .flags = 1};
  uint8_t record[WIRE_SIZE_TELEM_JOINT];
  WireTelemJoint again;
  wire_telem_joint_put(record, &joint);
  assert_true(wire_telem_joint_get(&again, record, sizeof record));
  assert_true(again.q == INT32_MAX && again.qd == -1 && again.current == INT16_MIN);
}

/* Numbers are unique, say who sends them, and avoid the one that looks like the emergency. */
#define NOTE_TYPE(NAME, Type, function, number, size) types[count++] = number;
#define NOTE_EMPTY(NAME, number)                      types[count++] = number;
static void test_numbers(void **state) {
  (void)state;
  uint16_t types[100];
  size_t count = 0;
  WIRE_MESSAGES(NOTE_TYPE)
  WIRE_EMPTY_MESSAGES(NOTE_EMPTY)
  for (size_t a = 0; a < count; a++) {
    assert_true(types[a] > 0 && types[a] <= 0xfff && types[a] != 0x818);
    assert_string_not_equal(wire_type_name(types[a]), "unknown");
    for (size_t b = 0; b < a; b++)
      assert_int_not_equal(types[a], types[b]);
  }
  assert_true((WIRE_TYPE_SWEEP & WIRE_FROM_DEVICE) == 0 && (WIRE_TYPE_ACK & WIRE_FROM_DEVICE) != 0);
}

static void test_phrases(void **state) {
  (void)state;
  assert_string_equal(wire_code_text(WIRE_CODE_NOT_ARMED), "not armed");
  assert_string_equal(wire_code_text(999), "unknown");
  assert_string_equal(wire_fault_text(0), "no fault");
  assert_string_equal(wire_fault_text(WIRE_FAULT_ESTOP | WIRE_FAULT_DRIVE),
                      "the emergency stop chain is open");
  assert_string_equal(wire_fault_text(1u << 31), "unknown");
  assert_string_equal(wire_state_text(WIRE_STATE_OFF), "drives off");
  assert_string_equal(wire_motion_text(WIRE_MOTION_SWEEP), "sweeping one joint");
  assert_string_equal(wire_end_text(WIRE_END_DONE), "the motion is complete");
  assert_string_equal(wire_bound_text(WIRE_BOUND_Q_MAX), "highest position");
  assert_string_equal(wire_param_status_text(WIRE_PARAM_READ_ONLY), "unchanged: read-only");
  assert_string_equal(wire_event_text(WIRE_EVENT_BOOT), "the device started");
  assert_string_equal(wire_type_name(WIRE_TYPE_STOP), "STOP");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_byte_order_and_signs),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_phrases),
  };
  test_rng_init(&rng, test_seed(7));
  return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
