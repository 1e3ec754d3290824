/* SPDX-License-Identifier: MIT */
/* What the device says unasked: telemetry, events, health, log; and the state they all show. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "io/driver/native/driver_native.h"
#include "io/driver/native/wire_units.h"
#include "wire/text.h"

static void emit(AioNative *native, AioEvent *event) {
  event->t_host_ns = native->now_ns;
  event->state = native->state;
  native->base.sink->event(native->base.sink_ctx, event);
}

/* ---- state ---- */

bool aio_native_is_state(guint8 state, guint8 motion) {
  return state <= WIRE_STATE_LOCKED && motion <= WIRE_MOTION_STOPPING;
}

void aio_native_set_flags(AioState *state, guint16 flags) {
  state->drives_on = flags & WIRE_FLAG_DRIVES_ON;
  state->is_estop_closed = flags & WIRE_FLAG_ESTOP_CLOSED;
}

static bool is_same(const AioState *a, const AioState *b) {
  return a->state == b->state && a->motion == b->motion && a->drives_on == b->drives_on &&
         a->is_estop_closed == b->is_estop_closed && a->faults == b->faults &&
         a->fault_joints == b->fault_joints && a->motion_id == b->motion_id;
}

void aio_native_set_state(AioNative *native, const AioState *state, guint64 t_us) {
  const bool is_news = !native->has_state || !is_same(state, &native->state);
  native->state = *state;
  if (!state->faults)
    native->state.fault_joints = 0;
  native->has_state = true;
  native->is_leased &= state->state == AIO_DEVICE_ARMED;
  if (!is_news)
    return;
  AioEvent event = {.kind = AIO_EVENT_STATE, .t_us = t_us, .motion_id = state->motion_id};
  aio_said_copy(event.text, sizeof event.text,
                aio_said_word(wire_state_text((uint8_t)state->state)));
  emit(native, &event);
}

/* An answer that had to be repeated is as old as the first request: what TELEM said since then is
 * newer, and STATE will be asked. */
void aio_native_take_ack(AioNative *native, const WireIncoming *incoming, const WireAck *ack,
                         guint16 motion_id) {
  const gint64 sent_ns = native->now_ns - (gint64)incoming->round_trip_us * 1000;
  const bool is_old = incoming->tries > 1 && incoming->kind == WIRE_INCOMING_ANSWER;
  native->wants_refresh |= is_old;
  if ((is_old && native->telem_ns >= sent_ns) || !aio_native_is_state(ack->state, ack->motion))
    return;
  AioState state = native->state;
  state.state = (AioDeviceState)ack->state;
  state.motion = (AioMotion)ack->motion;
  state.faults = ack->faults;
  state.motion_id = ack->motion == WIRE_MOTION_NONE ? 0 : motion_id;
  aio_native_set_flags(&state, ack->flags);
  aio_native_set_state(native, &state, incoming->t_us);
}

/* ---- telemetry ---- */

static guint16 sample_flags(const WireTelem *telem, guint32 lost) {
  guint flags = 0;
  flags |= telem->flags & WIRE_FLAG_DRIVES_ON ? AIO_SAMPLE_DRIVES_ON : 0;
  flags |= telem->state == WIRE_STATE_ARMED ? AIO_SAMPLE_ARMED : 0;
  flags |= telem->flags & WIRE_FLAG_ESTOP_CLOSED ? AIO_SAMPLE_ESTOP_CLOSED : 0;
  flags |= telem->faults ? AIO_SAMPLE_FAULT : 0;
  flags |= lost ? AIO_SAMPLE_GAP : 0;
  flags |= telem->flags & WIRE_FLAG_LATE ? AIO_SAMPLE_LATE : 0;
  return (guint16)flags;
}

static void give_sample(AioNative *native, const WireIncoming *incoming, const WireTelem *telem) {
  AioSample sample = {.t_us = MAX(incoming->t_us, native->telem_t_us),
                      .t_host_ns = native->now_ns,
                      .back_us = native->telem_t_us - MIN(incoming->t_us, native->telem_t_us),
                      .lost = native->lost_before,
                      .flags = sample_flags(telem, native->lost_before),
                      .motion = telem->motion_id,
                      .joint = telem->joint};
  for (guint j = 0; j < telem->count; j++) {
    const gsize at = WIRE_SIZE_TELEM + (gsize)j * WIRE_SIZE_TELEM_JOINT;
    WireTelemJoint joint = {0};
    (void)wire_telem_joint_get(&joint, incoming->payload + at, incoming->length - at);
    sample.q[j] = aio_wire_length(joint.q);
    sample.qd[j] = aio_wire_length(joint.qd);
    sample.current[j] = aio_wire_current(joint.current);
    sample.joint_flags[j] = joint.flags;
  }
  native->telem_t_us = sample.t_us;
  native->lost_before = 0;
  native->samples++;
  native->base.sink->sample(native->base.sink_ctx, &sample);
}

