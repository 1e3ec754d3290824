/* SPDX-License-Identifier: MIT */
/* The driver of the invented controller: one exchange at a time, everything else from tick. */
#include "abacus_driver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what it says ---- */

void abacus_answer(Self *self, guint64 ticket, int code, const char *message) {
  AioReply reply = {.ticket = ticket, .code = code, .state = self->state};
  g_strlcpy(reply.message, message, sizeof reply.message);
  self->base.sink->reply(self->base.sink_ctx, &reply);
}

void abacus_tell(Self *self, AioEventKind kind, guint32 value, AioMotionEnd end) {
  const AioEvent event = {.kind = kind,
                          .t_host_ns = self->now_ns,
                          .t_us = self->t_us,
                          .state = self->state,
                          .value = value,
                          .end = end,
                          .joint = self->state.motion ? (guint8)(self->motion.joint + 1) : 0,
                          .motion_id = self->state.motion_id ? self->state.motion_id
                                                             : self->state.last_motion_id};
  self->base.sink->event(self->base.sink_ctx, &event);
}

void abacus_write_line(Self *self, Flight flight, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_vsnprintf(self->sent, sizeof self->sent, format, arguments);
  va_end(arguments);
  self->flight = flight;
  self->sent_ns = self->now_ns;
  self->tries = 1;
  self->base.sink->write(self->base.sink_ctx, (const guint8 *)self->sent, strlen(self->sent));
}

/* ---- commands ---- */

static void set_description(Self *self) {
  AioDescription *d = &self->description;
  *d = (AioDescription){.driver = "abacus",
                        .name = "abacus",
                        .serial = "7",
                        .firmware = "7",
                        .protocol = "1",
                        .capabilities = AIO_CAN_SWEEP | AIO_CAN_CURRENT | AIO_CAN_KILL,
                        .joints = self->context.joints,
                        .telemetry_max_hz = 50.0,
                        .time_factor = 1.0};
  for (guint j = 0; j < d->joints; j++) {
    const AioDriverJoint *joint = &self->context.joint[j];
    const ArmLimits *limits = &joint->limits;
    d->joint[j] = (AioJointInfo){.type = joint->type,
                                 .q_min = limits->q_min,
                                 .q_max = limits->q_max,
                                 .speed_max = limits->speed_max,
                                 .accel_max = limits->accel_max,
                                 .current_max = limits->current_max,
                                 .temperature_max_C = NAN,
                                 .following_max = NAN,
                                 .quantum = fabs(1.0 / abacus_steps_per_unit(joint)),
                                 .rest_error = 0.02,
                                 .speed_unit = abacus_speed_unit(joint),
                                 .accel_unit = abacus_accel_unit(joint)};
  }
}

static Command *first(const Self *self) {
  return g_queue_peek_head((GQueue *)&self->commands);
}

static void finish(Self *self, int code, const char *message) {
  Command *command = g_queue_pop_head(&self->commands);
  const bool is_described = command->kind == DESCRIBE && code == 0;
  AioReply reply = {.ticket = command->ticket, .code = code, .state = self->state};
  g_strlcpy(reply.message, message, sizeof reply.message);
  reply.description = is_described ? &self->description : NULL;
  g_free(command);
  self->base.sink->reply(self->base.sink_ctx, &reply);
}

static void set_state(Self *self, AioDeviceState state, bool drives_on) {
  self->state.state = state;
  self->state.drives_on = drives_on;
  abacus_tell(self, AIO_EVENT_STATE, 0, AIO_END_NONE);
}

static void send_command(Self *self, const Command *command) {
  self->is_for_command = true;
  switch (command->kind) {
  case PROBE:
  case DESCRIBE: /* the first line end ends what stood on the line before */
    if (command->is_known)
      abacus_write_line(self, READ, "read\n");
    else
      abacus_write_line(self, WHO, "\nwho\n");
    break;
  case ARM:
    abacus_write_line(self, SET, "on\n");
    break;
  case RELEASE:
  case KILL:
    abacus_write_line(self, SET, "off\n");
    break;
  case DISARM:
  case HOLD: /* the goal is where the joint is */
    self->motion.start = self->motion.end[0] = self->motion.end[1] = self->q[self->motion.joint];
    if (!self->motion.is_sent)
      abacus_write_line(self, READ, "read\n");
    else
      abacus_write_goal(self);
    self->is_for_command = true;
    break;
  }
}

static void command_done(Self *self) {
  Command *command = first(self);
  if (command->kind == DESCRIBE && !command->is_known) {
    command->is_known = true; /* and then how it stands */
    return;
  }
  if (command->kind == DESCRIBE)
    set_description(self);
  if (command->kind == ARM)
    set_state(self, AIO_DEVICE_ARMED, true);
  if (command->kind == DISARM)
    set_state(self, AIO_DEVICE_HALTED, self->state.drives_on);
  if (command->kind == RELEASE || command->kind == KILL)
    set_state(self, AIO_DEVICE_OFF, false);
  finish(self, 0, "");
}

