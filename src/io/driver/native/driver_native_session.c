/* SPDX-License-Identifier: MIT */
/* Who is there: probe, describe (HELLO, joints, schema, state), state. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/driver/native/driver_native.h"
#include "io/driver/native/wire_units.h"
#include "wire/crc32.h"
#include "wire/text.h"

enum { HELLO, JOINTS, SCHEMA, STATE }; /* phases of describe */
enum { TAKEOVERS = 3 };                /* the token may be renewed in between */

const char *aio_native_reset_text(guint32 cause) {
  static const char *const texts[] = {N_("unknown cause"), N_("power-up"), N_("watchdog"),
                                      N_("brown-out"),     N_("software"), N_("reset button")};
  return cause < G_N_ELEMENTS(texts) ? texts[cause] : texts[0];
}

/* ---- state ---- */

bool aio_native_take_state(AioNative *native, const WireIncoming *incoming) {
  WireState wire;
  if (!wire_state_get(&wire, incoming->payload, incoming->length) ||
      !aio_native_is_state(wire.state, wire.motion))
    return false;
  AioState state = {.state = (AioDeviceState)wire.state,
                    .motion = (AioMotion)wire.motion,
                    .faults = wire.faults,
                    .active = wire.active,
                    .motion_id = wire.motion_id,
                    .last_motion_id = wire.last_id,
                    .last_end = wire.last_end <= WIRE_END_DISARM ? (AioMotionEnd)wire.last_end
                                                                 : AIO_END_FAULT,
                    .sweep_joint = wire.joint <= aio_native_joints(native) ? wire.joint : 0,
                    .lease_left_ms = wire.lease_ms,
                    .lockout_ms = wire.lockout_ms};
  native->odd += wire.joint > aio_native_joints(native);
  aio_native_set_flags(&state, wire.flags);
  native->token = wire.token;
  aio_native_set_state(native, &state, incoming->t_us);
  return true;
}

static bool state_answer(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                         AioReply *reply) {
  (void)command;
  if (!aio_native_take_state(native, incoming))
    aio_native_error(reply, AIO_ERROR_DEVICE,
                     N_("the controller reports a state that does not exist"));
  return true;
}

static const AioNativeKind state_kind = {.needs_session = true, .answer = state_answer};

void aio_native_get_state(AioDriver *driver, guint64 ticket) {
  aio_native_submit((AioNative *)driver,
                    aio_native_command(ticket, &state_kind, WIRE_TYPE_STATE_GET));
}

/* ---- probe ---- */

/* Any answer will do, NO_HELLO and SEQUENCE too: who speaks so is a native controller. */
static bool probe_fail(AioNative *native, AioNativeCommand *command, const WireRefused *refused,
                       AioReply *reply) {
  (void)native;
  if (!refused)
    return false;
  reply->code = 0;
  reply->message[0] = 0;
  command->has_ended = true;
  return true;
}

static const AioNativeKind probe_kind = {.fail = probe_fail};

void aio_native_probe(AioDriver *driver, guint64 ticket) {
  aio_native_submit((AioNative *)driver,
                    aio_native_command(ticket, &probe_kind, WIRE_TYPE_STATE_GET));
}

/* ---- describe: the requests ---- */

static bool describe_encode(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  const WireHello hello = {.major = WIRE_VERSION, .minor = WIRE_MINOR, .host_id = native->host_id};
  const WireTakeover takeover = {command->takeover};
  const WireJointGet joint = {(uint8_t)(command->index + 1)};
  const WireSchemaGet schema = {(uint16_t)command->index};
  (void)reply;
  command->length = 0;
  if (command->phase == HELLO) {
    command->type = WIRE_TYPE_HELLO;
    command->length = WIRE_SIZE_HELLO;
    wire_hello_put(command->payload, &hello);
    if (command->takeover) {
      wire_takeover_put(command->payload + WIRE_SIZE_HELLO, &takeover);
      command->length += WIRE_SIZE_TAKEOVER;
    }
  } else if (command->phase == JOINTS) {
    command->type = WIRE_TYPE_JOINT_GET;
    command->length = WIRE_SIZE_JOINT_GET;
    wire_joint_get_put(command->payload, &joint);
  } else if (command->phase == SCHEMA) {
    command->type = WIRE_TYPE_SCHEMA_GET;
    command->length = WIRE_SIZE_SCHEMA_GET;
    wire_schema_get_put(command->payload, &schema);
  } else {
    command->type = WIRE_TYPE_STATE_GET;
  }
  return true;
}

