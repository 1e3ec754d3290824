/* SPDX-License-Identifier: MIT */
#include "session/measure/full_sweeps.h"

#include <math.h>

#include "session/measure/settle.h"

#define FULL_RANGE 0.70 /* of what the joint sweeps: core/sweeps/verdict_rows */

static bool is_measured(const AseLeg *leg, guint joint) {
  return leg->sweeps && leg->purpose == ASE_PURPOSE_MEASURE && leg->joint == joint;
}

static double speed_of(const AseLeg *leg, const ArmJoint *joint) {
  return joint->type == ARM_JOINT_R ? leg->speed_R : leg->speed_T;
}

/* Of the way of one pass: from the end of its ramp, `wait` seconds later, to its brake. */
static double steady_way(const AseLeg *leg, const ArmJoint *joint, double wait) {
  const double accel =
      fmin(joint->type == ARM_JOINT_R ? leg->accel_R : leg->accel_T, joint->limits.accel_max);
  const double v = speed_of(leg, joint);
  return fabs(leg->q1 - leg->q0) - v * v / accel - v * wait;
}

/* Both directions together miss at either end what one misses before its brake. */
static double swept_range(const AseItinerary *itinerary, const ArmJoint *joint, guint number) {
  double range = 0.0;
  for (guint k = 0; k < itinerary->legs->len; k++) {
    const AseLeg *leg = &g_array_index(itinerary->legs, AseLeg, k);
    if (is_measured(leg, number))
      range = fmax(range, steady_way(leg, joint, 2.0 * ASE_BRAKE_S));
  }
  return range;
}

void ase_full_sweeps(const AseItinerary *itinerary, const ArmModel *model, guint joint,
                     AseFullSweeps *out) {
  const ArmJoint *of = &model->joints[joint - 1];
  guint hold = 0, count = 0;
  *out = (AseFullSweeps){.too_fast = INFINITY, .range = swept_range(itinerary, of, joint)};
  for (guint k = 0; k < itinerary->legs->len; k++) {
    const AseLeg *leg = &g_array_index(itinerary->legs, AseLeg, k);
    if (!is_measured(leg, joint))
      continue;
    const double steady = steady_way(leg, of, ASE_SETTLE_S + ASE_BRAKE_S);
    count = leg->hold == hold ? count : 0;
    hold = leg->hold;
    if (steady >= FULL_RANGE * out->range)
      count++;
    else if (speed_of(leg, of) < out->too_fast)
      out->too_fast = speed_of(leg, of), out->steady = fmax(steady, 0.0);
    out->speeds = MAX(out->speeds, count);
  }
}
