/* SPDX-License-Identifier: MIT */
#include "wire/message.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/frame.h"

/* clang-format off */
#define BYTES_u8 1
#define BYTES_u16 2
#define BYTES_u32 4
#define BYTES_i16 2
#define BYTES_i32 4
#define BYTES_text8 8
#define BYTES_text24 24
/* a term of a sum: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define ADD_BYTES(kind, name) +BYTES_##kind

#define PUT_u8(p, x) wire_put_u8(p, x)
#define PUT_u16(p, x) wire_put_u16(p, x)
#define PUT_u32(p, x) wire_put_u32(p, x)
#define PUT_i16(p, x) wire_put_i16(p, x)
#define PUT_i32(p, x) wire_put_i32(p, x)
#define PUT_text8(p, x) memcpy(p, x, 8)
#define PUT_text24(p, x) memcpy(p, x, 24)
#define PUT(kind, name)                                                                            \
  PUT_##kind(out, message->name);                                                                  \
  out += BYTES_##kind;

#define GET_u8(p, x) ((x) = wire_get_u8(p))
#define GET_u16(p, x) ((x) = wire_get_u16(p))
#define GET_u32(p, x) ((x) = wire_get_u32(p))
#define GET_i16(p, x) ((x) = wire_get_i16(p))
#define GET_i32(p, x) ((x) = wire_get_i32(p))
#define GET_text8(p, x) memcpy(x, p, 8)
#define GET_text24(p, x) memcpy(x, p, 24)
#define GET(kind, name)                                                                            \
  GET_##kind(payload, message->name);                                                              \
  payload += BYTES_##kind;

/* clang-format on */

/* The typedef is C99's static assertion: an array of negative size does not compile. */
#define DEFINE_RECORD(NAME, Type, function, bytes)                                                 \
  typedef char wire_size_of_##function[(0 WIRE_LAYOUT_##NAME(ADD_BYTES)) == (bytes) ? 1 : -1];     \
  void wire_##function##_put(uint8_t *out, const Wire##Type *message) {                            \
    WIRE_LAYOUT_##NAME(PUT)(void) out;                                                             \
  }                                                                                                \
  bool wire_##function##_get(Wire##Type *message, const uint8_t *payload, size_t n) {              \
    if (n < (bytes))                                                                               \
      return false;                                                                                \
    WIRE_LAYOUT_##NAME(GET)(void) payload;                                                         \
    return true;                                                                                   \
  }
#define DEFINE_MESSAGE(NAME, Type, function, number, bytes)                                        \
  DEFINE_RECORD(NAME, Type, function, bytes)

WIRE_MESSAGES(DEFINE_MESSAGE)
WIRE_RECORDS(DEFINE_RECORD)

bool wire_is_motion(uint16_t type) {
  switch (type & ~(unsigned)WIRE_GUARDED) {
  case WIRE_TYPE_MOVE:
  case WIRE_TYPE_SWEEP:
  case WIRE_TYPE_TRAJ_BEGIN:
  case WIRE_TYPE_TRAJ_SEGMENT:
  case WIRE_TYPE_TRAJ_START:
    return true;
  default:
    return false;
  }
}

/* The longest messages fit into a frame. */
typedef char wire_telem_fits
    [WIRE_SIZE_TELEM + WIRE_JOINTS_MAX * WIRE_SIZE_TELEM_JOINT <= WIRE_PAYLOAD_MAX ? 1 : -1];
typedef char
    wire_move_fits[WIRE_SIZE_GUARD + WIRE_SIZE_MOVE + WIRE_JOINTS_MAX * WIRE_SIZE_MOVE_JOINT <=
                           WIRE_PAYLOAD_MAX
                       ? 1
                       : -1];
