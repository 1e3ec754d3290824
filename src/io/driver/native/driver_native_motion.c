/* SPDX-License-Identifier: MIT */
/* Telemetry on and off, arming, faults, motions. What the wire cannot carry is refused here; what
 * the arm cannot do is the device's to refuse. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "io/driver/native/driver_native.h"
#include "io/driver/native/wire_units.h"

enum { GET_TOKEN, ARM }; /* phases of arm */

static AioNativeCommand *plain(guint64 ticket, const AioNativeKind *kind, guint16 type,
                               gsize length) {
  AioNativeCommand *command = aio_native_command(ticket, kind, type);
  command->length = length;
  return command;
}

/* false: it makes no sense, and reply says so. */
static bool get_ack(const WireIncoming *incoming, WireAck *ack, AioReply *reply) {
  if (wire_ack_get(ack, incoming->payload, incoming->length) &&
      aio_native_is_state(ack->state, ack->motion))
    return true;
  aio_native_error(reply, AIO_ERROR_DEVICE,
                   N_("the controller reports a state that does not exist"));
  return false;
}

static bool acknowledged(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                         AioReply *reply) {
  WireAck ack;
  (void)command;
  if (get_ack(incoming, &ack, reply))
    aio_native_take_ack(native, incoming, &ack, native->state.motion_id);
  return true;
}

static const AioNativeKind change_kind = {
    .needs_session = true, .is_change = true, .answer = acknowledged};

/* ---- telemetry ---- */

static bool subscribed(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                       AioReply *reply) {
  WireSubscribed granted;
  (void)native;
  (void)command;
  (void)wire_subscribed_get(&granted, incoming->payload, incoming->length);
  reply->telemetry_hz = granted.telem_hz;
  return true;
}

static const AioNativeKind subscribe_kind = {.needs_session = true, .answer = subscribed};

/* A rate that is wanted does not become 0, off. */
static bool to_rate(double hz, uint16_t *out) {
  if (!(hz >= 0 && hz <= G_MAXUINT16))
    return false;
  *out = (uint16_t)(hz > 0 && hz < 1 ? 1 : lround(hz));
  return true;
}

void aio_native_telemetry(AioDriver *driver, guint64 ticket, double hz, double health_hz) {
  AioNative *native = (AioNative *)driver;
  AioNativeCommand *command =
      plain(ticket, &subscribe_kind, WIRE_TYPE_SUBSCRIBE, WIRE_SIZE_SUBSCRIBE);
  WireSubscribe subscribe;
  if (!to_rate(hz, &subscribe.telem_hz) || !to_rate(health_hz, &subscribe.health_hz)) {
    aio_native_reject(native, command, N_("telemetry: the rate must be 0 to 65535 Hz"));
    return;
  }
  wire_subscribe_put(command->payload, &subscribe);
  aio_native_submit(native, command);
}

/* ---- arm, disarm, clear ---- */

void aio_native_start_lease(AioNative *native, const WireIncoming *incoming, guint ttl_ms) {
  const gint64 sent_ns = native->now_ns - (gint64)incoming->round_trip_us * 1000;
  native->is_leased = true;
  native->ttl_ms = ttl_ms;
  native->lease_due_ns = sent_ns + (gint64)ttl_ms * 1000000 / 3;
}

/* The token serves once, so it is asked for first. */
static bool arm_encode(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  const WireArm arm = {native->token, (uint16_t)command->ttl_ms};
  (void)reply;
  command->type = command->phase == GET_TOKEN ? WIRE_TYPE_STATE_GET : WIRE_TYPE_ARM;
  command->length = command->phase == GET_TOKEN ? 0 : WIRE_SIZE_ARM;
  wire_arm_put(command->payload, &arm);
  return true;
}

static bool arm_answer(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                       AioReply *reply) {
  WireAck ack;
  if (command->phase == GET_TOKEN) {
    command->phase = ARM;
    if (aio_native_take_state(native, incoming))
      return false;
    aio_native_error(reply, AIO_ERROR_DEVICE,
                     N_("the controller reports a state that does not exist"));
    return true;
  }
  if (!get_ack(incoming, &ack, reply))
    return true;
  aio_native_start_lease(native, incoming, command->ttl_ms);
  aio_native_take_ack(native, incoming, &ack, 0);
  return true;
}

static const AioNativeKind arm_kind = {.needs_session = true,
                                       .is_change = true,
                                       .is_hurried = true,
                                       .encode = arm_encode,
                                       .answer = arm_answer};

void aio_native_arm(AioDriver *driver, guint64 ticket, guint ttl_ms) {
  AioNativeCommand *command = aio_native_command(ticket, &arm_kind, 0);
  command->ttl_ms = ttl_ms;
  if (ttl_ms > G_MAXUINT16)
    aio_native_reject((AioNative *)driver, command, N_("arm: a lease of %u ms is too long"),
                      ttl_ms);
  else
    aio_native_submit((AioNative *)driver, command);
}

/* From here on the lease is not to be renewed, whatever the answer. */
static bool disarm_encode(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  (void)command;
  (void)reply;
  native->is_leased = false;
  return true;
}

