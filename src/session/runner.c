/* SPDX-License-Identifier: MIT */
#include "session/runner.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "session/text.h"

#define AT_PLACE_R (0.5 * G_PI / 180.0) /* how near the arm must stand to where a leg begins */
#define AT_PLACE_T 0.002
#define SLACK_PART 1.5 /* a leg may take this much longer than estimated, */
#define SLACK_S    3.0 /* and this; longer while the controller's own clock says that it is early */
#define TAIL_MS    200 /* to wait for the samples of a leg that has ended */

struct _AseRunner {
  GObject parent;
  AseDevice *device;
  const ArmModel *model;
  const AseItinerary *itinerary;
  AseRunLog log;
  GPtrArray *runs;

  bool is_running;
  guint leg, end;
  AseRun *run;      /* of the leg, NULL between legs; owned by runs */
  bool has_ended;   /* the controller says so; samples may still come */
  guint64 ended_us; /* device time, 0: not known */
  char *failure;    /* why the leg ended early, NULL: it did not */
  bool is_pausing;
  guint32 faults;       /* reported during the leg */
  guint deadline, tail; /* sources, 0: none */
  guint64 allowed_us;   /* device time that the leg may take */
  guint seen;           /* chunks of it when the deadline was set */
  bool was_early;       /* when its end was asked for last */
};

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

/* A reply may come when nobody wants it any more: it does not keep the runner, and with it the
 * device, alive. */
static GWeakRef *weak(AseRunner *self) {
  GWeakRef *ref = g_new(GWeakRef, 1);
  g_weak_ref_init(ref, self);
  return ref;
}

/* A reference, or NULL; frees the weak one. */
static AseRunner *strong(GWeakRef *ref) {
  AseRunner *self = g_weak_ref_get(ref);
  g_weak_ref_clear(ref);
  g_free(ref);
  return self;
}

static void clear_source(guint *source) {
  if (*source)
    g_source_remove(*source);
  *source = 0;
}

static void stop(AseRunner *self, bool is_done, const char *reason) {
  clear_source(&self->deadline);
  clear_source(&self->tail);
  self->is_running = self->is_pausing = false;
  g_signal_emit(self, signals[STOPPED], 0, is_done, reason);
}

/* ---- the end of a leg ---- */

static void finish_leg(AseRunner *self) {
  clear_source(&self->deadline);
  clear_source(&self->tail);
  AseRun *run = g_steal_pointer(&self->run);
  char *failure = g_steal_pointer(&self->failure);
  run->is_complete = !failure;
  run->outcome = g_strdup(failure ? failure : "done");
  if (self->log.end)
    self->log.end(self->log.ctx, run);
  g_object_ref(self);
  g_signal_emit(self, signals[LEG_ENDED], 0, self->leg, run);
  if (self->log.end)
    g_ptr_array_remove(self->runs, run);
  if (failure) {
    stop(self, false, failure);
  } else if (++self->leg == self->end) {
    stop(self, true, "done");
  } else if (self->is_pausing) {
    stop(self, false, _("paused"));
  } else {
    start_leg(self);
  }
  g_object_unref(self);
  g_free(failure);
}

static gboolean on_tail(gpointer data) {
  AseRunner *self = data;
  self->tail = 0;
  finish_leg(self);
  return G_SOURCE_REMOVE;
}

/* The controller has ended the leg, or cannot any more. Its last samples may be under way. */
static void end_leg(AseRunner *self, const char *failure, guint64 t_us) {
  if (!self->run || self->has_ended)
    return;
  self->has_ended = true;
  self->ended_us = t_us;
  self->failure = g_strdup(failure);
  clear_source(&self->deadline);
  self->tail = g_timeout_add(TAIL_MS, on_tail, self);
}

static const char *const a_fault = N_("a fault of the controller");

static const char *end_text(AioMotionEnd end) {
  switch (end) {
  case AIO_END_DONE:
    return NULL;
  case AIO_END_STOP:
    return _("held");
  case AIO_END_KILL:
    return _("the drives were switched off");
  case AIO_END_FAULT:
    return _(a_fault);
  case AIO_END_CURRENT:
    return _("the current limit of the sweep was reached");
  case AIO_END_UNDERRUN:
    return _("the computer was too slow with the next segment");
  case AIO_END_HELLO:
    return _("another program took the controller over");
  case AIO_END_DISARM:
    return _("disarmed");
  case AIO_END_NONE:
    break;
  }
  return _("ended for an unknown reason");
}

/* What the user did explains more than what the controller made of it; faults more than their
 * effect. */
static void end_by(AseRunner *self, const char *text, guint64 t_us) {
  const char *stopped_by = ase_device_stopped_by(self->device);
  char *faults = aio_faults_text(self->faults | ase_device_state(self->device)->faults);
  end_leg(self, stopped_by ? stopped_by : *faults ? faults : text, t_us);
  g_free(faults);
}

/* May be told after the end that it caused. */
static void on_fault(AseRunner *self, guint32 bits) {
  self->faults |= bits;
  if (g_strcmp0(self->failure, _(a_fault)) == 0) {
    g_free(self->failure);
    self->failure = aio_faults_text(self->faults);
  }
}

