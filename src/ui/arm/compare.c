/* SPDX-License-Identifier: MIT */
/* Lists of sentences, one per field that differs. The wire carries whole millionths and 32 bits:
 * what is the same up to that is the same. */
#include "ui/arm/compare.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/arm/arm_edit.h"
#include "ui/kit/format.h"

#define SAME 2e-6 /* relative; and of absolute values: the wire carries whole millionths */

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || fabs(a - b) <= SAME * fmax(1.0, fmax(fabs(a), fabs(b)));
}

/* ---- arm file and controller ---- */

static void compare_limit(GPtrArray *list, const AioArm *arm, size_t joint, guint field,
                          double filed, double device) {
  /* what one of them does not state is no contradiction */
  if (isnan(filed) || isnan(device) || is_same(filed, device))
    return;
  const ArmJointType type = arm->model.joints[joint].type;
  const double unit =
      type == ARM_JOINT_R && field != AUI_ARM_CURRENT ? aui_format_angle_scale() : 1.0;
  g_autofree char *of = aui_joint_text(arm, joint), *title = aui_arm_field_title(field);
  g_autofree char *units = aui_arm_field_unit(arm, field);
  g_ptr_array_add(
      list, g_strdup_printf(
                /* "joint 3 (elbow), Speed: 122 in the arm file, 100 in the controller (deg/s)" */
                _("%s, %s: %.6g in the arm file, %.6g in the controller (%s)"), of, title,
                unit * filed, unit * device, units));
}

static void compare_joint(GPtrArray *list, const AioArm *arm, size_t i, const AioJointInfo *info) {
  const ArmJoint *joint = &arm->model.joints[i];
  if (joint->type != info->type) {
    g_autofree char *of = aui_joint_text(arm, i);
    g_ptr_array_add(list, g_strdup_printf(info->type == ARM_JOINT_R
                                              ? _("%s: slides in the arm file, turns in the "
                                                  "controller")
                                              : _("%s: turns in the arm file, slides in the "
                                                  "controller"),
                                          of));
    return;
  }
  compare_limit(list, arm, i, AUI_ARM_Q_MIN, joint->limits.q_min, info->q_min);
  compare_limit(list, arm, i, AUI_ARM_Q_MAX, joint->limits.q_max, info->q_max);
  compare_limit(list, arm, i, AUI_ARM_SPEED, joint->limits.speed_max, info->speed_max);
  compare_limit(list, arm, i, AUI_ARM_ACCEL, joint->limits.accel_max, info->accel_max);
  compare_limit(list, arm, i, AUI_ARM_CURRENT, joint->limits.current_max, info->current_max);
}

GPtrArray *aui_compare_device(const AioArm *arm, const AioDescription *description) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  const size_t n = MIN(arm->model.n, description->joints);
  if (arm->model.n != description->joints)
    g_ptr_array_add(list, g_strdup_printf(_("%zu joints in the arm file, %u in the controller"),
                                          arm->model.n, description->joints));
  for (size_t i = 0; i < n; i++)
    compare_joint(list, arm, i, &description->joint[i]);
  return list;
}

/* ---- controller and backup ---- */

static const AioParam *find(const AioParam *params, guint n, const char *name) {
  for (guint k = 0; k < n; k++)
    if (strcmp(params[k].name, name) == 0)
      return &params[k];
  return NULL;
}

static void compare_param(GPtrArray *list, const AioParam *before, const AioParam *now) {
  if (!before)
    g_ptr_array_add(list, g_strdup_printf(_("%s: not in the backup, now %.7g %s"), now->name,
                                          now->value, now->unit));
  else if (!is_same(before->value, now->value))
    g_ptr_array_add(list, g_strdup_printf(_("%s: %.7g in the backup, now %.7g %s"), now->name,
                                          before->value, now->value, now->unit));
}

GPtrArray *aui_compare_backup(const AseBackup *backup, const AioParam *params, guint n) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  for (guint k = 0; k < n; k++)
    compare_param(list, find(backup->params, backup->n, params[k].name), &params[k]);
  for (guint k = 0; k < backup->n; k++)
    if (!find(params, n, backup->params[k].name))
      g_ptr_array_add(list, g_strdup_printf(_("%s: in the backup, not in the controller"),
                                            backup->params[k].name));
  return list;
}

/* ---- the newest backup ---- */

/* Names begin with the date and time in UTC. */
static int compare_names(gconstpointer a, gconstpointer b) {
  g_autofree char *x = g_path_get_basename(*(const char *const *)a);
  g_autofree char *y = g_path_get_basename(*(const char *const *)b);
  return strcmp(y, x);
}

static void collect(GPtrArray *paths, const char *folder, guint depth) {
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (depth > 0)
      collect(paths, path, depth - 1);
    else if (g_str_has_suffix(name, ".json"))
      g_ptr_array_add(paths, g_steal_pointer(&path));
  }
}

AseBackup *aui_last_backup(const char *directory, const char *serial, GError **error) {
  g_autofree char *folder =
      directory ? g_strdup(directory)
                : g_build_filename(g_get_user_data_dir(), "armature", "backups", NULL);
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  collect(paths, folder, 1);
  g_ptr_array_sort(paths, compare_names);
  for (guint k = 0; k < paths->len; k++) {
    g_autoptr(AseBackup) backup = ase_backup_load(paths->pdata[k], NULL);
    if (backup && strcmp(backup->serial, serial) == 0)
      return g_steal_pointer(&backup);
  }
  g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND,
              _("There is no backup of the controller %s yet: one is made before every upload."),
              serial);
  return NULL;
}
