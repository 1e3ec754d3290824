/* SPDX-License-Identifier: MIT */
/* The arm as a file again: what was written in degrees becomes degrees if they read back exactly.
 */
#include <math.h>
#include <string.h>

#include "io/arm/arm_file_internal.h"
#include "io/base/file.h"

typedef struct {
  const AioArm *arm;
  AioJsonWriter *writer;
} Saver;

static void put(Saver *s, const char *key, double number) {
  aio_json_write_key(s->writer, key);
  aio_json_write_short_number(s->writer, number);
}

static void put_if_known(Saver *s, const char *key, double number) {
  if (isfinite(number))
    put(s, key, number);
}

static void put_vector(Saver *s, const char *key, const double *numbers, gsize n) {
  aio_json_write_key(s->writer, key);
  aio_json_write_begin_array(s->writer);
  for (gsize i = 0; i < n; i++)
    aio_json_write_short_number(s->writer, numbers[i]);
  aio_json_write_end_array(s->writer);
}

static void put_text(Saver *s, const char *key, const char *text) {
  if (text)
    aio_json_put_string(s->writer, key, text);
}

/* The x_ members that stood in this object. */
static void put_extras(Saver *s, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void put_extras(Saver *s, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *owner = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  for (guint i = 0; i < s->arm->extras->len; i++) {
    const AioArmExtra *extra = g_ptr_array_index(s->arm->extras, i);
    if (strcmp(extra->owner, owner) != 0)
      continue;
    aio_json_write_key(s->writer, extra->key);
    aio_json_write_raw(s->writer, extra->json);
  }
  g_free(owner);
}

static bool has_extras(const Saver *s, const char *owner) {
  for (guint i = 0; i < s->arm->extras->len; i++) {
    const AioArmExtra *extra = g_ptr_array_index(s->arm->extras, i);
    if (strcmp(extra->owner, owner) == 0)
      return true;
  }
  return false;
}

/* Degrees of at most 12 digits that are read as exactly these radians. */
static bool as_degrees(double rad, double *deg) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(text, sizeof text, "%.12g", rad / AIO_DEGREE);
  *deg = g_ascii_strtod(text, NULL);
  return *deg * AIO_DEGREE == rad;
}

/* Key <stem>_deg<tail> if every angle has nice degrees, else <stem>_rad<tail>. */
static void put_angles(Saver *s, const char *stem, const char *tail, const double *rad, gsize n) {
  double deg[3];
  bool is_nice = true;
  for (gsize i = 0; i < n; i++)
    is_nice = as_degrees(rad[i], &deg[i]) && is_nice;
  char *key = g_strconcat(stem, is_nice ? "_deg" : "_rad", tail, NULL);
  if (n == 1)
    put(s, key, is_nice ? deg[0] : rad[0]);
  else
    put_vector(s, key, is_nice ? deg : rad, n);
  g_free(key);
}

static void save_geometry(Saver *s, gsize index) {
  const AioArmJoint *given = &s->arm->joints[index];
  if (!given->has_placement) {
    put_angles(s, "beta", "", &given->beta, 1);
    put(s, "b_m", given->b);
    put_angles(s, "theta", "", &given->theta, 1);
    put(s, "d_m", given->d);
    return;
  }
  aio_json_write_key(s->writer, "placement");
  aio_json_write_begin_object(s->writer);
  put_vector(s, "xyz_m", given->xyz, 3);
  put_angles(s, "rpy", "", given->rpy, 3);
  put_extras(s, "joint %zu: placement", index + 1);
  aio_json_write_end_object(s->writer);
}

static void save_rates_R(Saver *s, const ArmLimits *limits) {
  if (isfinite(limits->q_min) && isfinite(limits->q_max))
    put_angles(s, "q", "", (const double[]){limits->q_min, limits->q_max}, 2);
  if (isfinite(limits->speed_max))
    put_angles(s, "speed", "_s", &limits->speed_max, 1);
  if (isfinite(limits->accel_max))
    put_angles(s, "accel", "_s2", &limits->accel_max, 1);
  if (isfinite(limits->rest_error))
    put_angles(s, "rest_error", "", &limits->rest_error, 1);
}

