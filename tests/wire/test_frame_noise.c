/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "support/support.h"
#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/frame.h"
#include "wire/sequence.h"

enum { FRAMES = 20000, PAYLOAD = 172 };

typedef struct {
  uint8_t *bytes;
  size_t n, room;
} Stream;

/* What a receiver saw, in one number: any difference shows. */
typedef struct {
  uint64_t digest;
  WireCounters counters;
} Seen;

static TestRng rng;

static void push(Stream *stream, const uint8_t *bytes, size_t n) {
  if (stream->n + n > stream->room) {
    stream->room = 2 * (stream->n + n);
    stream->bytes = realloc(stream->bytes, stream->room);
    assert_non_null(stream->bytes);
  }
  memcpy(stream->bytes + stream->n, bytes, n);
  stream->n += n;
}

static void fill(uint8_t *payload, size_t n) {
  for (size_t k = 0; k < n; k++)
    payload[k] = (uint8_t)(test_rng_below(&rng, 300) % 256);
}

/* Frames whose payload begins with their number. */
static Stream make_stream(uint32_t frames) {
  Stream stream = {NULL, 0, 0};
  uint8_t frame[WIRE_FRAME_MAX], payload[PAYLOAD];
  for (uint32_t k = 0; k < frames; k++) {
    const WireHeader header = {.version = 1, .type = 0x840, .seq = (uint16_t)k, .t_us = k * 1000u};
    fill(payload, PAYLOAD);
    wire_put_u32(payload, k);
    push(&stream, frame, wire_frame_encode(frame, &header, payload, PAYLOAD));
  }
  return stream;
}

static void note(Seen *seen, const WireReceived *event) {
  uint8_t head[12] = {(uint8_t)event->kind, event->header.version};
  wire_put_u16(head + 2, event->header.type);
  wire_put_u16(head + 4, event->header.seq);
  wire_put_u32(head + 6, event->header.t_us);
  wire_put_u16(head + 10, (uint16_t)event->length);
  seen->digest = wire_crc32((uint32_t)seen->digest, head, sizeof head);
  seen->digest = wire_crc32((uint32_t)seen->digest, event->payload, event->length);
}

/* most: the largest piece; 0 = all at once */
static Seen decode(const Stream *stream, size_t most) {
  WireDecoder decoder;
  WireReceived event;
  Seen seen = {0};
  wire_decoder_init(&decoder);
  for (size_t at = 0, piece; at < stream->n; at += piece) {
    piece = most ? 1 + test_rng_below(&rng, most) : stream->n;
    piece = piece < stream->n - at ? piece : stream->n - at;
    const uint8_t *bytes = stream->bytes + at;
    size_t n = piece;
    while (wire_decoder_next(&decoder, &bytes, &n, &event))
      note(&seen, &event);
    const WireCounters *c = &decoder.counters;
    assert_true(c->bytes_fed == c->bytes_good + c->bytes_bad + c->bytes_idle + c->bytes_emergency +
                                    wire_decoder_pending(&decoder));
    assert_true(c->bytes_fed == at + piece);
  }
  seen.counters = decoder.counters;
  return seen;
}

static void test_any_split_gives_the_same(void **state) {
  (void)state;
  for (int run = 0; run < 60; run++) {
    Stream stream = make_stream(50);
    for (int k = 0; k < 40; k++) { /* errors, delimiters, emergency strings anywhere */
      const size_t at = test_rng_below(&rng, stream.n - 12);
      stream.bytes[at] = (uint8_t)(k % 2 ? 0 : test_rng_below(&rng, 256));
      if (k % 5 == 0)
        memcpy(stream.bytes + at, "\0\x18\x18\x18\x18\x18\x18\x18\x18", 9);
    }
    const Seen whole = decode(&stream, 0);
    const size_t most[] = {1, 2, 7, 64, 1000};
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
      const Seen split = decode(&stream, most[k]);
      assert_memory_equal(&split, &whole, sizeof split);
    }
    assert_true(whole.counters.emergencies > 0 && whole.counters.frames > 0);
    free(stream.bytes);
  }
}

