/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <string.h>

#include "core/arm/gravity.h"
#include "support/support.h"
#include "wire/bytes.h"

Host *host_new(const char *arm, const AsimOptions *options) {
  Host *host = g_new0(Host, 1);
  GError *error = NULL;
  g_autofree char *file = g_strdup_printf("data/robots/%s.arm.json", arm);
  AsimOptions used = options ? *options : (AsimOptions){.seed = 1};
  host->truth = g_new0(AsimTruth, 1);
  asim_truth_load(host->truth, test_source_path(file), used.seed, &error);
  g_assert_no_error(error);
  used.truth = host->truth;
  used.time_factor = used.time_factor > 0.0 ? used.time_factor : 1.0;
  used.line_room = used.line_room ? used.line_room : ASIM_LINE_ROOM;
  host->controller = asim_controller_new(&used, &error);
  g_assert_no_error(error);
  host->frames = g_array_new(FALSE, TRUE, sizeof(HostFrame));
  host->bytes = g_byte_array_new();
  wire_decoder_init(&host->decoder);
  wire_sequence_init(&host->ordered);
  wire_sequence_init(&host->telem);
  return host;
}

AsimController *host_controller(double factor) {
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  GError *error = NULL;
  asim_truth_load(truth, test_source_path("data/robots/planar2r.arm.json"), 1, &error);
  g_assert_no_error(error);
  const AsimOptions options = {
      .truth = truth, .seed = 1, .time_factor = factor, .line_room = ASIM_LINE_ROOM};
  AsimController *controller = asim_controller_new(&options, &error);
  g_assert_no_error(error);
  return controller;
}

void host_free(Host *host) {
  asim_controller_free(host->controller);
  g_array_free(host->frames, TRUE);
  g_byte_array_free(host->bytes, TRUE);
  g_free(host->truth);
  g_free(host);
}

static void keep(Host *host, const WireReceived *received) {
  HostFrame frame = {.header = received->header, .length = received->length};
  memcpy(frame.payload, received->payload, received->length);
  g_array_append_val(host->frames, frame);
  (void)wire_sequence_push(received->header.type == WIRE_TYPE_TELEM ? &host->telem : &host->ordered,
                           received->header.seq);
}

void host_drain(Host *host) {
  guint8 taken[777];
  gsize n;
  while ((n = asim_controller_take(host->controller, taken, sizeof taken)) > 0) {
    const guint8 *bytes = taken;
    WireReceived received;
    g_byte_array_append(host->bytes, taken, (guint)n);
    while (wire_decoder_next(&host->decoder, &bytes, &n, &received))
      keep(host, &received);
  }
}

static void keep_lease(Host *host) {
  guint8 payload[WIRE_SIZE_LEASE];
  const WireLease lease = {host->token};
  host->lease_us = host->wall_us;
  wire_lease_put(payload, &lease);
  (void)host_request(host, WIRE_TYPE_LEASE, payload, sizeof payload);
}

void host_run_ms(Host *host, gint64 ms) {
  for (gint64 k = 0; k < ms; k++) {
    asim_controller_advance(host->controller, 1000);
    host->wall_us += 1000;
    if (host->keeps_lease && host->wall_us - host->lease_us >= 100000)
      keep_lease(host);
    host_drain(host);
  }
}

guint16 host_request(Host *host, guint16 type, const guint8 *payload, gsize length) {
  guint8 bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, type, host->seq++, 0};
  const gsize n = wire_frame_encode(bytes, &header, payload, length);
  host_drain(host);
  const guint before = host->frames->len;
  asim_controller_receive(host->controller, bytes, n);
  host_drain(host);
  for (guint k = before; k < host->frames->len; k++) {
    const HostFrame *frame = &g_array_index(host->frames, HostFrame, k);
    if (frame->header.type != WIRE_TYPE_EVENT)
      return frame->header.type;
  }
  return 0;
}

const HostFrame *host_answer(const Host *host) {
  g_assert_cmpuint(host->frames->len, >, 0);
  return &g_array_index(host->frames, HostFrame, host->frames->len - 1);
}

guint16 host_ask(Host *host, guint16 type, const guint8 *payload, gsize length) {
  WireRefused refused;
  const guint16 answer = host_request(host, type, payload, length);
  g_assert_cmpuint(answer, !=, 0);
  if (answer != WIRE_TYPE_REFUSED)
    return 0;
  g_assert_true(wire_refused_get(&refused, host_answer(host)->payload, host_answer(host)->length));
  return refused.code;
}

const HostFrame *host_last(const Host *host, guint16 type) {
  for (guint k = host->frames->len; k-- > 0;) {
    const HostFrame *frame = &g_array_index(host->frames, HostFrame, k);
    if (frame->header.type == type)
      return frame;
  }
  return NULL;
}

