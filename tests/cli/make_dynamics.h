/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_TESTS_MAKE_DYNAMICS_H
#define ARMATURE_TESTS_MAKE_DYNAMICS_H

#include "core/arm/model.h"
#include "io/arm/arm_file.h"

/* Parameters of kind "dynamics" of the links that an arm file states, as if they had been
 * identified, with invented drives and sds:
 *   current of joint j = eta_j times the links' torque, and friction_j; rotors are 0 where base
 *   parameters would hold them
 *     eta_j = 0.05 + 0.01 j (negative for even j), Coulomb 0.4 + 0.1 j and -0.3, viscous 0.2 and
 *     0.1, rotor 0.02, j from 1
 *   what  "stated": data sheets; "scale": nothing is stated of torque constants; "torque": N m and
 *         N were measured, eta is 1; "heavier": "stated", base parameters 1.1 times as large;
 *         "no-rows": "stated", of joint 2 no row was used; "terms": "stated", and against the
 *         motion 0.125 of the load of even joints and the third, -0.25 exp(-|v| / 0.5) of odd ones
 * The text of the file; g_free. NULL: no such word. */
char *make_dynamics(const AioArm *arm, const char *what, gsize *length);

#endif
