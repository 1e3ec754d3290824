/* SPDX-License-Identifier: MIT */
/* The flags of the closed forms (Armature theory notes, full dynamics, section 2.1) from a few
 * poses at random: what holds at all of them holds by structure. Angles and lengths are nominal
 * ones here, so that the limits only have to be above rounding. */
#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "core/base/vec3.h"
#include "core/dynamics/base_internal.h"

/* "x // y" of the theory notes; of lengths what nominal.h takes for equal. */
#define PARALLEL 1e-9
#define LENGTH   1e-6

enum { POSES = 3 };

typedef struct {
  const ArmModel *model;
  double frames[ARM_MAX_JOINTS][9], origins[ARM_MAX_JOINTS][3];
} Pose;

static void axis_of(const Pose *pose, size_t i, double axis[3]) {
  for (int k = 0; k < 3; k++)
    axis[k] = pose->frames[i][3 * k + 2];
}

/* |a x b| */
static double aside(const double a[3], const double b[3]) {
  const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                       a[0] * b[1] - a[1] * b[0]};
  return sqrt(arm_vec3_dot(c, c));
}

/* Is the axis of joint i at an angle to `direction`? */
static bool is_oblique(const Pose *pose, size_t i, const double direction[3]) {
  double axis[3];
  axis_of(pose, i, axis);
  return aside(axis, direction) > PARALLEL * fmax(1, sqrt(arm_vec3_dot(direction, direction)));
}

static bool is_rotational(const Pose *pose, size_t i) {
  return pose->model->joints[i].type == ARM_JOINT_R;
}

static void find_s(const Pose *pose, ArmBaseGeometry *g) {
  double axis[3];
  if (g->r > g->n)
    return;
  axis_of(pose, g->r - 1, axis);
  for (size_t i = g->r; i + 1 < g->s; i++)
    if (is_rotational(pose, i) && is_oblique(pose, i, axis))
      g->s = i + 1;
}

/* delta_j, section 2.1: joints before it that move it sideways, gravity, or an axis beside it.
 * Without gravity sideways is beside the axis of r. */
static bool shows_moments(const Pose *pose, const ArmBaseGeometry *g, size_t j) {
  double axis[3], offset[3];
  const double *gravity = pose->model->gravity_m_s2;
  axis_of(pose, g->r - 1, axis);
  const double *along = arm_vec3_dot(gravity, gravity) > 0 ? gravity : axis;
  for (size_t k = 0; k <= j; k++)
    if ((k < j || k == g->r - 1) && is_oblique(pose, k, along))
      return true;
  for (size_t m = g->r - 1; m < j; m++) {
    if (!is_rotational(pose, m))
      continue;
    for (int k = 0; k < 3; k++)
      offset[k] = pose->origins[j][k] - pose->origins[m][k];
    if (aside(axis, offset) > LENGTH)
      return true;
  }
  return false;
}

static void find_flags(const Pose *pose, ArmBaseGeometry *g) {
  double axis[3];
  if (g->r > g->n)
    return;
  axis_of(pose, g->r - 1, axis);
  for (size_t j = g->r - 1; j + 1 < g->s; j++) {
    if (is_rotational(pose, j))
      g->delta[j] = g->delta[j] || shows_moments(pose, g, j);
    else
      g->sigma[j] = g->sigma[j] || is_oblique(pose, j, axis);
    arm_mat3_tmul_vec(pose->frames[j], axis, g->axis[j]);
  }
}

/* All of it is constant up to joint s, but for offsets across T joints. */
static bool visit_poses(Pose *pose, ArmBaseGeometry *g) {
  uint64_t state = 1992;
  double q[ARM_MAX_JOINTS];
  for (int k = 0; k < POSES; k++) {
    for (size_t i = 0; i < g->n; i++) {
      const double span = is_rotational(pose, i) ? 3.14159265358979 : 1.0;
      q[i] = arm_random_uniform(&state, -span, span);
    }
    arm_model_poses(pose->model, q, pose->frames, pose->origins);
    for (size_t i = 0; i < g->n; i++)
      for (int a = 0; a < 9; a++)
        if (!isfinite(pose->frames[i][a] + pose->origins[i][a % 3]))
          return false;
    find_s(pose, g);
    find_flags(pose, g);
  }
  return true;
}

ArmStatus arm_base_geometry(const ArmModel *model, ArmBaseGeometry *geometry) {
  ArmModel nominal;
  Pose pose = {.model = &nominal};
  ArmBaseGeometry g = {.n = model->n};
  const double *gravity = model->gravity_m_s2;
  if (g.n == 0 || g.n > ARM_MAX_JOINTS)
    return ARM_E_ARGUMENT;
  if (!isfinite(arm_vec3_dot(gravity, gravity)))
    return ARM_E_NOT_FINITE;
  g.n_snapped = arm_nominal(model, &nominal, g.snapped);
  g.s = g.n + 1;
  while (g.r < g.n && model->joints[g.r].type != ARM_JOINT_R)
    g.r++;
  g.r++;
  if (!visit_poses(&pose, &g))
    return ARM_E_NOT_FINITE;
  *geometry = g;
  return ARM_OK;
}
