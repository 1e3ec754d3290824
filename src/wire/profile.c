/* SPDX-License-Identifier: MIT */
#include "wire/profile.h"

double wire_sqrt(double x) {
  if (!(x > 0.0 && x < 1e300))
    return x > 0.0 ? x : 0.0;
  double scale = 1.0;
  while (x > 4.0) {
    scale *= 2.0;
    x *= 0.25;
  }
  while (x < 1.0) {
    scale *= 0.5;
    x *= 4.0;
  }
  double y = 1.5; /* x is in [1, 4]: Newton's rule doubles the digits each time */
  for (int k = 0; k < 6; k++)
    y = 0.5 * (y + x / y);
  return scale * y;
}

void wire_profile_plan(WireProfile *profile, double distance, double v, double a) {
  profile->distance = distance;
  profile->a = a;
  profile->v = v;
  profile->ramp = v / a;
  if (v * profile->ramp > distance) {
    profile->ramp = wire_sqrt(distance / a);
    profile->v = a * profile->ramp;
  }
  profile->total = distance > 0.0 ? distance / profile->v + profile->ramp : 0.0;
}

void wire_profile_at(const WireProfile *profile, double t, double *position, double *speed) {
  const double left = profile->total - t;
  if (t <= 0.0 || left <= 0.0) {
    *position = left <= 0.0 ? profile->distance : 0.0;
    *speed = 0.0;
  } else if (t < profile->ramp) {
    *position = 0.5 * profile->a * t * t;
    *speed = profile->a * t;
  } else if (left < profile->ramp) {
    *position = profile->distance - 0.5 * profile->a * left * left;
    *speed = profile->a * left;
  } else {
    *position = profile->v * (t - 0.5 * profile->ramp);
    *speed = profile->v;
  }
}
