/* SPDX-License-Identifier: MIT */
#include "session/measure/trajectory.h"

#include <math.h>

static void find_ways(AseTrajectory *t) {
  const ArmCubics *c = t->cubics;
  for (gsize j = 0; j < c->n; j++) {
    const double *q = c->q + j * c->count;
    t->low[j] = t->high[j] = q[0];
    for (gsize k = 1; k < c->count; k++) {
      t->low[j] = fmin(t->low[j], q[k]);
      t->high[j] = fmax(t->high[j], q[k]);
      t->way[j] += fabs(q[k] - q[k - 1]);
    }
    arm_cubics_most(c, j, &t->speed[j], &t->acceleration[j]);
    if (t->way[j] > 0.0)
      t->joints |= (guint32)1 << j;
  }
}

AseTrajectory *ase_trajectory_new(const char *name, ArmCubics *cubics, const ArmModel *model,
                                  double current_part) {
  AseTrajectory *trajectory = g_atomic_rc_box_new0(AseTrajectory);
  trajectory->name = g_strdup(name);
  trajectory->cubics = cubics;
  find_ways(trajectory);
  for (gsize j = 0; j < cubics->n; j++)
    trajectory->outline[j] = ase_trajectory_outline_new(cubics, j);
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    trajectory->current_max[j] =
        j < model->n ? current_part * model->joints[j].limits.current_max : (double)NAN;
  return trajectory;
}

AseTrajectory *ase_trajectory_ref(AseTrajectory *trajectory) {
  return g_atomic_rc_box_acquire(trajectory);
}

static void trajectory_clear(gpointer data) {
  AseTrajectory *trajectory = data;
  for (gsize j = 0; j < trajectory->cubics->n; j++)
    g_array_unref(trajectory->outline[j]);
  g_free(trajectory->name);
  arm_cubics_free(trajectory->cubics);
}

void ase_trajectory_unref(AseTrajectory *trajectory) {
  if (trajectory)
    g_atomic_rc_box_release_full(trajectory, trajectory_clear);
}

void ase_trajectory_compare(const AseTrajectory *trajectory, double slowness, guint64 t_us,
                            const double *q, double *apart) {
  double expected[ARM_MAX_JOINTS];
  arm_cubics_at(trajectory->cubics, 1e-6 * (double)t_us / slowness, expected, NULL);
  for (gsize j = 0; j < trajectory->cubics->n; j++)
    apart[j] = fmax(apart[j], fabs(q[j] - expected[j]));
}
