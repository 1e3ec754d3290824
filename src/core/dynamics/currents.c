/* SPDX-License-Identifier: MIT */
/* A set as arrays that predictions run through: of each joint which parameters its current leans
 * on, and their part of the covariance. */
#include "core/dynamics/currents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/currents_internal.h"

static const ArmParamKind kind_of_own[OWN] = {[ARM_DYN_COULOMB_POS] = ARM_PARAM_COULOMB_POS,
                                              [ARM_DYN_VISCOUS_POS] = ARM_PARAM_VISCOUS_POS,
                                              [ARM_DYN_COULOMB_NEG] = ARM_PARAM_COULOMB_NEG,
                                              [ARM_DYN_VISCOUS_NEG] = ARM_PARAM_VISCOUS_NEG,
                                              [ARM_DYN_ROTOR] = ARM_PARAM_ROTOR,
                                              [OWN_LOAD] = ARM_PARAM_LOAD,
                                              [OWN_CURVE] = ARM_PARAM_CURVE,
                                              [OWN_WEIGHT] = ARM_PARAM_ROTOR_WEIGHT,
                                              [OWN_ETA] = ARM_PARAM_ETA};

static ArmParamId own_id(size_t joint, size_t own) {
  return (ArmParamId){kind_of_own[own], (unsigned char)joint, 0};
}

/* ---- what is known ---- */

/* What is not told for want of a scale or of a ratio between joints is no matter of currents: eta
 * and base parameters make up for each other, as far as the covariance says. Nor is a rotor that
 * base parameters hold, nor friction that holds it, too: its weight is. */
static bool is_open(const ArmParamSet *set, size_t k) {
  const ArmEstimate *e = &set->estimate[k];
  if (e->reason == ARM_REASON_ROTOR_NOT_KNOWN)
    return set->param[k].id.kind == ARM_PARAM_ROTOR_WEIGHT;
  if (e->identifiable || set->param[k].id.kind == ARM_PARAM_ETA ||
      e->reason == ARM_REASON_SCALE_NOT_STATED || e->reason == ARM_REASON_REGROUPED)
    return false;
  return e->reason != ARM_REASON_NONE || arm_param_set_row(set, k) == ARM_PARAM_NONE;
}

/* ---- base parameters ---- */

static bool is_base(const ArmParamSet *set, size_t k) {
  return set->param[k].id.kind == ARM_PARAM_BASE;
}

/* Ids count the ten as the catalogue does: in the order of Gautier and Khalil. */
static size_t column_of(ArmParamId id) {
  return ARM_INERTIA_PARAMETERS * id.i + arm_inertia_place(ARM_INERTIA_ORDER_GAUTIER_KHALIL, id.j);
}

/* In kg m^2, kg m, kg: not in the amperes of a joint whose torque constant is not stated. */
static bool is_in_si(const ArmParamSet *set, size_t k) {
  const ArmParamKind kind = (ArmParamKind)(ARM_PARAM_XX + set->param[k].id.j);
  const ArmJointType type = set->type[set->param[k].id.i];
  const char *unit = arm_param_unit_of(arm_param_info(kind)->quantity, type, false, type, false);
  return strcmp(arm_param_set_unit(set, k), unit) == 0;
}

static ArmStatus take_base(const ArmParamSet *set, ArmCurrents *c) {
  for (size_t k = 0; k < set->n; k++)
    c->count += is_base(set, k);
  c->column = calloc(c->count + 1, sizeof *c->column);
  c->beta = calloc(c->count + 1, sizeof *c->beta);
  c->is_open = calloc(c->count + 1, sizeof *c->is_open);
  c->is_told = calloc(c->count + 1, sizeof *c->is_told);
  c->reason = calloc(c->count + 1, sizeof *c->reason);
  if (!c->column || !c->beta || !c->is_open || !c->is_told || !c->reason)
    return ARM_E_MEMORY;
  for (size_t k = 0, b = 0; k < set->n; k++) {
    if (!is_base(set, k))
      continue;
    c->column[b] = column_of(set->param[k].id);
    c->beta[b] = set->estimate[k].used;
    c->is_open[b] = is_open(set, k);
    c->is_told[b] = set->estimate[k].identifiable && is_in_si(set, k);
    c->reason[b] =
        set->estimate[k].identifiable ? ARM_REASON_SCALE_NOT_STATED : set->estimate[k].reason;
    if (!isfinite(c->beta[b++]))
      return ARM_E_NOT_FINITE;
  }
  return ARM_OK;
}

