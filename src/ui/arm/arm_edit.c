/* SPDX-License-Identifier: MIT */
/* Each edit goes through the text of an arm file and its reader: what the table takes is what a
 * file may say, and no rule is written twice. */
#include "ui/arm/arm_edit.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "ui/kit/format.h"

#define MOST  1e9  /* as in arm files */
#define SHOWN 1e-6 /* what six digits round off: an end that is shown may be typed again */

typedef enum { ANY, POSITIVE, NOT_NEGATIVE, SIGN, TEXT } Kind;

static const struct {
  const char *title, *unit_R, *unit_T;
  Kind kind;
  bool may_be_unknown;
} about[AUI_ARM_FIELDS] = {
    [AUI_ARM_NAME] = {N_("Name"), "", "", TEXT, false},
    [AUI_ARM_Q_MIN] = {N_("Limit from"), N_("deg"), N_("m"), ANY, true},
    [AUI_ARM_Q_MAX] = {N_("Limit to"), N_("deg"), N_("m"), ANY, true},
    [AUI_ARM_SPEED] = {N_("Speed"), N_("deg/s"), N_("m/s"), POSITIVE, true},
    [AUI_ARM_ACCEL] = {N_("Acceleration"), N_("deg/s²"), N_("m/s²"), POSITIVE, true},
    [AUI_ARM_CURRENT] = {N_("Current"), N_("A"), N_("A"), POSITIVE, true},
    [AUI_ARM_SIGN] = {N_("Motor sign"), "", "", SIGN, false},
    [AUI_ARM_GEAR] = {N_("Gear ratio"), "", N_("rad/m"), POSITIVE, true},
    [AUI_ARM_CONSTANT] = {N_("Torque constant"), N_("N m/A"), N_("N m/A"), POSITIVE, true},
    [AUI_ARM_CONSTANT_SD] = {N_("Its uncertainty"), N_("%"), N_("%"), NOT_NEGATIVE, true},
    [AUI_ARM_ROTOR] = {N_("Rotor inertia"), N_("kg m²"), N_("kg m²"), NOT_NEGATIVE, true},
    [AUI_ARM_SOURCE] = {N_("Source of the numbers"), "", "", TEXT, true},
    [AUI_ARM_BETA] = {"β", N_("deg"), N_("deg"), ANY, false},
    [AUI_ARM_B] = {"b", N_("m"), N_("m"), ANY, false},
    [AUI_ARM_THETA] = {"θ", N_("deg"), N_("deg"), ANY, false},
    [AUI_ARM_D] = {"d", N_("m"), N_("m"), ANY, false},
    [AUI_ARM_X] = {"x", N_("m"), N_("m"), ANY, false},
    [AUI_ARM_Y] = {"y", N_("m"), N_("m"), ANY, false},
    [AUI_ARM_Z] = {"z", N_("m"), N_("m"), ANY, false},
    [AUI_ARM_ROLL] = {N_("Roll"), N_("deg"), N_("deg"), ANY, false},
    [AUI_ARM_PITCH] = {N_("Pitch"), N_("deg"), N_("deg"), ANY, false},
    [AUI_ARM_YAW] = {N_("Yaw"), N_("deg"), N_("deg"), ANY, false},
    [AUI_ARM_MASS] = {N_("Mass"), N_("kg"), N_("kg"), NOT_NEGATIVE, false},
    [AUI_ARM_COM_X] = {N_("Centre of mass x"), N_("m"), N_("m"), ANY, false},
    [AUI_ARM_COM_Y] = {N_("Centre of mass y"), N_("m"), N_("m"), ANY, false},
    [AUI_ARM_COM_Z] = {N_("Centre of mass z"), N_("m"), N_("m"), ANY, false},
};

/* ---- which fields there are ---- */

static guint put_range(guint *fields, guint n, AuiArmField first, AuiArmField last) {
  for (AuiArmField field = first; field <= last; field++)
    fields[n++] = field;
  return n;
}

static guint geometry_fields(const AioArm *arm, guint *fields) {
  bool has_placement = false, has_mdh = false;
  for (size_t i = 0; i < arm->model.n; i++)
    *(arm->joints[i].has_placement ? &has_placement : &has_mdh) = true;
  guint n = has_mdh ? put_range(fields, 0, AUI_ARM_BETA, AUI_ARM_D) : 0;
  return has_placement ? put_range(fields, n, AUI_ARM_X, AUI_ARM_YAW) : n;
}

