/* SPDX-License-Identifier: MIT */
#include "core/params/controller.h"

#include <string.h>

static const ArmControllerParam list[] = {
    {"gravity.kx", ARM_PARAM_KX, 11},
    {"gravity.ky", ARM_PARAM_KY, 12},
    {"gravity.mhat", ARM_PARAM_MHAT, 13},
    {"eta.ratio", ARM_PARAM_RATIO, 14},
    {"friction.coulomb_pos", ARM_PARAM_COULOMB_POS, 15},
    {"friction.viscous_pos", ARM_PARAM_VISCOUS_POS, 16},
    {"friction.coulomb_neg", ARM_PARAM_COULOMB_NEG, 17},
    {"friction.viscous_neg", ARM_PARAM_VISCOUS_NEG, 18},
};

const ArmControllerParam *arm_controller_params(size_t *count) {
  *count = sizeof list / sizeof list[0];
  return list;
}

bool arm_controller_param_fits(const ArmControllerParam *param, ArmJointType type) {
  const ArmParamInfo *info = arm_param_info(param->kind);
  return type == ARM_JOINT_R ? info->of_R : info->of_T;
}

const char *arm_controller_unit(const ArmControllerParam *param, ArmJointType type, bool is_torque,
                                char unit[ARM_CONTROLLER_UNIT]) {
  const ArmQuantity quantity = arm_param_info(param->kind)->quantity;
  const char *stated = arm_param_unit_of(quantity, type, is_torque, type, is_torque);
  size_t length = 0;
  for (; *stated && strcmp(stated, "1") != 0 && length < ARM_CONTROLLER_UNIT - 1; stated++)
    if (*stated != '^')
      unit[length++] = *stated;
  unit[length] = '\0';
  return unit;
}