static const AioNativeKind disarm_kind = {
    .needs_session = true, .is_change = true, .encode = disarm_encode, .answer = acknowledged};

void aio_native_disarm(AioDriver *driver, guint64 ticket, bool drives_off) {
  AioNativeCommand *command = plain(ticket, &disarm_kind, WIRE_TYPE_DISARM, WIRE_SIZE_DISARM);
  const WireDisarm disarm = {drives_off};
  wire_disarm_put(command->payload, &disarm);
  aio_native_submit((AioNative *)driver, command);
}

void aio_native_clear(AioDriver *driver, guint64 ticket, guint32 faults) {
  AioNativeCommand *command = plain(ticket, &change_kind, WIRE_TYPE_CLEAR, WIRE_SIZE_CLEAR);
  const WireClear clear = {faults};
  wire_clear_put(command->payload, &clear);
  aio_native_submit((AioNative *)driver, command);
}

G_STATIC_ASSERT((int)AIO_TEST_REBOOT == (int)WIRE_TEST_REBOOT);
G_STATIC_ASSERT((int)AIO_RESET_SOFTWARE == (int)WIRE_RESET_SOFTWARE);

void aio_native_test(AioDriver *driver, guint64 ticket, const AioTest *test) {
  AioNativeCommand *command = plain(ticket, &change_kind, WIRE_TYPE_TEST, WIRE_SIZE_TEST);
  const WireTest wire = {(uint16_t)test->kind, (uint16_t)test->joint, test->value,
                         test->duration_ms};
  wire_test_put(command->payload, &wire);
  if (test->kind > G_MAXUINT16 || test->joint > ARM_MAX_JOINTS)
    aio_native_reject((AioNative *)driver, command, N_("test: there is no kind %u of joint %u"),
                      test->kind, test->joint);
  else
    aio_native_submit((AioNative *)driver, command);
}

/* ---- move, sweep ---- */

static bool motion_answer(AioNative *native, AioNativeCommand *command,
                          const WireIncoming *incoming, AioReply *reply) {
  WireAck ack;
  if (!get_ack(incoming, &ack, reply))
    return true;
  reply->motion_id = incoming->request_seq;
  if (command->type == WIRE_TYPE_TRAJ_START)
    reply->free_segments = ack.value;
  else
    reply->duration_s = ack.value / 1e3;
  aio_native_take_ack(native, incoming, &ack, incoming->request_seq);
  return true;
}

static const AioNativeKind motion_kind = {
    .needs_session = true, .is_change = true, .answer = motion_answer};

/* TRANSLATORS: joint, "the speed" or the like, a number with its units */
#define NUMBER_TEXT N_("joint %u: %s is not a number that the protocol can carry (up to %s)")

/* false: the command is answered. */
static bool check_joint(AioNative *native, AioNativeCommand *command, guint joint) {
  if (joint >= 1 && joint <= ARM_MAX_JOINTS)
    return true;
  aio_native_reject(native, command, N_("joint %u: joints count from 1 to %d"), joint,
                    ARM_MAX_JOINTS);
  return false;
}

static bool check_rates(AioNative *native, AioNativeCommand *command, guint joint, double speed,
                        double accel, uint32_t *v, uint32_t *a) {
  if (!aio_wire_from_rate(speed, v))
    aio_native_reject(native, command, NUMBER_TEXT, joint, aio_said_word(N_("the speed")),
                      "4294 rad/s, m/s");
  else if (!aio_wire_from_rate(accel, a))
    aio_native_reject(native, command, NUMBER_TEXT, joint, aio_said_word(N_("the acceleration")),
                      "4294 rad/s^2, m/s^2");
  else
    return true;
  return false;
}

static bool check_position(AioNative *native, AioNativeCommand *command, guint joint, double q,
                           int32_t *out) {
  if (aio_wire_from_position(q, out))
    return true;
  aio_native_reject(native, command, NUMBER_TEXT, joint, aio_said_word(N_("the position")),
                    "2147 rad, m");
  return false;
}

void aio_native_move(AioDriver *driver, guint64 ticket, const AioMoveJoint *joints, guint n) {
  AioNative *native = (AioNative *)driver;
  AioNativeCommand *command = plain(ticket, &motion_kind, WIRE_TYPE_MOVE, WIRE_SIZE_MOVE);
  const WireMove move = {(uint8_t)n};
  if (n < 1 || n > ARM_MAX_JOINTS) {
    aio_native_reject(native, command, N_("move: 1 to %d joints, not %u"), ARM_MAX_JOINTS, n);
    return;
  }
  wire_move_put(command->payload, &move);
  for (guint k = 0; k < n; k++) {
    const AioMoveJoint *joint = &joints[k];
    WireMoveJoint wire = {.joint = (uint8_t)joint->joint};
    if (!check_joint(native, command, joint->joint) ||
        !check_position(native, command, joint->joint, joint->q, &wire.q) ||
        !check_rates(native, command, joint->joint, joint->speed, joint->accel, &wire.v, &wire.a))
      return;
    wire_move_joint_put(command->payload + command->length, &wire);
    command->length += WIRE_SIZE_MOVE_JOINT;
  }
  aio_native_submit(native, command);
}