static void save_rates_T(Saver *s, const ArmLimits *limits) {
  if (isfinite(limits->q_min) && isfinite(limits->q_max))
    put_vector(s, "q_m", (const double[]){limits->q_min, limits->q_max}, 2);
  put_if_known(s, "speed_m_s", limits->speed_max);
  put_if_known(s, "accel_m_s2", limits->accel_max);
  put_if_known(s, "rest_error_m", limits->rest_error);
}

static void save_limits(Saver *s, gsize index) {
  const ArmJoint *joint = &s->arm->model.joints[index];
  const ArmLimits *limits = &joint->limits;
  char *owner = g_strdup_printf("joint %zu: limits", index + 1);
  bool is_known = isfinite(limits->q_min) || isfinite(limits->speed_max) ||
                  isfinite(limits->accel_max) || isfinite(limits->current_max) ||
                  isfinite(limits->rest_error) || has_extras(s, owner);
  g_free(owner);
  if (!is_known)
    return;
  aio_json_write_key(s->writer, "limits");
  aio_json_write_begin_object(s->writer);
  if (joint->type == ARM_JOINT_R)
    save_rates_R(s, limits);
  else
    save_rates_T(s, limits);
  put_if_known(s, "current_A", limits->current_max);
  put_extras(s, "joint %zu: limits", index + 1);
  aio_json_write_end_object(s->writer);
}

/* The four drive keys; `path` names the object they stand in. */
static void save_motor(Saver *s, const ArmMotor *motor, const char *path) {
  char *owner = g_strconcat(path, ": torque_constant_Nm_A", NULL);
  put_if_known(s, "gear_ratio", motor->gear_ratio);
  aio_json_put_int(s->writer, "motor_sign", motor->motor_sign);
  if (isfinite(motor->torque_constant_Nm_A) || isfinite(motor->torque_constant_rel_sd) ||
      has_extras(s, owner)) {
    aio_json_write_key(s->writer, "torque_constant_Nm_A");
    aio_json_write_begin_object(s->writer);
    put(s, "value", motor->torque_constant_Nm_A);
    put_if_known(s, "rel_sd", motor->torque_constant_rel_sd);
    put_extras(s, "%s", owner);
    aio_json_write_end_object(s->writer);
  }
  put_if_known(s, "rotor_inertia_kg_m2", motor->rotor_inertia_kg_m2);
  g_free(owner);
}

static void save_drive(Saver *s, gsize index) {
  const ArmJoint *joint = &s->arm->model.joints[index];
  char *path = g_strdup_printf("joint %zu", index + 1);
  if (joint->n_motors == 1 && !s->arm->joints[index].has_motor_list) {
    save_motor(s, &joint->motors[0], path);
  } else if (joint->n_motors > 0) {
    aio_json_write_key(s->writer, "motors");
    aio_json_write_begin_array(s->writer);
    for (gsize m = 0; m < joint->n_motors; m++) {
      char *owner = g_strdup_printf("%s: motor %zu", path, m + 1);
      aio_json_write_begin_object(s->writer);
      save_motor(s, &joint->motors[m], owner);
      put_extras(s, "%s", owner);
      aio_json_write_end_object(s->writer);
      g_free(owner);
    }
    aio_json_write_end_array(s->writer);
  }
  g_free(path);
}

static void save_link(Saver *s, gsize index) {
  const ArmLink *link = &s->arm->model.joints[index].link;
  if (!link->is_present)
    return;
  aio_json_write_key(s->writer, "link");
  aio_json_write_begin_object(s->writer);
  put(s, "mass_kg", link->mass_kg);
  put_vector(s, "com_m", link->com_m, 3);
  put_vector(s, "inertia_com_kg_m2", link->inertia_com_kg_m2, 6);
  put_extras(s, "joint %zu: link", index + 1);
  aio_json_write_end_object(s->writer);
}

