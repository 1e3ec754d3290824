/* SPDX-License-Identifier: MIT */
/* What of a sweep is not at its constant speed beyond the ramps: which samples count, and which
 * sweeps will. */
#ifndef ARMATURE_SESSION_SETTLE_H
#define ARMATURE_SESSION_SETTLE_H

/* A servo with its poles at 10/s, as Lin 1994 (34) with K_P = 100, follows a ramp's end like
 * t exp(-10 t): after 0.8 s its acceleration is no more than 0.3 % of the ramp's. Measured on the
 * simulated PUMA: with 25 deg from the ends alone, gravity of joint 2 is 0.13 % (3 sd) low. */
#define ASE_SETTLE_S 0.8
#define ASE_BRAKE_S  0.05 /* before a ramp's end: chosen, five of the servo's own samples */

#endif
