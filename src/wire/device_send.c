/* SPDX-License-Identifier: MIT */
/* All that leaves the device. Telemetry has a sequence of its own, so that a flood of it does not
 * hide the loss of an answer; the last answer is kept, to be repeated to a request that is
 * repeated. */
#include <string.h>

#include "wire/bytes.h"
#include "wire/device_internal.h"

enum { LOG_MAX = 400, REFUSED_BYTES = WIRE_SIZE_REFUSED + WIRE_SIZE_REQUEST_CRC };

static bool send_frame(WireDevice *d, uint16_t type, uint16_t seq, uint32_t t_us,
                       const uint8_t *payload, size_t n) {
  const WireHeader header = {WIRE_VERSION, type, seq, t_us};
  const size_t length = wire_frame_encode(d->tx, &header, payload, n);
  return d->hal->send(d->ctx, d->tx, length);
}

/* Answers and events share one sequence, telemetry has its own. A frame for which there is no room
 * still takes its number, so that the host sees the gap. */
static void send_ordered(WireDevice *d, uint16_t type, const uint8_t *payload, size_t n) {
  (void)send_frame(d, type, d->sent++, (uint32_t)(d->now_us & UINT32_MAX), payload, n);
}

void wire_device_reply(WireDevice *d, uint16_t type, const uint8_t *payload, size_t n) {
  d->reply_type = type;
  d->reply_length = n;
  memcpy(d->reply, payload, n);
  send_ordered(d, type, payload, n);
}

void wire_device_repeat_reply(WireDevice *d) {
  send_ordered(d, d->reply_type, d->reply, d->reply_length);
}

uint16_t wire_device_flags(const WireDevice *d) {
  unsigned flags = 0;
  flags |= d->drives_on ? WIRE_FLAG_DRIVES_ON : 0u;
  flags |= d->reading.is_estop_closed ? WIRE_FLAG_ESTOP_CLOSED : 0u;
  flags |= d->slot < 0 ? WIRE_FLAG_DEFAULTS : 0u;
  flags |= d->slot < 0 || d->digest != d->stored_digest ? WIRE_FLAG_UNSAVED : 0u;
  flags |= d->is_uploading ? WIRE_FLAG_UPLOAD : 0u;
  return (uint16_t)flags;
}

static void put_ack(const WireDevice *d, const WireReceived *request, uint32_t value,
                    uint8_t *payload) {
  const WireAck ack = {.request_seq = request->header.seq,
                       .request_type = request->header.type,
                       .state = d->state,
                       .motion = d->motion.kind,
                       .flags = wire_device_flags(d),
                       .faults = d->faults,
                       .value = value};
  wire_ack_put(payload, &ack);
}

void wire_device_ack(WireDevice *d, const WireReceived *request, uint32_t value) {
  uint8_t payload[WIRE_SIZE_ACK];
  put_ack(d, request, value, payload);
  wire_device_reply(d, WIRE_TYPE_ACK, payload, sizeof payload);
}

void wire_device_ack_unordered(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_ACK];
  put_ack(d, request, 0, payload);
  send_ordered(d, WIRE_TYPE_ACK, payload, sizeof payload);
}

static int32_t saturate(int64_t x) {
  return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x;
}

/* The CRC says which request it was, beyond its number: a host hears refusals of what others sent,
 * too. Returns the bytes. */
static size_t put_refused(const WireDevice *d, const WireReceived *request, WireRefused refused,
                          uint8_t *payload) {
  const WireRequestCrc crc = {d->request_crc};
  refused.request_seq = request->header.seq;
  refused.request_type = request->header.type;
  wire_refused_put(payload, &refused);
  wire_request_crc_put(payload + WIRE_SIZE_REFUSED, &crc);
  return d->config->is_minor_0 ? WIRE_SIZE_REFUSED : REFUSED_BYTES;
}

static void refuse(WireDevice *d, const WireReceived *request, WireRefused refused) {
  uint8_t payload[REFUSED_BYTES];
  const size_t length = put_refused(d, request, refused, payload);
  wire_device_reply(d, WIRE_TYPE_REFUSED, payload, length);
}

void wire_device_refuse(WireDevice *d, const WireReceived *request, WireCode code) {
  const WireRefused refused = {.code = (uint16_t)code};
  refuse(d, request, refused);
}

void wire_device_refuse_unordered(WireDevice *d, const WireReceived *request, WireCode code,
                                  uint32_t limit) {
  uint8_t payload[REFUSED_BYTES];
  const WireRefused refused = {.code = (uint16_t)code,
                               .limit = (int32_t)limit,
                               .asked =
                                   code == WIRE_CODE_SEQUENCE ? (int32_t)request->header.seq : 0};
  const size_t length = put_refused(d, request, refused, payload);
  send_ordered(d, WIRE_TYPE_REFUSED, payload, length);
}

