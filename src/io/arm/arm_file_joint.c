/* SPDX-License-Identifier: MIT */
/* One joint of an arm file: where its axis is, what it may do. */
#include <math.h>
#include <string.h>

#include "io/arm/arm_file_internal.h"

static const char *const joint_keys[] = {"name",
                                         "type",
                                         "beta_deg",
                                         "beta_rad",
                                         "b_m",
                                         "theta_deg",
                                         "theta_rad",
                                         "d_m",
                                         "placement",
                                         "limits",
                                         "gear_ratio",
                                         "motor_sign",
                                         "torque_constant_Nm_A",
                                         "rotor_inertia_kg_m2",
                                         "motors",
                                         "link",
                                         "capsules",
                                         "provenance",
                                         NULL};

static bool read_type(const AioJsonNode *object, ArmJointType *type, GError **error) {
  const AioJsonNode *node = aio_json_require(object, "type", error);
  if (!node)
    return false;
  const char *text = node->kind == AIO_JSON_STRING ? node->string : "";
  if (strcmp(text, "R") != 0 && strcmp(text, "T") != 0)
    return aio_json_fail(node, "\"R\" (rotational) or \"T\" (translational)", error);
  *type = *text == 'R' ? ARM_JOINT_R : ARM_JOINT_T;
  return true;
}

static bool read_angle(const AioJsonNode *object, const char *stem, double *out, GError **error) {
  const AioJsonNode *node = NULL;
  double scale = 1.0, value = 0.0;
  if (!aio_arm_find_angle(object, stem, "", &node, &scale, error))
    return false;
  if (node && !aio_arm_read_number(node, AIO_ARM_ANY, &value, error))
    return false;
  *out = value * scale;
  return true;
}

/* Absent is 0; null is an error, geometry cannot be unknown. */
static bool read_length(const AioJsonNode *object, const char *key, double *out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  return !node || aio_arm_read_number(node, AIO_ARM_ANY, out, error);
}

static bool read_mdh(const AioJsonNode *object, ArmJointType type, AioArmJoint *given,
                     ArmJoint *joint, GError **error) {
  if (!read_angle(object, "beta", &given->beta, error) ||
      !read_length(object, "b_m", &given->b, error) ||
      !read_angle(object, "theta", &given->theta, error) ||
      !read_length(object, "d_m", &given->d, error))
    return false;
  arm_joint_set_mdh(joint, type, given->beta, given->b, given->theta, given->d);
  return true;
}

static bool read_placement(const AioJsonNode *node, ArmJointType type, AioArmJoint *given,
                           ArmJoint *joint, GError **error) {
  static const char *const known[] = {"xyz_m", "rpy_rad", "rpy_deg", NULL};
  const AioJsonNode *angles = NULL;
  double scale = 1.0;
  if (!aio_json_check_keys(node, known, true, error) ||
      !aio_arm_find_angle(node, "rpy", "", &angles, &scale, error))
    return false;
  const AioJsonNode *xyz = aio_json_member(node, "xyz_m");
  if (xyz && !aio_arm_read_vector(xyz, 3, given->xyz, error))
    return false;
  if (angles && !aio_arm_read_vector(angles, 3, given->rpy, error))
    return false;
  for (gsize k = 0; k < 3; k++)
    given->rpy[k] *= scale;
  given->has_placement = true;
  arm_joint_set_placement(joint, type, given->xyz, given->rpy);
  return true;
}

static bool read_geometry(const AioJsonNode *object, AioArmJoint *given, ArmJoint *joint,
                          GError **error) {
  static const char *const mdh[] = {"beta_deg", "beta_rad", "b_m", "theta_deg", "theta_rad", "d_m"};
  ArmJointType type = ARM_JOINT_R;
  if (!read_type(object, &type, error))
    return false;
  const AioJsonNode *placement = aio_json_member(object, "placement");
  if (!placement)
    return read_mdh(object, type, given, joint, error);
  for (gsize i = 0; i < G_N_ELEMENTS(mdh); i++) {
    const AioJsonNode *node = aio_json_member(object, mdh[i]);
    if (node)
      return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                                "expected either placement or beta, b, theta, d, found both");
  }
  return read_placement(placement, type, given, joint, error);
}

/* ---- limits ---- */

static const char *const limits_R[] = {
    "q_deg",        "q_rad",     "speed_deg_s",    "speed_rad_s",    "accel_deg_s2",
    "accel_rad_s2", "current_A", "rest_error_deg", "rest_error_rad", NULL};
static const char *const limits_T[] = {"q_m",       "speed_m_s",    "accel_m_s2",
                                       "current_A", "rest_error_m", NULL};