/* ---- a joint's own ---- */

static double constant(const ArmParamSet *set, ArmParamKind kind, size_t joint, double without) {
  const ArmEstimate *e = arm_param_set_at(set, (ArmParamId){kind, (unsigned char)joint, 0});
  return e ? e->value : without;
}

static bool has(const ArmParamSet *set, size_t joint, size_t own) {
  return arm_param_set_at(set, own_id(joint, own)) != NULL;
}

static bool has_rotor_of_its_own(const ArmParamSet *set, size_t joint) {
  const ArmEstimate *e = arm_param_set_at(set, own_id(joint, ARM_DYN_ROTOR));
  return e && e->reason != ARM_REASON_REGROUPED;
}

/* A drive whose rotor is not there is not asked for it; eta of a torque is 1. */
static ArmStatus take_own(const ArmParamSet *set, size_t j, JointCurrents *joint) {
  *joint = (JointCurrents){.has_rows = set->joint[j].rows_used > 0,
                           .has_load = has(set, j, OWN_LOAD),
                           .has_curve = has(set, j, OWN_CURVE),
                           .has_rotor = has_rotor_of_its_own(set, j),
                           .sign = constant(set, ARM_PARAM_FRICTION_SIGN, j, 1),
                           .curve_speed = constant(set, ARM_PARAM_CURVE_SPEED, j, 1),
                           .noise_sd = set->joint[j].residual_sd};
  joint->own[OWN_ETA] = 1;
  joint->load_seen[0] = constant(set, ARM_PARAM_SEEN_LEAST, j, 0);
  joint->load_seen[1] = constant(set, ARM_PARAM_SEEN_MOST, j, (double)INFINITY);
  for (size_t own = 0; own < OWN; own++) {
    const size_t k = arm_param_set_find(set, own_id(j, own));
    if (k == ARM_PARAM_NONE)
      continue;
    joint->own[own] = set->estimate[k].used;
    joint->is_open[own] = is_open(set, k);
    if (!isfinite(joint->own[own]))
      return ARM_E_NOT_FINITE;
  }
  const ArmEstimate *forth = arm_param_set_at(set, own_id(j, ARM_DYN_COULOMB_POS));
  const ArmEstimate *back = arm_param_set_at(set, own_id(j, ARM_DYN_COULOMB_NEG));
  joint->is_coulomb_known = forth && back && forth->identifiable && back->identifiable;
  return ARM_OK;
}

/* ---- the covariance ---- */

static size_t entry_of_base(const ArmCurrents *c, const JointCurrents *joint, size_t column) {
  for (size_t e = 0; e < joint->felt; e++)
    if (c->column[joint->base[e]] == column)
      return e;
  return ARM_PARAM_NONE;
}

/* Where parameter k stands in the gradient of joint j; ARM_PARAM_NONE: nowhere. */
static size_t entry_of(const ArmCurrents *c, size_t j, const ArmParam *param) {
  if (param->id.kind == ARM_PARAM_BASE)
    return entry_of_base(c, &c->joint[j], column_of(param->id));
  for (size_t own = 0; own < OWN; own++)
    if (param->id.kind == kind_of_own[own] && param->id.i == j)
      return c->joint[j].felt + own;
  return ARM_PARAM_NONE;
}

static ArmStatus take_covariance(const ArmParamSet *set, const ArmCurrents *c, size_t j,
                                 JointCurrents *joint) {
  const size_t most = joint->felt + OWN;
  size_t *place = calloc(most, sizeof *place);
  joint->entry = calloc(most, sizeof *joint->entry);
  joint->lower = calloc(most * (most + 1) / 2, sizeof *joint->lower);
  if (!place || !joint->entry || !joint->lower) {
    free(place);
    return ARM_E_MEMORY;
  }
  for (size_t k = 0; k < set->n_covered && joint->covered < most; k++) {
    const size_t entry = entry_of(c, j, &set->param[set->covered[k]]);
    if (entry == ARM_PARAM_NONE)
      continue;
    place[joint->covered] = k;
    joint->entry[joint->covered++] = entry;
  }
  for (size_t a = 0, at = 0; a < joint->covered; a++)
    for (size_t b = 0; b <= a; b++)
      joint->lower[at++] = set->covariance[place[a] + place[b] * set->n_covered];
  free(place);
  return ARM_OK;
}

