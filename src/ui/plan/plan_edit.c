/* SPDX-License-Identifier: MIT */
/* A plan as texts. A setter changes a copy and gives it back only when all of it is right, so that
 * an edit is whole or did not happen. */
#include "ui/plan/plan_edit.h"

#include <glib/gi18n.h>
#include <math.h>

#include "session/measure/evidence.h"
#include "ui/arm/arm_edit.h"
#include "ui/kit/format.h"

#define DEG     (G_PI / 180.0)
#define FASTEST 1000.0 /* [deg/s, mm/s]: beyond is a mistake of typing */
#define LONGEST 120.0  /* minutes of warm-up */

static bool turns(const AioArm *arm, guint joint) {
  return arm->model.joints[joint].type == ARM_JOINT_R;
}

static double unit_of(const AioArm *arm, guint joint) {
  return turns(arm, joint) ? aui_format_angle_scale() : 1.0;
}

/* What is said in deg or deg/s, as it is shown. */
static double shown(double degrees) {
  return degrees * DEG * aui_format_angle_scale();
}

/* ---- speeds ---- */

static char *format_speeds(const double *speeds, gsize n, double unit) {
  GString *text = g_string_new(NULL);
  const int digits = unit == 1.0 ? 3 : 4; /* rad/s are seldom round */
  for (gsize k = 0; k < n; k++)
    g_string_append_printf(text, "%s%.*g", k ? " " : "", digits, speeds[k] * unit);
  return g_string_free(text, FALSE);
}

static int compare_speeds(gconstpointer a, gconstpointer b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Ascending. How many; 0 with the error. */
static guint parse_speeds(const char *text, const char *where, double most,
                          double speeds[ARM_PLAN_MAX_SPEEDS], GError **error) {
  g_auto(GStrv) words = g_strsplit_set(text, " ;", -1);
  guint n = 0;
  for (guint k = 0; words[k]; k++) {
    if (!*words[k])
      continue;
    if (n == ARM_PLAN_MAX_SPEEDS) {
      n = 0;
      break;
    }
    if (!aui_read_number(words[k], 1e-3, most, where, &speeds[n], error))
      return 0;
    n++;
  }
  if (n < 2) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                _("%s: expected 2 to %d speeds such as 30 50 70, found “%s”"), where,
                ARM_PLAN_MAX_SPEEDS, text);
    return 0;
  }
  qsort(speeds, n, sizeof *speeds, compare_speeds);
  return n;
}

char *aui_speeds_text(const AseEdits *edits) {
  return format_speeds(edits->speeds_R, edits->n_speeds, aui_format_angle_scale());
}

bool aui_speeds_set(AseEdits *edits, const char *text, GError **error) {
  double speeds[ARM_PLAN_MAX_SPEEDS];
  const guint n = parse_speeds(text, _("Speeds"), shown(FASTEST), speeds, error);
  for (guint k = 0; k < n; k++) {
    edits->speeds_R[k] = speeds[k] / aui_format_angle_scale();
    edits->speeds_T[k] = 1e-3 * edits->speeds_R[k] / DEG;
  }
  if (n)
    edits->n_speeds = n;
  return n > 0;
}

/* ---- sweeps ---- */

char *aui_sweep_text(const AioArm *arm, const AseEdits *edits, guint joint, AuiSweepField field) {
  const ArmJointPlan *plan = &edits->plan.joint[joint];
  const double unit = unit_of(arm, joint);
  if (field == AUI_SWEEP_SPEEDS)
    return format_speeds(plan->speeds, plan->n_speeds, turns(arm, joint) ? unit : 1e3);
  return g_strdup_printf("%.6g", unit * (field == AUI_SWEEP_FROM ? plan->from : plan->to));
}

