/* SPDX-License-Identifier: MIT */
/* The native driver: the queue of commands, exchanges, the lease. */
#include "io/driver/native/driver_native.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/said.h"
#include "wire/text.h"

enum { BAUD = 1000000, BYTES_PER_S = BAUD / 10 }; /* 8N1: ten bits a byte */

static guint64 to_us(gint64 t_ns) {
  return t_ns > 0 ? (guint64)t_ns / 1000 : 0;
}

static gint64 to_ns(guint64 t_us) {
  return t_us < (guint64)G_MAXINT64 / 1000 ? (gint64)t_us * 1000 : G_MAXINT64;
}

/* ---- replies ---- */

void aio_native_error(AioReply *reply, AioErrorCode code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  reply->code = AIO_REPLY_CODE(code);
  char *said = aio_said_v(format, list);
  va_end(list);
  aio_said_copy(reply->message, sizeof reply->message, said);
  g_free(said);
}

static void free_command(AioNativeCommand *command) {
  if (command->set)
    g_byte_array_unref(command->set);
  g_free(command->values);
  g_free(command);
}

static void answer_ticket(AioNative *native, guint64 ticket, AioReply *reply) {
  reply->ticket = ticket;
  reply->state = native->state;
  reply->round_trip_ns = native->round_trip_ns;
  native->base.sink->reply(native->base.sink_ctx, reply);
}

static void finish(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  if (native->current == command)
    native->current = NULL;
  answer_ticket(native, command->ticket, reply);
  free_command(command);
}

/* Marks what was given so far, and reap ends it; what a sink gives meanwhile stays. A handler may
 * be at work on the current command, so it is not freed here. */
static void doom(AioNative *native, AioErrorCode code, const char *why, bool spares_hello) {
  for (AioNativeCommand *command; (command = g_queue_pop_head(&native->commands));) {
    command->doom_code = code;
    command->doom = why;
    g_queue_push_tail(&native->doomed, command);
  }
  AioNativeCommand *current = native->current;
  if (!current || (spares_hello && aio_native_is_hello(current)))
    return;
  current->doom_code = code;
  current->doom = why;
  if (native->flight == AIO_NATIVE_COMMAND) {
    wire_host_abandon(&native->host);
    native->flight = AIO_NATIVE_IDLE;
  }
}

static void end_doomed(AioNative *native, AioNativeCommand *command) {
  AioReply reply = {0};
  reply.code = AIO_REPLY_CODE(command->doom_code);
  aio_said_copy(reply.message, sizeof reply.message, aio_said_word(command->doom));
  finish(native, command, &reply);
}

static void reap(AioNative *native) {
  if (native->current && native->current->doom)
    end_doomed(native, native->current);
  for (AioNativeCommand *command; (command = g_queue_pop_head(&native->doomed));)
    end_doomed(native, command);
}

static void answer_tickets(AioNative *native, GArray *tickets, AioReply *reply) {
  GArray *old = g_array_copy(tickets);
  g_array_set_size(tickets, 0);
  for (guint k = 0; k < old->len; k++)
    answer_ticket(native, g_array_index(old, guint64, k), reply);
  g_array_unref(old);
}

void aio_native_session_over(AioNative *native, const char *why) {
  const bool had_session = native->has_session;
  native->has_session = false;
  native->is_leased = false;
  native->has_state = false;
  native->wants_refresh = false;
  native->trajectory_joints = 0;
  if (native->flight == AIO_NATIVE_LEASE || native->flight == AIO_NATIVE_REFRESH) {
    wire_host_abandon(&native->host);
    native->flight = AIO_NATIVE_IDLE;
  }
  if (had_session)
    doom(native, AIO_ERROR_GONE, why, true);
}

void aio_native_forget(AioNative *native) {
  doom(native, AIO_ERROR_CANCELLED, "cancelled", false);
  native->wants_refresh = false;
  if (native->flight != AIO_NATIVE_IDLE)
    wire_host_abandon(&native->host);
  native->flight = AIO_NATIVE_IDLE;
  reap(native);
}

/* ---- sending ---- */

static bool send_lease(AioNative *native) {
  guint8 payload[WIRE_SIZE_LEASE];
  const WireLease lease = {native->token};
  wire_lease_put(payload, &lease);
  native->flight = AIO_NATIVE_LEASE;
  return wire_host_request(&native->host, to_us(native->now_ns), WIRE_TYPE_LEASE, payload,
                           sizeof payload);
}

static bool is_lease_due(const AioNative *native) {
  return native->is_leased && native->now_ns >= native->lease_due_ns &&
         native->now_ns < native->base.alive_until_ns;
}

