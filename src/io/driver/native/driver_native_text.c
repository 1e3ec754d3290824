/* SPDX-License-Identifier: MIT */
/* Refusals as sentences: which joint, what is allowed, what was asked, with their units. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

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

static void bound_text(const AioNative *native, const WireRefused *refused, char *out, gsize size) {
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
  g_snprintf(out, size,
             refused->bound == WIRE_BOUND_Q_MIN
                 /* TRANSLATORS: number unit, "lowest position", number unit */
                 ? _("joint %u: %s %s is below the %s %s %s")
                 : _("joint %u: %s %s is above the %s %s %s"),
             refused->joint, asked, unit, _(wire_bound_text(refused->bound)), limit, unit);
}

/* ---- the others ---- */

/* A parameter by its name, when it has one here. */
static void param_text(const AioNative *native, const WireRefused *refused, char *out, gsize size) {
  const AioParam *param = aio_native_param(native, (guint)refused->asked);
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
  if (!param || refused->code != WIRE_CODE_PARAM_RANGE) {
    g_snprintf(out, size, _(": parameter %d"), refused->asked);
    return;
  }
  g_ascii_formatd(low, sizeof low, "%.6g", param->minimum);
  g_ascii_formatd(high, sizeof high, "%.6g", param->maximum);
  g_snprintf(out, size, _(": %s must be %s to %s%s%s"), param->name, low, high,
             param->unit[0] ? " " : "", param->unit);
}

static void faults_text(const AioNative *native, guint32 faults, char *out, gsize size) {
  char *text = aio_faults_text(faults, native->state.fault_joints);
  g_snprintf(out, size, "%s%s", text[0] ? ": " : "", text);
  g_free(text);
}

static void joint_text(const WireRefused *refused, char *out, gsize size) {
  if ((refused->request_type & ~(guint)WIRE_GUARDED) == WIRE_TYPE_TRAJ_BEGIN)
    g_snprintf(out, size, _(": the joints of mask %x; the arm has %d"), (guint)refused->asked,
               refused->limit);
  else
    g_snprintf(out, size, _(": joint %d; the arm has %d"), refused->asked, refused->limit);
}

static void ttl_text(const AioNative *native, const WireRefused *refused, char *out, gsize size) {
  const AioDescription *d = &native->description;
  g_snprintf(out, size, _(": %d ms; %u to %u ms are possible"), refused->asked, d->lease_min_ms,
             d->lease_max_ms);
}

/* What limit and asked mean for this code; "" when they mean nothing. */
static void detail_text(const AioNative *native, const WireRefused *refused, char *out,
                        gsize size) {
  const int limit = refused->limit, asked = refused->asked;
  out[0] = 0;
  switch (refused->code) {
  case WIRE_CODE_LENGTH:
    g_snprintf(out, size, _(": %d bytes, %d expected"), asked, limit);
    break;
  case WIRE_CODE_BUSY:
    if (asked)
      g_snprintf(out, size, _(": motion %d"), asked);
    break;
  case WIRE_CODE_TTL:
    ttl_text(native, refused, out, size);
    break;
  case WIRE_CODE_LOCKED:
    faults_text(native, asked ? (guint32)asked : native->state.faults, out, size);
    break;
  case WIRE_CODE_LOCKOUT:
    g_snprintf(out, size, _(": wait %d ms"), limit);
    break;
  case WIRE_CODE_FAULT_ACTIVE:
    faults_text(native, (guint32)asked, out, size);
    break;
  case WIRE_CODE_FAULT_UNSEEN:
    faults_text(native, (guint32)limit & ~(guint32)asked, out, size);
    break;
  case WIRE_CODE_JOINT:
    joint_text(refused, out, size);
    break;
  case WIRE_CODE_VALUE:
  case WIRE_CODE_OFFSET:
  case WIRE_CODE_SEGMENT:
    g_snprintf(out, size, _(": %d, expected %d"), asked, limit);
    break;
  case WIRE_CODE_PARAM:
  case WIRE_CODE_PARAM_RANGE:
    param_text(native, refused, out, size);
    break;
  case WIRE_CODE_FULL:
    g_snprintf(out, size, _(": %d segments"), limit);
    break;
  case WIRE_CODE_SCHEMA:
    g_strlcpy(out, _(": connect again"), size);
    break;
  default:
    break;
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

static void displaced_text(const WireRefused *refused, char *out, gsize size) {
  if (refused->code == WIRE_CODE_SEQUENCE)
    g_snprintf(out, size,
               _("%s refused: the controller expects the number after %d, not %d: %s, then connect "
                 "again"),
               wire_type_name(refused->request_type), refused->limit, refused->asked,
               aio_foreign_text());
  else
    g_snprintf(out, size,
               _("%s refused: the controller serves another session: %s, then connect "
                 "again"),
               wire_type_name(refused->request_type), aio_foreign_text());
}

void aio_native_refusal(const AioNative *native, const WireRefused *refused, char *out,
                        gsize size) {
  char detail[200];
  if (is_displaced(refused)) {
    displaced_text(refused, out, size);
    return;
  }
  if (refused->code == WIRE_CODE_BOUND) {
    bound_text(native, refused, out, size);
    return;
  }
  detail_text(native, refused, detail, sizeof detail);
  g_snprintf(out, size, _("%s refused: %s%s"), wire_type_name(refused->request_type),
             _(wire_code_text(refused->code)), detail);
}
