/* SPDX-License-Identifier: MIT */
/* Any bytes as a stream of frames, whole and in pieces: the same frames, the same counters, and
 * every byte counted once. The first byte chooses the pieces. What was accepted, written again, is
 * accepted again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/crc32.h"
#include "wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool claim) {
  if (!claim)
    abort();
}

static void check_again(const WireReceived *received) {
  static uint8_t frame[WIRE_FRAME_MAX];
  static WireDecoder decoder;
  WireReceived again;
  size_t n = wire_frame_encode(frame, &received->header, received->payload, received->length);
  const uint8_t *at = frame;
  require(n > 0 && !memchr(frame, 0, n - 1));
  wire_decoder_init(&decoder);
  require(wire_decoder_next(&decoder, &at, &n, &again) && n == 0);
  require(again.length == received->length && again.header.seq == received->header.seq &&
          again.header.t_us == received->header.t_us && again.header.type == received->header.type);
  require(again.length == 0 || memcmp(again.payload, received->payload, again.length) == 0);
}

static uint32_t note(uint32_t digest, const WireReceived *received) {
  const uint8_t head[4] = {(uint8_t)received->kind, received->header.version,
                           (uint8_t)received->length, (uint8_t)received->header.type};
  digest = wire_crc32(digest, head, sizeof head);
  return wire_crc32(digest, received->payload, received->length);
}

/* piece: bytes at a time */
static uint32_t decode(WireDecoder *decoder, const uint8_t *bytes, size_t length, size_t piece) {
  const WireCounters *c = &decoder->counters;
  WireReceived received;
  uint32_t digest = 0;
  wire_decoder_init(decoder);
  for (size_t at = 0, n; at < length; at += n) {
    n = piece < length - at ? piece : length - at;
    const uint8_t *from = bytes + at;
    size_t left = n;
    while (wire_decoder_next(decoder, &from, &left, &received)) {
      digest = note(digest, &received);
      if (piece == length && received.kind == WIRE_RECEIVED_FRAME)
        check_again(&received);
    }
    require(left == 0 && from == bytes + at + n);
  }
  require(c->bytes_fed == length);
  require(c->bytes_fed == c->bytes_good + c->bytes_bad + c->bytes_idle + c->bytes_emergency +
                              wire_decoder_pending(decoder));
  return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static WireDecoder whole, split;
  if (length < 2)
    return 0;
  const size_t piece = 1u + bytes[0] % 64u;
  bytes++;
  length--;
  require(decode(&whole, bytes, length, length) == decode(&split, bytes, length, piece));
  require(memcmp(&whole.counters, &split.counters, sizeof whole.counters) == 0);
  require(whole.pending == split.pending && whole.fill == split.fill);
  /* the same bytes as payload, after whatever is pending */
  const WireHeader header = {WIRE_VERSION, bytes[0], 1, 2};
  static uint8_t frame[WIRE_FRAME_MAX];
  const uint8_t delimiter = WIRE_DELIMITER, *at = &delimiter;
  const size_t n = length < WIRE_PAYLOAD_MAX ? length : WIRE_PAYLOAD_MAX;
  size_t left = 1;
  WireReceived received;
  (void)wire_decoder_next(&whole, &at, &left, &received);
  require(left == 0 && wire_decoder_pending(&whole) == 0);
  at = frame;
  left = wire_frame_encode(frame, &header, bytes, n);
  require(wire_decoder_next(&whole, &at, &left, &received) && left == 0);
  require(received.kind == WIRE_RECEIVED_FRAME && received.length == n);
  require(memcmp(received.payload, bytes, n) == 0);
  return 0;
}
