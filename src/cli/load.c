/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

static void warn_near_parallel(const char *path, const ArmStructure *structure) {
  for (size_t i = 0; i < structure->n; i++)
    if (structure->is_near_parallel[i])
      cli_warning("%s: the axes of joint %d and the joint before it are nearly, but not exactly, "
                  "parallel; if they are meant to be parallel, write 0 or 180 deg exactly",
                  path, (int)i + 1);
}

AioArm *cli_load_arm(const char *path, ArmStructure *structure) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load(path, &error);
  if (!arm) {
    cli_fail(error);
    return NULL;
  }
  ArmStatus status = arm_structure_find(&arm->model, structure);
  if (status != ARM_OK) {
    cli_fail_status(status, path);
    aio_arm_free(arm);
    return NULL;
  }
  warn_near_parallel(path, structure);
  return arm;
}