/* Runs of bytes between delimiters that are not, byte for byte, a run that was sent: the receiver
 * must reject each of these and accept all others. */
static size_t count_spoilt(const Stream *got, const Stream *sent) {
  size_t spoilt = 0;
  for (size_t from = 0, k; from < got->n; from = k + 1) {
    for (k = from; k < got->n && got->bytes[k] != 0; k++) {
    }
    const bool is_intact = k < got->n && (from == 0 || sent->bytes[from - 1] == 0) &&
                           memcmp(got->bytes + from, sent->bytes + from, k - from + 1) == 0;
    spoilt += !is_intact && k > from && k < got->n;
  }
  return spoilt;
}

/* Every accepted frame is one that was sent, in order; every other is rejected; the gaps of the
 * sequence say how many are missing. */
static void check_noise(const Stream *got, const Stream *sent, uint32_t frames) {
  WireDecoder decoder;
  WireReceived event;
  WireSequence sequence;
  Stream again = {NULL, 0, 0};
  uint8_t frame[WIRE_FRAME_MAX];
  const uint8_t *bytes = got->bytes;
  size_t n = got->n;
  int64_t last = -1, first = -1;
  wire_decoder_init(&decoder);
  wire_sequence_init(&sequence);
  while (wire_decoder_next(&decoder, &bytes, &n, &event)) {
    const int64_t number = wire_get_u32(event.payload);
    assert_int_equal(event.kind, WIRE_RECEIVED_FRAME);
    assert_true(number > last && number < frames);
    first = first < 0 ? number : first;
    last = number;
    wire_sequence_push(&sequence, event.header.seq);
    const size_t length = wire_frame_encode(frame, &event.header, event.payload, event.length);
    /* all frames have one length, unless the stuffing differs: find it by its bytes */
    push(&again, frame, length);
  }
  assert_int_equal(wire_counters_rejected(&decoder.counters), count_spoilt(got, sent));
  assert_true(decoder.counters.frames + sequence.lost == (uint64_t)(last - first + 1));
  assert_true(wire_counters_rejected(&decoder.counters) > 0);
  /* what was accepted, written again, is part of what was sent */
  for (size_t a = 0, b = 0; a < again.n;) {
    const size_t run =
        (size_t)((uint8_t *)memchr(again.bytes + a, 0, again.n - a) - again.bytes) + 1 - a;
    while (memcmp(sent->bytes + b, again.bytes + a, run) != 0) {
      b = (size_t)((uint8_t *)memchr(sent->bytes + b, 0, sent->n - b) - sent->bytes) + 1;
      assert_true(b + run <= sent->n);
    }
    a += run;
    b += run;
  }
  free(again.bytes);
}

static void test_bit_errors(void **state) {
  (void)state;
  Stream sent = make_stream(FRAMES), got = {NULL, 0, 0};
  push(&got, sent.bytes, sent.n);
  size_t errors = 0;
  for (size_t k = 0; k < got.n; k++)
    if (test_rng_below(&rng, 10000) == 0) {
      got.bytes[k] ^= (uint8_t)(1u << test_rng_below(&rng, 8));
      errors++;
    }
  print_message("# %zu bytes, %zu bit errors\n", got.n, errors);
  check_noise(&got, &sent, FRAMES);
  free(sent.bytes);
  free(got.bytes);
}

/* Every single-bit error of one frame, at every place. */
static void test_every_single_bit(void **state) {
  (void)state;
  Stream stream = make_stream(1);
  for (size_t bit = 0; bit < 8 * stream.n; bit++) {
    stream.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    assert_int_equal(decode(&stream, 0).counters.frames, 0);
    stream.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  assert_int_equal(decode(&stream, 0).counters.frames, 1);
  free(stream.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_split_gives_the_same),
      cmocka_unit_test(test_bit_errors),
      cmocka_unit_test(test_every_single_bit),
  };
  test_rng_init(&rng, test_seed(6));
  return cmocka_run_group_tests_name("frame_noise", tests, NULL, NULL);
}
