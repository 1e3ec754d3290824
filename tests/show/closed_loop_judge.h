/* SPDX-License-Identifier: MIT */
/* Prints a fit of the closed-loop experiment on the PUMA with a tool beside the figures of the
 * theory notes, section 8, as SHOW lines. */
#ifndef ARMATURE_TESTS_CLOSED_LOOP_JUDGE_H
#define ARMATURE_TESTS_CLOSED_LOOP_JUDGE_H

#include <stdbool.h>

#include "core/plant/plant.h"
#include "core/sweeps/ident.h"

/* Of the lines that follow: "3.2a". */
void judge_begin(const char *line);

bool judge_show(const char *what, double measured, double low, double high);
bool judge_closed_loop(const ArmGravityParameters *parameters, const ArmPlantConfig *config);
/* Friction alone, fitted to the currents of RIG_STILL with equal weights. */
bool judge_still(const ArmGravityParameters *parameters, const ArmPlantConfig *config);

#endif
