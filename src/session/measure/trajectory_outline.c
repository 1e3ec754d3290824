/* SPDX-License-Identifier: MIT */
/* The cubics at even times, so that few knots make a smooth line; and between two of these the
 * lowest and the highest knot, so that nothing is too short to be seen. */
#include "session/measure/trajectory_outline.h"

typedef struct {
  const ArmCubics *cubics;
  gsize joint, next; /* next: knot that no part had yet */
  GArray *points;
} Outline;

static void add_knot(Outline *o, gsize k) {
  const AseTrajectoryPoint point = {o->cubics->t[k], o->cubics->q[k + o->joint * o->cubics->count]};
  g_array_append_val(o->points, point);
}

static void add_time(Outline *o, double t) {
  double q[ARM_MAX_JOINTS];
  arm_cubics_at(o->cubics, t, q, NULL);
  const AseTrajectoryPoint point = {t, q[o->joint]};
  g_array_append_val(o->points, point);
}

/* Of the knots before `end`, in the order of their times. */
static void add_extremes(Outline *o, double end) {
  const ArmCubics *c = o->cubics;
  const double *q = c->q + o->joint * c->count;
  const gsize first = o->next;
  gsize low = first, high = first;
  for (; o->next < c->count && c->t[o->next] < end; o->next++) {
    low = q[o->next] < q[low] ? o->next : low;
    high = q[o->next] > q[high] ? o->next : high;
  }
  if (o->next == first)
    return;
  add_knot(o, MIN(low, high));
  if (low != high)
    add_knot(o, MAX(low, high));
}

GArray *ase_trajectory_outline_new(const ArmCubics *cubics, gsize joint) {
  const double duration_s = arm_cubics_duration(cubics);
  Outline o = {cubics, joint, 1, g_array_new(FALSE, FALSE, sizeof(AseTrajectoryPoint))};
  add_time(&o, 0.0);
  for (guint part = 1; part <= ASE_OUTLINE_PARTS; part++) {
    const double end = duration_s * part / ASE_OUTLINE_PARTS;
    add_extremes(&o, end);
    add_time(&o, end);
  }
  return o.points;
}