static void save_capsules(Saver *s, gsize index) {
  const ArmJoint *joint = &s->arm->model.joints[index];
  if (joint->n_capsules == 0)
    return;
  aio_json_write_key(s->writer, "capsules");
  aio_json_write_begin_array(s->writer);
  for (gsize c = 0; c < joint->n_capsules; c++) {
    aio_json_write_begin_flat_object(s->writer);
    put_vector(s, "from_m", joint->capsules[c].from_m, 3);
    put_vector(s, "to_m", joint->capsules[c].to_m, 3);
    put(s, "radius_m", joint->capsules[c].radius_m);
    put_extras(s, "joint %zu: capsule %zu", index + 1, c + 1);
    aio_json_write_end_object(s->writer);
  }
  aio_json_write_end_array(s->writer);
}

static void save_joint(Saver *s, gsize index) {
  const AioArmJoint *given = &s->arm->joints[index];
  aio_json_write_begin_object(s->writer);
  put_text(s, "name", given->name);
  put_text(s, "type", s->arm->model.joints[index].type == ARM_JOINT_R ? "R" : "T");
  save_geometry(s, index);
  save_limits(s, index);
  save_drive(s, index);
  save_link(s, index);
  save_capsules(s, index);
  put_text(s, "provenance", given->provenance);
  put_extras(s, "joint %zu", index + 1);
  aio_json_write_end_object(s->writer);
}

static void save_coupling(Saver *s) {
  const ArmModel *model = &s->arm->model;
  if (!model->has_coupling)
    return;
  aio_json_write_key(s->writer, "coupling");
  aio_json_write_begin_array(s->writer);
  for (gsize row = 0; row < model->n; row++) {
    aio_json_write_begin_array(s->writer);
    for (gsize column = 0; column < model->n; column++)
      aio_json_write_short_number(s->writer, model->coupling[row][column]);
    aio_json_write_end_array(s->writer);
  }
  aio_json_write_end_array(s->writer);
}

static void save_surroundings(Saver *s) {
  if (s->arm->has_environment) {
    aio_json_write_key(s->writer, "environment");
    aio_json_write_begin_object(s->writer);
    put_if_known(s, "table_z_m", s->arm->table_z_m);
    put_extras(s, "environment");
    aio_json_write_end_object(s->writer);
  }
  if (s->arm->simulation) {
    aio_json_write_key(s->writer, "simulation");
    aio_json_write_raw(s->writer, s->arm->simulation);
  }
}

static void save_root(Saver *s) {
  const AioArm *arm = s->arm;
  aio_json_write_begin_object(s->writer);
  aio_json_put_string(s->writer, "format", "armature-arm");
  aio_json_put_int(s->writer, "version", 1);
  put_text(s, "name", arm->name);
  put_text(s, "description", arm->description);
  put_text(s, "provenance", arm->provenance);
  put_vector(s, "gravity_m_s2", arm->model.gravity_m_s2, 3);
  aio_json_write_key(s->writer, "joints");
  aio_json_write_begin_array(s->writer);
  for (gsize i = 0; i < arm->model.n; i++)
    save_joint(s, i);
  aio_json_write_end_array(s->writer);
  save_coupling(s);
  save_surroundings(s);
  put_extras(s, "%s", "");
  aio_json_write_end_object(s->writer);
}

char *aio_arm_format(const AioArm *arm, gsize *length) {
  GString *out = g_string_new(NULL);
  Saver saver = {.arm = arm, .writer = aio_json_writer_new(out)};
  save_root(&saver);
  aio_json_writer_free(saver.writer);
  if (length)
    *length = out->len;
  return g_string_free(out, FALSE);
}

bool aio_arm_save(const AioArm *arm, const char *path, bool force, GError **error) {
  gsize length = 0;
  char *text = aio_arm_format(arm, &length);
  bool is_written = aio_file_write_atomic(path, text, length, force, error);
  g_free(text);
  return is_written;
}