guint aui_arm_fields(const AioArm *arm, AuiArmTable table, guint fields[AUI_ARM_COLUMNS]) {
  switch (table) {
  case AUI_ARM_LIMITS:
    return put_range(fields, 0, AUI_ARM_Q_MIN, AUI_ARM_CURRENT);
  case AUI_ARM_DRIVES:
    return put_range(fields, 0, AUI_ARM_SIGN, AUI_ARM_SOURCE);
  case AUI_ARM_GEOMETRY:
    return geometry_fields(arm, fields);
  case AUI_ARM_MASSES:
    return put_range(fields, 0, AUI_ARM_MASS, AUI_ARM_COM_Z);
  case AUI_ARM_COUPLINGS:
    for (guint column = 0; column + 1 < arm->model.n; column++)
      fields[column] = AUI_ARM_COUPLING + column;
    return (guint)arm->model.n - 1;
  case AUI_ARM_TABLES:
    break;
  }
  return 0;
}

char *aui_arm_field_title(guint field) {
  if (field >= AUI_ARM_COUPLING)
    return g_strdup_printf(_("by joint %u"), field - AUI_ARM_COUPLING + 1);
  /* cppcheck-suppress arrayIndexOutOfBoundsCond */
  return g_strdup(_(about[field].title));
}

char *aui_arm_field_unit(const AioArm *arm, guint field) {
  bool has[2] = {false, false};
  for (size_t i = 0; i < arm->model.n; i++)
    has[arm->model.joints[i].type == ARM_JOINT_T] = true;
  if (field >= AUI_ARM_COUPLING)
    return g_strdup("");
  /* cppcheck-suppress arrayIndexOutOfBoundsCond */
  const char *turns = aui_format_unit_name(about[field].unit_R);
  /* cppcheck-suppress arrayIndexOutOfBoundsCond */
  const char *slides = aui_format_unit_name(about[field].unit_T);
  if (!has[1] || strcmp(turns, slides) == 0)
    return g_strdup(turns);
  return has[0] && *turns ? g_strdup_printf("%s, %s", turns, slides) : g_strdup(slides);
}

bool aui_arm_has(const AioArm *arm, size_t joint, guint field) {
  if (field >= AUI_ARM_COUPLING)
    return field - AUI_ARM_COUPLING < joint;
  if (field >= AUI_ARM_BETA && field <= AUI_ARM_D)
    return !arm->joints[joint].has_placement;
  if (field >= AUI_ARM_X && field <= AUI_ARM_YAW)
    return arm->joints[joint].has_placement;
  return true;
}

/* ---- where a number is ---- */

/* The number of a field in SI; NULL: the joint has none yet. */
static double *limit_at(ArmLimits *limits, guint field) {
  double *const places[] = {&limits->q_min, &limits->q_max, &limits->speed_max, &limits->accel_max,
                            &limits->current_max};
  return places[field - AUI_ARM_Q_MIN];
}

static double *drive_at(ArmJoint *joint, guint field) {
  ArmMotor *motor = &joint->motors[0];
  double *const places[] = {&motor->gear_ratio, &motor->torque_constant_Nm_A,
                            &motor->torque_constant_rel_sd, &motor->rotor_inertia_kg_m2};
  return joint->n_motors ? places[field - AUI_ARM_GEAR] : NULL;
}

static double *geometry_at(AioArmJoint *joint, guint field) {
  double *const places[] = {&joint->beta,   &joint->b,      &joint->theta,  &joint->d,
                            &joint->xyz[0], &joint->xyz[1], &joint->xyz[2], &joint->rpy[0],
                            &joint->rpy[1], &joint->rpy[2]};
  return places[field - AUI_ARM_BETA];
}

static double *number_at(AioArm *arm, size_t joint, guint field) {
  ArmJoint *j = &arm->model.joints[joint];
  if (field >= AUI_ARM_COUPLING)
    return &arm->model.coupling[joint][field - AUI_ARM_COUPLING];
  if (field >= AUI_ARM_MASS)
    return !j->link.is_present     ? NULL
           : field == AUI_ARM_MASS ? &j->link.mass_kg
                                   : &j->link.com_m[field - AUI_ARM_COM_X];
  if (field >= AUI_ARM_BETA)
    return geometry_at(&arm->joints[joint], field);
  return field >= AUI_ARM_GEAR ? drive_at(j, field) : limit_at(&j->limits, field);
}

