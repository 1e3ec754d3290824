/* SPDX-License-Identifier: MIT */
#include "session/measure/candidate.h"

#include <math.h>

#include "io/recording/motion_clear.h"
#include "io/recording/motion_follow.h"
#include "io/recording/motion_hole.h"

/* ---- checked ---- */

static ArmCubics *follow(const AseCandidate *c, const AioMotionTable *motion, double segment_s,
                         double *slowness, GError **error) {
  *slowness = 1.0;
  ArmCubics *cubics =
      aio_motion_follow(motion, &c->model, &c->arm, c->arm_name, segment_s, slowness, error);
  if (!cubics || !c->has_controller)
    return cubics;
  arm_cubics_free(cubics);
  return aio_motion_follow(motion, &c->model, &c->controller, "the controller", segment_s, slowness,
                           error);
}

bool ase_candidate_check(AseCandidate *c, const AioMotionTable *motion, GError **error) {
  ArmCubics *cubics = NULL;
  for (double s = c->longest_s; !cubics && s > AIO_FOLLOW_SEGMENT_S; s *= 0.5)
    cubics = follow(c, motion, s, &c->slowness, NULL);
  if (!cubics)
    cubics = follow(c, motion, AIO_FOLLOW_SEGMENT_S, &c->slowness, error);
  if (!cubics)
    return false;
  if (!aio_motion_is_clear(motion, &c->model, &c->arm, c->table_z_m, error)) {
    arm_cubics_free(cubics);
    return false;
  }
  c->trajectory = ase_trajectory_new(motion->name, cubics, &c->model, c->current_part);
  c->digest = aio_motion_digest(motion);
  c->guess = aio_motion_hole_said(motion);
  return true;
}

void ase_candidate_free(AseCandidate *c) {
  if (!c)
    return;
  ase_trajectory_unref(c->trajectory);
  g_free(c->arm_name);
  g_free(c->digest);
  g_free(c->guess);
  g_free(c);
}

/* ---- compared ---- */

/* What is not stated is NAN. */
static bool is_equal(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool are_limits_same(const ArmMotionLimits *a, const ArmMotionLimits *b) {
  bool is_same = a->n == b->n;
  for (gsize j = 0; is_same && j < a->n; j++) {
    is_same = is_equal(a->middle[j], b->middle[j]);
    for (guint k = 0; k < ARM_MOTION_QUANTITIES; k++)
      is_same = is_same && is_equal(a->half[k][j], b->half[k][j]);
  }
  return is_same;
}

static bool are_capsules_same(const ArmJoint *a, const ArmJoint *b) {
  bool is_same = a->n_capsules == b->n_capsules;
  for (gsize k = 0; is_same && k < a->n_capsules; k++) {
    const ArmCapsule *one = &a->capsules[k], *other = &b->capsules[k];
    is_same = is_equal(one->radius_m, other->radius_m);
    for (guint d = 0; d < 3; d++)
      is_same = is_same && is_equal(one->from_m[d], other->from_m[d]) &&
                is_equal(one->to_m[d], other->to_m[d]);
  }
  return is_same;
}

static bool are_joints_same(const ArmModel *a, const ArmModel *b) {
  bool is_same = a->n == b->n;
  for (gsize j = 0; is_same && j < a->n; j++)
    is_same = a->joints[j].type == b->joints[j].type &&
              is_equal(a->joints[j].limits.current_max, b->joints[j].limits.current_max) &&
              are_capsules_same(&a->joints[j], &b->joints[j]);
  return is_same;
}

bool ase_candidate_is_same(const AseCandidate *a, const AseCandidate *b) {
  return are_joints_same(&a->model, &b->model) && are_limits_same(&a->arm, &b->arm) &&
         a->has_controller == b->has_controller &&
         (!a->has_controller || are_limits_same(&a->controller, &b->controller)) &&
         is_equal(a->table_z_m, b->table_z_m) && a->longest_s == b->longest_s;
}
