/* SPDX-License-Identifier: MIT */
/* The driver of the rig. */
#include "acquire_driver.h"

#include <string.h>

#include "acquire_rig.h"

typedef struct {
  guint64 ticket;
  AioCommandKind kind;
  gint64 sent_ns;
} Outstanding;

typedef struct {
  AioDriver base;
  GArray *outstanding; /* Outstanding */
  guint8 piece[sizeof(RigFrame)];
  gsize have;
  bool is_armed;
  gint64 lease_due_ns, now_ns;
  guint32 next;
  AioDriverCounters counters;
} RigDriver;

static GMutex gate;
static gint is_held;

void rig_hold(Rig *rig) {
  g_mutex_lock(&gate);
  rig_send(rig, 'W', 0, 0);
  while (!g_atomic_int_get(&is_held))
    g_usleep(100);
}

void rig_release(void) {
  g_mutex_unlock(&gate);
}

static void write_frame(RigDriver *self, guint8 type, guint8 kind, guint32 value) {
  const RigFrame frame = {.type = type, .kind = kind, .value = value};
  guint8 bytes[RIG_LONG] = {0};
  memcpy(bytes, &frame, sizeof frame);
  self->base.sink->write(self->base.sink_ctx, bytes, type == 'T' ? RIG_LONG : sizeof frame);
}

static void answer(RigDriver *self, guint k, int code, const char *message) {
  AioDescription description = {.driver = "rig", .joints = RIG_JOINTS, .time_factor = 1};
  AioParam params[RIG_PARAMS] = {0};
  const Outstanding done = g_array_index(self->outstanding, Outstanding, k);
  AioReply reply = {.ticket = done.ticket, .code = code};
  g_array_remove_index(self->outstanding, k);
  g_strlcpy(reply.message, message, sizeof reply.message);
  reply.round_trip_ns = code == 0 ? MAX(self->now_ns - done.sent_ns, 1) : 0;
  for (guint p = 0; p < RIG_PARAMS; p++)
    params[p] = (AioParam){.id = p, .value = 0.5 * p};
  if (done.kind == AIO_COMMAND_DESCRIBE)
    reply.description = &description;
  if (done.kind == AIO_COMMAND_PARAMS_GET) {
    reply.params = params;
    reply.n_params = RIG_PARAMS;
  }
  if (done.kind == AIO_COMMAND_ARM && code == 0)
    self->is_armed = true;
  self->base.sink->reply(self->base.sink_ctx, &reply);
  memset(&description, 0, sizeof description);
  memset(params, 0, sizeof params);
}

static void answer_ticket(RigDriver *self, guint32 ticket, int code, const char *message) {
  for (guint k = 0; k < self->outstanding->len; k++)
    if (g_array_index(self->outstanding, Outstanding, k).ticket == ticket) {
      answer(self, k, code, message);
      return;
    }
  g_assert_not_reached();
}

static void take_sample(RigDriver *self, guint32 index, gint64 t_ns) {
  AioSample sample = {.t_us = (guint64)index * 1000, .t_host_ns = t_ns};
  sample.lost = index - self->next;
  for (guint j = 0; j < RIG_JOINTS; j++) {
    sample.q[j] = index + 0.01 * j;
    sample.qd[j] = -sample.q[j];
    sample.current[j] = 2 * sample.q[j];
  }
  self->next = index + 1;
  self->counters.samples++;
  self->counters.samples_lost += sample.lost;
  self->base.sink->sample(self->base.sink_ctx, &sample);
}

void rig_assert_sample(const AioChunk *chunk, guint k, guint32 index) {
  g_assert_cmpuint(chunk->joints, ==, RIG_JOINTS);
  g_assert_cmpuint(chunk->t_us[k], ==, (guint64)index * 1000);
  for (guint j = 0; j < RIG_JOINTS; j++) {
    g_assert_cmpfloat(chunk->q[k * RIG_JOINTS + j], ==, index + 0.01 * j);
    g_assert_cmpfloat(chunk->qd[k * RIG_JOINTS + j], ==, -(index + 0.01 * j));
    g_assert_cmpfloat(chunk->current[k * RIG_JOINTS + j], ==, 2 * (index + 0.01 * j));
  }
}

static void take_frame(RigDriver *self, const RigFrame *frame, gint64 t_ns) {
  AioEvent event = {.kind = (AioEventKind)frame->kind, .value = frame->value, .t_host_ns = t_ns};
  self->counters.frames++;
  switch (frame->type) {
  case 'S':
    return take_sample(self, frame->value, t_ns);
  case 'A':
    return answer_ticket(self, frame->value, 0, "");
  case 'N':
    return answer_ticket(self, frame->value, AIO_REPLY_CODE(AIO_ERROR_TIMEOUT), "no answer");
  case 'L':
    event.kind = AIO_EVENT_LOG;
    return self->base.sink->event(self->base.sink_ctx, &event);
  case 'E':
    return self->base.sink->event(self->base.sink_ctx, &event);
  case 'W':
    g_atomic_int_set(&is_held, 1);
    g_mutex_lock(&gate);
    g_atomic_int_set(&is_held, 0);
    g_mutex_unlock(&gate);
    return;
  default:
    g_assert_not_reached();
  }
}

