/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"
#include "wire/bytes.h"
#include "wire/frame.h"

static WireDecoder decoder;

/* Feeds n bytes, expects one event that comes with the last of them. */
static WireReceived one_event(const uint8_t *bytes, size_t n) {
  WireReceived event;
  assert_true(wire_decoder_next(&decoder, &bytes, &n, &event));
  assert_int_equal(n, 0);
  return event;
}

static void no_event(const uint8_t *bytes, size_t n) {
  WireReceived event;
  assert_false(wire_decoder_next(&decoder, &bytes, &n, &event));
  assert_int_equal(n, 0);
}

static void counters_add_up(void) {
  const WireCounters *c = &decoder.counters;
  assert_true(c->bytes_fed == c->bytes_good + c->bytes_bad + c->bytes_idle + c->bytes_emergency +
                                  wire_decoder_pending(&decoder));
}

static size_t make(uint8_t *out, uint16_t type, const uint8_t *payload, size_t n) {
  const WireHeader header = {.version = 1, .type = type, .seq = 0x0102, .t_us = 0x0a0b0c0du};
  const size_t length = wire_frame_encode(out, &header, payload, n);
  assert_true(length > 0);
  return length;
}

static void test_bytes_of_a_frame(void **state) {
  (void)state;
  uint8_t out[WIRE_FRAME_MAX];
  const uint8_t payload[3] = {0, 0xff, 0};
  /* 50 10 | 02 01 | 0d 0c 0b 0a | 00 ff 00 | crc32, stuffed */
  const uint8_t plain[11] = {0x50, 0x10, 2, 1, 0x0d, 0x0c, 0x0b, 0x0a, 0, 0xff, 0};
  const size_t n = make(out, 0x050, payload, 3);
  assert_int_equal(n, 11 + 4 + 1 + 1);
  assert_int_equal(out[0], 9);
  assert_memory_equal(out + 1, plain, 8);
  assert_int_equal(out[9], 2);
  assert_int_equal(out[10], 0xff);
  assert_int_equal(out[11], 5);
  assert_int_equal(out[16], 0);
  wire_decoder_init(&decoder);
  const WireReceived event = one_event(out, n);
  assert_int_equal(event.kind, WIRE_RECEIVED_FRAME);
  assert_int_equal(event.header.version, 1);
  assert_int_equal(event.header.type, 0x050);
  assert_int_equal(event.header.seq, 0x0102);
  assert_int_equal(event.header.t_us, 0x0a0b0c0du);
  assert_int_equal(event.length, 3);
  assert_memory_equal(event.payload, payload, 3);
  counters_add_up();
}

static void test_every_length(void **state) {
  (void)state;
  uint8_t out[WIRE_FRAME_MAX], payload[WIRE_PAYLOAD_MAX + 1];
  memset(payload, 0xee, sizeof payload);
  wire_decoder_init(&decoder);
  for (size_t n = 0; n <= WIRE_PAYLOAD_MAX; n++) {
    const size_t length = make(out, 1, payload, n);
    assert_true(length <= WIRE_FRAME_MAX);
    const WireReceived event = one_event(out, length);
    assert_int_equal(event.length, n);
    assert_memory_equal(event.payload, payload, n);
  }
  const WireHeader header = {.version = 1, .type = 1}, old = {.version = 16, .type = 1},
                   odd = {.version = 1, .type = 0x1000};
  assert_int_equal(wire_frame_encode(out, &header, payload, WIRE_PAYLOAD_MAX + 1), 0);
  assert_int_equal(wire_frame_encode(out, &old, payload, 1), 0);
  assert_int_equal(wire_frame_encode(out, &odd, payload, 1), 0);
  counters_add_up();
}

static void test_garbage_then_a_frame(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, test_seed(5));
  for (int run = 0; run < 2000; run++) {
    uint8_t bytes[2000 + WIRE_FRAME_MAX];
    const size_t garbage = test_rng_below(&rng, 2000);
    for (size_t k = 0; k < garbage; k++)
      bytes[k] = (uint8_t)test_rng_below(&rng, 256);
    bytes[garbage] = WIRE_DELIMITER;
    const size_t n = garbage + 1 + make(bytes + garbage + 1, 0x40, bytes, run % 400u);
    wire_decoder_init(&decoder);
    const WireReceived event = one_event(bytes, n);
    assert_int_equal(event.header.type, 0x40);
    assert_int_equal(decoder.counters.frames, 1);
    counters_add_up();
  }
}

/* A modem manager's question and a login prompt cost nothing but their own bytes. */
static void test_text_is_survived(void **state) {
  (void)state;
  uint8_t bytes[100] = "AT\rATZ\r\nlogin: ";
  wire_decoder_init(&decoder);
  no_event(bytes, 15);
  bytes[0] = WIRE_DELIMITER;
  const size_t n = 1 + make(bytes + 1, 1, NULL, 0);
  assert_int_equal(one_event(bytes, n).kind, WIRE_RECEIVED_FRAME);
  assert_int_equal(wire_counters_rejected(&decoder.counters), 1);
  assert_int_equal(decoder.counters.bytes_bad, 16);
}

