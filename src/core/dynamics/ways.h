/* SPDX-License-Identifier: MIT */
/* Do three independent ways to the base parameters of an arm agree? */
#ifndef ARMATURE_CORE_DYNAMICS_WAYS_H
#define ARMATURE_CORE_DYNAMICS_WAYS_H

#include "core/dynamics/base.h"

typedef struct {
  size_t closed_form, composite, qr; /* parameters of the links */
  double distance;                   /* largest between the spans of any two; 1: counts differ */
} ArmBaseWays;

/* Rounding leaves 1e-13; spans that differ are far from each other. */
#define ARM_BASE_SAME_SPAN 1e-9

/* All on the nominal geometry. Errors as arm_base_new; *ways is then untouched. */
ARM_MUST_CHECK ArmStatus arm_base_compare(const ArmModel *model, ArmBaseWays *ways);

#endif