static bool set_sweep_speeds(const AioArm *arm, ArmJointPlan *plan, guint joint, const char *where,
                             const char *text, GError **error) {
  const double unit = turns(arm, joint) ? 1.0 / aui_format_angle_scale() : 1e-3;
  const double fastest = turns(arm, joint) ? shown(FASTEST) : FASTEST;
  const double limit = arm->model.joints[joint].limits.speed_max;
  const double most = isnan(limit) ? fastest : fmin(fastest, limit / unit);
  double speeds[ARM_PLAN_MAX_SPEEDS];
  const guint n = parse_speeds(text, where, most, speeds, error);
  for (guint k = 0; k < n; k++)
    plan->speeds[k] = speeds[k] * unit;
  if (n)
    plan->n_speeds = n;
  return n > 0;
}

bool aui_sweep_set(const AioArm *arm, AseEdits *edits, guint joint, AuiSweepField field,
                   const char *text, GError **error) {
  ArmJointPlan *plan = &edits->plan.joint[joint];
  const double unit = unit_of(arm, joint);
  const double shortest = ase_evidence_shortest(&arm->model.joints[joint], NULL);
  g_autofree char *of = aui_joint_text(arm, joint);
  g_autofree char *where = g_strdup_printf(_("%s, sweep"), of);
  double value;
  if (field == AUI_SWEEP_SPEEDS)
    return set_sweep_speeds(arm, plan, joint, where, text, error);
  const bool is_to = field == AUI_SWEEP_TO;
  const double low = is_to ? plan->from + shortest : edits->low[joint];
  const double high = is_to ? edits->high[joint] : plan->to - shortest;
  if (!aui_read_number(text, unit * low, unit * high, where, &value, error))
    return false;
  *(is_to ? &plan->to : &plan->from) = CLAMP(value / unit, low, high);
  return true;
}

/* ---- holds ---- */

static AseHoldRange *find_range(AseEdits *edits, guint joint, guint hold) {
  for (guint k = 0; k < edits->n_holds; k++)
    if (edits->holds[k].joint == joint + 1 && edits->holds[k].hold == hold + 1)
      return &edits->holds[k];
  return NULL;
}

char *aui_hold_text(const AioArm *arm, const AseEdits *edits, guint joint, guint hold,
                    guint field) {
  if (field < ARM_MAX_JOINTS)
    return g_strdup_printf("%.6g",
                           edits->plan.joint[joint].holds[hold][field] * unit_of(arm, field));
  const AseHoldRange *range = find_range((AseEdits *)edits, joint, hold);
  const double q = !range ? (double)NAN : field == AUI_HOLD_FROM ? range->low : range->high;
  const double all = field == AUI_HOLD_FROM ? edits->low[joint] : edits->high[joint];
  return isnan(q) || q == all ? g_strdup("") : g_strdup_printf("%.6g", q * unit_of(arm, joint));
}

static void drop_range(AseEdits *edits, const AseHoldRange *range) {
  const guint at = (guint)(range - edits->holds);
  edits->n_holds--;
  memmove(&edits->holds[at], &edits->holds[at + 1], (edits->n_holds - at) * sizeof *range);
  memset(&edits->holds[edits->n_holds], 0, sizeof *range); /* compared by bytes */
}

/* An empty text: as free as the joint is elsewhere. */
static bool set_range(const AioArm *arm, AseEdits *edits, guint joint, guint hold, guint field,
                      const char *text, const char *where, GError **error) {
  AseHoldRange *range = find_range(edits, joint, hold);
  AseHoldRange next = {joint + 1, hold + 1, edits->low[joint], edits->high[joint]};
  const bool is_low = field == AUI_HOLD_FROM;
  const double unit = unit_of(arm, joint);
  double value = is_low ? unit * edits->low[joint] : unit * edits->high[joint];
  if (range)
    next = *range;
  const double low = unit * (is_low ? edits->low[joint] : next.low);
  const double high = unit * (is_low ? next.high : edits->high[joint]);
  if (*text && !aui_read_number(text, low, high, where, &value, error))
    return false;
  *(is_low ? &next.low : &next.high) = value / unit;
  if (!range && edits->n_holds == ASE_HOLD_RANGES) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING, _("%s: expected at most %d such ranges"),
                where, ASE_HOLD_RANGES);
    return false;
  }
  if (range && next.low <= edits->low[joint] && next.high >= edits->high[joint])
    drop_range(edits, range);
  else
    *(range ? range : &edits->holds[edits->n_holds++]) = next;
  return true;
}