/* A key that is right for the other type of joint deserves a better answer than "unknown". */
static bool check_limit_keys(const AioJsonNode *node, ArmJointType type, GError **error) {
  const char *const *own = type == ARM_JOINT_R ? limits_R : limits_T;
  const char *const *other = type == ARM_JOINT_R ? limits_T : limits_R;
  for (gsize i = 0; i < aio_json_size(node); i++) {
    const AioJsonNode *value = aio_json_item(node, i);
    if (node->kind == AIO_JSON_OBJECT && !g_strv_contains(own, value->key) &&
        g_strv_contains(other, value->key))
      return aio_json_fail_with(
          value, AIO_ERROR_MEANING, error, "expected %s, found \"%s\"",
          type == ARM_JOINT_R
              ? "q_deg, speed_deg_s, accel_deg_s2 or rest_error_deg (or _rad) for an R joint"
              : "q_m, speed_m_s, accel_m_s2 or rest_error_m for a T joint",
          value->key);
  }
  return aio_json_check_keys(node, own, true, error);
}

/* The member for a quantity in the unit of the joint's type; NULL when absent or null. */
static bool find_limit(const AioJsonNode *limits, ArmJointType type, const char *stem,
                       const char *tail, const AioJsonNode **node, double *scale, GError **error) {
  if (type == ARM_JOINT_R) {
    if (!aio_arm_find_angle(limits, stem, tail, node, scale, error))
      return false;
  } else {
    char *key = g_strconcat(stem, "_m", tail, NULL);
    *node = aio_json_member(limits, key);
    *scale = 1.0;
    g_free(key);
  }
  if (*node && (*node)->kind == AIO_JSON_NULL)
    *node = NULL;
  return true;
}

static bool read_range(const AioJsonNode *limits, ArmJoint *joint, GError **error) {
  const AioJsonNode *node = NULL;
  double scale = 1.0, range[2];
  if (!find_limit(limits, joint->type, "q", "", &node, &scale, error))
    return false;
  if (!node)
    return true;
  if (!aio_arm_read_vector(node, 2, range, error))
    return false;
  if (!(range[0] * scale < range[1] * scale)) {
    char *found = aio_error_numbers(range, 2);
    aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                       "expected [lower, upper] with lower < upper, found [%s]", found);
    g_free(found);
    return false;
  }
  joint->limits.q_min = range[0] * scale;
  joint->limits.q_max = range[1] * scale;
  return true;
}

static bool read_rate(const AioJsonNode *limits, ArmJointType type, const char *stem,
                      const char *tail, double *out, GError **error) {
  const AioJsonNode *node = NULL;
  double scale = 1.0, value = 0.0;
  if (!find_limit(limits, type, stem, tail, &node, &scale, error))
    return false;
  if (!node)
    return true;
  if (!aio_arm_read_number(node, AIO_ARM_POSITIVE, &value, error))
    return false;
  if (!(value * scale > 0.0))
    return aio_json_fail(node, "a number > 0", error);
  *out = value * scale;
  return true;
}

bool aio_arm_read_limits(const AioJsonNode *object, ArmJoint *joint, GError **error) {
  const AioJsonNode *node = aio_json_member(object, "limits");
  if (!node)
    return true;
  ArmLimits *limits = &joint->limits;
  return check_limit_keys(node, joint->type, error) && read_range(node, joint, error) &&
         read_rate(node, joint->type, "speed", "_s", &limits->speed_max, error) &&
         read_rate(node, joint->type, "accel", "_s2", &limits->accel_max, error) &&
         read_rate(node, joint->type, "rest_error", "", &limits->rest_error, error) &&
         aio_arm_read_member(node, "current_A", AIO_ARM_POSITIVE, &limits->current_max, error);
}

bool aio_arm_read_joint(const AioJsonNode *object, AioArm *arm, gsize index, GError **error) {
  AioArmJoint *given = &arm->joints[index];
  ArmJoint *joint = &arm->model.joints[index];
  if (!aio_json_check_keys(object, joint_keys, true, error) ||
      !aio_arm_read_text(object, "name", &given->name, error) ||
      !aio_arm_read_text(object, "provenance", &given->provenance, error) ||
      !read_geometry(object, given, joint, error))
    return false;
  if (!given->name)
    given->name = g_strdup_printf("j%zu", index + 1);
  return aio_arm_read_limits(object, joint, error) &&
         aio_arm_read_drive(object, joint, &given->has_motor_list, error) &&
         aio_arm_read_link(object, joint, arm->warnings, error) &&
         aio_arm_read_capsules(object, joint, error);
}