/* ---- all ---- */

static ArmStatus take_joint(const ArmParamSet *set, ArmCurrents *c, size_t j) {
  JointCurrents *joint = &c->joint[j];
  const ArmStatus status = take_own(set, j, joint);
  if (status != ARM_OK)
    return status;
  joint->base = calloc(c->count + 1, sizeof *joint->base);
  if (!joint->base)
    return ARM_E_MEMORY;
  for (size_t b = 0; b < c->count; b++)
    if (c->column[b] / ARM_INERTIA_PARAMETERS >= j)
      joint->base[joint->felt++] = b;
  return take_covariance(set, c, j, joint);
}

static ArmStatus allocate(ArmCurrents *c) {
  const size_t n = c->n, chunk = CURRENTS_CHUNK;
  c->y = calloc(chunk * ARM_INERTIA_PARAMETERS * n * n, sizeof *c->y);
  c->state = calloc(chunk * 3 * n, sizeof *c->state);
  c->drive = calloc(chunk * 2 * n, sizeof *c->drive);
  c->gradient = calloc(chunk * (c->count + OWN), sizeof *c->gradient);
  c->is_finite = calloc(chunk, sizeof *c->is_finite);
  c->torque = calloc(chunk, sizeof *c->torque);
  c->reach = calloc(chunk, sizeof *c->reach);
  c->sum = calloc(chunk, sizeof *c->sum);
  c->partial = calloc(chunk, sizeof *c->partial);
  return c->y && c->state && c->drive && c->gradient && c->is_finite && c->torque && c->reach &&
                 c->sum && c->partial
             ? ARM_OK
             : ARM_E_MEMORY;
}

static bool is_same_arm(const ArmModel *model, const ArmParamSet *set) {
  bool is_same = model->n == set->n_joints;
  for (size_t j = 0; is_same && j < model->n; j++)
    is_same = model->joints[j].type == set->type[j];
  return is_same;
}

ArmStatus arm_currents_new(const ArmModel *model, const ArmParamSet *set, ArmCurrents **currents) {
  if (!is_same_arm(model, set))
    return ARM_E_ARGUMENT;
  ArmCurrents *c = calloc(1, sizeof *c);
  if (!c)
    return ARM_E_MEMORY;
  c->model = *model;
  c->n = model->n;
  ArmStatus status = arm_dyn_init(&c->dyn, model);
  if (status == ARM_OK)
    status = take_base(set, c);
  for (size_t j = 0; j < c->n && status == ARM_OK; j++)
    status = take_joint(set, c, j);
  if (status == ARM_OK)
    status = allocate(c);
  if (status == ARM_OK)
    *currents = c;
  else
    arm_currents_free(c);
  return status;
}

void arm_currents_free(ArmCurrents *currents) {
  if (!currents)
    return;
  for (size_t j = 0; j < currents->n; j++) {
    free(currents->joint[j].base);
    free(currents->joint[j].entry);
    free(currents->joint[j].lower);
  }
  free(currents->column);
  free(currents->beta);
  free(currents->is_open);
  free(currents->is_told);
  free(currents->reason);
  free(currents->y);
  free(currents->state);
  free(currents->drive);
  free(currents->gradient);
  free(currents->is_finite);
  free(currents->torque);
  free(currents->reach);
  free(currents->sum);
  free(currents->partial);
  free(currents);
}

void arm_currents_set_noise(ArmCurrents *currents, size_t joint, double sd) {
  currents->joint[joint].noise_sd = sd;
}

bool arm_currents_lacks_torque(const ArmCurrents *currents, size_t joint, ArmReason *why) {
  *why = currents->joint[joint].why_no_torque;
  return currents->joint[joint].lacks_torque;
}

bool arm_currents_has_rotor(const ArmCurrents *currents, size_t joint) {
  return currents->joint[joint].has_rotor;
}

bool arm_currents_was_beyond(const ArmCurrents *currents, size_t joint) {
  return currents->joint[joint].was_beyond;
}
