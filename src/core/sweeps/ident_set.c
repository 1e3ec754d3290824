/* SPDX-License-Identifier: MIT */
/* The gravity method's parameters as a set, and back: the only place where its kinds are assigned
 * to its own struct. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/ident.h"

static const ArmMethodParam found[] = {
    {ARM_PARAM_KX, false},          {ARM_PARAM_KY, false},           {ARM_PARAM_MHAT, false},
    {ARM_PARAM_COULOMB_POS, false}, {ARM_PARAM_VISCOUS_POS, false},  {ARM_PARAM_COULOMB_NEG, false},
    {ARM_PARAM_VISCOUS_NEG, false}, {ARM_PARAM_ACCELERATION, true},  {ARM_PARAM_LOAD, true},
    {ARM_PARAM_SEEN_LEAST, true},   {ARM_PARAM_SEEN_MOST, true},     {ARM_PARAM_CURVE, true},
    {ARM_PARAM_CURVE_SPEED, true},  {ARM_PARAM_FRICTION_SIGN, true}, {ARM_PARAM_RATIO, false},
};

enum { MOST_OF_JOINT = 14 }; /* without ratios */

const ArmMethod *arm_gravity_method(void) {
  static const ArmMethod method = {"gravity", sizeof found / sizeof found[0], found, true, false};
  return &method;
}

ArmEstimate *arm_gravity_parameters_at(ArmGravityParameters *parameters, ArmParamId id) {
  ArmJointFit *joint = &parameters->joint[id.i];
  if (id.kind == ARM_PARAM_RATIO)
    return &parameters->ratio[id.i][id.j];
  if (id.kind == ARM_PARAM_LOAD || id.kind == ARM_PARAM_CURVE)
    return &joint->term[id.kind - ARM_PARAM_LOAD];
  if (id.kind == ARM_PARAM_ACCELERATION)
    return &joint->acceleration;
  if (id.kind >= ARM_PARAM_COULOMB_POS && id.kind <= ARM_PARAM_VISCOUS_NEG)
    return &joint->friction[id.kind - ARM_PARAM_COULOMB_POS];
  return id.kind <= ARM_PARAM_MHAT ? &joint->w[id.kind == ARM_PARAM_KY] : NULL;
}

/* ---- to a set ---- */

static bool is_pair(const ArmGravityParameters *p, size_t i, size_t j) {
  return p->cluster[i] >= 0 && p->cluster[i] == p->cluster[j];
}

static void add(ArmParamSet *set, ArmParamKind kind, size_t i, size_t j, const ArmEstimate *e) {
  ArmEstimate *place = arm_param_set_add_id(set, kind, i, j);
  if (place)
    *place = *e;
}

static void add_constant(ArmParamSet *set, ArmParamKind kind, size_t i, double value) {
  const ArmEstimate exact = {value, 0.0, value, true, ARM_REASON_NONE};
  add(set, kind, i, 0, &exact);
}

static void add_terms(ArmParamSet *set, const ArmJointFit *joint, size_t i) {
  const bool has_load = joint->has_term[ARM_TERM_LOAD], has_curve = joint->has_term[ARM_TERM_CURVE];
  if (has_load) {
    add(set, ARM_PARAM_LOAD, i, 0, &joint->term[ARM_TERM_LOAD]);
    add_constant(set, ARM_PARAM_SEEN_LEAST, i, joint->load_seen[0]);
    add_constant(set, ARM_PARAM_SEEN_MOST, i, joint->load_seen[1]);
  }
  if (has_curve) {
    add(set, ARM_PARAM_CURVE, i, 0, &joint->term[ARM_TERM_CURVE]);
    add_constant(set, ARM_PARAM_CURVE_SPEED, i, joint->curve_speed);
  }
  if (has_load || has_curve)
    add_constant(set, ARM_PARAM_FRICTION_SIGN, i, joint->term_sign);
}

static void add_joint(ArmParamSet *set, const ArmGravityParameters *p, size_t i) {
  const ArmJointFit *joint = &p->joint[i];
  if (p->type[i] == ARM_JOINT_T) {
    add(set, ARM_PARAM_MHAT, i, 0, &joint->w[0]);
  } else {
    add(set, ARM_PARAM_KX, i, 0, &joint->w[0]);
    add(set, ARM_PARAM_KY, i, 0, &joint->w[1]);
  }
  for (int f = 0; f < 4; f++)
    add(set, (ArmParamKind)(ARM_PARAM_COULOMB_POS + f), i, 0, &joint->friction[f]);
  if (joint->has_acceleration)
    add(set, ARM_PARAM_ACCELERATION, i, 0, &joint->acceleration);
  add_terms(set, joint, i);
}

static ArmJointStatistics statistics_of(const ArmJointFit *joint) {
  ArmJointStatistics s = {.rows_used = joint->rows_used,
                          .columns = joint->columns,
                          .rank = joint->rank,
                          .cond_raw = joint->cond_raw,
                          .cond_equilibrated = joint->cond_equilibrated,
                          .cond_centred = joint->cond_centred,
                          .residual_sd = joint->residual_sd,
                          .r2 = joint->r2,
                          .max_abs = joint->max_abs,
                          .lag1 = joint->lag1,
                          .widening = joint->widening};
  memcpy(s.rows_by_use, joint->rows_by_use, sizeof s.rows_by_use);
  return s;
}