static bool is_permitted(const AioNative *native, const AioNativeKind *kind, AioReply *reply) {
  const AioDescription *d = &native->description;
  if (kind->needs_session && !native->has_session)
    aio_native_error(reply, AIO_ERROR_REFUSED, N_("no session with the controller: connect first"));
  else if (kind->is_change && d->is_read_only)
    aio_native_error(reply, AIO_ERROR_REFUSED,
                     N_("the controller speaks version %s of the protocol, this program version "
                        "%d.%d: only reading is possible"),
                     d->protocol, WIRE_VERSION, WIRE_MINOR);
  else
    return true;
  return false;
}

/* false: it has ended with `reply`. */
static bool send_command(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  const AioNativeKind *kind = command->kind;
  if (!is_permitted(native, kind, reply) || (kind->encode && !kind->encode(native, command, reply)))
    return false;
  native->host.is_hurried |= kind->is_hurried;
  native->flight = AIO_NATIVE_COMMAND;
  return wire_host_request(&native->host, to_us(native->now_ns), command->type, command->payload,
                           command->length);
}

static bool ask_state(AioNative *native) {
  native->flight = AIO_NATIVE_REFRESH;
  return wire_host_request(&native->host, to_us(native->now_ns), WIRE_TYPE_STATE_GET, NULL, 0);
}

/* A motion's id is the number of its request, and 0 says that none runs: a question takes it. */
static bool would_be_no_motion(const AioNative *native, const AioNativeCommand *command) {
  return native->host.next_seq == 0 && native->has_session && wire_is_motion(command->type);
}

/* true: something was sent or a command has ended. While a STOP or KILL is outstanding, only the
 * lease is sent. */
static bool step(AioNative *native) {
  native->host.is_hurried = native->is_leased;
  if (is_lease_due(native))
    return send_lease(native);
  if (native->stops->len > 0 || native->kills->len > 0)
    return false;
  if (native->wants_refresh && native->has_session) {
    native->wants_refresh = false;
    return ask_state(native);
  }
  if (!native->current)
    native->current = g_queue_pop_head(&native->commands);
  if (!native->current)
    return false;
  if (would_be_no_motion(native, native->current))
    return ask_state(native);
  AioReply reply = {0};
  if (!send_command(native, native->current, &reply))
    finish(native, native->current, &reply);
  return true;
}

/* Sends what is next until something is outstanding; a sink that gives commands meanwhile only adds
 * to the queue. */
static void pump(AioNative *native) {
  if (native->is_busy)
    return;
  native->is_busy = true;
  do
    reap(native);
  while (!native->host.request.is_open && step(native));
  native->is_busy = false;
}

AioNativeCommand *aio_native_command(guint64 ticket, const AioNativeKind *kind, guint16 type) {
  AioNativeCommand *command = g_new0(AioNativeCommand, 1);
  command->ticket = ticket;
  command->kind = kind;
  command->type = type;
  return command;
}

void aio_native_submit(AioNative *native, AioNativeCommand *command) {
  g_queue_push_tail(&native->commands, command);
  native->is_sent_blind |= !native->is_busy;
  pump(native);
}

void aio_native_reject(AioNative *native, AioNativeCommand *command, const char *format, ...) {
  AioReply reply = {.code = AIO_REPLY_CODE(AIO_ERROR_REFUSED)};
  va_list list;
  va_start(list, format);
  char *said = aio_said_v(format, list);
  va_end(list);
  aio_said_copy(reply.message, sizeof reply.message, said);
  g_free(said);
  finish(native, command, &reply);
}

/* STOP and KILL go out before anything else happens. */
static void overtake(AioNative *native, guint64 ticket, bool is_kill) {
  native->is_sent_blind |= !native->is_busy;
  if (is_kill)
    wire_host_kill(&native->host, to_us(native->now_ns));
  else
    wire_host_stop(&native->host, to_us(native->now_ns));
  g_array_append_val(is_kill ? native->kills : native->stops, ticket);
  native->wants_refresh |= native->flight == AIO_NATIVE_REFRESH;
  native->flight = AIO_NATIVE_IDLE;
  doom(native, AIO_ERROR_CANCELLED,
       is_kill ? N_("cancelled: the drives were switched off") : N_("cancelled by a stop"), false);
  pump(native);
}

static void stop(AioDriver *driver, guint64 ticket) {
  overtake((AioNative *)driver, ticket, false);
}

static void kill_drives(AioDriver *driver, guint64 ticket) {
  overtake((AioNative *)driver, ticket, true);
}

/* ---- answers ---- */