/* Stops, readings of a motion, and commands, in this order. */
static void pump(Self *self) {
  const bool is_alive = self->now_ns < self->base.alive_until_ns;
  if (self->flight != IDLE)
    return;
  if (first(self))
    send_command(self, first(self));
  else if (self->state.motion && self->now_ns >= self->goal_due_ns && is_alive)
    abacus_write_goal(self);
  else if ((self->state.motion || self->period_ns) && self->now_ns >= self->read_due_ns) {
    self->is_for_command = false;
    self->read_due_ns = self->now_ns + (self->period_ns ? self->period_ns : STEP_NS);
    abacus_write_line(self, READ, "read\n");
  }
}

static void add(AioDriver *driver, guint64 ticket, Kind kind) {
  Self *self = (Self *)driver;
  Command *command = g_new0(Command, 1);
  *command = (Command){ticket, kind, false};
  g_queue_push_tail(&self->commands, command);
  self->is_sent_blind = true; /* now is when tick says so */
  pump(self);
}

static void probe(AioDriver *driver, guint64 ticket) {
  add(driver, ticket, PROBE);
}
static void describe(AioDriver *driver, guint64 ticket) {
  add(driver, ticket, DESCRIBE);
}
static void state(AioDriver *driver, guint64 ticket) {
  abacus_answer((Self *)driver, ticket, 0, "");
}
static void arm(AioDriver *driver, guint64 ticket, guint ttl_ms) {
  (void)ttl_ms;
  add(driver, ticket, ARM);
}
static void disarm(AioDriver *driver, guint64 ticket, bool drives_off) {
  add(driver, ticket, drives_off ? RELEASE : DISARM);
}
static void clear(AioDriver *driver, guint64 ticket, guint32 faults) {
  (void)faults;
  abacus_answer((Self *)driver, ticket, 0, "");
}

static void overtake(AioDriver *driver, guint64 ticket, Kind kind, AioMotionEnd end) {
  Self *self = (Self *)driver;
  while (first(self))
    finish(self, AIO_REPLY_CODE(AIO_ERROR_CANCELLED), "cancelled");
  self->flight = IDLE;
  abacus_end_motion(self, end);
  add(driver, ticket, kind);
}

static void stop(AioDriver *driver, guint64 ticket) {
  overtake(driver, ticket, HOLD, AIO_END_STOP);
}
static void kill_drives(AioDriver *driver, guint64 ticket) {
  overtake(driver, ticket, KILL, AIO_END_KILL);
}

static void telemetry(AioDriver *driver, guint64 ticket, double hz, double health_hz) {
  Self *self = (Self *)driver;
  const AioReply reply = {.ticket = ticket, .state = self->state, .telemetry_hz = fmin(hz, 50.0)};
  (void)health_hz;
  self->period_ns = hz > 0 ? (gint64)(1e9 / fmin(hz, 50.0)) : 0;
  self->base.sink->reply(self->base.sink_ctx, &reply);
}

/* ---- what comes ---- */

static void take_reading(Self *self, const char *text, bool is_told) {
  AioSample sample = {.t_host_ns = self->now_ns};
  long ms, on, moving, id, steps, current;
  int n = 0;
  if (sscanf(text, "at %ld %ld %ld%n", &ms, &on, &moving, &n) != 3)
    return;
  sample.t_us = (guint64)ms * 1000;
  sample.flags = on ? AIO_SAMPLE_DRIVES_ON : 0;
  for (text += n; sscanf(text, " %ld %ld %ld%n", &id, &steps, &current, &n) == 3; text += n)
    for (guint j = 0; j < self->context.joints; j++) {
      const AioDriverJoint *joint = &self->context.joint[j];
      if (joint->id[0] != (guint)id)
        continue;
      sample.q[j] = ((double)steps - ABACUS_STEPS / 2.0) / abacus_steps_per_unit(joint);
      sample.current[j] = 1e-3 * (double)current * joint->motor[0].sign;
      const double dt = 1e-6 * ((double)sample.t_us - (double)self->t_us);
      sample.qd[j] = self->has_sample && dt > 0 ? (sample.q[j] - self->q[j]) / dt : 0.0;
      sample.joint = id == moving ? (guint8)(j + 1) : sample.joint;
      self->q[j] = sample.q[j];
    }
  self->t_us = sample.t_us;
  self->has_sample = true;
  if (!is_told)
    return;
  self->counters.samples++;
  self->base.sink->sample(self->base.sink_ctx, &sample);
  abacus_look_at_motion(self);
}