bool aui_hold_set(const AioArm *arm, AseEdits *edits, guint joint, guint hold, guint field,
                  const char *text, GError **error) {
  g_autofree char *swept = aui_joint_text(arm, joint);
  if (field >= ARM_MAX_JOINTS) {
    g_autofree char *where = g_strdup_printf(_("%s in hold %u, free"), swept, hold + 1);
    return set_range(arm, edits, joint, hold, field, text, where, error);
  }
  const double unit = unit_of(arm, field);
  const double low = edits->low[field], high = edits->high[field];
  g_autofree char *of = aui_joint_text(arm, field);
  /* TRANSLATORS: "joint 5 (wrist bend) in hold 2 of joint 3 (elbow)" */
  g_autofree char *where = g_strdup_printf(_("%s in hold %u of %s"), of, hold + 1, swept);
  double value;
  if (!aui_read_number(text, unit * low, unit * high, where, &value, error))
    return false;
  edits->plan.joint[joint].holds[hold][field] = CLAMP(value / unit, low, high);
  return true;
}

/* ---- the way ---- */

char *aui_way_text(const AioArm *arm, const AseEdits *edits, AuiWayField field) {
  const AseItineraryOptions *o = &edits->itinerary;
  if (field == AUI_WAY_SPEED)
    return g_strdup_printf("%.6g", o->move_speed_R * aui_format_angle_scale());
  if (field == AUI_WAY_WARM_UP)
    return g_strdup_printf("%.6g", o->warm_up_s / 60.0);
  GString *text = g_string_new(NULL);
  for (size_t k = 0; k < arm->model.n && o->order[k]; k++)
    g_string_append_printf(text, "%s%u", k ? " " : "", o->order[k]);
  return g_string_free(text, FALSE);
}

/* Every joint once. */
static bool set_order(const AioArm *arm, AseItineraryOptions *options, const char *text,
                      GError **error) {
  g_auto(GStrv) words = g_strsplit_set(text, " ,;", -1);
  const size_t joints = arm->model.n;
  guint order[ARM_MAX_JOINTS] = {0}, n = 0;
  guint64 seen = 0, joint;
  for (guint k = 0; words[k]; k++) {
    if (!*words[k])
      continue;
    if (n == joints || !g_ascii_string_to_unsigned(words[k], 10, 1, joints, &joint, NULL) ||
        seen >> joint & 1)
      n = ARM_MAX_JOINTS + 1;
    if (n > joints)
      break;
    seen |= (guint64)1 << joint;
    order[n++] = (guint)joint;
  }
  if (n != joints) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                _("Order of the joints: expected each of 1 to %zu once, found “%s”"), joints, text);
    return false;
  }
  memcpy(options->order, order, sizeof order);
  return true;
}

bool aui_way_set(const AioArm *arm, AseEdits *edits, AuiWayField field, const char *text,
                 GError **error) {
  AseItineraryOptions *o = &edits->itinerary;
  double value;
  if (field == AUI_WAY_ORDER)
    return set_order(arm, o, text, error);
  if (field == AUI_WAY_WARM_UP) {
    if (!aui_read_number(text, 0.0, LONGEST, _("Warm-up"), &value, error))
      return false;
    o->warm_up_s = 60.0 * value;
    return true;
  }
  if (!aui_read_number(text, shown(0.1), shown(FASTEST), _("Speed of moves"), &value, error))
    return false;
  o->move_speed_R = value / aui_format_angle_scale();
  o->move_speed_T = 1e-3 * o->move_speed_R / DEG;
  return true;
}