guint host_count(const Host *host, guint16 type) {
  guint count = 0;
  for (guint k = 0; k < host->frames->len; k++)
    count += g_array_index(host->frames, HostFrame, k).header.type == type;
  return count;
}

bool host_event(const Host *host, guint16 code, WireEvent *event) {
  for (guint k = host->frames->len; k-- > 0;) {
    const HostFrame *frame = &g_array_index(host->frames, HostFrame, k);
    if (frame->header.type == WIRE_TYPE_EVENT &&
        wire_event_get(event, frame->payload, frame->length) && event->code == code)
      return true;
  }
  return false;
}

WireHelloAck host_hello(Host *host) {
  guint8 payload[WIRE_SIZE_HELLO];
  const WireHello hello = {.major = WIRE_VERSION, .host_id = 7u + host->seq};
  WireHelloAck ack;
  wire_hello_put(payload, &hello);
  g_assert_cmpuint(host_request(host, WIRE_TYPE_HELLO, payload, sizeof payload), ==,
                   WIRE_TYPE_HELLO_ACK);
  g_assert_true(wire_hello_ack_get(&ack, host_answer(host)->payload, host_answer(host)->length));
  host->token = ack.token;
  return ack;
}

WireState host_state(Host *host) {
  WireState state;
  g_assert_cmpuint(host_request(host, WIRE_TYPE_STATE_GET, NULL, 0), ==, WIRE_TYPE_STATE);
  g_assert_true(wire_state_get(&state, host_answer(host)->payload, host_answer(host)->length));
  host->token = state.token;
  return state;
}

void host_arm(Host *host) {
  guint8 payload[WIRE_SIZE_ARM];
  const WireArm arm = {host->token, 300};
  wire_arm_put(payload, &arm);
  g_assert_cmpuint(host_ask(host, WIRE_TYPE_ARM, payload, sizeof payload), ==, 0);
  host->keeps_lease = true;
  host->lease_us = host->wall_us;
}

void host_subscribe(Host *host, guint16 telem_hz, guint16 health_hz) {
  guint8 payload[WIRE_SIZE_SUBSCRIBE];
  const WireSubscribe subscribe = {telem_hz, health_hz};
  wire_subscribe_put(payload, &subscribe);
  g_assert_cmpuint(host_ask(host, WIRE_TYPE_SUBSCRIBE, payload, sizeof payload), ==, 0);
}

guint16 host_sweep(Host *host, const WireSweep *sweep) {
  guint8 payload[WIRE_SIZE_SWEEP];
  wire_sweep_put(payload, sweep);
  return host_ask(host, WIRE_TYPE_SWEEP, payload, sizeof payload);
}

guint16 host_test(Host *host, guint16 kind, guint16 joint, gint32 value, guint32 duration_ms) {
  guint8 payload[WIRE_SIZE_TEST];
  const WireTest test = {kind, joint, value, duration_ms};
  wire_test_put(payload, &test);
  return host_ask(host, WIRE_TYPE_TEST, payload, sizeof payload);
}

guint16 host_clear(Host *host, guint32 faults) {
  guint8 payload[WIRE_SIZE_CLEAR];
  const WireClear clear = {faults};
  wire_clear_put(payload, &clear);
  return host_ask(host, WIRE_TYPE_CLEAR, payload, sizeof payload);
}

WireTelemJoint host_telem(const HostFrame *frame, guint joint) {
  WireTelemJoint out;
  const gsize at = WIRE_SIZE_TELEM + joint * WIRE_SIZE_TELEM_JOINT;
  g_assert_nonnull(frame);
  g_assert_true(wire_telem_joint_get(&out, frame->payload + at, frame->length - at));
  return out;
}

gint64 host_run_motion(Host *host, gint64 most_ms) {
  WireEvent event;
  const guint before = host->frames->len;
  gint64 ms = 0;
  while (ms < most_ms) {
    host_run_ms(host, 1);
    ms++;
    if (host->frames->len > before && host_event(host, WIRE_EVENT_MOTION_END, &event)) {
      g_assert_cmpint(event.reason, ==, WIRE_END_DONE);
      return ms;
    }
  }
  g_assert_not_reached();
}

double host_load_current(const AsimTruth *truth, gsize j, const double *q, double qd) {
  const ArmModel *model = &truth->plant.model;
  const ArmPlantJoint *joint = &truth->plant.joints[j];
  double w[2 * ARM_MAX_JOINTS], row[2 * ARM_MAX_JOINTS], torque = 0.0;
  arm_gravity_nominal(model, w);
  arm_gravity_row(model, q, j, row);
  for (gsize k = 0; k < 2 * model->n; k++)
    torque += row[k] * w[k];
  const double friction = qd > 0.0   ? joint->coulomb_pos + joint->viscous_pos * qd
                          : qd < 0.0 ? joint->coulomb_neg + joint->viscous_neg * qd
                                     : 0.0;
  return joint->eta * torque + friction;
}
