/* SPDX-License-Identifier: MIT */
/* What a simulated arm is where nobody says otherwise, and what cannot be simulated at all. The
 * servo's inertias are parts of the smallest true one, by a deterministic sample of poses, as
 * (34)-(36) of Lin 1994 are stable only within a range of that ratio. */
#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "core/plant/plant_internal.h"

enum { POSES = 200 }; /* as the structure's */

static const double pi = 3.14159265358979323846;

static double random_position(uint64_t *random, const ArmJoint *joint) {
  const double reach = joint->type == ARM_JOINT_R ? pi : 0.5;
  const double low = isfinite(joint->limits.q_min) ? joint->limits.q_min : -reach;
  const double high = isfinite(joint->limits.q_max) ? joint->limits.q_max : reach;
  return arm_random_uniform(random, low, high);
}

void arm_plant_inertia_range(const ArmModel *model, const ArmDyn *dyn, double *least,
                             double *most) {
  const size_t n = model->n;
  double parameters[10 * N], rotor[N * N], mass[N * N], q[N];
  uint64_t random = 1;
  (void)arm_inertia_nominal(model, parameters);
  (void)arm_dyn_rotor(model, rotor);
  for (size_t pose = 0; pose < POSES; pose++) {
    for (size_t i = 0; i < n; i++)
      q[i] = random_position(&random, &model->joints[i]);
    arm_dyn_mass(dyn, parameters, q, mass);
    for (size_t i = 0; i < n; i++) {
      const double inertia = mass[i + n * i] + rotor[i + n * i];
      least[i] = pose == 0 ? inertia : fmin(least[i], inertia);
      most[i] = pose == 0 ? inertia : fmax(most[i], inertia);
    }
  }
}

/* Friction, lag and encoder are those of the closed-loop experiment of the Armature theory notes,
 * gravity, section 8, as are the sub-step, the sample time and the gains. Mechanical stops lie a
 * little beyond the limits that a controller keeps. T joints have the bristles and Stribeck speed
 * of an R joint at a lever of 0.1 m. */
static void joint_default(const ArmJoint *joint, double eta, double inertia, double rho,
                          ArmPlantJoint *out) {
  const bool is_rotational = joint->type == ARM_JOINT_R;
  const double beyond = is_rotational ? 0.05 : 0.005, lever = is_rotational ? 1 : 0.1;
  const ArmLimits *limits = &joint->limits;
  *out = (ArmPlantJoint){
      .eta = eta,
      .break_away = 0.25,
      .stribeck_speed = 0.02 * lever,
      .bristle = 1.5e-4 * lever,
      .lag_s = 5e-4,
      .current_max = isfinite(limits->current_max) ? limits->current_max : (double)INFINITY,
      .encoder = 2 * pi / (1000 * joint->motors[0].gear_ratio),
      .inertia = fabs(eta) * inertia,
      .servo_inertia = rho * fabs(eta) * inertia,
      .servo_rho = rho,
      .position_scale = 1,
      .stop_low = isfinite(limits->q_min) ? limits->q_min - beyond : -(double)INFINITY,
      .stop_high = isfinite(limits->q_max) ? limits->q_max + beyond : (double)INFINITY};
}

ArmStatus arm_plant_config_default(ArmPlantConfig *config, const ArmModel *model, double rho,
                                   uint64_t seed) {
  ArmDyn dyn;
  double least[N], most[N], eta[N], unused;
  const ArmStatus status = arm_dyn_init(&dyn, model);
  if (status != ARM_OK)
    return status;
  arm_plant_inertia_range(model, &dyn, least, most);
  for (size_t i = 0; i < model->n; i++)
    if (!model->joints[i].link.is_present || !arm_model_nominal_eta(model, i, &eta[i], &unused) ||
        !(fabs(eta[i]) * least[i] * rho > 0))
      return ARM_E_ARGUMENT;
  memset(config, 0, sizeof *config);
  config->kind = ARM_PLANT_RIGID;
  config->model = *model;
  config->substep_s = 1e-4;
  config->servo_s = 0.01;
  config->kp = 100;
  config->kd = 20;
  config->seed = seed;
  for (size_t i = 0; i < model->n; i++)
    joint_default(&model->joints[i], eta[i], least[i], rho, &config->joints[i]);
  return ARM_OK;
}

/* ---- what is refused ---- */

static bool is_nan(const ArmPlantJoint *joint) {
  return isnan(joint->current_max) || isnan(joint->stop_low) || isnan(joint->stop_high);
}

static bool is_finite(const ArmPlantJoint *joint) {
  const double values[] = {joint->eta,           joint->coulomb_pos, joint->viscous_pos,
                           joint->coulomb_neg,   joint->viscous_neg, joint->break_away,
                           joint->bristle,       joint->lag_s,       joint->stribeck_speed,
                           joint->encoder,       joint->noise_sd,    joint->inertia,
                           joint->servo_inertia, joint->servo_rho,   joint->position_scale};
  for (size_t k = 0; k < sizeof values / sizeof *values; k++)
    if (!isfinite(values[k]))
      return false;
  return !is_nan(joint);
}

/* Friction must brake: for eta < 0 its current has the other sign. */
static bool brakes(const ArmPlantJoint *joint) {
  const double sign = joint->eta > 0 ? 1 : -1;
  return sign * joint->coulomb_pos >= 0 && sign * joint->viscous_pos >= 0 &&
         sign * joint->coulomb_neg <= 0 && sign * joint->viscous_neg >= 0;
}

static bool is_possible(const ArmPlantJoint *joint, ArmPlantKind kind) {
  return joint->eta != 0 && brakes(joint) && joint->break_away >= 0 && joint->stribeck_speed > 0 &&
         joint->bristle >= 0 && joint->lag_s >= 0 && joint->current_max > 0 &&
         joint->encoder >= 0 && joint->noise_sd >= 0 &&
         (joint->inertia > 0 || kind == ARM_PLANT_RIGID) && joint->servo_inertia > 0 &&
         joint->servo_rho >= 0 && joint->position_scale > 0 && joint->stop_low <= joint->stop_high;
}

/* 1e-6: what decimal numbers of a file make of a whole ratio. */
static bool is_timed(const ArmPlantConfig *config) {
  const double steps = config->servo_s / config->substep_s;
  return config->substep_s > 0 && steps >= 0.5 && steps < 1e6 &&
         fabs(steps - round(steps)) <= 1e-6 * steps && config->kp >= 0 && config->kd > 0;
}

ArmStatus arm_plant_config_check(const ArmPlantConfig *config) {
  const ArmModel *model = &config->model;
  if (config->kind != ARM_PLANT_RIGID && config->kind != ARM_PLANT_DIAGONAL)
    return ARM_E_ARGUMENT;
  if (model->n == 0 || model->n > ARM_MAX_JOINTS)
    return ARM_E_ARGUMENT;
  if (!isfinite(config->substep_s) || !isfinite(config->servo_s) || !isfinite(config->kp) ||
      !isfinite(config->kd))
    return ARM_E_NOT_FINITE;
  if (!is_timed(config))
    return ARM_E_ARGUMENT;
  for (size_t i = 0; i < model->n; i++) {
    if (!is_finite(&config->joints[i]))
      return ARM_E_NOT_FINITE;
    if (!is_possible(&config->joints[i], config->kind))
      return ARM_E_ARGUMENT;
    for (size_t j = 0; model->has_coupling && j < i; j++)
      if (!isfinite(model->coupling[i][j]))
        return ARM_E_NOT_FINITE;
  }
  return ARM_OK;
}
