/* SPDX-License-Identifier: MIT */
/* Whether many numbers are all finite, without a branch a number. */
#ifndef ARMATURE_CORE_FINITE_H
#define ARMATURE_CORE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is not finite has an exponent of ones: one more carries into the sign. Integers, as a
 * compiler may add them in any order, several at a time. */
static inline uint64_t arm_finite_carry(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bits & UINT64_C(0x7ff) << 52) + (UINT64_C(1) << 52);
}

static inline bool arm_all_finite(const double *x, size_t count) {
  uint64_t seen = 0;
  for (size_t k = 0; k < count; k++)
    seen |= arm_finite_carry(x[k]);
  return seen >> 63 == 0;
}

/* The same of what is copied, all of it in any case. */
static inline bool arm_copy_finite(double *restrict to, const double *restrict from, size_t count) {
  uint64_t seen = 0;
  for (size_t k = 0; k < count; k++) {
    seen |= arm_finite_carry(from[k]);
    to[k] = from[k];
  }
  return seen >> 63 == 0;
}

#endif
