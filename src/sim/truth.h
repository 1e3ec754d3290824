/* SPDX-License-Identifier: MIT */
/* What a simulated controller simulates: an arm file, and what its "simulation" object adds
 * (docs/simulator.md lists the keys and what holds without them). */
#ifndef ARMATURE_SIM_TRUTH_H
#define ARMATURE_SIM_TRUTH_H

#include <glib.h>

#include "core/plant/plant.h"
#include "io/arm/arm_file.h"

typedef struct {
  char name[64];
  ArmPlantConfig plant;
  double home[ARM_MAX_JOINTS];          /* where the arm rests at power-up [rad or m] */
  double current_scale[ARM_MAX_JOINTS]; /* told over true currents */
  bool has_brake[ARM_MAX_JOINTS];       /* holds the joint while the drives are off */
} AsimTruth;

/* AIO_ERROR_MEANING (a key of the simulation object; lines and columns count within it),
 * AIO_ERROR_REFUSED (no links, no drives). On failure truth is untouched. */
bool asim_truth_from_arm(AsimTruth *truth, const AioArm *arm, guint64 seed, GError **error);

/* The same from an arm file, so that messages name file, line and column; additionally the errors
 * of aio_arm_load. */
bool asim_truth_load(AsimTruth *truth, const char *path, guint64 seed, GError **error);

/* The arm file that a word of the command line means: a word with a slash or ending in .json is a
 * path; anything else is looked for as WORD.arm.json and puma560-WORD.arm.json in
 * share/armature/robots and data/robots of the folder of the program and the folders above it.
 * Free with g_free. NULL: AIO_ERROR_NOT_FOUND, with where it was looked for. */
char *asim_truth_find(const char *word, GError **error);

#endif
