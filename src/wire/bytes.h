/* SPDX-License-Identifier: MIT */
/* Integers in little-endian byte order, whatever the machine's own; no alignment is needed.
 * wire_put_* writes and wire_get_* reads at p as many bytes as the type has. */
#ifndef ARMATURE_WIRE_BYTES_H
#define ARMATURE_WIRE_BYTES_H

#include <stdint.h>

static inline void wire_put_u8(uint8_t *p, uint8_t x) {
  p[0] = x;
}

static inline void wire_put_u16(uint8_t *p, uint16_t x) {
  p[0] = (uint8_t)(x & 255u);
  p[1] = (uint8_t)(x >> 8);
}

static inline void wire_put_u32(uint8_t *p, uint32_t x) {
  p[0] = (uint8_t)(x & 255u);
  p[1] = (uint8_t)(x >> 8 & 255u);
  p[2] = (uint8_t)(x >> 16 & 255u);
  p[3] = (uint8_t)(x >> 24);
}

static inline void wire_put_i16(uint8_t *p, int16_t x) {
  wire_put_u16(p, (uint16_t)x);
}

static inline void wire_put_i32(uint8_t *p, int32_t x) {
  wire_put_u32(p, (uint32_t)x);
}

static inline uint8_t wire_get_u8(const uint8_t *p) {
  return p[0];
}

static inline uint16_t wire_get_u16(const uint8_t *p) {
  return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t wire_get_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Two's complement without relying on the conversion of out-of-range values. */
static inline int16_t wire_get_i16(const uint8_t *p) {
  const int32_t x = wire_get_u16(p);
  return (int16_t)(x < 0x8000 ? x : x - 0x10000);
}

static inline int32_t wire_get_i32(const uint8_t *p) {
  const uint32_t x = wire_get_u32(p);
  return x < 0x80000000u ? (int32_t)x : -(int32_t)(0xffffffffu - x) - 1;
}

#endif
