/* SPDX-License-Identifier: MIT */
/* A judged motion as `excite` tells it, to programs and to people. */
#ifndef ARMATURE_CLI_EXCITE_REPORT_H
#define ARMATURE_CLI_EXCITE_REPORT_H

#include "cli/excite_scene.h"
#include "core/excite/agree.h"
#include "core/excite/check.h"
#include "core/excite/sequence.h"
#include "core/excite/trajectory.h"
#include "io/arm/arm_file.h"
#include "io/recording/motion.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArmTrajectory, arm_trajectory_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArmPoints, arm_points_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmSequence, arm_sequence_free)

typedef struct {
  const AioArm *arm;
  const char *csv;
  const char *method, *criterion;  /* "check", NULL; of a design "fourier", "d" */
  const char *weights;             /* of criterion a: "torque", "prior" */
  bool is_design;                  /* or somebody's motion */
  const ArmTrajectory *trajectory; /* by fourier and spline */
  const ArmPoints *points;         /* by points, with sequence */
  const ArmSequence *sequence;
  double slowness; /* of the motion through points, in times of `sequence` */
  bool is_at_rest;
  gint64 seed, evaluations; /* of a design */
  const ArmBase *base;
  const ArmMotionLimits *limits;
  const AioMotionTable *motion;
  const ArmExcitation *found;
  const double *noise;    /* n  N m, N: of one sample */
  const bool *is_assumed; /* n  nobody knows it: 1 */
  ArmMotionViolation violations[ARM_MOTION_QUANTITIES * ARM_MAX_JOINTS];
  gsize n_violations;
  ArmMotionContradiction contradictions[ARM_MOTION_MOST_CONTRADICTIONS];
  gsize n_contradictions; /* of somebody's motion */
  const CliExciteScene *scene;
  CliExciteBroken broken;
} CliExcitation;

/* No limit is broken that it is held to. */
bool cli_excite_is_within(const CliExcitation *report);
/* That, and it does not contradict itself. */
bool cli_excite_is_feasible(const CliExcitation *report);

char *cli_excite_format(const CliExcitation *report, gsize *length);
void cli_excite_print(const CliExcitation *report);

#endif
