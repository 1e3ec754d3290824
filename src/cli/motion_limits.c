/* SPDX-License-Identifier: MIT */
#include "cli/motion_limits.h"

#include "cli/cli.h"
#include "io/arm/excitation_text.h"

int cli_motion_limits(const char *path, const ArmModel *model, ArmMotionLimits *limits) {
  static const char *const keys[2][ARM_MOTION_QUANTITIES] = {
      {"q_rad", "speed_rad_s", "accel_rad_s2"}, {"q_m", "speed_m_s", "accel_m_s2"}};
  ArmMotionQuantity quantity = ARM_MOTION_POSITION;
  size_t joint = 0;
  const ArmStatus status = arm_motion_limits(model, limits, &joint, &quantity);
  if (status == ARM_OK)
    return CLI_OK;
  if (status != ARM_E_NO_DATA)
    return cli_fail_status(status, path);
  const ArmJointType type = model->joints[joint].type;
  cli_error("%s: joint %d: limits.%s%s: expected a limit of the %s, found none; without it nobody "
            "can say whether the arm can make a motion",
            path, (int)joint + 1, keys[type == ARM_JOINT_T][quantity],
            type == ARM_JOINT_T ? "" : " (or _deg)", aio_motion_quantity(quantity));
  return CLI_BAD_INPUT;
}
