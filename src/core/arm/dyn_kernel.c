/* SPDX-License-Identifier: MIT */
/* The one source of the dynamics, compiled for 1, 2, 4 and 8 lanes and chosen at run time: widths
 * cannot disagree but for rounding, and no code made for one arm has to be kept. */
#include "core/arm/dyn_kernel.h"

#include "core/base/lanes.h"

#include <math.h>
#include <stdint.h>

enum { P = ARM_INERTIA_PARAMETERS, MAX_PACKED = ARM_MAX_JOINTS * (ARM_MAX_JOINTS + 1) / 2 };

/* Angles beyond this go through libm's argument reduction, sample by sample. */
static const double far_angle = 1e5;

/* A mass matrix whose pivot keeps no more of its diagonal than this is singular. */
static const double least_pivot = 0x1p-48;

/* The functions of one instance, as a table. */
#define ARM_DYN_KERNEL(lanes, x)                                                                   \
  {                                                                                                \
    lanes, torque_##x, gravity_##x, regressor_##x, regressor_gradient_##x, momentum_##x,           \
        energy_##x, energy_gradient_##x, mass_##x, forward_##x, articulated_##x                    \
  }

/* row >= column */
static inline size_t packed(size_t row, size_t column) {
  return row * (row + 1) / 2 + column;
}

#define LANES 1
#define LD    1
#define TARGET
#define FN(x) x##_one
#include "core/arm/dyn_kernel_body.h"

#define LANES 1
#define LD    ld
#define TARGET
#define FN(x) x##_rest
#include "core/arm/dyn_kernel_body.h"

#define LANES 2
#define LD    ld
#define TARGET
#define FN(x) x##_2
#include "core/arm/dyn_kernel_body.h"

const ArmDynKernel arm_dyn_kernel_rest = ARM_DYN_KERNEL(1, rest);
static const ArmDynKernel kernel_one = ARM_DYN_KERNEL(1, one);
static const ArmDynKernel kernel_2 = ARM_DYN_KERNEL(2, 2);

#ifdef __x86_64__

#define LANES  1
#define LD     1
#define TARGET __attribute__((target("avx2,fma")))
#define FN(x)  x##_one_fma
#include "core/arm/dyn_kernel_body.h"

#define LANES  4
#define LD     ld
#define TARGET __attribute__((target("avx2,fma")))
#define FN(x)  x##_4
#include "core/arm/dyn_kernel_body.h"

#define LANES  8
#define LD     ld
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl")))
#define FN(x)  x##_8
#include "core/arm/dyn_kernel_body.h"

static const ArmDynKernel kernel_one_fma = ARM_DYN_KERNEL(1, one_fma);
static const ArmDynKernel kernel_4 = ARM_DYN_KERNEL(4, 4);
static const ArmDynKernel kernel_8 = ARM_DYN_KERNEL(8, 8);

const ArmDynKernel *arm_dyn_kernel(int max_lanes) {
  if (max_lanes >= 8 && arm_has_avx512())
    return &kernel_8;
  return max_lanes >= 4 && arm_has_avx2() ? &kernel_4 : &kernel_2;
}

const ArmDynKernel *arm_dyn_kernel_one(int max_lanes) {
  return max_lanes >= 4 && arm_has_avx2() ? &kernel_one_fma : &kernel_one;
}

#else

const ArmDynKernel *arm_dyn_kernel(int max_lanes) {
  (void)max_lanes;
  return &kernel_2;
}

const ArmDynKernel *arm_dyn_kernel_one(int max_lanes) {
  (void)max_lanes;
  return &kernel_one;
}

#endif
