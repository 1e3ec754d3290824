/* SPDX-License-Identifier: MIT */
/* A motion of all joints that legs follow, as fast as it is or slower. Counted and never changed:
 * any thread may hold it. [rad or m, s, A] */
#ifndef ARMATURE_SESSION_TRAJECTORY_H
#define ARMATURE_SESSION_TRAJECTORY_H

#include <glib.h>

#include "core/arm/model.h"
#include "core/excite/cubics.h"
#include "session/measure/trajectory_outline.h"

typedef struct {
  char *name; /* how messages call it */
  ArmCubics *cubics;
  guint32 joints;                                             /* that move: bit k = joint k + 1 */
  double low[ARM_MAX_JOINTS], high[ARM_MAX_JOINTS];           /* where it goes, at its knots */
  double way[ARM_MAX_JOINTS];                                 /* to and fro, in all */
  double speed[ARM_MAX_JOINTS], acceleration[ARM_MAX_JOINTS]; /* bounds, as arm_cubics_most */
  double current_max[ARM_MAX_JOINTS]; /* beyond which the arm is halted; NAN: not watched */
  GArray *outline[ARM_MAX_JOINTS];    /* as ase_trajectory_outline_new */
} AseTrajectory;

/* Takes the cubics over, which are of as many joints as the model. `current_part` of each joint's
 * limit of current, where it is stated, is what it may have. */
AseTrajectory *ase_trajectory_new(const char *name, ArmCubics *cubics, const ArmModel *model,
                                  double current_part);
AseTrajectory *ase_trajectory_ref(AseTrajectory *trajectory);
void ase_trajectory_unref(AseTrajectory *trajectory); /* NULL allowed */

/* How far each joint is from where it was to be, widening what was found before. As exactly as it
 * is known when the motion began: by one period of the telemetry.
 *   t_us   since the first sample of the motion
 *   q      n
 *   apart  n  in, out: the largest distance so far */
void ase_trajectory_compare(const AseTrajectory *trajectory, double slowness, guint64 t_us,
                            const double *q, double *apart);

#endif
