/* SPDX-License-Identifier: MIT */
/* Start, dispatch of requests, the tick. */
#include <string.h>

#include "wire/crc32.h"
#include "wire/device_internal.h"

typedef struct {
  uint16_t type, size;
  bool is_longer;  /* more bytes may follow */
  bool only_reads; /* allowed under another major version */
  void (*handle)(WireDevice *d, const WireReceived *request);
} Request;

static const Request requests[] = {
    {WIRE_TYPE_HELLO, WIRE_SIZE_HELLO, true, true, wire_device_on_hello},
    {WIRE_TYPE_STATE_GET, 0, false, true, wire_device_on_state_get},
    {WIRE_TYPE_JOINT_GET, WIRE_SIZE_JOINT_GET, false, true, wire_device_on_joint_get},
    {WIRE_TYPE_SCHEMA_GET, WIRE_SIZE_SCHEMA_GET, false, true, wire_device_on_schema_get},
    {WIRE_TYPE_PARAM_GET, WIRE_SIZE_PARAM_GET, false, true, wire_device_on_param_get},
    {WIRE_TYPE_PARAM_SET, WIRE_SIZE_PARAM_SET, false, false, wire_device_on_param_set},
    {WIRE_TYPE_UPLOAD_BEGIN, WIRE_SIZE_UPLOAD_BEGIN, false, false, wire_device_on_upload_begin},
    {WIRE_TYPE_UPLOAD_DATA, WIRE_SIZE_UPLOAD_DATA, true, false, wire_device_on_upload_data},
    {WIRE_TYPE_UPLOAD_ABORT, 0, false, false, wire_device_on_upload_abort},
    {WIRE_TYPE_COMMIT, WIRE_SIZE_COMMIT, false, false, wire_device_on_commit},
    {WIRE_TYPE_DIGEST_GET, 0, false, true, wire_device_on_digest_get},
    {WIRE_TYPE_SUBSCRIBE, WIRE_SIZE_SUBSCRIBE, false, true, wire_device_on_subscribe},
    {WIRE_TYPE_ARM, WIRE_SIZE_ARM, false, false, wire_device_on_arm},
    {WIRE_TYPE_LEASE, WIRE_SIZE_LEASE, false, false, wire_device_on_lease},
    {WIRE_TYPE_DISARM, WIRE_SIZE_DISARM, false, false, wire_device_on_disarm},
    {WIRE_TYPE_CLEAR, WIRE_SIZE_CLEAR, false, false, wire_device_on_clear},
    {WIRE_TYPE_MOVE, WIRE_SIZE_MOVE, true, false, wire_device_on_move},
    {WIRE_TYPE_SWEEP, WIRE_SIZE_SWEEP, false, false, wire_device_on_sweep},
    {WIRE_TYPE_TRAJ_BEGIN, WIRE_SIZE_TRAJ_BEGIN, false, false, wire_device_on_traj_begin},
    {WIRE_TYPE_TRAJ_SEGMENT, WIRE_SIZE_TRAJ_SEGMENT, true, false, wire_device_on_traj_segment},
    {WIRE_TYPE_TRAJ_START, 0, false, false, wire_device_on_traj_start},
    {WIRE_TYPE_TEST, WIRE_SIZE_TEST, false, false, wire_device_on_test},
};

enum { BACK_MAX_US = 1000000 };

/* The device's own clocks only go forward, for up to 71 minutes between two looks. A small step
 * back, as counters of two cores may show, is no time. */
static uint64_t forward(uint64_t from_us, uint32_t t_us) {
  const uint32_t ahead = t_us - (uint32_t)(from_us & UINT32_MAX), behind = 0u - ahead;
  return behind <= BACK_MAX_US ? from_us : from_us + ahead;
}

static void update_time(WireDevice *d) {
  d->now_us = forward(d->now_us, d->hal->now_us(d->ctx));
  d->wall_us = forward(d->wall_us, d->hal->wall_us(d->ctx));
}

static bool is_joint_usable(const WireDeviceJoint *joint) {
  return joint->q_min <= joint->q_max && joint->v_max > 0 && joint->a_max > 0;
}

static bool is_usable(const WireDeviceConfig *config, const WireHal *hal) {
  const bool has_storage = hal->erase && hal->write && hal->load;
  const bool has_none = !hal->erase && !hal->write && !hal->load;
  if (config->n_joints > WIRE_DEVICE_JOINTS || config->n_params > WIRE_DEVICE_PARAMS)
    return false;
  for (size_t j = 0; j < config->n_joints; j++)
    if (!is_joint_usable(&config->joints[j]))
      return false;
  return hal->now_us && hal->wall_us && hal->send && hal->read && hal->switch_drives &&
         hal->set_points && (has_storage || has_none);
}