/* A refusal or no answer at all. */
static void fail(AioNative *native, const WireRefused *refused) {
  AioReply reply = {0};
  AioNativeCommand *command = native->current;
  const WireExchange *request = &native->host.request;
  if (refused) {
    reply.code = AIO_REPLY_CODE(AIO_ERROR_DEVICE);
    aio_native_refusal(native, refused, &reply);
  } else {
    aio_native_error(
        &reply, AIO_ERROR_TIMEOUT,
        N_("%s: no answer from the controller after %u tries; look at its cable and its "
           "supply, then connect it again"),
        wire_type_name(request->type), request->tries);
  }
  const bool goes_on = command->kind->fail && command->kind->fail(native, command, refused, &reply);
  if (!goes_on || command->has_ended)
    finish(native, command, &reply);
}

static void lease_answered(AioNative *native, const WireIncoming *incoming,
                           const WireRefused *refused) {
  WireAck ack;
  if (refused) {
    native->is_leased = false;
    native->wants_refresh = true;
  } else if (wire_ack_get(&ack, incoming->payload, incoming->length)) {
    aio_native_start_lease(native, incoming, native->ttl_ms);
    aio_native_take_ack(native, incoming, &ack, native->state.motion_id);
  }
}

static void command_answered(AioNative *native, const WireIncoming *incoming) {
  AioNativeCommand *command = native->current;
  AioReply reply = {0};
  if (!command->kind->answer || command->kind->answer(native, command, incoming, &reply))
    finish(native, command, &reply);
}

static void take_answer(AioNative *native, const WireIncoming *incoming) {
  WireRefused refusal;
  const bool is_refused = incoming->type == WIRE_TYPE_REFUSED &&
                          wire_refused_get(&refusal, incoming->payload, incoming->length);
  const WireRefused *refused = is_refused ? &refusal : NULL;
  const AioNativeFlight flight = native->flight;
  native->round_trip_ns = to_ns(incoming->round_trip_us);
  native->flight = AIO_NATIVE_IDLE;
  if (refused && refused->code == WIRE_CODE_NO_HELLO && native->has_session) {
    aio_native_session_over(native, N_("the controller has restarted: connect again"));
    if (flight != AIO_NATIVE_COMMAND || !aio_native_is_hello(native->current))
      return;
  }
  if (flight == AIO_NATIVE_LEASE)
    lease_answered(native, incoming, refused);
  else if (flight == AIO_NATIVE_REFRESH)
    native->odd += !refused && !aio_native_take_state(native, incoming);
  else if (flight == AIO_NATIVE_COMMAND && refused)
    fail(native, refused);
  else if (flight == AIO_NATIVE_COMMAND)
    command_answered(native, incoming);
}

static void take_urgent(AioNative *native, const WireIncoming *incoming) {
  AioReply reply = {0};
  WireAck ack;
  WireRefused refused;
  GArray *tickets = incoming->request_type == WIRE_TYPE_KILL ? native->kills : native->stops;
  native->round_trip_ns = to_ns(incoming->round_trip_us);
  if (incoming->type == WIRE_TYPE_REFUSED &&
      wire_refused_get(&refused, incoming->payload, incoming->length)) {
    reply.code = AIO_REPLY_CODE(AIO_ERROR_DEVICE);
    aio_native_refusal(native, &refused, &reply);
  } else if (wire_ack_get(&ack, incoming->payload, incoming->length)) {
    aio_native_take_ack(native, incoming, &ack, native->state.motion_id);
  }
  answer_tickets(native, tickets, &reply);
}

static void receive(AioDriver *driver, gint64 t_ns, const guint8 *bytes, gsize n) {
  AioNative *native = (AioNative *)driver;
  WireIncoming incoming;
  native->now_ns = t_ns;
  native->is_busy = true;
  while (wire_host_next(&native->host, to_us(t_ns), &bytes, &n, &incoming)) {
    aio_native_tell_foreign(native); /* before what a request of somebody else has done */
    if (incoming.kind == WIRE_INCOMING_REPORT)
      aio_native_report(native, &incoming);
    else if (incoming.kind == WIRE_INCOMING_URGENT)
      take_urgent(native, &incoming);
    else
      take_answer(native, &incoming);
    native->is_busy = false;
    pump(native);
    native->is_busy = true;
  }
  aio_native_tell_foreign(native);
  native->is_busy = false;
  pump(native);
}

/* ---- time ---- */

static void give_up(AioNative *native, unsigned what) {
  const AioNativeFlight flight = native->flight;
  AioReply reply = {0};
  aio_native_error(&reply, AIO_ERROR_TIMEOUT,
                   N_("the controller does not answer: use the emergency stop of the arm"));
  if (what & WIRE_HOST_NO_KILL)
    answer_tickets(native, native->kills, &reply);
  if (what & WIRE_HOST_NO_STOP)
    answer_tickets(native, native->stops, &reply);
  if (!(what & WIRE_HOST_NO_ANSWER))
    return;
  native->flight = AIO_NATIVE_IDLE;
  if (flight == AIO_NATIVE_LEASE)
    native->lease_due_ns = native->now_ns + (gint64)native->ttl_ms * 1000000 / 3;
  else if (flight == AIO_NATIVE_COMMAND)
    fail(native, NULL);
}

