/* SPDX-License-Identifier: MIT */
#include "io/params/params_file.h"

/* What drives a joint: a current of a rotational or sliding joint, a torque, a force. */
enum { CURRENT_R, CURRENT_T, TORQUE, FORCE, EFFORTS };

static const char *const gravity_units[EFFORTS] = {"A s^2/m", "A s^2/m", "N m s^2/m", "N s^2/m"};
static const char *const coulomb_units[EFFORTS] = {"A", "A", "N m", "N"};
static const char *const viscous_units[EFFORTS] = {"A s/rad", "A s/m", "N m s/rad", "N s/m"};
static const char *const inertia_units[EFFORTS] = {"A s^2/rad", "A s^2/m", "N m s^2/rad",
                                                   "N s^2/m"};
/* [of joint i][over joint j]; a sliding j loads a rotational i by a force times a lever arm */
static const char *const ratio_units[EFFORTS][EFFORTS] = {
    [CURRENT_R] = {"1", "1/m", "A/(N m)", "A/(N m)"},
    [CURRENT_T] = {"1", "1", "A/N", "A/N"},
    [TORQUE] = {"N m/A", "N/A", "1", "1"},
    [FORCE] = {"N/A", "N/A", "1", "1"},
};

static int effort_of(ArmJointType type, bool is_torque) {
  if (is_torque)
    return type == ARM_JOINT_R ? TORQUE : FORCE;
  return type == ARM_JOINT_R ? CURRENT_R : CURRENT_T;
}

const char *aio_params_unit(const ArmGravityParameters *p, const bool *is_torque, ArmParamId id) {
  const int effort = effort_of(p->type[id.i], is_torque && is_torque[id.i]);
  switch (id.kind) {
  case ARM_PARAM_KX:
  case ARM_PARAM_KY:
  case ARM_PARAM_MHAT:
    return gravity_units[effort];
  case ARM_PARAM_COULOMB_POS:
  case ARM_PARAM_COULOMB_NEG:
  case ARM_PARAM_CURVE:
    return coulomb_units[effort];
  case ARM_PARAM_VISCOUS_POS:
  case ARM_PARAM_VISCOUS_NEG:
    return viscous_units[effort];
  case ARM_PARAM_ACCELERATION:
    return inertia_units[effort];
  case ARM_PARAM_LOAD:
    return "1";
  case ARM_PARAM_RATIO:
    return ratio_units[effort][effort_of(p->type[id.j], is_torque && is_torque[id.j])];
  case ARM_PARAM_KINDS:
    break;
  }
  return "";
}

static void append_id(GArray *ids, ArmParamKind kind, size_t i, size_t j) {
  const ArmParamId id = {kind, (unsigned char)i, (unsigned char)j};
  g_array_append_val(ids, id);
}

GArray *aio_params_list(const ArmGravityParameters *p) {
  GArray *ids = g_array_new(FALSE, FALSE, sizeof(ArmParamId));
  for (size_t i = 0; i < p->n; i++) {
    if (p->type[i] == ARM_JOINT_T) {
      append_id(ids, ARM_PARAM_MHAT, i, 0);
    } else {
      append_id(ids, ARM_PARAM_KX, i, 0);
      append_id(ids, ARM_PARAM_KY, i, 0);
    }
    for (int kind = ARM_PARAM_COULOMB_POS; kind <= ARM_PARAM_VISCOUS_NEG; kind++)
      append_id(ids, (ArmParamKind)kind, i, 0);
    if (p->joint[i].has_acceleration)
      append_id(ids, ARM_PARAM_ACCELERATION, i, 0);
    for (int t = 0; t < ARM_TERMS; t++)
      if (p->joint[i].has_term[t])
        append_id(ids, (ArmParamKind)(ARM_PARAM_LOAD + t), i, 0);
  }
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = i + 1; j < p->n; j++)
      if (p->cluster[i] >= 0 && p->cluster[i] == p->cluster[j])
        append_id(ids, ARM_PARAM_RATIO, i, j);
  return ids;
}
