/* SPDX-License-Identifier: MIT */
/* The names of driver.h are those of the protocol by number, which the compiler checks here; and
 * calls of a driver that has not everything: what it lacks is answered as refused, by name. */
#include "io/driver/driver.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/said.h"
#include "wire/message.h"
#include "wire/text.h"

/* The enumerations of driver.h are those of the protocol, number for number. */
#define SAME(a, b) G_STATIC_ASSERT((int)(a) == (int)(b))
SAME(AIO_DEVICE_LOCKED, WIRE_STATE_LOCKED);
SAME(AIO_MOTION_STOPPING, WIRE_MOTION_STOPPING);
SAME(AIO_END_DISARM, WIRE_END_DISARM);
SAME(AIO_PARAM_FLOAT, WIRE_PARAM_F32);
SAME(AIO_FAULT_KILL, WIRE_FAULT_KILL);
SAME(AIO_FAULT_ESTOP, WIRE_FAULT_ESTOP);
SAME(AIO_FAULT_DRIVE, WIRE_FAULT_DRIVE);

/* What wire says of a number that has no name. */
static const char *const unknown G_GNUC_UNUSED = N_("unknown");

const char *aio_device_state_text(AioDeviceState state) {
  return _(wire_state_text((uint8_t)state));
}

const char *aio_motion_text(AioMotion motion) {
  return wire_motion_text((uint8_t)motion);
}

const char *aio_motion_end_text(AioMotionEnd end) {
  return wire_end_text((uint8_t)end);
}

#define FAULT_NAME(NAME, number, phrase)                                                           \
  case number:                                                                                     \
    return #NAME;

static const char *fault_name(guint bit) {
  switch (bit) {
    WIRE_FAULTS(FAULT_NAME)
  default:
    return NULL;
  }
}

/* " (joint 2)", behind what is wrong with it. g_free. */
static char *joints_said(guint32 joints) {
  GString *list = g_string_new(NULL);
  for (guint k = 0; k < 32; k++)
    if (joints >> k & 1)
      g_string_append_printf(list, list->len ? ", %u" : "%u", k + 1);
  /* TRANSLATORS: "2" or "2, 3"; behind what is wrong with them */
  char *said = aio_said(joints & (joints - 1) ? N_(" (joints %s)") : N_(" (joint %s)"), list->str);
  g_string_free(list, TRUE);
  return said;
}

static char *fault_said(guint bit, guint32 joints) {
  const guint32 fault = (guint32)1 << bit;
  char *of = joints ? joints_said(joints) : g_strdup("");
  char *what = fault_name(bit)
                   ? aio_said("%s: %s", fault_name(bit), aio_said_word(wire_fault_text(fault)))
                   : aio_said(N_("fault %u: unknown"), bit);
  char *said = aio_said("%s%s", what, of);
  g_free(what);
  g_free(of);
  return said;
}

char *aio_faults_said(guint32 faults, guint32 joints) {
  const guint32 of_joints = AIO_FAULT_CURRENT | AIO_FAULT_TEMPERATURE | AIO_FAULT_FOLLOWING |
                            AIO_FAULT_ENCODER | AIO_FAULT_DRIVE;
  GPtrArray *list = aio_said_list_new();
  for (guint bit = 0; bit < 32; bit++)
    if (faults >> bit & 1)
      aio_said_list_take(list, fault_said(bit, (guint32)1 << bit & of_joints ? joints : 0));
  return aio_said_list_join(list, "; ");
}

char *aio_faults_text(guint32 faults, guint32 joints) {
  return aio_said_take_text(aio_faults_said(faults, joints));
}

const char *aio_foreign_said(void) {
  return aio_said_word(
      N_("another program or a replayed recording sends on this line: end it or unplug it"));
}

/* ---- dispatch ---- */

void aio_driver_receive(AioDriver *driver, gint64 t_ns, const guint8 *bytes, gsize n) {
  driver->klass->receive(driver, t_ns, bytes, n);
}

gint64 aio_driver_tick(AioDriver *driver, gint64 t_ns) {
  return driver->klass->tick(driver, t_ns);
}

void aio_driver_disconnected(AioDriver *driver) {
  driver->klass->disconnected(driver);
}

void aio_driver_counters(const AioDriver *driver, AioDriverCounters *out) {
  driver->klass->counters(driver, out);
}

