/* SPDX-License-Identifier: MIT */
/* A leg has ended when the controller says so and the arm has come to rest; each of these words may
 * be lost or late, hence the timers: ask when it should be over, stop well beyond. Times are the
 * controller's, as a simulated one may be faster than the clock or slower than it says. */
#include "session/measure/runner.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/base/weak.h"
#include "session/measure/evidence.h"
#include "session/measure/leg_command.h"
#include "session/measure/runner_internal.h"

/* Chosen: 3 s are beyond every answer that comes at all. The tail outlasts the 20 ms of a chunk
 * and a main loop that is busy; settling the 0.8 s that a servo with poles at 10/s needs
 * (selection.c). */
#define SLACK_PART 1.5 /* a leg may take this much longer than estimated, */
#define SLACK_S    3.0 /* and this; longer while the controller's own clock says that it is early */
#define TAIL_MS    200 /* to wait for the samples of a leg that has ended */
/* A controller ends a leg with the set-point; the arm may need this longer to come to rest there.
 */
#define SETTLE_US  1500000 /* by its clock */
#define SETTLE_MS  2000    /* by ours, where samples do not come */

G_DEFINE_FINAL_TYPE(AseRunner, ase_runner, G_TYPE_OBJECT)

enum { LEG_STARTED, LEG_ENDED, STOPPED, SIGNALS };
static guint signals[SIGNALS];

static const AseLeg *leg_at(const AseRunner *self, guint k) {
  return &g_array_index(self->itinerary->legs, AseLeg, k);
}

static double time_factor(AseRunner *self) {
  const AioDescription *d = ase_device_description(self->device);
  return d && d->time_factor > 0.0 ? d->time_factor : 1.0;
}

static void start_leg(AseRunner *self);

static void clear_source(guint *source) {
  if (*source)
    g_source_remove(*source);
  *source = 0;
}

static void stop(AseRunner *self, const AseLegEnd *end) {
  self->is_running = self->is_pausing = false;
  self->ended_by = end->kind;
  g_signal_emit(self, signals[STOPPED], 0, end->kind == ASE_END_DONE,
                end->kind == ASE_END_DONE ? ASE_OUTCOME_DONE : ase_leg_end_said(end));
}

/* ---- the end of a leg ---- */

static AseEvidence evidence_of(const AseRunner *self, guint leg) {
  return (AseEvidence){.model = self->model,
                       .description = ase_device_description(self->device),
                       .leg = leg_at(self, leg),
                       .run = self->run,
                       .samples_due = ase_device_telemetry_hz(self->device) * self->duration_s};
}

/* us by the controller's clock since the leg ended; 0: no sample is younger. */
static guint64 us_since_end(const AseRunner *self) {
  const guint64 t_us = ase_run_newest_us(self->run);
  return self->ended_us && t_us > self->ended_us ? t_us - self->ended_us : 0;
}

/* Whatever the controller says. An arm of which nobody knows what it does is halted. */
static void judge(AseRunner *self) {
  const AseEvidence evidence = evidence_of(self, self->leg);
  char *against = ase_evidence_against(&evidence);
  /* Where it stood when the samples ended says nothing of where it stands. */
  self->has_ceased = against && self->ended_us && !us_since_end(self);
  if (!against)
    return;
  if (self->has_ceased) {
    g_free(against);
    ase_leg_end_set(&self->failure, ASE_END_CEASED, ase_runner_quiet_said(self));
  } else {
    ase_leg_end_set(&self->failure, ASE_END_DOUBTED, against);
  }
  ase_device_halt(self->device);
}

/* What others send on the line may be why. A refusal may say so itself. */
static void blame_foreign(const AseRunner *self, AseLegEnd *end) {
  if (end->kind == ASE_END_DONE || !ase_device_foreign(self->device) ||
      ase_device_stopped_by(self->device) || self->names_foreign)
    return;
  char *said = aio_said(N_("%s; requests that this program did not send have reached the "
                           "controller: another program or a replayed recording sends on "
                           "this line: end it or unplug it, then go on"),
                        ase_leg_end_said(end));
  ase_leg_end_set(end, end->kind, said);
}

