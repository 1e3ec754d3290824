/* SPDX-License-Identifier: MIT */
/* The bits of doubles that are not negative are ordered as these are. Each round that is too large
 * to keep counts the values in equal steps of their bits, and the next one looks at the steps alone
 * that hold the middle. */
#include "core/num/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1 << 15, BIN_BITS = 16, BINS = 1 << BIN_BITS, WORD = 64 };

/* NAN is beyond all others. */
static uint64_t bits_of(double value) {
  uint64_t bits;
  value = isnan(value) ? (double)INFINITY : fabs(value); /* -0 */
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

void arm_order_clear(ArmOrder *order) {
  free(order->kept);
  free(order->bins);
  *order = (ArmOrder){0};
}

/* The bits from low to high in at most BINS steps of 2^shift. */
static void set_steps(ArmOrder *o) {
  unsigned width = 0;
  while (width < WORD && (o->high - o->low) >> width != 0)
    width++;
  o->shift = width > BIN_BITS ? width - BIN_BITS : 0;
}

static ArmStatus start(ArmOrder *o) {
  if (o->round++ == 0) {
    o->low = 0;
    o->high = bits_of((double)INFINITY);
    set_steps(o);
  }
  if (!o->kept)
    o->kept = calloc(KEPT, sizeof *o->kept);
  return o->kept ? ARM_OK : ARM_E_MEMORY;
}

/* From now on they are counted: those that were kept first. */
static ArmStatus spread(ArmOrder *o) {
  if (!o->bins)
    o->bins = malloc(BINS * sizeof *o->bins);
  if (!o->bins)
    return ARM_E_MEMORY;
  memset(o->bins, 0, BINS * sizeof *o->bins);
  for (size_t k = 0; k < KEPT; k++)
    o->bins[(bits_of(o->kept[k]) - o->low) >> o->shift]++;
  return ARM_OK;
}

ArmStatus arm_order_push(ArmOrder *o, double value) {
  const uint64_t bits = bits_of(value);
  ArmStatus status = ARM_OK;
  if (o->seen == 0)
    status = start(o);
  if (status != ARM_OK)
    return status;
  o->seen++;
  if (o->is_split) {
    if (bits < o->high)
      o->largest = fmax(o->largest, fabs(value));
    else
      o->smallest = fmin(o->smallest, fabs(value));
    return ARM_OK;
  }
  if (bits < o->low || bits > o->high)
    return ARM_OK;
  if (o->inside == KEPT)
    status = spread(o);
  if (status != ARM_OK)
    return status;
  if (o->inside < KEPT)
    o->kept[o->inside] = value;
  else
    o->bins[(bits - o->low) >> o->shift]++;
  o->inside++;
  return ARM_OK;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mean_of(size_t count, double lower, double upper) {
  return count % 2 == 1 ? upper : 0.5 * lower + 0.5 * upper;
}

static size_t bin_of(const ArmOrder *o, size_t rank, size_t *before) {
  size_t k = 0;
  *before = 0;
  for (; rank >= *before + o->bins[k]; k++)
    *before += o->bins[k];
  return k;
}

/* The steps that hold both middle values; where they are two, nothing between them matters. True:
 * both are one value, which is the median. */
static bool narrow(ArmOrder *o) {
  size_t before, after;
  const size_t lower = bin_of(o, (o->count - 1) / 2 - o->below, &before);
  const size_t upper = bin_of(o, o->count / 2 - o->below, &after);
  const uint64_t low = o->low;
  if (lower != upper) {
    o->is_split = true;
    o->high = low + ((uint64_t)upper << o->shift);
    o->largest = 0.0;
    o->smallest = (double)INFINITY;
    return false;
  }
  o->below += before;
  o->low = low + ((uint64_t)lower << o->shift);
  o->high = o->low + (((uint64_t)1 << o->shift) - 1);
  set_steps(o);
  memcpy(&o->median, &o->low, sizeof o->median);
  return o->low == o->high;
}

bool arm_order_end(ArmOrder *o) {
  const size_t inside = o->inside;
  const bool was_split = o->is_split;
  if (o->round <= 1)
    o->count = o->seen;
  o->seen = o->inside = 0;
  if (was_split) {
    o->median = mean_of(o->count, o->largest, o->smallest);
  } else if (o->count == 0) {
    o->median = (double)NAN;
  } else if (inside <= KEPT) {
    qsort(o->kept, inside, sizeof *o->kept, by_value);
    o->median =
        mean_of(o->count, o->kept[(o->count - 1) / 2 - o->below], o->kept[o->count / 2 - o->below]);
  } else {
    return narrow(o);
  }
  return true;
}
