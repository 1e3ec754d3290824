/* SPDX-License-Identifier: MIT */
/* Frames of the native protocol (docs/protocol.md section 2): COBS( version:4 | type:12, sequence,
 * time stamp, payload, CRC-32 ) and one zero byte.
 *
 * The decoder takes bytes in pieces of any size: the split changes neither frames nor counters.
 * Every byte fed is counted once: bytes_fed = bytes_good + bytes_bad + bytes_idle + bytes_emergency
 * + wire_decoder_pending. No allocation; one decoder belongs to one thread at a time. */
#ifndef ARMATURE_WIRE_FRAME_H
#define ARMATURE_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cobs.h"

enum {
  WIRE_VERSION = 1, /* the major version of the protocol: the upper four bits of a frame's type */
  WIRE_DELIMITER = 0,
  WIRE_EMERGENCY_BYTE = 0x18, /* eight of them directly after a delimiter: drives off */
  WIRE_EMERGENCY_BYTES = 8,
  WIRE_HEADER_BYTES = 8,
  WIRE_CRC_BYTES = 4,
  WIRE_DECODED_MIN = WIRE_HEADER_BYTES + WIRE_CRC_BYTES,
  WIRE_DECODED_MAX = 512,
  WIRE_PAYLOAD_MAX = WIRE_DECODED_MAX - WIRE_DECODED_MIN,
  WIRE_ENCODED_MAX = WIRE_COBS_MAX(WIRE_DECODED_MAX), /* without the delimiter */
  WIRE_FRAME_MAX = WIRE_ENCODED_MAX + 1               /* with it */
};

typedef struct {
  uint8_t version; /* 0..15 */
  uint16_t type;   /* 0..0xfff */
  uint16_t seq;    /* counts up by one per frame of its direction and kind, wraps */
  uint32_t t_us;   /* the sender's clock, microseconds, wraps every 71.6 minutes */
} WireHeader;

/* out      [WIRE_FRAME_MAX]  the frame, its delimiter included
 * payload  [n]               n <= WIRE_PAYLOAD_MAX; may be NULL when n is 0
 * Returns the bytes written, or 0 when n, the version or the type is too large. Uses 512 bytes of
 * stack. */
size_t wire_frame_encode(uint8_t *out, const WireHeader *header, const uint8_t *payload, size_t n);

typedef enum {
  WIRE_RECEIVED_FRAME,    /* a frame whose CRC is right */
  WIRE_RECEIVED_EMERGENCY /* the emergency string; header and payload mean nothing */
} WireReceivedKind;

typedef struct {
  WireReceivedKind kind;
  WireHeader header;
  const uint8_t *payload; /* [length], in the decoder, until it is used again */
  size_t length;
} WireReceived;

/* Why the bytes between two delimiters were thrown away. */
typedef enum {
  WIRE_REJECT_LONG,  /* more than WIRE_ENCODED_MAX bytes without a delimiter, or decoded too long */
  WIRE_REJECT_COBS,  /* a block reaches beyond the delimiter */
  WIRE_REJECT_SHORT, /* decoded, but fewer bytes than a header and a CRC */
  WIRE_REJECT_CRC,   /* well formed, wrong CRC */
  WIRE_REJECT_KINDS
} WireReject;

typedef struct {
  uint64_t bytes_fed;       /* all */
  uint64_t bytes_good;      /* accepted frames with their delimiters */
  uint64_t bytes_bad;       /* rejected bytes with their delimiters */
  uint64_t bytes_idle;      /* delimiters that end nothing */
  uint64_t bytes_emergency; /* emergency strings, and what follows them up to the delimiter */
  uint64_t frames;          /* accepted */
  uint64_t emergencies;
  uint64_t rejected[WIRE_REJECT_KINDS]; /* runs of bytes between delimiters, by reason */
} WireCounters;

typedef struct {
  WireCounters counters;
  uint64_t pending;   /* bytes since the last delimiter, not yet in a counter */
  size_t fill;        /* how many of them are in raw */
  bool is_delimited;  /* the run began directly after a delimiter */
  bool is_skipping;   /* an emergency string began the run: the rest of it is ignored */
  bool has_overflown; /* raw was too small for the run */
  uint8_t raw[WIRE_ENCODED_MAX];
} WireDecoder;

/* The decoder as after power-up: it takes a frame at once, but no emergency string before the first
 * delimiter. Counters are zero. */
void wire_decoder_init(WireDecoder *decoder);

/* Takes bytes until something is complete: *bytes and *n advance past what was taken. Returns true
 * with one frame or emergency, or false when the input is used up.
 *
 *   while (wire_decoder_next(&decoder, &bytes, &n, &received)) ...
 */
bool wire_decoder_next(WireDecoder *decoder, const uint8_t **bytes, size_t *n,
                       WireReceived *received);

/* Bytes fed that no counter holds yet. */
uint64_t wire_decoder_pending(const WireDecoder *decoder);

/* All rejected runs. */
uint64_t wire_counters_rejected(const WireCounters *counters);

#endif
