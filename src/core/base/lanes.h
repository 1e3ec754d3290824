/* SPDX-License-Identifier: MIT */
/* How wide the vectors of this processor are, for kernels that are compiled for several widths: the
 * flags are those of their TARGET. */
#ifndef ARMATURE_CORE_LANES_H
#define ARMATURE_CORE_LANES_H

#include <stdbool.h>

#ifdef __x86_64__

/* 4 doubles: "avx2,fma". */
static inline bool arm_has_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* 8 doubles: "avx2,fma,avx512f,avx512dq,avx512vl". */
static inline bool arm_has_avx512(void) {
  return arm_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#endif

#endif
