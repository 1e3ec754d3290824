/* SPDX-License-Identifier: MIT */
#include "wire/text.h"

#include "wire/message.h"

#define PHRASE(NAME, number, phrase)                                                               \
  case number:                                                                                     \
    return phrase;
#define DEFINE_TEXT(function, Type, which, LIST)                                                   \
  const char *function(Type which) {                                                               \
    switch (which) {                                                                               \
      LIST(PHRASE)                                                                                 \
    default:                                                                                       \
      return "unknown";                                                                            \
    }                                                                                              \
  }

DEFINE_TEXT(wire_state_text, uint8_t, state, WIRE_STATES)
DEFINE_TEXT(wire_motion_text, uint8_t, motion, WIRE_MOTIONS)
DEFINE_TEXT(wire_end_text, uint8_t, end, WIRE_ENDS)
DEFINE_TEXT(wire_code_text, uint16_t, code, WIRE_CODES)
DEFINE_TEXT(wire_bound_text, uint8_t, bound, WIRE_BOUNDS)
DEFINE_TEXT(wire_param_status_text, uint8_t, status, WIRE_PARAM_STATUSES)
DEFINE_TEXT(wire_event_text, uint16_t, code, WIRE_EVENTS)

#define FAULT(NAME, number, phrase)                                                                \
  if (faults & (1u << (number)))                                                                   \
    return phrase;

const char *wire_fault_text(uint32_t faults) {
  WIRE_FAULTS(FAULT)
  return faults ? "unknown" : "no fault";
}

#define NAME_OF(NAME, Type, function, number, bytes)                                               \
  case number:                                                                                     \
    return #NAME;
#define NAME_OF_EMPTY(NAME, number)                                                                \
  case number:                                                                                     \
    return #NAME;

const char *wire_type_name(uint16_t type) {
  switch (type & WIRE_FROM_DEVICE ? type : type & ~(unsigned)WIRE_GUARDED) {
    WIRE_MESSAGES(NAME_OF)
    WIRE_EMPTY_MESSAGES(NAME_OF_EMPTY)
  default:
    return "unknown";
  }
}