bool wire_device_init(WireDevice *d, const WireDeviceConfig *config, const WireHal *hal,
                      void *ctx) {
  if (!is_usable(config, hal))
    return false;
  memset(d, 0, sizeof *d);
  d->config = config;
  d->hal = hal;
  d->ctx = ctx;
  wire_decoder_init(&d->decoder);
  wire_sequence_init(&d->requests);
  d->now_us = hal->now_us(ctx);
  d->wall_us = hal->wall_us(ctx);
  d->state = WIRE_STATE_OFF;
  d->schema_crc = wire_device_schema_crc(d);
  if (!wire_device_load(d))
    for (size_t k = 0; k < config->n_params; k++)
      d->staged[k] = config->params[k].initial;
  wire_device_apply(d, d->staged);
  wire_device_start_off(d);
  wire_device_halt_here(d);
  wire_device_new_token(d);
  return true;
}

static void stop_by_command(WireDevice *d, const WireReceived *request) {
  if (request->header.type == WIRE_TYPE_KILL)
    wire_device_kill(d, WIRE_FAULT_KILL);
  else
    wire_device_stop(d, WIRE_END_STOP);
  wire_device_ack_unordered(d, request);
}

static const Request *find(uint16_t type) {
  for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
    if (requests[k].type == type)
      return &requests[k];
  return NULL;
}

/* Runs a request that is new and in order. */
static void run(WireDevice *d, const WireReceived *request, uint16_t type) {
  const bool is_foreign = d->is_read_only || request->header.version != WIRE_VERSION;
  const Request *known = find(type);
  if (!known || (type == WIRE_TYPE_HELLO && type != request->header.type))
    wire_device_refuse(d, request, WIRE_CODE_TYPE);
  else if (is_foreign && !known->only_reads)
    wire_device_refuse(d, request, WIRE_CODE_VERSION);
  else if (request->length < known->size || (request->length > known->size && !known->is_longer))
    wire_device_refuse_value(d, request, WIRE_CODE_LENGTH, known->size, (int64_t)request->length);
  else
    known->handle(d, request);
}

static bool is_repetition(const WireDevice *d, const WireReceived *request) {
  return d->requests.has_started && request->header.seq == d->requests.last &&
         request->header.type == d->last_type && d->request_crc == d->last_crc;
}

/* Minor 0: the number alone says whether a request is new. */
static void take_numbered(WireDevice *d, const WireReceived *request) {
  const WireSequenceKind kind = wire_sequence_push(&d->requests, request->header.seq);
  if (kind == WIRE_SEQUENCE_REPEAT || kind == WIRE_SEQUENCE_OLD) {
    wire_device_refuse_unordered(d, request, WIRE_CODE_SEQUENCE, d->requests.last);
    return;
  }
  d->last_type = request->header.type;
  d->last_crc = d->request_crc;
  run(d, request, request->header.type);
}

/* Is it of this session and, when it moves the arm, of this arming? If not, *code says how it is
 * refused. */
static bool is_of_session(const WireDevice *d, const WireReceived *request, WireGuard *guard,
                          WireCode *code) {
  const bool is_motion = wire_is_motion(request->header.type);
  *code = WIRE_CODE_TOKEN;
  if (is_motion && d->state != WIRE_STATE_ARMED)
    *code = d->faults ? WIRE_CODE_LOCKED : WIRE_CODE_NOT_ARMED;
  return (request->header.type & WIRE_GUARDED) &&
         wire_guard_get(guard, request->payload, request->length) &&
         guard->token == (is_motion ? d->token : d->session_token);
}

/* Minor 1: what somebody else sent, or was sent in another session or arming, is refused before its
 * number is taken for one of ours. */
