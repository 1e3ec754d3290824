/* SPDX-License-Identifier: MIT */
#include "cli/excite_scene.h"

#include <math.h>

#include "cli/cli.h"

/* What was identified takes the place of what the arm file says. */
static void take_drives(const CliExciteKnown *known, ArmDriveCurrents *currents) {
  const size_t n = currents->n;
  for (size_t j = 0; j < n; j++) {
    if (isfinite(known->eta[j]) && currents->eta[j] != 0)
      currents->eta[j] = known->eta[j];
    if (isfinite(known->rotor[j]) && currents->eta[j] != 0)
      currents->rotor[j] = known->rotor[j] / currents->eta[j];
  }
}

int cli_excite_scene_init(const AioArm *arm, const char *arm_name, const CliExciteKnown *known,
                          const ArmMotionLimits *limits, CliExciteScene *scene) {
  ArmModel model = arm->model;
  for (size_t j = 0; known->has_links && j < model.n; j++)
    model.joints[j].link = known->link[j];
  scene->has_friction = known->has_friction;
  ArmStatus status = arm_drive_currents_init(&model, known->friction, &scene->currents);
  if (status == ARM_OK) {
    take_drives(known, &scene->currents);
    status = arm_clearance_new(&arm->model, limits, arm->table_z_m, &scene->clearance);
  }
  return status == ARM_OK ? CLI_OK : cli_fail_status(status, arm_name);
}

void cli_excite_scene_clear(CliExciteScene *scene) {
  arm_clearance_free(scene->clearance);
  scene->clearance = NULL;
}

void cli_excite_scene_judge(const CliExciteScene *scene, const AioMotionTable *motion,
                            CliExciteBroken *broken) {
  g_autofree double *current = g_new(double, motion->rows * motion->n);
  arm_drive_currents_at(&scene->currents, false, motion->rows, motion->q, motion->qd, motion->qdd,
                        current);
  broken->n_currents =
      arm_drive_currents_violations(&scene->currents, 1, motion->rows, current, broken->currents);
  broken->n_clearances =
      arm_clearance_violations(scene->clearance, 0, motion->rows, motion->q, broken->clearances);
}