static void on_motion_end(AseRunner *self, AioMotionEnd end, guint64 t_us) {
  if (end == AIO_END_DONE)
    end_leg(self, NULL, t_us);
  else
    end_by(self, end == AIO_END_STOP && self->is_pausing ? _("paused") : end_text(end), t_us);
}

static void on_event(AseDevice *device, gpointer data, AseRunner *self) {
  const AioEvent *event = data;
  (void)device;
  if (!self->run)
    return;
  switch (event->kind) {
  case AIO_EVENT_MOTION_END:
    if (self->run->motion && event->motion_id == self->run->motion)
      on_motion_end(self, event->end, event->t_us);
    break;
  case AIO_EVENT_BOOT:
    end_leg(self, _("the controller restarted"), 0);
    break;
  case AIO_EVENT_LINK:
    if (!event->value)
      end_leg(self, event->text, 0);
    break;
  case AIO_EVENT_STATE:
    if (event->state.state != AIO_DEVICE_ARMED && event->state.motion == AIO_MOTION_NONE)
      end_by(self, _("disarmed"), event->t_us);
    break;
  case AIO_EVENT_FAULT:
    on_fault(self, event->value);
    break;
  case AIO_EVENT_LEG:
  case AIO_EVENT_CLEARED:
  case AIO_EVENT_LOG:
  case AIO_EVENT_HEALTH:
    break;
  }
}

static void on_changed(AseDevice *device, AseRunner *self) {
  if (ase_device_link(device) == ASE_LINK_CLOSED)
    end_leg(self, _("the connection was closed"), 0);
}

/* ---- samples ---- */

static void on_chunk(AseDevice *device, gpointer data, AseRunner *self) {
  AioChunk *chunk = data;
  (void)device;
  if (chunk->n == 0)
    return;
  if (!self->run)
    return;
  g_ptr_array_add(self->run->chunks, aio_chunk_ref(chunk));
  if (self->has_ended && self->ended_us && chunk->t_us[chunk->n - 1] > self->ended_us)
    finish_leg(self);
}

/* ---- the beginning of a leg ---- */

/* The end was reported before the answer told the motion's number, or its event was lost. */
static void on_state(const AioReply *reply, void *ctx) {
  AseRunner *self = strong(ctx);
  if (!self)
    return;
  if (!reply->code && self->run && !self->has_ended && self->run->motion &&
      reply->state.motion_id != self->run->motion &&
      reply->state.last_motion_id == self->run->motion)
    on_motion_end(self, reply->state.last_end, 0);
  g_object_unref(self);
}

static void ask_state(AseRunner *self) {
  ase_device_send(self->device, &(AioCommand){.kind = AIO_COMMAND_STATE}, on_state, weak(self));
}

static gboolean on_deadline(gpointer data);

static void set_deadline(AseRunner *self) {
  self->seen = self->run->chunks->len;
  self->deadline = g_timeout_add((guint)(1000.0 * SLACK_S), on_deadline, self);
}

/* A simulated controller whose clock is slower than it says, on a busy computer, is not late. One
 * that is silent is. */
static bool is_early(const AseRunner *self) {
  const GPtrArray *chunks = self->run->chunks;
  if (chunks->len == self->seen)
    return false;
  const AioChunk *first = chunks->pdata[0], *newest = chunks->pdata[chunks->len - 1];
  return newest->t_us[newest->n - 1] - first->t_us[0] < self->allowed_us;
}

static gboolean on_deadline(gpointer data) {
  AseRunner *self = data;
  const bool was_early = self->was_early;
  self->deadline = 0;
  self->was_early = is_early(self);
  if (self->was_early || was_early) { /* the word of its end may have been lost meanwhile */
    ask_state(self);
    set_deadline(self);
  } else {
    const bool is_silent = self->run->chunks->len == self->seen;
    ase_device_hold(self->device);
    end_leg(self,
            is_silent ? _("the controller has fallen silent; Hold was sent, but watch the arm")
                      : _("it did not end in time; the arm was stopped"),
            0);
  }
  return G_SOURCE_REMOVE;
}

/* At the time when the leg should be over, ask; well beyond it, stop. */
static gboolean on_expected(gpointer data) {
  AseRunner *self = data;
  ask_state(self);
  set_deadline(self);
  return G_SOURCE_REMOVE;
}

static void on_accepted(const AioReply *reply, void *ctx) {
  AseRunner *self = strong(ctx);
  if (!self)
    return;
  if (self->run && !self->has_ended) {
    if (reply->code) {
      end_leg(self, reply->message, 0);
    } else {
      const double seconds = SLACK_PART * reply->duration_s / time_factor(self);
      self->run->motion = reply->motion_id;
      self->allowed_us = (guint64)(1e6 * SLACK_PART * reply->duration_s);
      clear_source(&self->deadline);
      self->deadline = g_timeout_add((guint)(1000.0 * seconds) + 100, on_expected, self);
      if (reply->state.motion == AIO_MOTION_NONE)
        ask_state(self); /* over already */
    }
  }
  g_object_unref(self);
}

