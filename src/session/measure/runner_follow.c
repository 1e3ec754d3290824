/* SPDX-License-Identifier: MIT */
/* A trajectory is fed to the controller, and its currents are watched: the protocol has no limit of
 * its own for them, and the controller's is the one at which it switches the drives off. */
#include <glib/gi18n-lib.h>

#include "io/base/said.h"
#include "session/measure/runner_internal.h"

static const AseLeg *leg_of(const AseRunner *self) {
  return &g_array_index(self->itinerary->legs, AseLeg, self->leg);
}

static void watch_current(AseRunner *self, const AioChunk *chunk) {
  const double *limits = leg_of(self)->trajectory->current_max;
  double found = 0.0;
  const guint joint = ase_current_watch(&self->current, self->run, chunk, limits, &found);
  if (joint)
    ase_runner_halt_for(self, ASE_END_HALTED,
                        aio_said(N_("joint %u: its current was beyond the limit of %.3g A for 20 "
                                    "ms (%.3g A), so the arm was held; look at what blocks or "
                                    "loads it, move more gently, or allow more"),
                                 joint, limits[joint - 1], found));
}

void ase_runner_follow(AseRunner *self, const AioChunk *chunk) {
  if (self->feed && self->run->motion && !self->has_ended)
    watch_current(self, chunk);
  if (self->feed && self->run->motion)
    ase_feed_advance(self->feed, ase_run_span_us(self->run));
}

/* Before it moves, the answer to what is under way ends the leg. */
void ase_runner_stop_feeding(AseRunner *self) {
  if (self->run && self->run->motion)
    g_clear_pointer(&self->feed, ase_feed_free);
}

static void on_started(void *ctx, const AioReply *reply) {
  AseRunner *self = ctx;
  if (self->run && !self->has_ended)
    ase_runner_take_start(self, reply, leg_of(self)->duration_s);
  if (self->is_pausing) /* STOP is on its way */
    ase_runner_stop_feeding(self);
}

/* What was sent after a stop is refused for another reason than the one that counts. */
static AioReply before_motion(const AseRunner *self, const AioReply *reply) {
  AioReply told = *reply;
  if (self->is_pausing || ase_device_stopped_by(self->device))
    told.code = AIO_REPLY_CODE(AIO_ERROR_CANCELLED);
  return told;
}

/* Before it moves that is a refusal. Later the arm is halted, or it would run out of segments; what
 * stops and faults have made impossible is told by them. */
static void on_failed(void *ctx, const AioReply *reply) {
  AseRunner *self = ctx;
  if (!self->run || self->has_ended)
    return;
  if (!self->run->motion) {
    const AioReply told = before_motion(self, reply);
    ase_runner_take_refusal(self, &told);
  } else if (reply->code != AIO_REPLY_CODE(AIO_ERROR_CANCELLED) &&
             !ase_device_stopped_by(self->device) && !ase_device_state(self->device)->faults) {
    ase_runner_halt_for(self, ASE_END_REFUSED, g_strdup(reply->message));
  }
}

void ase_runner_feed(AseRunner *self) {
  const AseLeg *leg = leg_of(self);
  const AseFeedFuncs funcs = {.started = on_started, .failed = on_failed, .ctx = self};
  self->current = (AseCurrentWatch){0};
  self->feed =
      ase_feed_new(self->device, leg->trajectory->cubics, leg->joints, leg->slowness, &funcs);
  ase_feed_begin(self->feed);
}
