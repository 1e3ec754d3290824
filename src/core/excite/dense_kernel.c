/* SPDX-License-Identifier: MIT */
/* The one source of dense_kernel_body.h for three vector widths, chosen at run time. */
#include "core/excite/dense_kernel.h"

#include "core/base/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LANES 2
#define TARGET
#define FN(x) x##_2
#include "core/excite/dense_kernel_body.h"

static const ArmDenseKernel kernel_2 = {multiply_2, factor_2};

#ifdef __x86_64__

#define LANES  4
#define TARGET __attribute__((target("avx2,fma")))
#define FN(x)  x##_4
#include "core/excite/dense_kernel_body.h"

#define LANES  8
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl")))
#define FN(x)  x##_8
#include "core/excite/dense_kernel_body.h"

static const ArmDenseKernel kernel_4 = {multiply_4, factor_4};
static const ArmDenseKernel kernel_8 = {multiply_8, factor_8};

const ArmDenseKernel *arm_dense_kernel(int max_lanes) {
  if (max_lanes >= 8 && arm_has_avx512())
    return &kernel_8;
  if (max_lanes >= 4 && arm_has_avx2())
    return &kernel_4;
  return &kernel_2;
}

#else

const ArmDenseKernel *arm_dense_kernel(int max_lanes) {
  (void)max_lanes;
  return &kernel_2;
}

#endif
