/* SPDX-License-Identifier: MIT */
/* Legs are watched while they go on: by what the samples tell, and by whether any come. What speaks
 * against a leg for sure halts the arm at once. What a stop or a fault may explain, whose word
 * waits beside the samples, halts it when the controller has been asked and still says that the
 * motion goes on. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/base/weak.h"
#include "session/measure/runner_internal.h"

/* DEAD: beyond every answer that comes at all (runner.c); until then the lease is what stops. */
enum { LOOK_MS = 25, DEAD_US = 3000000 };

void ase_runner_note_halt(AseRunner *self, AseEndKind kind, char *said) {
  ase_leg_end_set(&self->halted_for, kind, said);
  g_clear_pointer(&self->feed, ase_feed_free);
}

/* The motion goes on for a moment; its end is told by the controller. */
void ase_runner_halt_for(AseRunner *self, AseEndKind kind, char *said) {
  ase_runner_note_halt(self, kind, said);
  ase_device_halt(self->device);
}

/* Accepted, not ended, not being stopped: whatever it tells is of a leg that goes on. */
static bool is_on(const AseRunner *self) {
  return self->run && self->is_accepted && !self->has_ended &&
         self->halted_for.kind == ASE_END_DONE && !ase_device_stopped_by(self->device);
}

static double period_us(AseRunner *self) {
  const double hz = ase_device_telemetry_hz(self->device);
  const AioDescription *d = ase_device_description(self->device);
  return hz > 0.0 ? 1e6 / hz / (d && d->time_factor > 0.0 ? d->time_factor : 1.0) : 0.0;
}

/* ---- no samples ---- */

/* By its clock where it has told when the leg ended, else by ours. */
guint64 ase_runner_missing(AseRunner *self) {
  const guint64 newest_us = ase_run_newest_us(self->run);
  const double wall_us = (double)(g_get_monotonic_time() - self->quiet.heard_us);
  const double period = period_us(self);
  if (!(period > 0.0))
    return 0;
  if (newest_us && self->ended_us > newest_us)
    return (guint64)(1e-6 * (double)(self->ended_us - newest_us) *
                     ase_device_telemetry_hz(self->device));
  return wall_us > 0.0 ? (guint64)(wall_us / period) : 0;
}

char *ase_runner_quiet_said(AseRunner *self) {
  const double seconds = 1e-6 * (double)(g_get_monotonic_time() - self->quiet.heard_us);
  /* TRANSLATORS: seconds, samples */
  return aio_said(N_("no samples came any more for %.3g s (about %u are lost) while the arm "
                     "was to move, though the controller answers: its telemetry has ended or "
                     "is lost on the way, so the arm was held; check the line, restart the "
                     "controller, then go on"),
                  seconds, (guint)ase_runner_missing(self));
}

/* ---- asking ---- */

/* Whom a driver cannot ask is not asked again. No answer, or one that is none: silent both ways, as
 * far as is known; what is sent may still arrive. A link that is gone has its own end. */
static void take_no_answer(AseRunner *self, const AioReply *reply) {
  const gint64 now_us = g_get_monotonic_time();
  const bool has_gone = reply->code == AIO_REPLY_CODE(AIO_ERROR_CANCELLED) ||
                        reply->code == AIO_REPLY_CODE(AIO_ERROR_GONE);
  self->quiet.is_asking = reply->code == AIO_REPLY_CODE(AIO_ERROR_REFUSED);
  self->quiet.since_us = now_us;
  if (!has_gone && !self->quiet.is_asking && now_us - self->quiet.heard_us > DEAD_US)
    ase_runner_stop_silent(self);
}

