/* SPDX-License-Identifier: MIT */
/* The one source of fir_kernel_body.h for three vector widths, chosen at run time. */
#include "core/num/fir_kernel.h"

#include "core/base/lanes.h"

#define LANES 2
#define TARGET
#define FN(x) x##_2
#include "core/num/fir_kernel_body.h"

#ifdef __x86_64__

#define LANES  4
#define TARGET __attribute__((target("avx2,fma")))
#define FN(x)  x##_4
#include "core/num/fir_kernel_body.h"

#define LANES  8
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl")))
#define FN(x)  x##_8
#include "core/num/fir_kernel_body.h"

ArmFirKernel *arm_fir_kernel(int max_lanes) {
  if (max_lanes >= 8 && arm_has_avx512())
    return fold_8;
  if (max_lanes >= 4 && arm_has_avx2())
    return fold_4;
  return fold_2;
}

#else

ArmFirKernel *arm_fir_kernel(int max_lanes) {
  (void)max_lanes;
  return fold_2;
}

#endif
