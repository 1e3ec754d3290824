/* SPDX-License-Identifier: MIT */
/* What `excite` holds a motion to beside the limits of joints, as far as arm and parameter file
 * tell: currents and distances. */
#ifndef ARMATURE_CLI_EXCITE_SCENE_H
#define ARMATURE_CLI_EXCITE_SCENE_H

#include "cli/excite_known.h"
#include "core/excite/scene.h"
#include "io/arm/arm_file.h"
#include "io/recording/motion.h"

typedef struct {
  ArmDriveCurrents currents;
  bool has_friction; /* of a parameter file */
  ArmClearance *clearance;
} CliExciteScene;

/* An exit code, said on stderr unless CLI_OK. */
int cli_excite_scene_init(const AioArm *arm, const char *arm_name, const CliExciteKnown *known,
                          const ArmMotionLimits *limits, CliExciteScene *scene);
void cli_excite_scene_clear(CliExciteScene *scene);

/* What of it a motion breaks. */
typedef struct {
  gsize n_currents, n_clearances;
  ArmCurrentViolation currents[ARM_MAX_JOINTS];
  ArmClearanceViolation clearances[ARM_CLEARANCE_MOST];
} CliExciteBroken;

void cli_excite_scene_judge(const CliExciteScene *scene, const AioMotionTable *motion,
                            CliExciteBroken *broken);

#endif