void aio_driver_keep_alive(AioDriver *driver, gint64 until_ns) {
  driver->alive_until_ns = until_ns;
}

void aio_driver_free(AioDriver *driver) {
  if (driver)
    driver->klass->free(driver);
}

static void cannot(AioDriver *driver, guint64 ticket, const char *what) {
  AioReply reply = {.ticket = ticket, .code = AIO_REPLY_CODE(AIO_ERROR_REFUSED)};
  /* TRANSLATORS: a command, "SWEEP"; the name of a driver */
  char *said =
      aio_said(N_("%s: a controller of the kind \"%s\" cannot do this"), what, driver->klass->name);
  aio_said_copy(reply.message, sizeof reply.message, said);
  g_free(said);
  driver->sink->reply(driver->sink_ctx, &reply);
}

/* function: of AioDriverClass; what: the command, in capitals as all are that are no words of a
 * language; the rest: its arguments */
#define CALL(function, what, ...)                                                                  \
  do {                                                                                             \
    if (driver->klass->function)                                                                   \
      driver->klass->function(__VA_ARGS__);                                                        \
    else                                                                                           \
      cannot(driver, ticket, what);                                                                \
  } while (0)

void aio_driver_probe(AioDriver *driver, guint64 ticket) {
  CALL(probe, "PROBE", driver, ticket);
}

void aio_driver_describe(AioDriver *driver, guint64 ticket) {
  CALL(describe, "DESCRIBE", driver, ticket);
}

void aio_driver_state(AioDriver *driver, guint64 ticket) {
  CALL(state, "STATE", driver, ticket);
}

void aio_driver_telemetry(AioDriver *driver, guint64 ticket, double hz, double health_hz) {
  CALL(telemetry, "TELEMETRY", driver, ticket, hz, health_hz);
}

void aio_driver_arm(AioDriver *driver, guint64 ticket, guint ttl_ms) {
  CALL(arm, "ARM", driver, ticket, ttl_ms);
}

void aio_driver_disarm(AioDriver *driver, guint64 ticket, bool drives_off) {
  CALL(disarm, "DISARM", driver, ticket, drives_off);
}

void aio_driver_clear(AioDriver *driver, guint64 ticket, guint32 faults) {
  CALL(clear, "CLEAR", driver, ticket, faults);
}

void aio_driver_move(AioDriver *driver, guint64 ticket, const AioMoveJoint *joints, guint n) {
  CALL(move, "MOVE", driver, ticket, joints, n);
}

void aio_driver_sweep(AioDriver *driver, guint64 ticket, const AioSweep *sweep) {
  CALL(sweep, "SWEEP", driver, ticket, sweep);
}

void aio_driver_trajectory_begin(AioDriver *driver, guint64 ticket, guint32 joints) {
  CALL(trajectory_begin, "TRAJECTORY", driver, ticket, joints);
}

void aio_driver_trajectory_segment(AioDriver *driver, guint64 ticket, const AioSegment *segment) {
  CALL(trajectory_segment, "TRAJECTORY", driver, ticket, segment);
}

void aio_driver_trajectory_start(AioDriver *driver, guint64 ticket) {
  CALL(trajectory_start, "TRAJECTORY", driver, ticket);
}

void aio_driver_stop(AioDriver *driver, guint64 ticket) {
  CALL(stop, "STOP", driver, ticket);
}

void aio_driver_kill(AioDriver *driver, guint64 ticket) {
  CALL(kill, "KILL", driver, ticket);
}

void aio_driver_params_get(AioDriver *driver, guint64 ticket) {
  CALL(params_get, "PARAMETERS", driver, ticket);
}

void aio_driver_param_set(AioDriver *driver, guint64 ticket, guint id, double value) {
  CALL(param_set, "PARAMETER", driver, ticket, id, value);
}

void aio_driver_params_upload(AioDriver *driver, guint64 ticket, const double *values, guint n) {
  CALL(params_upload, "UPLOAD", driver, ticket, values, n);
}

void aio_driver_params_digest(AioDriver *driver, guint64 ticket) {
  CALL(params_digest, "DIGEST", driver, ticket);
}

void aio_driver_test(AioDriver *driver, guint64 ticket, const AioTest *test) {
  CALL(test, "TEST", driver, ticket, test);
}
