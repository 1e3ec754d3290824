/* SPDX-License-Identifier: MIT */
/* Replies may come when nobody waits for them any more: each belongs to a connection, and those of
 * an earlier one change nothing. A first state is asked for, not assumed: the controller may be
 * armed, moving or at fault since long. */
#include "session/device/device.h"

#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "io/registry/driver_registry.h"
#include "session/base/text.h"
#include "session/device/device_internal.h"

enum {
  ASK_AGAIN_MS = 1000,
  ASKS_AGAIN = 10,                                   /* HELLO is repeated for 3 s each time */
  CHUNKS_PER_S = G_USEC_PER_SEC / AIO_CHUNK_SPAN_US, /* of the arm's time */
  FASTEST = 50                                       /* times as fast as real: a simulated arm */
};

G_DEFINE_FINAL_TYPE(AseDevice, ase_device, G_TYPE_OBJECT)

enum { CHANGED, EVENT, CHUNK, REFUSED, SIGNALS };
static guint signals[SIGNALS];

void ase_device_options_default(AseDeviceOptions *options) {
  *options = (AseDeviceOptions){
      .telemetry_hz = 100.0, .idle_s = 120.0, .lockout_s = 2.0, .display_s = 10.0};
}

void ase_device_emit_changed(AseDevice *self) {
  g_signal_emit(self, signals[CHANGED], 0);
}

void ase_device_emit_refused(AseDevice *self, const char *why) {
  g_signal_emit(self, signals[REFUSED], 0, why);
}

void ase_device_set_reason(AseDevice *self, const char *reason) {
  char *said = g_strdup(reason); /* it may be the one that is there */
  g_free(self->reason);
  g_free(self->reason_line);
  self->reason = said;
  self->reason_line = aio_said_line(said);
}

static void set_link(AseDevice *self, AseLinkState link, const char *reason) {
  self->link = link;
  ase_device_set_reason(self, reason);
  ase_device_emit_changed(self);
}

static void set_state(AseDevice *self, const AioState *state) {
  const bool was_armed = self->state.state == AIO_DEVICE_ARMED;
  self->state = *state;
  const bool is_armed = state->state == AIO_DEVICE_ARMED;
  if (was_armed && !is_armed)
    ase_device_stop_heartbeat(self);
  if (!was_armed && is_armed && !self->inhibit)
    self->inhibit = ase_inhibit_new(_("the robot arm is armed"));
  if (!was_armed && is_armed && self->clock)
    ase_device_halt(self); /* ARM was on its way when its clock went wrong */
}

/* ---- what comes in ---- */

/* Replies that come while it closes change nothing any more. */
void ase_device_on_reply(const AioReply *reply, void *ctx) {
  AseDevice *self = ctx;
  if (!self->acquirer)
    return;
  if (reply->code)
    ase_device_set_reason(self, reply->message);
  else
    set_state(self, &reply->state);
  ase_device_emit_changed(self);
}

void ase_device_send_plain(AseDevice *self, const AioCommand *command) {
  if (self->acquirer)
    aio_acquirer_send(self->acquirer, command, ase_device_on_reply, self);
}

static void ask(AseDevice *self, const char *reason);

static void stop_asking(AseDevice *self) {
  if (!self->asking)
    return;
  g_source_destroy(self->asking);
  g_clear_pointer(&self->asking, g_source_unref);
}

static gboolean on_ask_again(gpointer data) {
  AseDevice *self = data;
  ask(self, self->reason);
  return G_SOURCE_REMOVE;
}

/* Who came back by itself may need a while until it hears: it is asked again. What never answered
 * may be another device: it is left alone. */
static void take_failure(AseDevice *self, const AioReply *reply) {
  const bool is_again =
      reply->code == AIO_REPLY_CODE(AIO_ERROR_TIMEOUT) && self->link == ASE_LINK_ASKING;
  if (!is_again || self->asks_left == 0) {
    set_link(self, ASE_LINK_FAILED, reply->message);
    return;
  }
  stop_asking(self);
  self->asks_left--;
  ase_device_set_reason(self, reply->message);
  self->asking = g_timeout_source_new(ASK_AGAIN_MS);
  g_source_set_callback(self->asking, on_ask_again, self, NULL);
  g_source_attach(self->asking, g_main_context_get_thread_default());
  ase_device_emit_changed(self);
}

static void on_telemetry(const AioReply *reply, void *ctx) {
  AseDevice *self = ctx;
  if (!self->acquirer)
    return;
  self->heard_us = g_get_monotonic_time();
  self->telemetry_hz = reply->code ? 0.0 : reply->telemetry_hz;
  if (reply->code)
    take_failure(self, reply);
  else
    set_link(self, ASE_LINK_READY, reply->message);
}

