/* SPDX-License-Identifier: MIT */
/* One pass outward from the joint: the horizontal lever is turned from frame to frame and leaves a
 * weight at every outboard parameter, O(n) a row. Coupled rows are sums of uncoupled ones. Numbers
 * in brackets: Lin 1994. */
#include "core/arm/gravity.h"

#include <math.h>
#include <string.h>

#include "core/arm/chain.h"

#define PI_2 1.57079632679489661923

/* gravity in the frames from joint `first` on */
static void chain_hang(const ArmModel *model, size_t first, ArmGravityChain *chain) {
  const double *g = first > 0 ? chain->g[first - 1] : model->gravity_m_s2;
  for (size_t i = first; i < model->n; i++) {
    arm_mat3_tmul_vec(chain->rotation[i], g, chain->g[i]);
    g = chain->g[i];
  }
}

/* The joint has not moved. +0 and -0 have sines of their own. */
static bool is_same(double a, double b) {
  return a == b && !signbit(a) == !signbit(b);
}

void arm_gravity_chain(const ArmModel *model, const double *q, const ArmGravityChain *before,
                       ArmGravityChain *chain) {
  size_t first = model->n; /* that moved */
  for (size_t i = model->n; i-- > 0;) {
    if (before && is_same(before->q[i], q[i])) {
      if (before != chain)
        memcpy(chain->rotation[i], before->rotation[i], sizeof chain->rotation[i]);
    } else {
      arm_joint_rotation(&model->joints[i], q[i], chain->rotation[i]);
      first = i;
    }
  }
  if (before && before != chain)
    memcpy(chain->g, before->g, first * sizeof *chain->g);
  memmove(chain->q, q, model->n * sizeof *q);
  chain_hang(model, first, chain);
}

void arm_gravity_chain_forget(ArmGravityChain *chain) {
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++)
    chain->q[i] = (double)NAN; /* which equals nothing */
}

/* row += h {}_m^jR [e_x e_y] resp. d_j h {}_m^jR e_z for j >= m; h is consumed */
static void lever_accumulate(const ArmModel *model, const ArmGravityChain *chain, size_t m,
                             double h[3], double *row) {
  row[2 * m] += h[0];
  row[2 * m + 1] += h[1];
  for (size_t j = m + 1; j < model->n; j++) {
    double next[3];
    arm_mat3_tmul_vec(chain->rotation[j], h, next);
    memcpy(h, next, sizeof next);
    if (model->joints[j].type == ARM_JOINT_T) {
      row[2 * j] += (model->joints[j].offset + chain->q[j]) * h[2];
    } else {
      row[2 * j] += h[0];
      row[2 * j + 1] += h[1];
    }
  }
}

/* row += weight * row m of the uncoupled A */
static void row_accumulate(const ArmModel *model, const ArmGravityChain *chain, size_t m,
                           double weight, double *row) {
  const double *g = chain->g[m];
  double gperp[3] = {-weight * g[1], weight * g[0], 0.0};
  if (model->joints[m].type == ARM_JOINT_T)
    row[2 * m] -= weight * g[2];
  else
    lever_accumulate(model, chain, m, gperp, row);
}

void arm_gravity_lever(const ArmModel *model, const double *q, size_t joint, int axis,
                       double *row) {
  ArmGravityChain chain;
  double h[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, 0.0};
  arm_gravity_chain(model, q, NULL, &chain);
  memset(row, 0, 2 * model->n * sizeof *row);
  lever_accumulate(model, &chain, joint, h, row);
}

void arm_gravity_coupling(const ArmModel *model, size_t joint, double *x) {
  memset(x, 0, model->n * sizeof *x);
  x[joint] = 1.0;
  for (size_t m = joint + 1; model->has_coupling && m < model->n; m++)
    for (size_t k = joint; k < m; k++)
      x[m] -= model->coupling[m][k] * x[k];
}

