/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"
#include "wire/crc32.h"

/* The other table, from the same source. */
#define WIRE_CRC32_SMALL
#define wire_crc32 wire_crc32_small
uint32_t wire_crc32_small(uint32_t crc, const uint8_t *bytes, size_t n);
#include "wire/crc32.c"
#undef wire_crc32

/* By the definition, one bit at a time. */
static uint32_t reference(const uint8_t *bytes, size_t n) {
  uint32_t crc = 0xffffffffu;
  for (size_t k = 0; k < n; k++) {
    crc ^= bytes[k];
    for (int bit = 0; bit < 8; bit++)
      crc = crc & 1u ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

static void check(const char *text, uint32_t crc) {
  assert_int_equal(wire_crc32(0, (const uint8_t *)text, strlen(text)), crc);
  assert_int_equal(wire_crc32_small(0, (const uint8_t *)text, strlen(text)), crc);
}

/* The check value of the catalogue of CRC algorithms, and those of RFC 3720's and zlib's users. */
static void test_published_values(void **state) {
  (void)state;
  check("", 0);
  check("a", 0xe8b7be43u);
  check("abc", 0x352441c2u);
  check("123456789", 0xcbf43926u);
  check("The quick brown fox jumps over the lazy dog", 0x414fa339u);
  const uint8_t zeros[32] = {0};
  assert_int_equal(wire_crc32(0, zeros, 32), 0x190a55adu);
  uint8_t ones[32];
  memset(ones, 0xff, sizeof ones);
  assert_int_equal(wire_crc32(0, ones, 32), 0xff6cab0bu);
  assert_int_equal(wire_crc32(0, NULL, 0), 0);
}

static void test_every_length_split_and_alignment(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(1));
  uint8_t bytes[80];
  for (size_t k = 0; k < sizeof bytes; k++)
    bytes[k] = (uint8_t)test_rng_below(&rng, 256);
  for (size_t from = 0; from < 9; from++)
    for (size_t n = 0; n + from <= sizeof bytes; n++) {
      const uint32_t crc = reference(bytes + from, n);
      const size_t split = test_rng_below(&rng, n + 1);
      assert_int_equal(wire_crc32(0, bytes + from, n), crc);
      assert_int_equal(wire_crc32_small(0, bytes + from, n), crc);
      const uint32_t half = wire_crc32(0, bytes + from, split);
      assert_int_equal(wire_crc32(half, bytes + from + split, n - split), crc);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published_values),
      cmocka_unit_test(test_every_length_split_and_alignment),
  };
  return cmocka_run_group_tests_name("crc32", tests, NULL, NULL);
}
