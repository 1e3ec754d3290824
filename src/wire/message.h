/* SPDX-License-Identifier: MIT */
/* The messages of the native protocol as structs, and their exact bytes.
 *
 * For each message and record of layout.h, say SWEEP:
 *   WireSweep                               the fields
 *   WIRE_TYPE_SWEEP                         its number in the frame header (messages only)
 *   WIRE_SIZE_SWEEP                         its bytes, what is repeated after them not included
 *   void wire_sweep_put(out, &sweep)        writes WIRE_SIZE_SWEEP bytes
 *   bool wire_sweep_get(&sweep, bytes, n)   false when n is smaller; extra bytes are ignored, so
 *                                           that a later minor version may append fields
 * The byte order is explicit, structs are never cast. Re-entrant, no state. */
#ifndef ARMATURE_WIRE_MESSAGE_H
#define ARMATURE_WIRE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/layout.h"

enum {
  WIRE_MINOR = 1,               /* minor version: fields and messages added, none changed */
  WIRE_FROM_DEVICE = 0x800,     /* the bit of all types that a device sends */
  WIRE_GUARDED = 0x400,         /* the bit of a request's type when GUARD precedes its payload */
  WIRE_AHEAD_MAX = 16,          /* a guarded request is at most so far ahead of the last one */
  WIRE_JOINTS_MAX = 32,         /* what the messages can carry */
  WIRE_SCHEMA_CANONICAL = 4,    /* the schema CRC covers SCHEMA from this offset on */
  WIRE_TIME_FACTOR_REAL = 1000, /* time_factor of real time: thousandths */
  WIRE_NAME_BYTES = 24,         /* text24 */
  WIRE_UNIT_BYTES = 8           /* text8 */
};

#define WIRE_MEMBER_u8(name)     uint8_t name;
#define WIRE_MEMBER_u16(name)    uint16_t name;
#define WIRE_MEMBER_u32(name)    uint32_t name;
#define WIRE_MEMBER_i16(name)    int16_t name;
#define WIRE_MEMBER_i32(name)    int32_t name;
#define WIRE_MEMBER_text8(name)  char name[WIRE_UNIT_BYTES];
#define WIRE_MEMBER_text24(name) char name[WIRE_NAME_BYTES];
#define WIRE_MEMBER(kind, name)  WIRE_MEMBER_##kind(name)

#define WIRE_DECLARE_RECORD(NAME, Type, function, bytes)                                           \
  typedef struct {                                                                                 \
    WIRE_LAYOUT_##NAME(WIRE_MEMBER)                                                                \
  } Wire##Type;                                                                                    \
  void wire_##function##_put(uint8_t *out, const Wire##Type *message);                             \
  bool wire_##function##_get(Wire##Type *message, const uint8_t *payload, size_t n);
#define WIRE_DECLARE_MESSAGE(NAME, Type, function, number, bytes)                                  \
  WIRE_DECLARE_RECORD(NAME, Type, function, bytes)

WIRE_MESSAGES(WIRE_DECLARE_MESSAGE)
WIRE_RECORDS(WIRE_DECLARE_RECORD)

#define WIRE_ENUM_TYPE(NAME, Type, function, number, bytes) WIRE_TYPE_##NAME = (number),
#define WIRE_ENUM_EMPTY(NAME, number)                       WIRE_TYPE_##NAME = (number),
typedef enum { WIRE_MESSAGES(WIRE_ENUM_TYPE) WIRE_EMPTY_MESSAGES(WIRE_ENUM_EMPTY) } WireType;

/* Those that start or shape a motion: their GUARD carries the token in force, that of the others
 * the token of HELLO_ACK. With or without the bit WIRE_GUARDED. */
bool wire_is_motion(uint16_t type);

#define WIRE_ENUM_SIZE(NAME, Type, function, number, bytes) WIRE_SIZE_##NAME = (bytes),
#define WIRE_ENUM_RECORD_SIZE(NAME, Type, function, bytes)  WIRE_SIZE_##NAME = (bytes),
enum { WIRE_MESSAGES(WIRE_ENUM_SIZE) WIRE_RECORDS(WIRE_ENUM_RECORD_SIZE) };

