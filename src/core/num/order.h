/* SPDX-License-Identifier: MIT */
/* The exact median of any number of values in fixed memory: they are shown again, round after
 * round, until it is known. One round for a few thousand values, two or three for any number of
 * measured ones.
 */
#ifndef ARMATURE_CORE_ORDER_H
#define ARMATURE_CORE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

typedef struct {
  uint64_t low, high; /* bits of the values between which both middle ones lie, inclusive */
  size_t count;       /* values of the first round */
  size_t below;       /* of them below `low` */
  size_t seen, inside;
  double *kept;   /* owned: those inside, while they are few */
  uint32_t *bins; /* owned: NULL while they are few */
  unsigned shift;
  bool is_split; /* the middle ones are the largest below `high` and the smallest from there on */
  double largest, smallest, median;
  int round;
} ArmOrder;

void arm_order_clear(ArmOrder *order);

/* Of at most 2^32 - 1 values. ARM_E_MEMORY. A zeroed order is ready.
 *   value  >= 0; NAN counts as INFINITY */
ARM_MUST_CHECK ArmStatus arm_order_push(ArmOrder *order, double value);

/* Ends a round. True: `median` is known, as of arm_filter_median (NAN: no values). False: show the
 * same values once more. */
bool arm_order_end(ArmOrder *order);

#endif
