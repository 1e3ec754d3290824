/* SPDX-License-Identifier: MIT */
/* The three-joint arm of Gautier and Khalil 1992 (`../shared/vectors/traj/robot3.json`), with the
 * columns of its energy regressor written down as in their paper. */
#ifndef ARMATURE_TESTS_ROBOT3_H
#define ARMATURE_TESTS_ROBOT3_H

#include "core/arm/model.h"

enum { ROBOT3_COLUMNS = 15 };

/* Limit sets: of Table 2's random sequences, of the PUMA 560, and of a fast arm. */
typedef enum { ROBOT3_A, ROBOT3_P, ROBOT3_F, ROBOT3_SETS } Robot3Set;

/* Position limits and largest speeds of a set, in model's joints. */
void robot3_model(Robot3Set set, ArmModel *model);

/* h of their eq (7) at q1 = anything, x = (qd1, q2, qd2, q3, qd3). */
void robot3_row(const double x[5], double h[ROBOT3_COLUMNS]);

/* The parameters of their Table 1. */
extern const double robot3_parameters[ROBOT3_COLUMNS];

#endif