/* A fault may have been latched just before. */
static void on_first_state(const AioReply *reply, void *ctx) {
  AseDevice *self = ctx;
  if (!reply->code)
    ase_device_note_lockout(self, reply->state.lockout_ms);
  ase_device_on_reply(reply, ctx);
}

static void on_description(const AioReply *reply, void *ctx) {
  AseDevice *self = ctx;
  if (!self->acquirer)
    return;
  if (reply->code || !reply->description) {
    take_failure(self, reply);
    return;
  }
  self->description = *reply->description;
  ase_device_emit_changed(self); /* before samples come: whoever records begins a connection */
  aio_acquirer_send(self->acquirer, &(AioCommand){.kind = AIO_COMMAND_STATE}, on_first_state, self);
  const AioCommand telemetry = {.kind = AIO_COMMAND_TELEMETRY,
                                .telemetry = {.hz = self->options.telemetry_hz, .health_hz = 1.0}};
  aio_acquirer_send(self->acquirer, &telemetry, on_telemetry, self);
}

static void stop_timers(AseDevice *self) {
  ase_device_stop_heartbeat(self);
  ase_device_stop_clearing(self);
  stop_asking(self);
}

/* Who it is, for the first time or once more. What is known of its clock stays: the acquirer tells
 * it once in a connection, whatever is asked. */
static void ask(AseDevice *self, const char *reason) {
  if (!self->acquirer)
    return;
  stop_timers(self);
  self->state = (AioState){0};
  self->description = (AioDescription){0};
  self->has_pose = false;
  set_link(self, ASE_LINK_ASKING, reason);
  aio_acquirer_send(self->acquirer, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE}, on_description,
                    self);
}

/* A new connection, or a controller that restarted: nothing of before holds. */
static void begin(AseDevice *self, guint asks, const char *reason) {
  self->asks_left = asks;
  g_clear_pointer(&self->clock, g_free);
  ask(self, reason);
}

static void on_link(AseDevice *self, const AioEvent *event) {
  if (event->value) {
    begin(self, ASKS_AGAIN, "");
    return;
  }
  stop_timers(self);
  if (self->link == ASE_LINK_READY) { /* attempts to come back fail as events too */
    self->lost_lease_ms = ase_device_lease_ms(self);
    self->lost_state = self->state;
    self->lost_capabilities = self->description.capabilities;
  }
  self->state = (AioState){0};
  self->description = (AioDescription){0};
  set_link(self, ASE_LINK_LOST, event->text);
}

static void on_event(const AioEvent *event, void *ctx) {
  AseDevice *self = ctx;
  switch (event->kind) {
  case AIO_EVENT_LINK:
    on_link(self, event);
    break;
  case AIO_EVENT_BOOT:
    begin(self, ASKS_AGAIN, aio_said_word(N_("the controller restarted")));
    break;
  case AIO_EVENT_STATE:
    set_state(self, &event->state);
    ase_device_emit_changed(self);
    break;
  case AIO_EVENT_HEALTH:
    self->supply = event->supply_V;
    memcpy(self->temperature, event->motor_C, sizeof self->temperature);
    break;
  case AIO_EVENT_FAULT:
    ase_device_note_fault(self);
    break;
  case AIO_EVENT_CLOCK:
    ase_device_note_clock(self, event);
    break;
  case AIO_EVENT_MOTION_END:
  case AIO_EVENT_LEG:
  case AIO_EVENT_CLEARED:
  case AIO_EVENT_LOG:
  case AIO_EVENT_FOREIGN:
    break;
  }
  g_signal_emit(self, signals[EVENT], 0, event);
}

/* Before everybody else who hears of it: they ask for it then. */
static void on_told(AseDevice *self, gpointer data) {
  const AioEvent *event = data;
  if (event->kind == AIO_EVENT_FOREIGN)
    ase_device_note_foreign(self, event);
}

static void take_chunks(AseDevice *self) {
  AioChunk *chunk;
  while (self->display && (chunk = aio_queue_pop(self->display))) {
    self->heard_us = g_get_monotonic_time();
    self->has_pose = true; /* no chunk is published without a sample */
    self->pose_joints = chunk->joints;
    memcpy(self->pose, chunk->q + (gsize)(chunk->n - 1) * chunk->joints,
           chunk->joints * sizeof *self->pose);
    ase_device_note_still(self, chunk);
    g_signal_emit(self, signals[CHUNK], 0, chunk);
    aio_chunk_unref(chunk);
  }
}

