/* SPDX-License-Identifier: MIT */
/* English phrases for the numbers of the protocol: static, never NULL, no capital, no full stop.
 * A number that is not known gives "unknown". */
#ifndef ARMATURE_WIRE_TEXT_H
#define ARMATURE_WIRE_TEXT_H

#include <stdint.h>

const char *wire_state_text(uint8_t state);         /* WIRE_STATE_... */
const char *wire_motion_text(uint8_t motion);       /* WIRE_MOTION_... */
const char *wire_end_text(uint8_t end);             /* WIRE_END_... */
const char *wire_code_text(uint16_t code);          /* WIRE_CODE_... */
const char *wire_bound_text(uint8_t bound);         /* WIRE_BOUND_... */
const char *wire_param_status_text(uint8_t status); /* WIRE_PARAM_... */
const char *wire_event_text(uint16_t code);         /* WIRE_EVENT_... */

/* The phrase of the lowest bit set; "no fault" for 0. Clear the bit and ask again for the next. */
const char *wire_fault_text(uint32_t faults);

/* The name of a message, "SWEEP" for WIRE_TYPE_SWEEP. */
const char *wire_type_name(uint16_t type);

#endif