static void finish_leg(AseRunner *self) {
  clear_source(&self->tail);
  if (self->failure.kind == ASE_END_DONE)
    judge(self);
  clear_source(&self->look);
  if (self->has_ceased)
    self->run->missing = ase_runner_missing(self);
  AseRun *run = g_steal_pointer(&self->run);
  AseLegEnd end = self->failure;
  self->failure = (AseLegEnd){.kind = ASE_END_DONE};
  blame_foreign(self, &end);
  run->is_complete = end.kind == ASE_END_DONE;
  run->outcome = g_strdup(run->is_complete ? ASE_OUTCOME_DONE : ase_leg_end_said(&end));
  if (self->log.end)
    self->log.end(self->log.ctx, run);
  g_object_ref(self);
  g_signal_emit(self, signals[LEG_ENDED], 0, self->leg, run);
  if (self->log.end)
    g_ptr_array_remove(self->runs, run);
  if (end.kind != ASE_END_DONE || ++self->leg == self->end) {
    stop(self, &end);
  } else if (self->is_pausing) {
    stop(self, &(AseLegEnd){.kind = ASE_END_PAUSED});
  } else {
    start_leg(self);
  }
  g_object_unref(self);
  ase_leg_end_clear(&end);
}

/* Has everything come that is waited for? A leg that was done ends with the arm at rest. */
static bool is_complete(const AseRunner *self) {
  const AseEvidence evidence = evidence_of(self, self->leg);
  const guint64 since_us = us_since_end(self);
  return since_us && (self->failure.kind != ASE_END_DONE || since_us > SETTLE_US ||
                      ase_evidence_is_at_end(&evidence));
}

static gboolean on_tail(gpointer data) {
  AseRunner *self = data;
  self->tailed_ms += TAIL_MS;
  /* On a busy computer this comes before the samples, and a sweep ends where it began: only one
   * that is younger than the end says that all are here. */
  if (self->failure.kind == ASE_END_DONE && self->tailed_ms < SETTLE_MS && !is_complete(self))
    return G_SOURCE_CONTINUE;
  finish_leg(self);
  return G_SOURCE_REMOVE;
}

/* The controller has ended the leg, or cannot any more. Its last samples may be under way.
 * said: as AseLegEnd has it; t_us: when, by its clock; 0: not known. */
static void end_leg(AseRunner *self, AseEndKind kind, const char *said, guint64 t_us) {
  if (!self->run || self->has_ended)
    return;
  self->has_ended = true;
  self->ended_us = t_us;
  ase_leg_end_set(&self->failure, kind, g_strdup(said));
  clear_source(&self->deadline);
  g_clear_pointer(&self->feed, ase_feed_free);
  self->tailed_ms = 0;
  self->tail = g_timeout_add(TAIL_MS, on_tail, self);
}

/* What the user did explains more than what the controller made of it; faults more than their
 * effect; and why this object halted the arm more than that it did. */
static void end_by(AseRunner *self, AseEndKind kind, const char *said, guint64 t_us) {
  const AioMotionEnd stopped_by = ase_device_stopped_by(self->device);
  const AioState *state = ase_device_state(self->device);
  char *faults =
      aio_faults_said(self->faults | state->faults, self->fault_joints | state->fault_joints);
  if (self->halted_for.kind != ASE_END_DONE && !*faults)
    end_leg(self, self->halted_for.kind, self->halted_for.said, t_us);
  else if (stopped_by && self->halted_for.kind == ASE_END_DONE)
    end_leg(self, ase_end_kind(stopped_by), NULL, t_us);
  else if (*faults)
    end_leg(self, ASE_END_FAULT, faults, t_us);
  else
    end_leg(self, kind, said, t_us);
  g_free(faults);
}

/* May be told after the end that it caused. */
static void on_fault(AseRunner *self, const AioEvent *event) {
  self->faults |= event->value;
  self->fault_joints |= event->joint ? (guint32)1 << (event->joint - 1) : 0;
  if (self->failure.kind == ASE_END_FAULT && !self->failure.said)
    ase_leg_end_set(&self->failure, ASE_END_FAULT,
                    aio_faults_said(self->faults, self->fault_joints));
}

