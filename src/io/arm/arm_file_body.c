/* SPDX-License-Identifier: MIT */
/* One joint of an arm file: what drives it, what hangs on it, what it may collide with. */
#include <math.h>
#include <string.h>

#include "io/arm/arm_file_internal.h"

static const char *const motor_keys[] = {"gear_ratio", "motor_sign", "torque_constant_Nm_A",
                                         "rotor_inertia_kg_m2", NULL};

static bool read_sign(const AioJsonNode *object, int *out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, "motor_sign");
  if (!node)
    return true;
  if (node->kind != AIO_JSON_NUMBER || fabs(node->number) != 1.0)
    return aio_json_fail(node, "1 or -1", error);
  *out = node->number > 0.0 ? 1 : -1;
  return true;
}

static bool read_torque_constant(const AioJsonNode *object, ArmMotor *motor, GError **error) {
  static const char *const known[] = {"value", "rel_sd", NULL};
  const AioJsonNode *node = aio_json_member(object, "torque_constant_Nm_A");
  if (!node || node->kind == AIO_JSON_NULL)
    return true;
  if (node->kind != AIO_JSON_OBJECT)
    return aio_json_fail(node, "an object {\"value\": .., \"rel_sd\": ..}", error);
  if (!aio_json_check_keys(node, known, true, error) || !aio_json_require(node, "value", error))
    return false;
  return aio_arm_read_member(node, "value", AIO_ARM_POSITIVE, &motor->torque_constant_Nm_A,
                             error) &&
         aio_arm_read_member(node, "rel_sd", AIO_ARM_NOT_NEGATIVE, &motor->torque_constant_rel_sd,
                             error);
}

static bool read_motor(const AioJsonNode *object, ArmMotor *motor, GError **error) {
  *motor = (ArmMotor){.gear_ratio = NAN,
                      .motor_sign = 1,
                      .torque_constant_Nm_A = NAN,
                      .torque_constant_rel_sd = NAN,
                      .rotor_inertia_kg_m2 = NAN};
  return aio_arm_read_member(object, "gear_ratio", AIO_ARM_POSITIVE, &motor->gear_ratio, error) &&
         read_sign(object, &motor->motor_sign, error) &&
         read_torque_constant(object, motor, error) &&
         aio_arm_read_member(object, "rotor_inertia_kg_m2", AIO_ARM_NOT_NEGATIVE,
                             &motor->rotor_inertia_kg_m2, error);
}

static bool read_motor_list(const AioJsonNode *list, ArmJoint *joint, GError **error) {
  gsize n = aio_json_size(list);
  if (list->kind != AIO_JSON_ARRAY || n < 1 || n > ARM_MAX_MOTORS)
    return aio_json_fail(list, "an array of 1 to 4 motors", error);
  for (gsize i = 0; i < n; i++) {
    const AioJsonNode *object = aio_json_item(list, i);
    if (!aio_json_check_keys(object, motor_keys, true, error) ||
        !read_motor(object, &joint->motors[i], error))
      return false;
  }
  joint->n_motors = n;
  return true;
}

bool aio_arm_read_drive(const AioJsonNode *object, ArmJoint *joint, bool *has_list,
                        GError **error) {
  const AioJsonNode *list = aio_json_member(object, "motors");
  const AioJsonNode *scalar = NULL;
  for (gsize i = 0; motor_keys[i] && !scalar; i++)
    scalar = aio_json_member(object, motor_keys[i]);
  if (list && scalar)
    return aio_json_fail_with(scalar, AIO_ERROR_MEANING, error,
                              "expected either motors or gear_ratio, motor_sign, "
                              "torque_constant_Nm_A, rotor_inertia_kg_m2, found both");
  *has_list = list != NULL;
  if (list)
    return read_motor_list(list, joint, error);
  if (!scalar)
    return true;
  joint->n_motors = 1;
  return read_motor(object, &joint->motors[0], error);
}

/* ---- links ---- */

