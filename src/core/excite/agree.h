/* SPDX-License-Identifier: MIT */
/* Whether what a file states of a motion can be one motion: positions whose changes are those of
 * the speeds beside them, and speeds whose changes are those of the accelerations.
 *
 *   x(b) - x(a) - sum (d(k) + d(k+1)) h / 2        x positions, d speeds; or speeds, accelerations
 *
 * over half a second, and of positions from each sample to the next, is 0 but for what an honest
 * file may have: noise, steps of an encoder, filters of the speeds, and what a coarsely sampled
 * motion does between its samples within its acceleration. Thread rule: re-entrant, no state.
 */
#ifndef ARMATURE_CORE_EXCITE_AGREE_H
#define ARMATURE_CORE_EXCITE_AGREE_H

#include "core/excite/limits.h"

typedef struct {
  size_t joint;               /* from 0 */
  ArmMotionQuantity quantity; /* SPEED: other than of the positions; ACCELERATION: of the speeds */
  size_t from, to;            /* samples; to = from + 1: a single step tells */
  double stated, found;       /* means over that time */
} ArmMotionContradiction;

enum { ARM_MOTION_MOST_CONTRADICTIONS = 2 * ARM_MAX_JOINTS };

/* A motion of joints, as in a file. */
typedef struct {
  size_t samples;                                         /* >= 2 */
  const double *t;                                        /* samples, increasing */
  const double *q, *qd, *qdd;                             /* samples x n  column-major, finite */
  const bool *is_speed_derived, *is_acceleration_derived; /* n  not judged: nobody stated them */
} ArmStatedMotion;

/* At most one per joint and quantity, joints first: the worst step, or where none of them tells,
 * the worst half second.
 *   contradictions  ARM_MOTION_MOST_CONTRADICTIONS
 *   count           how many there are
 * ARM_E_MEMORY, ARM_E_ARGUMENT: too few samples. */
ARM_MUST_CHECK ArmStatus arm_motion_contradictions(const ArmModel *model,
                                                   const ArmMotionLimits *limits,
                                                   const ArmStatedMotion *motion,
                                                   ArmMotionContradiction *contradictions,
                                                   size_t *count);

#endif
