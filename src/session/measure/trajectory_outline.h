/* SPDX-License-Identifier: MIT */
/* Where a joint goes, with so few points that it can be drawn however long it takes. */
#ifndef ARMATURE_SESSION_TRAJECTORY_OUTLINE_H
#define ARMATURE_SESSION_TRAJECTORY_OUTLINE_H

#include <glib.h>

#include "core/excite/cubics.h"

enum { ASE_OUTLINE_PARTS = 400 }; /* each less than two pixels; of at most three points */

typedef struct {
  double t, q;
} AseTrajectoryPoint;

/* Of AseTrajectoryPoint, in the order of their times, from the first knot to the last: no knot lies
 * beyond the lowest and the highest point of its part of the time. joint from 0. g_array_unref. */
GArray *ase_trajectory_outline_new(const ArmCubics *cubics, gsize joint);

#endif
