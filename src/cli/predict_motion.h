/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_CLI_PREDICT_MOTION_H
#define ARMATURE_CLI_PREDICT_MOTION_H

#include "core/params/at_rest.h"
#include "io/arm/arm_file.h"

typedef struct {
  const char *arm_path, *params, *csv, *out;
  bool force;
  double lowpass_Hz; /* of speeds and accelerations that are computed; NAN: 5 Hz */
  ArmPredictOptions options;
} CliPredictMotion;

/* `predict` with parameters of kind "dynamics": currents of an arm that moves as a whole, row by
 * row in fixed memory. Returns the exit code. */
int cli_predict_motion(const CliPredictMotion *run, const AioArm *arm);

#endif