static gint64 tick(AioDriver *driver, gint64 t_ns) {
  AioNative *native = (AioNative *)driver;
  native->now_ns = t_ns;
  if (native->is_sent_blind)
    wire_host_sent_at(&native->host, to_us(t_ns));
  native->is_sent_blind = false;
  const unsigned lost = wire_host_tick(&native->host, to_us(t_ns));
  native->is_busy = true;
  if (lost)
    give_up(native, lost);
  native->is_busy = false;
  pump(native);
  const gint64 next_ns = to_ns(wire_host_next_us(&native->host));
  const bool is_lease_next =
      native->is_leased && !native->host.request.is_open && (native->lease_due_ns > t_ns);
  return is_lease_next ? MIN(next_ns, native->lease_due_ns) : next_ns;
}

/* ---- life ---- */

static void disconnected(AioDriver *driver) {
  AioNative *native = (AioNative *)driver;
  AioReply reply = {0};
  const char *why = N_("the connection to the controller was lost");
  aio_native_session_over(native, why);
  wire_host_disconnect(&native->host);
  native->flight = AIO_NATIVE_IDLE;
  aio_native_error(&reply, AIO_ERROR_GONE, "%s", aio_said_word(why));
  doom(native, AIO_ERROR_GONE, why, false);
  native->is_busy = true;
  reap(native);
  answer_tickets(native, native->kills, &reply);
  answer_tickets(native, native->stops, &reply);
  native->is_busy = false;
  pump(native);
}

static void counters(const AioDriver *driver, AioDriverCounters *out) {
  const AioNative *native = (const AioNative *)driver;
  const WireHostCounters *host = &native->host.counters;
  const WireCounters *bytes = &native->host.decoder.counters;
  *out = (AioDriverCounters){.bytes = bytes->bytes_fed,
                             .frames = bytes->frames,
                             .frames_bad =
                                 wire_counters_rejected(bytes) + host->answers_odd + native->odd,
                             .samples = native->samples,
                             .samples_lost = native->samples_lost,
                             .other_lost = host->others_lost - native->others_lost_before,
                             .retries = host->repeated,
                             .timeouts = host->timeouts,
                             .foreign = host->foreign};
}

static void free_driver(AioDriver *driver) {
  AioNative *native = (AioNative *)driver;
  if (native->current)
    free_command(native->current);
  for (AioNativeCommand *command; (command = g_queue_pop_head(&native->commands));)
    free_command(command);
  g_array_unref(native->stops);
  g_array_unref(native->kills);
  g_free(native->params);
  g_free(native->fetched);
  g_free(native);
}

static void write_bytes(void *ctx, const uint8_t *bytes, size_t n) {
  const AioNative *native = ctx;
  native->base.sink->write(native->base.sink_ctx, bytes, n);
}

static AioDriver *make_driver(const AioSink *sink, void *sink_ctx, guint32 host_id,
                              const AioDriverContext *context) {
  (void)context;
  AioNative *native = g_new0(AioNative, 1);
  native->base.klass = &aio_driver_native;
  native->base.sink = sink;
  native->base.sink_ctx = sink_ctx;
  native->host_id = host_id;
  native->stops = g_array_new(FALSE, FALSE, sizeof(guint64));
  native->kills = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_queue_init(&native->commands);
  g_queue_init(&native->doomed);
  wire_host_init(&native->host, write_bytes, native, BYTES_PER_S,
                 (guint16)(host_id >> 16 ^ host_id));
  return &native->base;
}

const AioDriverClass aio_driver_native = {
    .name = "native",
    .default_baud = BAUD,
    .make = make_driver,
    .receive = receive,
    .tick = tick,
    .disconnected = disconnected,
    .counters = counters,
    .free = free_driver,
    .probe = aio_native_probe,
    .describe = aio_native_describe,
    .state = aio_native_get_state,
    .telemetry = aio_native_telemetry,
    .arm = aio_native_arm,
    .disarm = aio_native_disarm,
    .clear = aio_native_clear,
    .move = aio_native_move,
    .sweep = aio_native_sweep,
    .trajectory_begin = aio_native_trajectory_begin,
    .trajectory_segment = aio_native_trajectory_segment,
    .trajectory_start = aio_native_trajectory_start,
    .stop = stop,
    .kill = kill_drives,
    .params_get = aio_native_params_get,
    .param_set = aio_native_param_set,
    .params_upload = aio_native_params_upload,
    .params_digest = aio_native_params_digest,
    .test = aio_native_test,
    .replay_sent = aio_native_replay_sent,
    .replay_size = sizeof(AioNativeReplay),
};
