/* SPDX-License-Identifier: MIT */
/* What a motion must keep beside the limits of joints: currents and distances. */
#ifndef ARMATURE_CORE_EXCITE_SCENE_H
#define ARMATURE_CORE_EXCITE_SCENE_H

#include "core/excite/clearance.h"
#include "core/excite/currents.h"

/* Not owned; NULL: nothing is kept. */
typedef struct {
  const ArmDriveCurrents *currents;
  const ArmClearance *clearance;
} ArmScene;

#endif