static gboolean on_chunks(gint fd, GIOCondition condition, gpointer self) {
  (void)fd, (void)condition;
  take_chunks(self);
  return G_SOURCE_CONTINUE;
}

/* ---- opening and closing ---- */

/* Chunks are cut by the arm's time: how fast that is, the controller will say. */
static guint display_chunks(const AseDeviceOptions *options) {
  return (guint)ceil(options->display_s * CHUNKS_PER_S * FASTEST);
}

/* The acquirer of an earlier connection has closed it. */
static void subscribe(AseDevice *self, AioQueue *queue) {
  aio_queue_open(queue);
  aio_acquirer_subscribe(self->acquirer, queue);
}

bool ase_device_open(AseDevice *self, AioLink *link, const AseDeviceOptions *options,
                     GError **error) {
  ase_device_close(self);
  AioAcquirerOptions acquire = {.on_event = on_event,
                                .event_ctx = self,
                                .reopen = options->reopen,
                                .reopen_ctx = options->reopen_ctx,
                                .capture = options->capture};
  if (!aio_driver_context_of(&acquire.context, options->arm, error) ||
      !aio_driver_choose(options->driver, &acquire.context, &acquire.driver, error))
    return false;
  self->display =
      aio_queue_new(N_("display"), display_chunks(options), AIO_QUEUE_KEEP_NEWEST, error);
  if (!self->display)
    return false;
  self->options = *options;
  self->options.driver = NULL, self->options.arm = NULL; /* may go */
  self->lost_lease_ms = 0;
  self->has_still = false;
  self->acquirer = aio_acquirer_new(&acquire, link, error);
  if (!self->acquirer) {
    g_clear_pointer(&self->display, aio_queue_unref);
    return false;
  }
  self->chunks = g_unix_fd_source_new(aio_queue_fd(self->display), G_IO_IN);
  g_source_set_callback(self->chunks, G_SOURCE_FUNC(on_chunks), self, NULL);
  g_source_attach(self->chunks, g_main_context_get_thread_default());
  aio_acquirer_subscribe(self->acquirer, self->display);
  for (guint k = 0; k < self->queues; k++)
    subscribe(self, self->queue[k]);
  ase_device_watch_silence(self);
  begin(self, 0, "");
  return true;
}

typedef struct {
  AseDevice *device;
  AioAcquirer *acquirer;
} Farewell;

static gboolean on_farewell(gpointer data) {
  Farewell *farewell = data;
  aio_acquirer_free(farewell->acquirer);
  g_object_unref(farewell->device);
  g_free(farewell);
  return G_SOURCE_REMOVE;
}

/* Halts and disarms, delivers what waits. From within a reply or an event that is done a moment
 * later; the object lives until then. */
static void free_acquirer(AseDevice *self) {
  AioAcquirer *acquirer = g_steal_pointer(&self->acquirer);
  if (!aio_acquirer_is_delivering(acquirer)) {
    aio_acquirer_free(acquirer);
    return;
  }
  const Farewell farewell = {g_object_ref(self), acquirer};
  GSource *source = g_idle_source_new();
  g_source_set_priority(source, G_PRIORITY_HIGH);
  g_source_set_callback(source, on_farewell, g_memdup2(&farewell, sizeof farewell), NULL);
  g_source_attach(source, g_main_context_get_thread_default());
  g_source_unref(source);
}

void ase_device_close(AseDevice *self) {
  if (!self->acquirer)
    return;
  stop_timers(self);
  free_acquirer(self);
  take_chunks(self);
  g_source_destroy(self->chunks);
  g_clear_pointer(&self->chunks, g_source_unref);
  g_clear_pointer(&self->display, aio_queue_unref);
  self->state = (AioState){0};
  self->description = (AioDescription){0};
  ase_device_unwatch_silence(self);
  set_link(self, ASE_LINK_CLOSED, "");
}

AseDevice *ase_device_new(void) {
  return g_object_new(ASE_TYPE_DEVICE, NULL);
}

static void ase_device_init(AseDevice *self) {
  ase_device_set_reason(self, "");
  self->supply = NAN;
  for (guint j = 0; j < ARM_MAX_JOINTS; j++)
    self->temperature[j] = NAN;
}

static void ase_device_dispose(GObject *object) {
  ase_device_close(ASE_DEVICE(object));
  G_OBJECT_CLASS(ase_device_parent_class)->dispose(object);
}