static void take_telem(AioNative *native, const WireIncoming *incoming) {
  WireTelem telem;
  (void)wire_telem_get(&telem, incoming->payload, incoming->length);
  const gsize size = WIRE_SIZE_TELEM + (gsize)telem.count * WIRE_SIZE_TELEM_JOINT;
  native->lost_before += incoming->lost;
  native->samples_lost += incoming->lost;
  if (!native->has_session) /* of a session that another program had */
    return;
  if (telem.count != native->description.joints || incoming->length < size ||
      telem.joint > telem.count || !aio_native_is_state(telem.state, telem.motion)) {
    native->odd++;
    native->lost_before++;
    native->samples_lost++;
    return;
  }
  native->telem_ns = native->now_ns;
  AioState state = native->state;
  state.state = (AioDeviceState)telem.state;
  state.motion = (AioMotion)telem.motion;
  state.faults = telem.faults;
  state.motion_id = telem.motion_id;
  state.sweep_joint = telem.joint;
  aio_native_set_flags(&state, telem.flags);
  aio_native_set_state(native, &state, incoming->t_us);
  give_sample(native, incoming, &telem);
}

static void take_health(AioNative *native, const WireIncoming *incoming) {
  WireHealth health;
  (void)wire_health_get(&health, incoming->payload, incoming->length);
  const gsize size = WIRE_SIZE_HEALTH + (gsize)health.count * WIRE_SIZE_HEALTH_JOINT;
  if (health.count > ARM_MAX_JOINTS || incoming->length < size) {
    native->odd++;
    return;
  }
  AioEvent event = {.kind = AIO_EVENT_HEALTH,
                    .t_us = incoming->t_us,
                    .supply_V = aio_wire_voltage(health.supply_mv),
                    .board_C = aio_wire_temperature(health.temperature)};
  for (guint j = 0; j < ARM_MAX_JOINTS; j++) {
    const gsize at = WIRE_SIZE_HEALTH + (gsize)j * WIRE_SIZE_HEALTH_JOINT;
    WireHealthJoint joint = {0};
    const bool is_there = j < health.count && wire_health_joint_get(&joint, incoming->payload + at,
                                                                    incoming->length - at);
    event.motor_C[j] = is_there ? aio_wire_temperature(joint.temperature) : NAN;
  }
  emit(native, &event);
}

/* ---- events ---- */

static void take_text(AioEvent *event, char *said) {
  aio_said_copy(event->text, sizeof event->text, said);
  g_free(said);
}

void aio_native_boot(AioNative *native, guint32 boot_count, guint32 cause, guint64 t_us) {
  if (native->has_boot_reported && native->boot_reported == boot_count && !native->has_session)
    return;
  native->has_boot_reported = true;
  native->boot_reported = boot_count;
  native->state = (AioState){0};
  native->telem_ns = 0;
  AioEvent event = {.kind = AIO_EVENT_BOOT, .t_us = t_us, .value = boot_count};
  take_text(&event, aio_said(N_("the controller has restarted (%s): connect again"),
                             aio_said_word(aio_native_reset_text(cause))));
  emit(native, &event);
  aio_native_session_over(native, N_("the controller has restarted: connect again"));
}

/* joint from 1; 0: of none. */
static guint32 joint_bit(guint joint) {
  return joint ? (guint32)1 << (joint - 1) : 0;
}

/* The state after a motion or fault, as far as the event tells. */
static void note_event(AioNative *native, const WireEvent *wire, guint64 t_us) {
  AioState state = native->state;
  if (!native->has_session || !native->has_state)
    return;
  if (wire->code == WIRE_EVENT_MOTION_END) {
    state.last_motion_id = wire->id;
    state.last_end = wire->reason <= WIRE_END_DISARM ? (AioMotionEnd)wire->reason : AIO_END_FAULT;
    state.motion = AIO_MOTION_NONE;
    state.motion_id = 0;
    state.sweep_joint = 0;
  } else if (wire->code == WIRE_EVENT_FAULT) {
    state.state = AIO_DEVICE_LOCKED;
    state.faults |= (guint32)wire->value;
    state.fault_joints |= joint_bit(wire->joint);
    native->wants_refresh = true;
  } else if (wire->code == WIRE_EVENT_CLEARED) {
    native->wants_refresh = true;
  }
  aio_native_set_state(native, &state, t_us);
}

