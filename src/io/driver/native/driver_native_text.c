/* SPDX-License-Identifier: MIT */
/* Refusals as sentences: which joint, what is allowed, what was asked, with their units. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "io/driver/native/driver_native.h"
#include "io/driver/native/wire_units.h"
#include "wire/text.h"

/* ---- BOUND ---- */

/* Three decimals, or six when three do not tell the numbers apart. */
static void format_pair(double asked, double limit, char *asked_text, char *limit_text, int size) {
  g_ascii_formatd(asked_text, size, "%.3f", asked);
  g_ascii_formatd(limit_text, size, "%.3f", limit);
  if (strcmp(asked_text, limit_text) != 0)
    return;
  g_ascii_formatd(asked_text, size, "%.6f", asked);
  g_ascii_formatd(limit_text, size, "%.6f", limit);
}

static const char *bound_unit(const AioNative *native, const WireRefused *refused) {
  const bool is_known = refused->joint >= 1 && refused->joint <= native->description.joints;
  const bool is_sliding =
      is_known && native->description.joint[refused->joint - 1].type == ARM_JOINT_T;
  switch (refused->bound) {
  case WIRE_BOUND_Q_MIN:
  case WIRE_BOUND_Q_MAX:
    return is_sliding ? "m" : "rad";
  case WIRE_BOUND_V_MAX:
    return is_sliding ? "m/s" : "rad/s";
  case WIRE_BOUND_A_MAX:
    return is_sliding ? "m/s^2" : "rad/s^2";
  default:
    return "A";
  }
}

static char *bound_said(const AioNative *native, const WireRefused *refused) {
  enum { NUMBER = G_ASCII_DTOSTR_BUF_SIZE };
  char asked[NUMBER], limit[NUMBER];
  const bool is_current = refused->bound == WIRE_BOUND_I_MAX;
  const char *unit = bound_unit(native, refused);
  if (is_current)
    format_pair(aio_wire_current(refused->asked), aio_wire_current(refused->limit), asked, limit,
                NUMBER);
  else
    format_pair(aio_wire_length(refused->asked), aio_wire_length(refused->limit), asked, limit,
                NUMBER);
  return aio_said(refused->bound == WIRE_BOUND_Q_MIN
                      /* TRANSLATORS: number unit, "lowest position", number unit */
                      ? N_("joint %u: %s %s is below the %s %s %s")
                      : N_("joint %u: %s %s is above the %s %s %s"),
                  refused->joint, asked, unit, aio_said_word(wire_bound_text(refused->bound)),
                  limit, unit);
}

/* ---- the others ---- */

/* A parameter by its name, when it has one here. */
static char *param_said(const AioNative *native, const WireRefused *refused) {
  const AioParam *param = aio_native_param(native, (guint)refused->asked);
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
  if (!param || refused->code != WIRE_CODE_PARAM_RANGE)
    return aio_said(N_(": parameter %d"), refused->asked);
  g_ascii_formatd(low, sizeof low, "%.6g", param->minimum);
  g_ascii_formatd(high, sizeof high, "%.6g", param->maximum);
  return aio_said(N_(": %s must be %s to %s%s%s"), param->name, low, high,
                  param->unit[0] ? " " : "", param->unit);
}

static char *faults_said(const AioNative *native, guint32 faults) {
  char *said = aio_faults_said(faults, native->state.fault_joints);
  char *detail = *said ? aio_said(": %s", said) : g_strdup("");
  g_free(said);
  return detail;
}

static char *joint_said(const WireRefused *refused) {
  if ((refused->request_type & ~(guint)WIRE_GUARDED) == WIRE_TYPE_TRAJ_BEGIN)
    return aio_said(N_(": the joints of mask %x; the arm has %d"), (guint)refused->asked,
                    refused->limit);
  return aio_said(N_(": joint %d; the arm has %d"), refused->asked, refused->limit);
}

static char *ttl_said(const AioNative *native, const WireRefused *refused) {
  const AioDescription *d = &native->description;
  return aio_said(N_(": %d ms; %u to %u ms are possible"), refused->asked, d->lease_min_ms,
                  d->lease_max_ms);
}

/* What limit and asked mean for this code; "" when they mean nothing. */
static char *detail_said(const AioNative *native, const WireRefused *refused) {
  const int limit = refused->limit, asked = refused->asked;
  switch (refused->code) {
  case WIRE_CODE_LENGTH:
    return aio_said(N_(": %d bytes, %d expected"), asked, limit);
  case WIRE_CODE_BUSY:
    return asked ? aio_said(N_(": motion %d"), asked) : g_strdup("");
  case WIRE_CODE_TTL:
    return ttl_said(native, refused);
  case WIRE_CODE_LOCKED:
    return faults_said(native, asked ? (guint32)asked : native->state.faults);
  case WIRE_CODE_LOCKOUT:
    return aio_said(N_(": wait %d ms"), limit);
  case WIRE_CODE_FAULT_ACTIVE:
    return faults_said(native, (guint32)asked);
  case WIRE_CODE_FAULT_UNSEEN:
    return faults_said(native, (guint32)limit & ~(guint32)asked);
  case WIRE_CODE_JOINT:
    return joint_said(refused);
  case WIRE_CODE_VALUE:
  case WIRE_CODE_OFFSET:
  case WIRE_CODE_SEGMENT:
    return aio_said(N_(": %d, expected %d"), asked, limit);
  case WIRE_CODE_PARAM:
  case WIRE_CODE_PARAM_RANGE:
    return param_said(native, refused);
  case WIRE_CODE_FULL:
    return aio_said(N_(": %d segments"), limit);
  case WIRE_CODE_SCHEMA:
    return aio_said(N_(": connect again"));
  default:
    return g_strdup("");
  }
}

/* The device follows the numbers of another sender, or serves its session. ARM and LEASE name a
 * token of their own, which a fault may just have ended. */
static bool is_displaced(const WireRefused *refused) {
  const guint type = refused->request_type & ~(guint)WIRE_GUARDED;
  return refused->code == WIRE_CODE_SEQUENCE ||
         (refused->code == WIRE_CODE_TOKEN && type != WIRE_TYPE_ARM && type != WIRE_TYPE_LEASE &&
          type != WIRE_TYPE_HELLO);
}

static char *displaced_said(const WireRefused *refused) {
  if (refused->code == WIRE_CODE_SEQUENCE)
    return aio_said(N_("%s refused: the controller expects the number after %d, not %d: %s, then "
                       "connect again"),
                    wire_type_name(refused->request_type), refused->limit, refused->asked,
                    aio_foreign_said());
  return aio_said(N_("%s refused: the controller serves another session: %s, then connect "
                     "again"),
                  wire_type_name(refused->request_type), aio_foreign_said());
}

static char *plain_said(const AioNative *native, const WireRefused *refused) {
  char *detail = detail_said(native, refused);
  char *said = aio_said(N_("%s refused: %s%s"), wire_type_name(refused->request_type),
                        aio_said_word(wire_code_text(refused->code)), detail);
  g_free(detail);
  return said;
}

void aio_native_refusal(const AioNative *native, const WireRefused *refused, AioReply *reply) {
  reply->names_foreign = is_displaced(refused);
  char *said = reply->names_foreign               ? displaced_said(refused)
               : refused->code == WIRE_CODE_BOUND ? bound_said(native, refused)
                                                  : plain_said(native, refused);
  aio_said_copy(reply->message, sizeof reply->message, said);
  g_free(said);
}
