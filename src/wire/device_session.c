/* SPDX-License-Identifier: MIT */
/* HELLO, and the requests that only read. */
#include "wire/device_internal.h"

/* A program that connects while another has the arm armed takes the arm from it: the arm holds. */
static void take_over(WireDevice *d) {
  if (d->state == WIRE_STATE_ARMED) {
    d->state = WIRE_STATE_HELD;
    wire_device_stop(d, WIRE_END_HELLO);
  }
  d->is_uploading = false;
  d->telem_period_us = d->health_period_us = 0;
  wire_device_new_token(d);
}

void wire_device_on_hello(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_HELLO_ACK];
  WireHello hello;
  (void)wire_hello_get(&hello, request->payload, request->length);
  take_over(d);
  const WireDeviceConfig *c = d->config;
  const uint8_t minor = c->is_minor_0 ? 0 : WIRE_MINOR;
  d->has_session = true;
  d->is_read_only = hello.major != WIRE_VERSION;
  d->minor = d->is_read_only || hello.minor < minor ? 0 : minor;
  d->wraps = 0;
  d->session_token = d->token;
  const WireHelloAck ack = {.request_seq = request->header.seq,
                            .major = WIRE_VERSION,
                            .minor = minor,
                            .uid0 = c->uid[0],
                            .uid1 = c->uid[1],
                            .uid2 = c->uid[2],
                            .firmware = c->firmware,
                            .schema_crc = d->schema_crc,
                            .digest = d->digest,
                            .boot_count = c->boot_count,
                            .reset_cause = c->reset_cause,
                            .joints = (uint8_t)c->n_joints,
                            .params = (uint16_t)c->n_params,
                            .capabilities = c->capabilities,
                            .time_factor = c->time_factor,
                            .token = d->token,
                            .ttl_min_ms = c->ttl_min_ms,
                            .ttl_max_ms = c->ttl_max_ms,
                            .telem_max_hz = c->telem_max_hz,
                            .segments = WIRE_DEVICE_SEGMENTS};
  wire_hello_ack_put(payload, &ack);
  wire_device_reply(d, WIRE_TYPE_HELLO_ACK, payload, sizeof payload);
}

void wire_device_on_state_get(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_STATE];
  const WireCounters *counters = &d->decoder.counters;
  const WireState state = {
      .request_seq = request->header.seq,
      .state = d->state,
      .motion = d->motion.kind,
      .flags = wire_device_flags(d),
      .motion_id = d->motion.id,
      .faults = d->faults,
      .active = d->active,
      .token = d->token,
      .last_id = d->last_id,
      .last_end = d->last_end,
      .joint = d->motion.kind == WIRE_MOTION_SWEEP ? (uint8_t)(d->motion.joint + 1) : (uint8_t)0,
      .lease_ms = wire_device_lease_ms(d),
      .lockout_ms = wire_device_lockout_ms(d),
      .frames = (uint32_t)(counters->frames & UINT32_MAX),
      .rejected = (uint32_t)(wire_counters_rejected(counters) & UINT32_MAX),
      .lost = (uint32_t)(d->requests.lost & UINT32_MAX)};
  wire_state_put(payload, &state);
  wire_device_reply(d, WIRE_TYPE_STATE, payload, sizeof payload);
}

void wire_device_on_joint_get(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_JOINT];
  WireJointGet get;
  (void)wire_joint_get_get(&get, request->payload, request->length);
  if (get.joint < 1 || get.joint > d->config->n_joints) {
    wire_device_refuse_value(d, request, WIRE_CODE_JOINT, (int64_t)d->config->n_joints, get.joint);
    return;
  }
  const WireDeviceJoint *j = &d->config->joints[get.joint - 1];
  const WireJoint joint = {.request_seq = request->header.seq,
                           .joint = get.joint,
                           .kind = j->is_sliding ? WIRE_JOINT_SLIDES : WIRE_JOINT_ROTATES,
                           .q_min = j->q_min,
                           .q_max = j->q_max,
                           .v_max = j->v_max,
                           .a_max = j->a_max,
                           .i_max = j->i_max,
                           .temperature_max = j->temperature_max,
                           .following_max = j->following_max,
                           .quantum = j->quantum};
  wire_joint_put(payload, &joint);
  wire_device_reply(d, WIRE_TYPE_JOINT, payload, sizeof payload);
}

/* The rate granted for one asked; the first is due at the next multiple of the period, so that the
 * samples keep their place between those of the servo from one session to the next. */
static uint16_t set_rate(WireDevice *d, uint16_t hz, uint16_t most, uint32_t *period,
                         uint64_t *next) {
  const uint16_t granted = hz < most ? hz : most;
  *period = granted ? 1000000u / granted : 0u;
  *next = granted ? (d->now_us / *period + 1) * *period : 0;
  return granted;
}

void wire_device_on_subscribe(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_SUBSCRIBED];
  WireSubscribe asked;
  (void)wire_subscribe_get(&asked, request->payload, request->length);
  WireSubscribed granted = {.request_seq = request->header.seq};
  granted.telem_hz =
      set_rate(d, asked.telem_hz, d->config->telem_max_hz, &d->telem_period_us, &d->telem_next_us);
  granted.health_hz =
      set_rate(d, asked.health_hz, WIRE_HEALTH_MAX_HZ, &d->health_period_us, &d->health_next_us);
  d->has_skipped = false;
  wire_subscribed_put(payload, &granted);
  wire_device_reply(d, WIRE_TYPE_SUBSCRIBED, payload, sizeof payload);
}

void wire_device_on_test(WireDevice *d, const WireReceived *request) {
  WireTest test;
  (void)wire_test_get(&test, request->payload, request->length);
  if (d->hal->test && d->hal->test(d->ctx, &test))
    wire_device_ack(d, request, 0);
  else
    wire_device_refuse(d, request, WIRE_CODE_UNSUPPORTED);
}