static void give_event(AioNative *native, const WireEvent *wire, AioEventKind kind, guint64 t_us) {
  AioEvent event = {.kind = kind,
                    .t_us = t_us,
                    .motion_id = wire->id,
                    .joint = wire->joint,
                    .value = (guint32)wire->value};
  if (kind == AIO_EVENT_MOTION_END) {
    event.end = wire->reason <= WIRE_END_DISARM ? (AioMotionEnd)wire->reason : AIO_END_FAULT;
    aio_said_copy(event.text, sizeof event.text, aio_said_word(wire_end_text(wire->reason)));
  } else if (kind == AIO_EVENT_LEG) {
    take_text(&event, aio_said(N_("joint %u: pass %d begins"), wire->joint, wire->value));
  } else {
    take_text(&event, aio_faults_said(event.value, joint_bit(event.joint)));
  }
  emit(native, &event);
}

static void take_event(AioNative *native, const WireIncoming *incoming) {
  WireEvent wire;
  (void)wire_event_get(&wire, incoming->payload, incoming->length);
  if (wire.joint > aio_native_joints(native)) { /* what happened counts all the same */
    native->odd++;
    wire.joint = 0;
    if (wire.code == WIRE_EVENT_SWEEP_LEG)
      return;
  }
  note_event(native, &wire, incoming->t_us);
  switch (wire.code) {
  case WIRE_EVENT_BOOT:
    aio_native_boot(native, (guint32)wire.value, wire.reason, incoming->t_us);
    break;
  case WIRE_EVENT_MOTION_END:
    give_event(native, &wire, AIO_EVENT_MOTION_END, incoming->t_us);
    break;
  case WIRE_EVENT_SWEEP_LEG:
    give_event(native, &wire, AIO_EVENT_LEG, incoming->t_us);
    break;
  case WIRE_EVENT_FAULT:
    give_event(native, &wire, AIO_EVENT_FAULT, incoming->t_us);
    break;
  case WIRE_EVENT_CLEARED:
    give_event(native, &wire, AIO_EVENT_CLEARED, incoming->t_us);
    break;
  default:
    native->odd++;
  }
}

/* Text of any bytes, for people: valid UTF-8, nothing that gives orders, whole characters only. */
static void take_log(AioNative *native, const WireIncoming *incoming) {
  AioEvent event = {.kind = AIO_EVENT_LOG, .t_us = incoming->t_us, .level = incoming->payload[0]};
  const char *text = (const char *)incoming->payload + WIRE_SIZE_LOG;
  char *valid = g_utf8_make_valid(text, (gssize)(incoming->length - WIRE_SIZE_LOG));
  gsize fill = 0;
  event.level = MIN(event.level, WIRE_LOG_ERROR);
  for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
    const gsize size = (gsize)(g_utf8_next_char(p) - p);
    if (fill + size >= sizeof event.text)
      break;
    const bool is_order = aio_text_is_order(g_utf8_get_char(p));
    if (is_order)
      event.text[fill++] = ' ';
    else
      memcpy(event.text + fill, p, size);
    fill += is_order ? 0 : size;
  }
  g_free(valid);
  emit(native, &event);
}

enum { FOREIGN_EVERY_S = 60 };

void aio_native_tell_foreign(AioNative *native) {
  const guint64 n = native->host.counters.foreign;
  const bool is_soon = native->foreign_told > 0 && native->now_ns - native->foreign_told_ns <
                                                       (gint64)FOREIGN_EVERY_S * 1000000000;
  if (n == native->foreign_told || is_soon)
    return;
  AioEvent event = {.kind = AIO_EVENT_FOREIGN, .level = WIRE_LOG_WARNING};
  event.value = (guint32)MIN(n, G_MAXUINT32);
  take_text(&event, aio_said_many("%u request that this program did not send: %s: %s",
                                  "%u requests that this program did not send, the last one %s: %s",
                                  event.value, wire_type_name(native->host.foreign_type),
                                  aio_foreign_said()));
  native->foreign_told = n;
  native->foreign_told_ns = native->now_ns;
  emit(native, &event);
}

void aio_native_report(AioNative *native, const WireIncoming *incoming) {
  switch (incoming->type) {
  case WIRE_TYPE_TELEM:
    take_telem(native, incoming);
    break;
  case WIRE_TYPE_HEALTH:
    take_health(native, incoming);
    break;
  case WIRE_TYPE_EVENT:
    take_event(native, incoming);
    break;
  default:
    take_log(native, incoming);
  }
}
