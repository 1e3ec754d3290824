/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"
#include "wire/cobs.h"

enum { MAX = 1100 };

/* The rule read literally: each zero is replaced by the distance to the next. */
static size_t reference(uint8_t *out, const uint8_t *in, size_t n) {
  size_t code_at = 0, length = 1;
  uint8_t code = 1;
  for (size_t k = 0; k < n; k++) {
    if (in[k] != 0) {
      out[length++] = in[k];
      code++;
    }
    if (in[k] == 0 || (code == 255 && k + 1 < n)) {
      out[code_at] = code;
      code_at = length++;
      code = 1;
    }
  }
  out[code_at] = code;
  return length;
}

static void check(const char *in, size_t n, const char *encoded, size_t length) {
  uint8_t out[MAX], back[MAX];
  assert_int_equal(wire_cobs_encode(out, (const uint8_t *)in, n), length);
  assert_memory_equal(out, encoded, length);
  assert_int_equal(wire_cobs_decode(back, out, length), n);
  assert_memory_equal(back, in, n);
}

/* The examples of Cheshire and Baker's paper and of the encyclopedia. */
static void test_published_examples(void **state) {
  (void)state;
  check("", 0, "\x01", 1);
  check("\0", 1, "\x01\x01", 2);
  check("\0\0", 2, "\x01\x01\x01", 3);
  check("\0\x11\0", 3, "\x01\x02\x11\x01", 4);
  check("\x11\x22\0\x33", 4, "\x03\x11\x22\x02\x33", 5);
  check("\x11\x22\x33\x44", 4, "\x05\x11\x22\x33\x44", 5);
  check("\x11\0\0\0", 4, "\x02\x11\x01\x01\x01", 5);
  check("\x45\0\0\x2c\x4c\x79\0\0\x40\x06\x4f\x37", 12,
        "\x02\x45\x01\x04\x2c\x4c\x79\x01\x05\x40\x06\x4f\x37", 13);
}

/* first, first + 1, ... as bytes */
static void count_from(char *bytes, int first, size_t n) {
  for (size_t k = 0; k < n; k++)
    bytes[k] = (char)((first + (int)k) & 255);
}

static void test_around_254_bytes(void **state) {
  (void)state;
  char in[256], encoded[260];
  count_from(in, 1, 254); /* 01..FE -> FF 01..FE */
  encoded[0] = '\xff';
  memcpy(encoded + 1, in, 254);
  check(in, 254, encoded, 255);
  in[254] = '\xff'; /* 01..FF -> FF 01..FE 02 FF */
  encoded[255] = 2;
  encoded[256] = '\xff';
  check(in, 255, encoded, 257);
  count_from(in, 0, 255); /* 00 01..FE -> 01 FF 01..FE */
  encoded[0] = 1;
  encoded[1] = '\xff';
  memcpy(encoded + 2, in + 1, 254);
  check(in, 255, encoded, 256);
  count_from(in, 2, 255); /* 02..FF 00 -> FF 02..FF 01 01 */
  encoded[0] = '\xff';
  memcpy(encoded + 1, in, 254);
  encoded[255] = encoded[256] = 1;
  check(in, 255, encoded, 257);
  count_from(in, 3, 255); /* 03..FF 00 01 -> FE 03..FF 02 01 */
  encoded[0] = '\xfe';
  memcpy(encoded + 1, in, 253);
  encoded[254] = 2;
  encoded[255] = 1;
  check(in, 255, encoded, 256);
}

static void test_random_bytes(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(2));
  uint8_t in[MAX], out[WIRE_COBS_MAX(MAX)], expected[WIRE_COBS_MAX(MAX) + 1];
  for (int run = 0; run < 20000; run++) {
    const size_t n = test_rng_below(&rng, MAX), values = 1 + test_rng_below(&rng, 700);
    for (size_t k = 0; k < n; k++) /* few zeros when there are many values */
      in[k] = (uint8_t)(test_rng_below(&rng, values) % 256);
    const size_t length = wire_cobs_encode(out, in, n);
    assert_int_equal(length, reference(expected, in, n));
    assert_memory_equal(out, expected, length);
    assert_true(length <= WIRE_COBS_MAX(n) && !memchr(out, 0, length));
    assert_int_equal(wire_cobs_decode(out, out, length), n); /* in place */
    assert_memory_equal(out, in, n);
  }
}

static void test_what_no_encoder_writes(void **state) {
  (void)state;
  uint8_t out[8];
  assert_true(wire_cobs_decode(out, (const uint8_t *)"", 0) == WIRE_COBS_BAD);
  assert_true(wire_cobs_decode(out, (const uint8_t *)"\x02", 1) == WIRE_COBS_BAD);
  assert_true(wire_cobs_decode(out, (const uint8_t *)"\x05\x11\x22\x33", 4) == WIRE_COBS_BAD);
  assert_true(wire_cobs_decode(out, (const uint8_t *)"\xff\x11", 2) == WIRE_COBS_BAD);
  assert_true(wire_cobs_decode(out, (const uint8_t *)"\x03\x11\0", 3) == WIRE_COBS_BAD);
  assert_true(wire_cobs_decode(out, (const uint8_t *)"\0", 1) == WIRE_COBS_BAD);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published_examples),
      cmocka_unit_test(test_around_254_bytes),
      cmocka_unit_test(test_random_bytes),
      cmocka_unit_test(test_what_no_encoder_writes),
  };
  return cmocka_run_group_tests_name("cobs", tests, NULL, NULL);
}
