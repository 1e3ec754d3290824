/* SPDX-License-Identifier: MIT */
#include "motion_case.h"

#include <math.h>

enum { RATE = 200 };

AioMotionTable *motion_case_new(const ArmModel *model, const double *home, double seconds,
                                double way) {
  AioMotionTable *m = g_new0(AioMotionTable, 1);
  m->name = g_strdup("wave.csv");
  m->n = model->n;
  m->rows = (gsize)lround(RATE * seconds) + 1;
  m->t = g_new0(double, m->rows);
  m->q = g_new0(double, m->rows * m->n);
  m->qd = g_new0(double, m->rows * m->n);
  m->qdd = g_new0(double, m->rows * m->n);
  for (gsize row = 0; row < m->rows; row++)
    for (gsize j = 0; j < m->n; j++) {
      const gsize at = row + j * m->rows;
      const double w = 2.0 * G_PI * (double)(j + 1) / seconds;
      const double a = way * (model->joints[j].type == ARM_JOINT_R ? 0.25 : 0.025);
      m->t[row] = (double)row / RATE;
      /* (1 - cos)^2: its acceleration is 0 at the ends too */
      const double x = w * m->t[row], c = 1.0 - cos(x), s = sin(x);
      m->q[at] = home[j] + a * c * c;
      m->qd[at] = row == 0 || row + 1 == m->rows ? 0.0 : a * 2.0 * w * c * s;
      m->qdd[at] = a * 2.0 * w * w * (s * s + c * cos(x));
    }
  return m;
}

AseTrajectory *motion_case_trajectory(const ArmModel *model, const double *home, double seconds,
                                      double way, double least_s, double current_part) {
  AioMotionTable *m = motion_case_new(model, home, seconds, way);
  ArmCubics *cubics = NULL;
  g_assert_cmpint(arm_cubics_new(m->n, m->rows, m->t, m->q, m->qd, least_s, 1.0, &cubics), ==,
                  ARM_OK);
  AseTrajectory *trajectory = ase_trajectory_new(m->name, cubics, model, current_part);
  aio_motion_free(m);
  return trajectory;
}
