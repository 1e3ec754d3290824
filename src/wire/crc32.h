/* SPDX-License-Identifier: MIT */
/* CRC-32 of IEEE 802.3: reflected polynomial 0xEDB88320, start and final xor 0xFFFFFFFF; the check
 * value of "123456789" is 0xCBF43926. Tables are constant: 8 KiB, or 64 bytes (and about six times
 * slower) when compiled with WIRE_CRC32_SMALL. Re-entrant. */
#ifndef ARMATURE_WIRE_CRC32_H
#define ARMATURE_WIRE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* crc    -      0 for the first block, the last result to go on with a further block
 * bytes  [n]    may be NULL when n is 0
 * Returns the CRC of everything so far; splitting the input changes nothing. */
uint32_t wire_crc32(uint32_t crc, const uint8_t *bytes, size_t n);

#endif