static void take_line(Self *self, const char *line) {
  const Flight flight = self->flight;
  const bool is_answer = (flight == WHO && g_str_has_prefix(line, "i am abacus ")) ||
                         (flight == READ && g_str_has_prefix(line, "at ")) ||
                         (flight == SET && strcmp(line, "ok") == 0);
  self->counters.frames += is_answer;
  self->counters.frames_bad += !is_answer;
  if (!is_answer)
    return;
  self->flight = IDLE;
  if (flight == READ)
    take_reading(self, line, self->description.driver != NULL);
  if (self->is_for_command && first(self))
    command_done(self);
}

/* What follows is sent when all that has come is read: what is left of it, the second answer to a
 * line that was sent twice, is no answer to that, and is none when a capture is played. */

static void receive(AioDriver *driver, gint64 t_ns, const guint8 *bytes, gsize n) {
  Self *self = (Self *)driver;
  self->now_ns = t_ns;
  self->counters.bytes += n;
  for (gsize k = 0; k < n; k++)
    if (bytes[k] == '\n' || self->have == sizeof self->line - 1) {
      self->line[self->have] = '\0';
      self->have = 0;
      take_line(self, self->line);
    } else {
      self->line[self->have++] = (char)bytes[k];
    }
  pump(self);
}

static void give_up(Self *self) {
  self->flight = IDLE;
  self->counters.timeouts++;
  if (self->is_for_command && first(self))
    finish(self, AIO_REPLY_CODE(AIO_ERROR_TIMEOUT), "no answer from the servos");
}

static gint64 tick(AioDriver *driver, gint64 t_ns) {
  Self *self = (Self *)driver;
  self->now_ns = t_ns;
  if (self->is_sent_blind)
    self->sent_ns = t_ns;
  self->is_sent_blind = false;
  if (self->flight != IDLE && t_ns >= self->sent_ns + ANSWER_NS) {
    if (self->tries++ >= TRIES) {
      give_up(self);
    } else {
      self->sent_ns = t_ns;
      self->counters.retries++;
      driver->sink->write(driver->sink_ctx, (const guint8 *)self->sent, strlen(self->sent));
    }
  }
  if (self->state.motion &&
      t_ns >= MAX(driver->alive_until_ns, self->motion.first_ns) + (gint64)(1e9 * LEAD_S))
    abacus_end_motion(self, AIO_END_STOP); /* it stands at the last goal since */
  pump(self);
  if (self->flight != IDLE)
    return self->sent_ns + ANSWER_NS;
  return self->state.motion || self->period_ns ? t_ns + 2 * MS_NS : G_MAXINT64;
}

static void disconnected(AioDriver *driver) {
  Self *self = (Self *)driver;
  while (first(self))
    finish(self, AIO_REPLY_CODE(AIO_ERROR_GONE), "the line is gone");
  self->flight = IDLE;
}

static void counters(const AioDriver *driver, AioDriverCounters *out) {
  *out = ((const Self *)driver)->counters;
}

static void free_driver(AioDriver *driver) {
  g_queue_clear_full(&((Self *)driver)->commands, g_free);
  g_free(driver);
}

static AioDriver *make(const AioSink *sink, void *sink_ctx, guint32 host_id,
                       const AioDriverContext *context) {
  Self *self = g_new0(Self, 1);
  (void)host_id;
  self->base = (AioDriver){.klass = &abacus_driver, .sink = sink, .sink_ctx = sink_ctx};
  if (context)
    self->context = *context;
  g_queue_init(&self->commands);
  return &self->base;
}

/* ---- a capture ---- */

/* Each line that went out makes its answer expected again. */
static void replay_sent(AioReplay *replay, gint64 t_ns, const guint8 *bytes, gsize n) {
  Self *self = (Self *)replay->driver;
  (void)t_ns;
  if (n >= 5 && memcmp(bytes, "\nwho\n", 5) == 0 && !first(self))
    aio_driver_describe(&self->base, 1);
  if (first(self))
    return; /* it asks the same by itself */
  self->is_for_command = false;
  self->flight = n >= 4 && memcmp(bytes, "read", 4) == 0 ? READ : SET;
}

const AioDriverClass abacus_driver = {
    .name = "abacus",
    .default_baud = 115200,
    .make = make,
    .receive = receive,
    .tick = tick,
    .disconnected = disconnected,
    .counters = counters,
    .free = free_driver,
    .probe = probe,
    .describe = describe,
    .state = state,
    .telemetry = telemetry,
    .arm = arm,
    .disarm = disarm,
    .clear = clear,
    .move = abacus_move,
    .sweep = abacus_sweep,
    .stop = stop,
    .kill = kill_drives,
    .replay_sent = replay_sent,
    .replay_size = sizeof(AioReplay),
};
