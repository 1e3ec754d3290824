/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"
#include "wire/clock.h"
#include "wire/sequence.h"

static const uint64_t START = UINT64_C(1) << 32;
static const uint64_t MINUTE = UINT64_C(60000000);

/* Ten hours in steps of up to 20 minutes: eight wraps. */
static void test_time_goes_on_across_the_wrap(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(3));
  WireClock clock;
  wire_clock_init(&clock);
  const uint32_t offset = 0xfff00000u;
  assert_true(wire_clock_unwrap(&clock, offset) == START + offset);
  for (uint64_t t = 0; t < 600 * MINUTE; t += 1 + test_rng_below(&rng, 20 * MINUTE)) {
    const uint64_t stamp = START + offset + t;
    assert_true(wire_clock_unwrap(&clock, (uint32_t)(stamp & UINT32_MAX)) == stamp);
  }
}

static void test_the_wrap_itself(void **state) {
  (void)state;
  WireClock clock;
  wire_clock_init(&clock);
  assert_true(wire_clock_unwrap(&clock, 0xffffffffu) == START + 0xffffffffu);
  assert_true(wire_clock_unwrap(&clock, 0) == 2 * START);
  assert_true(wire_clock_unwrap(&clock, 0xfffffff0u) == START + 0xfffffff0u); /* an older stamp */
  assert_true(wire_clock_unwrap(&clock, 7) == 2 * START + 7);
  assert_true(clock.latest_us == 2 * START + 7);
}

static void test_old_stamp_at_the_beginning(void **state) {
  (void)state;
  WireClock clock;
  wire_clock_init(&clock);
  assert_true(wire_clock_unwrap(&clock, 5) == START + 5);
  assert_true(wire_clock_unwrap(&clock, 0xfffffffbu) == START - 5);
  assert_true(clock.latest_us == START + 5);
}

static void test_long_silence(void **state) {
  (void)state;
  for (uint64_t silence = 0; silence < 5000 * MINUTE; silence += 17 * MINUTE + 12345) {
    WireClock clock;
    wire_clock_init(&clock);
    const uint64_t first = wire_clock_unwrap(&clock, 0x12345678u), truth = first + silence;
    const uint32_t stamp = (uint32_t)(truth & UINT32_MAX);
    /* the host's clock runs 30 minutes off, either way */
    const uint64_t fast = silence + 30 * MINUTE;
    assert_true(wire_clock_unwrap_after(&clock, stamp, fast) == truth);
    wire_clock_init(&clock);
    (void)wire_clock_unwrap(&clock, 0x12345678u);
    const uint64_t slow = silence > 30 * MINUTE ? silence - 30 * MINUTE : 0;
    assert_true(wire_clock_unwrap_after(&clock, stamp, slow) == truth);
  }
}

static void test_sequence_counts_what_is_lost(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(4));
  WireSequence sequence;
  wire_sequence_init(&sequence);
  uint64_t lost = 0;
  bool was_lost = false;
  assert_int_equal(wire_sequence_push(&sequence, 65000), WIRE_SEQUENCE_NEXT);
  for (uint32_t k = 65001; k < 65001 + 300000; k++) {
    const bool is_lost = test_rng_below(&rng, 10) == 0 && k + 1 < 65001 + 300000;
    lost += is_lost;
    if (!is_lost)
      assert_int_equal(wire_sequence_push(&sequence, (uint16_t)(k & 0xffffu)),
                       was_lost ? WIRE_SEQUENCE_GAP : WIRE_SEQUENCE_NEXT);
    was_lost = is_lost;
  }
  assert_true(sequence.lost == lost && lost > 0);
  assert_true(sequence.repeated == 0 && sequence.old == 0);
}

static void test_sequence_repeats_and_old_numbers(void **state) {
  (void)state;
  WireSequence sequence;
  wire_sequence_init(&sequence);
  assert_int_equal(wire_sequence_push(&sequence, 2), WIRE_SEQUENCE_NEXT);
  assert_int_equal(wire_sequence_push(&sequence, 2), WIRE_SEQUENCE_REPEAT);
  assert_int_equal(wire_sequence_push(&sequence, 1), WIRE_SEQUENCE_OLD);
  assert_int_equal(wire_sequence_push(&sequence, 0xffff), WIRE_SEQUENCE_OLD);
  assert_int_equal(wire_sequence_push(&sequence, 3), WIRE_SEQUENCE_NEXT);
  assert_int_equal(wire_sequence_push(&sequence, 0x8002), WIRE_SEQUENCE_GAP); /* 32766 lost */
  assert_true(sequence.lost == 32766 && sequence.repeated == 1 && sequence.old == 2);
  assert_int_equal(wire_sequence_push(&sequence, 2), WIRE_SEQUENCE_OLD);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_time_goes_on_across_the_wrap),
      cmocka_unit_test(test_the_wrap_itself),
      cmocka_unit_test(test_old_stamp_at_the_beginning),
      cmocka_unit_test(test_long_silence),
      cmocka_unit_test(test_sequence_counts_what_is_lost),
      cmocka_unit_test(test_sequence_repeats_and_old_numbers),
  };
  return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
