/* SPDX-License-Identifier: MIT */
/* Random arms that a plan can be made for. */
#ifndef ARMATURE_TESTS_PLAN_ARM_H
#define ARMATURE_TESTS_PLAN_ARM_H

#include "support/dyn_random.h"

/* n R and T joints as of dyn_random_arm, with limits, masses and drives; motors coupled to the two
 * before them, if asked for. */
void plan_arm_random(TestRng *rng, size_t n, bool is_coupled, ArmModel *model);

/* Base and gravity turned together: the same arm to everything but the last bits. */
void plan_arm_turn(double roll, double pitch, double yaw, ArmModel *model);

#endif
