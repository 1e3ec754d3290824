/* SPDX-License-Identifier: MIT */
/* The time that is left while the arm moves: estimated once, and counted down by one clock. */
#include <glib/gi18n-lib.h>

#include "session/session_core.h"

static const struct {
  const char *key, *title;
} moves[] = {[ASE_MOVES_DRY_RUN] = {"dry-run", N_("Dry run")},
             [ASE_MOVES_SWEEP] = {"sweep", N_("Sweep")},
             [ASE_MOVES_MOTION_DRY_RUN] = {"dry-run", N_("Dry run of the motion")},
             [ASE_MOVES_MOTION] = {"record", N_("Motion")}};

const char *ase_moves_key(AseMoves what) {
  return moves[what].key;
}

const char *ase_moves_title(AseMoves what) {
  return _(moves[what].title);
}

static AseMoves what_moves(const AseSession *self) {
  const AseItinerary *doing = ase_motion_doing(self->motion);
  const guint k = ase_motion_leg(self->motion);
  if (!doing || !doing->trajectory || k >= doing->legs->len)
    return ase_motion_is_dry_run(self->motion) ? ASE_MOVES_DRY_RUN : ASE_MOVES_SWEEP;
  return g_array_index(doing->legs, AseLeg, k).purpose == ASE_PURPOSE_DRY_RUN
             ? ASE_MOVES_MOTION_DRY_RUN
             : ASE_MOVES_MOTION;
}

double ase_session_wall_s(const AseSession *self, double arm_s) {
  return ase_motion_wall_s(self->motion, arm_s);
}

bool ase_session_clock(AseSession *self, AseClock *out) {
  AseTimeLeft left;
  *out = (AseClock){0};
  if (!ase_motion_time_left(self->motion, &left))
    return false;
  *out = (AseClock){.what = what_moves(self),
                    .part = left.part,
                    .whole_s = left.whole_s,
                    .left_s = left.left_s,
                    .leg_left_s = left.leg_left_s};
  return true;
}
