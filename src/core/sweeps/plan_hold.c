/* SPDX-License-Identifier: MIT */
/* What a hold shows of a sweep. While joint i alone moves, gravity in its frame is
 *   g = Rz(offset + q)^T gamma,   gamma by the joints inboard
 * and a column is g . w with w fixed in frame i by the joints outboard: row m of A turns the lever
 * v of what lies outboard into (v_y, -v_x, 0) . g_m (Lin 1994 (25)-(28)), a coupled motor adds the
 * rows m > i. So a column is a_0 + a_1 cos(offset + q) + a_2 sin(offset + q), from one chain. */
#include <math.h>
#include <string.h>

#include "core/arm/chain.h"
#include "core/sweeps/plan_internal.h"

void arm_plan_chain_clear(ArmPlanChain *chain) {
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
    chain->q[j] = (double)NAN;
}

static void move(const ArmModel *model, const double *at, size_t j, ArmPlanChain *chain) {
  if (chain->q[j] == at[j])
    return;
  chain->q[j] = at[j];
  arm_joint_rotation(&model->joints[j], at[j], chain->rotation[j]);
}

/* gravity in the frames inboard, from the first joint that moved on */
static void hang(const ArmPlanContext *c, const double *at, ArmPlanChain *chain) {
  size_t j = 0;
  while (j < c->joint && chain->q[j] == at[j])
    j++;
  for (; j < c->joint; j++) {
    move(c->model, at, j, chain);
    arm_mat3_tmul_vec(chain->rotation[j], j > 0 ? chain->gravity[j - 1] : c->model->gravity_m_s2,
                      chain->gravity[j]);
  }
}

/* x of frame j from that of frame j + 1 */
static void carry(const ArmPlanContext *c, const ArmPlanChain *chain, size_t j, double (*x)[3]) {
  if (j + 1 < c->model->n)
    arm_mat3_mul_vec(chain->rotation[j + 1], x[j + 1], x[j]);
  else
    memset(x[j], 0, sizeof x[j]);
}

static void load(const ArmPlanContext *c, size_t cluster, size_t j, ArmPlanChain *chain) {
  const ArmJoint *joint = &c->model->joints[j];
  const double *weight = c->weight[cluster] + 2 * j, x = c->coupling[j];
  double *v = chain->lever[cluster][j], *w = chain->pull[cluster][j];
  carry(c, chain, j, chain->lever[cluster]);
  if (joint->type == ARM_JOINT_T) {
    v[2] += (joint->offset + chain->q[j]) * weight[0];
  } else {
    v[0] += weight[0];
    v[1] += weight[1];
  }
  if (!c->model->has_coupling)
    return;
  carry(c, chain, j, chain->pull[cluster]);
  if (joint->type == ARM_JOINT_T) {
    w[2] -= x * weight[0];
  } else {
    w[0] += x * v[1];
    w[1] -= x * v[0];
  }
}

/* levers of the clusters, from the last joint that moved inward */
static void reach(const ArmPlanContext *c, const double *at, ArmPlanChain *chain) {
  size_t j = c->model->n;
  while (j > c->joint + 1 && chain->q[j - 1] == at[j - 1])
    j--;
  while (j-- > c->joint + 1) {
    move(c->model, at, j, chain);
    for (size_t s = 0; s + c->own < c->columns; s++)
      load(c, s, j, chain);
  }
}

/* w of one column in the joint's frame */
static void column(const ArmPlanContext *c, const ArmPlanChain *chain, size_t k, double w[3]) {
  static const double own_R[2][3] = {{0, -1, 0}, {1, 0, 0}}, own_T[3] = {0, 0, -1};
  const size_t next = c->joint + 1;
  const bool is_rotational = c->model->joints[c->joint].type == ARM_JOINT_R;
  double v[3];
  if (k < c->own) {
    memcpy(w, is_rotational ? own_R[k] : own_T, 3 * sizeof *w);
    return;
  }
  memset(w, 0, 3 * sizeof *w);
  if (c->model->has_coupling)
    arm_mat3_mul_vec(chain->rotation[next], chain->pull[k - c->own][next], w);
  if (!is_rotational)
    return;
  arm_mat3_mul_vec(chain->rotation[next], chain->lever[k - c->own][next], v);
  w[0] += v[1];
  w[1] -= v[0];
}

void arm_plan_hold_columns(const ArmPlanContext *c, const double *at, ArmPlanChain *chain,
                           double (*a)[3]) {
  const ArmJoint *joint = &c->model->joints[c->joint];
  double gamma[3], w[3];
  hang(c, at, chain);
  reach(c, at, chain);
  arm_mat3_tmul_vec(joint->rotation,
                    c->joint > 0 ? chain->gravity[c->joint - 1] : c->model->gravity_m_s2, gamma);
  for (size_t k = 0; k < c->columns; k++) {
    column(c, chain, k, w);
    const double cosine = gamma[0] * w[0] + gamma[1] * w[1], along = gamma[2] * w[2];
    if (joint->type == ARM_JOINT_T) {
      a[k][0] = cosine + along;
      a[k][1] = a[k][2] = 0.0;
    } else {
      a[k][0] = along;
      a[k][1] = cosine;
      a[k][2] = gamma[1] * w[0] - gamma[0] * w[1];
    }
  }
}
