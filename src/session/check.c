/* SPDX-License-Identifier: MIT */
/* Objections as a list instead of the first one: who stands at the arm wants to mend all in one go.
 * Numbers may differ by what the wire rounds, not by what somebody might tolerate. */
#include "session/check.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/evidence.h"

/* Limits come over the wire in millionths; an arm at its stop may stand a little beyond it. The
 * others are chosen: a speed limit may have been rounded when it was converted from rpm; what an
 * hour of sweeps warms a motor by is not known beforehand. */
#define LIMIT_SLACK_R 1e-4
#define LIMIT_SLACK_T 1e-5
#define SPEED_SLACK   1.001
#define COOL_C        10.0 /* must be left to the limit before a calibration begins */
#define FLOAT_SLACK   1e-6 /* relative: a ratio that went through 32 bits and a product or two */

static void object(GPtrArray *list, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void object(GPtrArray *list, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(list, aio_said_v(format, arguments));
  va_end(arguments);
}

static char *speed_said(ArmJointType type, double speed) {
  char *distance = ase_position_said(type, speed);
  char *text = aio_said("%s/s", distance);
  g_free(distance);
  return text;
}

/* ---- what it is ---- */

static void check_abilities(GPtrArray *list, const AioDescription *d) {
  if (d->is_read_only)
    object(list,
           N_("the controller speaks protocol %s, which this program can only read; update its "
              "firmware or this program"),
           d->protocol);
  if (!(d->capabilities & (AIO_CAN_LEASE | AIO_CAN_ESTOP | AIO_CAN_KILL)))
    object(list,
           N_("the controller does not hold by itself when the computer fails (no lease), has "
              "no emergency stop chain and cannot switch its drives off: nothing would end a "
              "motion"));
  if (!(d->capabilities & AIO_CAN_SWEEP))
    object(list, N_("the controller cannot sweep a joint by itself; use a firmware that can"));
  if (!(d->capabilities & AIO_CAN_CURRENT))
    object(list,
           N_("the controller does not measure motor currents, of which everything is computed"));
}

/* What its driver has against it. */
static void check_set_up(GPtrArray *list, const AioDescription *d) {
  char **lines = g_strsplit(d->objections, "\n", -1);
  for (char **line = lines; *line; line++)
    if (**line)
      object(list, "%s", *line);
  g_strfreev(lines);
}

char *ase_check_caution(const AioDescription *d) {
  const bool has_lease = d->capabilities & AIO_CAN_LEASE;
  const bool has_estop = d->capabilities & AIO_CAN_ESTOP;
  if (has_lease && has_estop)
    return NULL;
  if (has_estop)
    return aio_said(
        N_("no lease: when the computer fails the arm goes on to the end of its motion; "
           "keep a hand at the emergency stop button"));
  if (has_lease)
    return aio_said(N_("no emergency stop chain: keep a hand at the plug of the drives' supply and "
                       "under the arm, which falls without it"));
  return aio_said(
      N_("no lease and no emergency stop chain: when the computer fails the arm goes on "
         "to the end of its motion; keep a hand at the plug of the drives' supply and "
         "under the arm, which falls without it"));
}

bool ase_check_count(const AioArm *arm, const AioDescription *d, GError **error) {
  const guint n = (guint)arm->model.n;
  if (d->joints == n)
    return true;
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      N_("the controller has %u joints, the arm file %u; choose the arm file of this arm, or "
         "connect the other controller"),
      d->joints, n);
  return false;
}

static void check_kinds(GPtrArray *list, const AioArm *arm, const AioDescription *d) {
  for (guint j = 0; j < MIN(d->joints, (guint)arm->model.n); j++) {
    static const char *const kinds[] = {N_("rotational"), N_("translational")};
    if (d->joint[j].type != arm->model.joints[j].type)
      object(
          list,
          N_("joint %u: the controller says it is %s, the arm file says %s; choose the arm file of "
             "this arm"),
          j + 1, aio_said_word(kinds[d->joint[j].type]),
          aio_said_word(kinds[arm->model.joints[j].type]));
  }
}

GPtrArray *ase_check_controller(const AioArm *arm, const AioDescription *d) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  GError *error = NULL;
  check_abilities(list, d);
  check_set_up(list, d);
  if (ase_check_count(arm, d, &error))
    check_kinds(list, arm, d);
  else
    object(list, "%s", aio_error_said(error));
  g_clear_error(&error);
  return list;
}

/* ---- what its drives are ---- */

/* NULL: not offered, or in a unit in which it means something else. */
static const AioParam *find_param(const AioParam *params, guint n, const char *stem, guint joint,
                                  const char *unit) {
  char name[sizeof params->name];
  g_snprintf(name, sizeof name, "%s[%u]", stem, joint);
  for (guint k = 0; k < n; k++)
    if (strcmp(params[k].name, name) == 0)
      return strcmp(params[k].unit, unit) == 0 ? &params[k] : NULL;
  return NULL;
}

