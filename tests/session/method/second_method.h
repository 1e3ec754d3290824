/* SPDX-License-Identifier: MIT */
/* A method that nobody has written, defined here and nowhere else: combinations of inertial
 * parameters, torque constants in groups, friction of moving arms. Programs that are linked with
 * second_list.c know it. */
#ifndef ARMATURE_TESTS_SECOND_METHOD_H
#define ARMATURE_TESTS_SECOND_METHOD_H

#include "session/method/method.h"

enum { SECOND_JOINTS = 2 };

/* It can be read, and has steps and figures; sessions do not measure for it. */
extern const AseMethod second_method;
extern const AseSteps second_steps;

/* It says this of every joint that moves forth, and the opposite of one that moves back [A]. */
#define SECOND_CURRENT_A 0.5

/* What it found of a joint that turns and one that slides; eta of the second is not known.
 *   coefficient  of YY in the base parameter XXR2
 *   set          out */
void second_method_make(ArmParamSet *set, double coefficient);

#endif