/* ---- describe: the answers ---- */

static guint32 capabilities(guint32 wire) {
  static const struct {
    guint32 wire, here;
  } pairs[] = {{WIRE_CAN_SWEEP, AIO_CAN_SWEEP},     {WIRE_CAN_TRAJECTORY, AIO_CAN_TRAJECTORY},
               {WIRE_CAN_STORE, AIO_CAN_STORE},     {WIRE_CAN_TEST, AIO_CAN_TEST},
               {WIRE_CAN_SWITCH_OFF, AIO_CAN_KILL}, {WIRE_CAN_CURRENT, AIO_CAN_CURRENT}};
  guint32 can = AIO_CAN_LEASE | AIO_CAN_ESTOP;
  for (gsize k = 0; k < G_N_ELEMENTS(pairs); k++)
    can |= wire & pairs[k].wire ? pairs[k].here : 0;
  return can;
}

static void clear_joint(AioJointInfo *joint) {
  *joint = (AioJointInfo){ARM_JOINT_R, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
}

static void set_description(AioNative *native) {
  const WireHelloAck *hello = &native->hello;
  AioDescription *d = &native->description;
  *d = (AioDescription){.driver = "native",
                        .boot_count = hello->boot_count,
                        .reset_cause = hello->reset_cause,
                        .is_read_only = hello->major != WIRE_VERSION,
                        .capabilities = capabilities(hello->capabilities),
                        .joints = hello->joints,
                        .telemetry_max_hz = hello->telem_max_hz,
                        .time_factor = hello->time_factor ? hello->time_factor / 1e3 : 1,
                        .lease_min_ms = hello->ttl_min_ms,
                        .lease_max_ms = hello->ttl_max_ms,
                        .params = hello->params,
                        .schema_crc = hello->schema_crc,
                        .digest = hello->digest};
  g_snprintf(d->serial, sizeof d->serial, "%08x%08x%08x", hello->uid0, hello->uid1, hello->uid2);
  g_snprintf(d->firmware, sizeof d->firmware, "%08x", hello->firmware);
  g_snprintf(d->protocol, sizeof d->protocol, "%u.%u", hello->major, hello->minor);
  g_strlcpy(d->reset_text, aio_native_reset_text(hello->reset_cause), sizeof d->reset_text);
  for (guint j = 0; j < ARM_MAX_JOINTS; j++)
    clear_joint(&d->joint[j]);
}

/* What is missing from before the first HELLO was not sent to this program. */
static void begin_counting(AioNative *native) {
  wire_sequence_init(&native->host.telem);
  native->samples_lost = 0;
  native->others_lost_before = native->host.counters.others_lost;
}

/* What no controller can be, and what would go wrong with one later on, the arm moving. In a
 * capture it does not: who captured such a controller finds its samples as they came. */
static bool check_hello(const AioNative *native, const WireHelloAck *hello, AioReply *reply) {
  const bool may_move = hello->major == WIRE_VERSION && !native->is_replayed;
  if (hello->joints < 1 || hello->joints > ARM_MAX_JOINTS)
    aio_native_error(reply, AIO_ERROR_REFUSED,
                     N_("the controller says that it has %u joints; 1 to %d are possible"),
                     hello->joints, ARM_MAX_JOINTS);
  else if (may_move && hello->time_factor == 0)
    aio_native_error(reply, AIO_ERROR_REFUSED,
                     N_("the controller says that its time stands still (time_factor 0); 1000 is "
                        "usual: its firmware is not as docs/protocol.md has it"));
  else if (may_move && (hello->ttl_max_ms == 0 || hello->ttl_min_ms > hello->ttl_max_ms))
    aio_native_error(reply, AIO_ERROR_REFUSED,
                     N_("the controller gives leases of %u to %u ms, which are none: its firmware "
                        "is not as docs/protocol.md has it"),
                     hello->ttl_min_ms, hello->ttl_max_ms);
  else
    return true;
  return false;
}

static bool take_hello(AioNative *native, const WireIncoming *incoming, AioReply *reply) {
  WireHelloAck *hello = &native->hello;
  const bool had_description = native->description.driver != NULL;
  const guint32 before = native->description.boot_count;
  (void)wire_hello_ack_get(hello, incoming->payload, incoming->length);
  if (!check_hello(native, hello, reply))
    return false;
  native->has_session = false; /* what waits behind this is for the new session */
  if (!had_description)
    begin_counting(native);
  if (had_description && before != hello->boot_count)
    aio_native_boot(native, hello->boot_count, hello->reset_cause, incoming->t_us);
  set_description(native);
  native->token = hello->token;
  native->has_session = true;
  native->is_leased = false;
  native->has_state = false;
  native->trajectory_joints = 0;
  native->lost_before = 0;
  return true;
}

static bool take_joint(AioNative *native, guint index, const WireIncoming *incoming,
                       AioReply *reply) {
  WireJoint wire;
  (void)wire_joint_get(&wire, incoming->payload, incoming->length);
  if (wire.joint != index + 1) {
    aio_native_error(reply, AIO_ERROR_DEVICE,
                     N_("asked for joint %u, the controller describes joint %u"), index + 1,
                     wire.joint);
    return false;
  }
  native->description.joint[index] =
      (AioJointInfo){.type = wire.kind == WIRE_JOINT_SLIDES ? ARM_JOINT_T : ARM_JOINT_R,
                     .q_min = aio_wire_length(wire.q_min),
                     .q_max = aio_wire_length(wire.q_max),
                     .speed_max = aio_wire_length(wire.v_max),
                     .accel_max = aio_wire_length(wire.a_max),
                     .current_max = aio_wire_current_limit(wire.i_max),
                     .temperature_max_C = aio_wire_temperature_limit(wire.temperature_max),
                     .following_max = aio_wire_length_limit(wire.following_max),
                     .quantum = aio_wire_quantum(wire.quantum),
                     .rest_error = (double)NAN};
  return true;
}

/* n bytes that need not end with a zero, as text that may be shown. */
static void copy_text(char *out, gsize size, const char *bytes, gsize n) {
  char *whole = g_utf8_make_valid(bytes, (gssize)strnlen(bytes, n));
  char *valid = aio_text_visible(whole, false);
  g_free(whole);
  out[0] = 0;
  for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
    const gsize end = (gsize)(g_utf8_next_char(p) - valid);
    if (end >= size)
      break;
    memcpy(out, valid, end);
    out[end] = 0;
  }
  g_free(valid);
}

