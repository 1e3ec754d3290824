/* SPDX-License-Identifier: MIT */
#include "wire/crc32.h"

#include "wire/bytes.h"

/* A CRC is linear: the entry of n is the xor of the entries of its bits. */
#define BIT(n, k, c)          ((n) >> (k)&1u ? (c) : 0u)
#define ENTRY4(n, a, b, c, d) (BIT(n, 0, a) ^ BIT(n, 1, b) ^ BIT(n, 2, c) ^ BIT(n, 3, d))

#ifdef WIRE_CRC32_SMALL

#define ROW(n) ENTRY4(n, 0x1db71064u, 0x3b6e20c8u, 0x76dc4190u, 0xedb88320u)
static const uint32_t nibbles[16] = {ROW(0u),  ROW(1u),  ROW(2u),  ROW(3u), ROW(4u),  ROW(5u),
                                     ROW(6u),  ROW(7u),  ROW(8u),  ROW(9u), ROW(10u), ROW(11u),
                                     ROW(12u), ROW(13u), ROW(14u), ROW(15u)};

uint32_t wire_crc32(uint32_t crc, const uint8_t *bytes, size_t n) {
  crc = ~crc;
  for (size_t k = 0; k < n; k++) {
    crc = crc >> 4 ^ nibbles[(crc ^ bytes[k]) & 15u];
    crc = crc >> 4 ^ nibbles[(crc ^ (uint32_t)(bytes[k] >> 4)) & 15u];
  }
  return ~crc;
}

#else

#define ENTRY(n, a, b, c, d, e, f, g, h) (ENTRY4(n, a, b, c, d) ^ ENTRY4((n) >> 4, e, f, g, h))
#define ENTRIES4(n, ...)                                                                           \
  ENTRY(n, __VA_ARGS__), ENTRY(n + 1u, __VA_ARGS__), ENTRY(n + 2u, __VA_ARGS__),                   \
      ENTRY(n + 3u, __VA_ARGS__)
#define ENTRIES16(n, ...)                                                                          \
  ENTRIES4(n, __VA_ARGS__), ENTRIES4(n + 4u, __VA_ARGS__), ENTRIES4(n + 8u, __VA_ARGS__),          \
      ENTRIES4(n + 12u, __VA_ARGS__)
#define ENTRIES64(n, ...)                                                                          \
  ENTRIES16(n, __VA_ARGS__), ENTRIES16(n + 16u, __VA_ARGS__), ENTRIES16(n + 32u, __VA_ARGS__),     \
      ENTRIES16(n + 48u, __VA_ARGS__)
#define TABLE(...)                                                                                 \
  {                                                                                                \
    ENTRIES64(0u, __VA_ARGS__), ENTRIES64(64u, __VA_ARGS__), ENTRIES64(128u, __VA_ARGS__),         \
        ENTRIES64(192u, __VA_ARGS__)                                                               \
  }

/* tables[k][byte]: what a byte contributes when k further bytes follow it in the block of eight. */
static const uint32_t tables[8][256] = {
    TABLE(0x77073096u, 0xee0e612cu, 0x076dc419u, 0x0edb8832u, 0x1db71064u, 0x3b6e20c8u, 0x76dc4190u,
          0xedb88320u),
    TABLE(0x191b3141u, 0x32366282u, 0x646cc504u, 0xc8d98a08u, 0x4ac21251u, 0x958424a2u, 0xf0794f05u,
          0x3b83984bu),
    TABLE(0x01c26a37u, 0x0384d46eu, 0x0709a8dcu, 0x0e1351b8u, 0x1c26a370u, 0x384d46e0u, 0x709a8dc0u,
          0xe1351b80u),
    TABLE(0xb8bc6765u, 0xaa09c88bu, 0x8f629757u, 0xc5b428efu, 0x5019579fu, 0xa032af3eu, 0x9b14583du,
          0xed59b63bu),
    TABLE(0x3d6029b0u, 0x7ac05360u, 0xf580a6c0u, 0x30704bc1u, 0x60e09782u, 0xc1c12f04u, 0x58f35849u,
          0xb1e6b092u),
    TABLE(0xcb5cd3a5u, 0x4dc8a10bu, 0x9b914216u, 0xec53826du, 0x03d6029bu, 0x07ac0536u, 0x0f580a6cu,
          0x1eb014d8u),
    TABLE(0xa6770bb4u, 0x979f1129u, 0xf44f2413u, 0x33ef4e67u, 0x67de9cceu, 0xcfbd399cu, 0x440b7579u,
          0x8816eaf2u),
    TABLE(0xccaa009eu, 0x4225077du, 0x844a0efau, 0xd3e51bb5u, 0x7cbb312bu, 0xf9766256u, 0x299dc2edu,
          0x533b85dau),
};

uint32_t wire_crc32(uint32_t crc, const uint8_t *bytes, size_t n) {
  crc = ~crc;
  for (; n >= 8; n -= 8, bytes += 8) {
    const uint32_t a = crc ^ wire_get_u32(bytes), b = wire_get_u32(bytes + 4);
    crc = tables[7][a & 255u] ^ tables[6][a >> 8 & 255u] ^ tables[5][a >> 16 & 255u] ^
          tables[4][a >> 24] ^ tables[3][b & 255u] ^ tables[2][b >> 8 & 255u] ^
          tables[1][b >> 16 & 255u] ^ tables[0][b >> 24];
  }
  for (; n > 0; n--, bytes++)
    crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 255u];
  return ~crc;
}

#endif
