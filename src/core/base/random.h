/* SPDX-License-Identifier: MIT */
/* Small deterministic generator for poses and starting points (SplitMix64, Steele et al. 2014);
 * the state belongs to the caller. */
#ifndef ARMATURE_CORE_RANDOM_H
#define ARMATURE_CORE_RANDOM_H

#include <stdint.h>

#include "core/base/vec3.h"

ARM_INLINE uint64_t arm_random_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Uniform in [low, high). */
ARM_INLINE double arm_random_uniform(uint64_t *state, double low, double high) {
  return low + (high - low) * ((double)(arm_random_next(state) >> 11) * 0x1p-53);
}

#endif