static bool take_schema(AioNative *native, guint index, const WireIncoming *incoming,
                        AioReply *reply) {
  WireSchema wire;
  (void)wire_schema_get(&wire, incoming->payload, incoming->length);
  if (wire.index != index || wire.type > WIRE_PARAM_F32) {
    aio_native_error(reply, AIO_ERROR_DEVICE,
                     N_("asked for parameter %u, the controller describes %u, of type %u"), index,
                     wire.index, wire.type);
    return false;
  }
  native->fetched_crc = wire_crc32(native->fetched_crc, incoming->payload + WIRE_SCHEMA_CANONICAL,
                                   WIRE_SIZE_SCHEMA - WIRE_SCHEMA_CANONICAL);
  AioParam *param = &native->fetched[index];
  param->id = wire.id;
  param->type = (AioParamType)wire.type;
  param->is_live = wire.flags & WIRE_PARAM_IS_LIVE;
  param->is_read_only = wire.flags & WIRE_PARAM_IS_READ_ONLY;
  param->minimum = aio_native_param_value(param->type, wire.minimum);
  param->maximum = aio_native_param_value(param->type, wire.maximum);
  param->initial = param->value = aio_native_param_value(param->type, wire.initial);
  copy_text(param->name, sizeof param->name, wire.name, sizeof wire.name);
  copy_text(param->unit, sizeof param->unit, wire.unit, sizeof wire.unit);
  return true;
}