#define WIRE_ENUM_STATE(NAME, number, phrase)  WIRE_STATE_##NAME = (number),
#define WIRE_ENUM_MOTION(NAME, number, phrase) WIRE_MOTION_##NAME = (number),
#define WIRE_ENUM_END(NAME, number, phrase)    WIRE_END_##NAME = (number),
#define WIRE_ENUM_CODE(NAME, number, phrase)   WIRE_CODE_##NAME = (number),
#define WIRE_ENUM_BOUND(NAME, number, phrase)  WIRE_BOUND_##NAME = (number),
#define WIRE_ENUM_PARAM(NAME, number, phrase)  WIRE_PARAM_##NAME = (number),
#define WIRE_ENUM_EVENT(NAME, number, phrase)  WIRE_EVENT_##NAME = (number),
#define WIRE_ENUM_FAULT(NAME, number, phrase)  WIRE_FAULT_##NAME = 1 << (number),
typedef enum { WIRE_STATES(WIRE_ENUM_STATE) } WireStateKind;
typedef enum { WIRE_MOTIONS(WIRE_ENUM_MOTION) } WireMotion;
typedef enum { WIRE_ENDS(WIRE_ENUM_END) } WireEnd;
typedef enum { WIRE_CODES(WIRE_ENUM_CODE) } WireCode;
typedef enum { WIRE_BOUNDS(WIRE_ENUM_BOUND) } WireBound;
typedef enum { WIRE_PARAM_STATUSES(WIRE_ENUM_PARAM) } WireParamStatus;
typedef enum { WIRE_EVENTS(WIRE_ENUM_EVENT) } WireEventCode;
typedef enum { WIRE_FAULTS(WIRE_ENUM_FAULT) } WireFault; /* one bit each */

/* Bits of `flags` in STATE, ACK and TELEM. */
enum {
  WIRE_FLAG_DRIVES_ON = 1 << 0,
  WIRE_FLAG_ESTOP_CLOSED = 1 << 1, /* the hardware chain permits motion */
  WIRE_FLAG_DEFAULTS = 1 << 2,     /* no stored parameter set was usable */
  WIRE_FLAG_UNSAVED = 1 << 3,      /* parameters in use differ from the stored ones */
  WIRE_FLAG_UPLOAD = 1 << 4,       /* an upload is open */
  WIRE_FLAG_LATE = 1 << 5          /* telemetry periods were skipped since the last TELEM */
};

/* Bits of `flags` of a joint in TELEM; bits 8 to 15 belong to the device's maker. */
enum { WIRE_JOINT_MOVING = 1 << 0 };

/* `kind` of JOINT. */
enum { WIRE_JOINT_ROTATES = 0, WIRE_JOINT_SLIDES = 1 };

/* `capabilities` of HELLO_ACK. */
enum {
  WIRE_CAN_SWEEP = 1 << 0,
  WIRE_CAN_TRAJECTORY = 1 << 1,
  WIRE_CAN_STORE = 1 << 2,      /* COMMIT survives power loss */
  WIRE_CAN_TEST = 1 << 3,       /* TEST plants faults: a simulator */
  WIRE_CAN_COMPRESS = 1 << 4,   /* time_factor is not that of real time */
  WIRE_CAN_SWITCH_OFF = 1 << 5, /* drives can be switched off by the device */
  WIRE_CAN_CURRENT = 1 << 6     /* currents are measured, not guessed from a duty cycle */
};

/* `type` and `flags` of SCHEMA. */
typedef enum { WIRE_PARAM_I32 = 0, WIRE_PARAM_U32 = 1, WIRE_PARAM_F32 = 2 } WireParamType;
enum { WIRE_PARAM_IS_LIVE = 1 << 0, WIRE_PARAM_IS_READ_ONLY = 1 << 1 };

/* `reset_cause` of HELLO_ACK. */
enum {
  WIRE_RESET_UNKNOWN = 0,
  WIRE_RESET_POWER = 1,
  WIRE_RESET_WATCHDOG = 2,
  WIRE_RESET_BROWN_OUT = 3,
  WIRE_RESET_SOFTWARE = 4,
  WIRE_RESET_BUTTON = 5
};

/* `level` of LOG. */
enum { WIRE_LOG_INFO = 0, WIRE_LOG_WARNING = 1, WIRE_LOG_ERROR = 2 };

/* `kind` of TEST: what a simulator is asked to do to itself. value and duration_ms: see the
 * specification. */
enum {
  WIRE_TEST_BIT_ERRORS = 1,
  WIRE_TEST_DROP_FRAMES = 2,
  WIRE_TEST_LATE_FRAMES = 3,
  WIRE_TEST_STALL = 4,
  WIRE_TEST_OVER_CURRENT = 5,
  WIRE_TEST_OVER_TEMPERATURE = 6,
  WIRE_TEST_ESTOP_OPEN = 7,
  WIRE_TEST_UNPLUG = 8,
  WIRE_TEST_REBOOT = 9,
  WIRE_TEST_BROWN_OUT = 10,
  WIRE_TEST_FREEZE = 11,
  WIRE_TEST_PAYLOAD = 12,
  WIRE_TEST_CREEP = 13
};

#endif