static void test_reasons_of_rejection(void **state) {
  (void)state;
  uint8_t bytes[700];
  wire_decoder_init(&decoder);
  no_event((const uint8_t *)"\x05\x01\x02\0", 4);
  assert_int_equal(decoder.counters.rejected[WIRE_REJECT_COBS], 1);
  no_event((const uint8_t *)"\x03\x01\x02\0", 4);
  assert_int_equal(decoder.counters.rejected[WIRE_REJECT_SHORT], 1);
  memset(bytes, 1, sizeof bytes);
  bytes[699] = 0;
  no_event(bytes, 700);
  assert_int_equal(decoder.counters.rejected[WIRE_REJECT_LONG], 1);
  memset(bytes, 1, 514); /* decodes to 513 zeros */
  bytes[514] = 0;
  no_event(bytes, 515);
  assert_int_equal(decoder.counters.rejected[WIRE_REJECT_LONG], 2);
  const size_t n = make(bytes, 1, (const uint8_t *)"abc", 3);
  bytes[12] ^= 4;
  no_event(bytes, n);
  assert_int_equal(decoder.counters.rejected[WIRE_REJECT_CRC], 1);
  assert_int_equal(wire_counters_rejected(&decoder.counters), 5);
  no_event((const uint8_t *)"\0\0\0", 3);
  assert_int_equal(decoder.counters.bytes_idle, 3);
  assert_int_equal(decoder.counters.frames, 0);
  counters_add_up();
}

static void test_emergency_only_after_a_delimiter(void **state) {
  (void)state;
  const uint8_t *eight = (const uint8_t *)"\0\x18\x18\x18\x18\x18\x18\x18\x18";
  wire_decoder_init(&decoder);
  no_event(eight + 1, 8); /* power-up: no delimiter yet */
  assert_int_equal(one_event(eight, 9).kind, WIRE_RECEIVED_EMERGENCY);
  no_event(eight + 1, 8); /* what follows belongs to it */
  no_event(eight, 8);     /* seven are not enough */
  no_event((const uint8_t *)"\x19", 1);
  no_event((const uint8_t *)"\0a", 2);
  no_event(eight + 1, 8); /* in the middle of a run */
  assert_int_equal(decoder.counters.emergencies, 1);
  counters_add_up();
  assert_int_equal(one_event(eight, 9).kind, WIRE_RECEIVED_EMERGENCY);
  uint8_t frame[WIRE_FRAME_MAX + 1] = {0};
  const size_t n = 1 + make(frame + 1, 1, NULL, 0);
  assert_int_equal(one_event(frame, n).kind, WIRE_RECEIVED_FRAME);
  assert_int_equal(decoder.counters.bytes_emergency, 8 + 9 + 8 + 1);
  counters_add_up();
}

/* The string arrives byte by byte and takes effect with the eighth. */
static void test_emergency_in_pieces(void **state) {
  (void)state;
  wire_decoder_init(&decoder);
  no_event((const uint8_t *)"\0", 1);
  for (int k = 0; k < 7; k++)
    no_event((const uint8_t *)"\x18", 1);
  assert_int_equal(one_event((const uint8_t *)"\x18", 1).kind, WIRE_RECEIVED_EMERGENCY);
}

/* A frame full of the emergency byte is a frame: only type 0x818 would begin with eight of them. */
static void test_frame_of_emergency_bytes(void **state) {
  (void)state;
  uint8_t payload[300], bytes[WIRE_FRAME_MAX + 1] = {0};
  memset(payload, WIRE_EMERGENCY_BYTE, sizeof payload);
  wire_decoder_init(&decoder);
  for (uint16_t type = 0; type < 0x1000; type++) {
    WireHeader header = {.version = 1, .type = type, .seq = 0x1818, .t_us = 0x18181818u};
    for (size_t n = 0; n < 30; n++) {
      const size_t length = 1 + wire_frame_encode(bytes + 1, &header, payload, n);
      if (type != 0x818)
        assert_int_equal(one_event(bytes, length).kind, WIRE_RECEIVED_FRAME);
    }
  }
  assert_int_equal(decoder.counters.emergencies, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_of_a_frame),
      cmocka_unit_test(test_every_length),
      cmocka_unit_test(test_garbage_then_a_frame),
      cmocka_unit_test(test_text_is_survived),
      cmocka_unit_test(test_reasons_of_rejection),
      cmocka_unit_test(test_emergency_only_after_a_delimiter),
      cmocka_unit_test(test_emergency_in_pieces),
      cmocka_unit_test(test_frame_of_emergency_bytes),
  };
  return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
