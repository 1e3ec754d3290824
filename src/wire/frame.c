/* SPDX-License-Identifier: MIT */
/* The decoder copies bytes until a delimiter and judges what it has: where a frame begins is known
 * by the zero byte alone, so that the next good frame is found after any garbage. Only the
 * emergency string acts without a delimiter behind it. */
#include "wire/frame.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"

size_t wire_frame_encode(uint8_t *out, const WireHeader *header, const uint8_t *payload, size_t n) {
  uint8_t frame[WIRE_DECODED_MAX];
  if (n > WIRE_PAYLOAD_MAX || header->version > 15 || header->type > 0xfff)
    return 0;
  wire_put_u16(frame, (uint16_t)(header->version << 12 | header->type));
  wire_put_u16(frame + 2, header->seq);
  wire_put_u32(frame + 4, header->t_us);
  if (n > 0)
    memcpy(frame + WIRE_HEADER_BYTES, payload, n);
  const size_t length = WIRE_HEADER_BYTES + n;
  wire_put_u32(frame + length, wire_crc32(0, frame, length));
  const size_t encoded = wire_cobs_encode(out, frame, length + WIRE_CRC_BYTES);
  out[encoded] = WIRE_DELIMITER;
  return encoded + 1;
}

void wire_decoder_init(WireDecoder *decoder) {
  memset(decoder, 0, sizeof *decoder);
}

uint64_t wire_decoder_pending(const WireDecoder *decoder) {
  return decoder->pending;
}

uint64_t wire_counters_rejected(const WireCounters *counters) {
  uint64_t sum = 0;
  for (int k = 0; k < WIRE_REJECT_KINDS; k++)
    sum += counters->rejected[k];
  return sum;
}

/* The first eight bytes after a delimiter are all the emergency byte. */
static bool is_emergency(const WireDecoder *decoder) {
  if (!decoder->is_delimited || decoder->fill != WIRE_EMERGENCY_BYTES)
    return false;
  for (size_t k = 0; k < WIRE_EMERGENCY_BYTES; k++)
    if (decoder->raw[k] != WIRE_EMERGENCY_BYTE)
      return false;
  return true;
}

static void append(WireDecoder *decoder, const uint8_t *bytes, size_t n) {
  decoder->counters.bytes_fed += n;
  decoder->pending += n;
  if (decoder->is_skipping || decoder->has_overflown)
    return;
  const size_t room = sizeof decoder->raw - decoder->fill;
  if (n > room) {
    decoder->has_overflown = true;
    n = room;
  }
  memcpy(decoder->raw + decoder->fill, bytes, n);
  decoder->fill += n;
}

/* Judges the run in raw, decodes it in place. */
static bool decode(WireDecoder *decoder, WireReceived *received, WireReject *why) {
  uint8_t *raw = decoder->raw;
  *why = WIRE_REJECT_LONG;
  if (decoder->has_overflown)
    return false;
  const size_t length = wire_cobs_decode(raw, raw, decoder->fill);
  *why = WIRE_REJECT_COBS;
  if (length == WIRE_COBS_BAD)
    return false;
  *why = WIRE_REJECT_SHORT;
  if (length < WIRE_DECODED_MIN)
    return false;
  *why = WIRE_REJECT_LONG;
  if (length > WIRE_DECODED_MAX)
    return false;
  *why = WIRE_REJECT_CRC;
  const size_t covered = length - WIRE_CRC_BYTES;
  if (wire_crc32(0, raw, covered) != wire_get_u32(raw + covered))
    return false;
  const uint16_t type = wire_get_u16(raw);
  received->kind = WIRE_RECEIVED_FRAME;
  received->header.version = (uint8_t)(type >> 12);
  received->header.type = type & 0xfff;
  received->header.seq = wire_get_u16(raw + 2);
  received->header.t_us = wire_get_u32(raw + 4);
  received->payload = raw + WIRE_HEADER_BYTES;
  received->length = covered - WIRE_HEADER_BYTES;
  return true;
}

/* A delimiter came: what was before it is a frame, rejected, ignored, or nothing. */
static bool finish(WireDecoder *decoder, WireReceived *received) {
  WireCounters *counters = &decoder->counters;
  const uint64_t run = decoder->pending + 1;
  bool has_frame = false;
  WireReject why;
  counters->bytes_fed++;
  if (decoder->is_skipping) {
    counters->bytes_emergency += run;
  } else if (run == 1) {
    counters->bytes_idle++;
  } else if (decode(decoder, received, &why)) {
    counters->bytes_good += run;
    counters->frames++;
    has_frame = true;
  } else {
    counters->bytes_bad += run;
    counters->rejected[why]++;
  }
  decoder->pending = 0;
  decoder->fill = 0;
  decoder->is_delimited = true;
  decoder->is_skipping = false;
  decoder->has_overflown = false;
  return has_frame;
}

/* The string takes effect with its eighth byte, not with the next delimiter. */
static void take_emergency(WireDecoder *decoder, WireReceived *received) {
  memset(received, 0, sizeof *received);
  received->kind = WIRE_RECEIVED_EMERGENCY;
  decoder->counters.emergencies++;
  decoder->counters.bytes_emergency += decoder->pending;
  decoder->pending = 0;
  decoder->fill = 0;
  decoder->is_skipping = true;
}

bool wire_decoder_next(WireDecoder *decoder, const uint8_t **bytes, size_t *n,
                       WireReceived *received) {
  while (*n > 0) {
    const uint8_t *zero = memchr(*bytes, WIRE_DELIMITER, *n);
    size_t run = zero ? (size_t)(zero - *bytes) : *n;
    if (run == 0) {
      ++*bytes;
      --*n;
      if (finish(decoder, received))
        return true;
      continue;
    }
    /* stop at the eighth byte to look at it */
    if (!decoder->is_skipping && decoder->fill < WIRE_EMERGENCY_BYTES &&
        run > WIRE_EMERGENCY_BYTES - decoder->fill)
      run = WIRE_EMERGENCY_BYTES - decoder->fill;
    append(decoder, *bytes, run);
    *bytes += run;
    *n -= run;
    if (is_emergency(decoder)) {
      take_emergency(decoder, received);
      return true;
    }
  }
  return false;
}