static void check_drive(GPtrArray *list, guint joint, const AioParam *param, double expected) {
  char wanted[G_ASCII_DTOSTR_BUF_SIZE], found[G_ASCII_DTOSTR_BUF_SIZE];
  if (!param || isnan(expected) || fabs(param->value - expected) <= FLOAT_SLACK * fabs(expected))
    return;
  g_ascii_formatd(wanted, sizeof wanted, "%.7g", expected);
  g_ascii_formatd(found, sizeof found, "%.7g", param->value);
  object(list,
         N_("joint %u: %s: expected %s as in the arm file, found %s in the controller; look at the "
            "drive and correct the one that is wrong"),
         joint, param->name, wanted, found);
}

GPtrArray *ase_check_drives(const AioArm *arm, const AioParam *params, guint n) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  for (guint j = 0; j < (guint)arm->model.n; j++) {
    const ArmJoint *joint = &arm->model.joints[j];
    if (joint->n_motors != 1)
      continue;
    const char *unit = joint->type == ARM_JOINT_R ? "" : "rad/m";
    check_drive(list, j + 1, find_param(params, n, "motor.sign", j + 1, ""),
                joint->motors[0].motor_sign);
    check_drive(list, j + 1, find_param(params, n, "gear.ratio", j + 1, unit),
                joint->motors[0].gear_ratio);
  }
  return list;
}

GPtrArray *ase_check_arm(const AioArm *arm, const AioDescription *d, const AioParam *params,
                         guint n) {
  GPtrArray *list = ase_check_drives(arm, params, n);
  check_kinds(list, arm, d);
  return list;
}

/* ---- how it stands ---- */

static void check_ranges(GPtrArray *list, guint j, const ArmJoint *joint, const AioJointInfo *info,
                         const AseEdits *edits) {
  const double slack = joint->type == ARM_JOINT_R ? LIMIT_SLACK_R : LIMIT_SLACK_T;
  const double low = edits->low[j], high = edits->high[j];
  if (low < info->q_min - slack || high > info->q_max + slack) {
    char *allowed = ase_range_said(joint->type, info->q_min, info->q_max);
    char *free = ase_range_said(joint->type, low, high);
    object(list,
           N_("joint %u: the controller allows %s, but %s are declared free; narrow the free "
              "range, or correct the limits in the controller"),
           j + 1, allowed, free);
    g_free(allowed);
    g_free(free);
  }
  if (joint->limits.speed_max > SPEED_SLACK * info->speed_max) {
    char *allowed = speed_said(joint->type, info->speed_max);
    char *stated = speed_said(joint->type, joint->limits.speed_max);
    object(list,
           N_("joint %u: the controller allows %s, the arm file %s; state the lower speed in "
              "the arm file"),
           j + 1, allowed, stated);
    g_free(allowed);
    g_free(stated);
  }
}

static void check_place(GPtrArray *list, guint j, ArmJointType type, double q, double slack,
                        const AseEdits *edits) {
  if (q >= edits->low[j] - slack && q <= edits->high[j] + slack)
    return;
  char *at = ase_position_said(type, q);
  char *free = ase_range_said(type, edits->low[j], edits->high[j]);
  object(
      list,
      N_("joint %u stands at %s, outside of what is declared free (%s); move it there by hand or "
         "with the controller's own means, or correct the free range or the joint's zero"),
      j + 1, at, free);
  g_free(at);
  g_free(free);
}

static void check_heat(GPtrArray *list, guint j, double celsius, double most) {
  if (!(celsius > most - COOL_C))
    return;
  char *numbers = aio_error_numbers((double[]){celsius, most}, 2);
  object(list, N_("joint %u: its motor is hot (is, limit: %s degrees Celsius); let it cool down"),
         j + 1, numbers);
  g_free(numbers);
}

GPtrArray *ase_check_condition(const AioArm *arm, const AseEdits *edits,
                               const AseCondition *condition) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  const AioDescription *d = condition->description;
  if (d->capabilities & AIO_CAN_ESTOP && !condition->state->is_estop_closed)
    object(list, N_("the emergency stop chain is open; release the emergency stop button"));
  if (condition->state->faults) {
    char *faults = aio_faults_said(condition->state->faults, condition->state->fault_joints);
    object(list, N_("a fault is latched (%s); remove its cause, then clear it"), faults);
    g_free(faults);
  }
  for (guint j = 0; j < MIN(d->joints, (guint)arm->model.n); j++) {
    const ArmJoint *joint = &arm->model.joints[j];
    check_place(list, j, joint->type, condition->q[j], ase_rest_error(joint, &d->joint[j]), edits);
    check_ranges(list, j, joint, &d->joint[j], edits);
    check_heat(list, j, condition->motor_C[j], d->joint[j].temperature_max_C);
  }
  return list;
}

char *ase_check_rate_said(double hz) {
  if (hz >= ASE_CHECK_LEAST_HZ)
    return NULL;
  /* TRANSLATORS: samples per second, twice */
  return aio_said(
      N_("expected %.3g samples per second or more, by which the arm is watched and fed "
         "its motion, found %.3g"),
      ASE_CHECK_LEAST_HZ, hz);
}

char *ase_check_said(const GPtrArray *objections) {
  return aio_said_join((const char *const *)objections->pdata, objections->len, "; ");
}
