/* SPDX-License-Identifier: MIT */
/* The time that is left while the arm moves: estimated once, and counted down by one clock. */
#include "session/session_internal.h"

double ase_session_wall_s(const AseSession *self, double arm_s) {
  return ase_motion_wall_s(self->motion, arm_s);
}

bool ase_session_clock(AseSession *self, AseClock *out) {
  AseTimeLeft left;
  *out = (AseClock){0};
  if (!ase_motion_time_left(self->motion, &left))
    return false;
  *out = (AseClock){.step = ase_motion_is_dry_run(self->motion) ? ASE_STEP_DRY_RUN : ASE_STEP_SWEEP,
                    .part = left.part,
                    .whole_s = left.whole_s,
                    .left_s = left.left_s,
                    .leg_left_s = left.leg_left_s};
  return true;
}