static bool is_angle(const AioArm *arm, size_t joint, guint field) {
  const bool turns = arm->model.joints[joint].type == ARM_JOINT_R;
  return field < AUI_ARM_FIELDS &&
         g_str_has_prefix(turns ? about[field].unit_R : about[field].unit_T, "deg");
}

/* SI per unit on the screen. */
static double scale_of(const AioArm *arm, size_t joint, guint field) {
  if (is_angle(arm, joint, field))
    return 1.0 / aui_format_angle_scale();
  return field == AUI_ARM_CONSTANT_SD ? 0.01 : 1.0;
}

/* ---- showing ---- */

char *aui_arm_text(const AioArm *arm, size_t joint, guint field) {
  if (field == AUI_ARM_NAME)
    return g_strdup(arm->joints[joint].name);
  if (field == AUI_ARM_SOURCE)
    return g_strdup(arm->joints[joint].provenance ? arm->joints[joint].provenance : "");
  const ArmJoint *j = &arm->model.joints[joint];
  if (field == AUI_ARM_SIGN)
    return g_strdup(!j->n_motors ? "" : j->motors[0].motor_sign < 0 ? "−1" : "+1");
  const double *number = number_at((AioArm *)arm, joint, field);
  if (!number || isnan(*number))
    return g_strdup("");
  const double scale = scale_of(arm, joint, field);
  const int digits = is_angle(arm, joint, field) && scale == 1.0 ? 6 : 8; /* rad are seldom round */
  return g_strdup_printf("%.*g", digits, *number / scale);
}

char *aui_joint_text(const AioArm *arm, size_t joint) {
  g_autofree char *name = aio_text_visible(arm->joints[joint].name, false);
  return g_strdup_printf(_("joint %zu (%s)"), joint + 1, name);
}

/* ---- reading what was typed ---- */

static bool refuse(const char *where, const char *expected, const char *found, GError **error) {
  g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING, _("%s: expected %s, found “%s”"), where,
              expected, found);
  return false;
}

/* The locale's way or a point; the sign may be the typographic one. */
static bool parse(const char *text, double *out) {
  g_autofree char *copy = g_strstrip(g_strdup(text));
  const bool is_minus = g_str_has_prefix(copy, "−");
  const char *digits = is_minus ? copy + strlen("−") : copy;
  char *end;
  const double value = g_strtod(digits, &end);
  *out = is_minus ? -value : value;
  return *digits && !*end && isfinite(value);
}

bool aui_read_number(const char *text, double low, double high, const char *where, double *out,
                     GError **error) {
  const double slack = SHOWN * fmax(1.0, fmax(fabs(low), fabs(high)));
  double value;
  if (parse(text, &value) && value >= low - slack && value <= high + slack) {
    *out = CLAMP(value, low, high);
    return true;
  }
  g_autofree char *expected = g_strdup_printf(_("%.6g to %.6g"), low, high);
  return refuse(where, expected, text, error);
}

static bool read_field(guint field, const char *text, const char *where, double *out,
                       GError **error) {
  static const char *const expected[] = {[ANY] = N_("a number"),
                                         [POSITIVE] = N_("a number above 0"),
                                         [NOT_NEGATIVE] = N_("a number of at least 0"),
                                         [SIGN] = N_("+1 or −1")};
  const Kind kind = field < AUI_ARM_FIELDS ? about[field].kind : ANY;
  double value = NAN;
  const bool is_empty = strspn(text, " ") == strlen(text);
  if (is_empty && field < AUI_ARM_FIELDS && about[field].may_be_unknown) {
    *out = NAN;
    return true;
  }
  if (!parse(text, &value) || fabs(value) > MOST || (kind == POSITIVE && !(value > 0.0)) ||
      (kind == NOT_NEGATIVE && value < 0.0) || (kind == SIGN && fabs(value) != 1.0))
    return refuse(where, _(expected[kind]), text, error);
  *out = value;
  return true;
}

