/* SPDX-License-Identifier: MIT */
/* Consistent overhead byte stuffing (Cheshire and Baker, 1999): removes every zero byte at a cost
 * of one byte in 254, so that zero can mark the end of a frame. Re-entrant, no state. */
#ifndef ARMATURE_WIRE_COBS_H
#define ARMATURE_WIRE_COBS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that encoding n bytes takes at most, delimiter not included. */
#define WIRE_COBS_MAX(n) ((n) + (n) / 254u + 1u)

/* What wire_cobs_decode returns for bytes that no encoder writes. */
#define WIRE_COBS_BAD SIZE_MAX

/* out  [WIRE_COBS_MAX(n)]  must not overlap in
 * in   [n]                 any bytes
 * Returns the bytes written, none of them zero; the delimiter is not written. */
size_t wire_cobs_encode(uint8_t *out, const uint8_t *in, size_t n);

/* out  [n]  may be the same as in
 * in   [n]  the bytes between two delimiters
 * Returns the bytes written (fewer than n), or WIRE_COBS_BAD when a block reaches beyond the end, n
 * is 0, or a zero is found; then out holds no meaning. */
size_t wire_cobs_decode(uint8_t *out, const uint8_t *in, size_t n);

#endif