void wire_device_refuse_value(WireDevice *d, const WireReceived *request, WireCode code,
                              int64_t limit, int64_t asked) {
  const WireRefused refused = {
      .code = (uint16_t)code, .limit = saturate(limit), .asked = saturate(asked)};
  refuse(d, request, refused);
}

void wire_device_refuse_bound(WireDevice *d, const WireReceived *request, size_t joint,
                              WireBound bound, int64_t limit, int64_t asked) {
  const WireRefused refused = {.code = WIRE_CODE_BOUND,
                               .joint = (uint8_t)(joint + 1),
                               .bound = (uint8_t)bound,
                               .limit = saturate(limit),
                               .asked = saturate(asked)};
  refuse(d, request, refused);
}

void wire_device_event(WireDevice *d, WireEventCode code, uint16_t id, uint8_t joint,
                       uint8_t reason, int32_t value) {
  uint8_t payload[WIRE_SIZE_EVENT];
  const WireEvent event = {(uint16_t)code, id, joint, reason, value};
  wire_event_put(payload, &event);
  send_ordered(d, WIRE_TYPE_EVENT, payload, sizeof payload);
}

void wire_device_log(WireDevice *d, uint8_t level, const char *text) {
  uint8_t payload[WIRE_SIZE_LOG + LOG_MAX];
  const char *end = memchr(text, 0, LOG_MAX);
  const size_t length = end ? (size_t)(end - text) : LOG_MAX;
  const WireLog log = {level};
  wire_log_put(payload, &log);
  memcpy(payload + WIRE_SIZE_LOG, text, length);
  send_ordered(d, WIRE_TYPE_LOG, payload, WIRE_SIZE_LOG + length);
}

static bool is_joint_moving(const WireDevice *d, size_t joint) {
  return d->qd[joint] > 0.0 || d->qd[joint] < 0.0;
}

static void send_telem(WireDevice *d) {
  uint8_t payload[WIRE_PAYLOAD_MAX];
  const WireReading *r = &d->reading;
  const unsigned late = d->has_skipped ? WIRE_FLAG_LATE : 0u;
  const WireTelem telem = {
      .state = d->state,
      .motion = d->motion.kind,
      .flags = (uint16_t)(wire_device_flags(d) | late),
      .faults = d->faults,
      .motion_id = d->motion.id,
      .joint = d->motion.kind == WIRE_MOTION_SWEEP ? (uint8_t)(d->motion.joint + 1) : (uint8_t)0,
      .count = (uint8_t)d->config->n_joints};
  uint8_t *end = payload + WIRE_SIZE_TELEM;
  wire_telem_put(payload, &telem);
  for (size_t j = 0; j < d->config->n_joints; j++, end += WIRE_SIZE_TELEM_JOINT) {
    const unsigned moving = is_joint_moving(d, j) ? WIRE_JOINT_MOVING : 0u;
    const WireTelemJoint joint = {r->q[j], r->qd[j], r->current[j],
                                  (uint16_t)((r->flags[j] & 0xff00u) | moving)};
    wire_telem_joint_put(end, &joint);
  }
  (void)send_frame(d, WIRE_TYPE_TELEM, d->telem_sent++, r->t_us, payload, (size_t)(end - payload));
  d->has_skipped = false;
}

static void send_health(WireDevice *d) {
  uint8_t payload[WIRE_SIZE_HEALTH + WIRE_SIZE_HEALTH_JOINT * WIRE_DEVICE_JOINTS];
  const WireHealth health = {.supply_mv = d->reading.supply_mv,
                             .temperature = d->reading.temperature,
                             .count = (uint8_t)d->config->n_joints};
  uint8_t *end = payload + WIRE_SIZE_HEALTH;
  wire_health_put(payload, &health);
  for (size_t j = 0; j < d->config->n_joints; j++, end += WIRE_SIZE_HEALTH_JOINT) {
    const WireHealthJoint joint = {d->reading.motor_temperature[j]};
    wire_health_joint_put(end, &joint);
  }
  send_ordered(d, WIRE_TYPE_HEALTH, payload, (size_t)(end - payload));
}

/* True once per period; *next stays on the grid of periods, and those that passed are skipped. */
static bool is_due(uint64_t now, uint32_t period, uint64_t *next, bool *has_skipped) {
  if (period == 0 || now < *next)
    return false;
  *next += period;
  if (now >= *next) {
    *next += (now - *next) / period * period + period;
    *has_skipped = true;
  }
  return true;
}

void wire_device_report(WireDevice *d) {
  bool is_health_late = false;
  if (is_due(d->now_us, d->telem_period_us, &d->telem_next_us, &d->has_skipped))
    send_telem(d);
  if (is_due(d->now_us, d->health_period_us, &d->health_next_us, &is_health_late))
    send_health(d);
}