static void ase_device_finalize(GObject *object) {
  AseDevice *self = ASE_DEVICE(object);
  for (guint k = 0; k < self->queues; k++)
    aio_queue_unref(self->queue[k]);
  g_free(self->reason);
  g_free(self->reason_line);
  g_free(self->foreign);
  g_free(self->clock);
  G_OBJECT_CLASS(ase_device_parent_class)->finalize(object);
}

static void ase_device_class_init(AseDeviceClass *klass) {
  G_OBJECT_CLASS(klass)->dispose = ase_device_dispose;
  G_OBJECT_CLASS(klass)->finalize = ase_device_finalize;
  const GType type = G_TYPE_FROM_CLASS(klass);
  signals[CHANGED] =
      g_signal_new("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[EVENT] =
      g_signal_new_class_handler("event", type, G_SIGNAL_RUN_FIRST, G_CALLBACK(on_told), NULL, NULL,
                                 NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[REFUSED] = g_signal_new("refused", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[CHUNK] = g_signal_new("chunk", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                1, G_TYPE_POINTER);
}

/* ---- what is known ---- */

AseLinkState ase_device_link(AseDevice *self) {
  return self->link;
}
const char *ase_device_reason(AseDevice *self) {
  return self->reason_line;
}
const char *ase_device_reason_said(AseDevice *self) {
  return self->reason;
}
const AioState *ase_device_state(AseDevice *self) {
  return &self->state;
}
const AioState *ase_device_last_state(AseDevice *self) {
  if (self->link == ASE_LINK_LOST)
    return self->lost_lease_ms ? &self->lost_state : NULL;
  return self->link == ASE_LINK_READY ? &self->state : NULL;
}
guint32 ase_device_last_capabilities(AseDevice *self) {
  return self->link == ASE_LINK_LOST ? self->lost_capabilities : self->description.capabilities;
}
bool ase_device_comes_back(AseDevice *self) {
  return self->options.reopen != NULL;
}
bool ase_device_estop_is_open(AseDevice *self) {
  return self->description.capabilities & AIO_CAN_ESTOP && !self->state.is_estop_closed;
}
double ase_device_supply(AseDevice *self) {
  return self->supply;
}

const AioDescription *ase_device_description(AseDevice *self) {
  return self->description.joints ? &self->description : NULL;
}

bool ase_device_pose(AseDevice *self, double *q) {
  const bool is_known = self->has_pose && self->description.joints > 0;
  if (is_known)
    memcpy(q, self->pose, self->description.joints * sizeof *q);
  return is_known;
}

bool ase_device_last_pose(AseDevice *self, guint joints, double *q) {
  if (joints == 0 || self->pose_joints != joints)
    return false;
  memcpy(q, self->pose, joints * sizeof *q);
  return true;
}

double ase_device_temperature(AseDevice *self, guint joint) {
  return joint >= 1 && joint <= ARM_MAX_JOINTS ? self->temperature[joint - 1] : (double)NAN;
}

void ase_device_statistics(AseDevice *self, AioStatistics *out) {
  *out = (AioStatistics){0};
  if (self->acquirer)
    aio_acquirer_statistics(self->acquirer, out);
}

guint64 ase_device_samples_not_shown(AseDevice *self) {
  AioQueueCounters counters = {.samples_dropped = 0};
  if (self->display)
    aio_queue_counters(self->display, &counters);
  return counters.samples_dropped;
}

/* ---- others ---- */

void ase_device_send(AseDevice *self, const AioCommand *command, AioReplyFunc done, void *ctx) {
  if (self->acquirer) {
    aio_acquirer_send(self->acquirer, command, done, ctx);
    return;
  }
  AioReply reply = {.code = AIO_REPLY_CODE(AIO_ERROR_GONE)};
  aio_said_copy(reply.message, sizeof reply.message,
                aio_said_word(N_("the controller is not connected")));
  done(&reply, ctx);
}

bool ase_device_add_queue(AseDevice *self, AioQueue *queue) {
  if (self->queues == AIO_QUEUES_MAX - 1) /* one is the display's */
    return false;
  self->queue[self->queues++] = aio_queue_ref(queue);
  if (self->acquirer)
    subscribe(self, queue);
  return true;
}

void ase_device_remove_queue(AseDevice *self, AioQueue *queue) {
  for (guint k = 0; k < self->queues; k++) {
    if (self->queue[k] != queue)
      continue;
    self->queue[k] = self->queue[--self->queues];
    if (self->acquirer)
      aio_acquirer_unsubscribe(self->acquirer, queue);
    aio_queue_unref(queue);
    return;
  }
}