void aio_native_sweep(AioDriver *driver, guint64 ticket, const AioSweep *sweep) {
  AioNative *native = (AioNative *)driver;
  AioNativeCommand *command = plain(ticket, &motion_kind, WIRE_TYPE_SWEEP, WIRE_SIZE_SWEEP);
  const guint joint = sweep->joint;
  WireSweep wire = {.joint = (uint8_t)joint, .passes = (uint8_t)sweep->passes};
  if (!check_joint(native, command, joint) ||
      !check_position(native, command, joint, sweep->q0, &wire.q0) ||
      !check_position(native, command, joint, sweep->q1, &wire.q1) ||
      !check_rates(native, command, joint, sweep->speed, sweep->accel, &wire.v, &wire.a))
    return;
  if (sweep->passes > G_MAXUINT8) {
    aio_native_reject(native, command, N_("joint %u: %u passes are too many: at most 255"), joint,
                      sweep->passes);
  } else if (!aio_wire_from_seconds_ms(sweep->dwell_s, &wire.dwell_ms)) {
    aio_native_reject(native, command, NUMBER_TEXT, joint,
                      aio_said_word(N_("the rest after each pass")), "65 s");
  } else if (!aio_wire_from_current_limit(sweep->current_max, &wire.i_max)) {
    aio_native_reject(native, command, NUMBER_TEXT, joint, aio_said_word(N_("the current limit")),
                      "32 A");
  } else {
    wire_sweep_put(command->payload, &wire);
    aio_native_submit(native, command);
  }
}

/* ---- trajectories ---- */

static bool begin_answer(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                         AioReply *reply) {
  WireAck ack;
  WireTrajBegin begin;
  if (!get_ack(incoming, &ack, reply))
    return true;
  (void)wire_traj_begin_get(&begin, command->payload, command->length);
  native->trajectory_joints = begin.joints;
  native->segment_index = 0;
  reply->free_segments = ack.value;
  aio_native_take_ack(native, incoming, &ack, 0);
  return true;
}

static const AioNativeKind begin_kind = {
    .needs_session = true, .is_change = true, .answer = begin_answer};

void aio_native_trajectory_begin(AioDriver *driver, guint64 ticket, guint32 joints) {
  AioNativeCommand *command =
      plain(ticket, &begin_kind, WIRE_TYPE_TRAJ_BEGIN, WIRE_SIZE_TRAJ_BEGIN);
  const WireTrajBegin begin = {joints};
  wire_traj_begin_put(command->payload, &begin);
  aio_native_submit((AioNative *)driver, command);
}

/* Joints and index are those of the trajectory that was begun before it, so known only now. */
static bool segment_encode(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  const AioSegment *segment = &command->segment;
  WireTrajSegment head = {.index = native->segment_index, .is_last = segment->is_last};
  command->length = WIRE_SIZE_TRAJ_SEGMENT;
  if (!aio_wire_from_seconds_us(segment->duration_s, &head.duration_us)) {
    aio_native_error(reply, AIO_ERROR_REFUSED,
                     N_("segment %u: the duration is not a number from 0 to 4294 s"), head.index);
    return false;
  }
  wire_traj_segment_put(command->payload, &head);
  for (guint j = 0; j < ARM_MAX_JOINTS; j++) {
    WireKnot knot;
    if (!(native->trajectory_joints >> j & 1))
      continue;
    if (!aio_wire_from_position(segment->q[j], &knot.q) ||
        !aio_wire_from_position(segment->qd[j], &knot.qd)) {
      aio_native_error(reply, AIO_ERROR_REFUSED, NUMBER_TEXT, j + 1,
                       aio_said_word(N_("the position or speed of the segment")),
                       "2147 rad, m, rad/s, m/s");
      return false;
    }
    wire_knot_put(command->payload + command->length, &knot);
    command->length += WIRE_SIZE_KNOT;
  }
  return true;
}

static bool segment_answer(AioNative *native, AioNativeCommand *command,
                           const WireIncoming *incoming, AioReply *reply) {
  WireAck ack;
  (void)command;
  if (!get_ack(incoming, &ack, reply))
    return true;
  native->segment_index++;
  reply->free_segments = ack.value;
  aio_native_take_ack(native, incoming, &ack, native->state.motion_id);
  return true;
}

static const AioNativeKind segment_kind = {
    .needs_session = true, .is_change = true, .encode = segment_encode, .answer = segment_answer};

void aio_native_trajectory_segment(AioDriver *driver, guint64 ticket, const AioSegment *segment) {
  AioNativeCommand *command = plain(ticket, &segment_kind, WIRE_TYPE_TRAJ_SEGMENT, 0);
  command->segment = *segment;
  aio_native_submit((AioNative *)driver, command);
}

void aio_native_trajectory_start(AioDriver *driver, guint64 ticket) {
  aio_native_submit((AioNative *)driver, plain(ticket, &motion_kind, WIRE_TYPE_TRAJ_START, 0));
}
