/* SPDX-License-Identifier: MIT */
/* The time that is left is estimated once, from the itinerary, and counted down by one clock. */
#include "session/measure/motion.h"

#include <math.h>

enum { TICK_MS = 500 };

struct AseMotion {
  AseDevice *device;
  gpointer object;
  void (*tick)(gpointer object);
  AseMotionWatch watch;
  AseItinerary *doing; /* NULL: nothing */
  AseRunner *runner;
  bool is_dry_run;
  guint ends_after;    /* as ase_motion_ends_after */
  guint32 skipped;     /* bit k: joint k + 1 is left out of the step that moves */
  bool is_skipping;    /* the runner is being stopped to go on without it */
  AseEndKind ended_by; /* what moved last */
  bool is_stopping;    /* it is being stopped for good */
  double moved_s;      /* of `doing`, estimated */
  gint64 leg_began_us; /* 0: nothing moves */
  guint clock;         /* source; 0: nothing moves */
};

static const AseLeg *leg_at(const AseItinerary *itinerary, guint k) {
  return &g_array_index(itinerary->legs, AseLeg, k);
}

/* ---- the clock ---- */

static gboolean on_tick(gpointer data) {
  AseMotion *self = data;
  self->tick(self->object);
  return G_SOURCE_CONTINUE;
}

static void begin_clock(AseMotion *self) {
  self->leg_began_us = g_get_monotonic_time();
  if (!self->clock)
    self->clock = g_timeout_add(TICK_MS, on_tick, self);
  self->tick(self->object);
}

static void end(AseMotion *self) {
  g_clear_handle_id(&self->clock, g_source_remove);
  self->leg_began_us = 0;
  if (self->runner)
    g_signal_handlers_disconnect_by_data(self->runner, self);
  g_clear_object(&self->runner);
  g_clear_pointer(&self->doing, ase_itinerary_free);
}

double ase_motion_wall_s(const AseMotion *self, double arm_s) {
  const AioDescription *d = ase_device_description(self->device);
  return d && d->time_factor > 0.0 ? arm_s / d->time_factor : arm_s;
}

bool ase_motion_time_left(const AseMotion *self, AseTimeLeft *out) {
  *out = (AseTimeLeft){0};
  if (!self->runner || !self->doing || !self->leg_began_us)
    return false;
  const double past_s = 1e-6 * (double)(g_get_monotonic_time() - self->leg_began_us);
  const guint leg = ase_runner_leg(self->runner), n = self->doing->legs->len;
  double later_s = 0.0;
  for (guint k = leg + 1; k < n; k++)
    later_s += leg_at(self->doing, k)->duration_s;
  out->whole_s = ase_motion_wall_s(self, self->doing->duration_s);
  if (leg < n)
    out->leg_left_s =
        fmax(0.0, ase_motion_wall_s(self, leg_at(self->doing, leg)->duration_s) - past_s);
  out->left_s = out->leg_left_s + ase_motion_wall_s(self, later_s);
  out->part = out->whole_s > 0.0 ? fmin(fmax(1.0 - out->left_s / out->whole_s, 0.0), 1.0) : 0.0;
  return true;
}

/* ---- while it moves; the watcher may end all of it, and with it the owner ---- */

static void on_leg_started(AseRunner *runner, guint leg, gpointer run, AseMotion *self) {
  gpointer object = g_object_ref(self->object);
  const double all_s = self->doing->duration_s;
  (void)run;
  self->watch.leg_started(object, leg);
  if (self->runner == runner)
    begin_clock(self);
  if (self->runner == runner && self->watch.leg_timed)
    self->watch.leg_timed(object, all_s > 0.0 ? self->moved_s / all_s : 0.0,
                          ase_runner_left_s(runner));
  g_object_unref(object);
}

static void on_leg_ended(AseRunner *runner, guint leg, gpointer run, AseMotion *self) {
  gpointer object = g_object_ref(self->object);
  (void)runner;
  self->moved_s += leg_at(self->doing, leg)->duration_s;
  self->watch.leg_ended(object, leg, run);
  g_object_unref(object);
}

static void on_stopped(AseRunner *runner, gboolean is_done, const char *reason, AseMotion *self) {
  gpointer object = g_object_ref(self->object);
  self->ended_by = ase_runner_ended_by(runner);
  end(self);
  self->watch.stopped(object, is_done, reason);
  g_object_unref(object);
}

/* ---- starting and stopping ---- */

AseMotion *ase_motion_new(AseDevice *device, gpointer object, void (*tick)(gpointer object)) {
  AseMotion *self = g_new0(AseMotion, 1);
  self->device = g_object_ref(device);
  self->object = object;
  self->tick = tick;
  return self;
}

void ase_motion_free(AseMotion *self) {
  if (!self)
    return;
  end(self);
  g_object_unref(self->device);
  g_free(self);
}

bool ase_motion_start(AseMotion *self, const AseMotionTask *task, GError **error) {
  self->watch = *task->watch;
  self->doing = task->doing;
  self->ends_after = task->ends_after;
  self->is_dry_run = task->is_dry_run;
  self->moved_s = 0.0;
  self->is_stopping = false;
  self->runner = ase_runner_new(self->device, task->model, task->doing, &task->log);
  g_signal_connect(self->runner, "leg-started", G_CALLBACK(on_leg_started), self);
  g_signal_connect(self->runner, "leg-ended", G_CALLBACK(on_leg_ended), self);
  g_signal_connect(self->runner, "stopped", G_CALLBACK(on_stopped), self);
  if (ase_runner_start(self->runner, 0, task->end, error))
    return true;
  end(self);
  return false;
}

void ase_motion_stop(AseMotion *self) {
  self->is_skipping = false;
  self->is_stopping = true;
  if (self->runner)
    ase_runner_pause(self->runner);
}

void ase_motion_abandon(AseMotion *self) {
  if (self->runner)
    end(self);
}

AseEndKind ase_motion_ended_by(const AseMotion *self) {
  return self->ended_by;
}
bool ase_motion_is_on(const AseMotion *self) {
  return self->runner != NULL;
}
bool ase_motion_is_dry_run(const AseMotion *self) {
  return self->is_dry_run;
}
guint ase_motion_leg(const AseMotion *self) {
  return self->runner ? ase_runner_leg(self->runner) : 0;
}
const AseItinerary *ase_motion_doing(const AseMotion *self) {
  return self->doing;
}
guint ase_motion_ends_after(const AseMotion *self) {
  return self->ends_after;
}

/* ---- skipping ---- */

void ase_motion_skip_none(AseMotion *self) {
  self->skipped = 0;
  self->is_skipping = false;
}

bool ase_motion_skip(AseMotion *self) {
  const guint k = ase_motion_leg(self);
  const guint joint = self->doing && k < self->doing->legs->len ? leg_at(self->doing, k)->joint : 0;
  if (!self->runner || self->is_stopping || !joint)
    return false;
  self->skipped |= 1u << (joint - 1);
  self->is_skipping = true;
  ase_runner_pause(self->runner);
  return true;
}

bool ase_motion_take_skipping(AseMotion *self) {
  const bool is_skipping = self->is_skipping;
  self->is_skipping = false;
  return is_skipping;
}

bool ase_motion_is_skipped(const AseMotion *self, guint joint) {
  return joint > 0 && self->skipped >> (joint - 1) & 1;
}