static double limit(double value, double most) {
  return most < value ? most : value;
}

static AioCommand move_command(const AseRunner *self, const AseLeg *leg) {
  AioCommand command = {.kind = AIO_COMMAND_MOVE};
  for (guint j = 0; j < self->itinerary->n; j++) {
    if (!(leg->joints >> j & 1))
      continue;
    const ArmJoint *joint = &self->model->joints[j];
    const bool turns = joint->type == ARM_JOINT_R;
    command.move.joint[command.move.n++] = (AioMoveJoint){
        .joint = j + 1,
        .q = leg->pose[j],
        .speed = limit(turns ? leg->speed_R : leg->speed_T, 0.9 * joint->limits.speed_max),
        .accel = limit(turns ? leg->accel_R : leg->accel_T, joint->limits.accel_max)};
  }
  return command;
}

static AioCommand sweep_command(const AseRunner *self, const AseLeg *leg) {
  const ArmJoint *joint = &self->model->joints[leg->joint - 1];
  const bool turns = joint->type == ARM_JOINT_R;
  return (AioCommand){
      .kind = AIO_COMMAND_SWEEP,
      .sweep = {.joint = leg->joint,
                .q0 = leg->q0,
                .q1 = leg->q1,
                .speed = leg->speed_R,
                .accel = limit(turns ? leg->accel_R : leg->accel_T, joint->limits.accel_max),
                .passes = leg->passes,
                .dwell_s = 0.2}};
}

static void start_leg(AseRunner *self) {
  const AseLeg *leg = leg_at(self, self->leg);
  self->run = ase_run_new(leg, self->log.begin ? self->log.begin(self->log.ctx, leg) : 0);
  g_ptr_array_add(self->runs, self->run);
  self->has_ended = false;
  self->ended_us = 0;
  self->faults = 0;
  g_signal_emit(self, signals[LEG_STARTED], 0, self->leg, self->run);
  const AioCommand command = leg->sweeps ? sweep_command(self, leg) : move_command(self, leg);
  self->allowed_us = 0;
  self->was_early = false;
  set_deadline(self);
  ase_device_send(self->device, &command, on_accepted, weak(self));
}

/* A sweep begins with the other joints where the leg before left them. */
static bool stands_right(AseRunner *self, guint k, GError **error) {
  const AseLeg *leg = leg_at(self, k);
  double q[ARM_MAX_JOINTS];
  const guint known = ase_device_pose(self->device, q) ? self->itinerary->n : 0;
  for (guint j = 0; j < known; j++) {
    const bool turns = self->model->joints[j].type == ARM_JOINT_R;
    const bool moves = leg->sweeps ? leg->joint == j + 1 : leg->joints >> j & 1;
    if (moves || fabs(q[j] - leg->pose[j]) <= (turns ? AT_PLACE_R : AT_PLACE_T))
      continue;
    char *is = ase_position_text(self->model->joints[j].type, q[j]);
    char *should = ase_position_text(self->model->joints[j].type, leg->pose[j]);
    g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED,
                _("joint %u stands at %s, but this leg begins at %s; plan again from here, or move "
                  "it back"),
                j + 1, is, should);
    g_free(is);
    g_free(should);
    return false;
  }
  return true;
}

bool ase_runner_start(AseRunner *self, guint first, guint end, GError **error) {
  /* After Hold the controller's word that it is disarmed may still be under way. */
  const bool is_armed = ase_device_is_armed(self->device) && !ase_device_stopped_by(self->device);
  if (self->is_running || !is_armed) {
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_REFUSED,
                        self->is_running ? _("the arm is moving already")
                                         : _("the arm is not armed; arm it first"));
    return false;
  }
  if (first >= end || end > self->itinerary->legs->len || !stands_right(self, first, error))
    return false;
  self->is_running = true;
  self->leg = first;
  self->end = end;
  start_leg(self);
  return true;
}

void ase_runner_pause(AseRunner *self) {
  if (!self->is_running)
    return;
  self->is_pausing = true;
  ase_device_send(self->device, &(AioCommand){.kind = AIO_COMMAND_STOP}, on_state, weak(self));
}

/* ---- the object ---- */

bool ase_runner_is_running(AseRunner *self) {
  return self->is_running;
}
guint ase_runner_leg(AseRunner *self) {
  return self->leg;
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
  g_signal_connect_object(device, "event", G_CALLBACK(on_event), self, 0);
  g_signal_connect_object(device, "changed", G_CALLBACK(on_changed), self, 0);
  g_signal_connect_object(device, "chunk", G_CALLBACK(on_chunk), self, 0);
  return self;
}

static void ase_runner_init(AseRunner *self) {
  self->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
}

static void ase_runner_finalize(GObject *object) {
  AseRunner *self = ASE_RUNNER(object);
  clear_source(&self->deadline);
  clear_source(&self->tail);
  g_clear_object(&self->device);
  g_ptr_array_unref(self->runs);
  g_free(self->failure);
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
