/* SPDX-License-Identifier: MIT */
/* Currents and distances in the trajectory designer: as terms of its Lagrangian, and as what a
 * motion is shrunk for. */
#ifndef ARMATURE_CORE_EXCITE_TRAJECTORY_SCENE_H
#define ARMATURE_CORE_EXCITE_TRAJECTORY_SCENE_H

#include "core/excite/trajectory_internal.h"

/* ARM_E_INFEASIBLE: the arm can rest in no pose that was tried. ARM_E_MEMORY. The memory is freed
 * by arm_trajectory_scene_clear in any case. */
ARM_MUST_CHECK ArmStatus arm_trajectory_scene_init(ArmTrajectorySearch *s);
void arm_trajectory_scene_clear(ArmTrajectorySearch *s);

/* Where joint `joint` is in a pose where the arm can rest: in the middle without a scene. */
double arm_trajectory_scene_rest(const ArmTrajectorySearch *s, size_t joint);

/* Multipliers to zero. */
void arm_trajectory_scene_begin(ArmTrajectorySearch *s);

/* The terms of the motion on the grids, whose gradient is added to their bars. 0 without a scene.
 */
double arm_trajectory_scene_cost(ArmTrajectorySearch *s);

/* As arm_trajectory_update, for these limits, of the motion on the grids. */
void arm_trajectory_scene_update(ArmTrajectorySearch *s);

/* Divides a motion that keeps the limits of joints about a pose where the arm can rest, until it
 * keeps currents and distances.
 *   c         functions x n
 *   is_dense  at all times that are ever looked at, else at a few
 * False: it does not get there. */
bool arm_trajectory_scene_shrink(ArmTrajectorySearch *s, double *c, bool is_dense);

#endif
