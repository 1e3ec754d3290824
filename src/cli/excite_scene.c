/* SPDX-License-Identifier: MIT */
#include "cli/excite_scene.h"

#include <math.h>

#include "cli/cli.h"

/* Coulomb and viscous friction of a fit, in A. */
static void take_friction(const AioParams *params, const ArmModel *model,
                          ArmCurrentFriction *friction) {
  for (size_t j = 0; j < model->n; j++) {
    const ArmEstimate *f = params->fit.refined.joint[j].friction;
    double eta = 1, rel_sd, used[4];
    if (params->is_torque[j] && !arm_model_nominal_eta(model, j, &eta, &rel_sd))
      eta = 0;
    for (int k = 0; k < 4; k++)
      used[k] = isfinite(f[k].used) ? eta * f[k].used : 0;
    friction[j] = (ArmCurrentFriction){used[0], used[1], used[2], used[3]};
  }
}

int cli_excite_scene_init(const AioArm *arm, const char *arm_name, const AioParams *params,
                          const ArmMotionLimits *limits, CliExciteScene *scene) {
  ArmCurrentFriction friction[ARM_MAX_JOINTS];
  if (params)
    take_friction(params, &arm->model, friction);
  scene->has_friction = params != NULL;
  ArmStatus status = arm_currents_init(&arm->model, params ? friction : NULL, &scene->currents);
  if (status == ARM_OK)
    status = arm_clearance_new(&arm->model, limits, arm->table_z_m, &scene->clearance);
  return status == ARM_OK ? CLI_OK : cli_fail_status(status, arm_name);
}

void cli_excite_scene_clear(CliExciteScene *scene) {
  arm_clearance_free(scene->clearance);
  scene->clearance = NULL;
}

void cli_excite_scene_judge(const CliExciteScene *scene, const AioMotionTable *motion,
                            CliExciteBroken *broken) {
  g_autofree double *current = g_new(double, motion->rows * motion->n);
  arm_currents_at(&scene->currents, false, motion->rows, motion->q, motion->qd, motion->qdd,
                  current);
  broken->n_currents =
      arm_currents_violations(&scene->currents, 1, motion->rows, current, broken->currents);
  broken->n_clearances =
      arm_clearance_violations(scene->clearance, 0, motion->rows, motion->q, broken->clearances);
}