static void take_guarded(WireDevice *d, const WireReceived *request) {
  const uint16_t step = (uint16_t)(request->header.seq - d->requests.last);
  const uint16_t wraps = (uint16_t)(d->wraps + (request->header.seq < d->requests.last ? 1 : 0));
  WireGuard guard;
  WireCode code;
  if (!is_of_session(d, request, &guard, &code)) {
    wire_device_refuse_unordered(d, request, code, 0);
    return;
  }
  if (step == 0 || step > WIRE_AHEAD_MAX || guard.wraps != wraps) {
    wire_device_refuse_unordered(d, request, WIRE_CODE_SEQUENCE, d->requests.last);
    return;
  }
  (void)wire_sequence_push(&d->requests, request->header.seq);
  d->wraps = wraps;
  d->last_type = request->header.type;
  d->last_crc = d->request_crc;
  WireReceived bare = *request;
  bare.payload += WIRE_SIZE_GUARD;
  bare.length -= WIRE_SIZE_GUARD;
  run(d, &bare, (uint16_t)(request->header.type & ~(unsigned)WIRE_GUARDED));
}

/* An arm that is armed in a session of minor 1 changes hands only with its token, so that a
 * recorded HELLO does not stop it. */
static bool may_take_over(WireDevice *d, const WireReceived *hello) {
  WireTakeover takeover;
  wire_device_check_lease(d);
  return d->minor == 0 || d->state != WIRE_STATE_ARMED ||
         (wire_takeover_get(&takeover, hello->payload + WIRE_SIZE_HELLO,
                            hello->length - WIRE_SIZE_HELLO) &&
          takeover.token == d->token);
}

static void take_hello(WireDevice *d, const WireReceived *request) {
  if (!may_take_over(d, request)) {
    wire_device_refuse_unordered(d, request, WIRE_CODE_TOKEN, d->token);
    return;
  }
  wire_sequence_init(&d->requests);
  (void)wire_sequence_push(&d->requests, request->header.seq);
  d->last_type = request->header.type;
  d->last_crc = d->request_crc;
  wire_device_on_hello(d, request);
}

/* Each number is executed once: its repetition gets the same answer again. */
static void take_request(WireDevice *d, const WireReceived *request) {
  const uint16_t type = request->header.type;
  d->request_crc = wire_crc32(0, request->payload, request->length);
  if (type & WIRE_FROM_DEVICE) {
    d->echoes++;
  } else if (type == WIRE_TYPE_STOP || type == WIRE_TYPE_KILL) {
    stop_by_command(d, request);
  } else if (is_repetition(d, request)) {
    d->requests.repeated++;
    wire_device_repeat_reply(d);
  } else if (type == WIRE_TYPE_HELLO && request->length >= WIRE_SIZE_HELLO) {
    take_hello(d, request);
  } else if (!d->has_session) {
    wire_device_refuse_unordered(d, request, WIRE_CODE_NO_HELLO, 0);
  } else if (d->minor > 0) {
    take_guarded(d, request);
  } else {
    take_numbered(d, request);
  }
}

/* EVENT BOOT comes before anything else that is said. */
static void announce(WireDevice *d) {
  const uint8_t delimiter = WIRE_DELIMITER;
  if (d->has_booted)
    return;
  d->has_booted = true;
  (void)d->hal->send(d->ctx, &delimiter, 1);
  wire_device_event(d, WIRE_EVENT_BOOT, 0, 0, d->config->reset_cause,
                    (int32_t)(d->config->boot_count & INT32_MAX));
}

void wire_device_receive(WireDevice *d, const uint8_t *bytes, size_t n) {
  WireReceived received;
  if (n == 0)
    return; /* nothing came: nothing is said */
  update_time(d);
  announce(d);
  while (wire_decoder_next(&d->decoder, &bytes, &n, &received)) {
    if (received.kind == WIRE_RECEIVED_EMERGENCY)
      wire_device_kill(d, WIRE_FAULT_EMERGENCY);
    else
      take_request(d, &received);
  }
}

void wire_device_line_break(WireDevice *d) {
  update_time(d);
  wire_device_kill(d, WIRE_FAULT_EMERGENCY);
}

static void to_points(int32_t *out, const double *in, size_t n) {
  for (size_t j = 0; j < n; j++)
    out[j] = wire_device_point(in[j]);
}

void wire_device_tick(WireDevice *d) {
  int32_t q[WIRE_DEVICE_JOINTS], qd[WIRE_DEVICE_JOINTS];
  update_time(d);
  announce(d);
  wire_device_sense(d);
  wire_device_check_lease(d);
  wire_device_supervise(d);
  wire_device_advance(d);
  if (d->drives_on) {
    to_points(q, d->q, d->config->n_joints);
    to_points(qd, d->qd, d->config->n_joints);
    d->hal->set_points(d->ctx, q, qd);
  }
  wire_device_report(d);
}