/* ---- changing ---- */

static void replace_text(char **place, const char *text) {
  g_free(*place);
  *place = *text ? g_strdup(text) : NULL;
}

static void ensure_motor(ArmJoint *joint) {
  if (joint->n_motors)
    return;
  joint->n_motors = 1;
  joint->motors[0] = (ArmMotor){.gear_ratio = NAN,
                                .motor_sign = 1,
                                .torque_constant_Nm_A = NAN,
                                .torque_constant_rel_sd = NAN,
                                .rotor_inertia_kg_m2 = NAN};
}

/* A file states both ends of a range or none. */
static void complete_range(ArmJoint *joint, guint field) {
  const double end = joint->type == ARM_JOINT_R ? G_PI : 0.0;
  ArmLimits *limits = &joint->limits;
  if (isnan(field == AUI_ARM_Q_MIN ? limits->q_min : limits->q_max))
    limits->q_min = limits->q_max = NAN;
  else if (isnan(limits->q_max))
    limits->q_max = end;
  else if (isnan(limits->q_min))
    limits->q_min = -end;
}

static void put_number(AioArm *arm, size_t joint, guint field, double value) {
  ArmJoint *j = &arm->model.joints[joint];
  if (field >= AUI_ARM_SIGN && field <= AUI_ARM_ROTOR)
    ensure_motor(j);
  if (field >= AUI_ARM_MASS && field <= AUI_ARM_COM_Z)
    j->link.is_present = true;
  if (field >= AUI_ARM_COUPLING)
    arm->model.has_coupling = true;
  if (field == AUI_ARM_SIGN)
    j->motors[0].motor_sign = value < 0.0 ? -1 : 1;
  else
    *number_at(arm, joint, field) = value * scale_of(arm, joint, field);
  if (field == AUI_ARM_Q_MIN || field == AUI_ARM_Q_MAX)
    complete_range(j, field);
  /* an uncertainty needs a value to be one of */
  if (field == AUI_ARM_CONSTANT && isnan(value))
    j->motors[0].torque_constant_rel_sd = NAN;
}

static bool put_field(AioArm *arm, size_t joint, guint field, const char *text, GError **error) {
  g_autofree char *title = aui_arm_field_title(field), *of = aui_joint_text(arm, joint);
  g_autofree char *where = g_strdup_printf(C_("joint, field", "%s, %s"), of, title);
  double value;
  if (field == AUI_ARM_NAME && !*text)
    return refuse(where, _("a name"), text, error);
  if (field == AUI_ARM_NAME || field == AUI_ARM_SOURCE) {
    replace_text(field == AUI_ARM_NAME ? &arm->joints[joint].name : &arm->joints[joint].provenance,
                 text);
    return true;
  }
  if (!read_field(field, text, where, &value, error))
    return false;
  if (field == AUI_ARM_CONSTANT_SD && !isnan(value) &&
      (!arm->model.joints[joint].n_motors ||
       isnan(arm->model.joints[joint].motors[0].torque_constant_Nm_A)))
    return refuse(where, _("the torque constant first"), text, error);
  put_number(arm, joint, field, value);
  return true;
}

/* What the reader of arm files says, in English, without the place in a text that nobody sees. */
static void drop_place(GError *error) {
  const char *what = error ? aio_error_without_place(error) : NULL;
  if (!what)
    return;
  char *message = g_strdup_printf(_("This cannot be taken: %s"), what);
  g_free(error->message);
  error->message = message;
}

static AioArm *load(const char *text, GError **error) {
  GError *reason = NULL;
  AioArm *arm = aio_arm_load_bytes("arm", text, strlen(text), &reason);
  drop_place(reason);
  if (reason)
    g_propagate_error(error, reason);
  return arm;
}

char *aui_arm_changed(const AioArm *arm, size_t joint, guint field, const char *text,
                      GError **error) {
  g_autofree char *before = aio_arm_format(arm, NULL);
  g_autoptr(AioArm) copy = load(before, error);
  if (!copy || !put_field(copy, joint, field, text, error))
    return NULL;
  g_autofree char *after = aio_arm_format(copy, NULL);
  g_autoptr(AioArm) read = load(after, error);
  return read ? g_steal_pointer(&after) : NULL;
}