static bool keep_schema(AioNative *native, AioReply *reply) {
  if (native->fetched_crc != native->hello.schema_crc) {
    aio_native_error(reply, AIO_ERROR_DEVICE,
                     N_("the parameter schema has the CRC %08x, the controller announced %08x"),
                     native->fetched_crc, native->hello.schema_crc);
    return false;
  }
  g_free(native->params);
  native->params = g_steal_pointer(&native->fetched);
  native->n_params = native->hello.params;
  native->schema_crc = native->hello.schema_crc;
  native->has_schema = true;
  return true;
}

static void begin_schema(AioNative *native, AioNativeCommand *command) {
  const WireHelloAck *hello = &native->hello;
  command->phase = SCHEMA;
  command->index = 0;
  if (native->has_schema && native->schema_crc == hello->schema_crc &&
      native->n_params == hello->params) {
    command->phase = STATE;
    return;
  }
  native->has_schema = false;
  g_free(native->fetched);
  native->fetched = g_new0(AioParam, hello->params);
  native->fetched_crc = 0;
}

static void next_phase(AioNative *native, AioNativeCommand *command) {
  const WireHelloAck *hello = &native->hello;
  if (command->phase == HELLO) {
    command->phase = JOINTS;
    command->index = 0;
  } else if (command->phase == JOINTS && ++command->index == hello->joints) {
    begin_schema(native, command);
  } else if (command->phase == SCHEMA) {
    command->index++;
  }
}

/* True: the description is complete, or reply says why it cannot be. */
static bool describe_answer(AioNative *native, AioNativeCommand *command,
                            const WireIncoming *incoming, AioReply *reply) {
  bool is_good = true;
  if (command->phase == HELLO)
    is_good = take_hello(native, incoming, reply);
  else if (command->phase == JOINTS)
    is_good = take_joint(native, command->index, incoming, reply);
  else if (command->phase == SCHEMA)
    is_good = take_schema(native, command->index, incoming, reply);
  else
    is_good = state_answer(native, command, incoming, reply) && reply->code == 0;
  if (!is_good)
    return true;
  reply->description = &native->description;
  if (command->phase == STATE)
    return true;
  next_phase(native, command);
  if (command->phase == SCHEMA && command->index == native->hello.params) {
    if (!keep_schema(native, reply))
      return true;
    command->phase = STATE;
  }
  return false;
}

/* An arm that another session has armed is taken over with the token that the refusal tells. Of
 * another major version only HELLO_ACK can be relied on: what else is not told stays unknown. */
static bool describe_fail(AioNative *native, AioNativeCommand *command, const WireRefused *refused,
                          AioReply *reply) {
  if (command->phase == HELLO && refused && refused->code == WIRE_CODE_TOKEN &&
      ++command->restarts <= TAKEOVERS) {
    command->takeover = (guint32)refused->limit;
    return true;
  }
  if (command->phase == HELLO || !native->description.is_read_only)
    return false;
  reply->code = 0;
  reply->message[0] = 0;
  reply->description = &native->description;
  command->has_ended = true;
  return true;
}

static const AioNativeKind describe_kind = {
    .encode = describe_encode, .answer = describe_answer, .fail = describe_fail};

void aio_native_describe(AioDriver *driver, guint64 ticket) {
  aio_native_submit((AioNative *)driver, aio_native_command(ticket, &describe_kind, 0));
}

bool aio_native_is_hello(const AioNativeCommand *command) {
  return command->kind == &probe_kind ||
         (command->kind == &describe_kind && command->phase == HELLO);
}
