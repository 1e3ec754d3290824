/* SPDX-License-Identifier: MIT */
/* Motions for tests: raised cosines of all joints, at rest at both ends, and back where they began.
 */
#ifndef ARMATURE_TESTS_SESSION_MOTION_CASE_H
#define ARMATURE_TESTS_SESSION_MOTION_CASE_H

#include "io/recording/motion.h"
#include "session/measure/trajectory.h"

/* Of `seconds`, 200 rows a second: joint j goes `way` to and fro j + 1 times from `home`, a T joint
 * a tenth of it. */
AioMotionTable *motion_case_new(const ArmModel *model, const double *home, double seconds,
                                double way);
/* What a controller follows of it, in segments of `least_s` and more. */
AseTrajectory *motion_case_trajectory(const ArmModel *model, const double *home, double seconds,
                                      double way, double least_s, double current_part);

#endif