/* All that the controller said before has been taken, but for chunks that wait. */
static void take_answer(AseRunner *self, const AioReply *reply) {
  const bool goes_on = reply->state.motion == AIO_MOTION_MOVE ||
                       reply->state.motion == AIO_MOTION_SWEEP ||
                       reply->state.motion == AIO_MOTION_TRAJECTORY;
  const bool has_ceased = ase_quiet_answered(&self->quiet, g_get_monotonic_time());
  if (ase_device_has_waiting(self->device) || self->is_pausing || !goes_on)
    return;
  if (has_ceased) {
    self->has_ceased = true;
    ase_runner_halt_for(self, ASE_END_CEASED, ase_runner_quiet_said(self));
  } else if (self->watch.is_unready) {
    ase_runner_halt_for(self, ASE_END_HALTED, ase_watch_unready_said(&self->watch));
  }
}

static void on_answer(const AioReply *reply, void *ctx) {
  AseRunner *self = ase_weak_take(ctx);
  if (self && is_on(self) && reply->code == 0)
    ase_runner_take_state(self, reply);
  if (self && is_on(self) && reply->code == 0)
    take_answer(self, reply);
  else if (self && is_on(self))
    take_no_answer(self, reply);
  else if (self)
    self->quiet.is_asking = false;
  g_clear_object(&self);
}

static void ask(AseRunner *self) {
  ase_device_send(self->device, &(AioCommand){.kind = AIO_COMMAND_STATE}, on_answer,
                  ase_weak_new(self));
}

static gboolean on_look(gpointer data) {
  AseRunner *self = data;
  const gint64 now_us = g_get_monotonic_time();
  if (!is_on(self) || self->quiet.is_asking || ase_device_has_waiting(self->device))
    return G_SOURCE_CONTINUE;
  if (ase_quiet_ask(&self->quiet, now_us, period_us(self))) {
    ask(self);
  } else if (self->watch.is_unready) {
    self->quiet.is_asking = true;
    self->quiet.is_old = true; /* it is not asked for its silence */
    ask(self);
  }
  return G_SOURCE_CONTINUE;
}

/* ---- a leg ---- */

void ase_runner_watch_from(AseRunner *self) {
  double q[ARM_MAX_JOINTS] = {0.0};
  ase_device_pose(self->device, q); /* known: the start asks for it */
  ase_watch_begin(&self->watch, self->model, ase_device_description(self->device), q);
}

/* A move may have less to do than was planned, or nothing; then the controller says 0 too. */
static double shortest_s(const AseLeg *leg, double told_s) {
  if (leg->sweeps || leg->trajectory)
    return told_s > 0.0 ? fmin(told_s, leg->duration_s) : leg->duration_s;
  return fmin(told_s, leg->duration_s);
}

void ase_runner_watch(AseRunner *self, double duration_s) {
  const AseLeg *leg = &g_array_index(self->itinerary->legs, AseLeg, self->leg);
  self->is_accepted = true;
  self->duration_s = shortest_s(leg, duration_s);
  ase_watch_next(&self->watch);
  ase_quiet_heard(&self->quiet, g_get_monotonic_time());
  if (!self->look)
    self->look = g_timeout_add(LOOK_MS, on_look, self);
}

/* Before the leg is accepted and after its end, too: the arm is armed. */
void ase_runner_watch_chunk(AseRunner *self, const AioChunk *chunk) {
  ase_quiet_heard(&self->quiet, g_get_monotonic_time());
  if (self->halted_for.kind != ASE_END_DONE || self->failure.kind != ASE_END_DONE ||
      ase_device_stopped_by(self->device))
    return;
  char *said = ase_watch_chunk(&self->watch, self->run, chunk);
  if (!said)
    return;
  if (self->has_ended)
    ase_leg_end_set(&self->failure, ASE_END_HALTED, g_strdup(said));
  ase_runner_halt_for(self, ASE_END_HALTED, said);
}

void ase_runner_take_clock(AseRunner *self, const AioEvent *event) {
  if (!event->value)
    return;
  if (self->has_ended && self->failure.kind == ASE_END_DONE)
    ase_leg_end_set(&self->failure, ASE_END_HALTED, g_strdup(event->text));
  ase_runner_note_halt(self, ASE_END_HALTED, g_strdup(event->text));
}
