/* SPDX-License-Identifier: MIT */
/* The time that is left while the arm moves: estimated once, and counted down by one clock. */
#include <math.h>

#include "session/session_internal.h"

enum { TICK_MS = 500 };

static const AseLeg *leg_at(const AseItinerary *itinerary, guint k) {
  return &g_array_index(itinerary->legs, AseLeg, k);
}

double ase_session_wall_s(const AseSession *self, double arm_s) {
  const AioDescription *d = ase_device_description(self->device);
  return d && d->time_factor > 0.0 ? arm_s / d->time_factor : arm_s;
}

bool ase_session_clock(AseSession *self, AseClock *out) {
  *out = (AseClock){0};
  if (!self->runner || !self->doing || !self->leg_began_us)
    return false;
  const double past_s = 1e-6 * (double)(g_get_monotonic_time() - self->leg_began_us);
  const guint leg = ase_runner_leg(self->runner), n = self->doing->legs->len;
  double later_s = 0.0;
  for (guint k = leg + 1; k < n; k++)
    later_s += leg_at(self->doing, k)->duration_s;
  out->step = self->motion;
  out->whole_s = ase_session_wall_s(self, self->doing->duration_s);
  if (leg < n)
    out->leg_left_s =
        fmax(0.0, ase_session_wall_s(self, leg_at(self->doing, leg)->duration_s) - past_s);
  out->left_s = out->leg_left_s + ase_session_wall_s(self, later_s);
  out->part = out->whole_s > 0.0 ? fmin(fmax(1.0 - out->left_s / out->whole_s, 0.0), 1.0) : 0.0;
  return true;
}

static gboolean on_tick(gpointer data) {
  ase_session_emit_clock(data);
  return G_SOURCE_CONTINUE;
}

void ase_session_clock_begin_leg(AseSession *self) {
  self->leg_began_us = g_get_monotonic_time();
  if (!self->clock)
    self->clock = g_timeout_add(TICK_MS, on_tick, self);
  ase_session_emit_clock(self);
}

void ase_session_clock_stop(AseSession *self) {
  g_clear_handle_id(&self->clock, g_source_remove);
  self->leg_began_us = 0;
}
