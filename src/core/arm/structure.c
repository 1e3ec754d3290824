/* SPDX-License-Identifier: MIT */
/* Flags from the largest magnitude over 200 random poses instead of symbols: a structural zero is
 * zero in all of them, and whatever is not is so at almost every pose. Clusters are the connected
 * components of "the current of i contains a load of j". */
#include "core/arm/structure.h"

#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/base/random.h"
#include "core/base/vec3.h"

/* Armature theory notes, gravity, sections 1 and 3. Reach: where axes are parallel only to the
 * digits of a file (1.571 for pi/2) noise fitted a ratio, 10 to 31 A inboard; with 1e-3 it is 10
 * mA. Up to NEAR_PARALLEL it is warned of: 0.018 rad still costs 0.29 A. */
enum { STRUCTURE_POSES = 200 };
#define STRUCTURE_TOLERANCE 1e-9 /* of |g|: what rounding leaves of a zero */
#define REACH_TOLERANCE     1e-3 /* 0.06 deg */
#define NEAR_PARALLEL       0.02 /* rad */

/* Largest magnitudes over the structure poses. */
typedef struct {
  double lateral[ARM_MAX_JOINTS]; /* hypot(g_x, g_y) in frame i, over |g| */
  double along[ARM_MAX_JOINTS];   /* |g_z| in frame i, over |g| */
  double tilt[ARM_MAX_JOINTS];    /* |g.(u_m x u_i)| / |g| over R joints m < i */
  double coefficient[ARM_MAX_JOINTS][ARM_MAX_JOINTS]; /* |A_ij| / |g| */
  double reach[ARM_MAX_JOINTS];                       /* |d_j| (T), 1 (R) */
  double angle[ARM_MAX_JOINTS];                       /* |u_r x u_i| */
} PoseMaxima;

/* NaN stays, to be found at the end */
static void raise_to(double *maximum, double value) {
  if (value > *maximum || isnan(value))
    *maximum = value;
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void axis_of(double (*const frames)[9], size_t i, double axis[3]) {
  for (int k = 0; k < 3; k++)
    axis[k] = frames[i][3 * k + 2];
}

static size_t first_rotational(const ArmModel *model) {
  size_t i = 0;
  while (i < model->n && model->joints[i].type != ARM_JOINT_R)
    i++;
  return i;
}

static void visit_axes(const ArmModel *model, const double *q, double g_norm, PoseMaxima *max) {
  double frames[ARM_MAX_JOINTS][9], axis[3], other[3], normal[3];
  const size_t r = first_rotational(model);
  arm_model_poses(model, q, frames, NULL);
  for (size_t i = 0; i < model->n; i++) {
    axis_of(frames, i, axis);
    cross(model->gravity_m_s2, axis, normal);
    raise_to(&max->lateral[i], sqrt(arm_vec3_dot(normal, normal)) / g_norm);
    raise_to(&max->along[i], fabs(arm_vec3_dot(model->gravity_m_s2, axis)) / g_norm);
    for (size_t m = r; m < i; m++) {
      if (model->joints[m].type != ARM_JOINT_R)
        continue;
      axis_of(frames, m, other);
      cross(other, axis, normal);
      raise_to(&max->tilt[i], fabs(arm_vec3_dot(model->gravity_m_s2, normal)) / g_norm);
      if (m == r)
        raise_to(&max->angle[i], sqrt(arm_vec3_dot(normal, normal)));
    }
  }
}

static void visit_coefficients(const ArmModel *model, const double *q, double g_norm,
                               PoseMaxima *max) {
  double row[2 * ARM_MAX_JOINTS];
  for (size_t i = 0; i < model->n; i++) {
    arm_gravity_row(model, q, i, row);
    for (size_t j = i; j < model->n; j++)
      raise_to(&max->coefficient[i][j], hypot(row[2 * j], row[2 * j + 1]) / g_norm);
    const bool is_translational = model->joints[i].type == ARM_JOINT_T;
    raise_to(&max->reach[i], is_translational ? fabs(model->joints[i].offset + q[i]) : 1.0);
  }
}

static void visit_poses(const ArmModel *model, double g_norm, PoseMaxima *max) {
  uint64_t state = 1994;
  double q[ARM_MAX_JOINTS];
  memset(max, 0, sizeof *max);
  for (int pose = 0; pose < STRUCTURE_POSES; pose++) {
    for (size_t i = 0; i < model->n; i++) {
      const double span = model->joints[i].type == ARM_JOINT_R ? 3.14159265358979 : 1.0;
      q[i] = arm_random_uniform(&state, -span, span);
    }
    visit_axes(model, q, g_norm, max);
    visit_coefficients(model, q, g_norm, max);
  }
}

static void find_flags(const ArmModel *model, const PoseMaxima *max, ArmStructure *s) {
  s->r = first_rotational(model) + 1;
  s->s = s->n + 1;
  for (size_t i = 0; i < s->n; i++) {
    if (model->joints[i].type == ARM_JOINT_R) {
      s->delta[i] = max->lateral[i] > STRUCTURE_TOLERANCE;
      s->has_own[i] = s->delta[i];
      if (s->s > s->n && i + 1 > s->r && max->angle[i] > STRUCTURE_TOLERANCE)
        s->s = i + 1;
    } else {
      s->sigma[i] = max->along[i] > STRUCTURE_TOLERANCE;
      s->sigma_hat[i] = s->sigma[i] && max->tilt[i] > STRUCTURE_TOLERANCE;
      s->has_own[i] = s->sigma_hat[i];
    }
  }
}

/* the angle between consecutive axes is constant, also across T joints */
static void find_near_parallel(const ArmModel *model, ArmStructure *s) {
  double axis[3], turned[3];
  for (size_t i = 1; i < s->n; i++) {
    size_t m = i;
    for (int k = 0; k < 3; k++)
      axis[k] = model->joints[i].rotation[3 * k + 2];
    while (--m > 0 && model->joints[m].type == ARM_JOINT_T) {
      arm_mat3_mul_vec(model->joints[m].rotation, axis, turned);
      memcpy(axis, turned, sizeof axis);
    }
    const double sine = hypot(axis[0], axis[1]);
    s->is_near_parallel[i] =
        model->joints[m].type == ARM_JOINT_R && sine > STRUCTURE_TOLERANCE && sine < NEAR_PARALLEL;
  }
}

/* [i][m]: row i of (I+L)^{-T} holds row m of the uncoupled A, however small the coupling is */
static void find_couplings(const ArmModel *model, bool couples[ARM_MAX_JOINTS][ARM_MAX_JOINTS]) {
  for (size_t i = 0; i < model->n; i++) {
    for (size_t m = i; m < model->n; m++) {
      couples[i][m] = m == i;
      for (size_t k = i; k < m && model->has_coupling; k++)
        couples[i][m] = couples[i][m] || (couples[i][k] && model->coupling[m][k] != 0.0);
    }
  }
}

static void find_reaches(const ArmModel *model, const PoseMaxima *max, ArmStructure *s) {
  bool couples[ARM_MAX_JOINTS][ARM_MAX_JOINTS];
  find_couplings(model, couples);
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = i + 1; j < s->n; j++)
      for (size_t m = i; m <= j && s->has_own[j]; m++)
        if (couples[i][m] && (m == j || max->coefficient[m][j] > REACH_TOLERANCE * max->reach[j]))
          s->reaches[i][j] = true;
}

