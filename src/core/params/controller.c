/* SPDX-License-Identifier: MIT */
#include "core/params/controller.h"

static const ArmControllerParam list[] = {
    {"gravity.kx", ARM_PARAM_KX, "A s2/m", "", 11},
    {"gravity.ky", ARM_PARAM_KY, "A s2/m", "", 12},
    {"gravity.mhat", ARM_PARAM_MHAT, "", "A s2/m", 13},
    {"eta.ratio", ARM_PARAM_RATIO, "", "", 14},
    {"friction.coulomb_pos", ARM_PARAM_COULOMB_POS, "A", "A", 15},
    {"friction.viscous_pos", ARM_PARAM_VISCOUS_POS, "A s/rad", "A s/m", 16},
    {"friction.coulomb_neg", ARM_PARAM_COULOMB_NEG, "A", "A", 17},
    {"friction.viscous_neg", ARM_PARAM_VISCOUS_NEG, "A s/rad", "A s/m", 18},
};

const ArmControllerParam *arm_controller_params(size_t *count) {
  *count = sizeof list / sizeof list[0];
  return list;
}

bool arm_controller_param_fits(const ArmControllerParam *param, ArmJointType type) {
  const ArmParamInfo *info = arm_param_info(param->kind);
  return type == ARM_JOINT_R ? info->of_R : info->of_T;
}