void aio_arm_principal_moments(const double tensor[6], double moments[3]) {
  double xx = tensor[0], yy = tensor[1], zz = tensor[2];
  double xy = tensor[3], xz = tensor[4], yz = tensor[5];
  double mean = (xx + yy + zz) / 3.0;
  double a = xx - mean, b = yy - mean, c = zz - mean;
  double p = sqrt((a * a + b * b + c * c + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0);
  if (!(p > 0.0)) {
    moments[0] = moments[1] = moments[2] = mean;
    return;
  }
  a /= p, b /= p, c /= p, xy /= p, xz /= p, yz /= p;
  double half_det =
      0.5 * (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz));
  double phi = acos(CLAMP(half_det, -1.0, 1.0)) / 3.0;
  moments[2] = mean + 2.0 * p * cos(phi);
  moments[0] = mean + 2.0 * p * cos(phi + 2.0 * G_PI / 3.0);
  moments[1] = 3.0 * mean - moments[0] - moments[2];
}

/* Tolerance for tensors printed with few digits: 1e-6 of the largest principal moment. */
static bool check_inertia(const AioJsonNode *node, const double tensor[6], GPtrArray *warnings,
                          GError **error) {
  double m[3];
  aio_arm_principal_moments(tensor, m);
  double slack = 1e-6 * MAX(fabs(m[0]), fabs(m[2]));
  bool is_positive = m[0] >= -slack, is_body = m[0] + m[1] >= m[2] - slack;
  char *found = aio_error_numbers(m, 3);
  GError *odd = NULL;
  if (!is_positive)
    aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                       "expected a positive inertia about every axis, found the principal moments "
                       "%s kg m^2",
                       found);
  else if (!is_body)
    aio_json_fail_with(node, AIO_ERROR_MEANING, &odd,
                       "expected principal moments of which the largest is at most the sum of the "
                       "others, found %s kg m^2: no body has these (about the centre of mass? in "
                       "the order Ixx Iyy Izz Ixy Ixz Iyz?)",
                       found);
  if (odd)
    g_ptr_array_add(warnings, g_strdup(odd->message));
  g_clear_error(&odd);
  g_free(found);
  return is_positive;
}

bool aio_arm_read_link(const AioJsonNode *object, ArmJoint *joint, GPtrArray *warnings,
                       GError **error) {
  static const char *const known[] = {"mass_kg", "com_m", "inertia_com_kg_m2", NULL};
  const AioJsonNode *node = aio_json_member(object, "link");
  if (!node)
    return true;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  ArmLink *link = &joint->link;
  const AioJsonNode *mass = aio_json_require(node, "mass_kg", error);
  if (!mass || !aio_arm_read_number(mass, AIO_ARM_NOT_NEGATIVE, &link->mass_kg, error))
    return false;
  const AioJsonNode *com = aio_json_require(node, "com_m", error);
  if (!com || !aio_arm_read_vector(com, 3, link->com_m, error))
    return false;
  const AioJsonNode *inertia = aio_json_member(node, "inertia_com_kg_m2");
  if (inertia && (!aio_arm_read_vector(inertia, 6, link->inertia_com_kg_m2, error) ||
                  !check_inertia(inertia, link->inertia_com_kg_m2, warnings, error)))
    return false;
  link->is_present = true;
  return true;
}

static bool read_capsule(const AioJsonNode *object, ArmCapsule *capsule, GError **error) {
  static const char *const known[] = {"from_m", "to_m", "radius_m", NULL};
  if (!aio_json_check_keys(object, known, true, error))
    return false;
  const AioJsonNode *from = aio_json_require(object, "from_m", error);
  if (!from || !aio_arm_read_vector(from, 3, capsule->from_m, error))
    return false;
  const AioJsonNode *to = aio_json_require(object, "to_m", error);
  if (!to || !aio_arm_read_vector(to, 3, capsule->to_m, error))
    return false;
  const AioJsonNode *radius = aio_json_require(object, "radius_m", error);
  return radius && aio_arm_read_number(radius, AIO_ARM_POSITIVE, &capsule->radius_m, error);
}

bool aio_arm_read_capsules(const AioJsonNode *object, ArmJoint *joint, GError **error) {
  const AioJsonNode *list = aio_json_member(object, "capsules");
  if (!list)
    return true;
  gsize n = aio_json_size(list);
  if (list->kind != AIO_JSON_ARRAY || n > ARM_MAX_CAPSULES)
    return aio_json_fail(list, "an array of at most 8 capsules", error);
  for (gsize i = 0; i < n; i++)
    if (!read_capsule(aio_json_item(list, i), &joint->capsules[i], error))
      return false;
  joint->n_capsules = n;
  return true;
}