static void on_motion_end(AseRunner *self, AioMotionEnd end, guint64 t_us) {
  if (end == AIO_END_DONE)
    end_leg(self, ASE_END_DONE, NULL, t_us);
  else
    end_by(self, end == AIO_END_STOP && self->is_pausing ? ASE_END_PAUSED : ase_end_kind(end), NULL,
           t_us);
}

static void on_event(AseDevice *device, gpointer data, AseRunner *self) {
  const AioEvent *event = data;
  (void)device;
  if (!self->run)
    return;
  switch (event->kind) {
  case AIO_EVENT_MOTION_END:
    if (!self->run->motion)
      self->early = *event;
    else if (event->motion_id == self->run->motion)
      on_motion_end(self, event->end, event->t_us);
    break;
  case AIO_EVENT_BOOT:
    end_leg(self, ASE_END_RESTARTED, NULL, 0);
    break;
  case AIO_EVENT_LINK:
    if (!event->value)
      end_leg(self, ASE_END_LOST, event->text, 0);
    break;
  case AIO_EVENT_STATE:
    if (event->state.state != AIO_DEVICE_ARMED && event->state.motion == AIO_MOTION_NONE)
      end_by(self, ASE_END_DISARMED, NULL, event->t_us);
    break;
  case AIO_EVENT_FAULT:
    on_fault(self, event);
    break;
  case AIO_EVENT_CLOCK:
    ase_runner_take_clock(self, event);
    break;
  case AIO_EVENT_FOREIGN:
  case AIO_EVENT_LEG:
  case AIO_EVENT_CLEARED:
  case AIO_EVENT_LOG:
  case AIO_EVENT_HEALTH:
    break;
  }
}

static void on_changed(AseDevice *device, AseRunner *self) {
  if (ase_device_link(device) == ASE_LINK_CLOSED)
    end_leg(self, ASE_END_CLOSED, NULL, 0);
}

/* ---- samples ---- */

static void on_chunk(AseDevice *device, gpointer data, AseRunner *self) {
  AioChunk *chunk = data;
  (void)device;
  if (!self->run)
    return;
  g_ptr_array_add(self->run->chunks, aio_chunk_ref(chunk));
  ase_runner_watch_chunk(self, chunk);
  ase_runner_follow(self, chunk);
  if (self->has_ended && is_complete(self))
    finish_leg(self);
}

/* ---- the beginning of a leg ---- */

static void stop_late(AseRunner *self, bool is_silent) {
  self->has_ceased |= is_silent;
  ase_device_halt(self->device);
  end_leg(self, is_silent ? ASE_END_SILENT : ASE_END_LATE, NULL, 0);
}

void ase_runner_stop_silent(AseRunner *self) {
  stop_late(self, true);
}

/* The event of its end was lost. Over a new connection the motion before may have had the same
 * number. */
void ase_runner_take_state(AseRunner *self, const AioReply *reply) {
  if (self->run && self->run->motion && reply->state.last_motion_id == self->run->motion &&
      reply->state.motion_id != self->run->motion)
    on_motion_end(self, reply->state.last_end, 0);
}

static void on_state(const AioReply *reply, void *ctx) {
  AseRunner *self = ase_weak_take(ctx);
  if (self)
    ase_runner_take_state(self, reply);
  g_clear_object(&self);
}

/* Halted, unless it has ended; also when no answer came. */
static void on_late_state(const AioReply *reply, void *ctx) {
  AseRunner *self = ase_weak_take(ctx);
  if (self)
    ase_runner_take_state(self, reply);
  if (self && self->run && !self->has_ended && self->is_late)
    stop_late(self, false);
  g_clear_object(&self);
}

static gboolean on_deadline(gpointer data);

static void ask_by_deadline(AseRunner *self, AioReplyFunc done) {
  self->seen = self->run->chunks->len;
  self->deadline = g_timeout_add((guint)(1000.0 * SLACK_S), on_deadline, self);
  ase_device_send(self->device, &(AioCommand){.kind = AIO_COMMAND_STATE}, done, ase_weak_new(self));
}