static void relabel(ArmStructure *s, int from, int to) {
  for (size_t i = 0; i < s->n; i++)
    if (s->cluster[i] == from)
      s->cluster[i] = to;
}

static bool is_node(const ArmStructure *s, size_t i) {
  bool reaches_any = s->has_own[i];
  for (size_t j = i + 1; j < s->n; j++)
    reaches_any = reaches_any || s->reaches[i][j];
  return reaches_any;
}

/* connected components, then numbered by their innermost joint */
static void find_clusters(ArmStructure *s) {
  size_t nodes = 0;
  for (size_t i = 0; i < s->n; i++) {
    s->cluster[i] = is_node(s, i) ? (int)(i + s->n) : -1;
    nodes += s->cluster[i] >= 0;
  }
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = i + 1; j < s->n; j++)
      if (s->reaches[i][j] && s->cluster[i] != s->cluster[j])
        relabel(s, s->cluster[j], s->cluster[i]);
  s->n_clusters = 0;
  for (size_t i = 0; i < s->n; i++)
    if (s->cluster[i] >= (int)s->n)
      relabel(s, s->cluster[i], (int)s->n_clusters++);
  s->count_ratios = nodes - s->n_clusters;
}

ArmStatus arm_structure_find(const ArmModel *model, ArmStructure *structure) {
  PoseMaxima max;
  ArmStructure s;
  ArmModel bare; /* without the coupling, which no axis depends on */
  const double *g = model->gravity_m_s2;
  const double g_norm = sqrt(arm_vec3_dot(g, g));
  if (model->n == 0 || model->n > ARM_MAX_JOINTS)
    return ARM_E_ARGUMENT;
  if (!isfinite(g_norm) || g_norm == 0.0)
    return ARM_E_NOT_FINITE;
  memset(&s, 0, sizeof s);
  s.n = model->n;
  bare = *model;
  bare.has_coupling = false;
  visit_poses(&bare, g_norm, &max);
  for (size_t i = 0; i < s.n; i++)
    if (!isfinite(max.lateral[i] + max.coefficient[i][i] + max.reach[i]))
      return ARM_E_NOT_FINITE;
  find_flags(model, &max, &s);
  find_near_parallel(model, &s);
  find_reaches(model, &max, &s);
  find_clusters(&s);
  for (size_t i = 0; i < s.n; i++)
    s.count_gravity += s.has_own[i] ? (model->joints[i].type == ARM_JOINT_R ? 2u : 1u) : 0u;
  s.count_friction = 4 * s.n;
  *structure = s;
  return ARM_OK;
}

ArmReason arm_structure_reason(const ArmModel *model, const ArmStructure *structure, size_t joint) {
  if (structure->has_own[joint])
    return ARM_REASON_MINIMAL;
  if (model->joints[joint].type == ARM_JOINT_R)
    return ARM_REASON_AXIS_VERTICAL;
  return structure->sigma[joint] ? ARM_REASON_EMBODIED : ARM_REASON_AXIS_HORIZONTAL;
}
