/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_CLI_MOTION_LIMITS_H
#define ARMATURE_CLI_MOTION_LIMITS_H

#include "core/excite/limits.h"

/* The limits that a motion is held to; `path` is how messages call the arm file. CLI_OK; else the
 * exit code, the reason printed. */
int cli_motion_limits(const char *path, const ArmModel *model, ArmMotionLimits *limits);

#endif