void arm_gravity_chain_row(const ArmModel *model, const ArmGravityChain *chain, size_t joint,
                           double *row) {
  memset(row, 0, 2 * model->n * sizeof *row);
  if (!model->has_coupling) {
    row_accumulate(model, chain, joint, 1.0, row);
    return;
  }
  double x[ARM_MAX_JOINTS];
  arm_gravity_coupling(model, joint, x);
  for (size_t m = joint; m < model->n; m++)
    if (x[m] != 0.0)
      row_accumulate(model, chain, m, x[m], row);
}

void arm_gravity_row(const ArmModel *model, const double *q, size_t joint, double *row) {
  ArmGravityChain chain;
  arm_gravity_chain(model, q, NULL, &chain);
  arm_gravity_chain_row(model, &chain, joint, row);
}

/* the same chain with another position of one joint */
static void turn(const ArmModel *model, size_t joint, double to, ArmGravityChain *chain) {
  chain->q[joint] = to;
  arm_joint_rotation(&model->joints[joint], to, chain->rotation[joint]);
  chain_hang(model, joint, chain);
}

void arm_gravity_row_of_hold(const ArmModel *model, const double *at, size_t joint, double *one,
                             double *cosine, double *sine) {
  double q[ARM_MAX_JOINTS], at_180[2 * ARM_MAX_JOINTS];
  const double quarter = model->joints[joint].type == ARM_JOINT_R ? PI_2 : 0.0;
  ArmGravityChain chain;
  memcpy(q, at, model->n * sizeof *q);
  q[joint] = 0.0;
  arm_gravity_chain(model, q, NULL, &chain);
  arm_gravity_chain_row(model, &chain, joint, cosine);
  turn(model, joint, quarter, &chain);
  arm_gravity_chain_row(model, &chain, joint, sine);
  turn(model, joint, 2.0 * quarter, &chain);
  arm_gravity_chain_row(model, &chain, joint, at_180);
  for (size_t c = 0; c < 2 * model->n; c++) {
    const double at_0 = cosine[c];
    one[c] = 0.5 * (at_0 + at_180[c]);
    cosine[c] = 0.5 * (at_0 - at_180[c]);
    sine[c] -= one[c];
  }
}

/* first moment of the body outboard of joint i+1 that stays constant in frame i: (14) */
static void constant_moment(const ArmJoint *outer, const double k_outer[3], double mhat_outer,
                            double k[3]) {
  const double fixed[3] = {0.0, 0.0, k_outer[2]};
  double turned[3];
  arm_mat3_mul_vec(outer->rotation, outer->type == ARM_JOINT_R ? fixed : k_outer, turned);
  for (int a = 0; a < 3; a++)
    k[a] += mhat_outer * outer->translation[a] + turned[a];
}

void arm_gravity_constants(const ArmModel *model, double *k, double *mhat) {
  for (size_t i = model->n; i-- > 0;) {
    const ArmLink *link = &model->joints[i].link;
    const double mass = link->is_present ? link->mass_kg : 0.0;
    mhat[i] = mass;
    for (int a = 0; a < 3; a++)
      k[3 * i + (size_t)a] = link->is_present ? mass * link->com_m[a] : 0.0;
    if (i + 1 < model->n) {
      constant_moment(&model->joints[i + 1], &k[3 * (i + 1)], mhat[i + 1], &k[3 * i]);
      mhat[i] += mhat[i + 1];
    }
  }
}

void arm_gravity_nominal(const ArmModel *model, double *w) {
  double k[3 * ARM_MAX_JOINTS], mhat[ARM_MAX_JOINTS];
  arm_gravity_constants(model, k, mhat);
  for (size_t i = 0; i < model->n; i++) {
    const bool is_translational = model->joints[i].type == ARM_JOINT_T;
    w[2 * i] = is_translational ? mhat[i] : k[3 * i];
    w[2 * i + 1] = is_translational ? 0.0 : k[3 * i + 1];
  }
}
