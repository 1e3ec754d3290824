/* SPDX-License-Identifier: MIT */
/* One place for the ways of writing: decimals follow the sd (two digits of it), units are the
 * user's, 0 has no sign. */
#include "ui/kit/format.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

char *aui_format_number(double value, int digits) {
  if (isnan(value))
    return g_strdup("-");
  if (isinf(value))
    return g_strdup(_("unbounded"));
  const double least = pow(10.0, 1.0 - digits) * pow(10.0, floor(log10(fmax(fabs(value), 1.0))));
  if (fabs(value) < 1e6 && least >= 1.0) /* 2430, not 2.43e+03 */
    return g_strdup_printf("%.0f", least * round(value / least));
  return g_strdup_printf("%.*g", digits, value);
}

/* Decimals that leave the sd two digits, after rounding. */
static int decimals_of(double sd) {
  int decimals = 1 - (int)floor(log10(sd));
  if (round(sd * pow(10.0, decimals)) >= 100.0)
    decimals--;
  return decimals;
}

/* As many as a double has: what is known better than that has no sd to show. */
enum { MOST_DECIMALS = 15 };

static char *format_with_power(double value, double sd) {
  const int power = (int)floor(log10(fmax(fabs(value), sd)));
  const double scale = pow(10.0, -power);
  const int decimals = isnormal(sd * scale) ? decimals_of(sd * scale) : MOST_DECIMALS + 1;
  if (decimals > MOST_DECIMALS)
    return aui_format_number(value, MOST_DECIMALS);
  g_autofree char *mantissa =
      g_strdup_printf("%.*f(%.0f)", decimals, value * scale, sd * scale * pow(10.0, decimals));
  return power ? g_strdup_printf("%se%d", mantissa, power) : g_steal_pointer(&mantissa);
}

char *aui_format_estimate(double value, double sd) {
  if (!isfinite(value) || !isfinite(sd) || sd <= 0.0)
    return aui_format_number(value, 5);
  const int decimals = decimals_of(sd);
  if (decimals <= 0)
    return g_strdup_printf("%.0f(%.0f)", value, sd);
  if (decimals > 8)
    return format_with_power(value, sd);
  return g_strdup_printf("%.*f(%.0f)", decimals, value, sd * pow(10.0, decimals));
}

/* No "-0.0" of what rounds to 0. */
static double unsigned_zero(double value, int decimals) {
  return fabs(value) < 0.5 * pow(10.0, -decimals) ? 0.0 : value;
}

char *aui_format_fixed(double value, int decimals) {
  return isnan(value) ? g_strdup("-")
                      : g_strdup_printf("%.*f", decimals, unsigned_zero(value, decimals));
}

char *aui_format_promised(double value, int digits, bool is_fixed) {
  if (isnan(value))
    return g_strdup(_("not known"));
  return is_fixed ? aui_format_fixed(value, digits) : aui_format_number(value, digits);
}

char *aui_format_sds(double sds) {
  if (isnan(sds))
    return g_strdup("-");
  return fabs(sds) < 0.05 ? g_strdup_printf("%.1f", 0.0) : g_strdup_printf("%+.1f", sds);
}

char *aui_format_unit(const char *unit) {
  GString *text = g_string_new(strcmp(unit, "1") == 0 ? "" : unit);
  g_string_replace(text, "^2", "\302\262", 0);
  return g_string_free(text, FALSE);
}

char *aui_format_duration(double seconds) {
  if (!isfinite(seconds) || seconds < 0.0)
    return g_strdup("");
  const int s = (int)ceil(seconds);
  if (s < 3600)
    return g_strdup_printf("%d:%02d", s / 60, s % 60);
  return g_strdup_printf("%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
}

static bool uses_radians;

void aui_format_use_radians(bool uses) {
  uses_radians = uses;
}

double aui_format_angle(const char **unit) {
  *unit = uses_radians ? _("rad") : _("deg");
  return uses_radians ? 1.0 : 180.0 / G_PI;
}

double aui_format_angle_scale(void) {
  const char *unit;
  return aui_format_angle(&unit);
}

const char *aui_format_unit_name(const char *unit) {
  static const char *const names[][2] = {{"deg", N_("rad")},
                                         {"deg/s", N_("rad/s")},
                                         {"deg/s²", N_("rad/s²")},
                                         {"deg/s, mm/s", N_("rad/s, mm/s")}};
  for (gsize k = 0; uses_radians && k < G_N_ELEMENTS(names); k++)
    if (strcmp(unit, names[k][0]) == 0)
      return _(names[k][1]);
  return *unit ? _(unit) : "";
}

char *aui_format_joint(ArmJointType type, double q) {
  if (isnan(q))
    return g_strdup("-");
  if (type == ARM_JOINT_T)
    return g_strdup_printf(_("%.3f m"), unsigned_zero(q, 3));
  return uses_radians ? g_strdup_printf(_("%.3f rad"), unsigned_zero(q, 3))
                      : g_strdup_printf(_("%.1f deg"), unsigned_zero(q * 180.0 / G_PI, 1));
}

/* The next "%d" becomes a joint's number. */
static void put_joint(GString *text, guint joint) {
  char number[12];
  g_snprintf(number, sizeof number, "%u", joint + 1);
  g_string_replace(text, "%d", number, 1);
}

char *aui_format_parameter(const ArmParamSet *set, size_t k) {
  const ArmParam *param = &set->param[k];
  const ArmParamInfo *info = arm_param_info(param->id.kind);
  GString *text = g_string_new(*info->words ? _(info->words) : "");
  if (info->scope == ARM_OF_PAIR) {
    put_joint(text, param->id.i);
    put_joint(text, param->id.j);
  }
  if (param->name)
    g_string_append_printf(text, " %s", param->name);
  return g_string_free(text, FALSE);
}

char *aui_format_residual(const ArmParamSet *set, size_t joint) {
  const double sd = set->joint[joint].residual_sd;
  const bool is_torque = set->is_torque[joint];
  g_autofree char *number = aui_format_number(is_torque ? sd : 1e3 * sd, 3);
  return is_torque ? g_strdup_printf("%s %s", number, arm_param_set_effort_unit(set, joint))
                   : g_strdup_printf(_("%s mA"), number);
}