static ArmStatus copy_covariance(ArmParamSet *set, const ArmGravityParameters *p) {
  for (size_t k = 0; k < p->n_ids; k++)
    if (!arm_param_set_cover(set, arm_param_set_find(set, p->ids[k])))
      return ARM_E_ARGUMENT;
  if (p->n_ids > 0)
    memcpy(set->covariance, p->covariance, p->n_ids * p->n_ids * sizeof *p->covariance);
  return ARM_OK;
}

ArmStatus arm_gravity_set(const ArmGravityParameters *p, const bool *is_torque,
                          bool wants_covariance, ArmParamSet *set) {
  const ArmParamRoom room = {.params = MOST_OF_JOINT * p->n + p->n * (p->n - 1) / 2,
                             .covered = wants_covariance ? p->n_ids : 0};
  ArmParamSet made;
  ArmStatus status = arm_param_set_init(&made, p->n, &room);
  if (status != ARM_OK)
    return status;
  made.n_groups = p->n_clusters;
  for (size_t i = 0; i < p->n; i++) {
    made.type[i] = p->type[i];
    made.is_torque[i] = is_torque && is_torque[i];
    made.group[i] = p->cluster[i];
    made.joint[i] = statistics_of(&p->joint[i]);
    add_joint(&made, p, i);
  }
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = i + 1; j < p->n; j++)
      if (is_pair(p, i, j))
        add(&made, ARM_PARAM_RATIO, i, j, &p->ratio[i][j]);
  if (wants_covariance)
    status = copy_covariance(&made, p);
  if (status == ARM_OK)
    *set = made;
  else
    arm_param_set_clear(&made);
  return status;
}

/* ---- from a set ---- */

static void take_statistics(ArmJointFit *joint, const ArmJointStatistics *s) {
  joint->rows_used = s->rows_used;
  memcpy(joint->rows_by_use, s->rows_by_use, sizeof joint->rows_by_use);
  joint->columns = s->columns;
  joint->rank = s->rank;
  joint->cond_raw = s->cond_raw;
  joint->cond_equilibrated = s->cond_equilibrated;
  joint->cond_centred = s->cond_centred;
  joint->residual_sd = s->residual_sd;
  joint->r2 = s->r2;
  joint->max_abs = s->max_abs;
  joint->lag1 = s->lag1;
  joint->widening = s->widening;
}

static double value_of(const ArmParamSet *set, ArmParamKind kind, size_t i) {
  const ArmEstimate *e = arm_param_set_at(set, (ArmParamId){kind, (unsigned char)i, 0});
  return e ? e->value : 0.0;
}

static bool has(const ArmParamSet *set, ArmParamKind kind, size_t i) {
  return arm_param_set_find(set, (ArmParamId){kind, (unsigned char)i, 0}) != ARM_PARAM_NONE;
}

static void take_joint(ArmJointFit *joint, const ArmParamSet *set, size_t i) {
  take_statistics(joint, &set->joint[i]);
  joint->w[1] = joint->acceleration =
      (ArmEstimate){(double)NAN, (double)NAN, 0.0, false, ARM_REASON_NONE};
  joint->has_acceleration = has(set, ARM_PARAM_ACCELERATION, i);
  for (int t = 0; t < ARM_TERMS; t++) {
    joint->has_term[t] = has(set, arm_term_kind((ArmFrictionTerm)t), i);
    joint->term[t] = (ArmEstimate){(double)NAN, (double)NAN, 0.0, false, ARM_REASON_NONE};
  }
  joint->load_seen[0] = value_of(set, ARM_PARAM_SEEN_LEAST, i);
  joint->load_seen[1] = value_of(set, ARM_PARAM_SEEN_MOST, i);
  joint->curve_speed = value_of(set, ARM_PARAM_CURVE_SPEED, i);
  joint->term_sign = value_of(set, ARM_PARAM_FRICTION_SIGN, i);
}

static ArmStatus take_covariance(ArmGravityParameters *p, const ArmParamSet *set) {
  const size_t m = set->n_covered;
  p->ids = calloc(m + 1, sizeof *p->ids);
  p->covariance = calloc(m * m + 1, sizeof *p->covariance);
  if (!p->ids || !p->covariance)
    return ARM_E_MEMORY;
  p->n_ids = m;
  for (size_t k = 0; k < m; k++)
    p->ids[k] = set->param[set->covered[k]].id;
  memcpy(p->covariance, set->covariance, m * m * sizeof *p->covariance);
  return ARM_OK;
}

ArmStatus arm_gravity_from_set(const ArmParamSet *set, ArmGravityParameters *p) {
  p->n = set->n_joints;
  p->n_clusters = set->n_groups;
  memcpy(p->cluster, set->group, sizeof p->cluster);
  memcpy(p->type, set->type, sizeof p->type);
  for (size_t i = 0; i < p->n; i++)
    take_joint(&p->joint[i], set, i);
  for (size_t k = 0; k < set->n; k++) {
    ArmEstimate *place = arm_gravity_parameters_at(p, set->param[k].id);
    if (place)
      *place = set->estimate[k];
  }
  return take_covariance(p, set);
}
