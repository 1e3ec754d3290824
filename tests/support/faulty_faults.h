/* SPDX-License-Identifier: MIT */
/* What may be wrong with a recording of support/faulty.h: one thing, or two at once, at a random
 * joint, direction or hold. */
#ifndef ARMATURE_TESTS_FAULTY_FAULTS_H
#define ARMATURE_TESTS_FAULTY_FAULTS_H

#include "support/faulty.h"

typedef enum {
  FAULT_TILT_2,
  FAULT_TILT_10,
  FAULT_DH_SIGN,
  FAULT_GEAR,
  FAULT_GEAR_HALF,
  FAULT_ZERO,
  FAULT_PAYLOAD,
  FAULT_PAYLOAD_SMALL,
  FAULT_LEAN,
  FAULT_RIPPLE,
  FAULT_RIPPLE_TWICE,
  FAULT_UNSIGNED,
  FAULT_SWAPPED,
  FAULT_DELAY,
  FAULT_LOAD_FRICTION,
  FAULT_TILT_AND_DRIFT,
  FAULT_GAIN_CHANGED,
  FAULT_CABLE,
  FAULT_BUMPER,
  FAULT_TILT_AND_PAYLOAD,
  ALL_FAULTS
} Fault;

/* Single ones, which a verdict shall tell. */
enum { FAULTS = FAULT_LOAD_FRICTION + 1 };

/* "base tilt 2 deg". Static storage. */
const char *faulty_fault_name(Fault fault);

/* Adds it to `faulty`. False: this arm has no joint for it. */
bool faulty_break(FaultyArm arm, Fault fault, uint64_t seed, Faulty *faulty);

#endif
