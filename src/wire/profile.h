/* SPDX-License-Identifier: MIT */
/* Motion from rest to rest over a distance with bounded speed and acceleration: a trapezoid of
 * speed, or a triangle when the distance is too short to reach the speed. Any consistent units;
 * time in seconds. No library is called. */
#ifndef ARMATURE_WIRE_PROFILE_H
#define ARMATURE_WIRE_PROFILE_H

typedef struct {
  double distance, v, a; /* v is the speed reached */
  double ramp, total;    /* time to reach v, and of the whole motion [s] */
} WireProfile;

/* distance >= 0, v > 0, a > 0; a distance of 0 takes no time. */
void wire_profile_plan(WireProfile *profile, double distance, double v, double a);

/* Position in [0, distance] and speed at time t [s]; before 0 and after total it rests at the ends.
 */
void wire_profile_at(const WireProfile *profile, double t, double *position, double *speed);

/* Square root of x >= 0 to the last bit or two. */
double wire_sqrt(double x);

#endif
