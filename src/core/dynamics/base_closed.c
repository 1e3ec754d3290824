/* SPDX-License-Identifier: MIT */
/* The closed form of Gautier and Khalil 1990, eqs (14)-(20), made minimal: from the last joint
 * inward, what of a link moves as a part of the link before is moved there and dropped. The rules
 * act on a vector pi in place; column c of T is what they make of the c-th unit vector. */
#include <math.h>
#include <string.h>

#include "core/dynamics/base_internal.h"

enum { P = ARM_BASE_P };

/* What is beyond the base has no effect. */
static void carry_inward(const ArmJoint *joint, const double *lump, double *inner) {
  double moved[P];
  if (!inner)
    return;
  arm_inertia_move(joint->rotation, joint->translation, lump, moved);
  for (int k = 0; k < P; k++)
    inner[k] += moved[k];
}

/* (14), (15): YY (both of XX and YY), mZ and m. */
static void regroup_rotational(const ArmJoint *joint, double *v, double *inner) {
  double lump[P] = {0};
  lump[BASE_M] = v[BASE_M];
  lump[BASE_MZ] = v[BASE_MZ];
  lump[BASE_XX] = lump[BASE_YY] = v[BASE_YY];
  carry_inward(joint, lump, inner);
  v[BASE_XX] -= v[BASE_YY];
}

/* (17), and (19), (20) for a joint that slides along the axis of r: mX and mY turn with link j-1,
 * wherever along the axis they are. */
static void regroup_translational(const ArmJoint *joint, bool is_along, const double *v,
                                  double *inner) {
  double lump[P] = {0};
  memcpy(lump + BASE_XX, v + BASE_XX, 6 * sizeof *v);
  if (is_along) {
    lump[BASE_MX] = v[BASE_MX];
    lump[BASE_MY] = v[BASE_MY];
  }
  carry_inward(joint, lump, inner);
}

/* The component of the first moment that the other two replace: the largest of the axis; of equals,
 * to 1e-9 as in base_qr.c (rounding of snapped geometry), the first. */
static int leading(const double axis[3]) {
  int c = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(axis[k]) > fabs(axis[c]) + 1e-9)
      c = k;
  return c;
}

/* Not in Gautier and Khalil: a first moment along the axis of r shows nowhere, so that one
 * component goes into the other two. Without it there is one parameter too many per joint. */
static void regroup_oblique(const double axis[3], double *v) {
  const int c = leading(axis);
  for (int k = 0; k < 3; k++)
    if (k != c)
      v[BASE_MX + k] -= axis[k] / axis[c] * v[BASE_MX + c];
}

static void mark(ArmBaseReason *reason, ArmBaseReason why, size_t count, const int *which) {
  for (size_t k = 0; k < count; k++)
    reason[which[k]] = why;
}

/* ---- which are dropped, and why: ten reasons of one link ---- */

static void judge_rotational(const ArmBaseGeometry *g, size_t j, ArmBaseReason *reason) {
  static const int tensor[] = {BASE_XX, BASE_XY, BASE_XZ, BASE_YY, BASE_YZ};
  reason[BASE_YY] = ARM_BASE_ROUND;
  reason[BASE_MZ] = reason[BASE_M] = ARM_BASE_ON_AXIS;
  if (j + 1 >= g->s)
    return;
  mark(reason, ARM_BASE_ONE_AXIS, 5, tensor);
  if (!g->delta[j])
    reason[BASE_MX] = reason[BASE_MY] = ARM_BASE_BEARINGS;
}

static void judge_translational(const ArmBaseGeometry *g, size_t j, ArmBaseReason *reason) {
  static const int moments[] = {BASE_MX, BASE_MY, BASE_MZ};
  const bool is_before = j + 1 < g->r;
  for (int k = BASE_XX; k <= BASE_ZZ; k++)
    reason[k] = is_before ? ARM_BASE_NEVER_TURNS : ARM_BASE_SLIDES;
  if (is_before)
    mark(reason, ARM_BASE_NEVER_TURNS, 3, moments);
  else if (j + 1 < g->s && !g->sigma[j])
    mark(reason, ARM_BASE_ALONG, 3, moments);
  else if (j + 1 < g->s)
    reason[BASE_MX + leading(g->axis[j])] = ARM_BASE_OBLIQUE;
}

static void judge(const ArmModel *model, const ArmBaseGeometry *g, size_t j,
                  ArmBaseReason reason[P]) {
  for (int k = 0; k < P; k++)
    reason[k] = ARM_BASE_KEPT;
  if (model->joints[j].type == ARM_JOINT_R)
    judge_rotational(g, j, reason);
  else
    judge_translational(g, j, reason);
}

/* What of link j moves as a part of link j-1 for every q_j is moved there (their lambda, which for
 * these sums do not depend on q_j: the placement serves) and dropped, then what no motor feels. */
void arm_base_regroup(const ArmModel *model, const ArmBaseGeometry *geometry, double *v) {
  for (size_t j = model->n; j-- > 0;) {
    const ArmJoint *joint = &model->joints[j];
    const bool is_between = j + 1 > geometry->r && j + 1 < geometry->s;
    double *link = v + P * j, *inner = j > 0 ? link - P : NULL;
    ArmBaseReason reason[P];
    if (joint->type == ARM_JOINT_R)
      regroup_rotational(joint, link, inner);
    else
      regroup_translational(joint, is_between && !geometry->sigma[j], link, inner);
    if (joint->type == ARM_JOINT_T && is_between && geometry->sigma[j])
      regroup_oblique(geometry->axis[j], link);
    judge(model, geometry, j, reason);
    for (int k = 0; k < P; k++)
      if (reason[k] != ARM_BASE_KEPT)
        link[k] = 0;
  }
}

void arm_base_close(ArmBaseWork *work) {
  ArmBase *base = work->base;
  for (size_t j = 0; j < base->n; j++) {
    ArmBaseReason reason[P];
    judge(work->model, &base->geometry, j, reason);
    for (size_t k = 0; k < P; k++)
      base->column[P * j + k].reason = reason[k];
  }
  for (size_t c = 0; c < P * base->n; c++) {
    double *v = work->full + c * base->columns;
    v[c] = 1;
    arm_base_regroup(work->model, &base->geometry, v);
  }
}
