/* SPDX-License-Identifier: MIT */
/* What a simulated controller simulates: an arm file, and what its "simulation" object adds. */
#ifndef ARMATURE_SIM_TRUTH_H
#define ARMATURE_SIM_TRUTH_H

#include <glib.h>

#include "core/plant.h"
#include "io/arm_file.h"

typedef struct {
  char name[64];
  ArmPlantConfig plant;
  double home[ARM_MAX_JOINTS]; /* where the arm rests at power-up [rad or m] */
} AsimTruth;

/* AIO_ERROR_MEANING (a key of the simulation object), AIO_ERROR_REFUSED (no links, no drives). */
bool asim_truth_from_arm(AsimTruth *truth, const AioArm *arm, guint64 seed, GError **error);

#endif