/* A simulated controller whose clock is slower than it says, on a busy computer, is not late. One
 * that is silent is. The word of its end may have been lost since it was asked for: of a late leg
 * it is asked once more, which takes a round trip. */
static gboolean on_deadline(gpointer data) {
  AseRunner *self = data;
  const bool is_silent = self->run->chunks->len == self->seen;
  const bool is_early = ase_run_span_us(self->run) < self->allowed_us;
  if (is_silent || (self->is_late && !is_early)) {
    stop_late(self, is_silent);
  } else {
    self->is_late = !is_early;
    ask_by_deadline(self, is_early ? on_state : on_late_state);
  }
  return G_SOURCE_REMOVE;
}

/* At the time when the leg should be over, ask; well beyond it, stop. */
static gboolean on_expected(gpointer data) {
  AseRunner *self = data;
  ask_by_deadline(self, on_state);
  return G_SOURCE_REMOVE;
}

/* Of a stop that came in between, the user knows better why. */
void ase_runner_take_refusal(AseRunner *self, const AioReply *reply) {
  if (reply->code == AIO_REPLY_CODE(AIO_ERROR_CANCELLED)) {
    end_by(self, self->is_pausing ? ASE_END_PAUSED : ASE_END_REFUSED,
           self->is_pausing ? NULL : reply->message, 0);
    return;
  }
  if (reply->code == AIO_REPLY_CODE(AIO_ERROR_TIMEOUT))
    ase_device_halt(self->device); /* the answer may be lost, and the arm move */
  self->names_foreign = reply->names_foreign;
  end_leg(self, ASE_END_REFUSED, reply->message, 0);
}

void ase_runner_take_start(AseRunner *self, const AioReply *reply, double duration_s) {
  const double seconds = SLACK_PART * duration_s / time_factor(self);
  self->run->motion = reply->motion_id;
  ase_runner_watch(self, duration_s);
  self->allowed_us = (guint64)(1e6 * SLACK_PART * duration_s);
  clear_source(&self->deadline);
  self->deadline = g_timeout_add((guint)(1000.0 * seconds), on_expected, self);
  if (self->early.kind == AIO_EVENT_MOTION_END && self->early.motion_id == reply->motion_id)
    on_motion_end(self, self->early.end, self->early.t_us); /* over already */
}

static void on_accepted(const AioReply *reply, void *ctx) {
  AseRunner *self = ase_weak_take(ctx);
  if (!self)
    return;
  if (self->run && !self->has_ended && reply->code)
    ase_runner_take_refusal(self, reply);
  else if (self->run && !self->has_ended)
    ase_runner_take_start(self, reply, reply->duration_s);
  g_object_unref(self);
}

static void start_leg(AseRunner *self) {
  const AseLeg *leg = leg_at(self, self->leg);
  self->run = ase_run_new(leg, self->log.begin ? self->log.begin(self->log.ctx, leg) : 0);
  g_ptr_array_add(self->runs, self->run);
  self->has_ended = self->is_accepted = self->has_ceased = false;
  self->early = (AioEvent){0};
  self->faults = self->fault_joints = 0;
  ase_leg_end_clear(&self->halted_for);
  self->names_foreign = false;
  g_signal_emit(self, signals[LEG_STARTED], 0, self->leg, self->run);
  self->is_late = false;
  if (leg->trajectory) {
    ase_runner_feed(self);
    return;
  }
  const AioCommand command = ase_leg_command(self->model, leg);
  ase_device_send(self->device, &command, on_accepted, ase_weak_new(self));
}

/* A sweep begins with the other joints where the leg before left them. */
static bool stands_right(AseRunner *self, guint k, GError **error) {
  double q[ARM_MAX_JOINTS];
  const AseEvidence evidence = evidence_of(self, k);
  char *objection = ase_device_pose(self->device, q)
                        ? ase_evidence_against_start(&evidence, q)
                        : aio_said(N_("where the arm stands is not known; connect it again"));
  if (objection)
    aio_error_set_kept(error, AIO_ERROR_REFUSED, objection);
  g_free(objection);
  return objection == NULL;
}