static void receive(AioDriver *driver, gint64 t_ns, const guint8 *bytes, gsize n) {
  RigDriver *self = (RigDriver *)driver;
  self->now_ns = t_ns;
  self->counters.bytes += n;
  for (gsize k = 0; k < n; k++) {
    self->piece[self->have++] = bytes[k];
    if (self->have == sizeof(RigFrame)) {
      RigFrame frame;
      memcpy(&frame, self->piece, sizeof frame);
      self->have = 0;
      take_frame(self, &frame, t_ns);
    }
  }
}

/* A lease of 100 ms, renewed every 30 ms. */
static gint64 tick(AioDriver *driver, gint64 t_ns) {
  RigDriver *self = (RigDriver *)driver;
  self->now_ns = t_ns;
  if (!self->is_armed || t_ns >= driver->alive_until_ns)
    return G_MAXINT64;
  if (t_ns >= self->lease_due_ns) {
    write_frame(self, 'K', 0, 0);
    self->lease_due_ns = t_ns + 30000000;
  }
  return self->lease_due_ns;
}

static void disconnected(AioDriver *driver) {
  RigDriver *self = (RigDriver *)driver;
  while (self->outstanding->len > 0)
    answer(self, 0, AIO_REPLY_CODE(AIO_ERROR_GONE), "the link was lost");
}

static void counters(const AioDriver *driver, AioDriverCounters *out) {
  *out = ((const RigDriver *)driver)->counters;
}

static void free_driver(AioDriver *driver) {
  g_array_unref(((RigDriver *)driver)->outstanding);
  g_free(driver);
}

static void command(AioDriver *driver, guint64 ticket, AioCommandKind kind) {
  RigDriver *self = (RigDriver *)driver;
  const Outstanding one = {ticket, kind, self->now_ns};
  g_array_append_val(self->outstanding, one);
  write_frame(self, kind == AIO_COMMAND_TEST ? 'T' : 'C', (guint8)kind, (guint32)ticket);
}

static void describe(AioDriver *driver, guint64 ticket) {
  command(driver, ticket, AIO_COMMAND_DESCRIBE);
}
static void state(AioDriver *driver, guint64 ticket) {
  command(driver, ticket, AIO_COMMAND_STATE);
}
static void arm(AioDriver *driver, guint64 ticket, guint ttl_ms) {
  (void)ttl_ms;
  command(driver, ticket, AIO_COMMAND_ARM);
}
static void disarm(AioDriver *driver, guint64 ticket, bool drives_off) {
  g_assert_false(drives_off);
  command(driver, ticket, AIO_COMMAND_DISARM);
}
static void stop(AioDriver *driver, guint64 ticket) {
  command(driver, ticket, AIO_COMMAND_STOP);
}
static void kill_drives(AioDriver *driver, guint64 ticket) {
  command(driver, ticket, AIO_COMMAND_KILL);
}
static void params_get(AioDriver *driver, guint64 ticket) {
  command(driver, ticket, AIO_COMMAND_PARAMS_GET);
}
static void params_upload(AioDriver *driver, guint64 ticket, const double *values, guint n) {
  for (guint k = 0; k < n; k++)
    g_assert_cmpfloat(values[k], ==, k + 0.25);
  command(driver, ticket, AIO_COMMAND_PARAMS_UPLOAD);
}
static void test(AioDriver *driver, guint64 ticket, const AioTest *what) {
  (void)what;
  command(driver, ticket, AIO_COMMAND_TEST);
}

static AioDriver *make(const AioSink *sink, void *sink_ctx, guint32 host_id,
                       const AioDriverContext *context) {
  RigDriver *self = g_new0(RigDriver, 1);
  (void)host_id, (void)context;
  self->base = (AioDriver){.klass = &rig_driver, .sink = sink, .sink_ctx = sink_ctx};
  self->outstanding = g_array_new(FALSE, FALSE, sizeof(Outstanding));
  return &self->base;
}

const AioDriverClass rig_driver = {
    .name = "rig",
    .make = make,
    .receive = receive,
    .tick = tick,
    .disconnected = disconnected,
    .counters = counters,
    .free = free_driver,
    .describe = describe,
    .state = state,
    .arm = arm,
    .disarm = disarm,
    .stop = stop,
    .kill = kill_drives,
    .params_get = params_get,
    .params_upload = params_upload,
    .test = test,
};