/* Before anything moves. */
static bool can_be_judged(AseRunner *self, guint first, guint end, GError **error) {
  char *objection = NULL;
  for (guint k = first; !objection && k < end; k++) {
    const AseEvidence evidence = evidence_of(self, k);
    objection = ase_evidence_against_sweep(&evidence);
  }
  if (objection)
    aio_error_set_kept(error, AIO_ERROR_REFUSED, objection);
  g_free(objection);
  return objection == NULL;
}

bool ase_runner_start(AseRunner *self, guint first, guint end, GError **error) {
  /* After Hold the controller's word that it is disarmed may still be under way. */
  const bool is_armed = ase_device_is_armed(self->device) && !ase_device_stopped_by(self->device);
  if (self->is_running || !is_armed) {
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       self->is_running ? N_("the arm is moving already")
                                        : N_("the arm is not armed; arm it first"));
    return false;
  }
  if (first >= end || end > self->itinerary->legs->len || !can_be_judged(self, first, end, error) ||
      !stands_right(self, first, error))
    return false;
  self->is_running = true;
  self->leg = first;
  self->end = end;
  ase_runner_watch_from(self);
  start_leg(self);
  return true;
}

void ase_runner_pause(AseRunner *self) {
  if (!self->is_running)
    return;
  self->is_pausing = true;
  ase_runner_stop_feeding(self);
  ase_device_send(self->device, &(AioCommand){.kind = AIO_COMMAND_STOP}, on_state,
                  ase_weak_new(self));
}

/* ---- the object ---- */

bool ase_runner_is_running(AseRunner *self) {
  return self->is_running;
}
guint ase_runner_leg(AseRunner *self) {
  return self->leg;
}
AseEndKind ase_runner_ended_by(AseRunner *self) {
  return self->ended_by;
}
const GPtrArray *ase_runner_runs(AseRunner *self) {
  return self->runs;
}

double ase_runner_left_s(AseRunner *self) {
  double seconds = 0.0;
  for (guint k = self->leg; k < self->end; k++)
    seconds += leg_at(self, k)->duration_s;
  return seconds / time_factor(self);
}

AseRunner *ase_runner_new(AseDevice *device, const ArmModel *model, const AseItinerary *itinerary,
                          const AseRunLog *log) {
  AseRunner *self = g_object_new(ASE_TYPE_RUNNER, NULL);
  self->device = g_object_ref(device);
  self->model = model;
  self->itinerary = itinerary;
  if (log)
    self->log = *log;
  g_signal_connect_object(device, "event", G_CALLBACK(on_event), self, G_CONNECT_DEFAULT);
  g_signal_connect_object(device, "changed", G_CALLBACK(on_changed), self, G_CONNECT_DEFAULT);
  g_signal_connect_object(device, "chunk", G_CALLBACK(on_chunk), self, G_CONNECT_DEFAULT);
  return self;
}

static void ase_runner_init(AseRunner *self) {
  self->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
}

static void ase_runner_finalize(GObject *object) {
  AseRunner *self = ASE_RUNNER(object);
  clear_source(&self->deadline);
  clear_source(&self->tail);
  clear_source(&self->look);
  g_clear_pointer(&self->feed, ase_feed_free);
  g_clear_object(&self->device);
  g_ptr_array_unref(self->runs);
  ase_leg_end_clear(&self->failure);
  ase_leg_end_clear(&self->halted_for);
  G_OBJECT_CLASS(ase_runner_parent_class)->finalize(object);
}

static void ase_runner_class_init(AseRunnerClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = ase_runner_finalize;
  const GType type = G_TYPE_FROM_CLASS(klass);
  signals[LEG_STARTED] = g_signal_new("leg-started", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                      G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_POINTER);
  signals[LEG_ENDED] = g_signal_new("leg-ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_POINTER);
  signals[STOPPED] = g_signal_new("stopped", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 2, G_TYPE_BOOLEAN, G_TYPE_STRING);
}
