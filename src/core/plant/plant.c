/* SPDX-License-Identifier: MIT */
/* The plant as its owner sees it: sensors, servo law, drives, blocked joints. One sub-step of the
 * mechanics is plant_step.c, what friction does to it plant_solve.c. */
#include "core/plant/plant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/plant/plant_internal.h"

#define MARGIN 3.236 /* 1 + sqrt(5), to where the servo oscillates */
#define LOAD_Z 0.1   /* [m] */

/* ---- creation ---- */

/* A^T diag|J| A */
static void diagonal_mass(const ArmPlantConfig *config, double *mass) {
  const ArmModel *model = &config->model;
  const size_t n = model->n;
  memset(mass, 0, n * n * sizeof *mass);
  for (size_t k = 0; k < n; k++) {
    double row[N] = {0};
    for (size_t i = 0; model->has_coupling && i < k; i++)
      row[i] = model->coupling[k][i];
    row[k] = 1;
    for (size_t i = 0; i <= k; i++)
      for (size_t j = 0; j <= k; j++)
        mass[i + n * j] += config->joints[k].inertia * row[i] * row[j];
  }
}

/* inertia: what the bristles' damping is critical for, in the units of the forces. */
static void set_friction(const ArmPlantJoint *joint, double force_per_A, double inertia,
                         PlantFriction *friction) {
  *friction = (PlantFriction){
      .coulomb = {joint->coulomb_pos * force_per_A, -joint->coulomb_neg * force_per_A},
      .viscous = {joint->viscous_pos * force_per_A, joint->viscous_neg * force_per_A},
      .excess = joint->break_away,
      .stribeck_speed = joint->stribeck_speed};
  const double level = 0.5 * (friction->coulomb[0] + friction->coulomb[1]);
  if (joint->bristle > 0) {
    friction->stiffness = level / joint->bristle;
    friction->damping = 2 * sqrt(friction->stiffness * inertia);
  }
}

/* (34),(35) with J_i = r M_ii, the sampling small, are T/r s^3 + s^2 + K_D s + K_P. They oscillate
 * where r < T K_P / K_D (Routh); at 1 + sqrt(5) times that, and K_P = K_D^2/4, the swing dies away
 * with K_D/4: not slower than the start-up of 4/K_D that the theory notes, section 8, leave out. */
static bool swings(const ArmPlantConfig *config, size_t i, double most) {
  const ArmPlantJoint *joint = &config->joints[i];
  return config->kind == ARM_PLANT_RIGID && joint->servo_rho > 0 &&
         joint->servo_inertia / (fabs(joint->eta) * most) <
             MARGIN * config->servo_s * config->kp / config->kd;
}

static void set_constants(ArmPlant *plant) {
  const ArmPlantConfig *config = &plant->config;
  const bool is_rigid = config->kind == ARM_PLANT_RIGID;
  double least[N], most[N];
  (void)arm_inertia_nominal(&config->model, plant->pi);
  arm_plant_inertia_range(&config->model, &plant->dyn, least, most);
  if (is_rigid)
    (void)arm_dyn_rotor(&config->model, plant->constant_mass);
  else
    diagonal_mass(config, plant->constant_mass);
  plant->servo_steps = (uint64_t)llround(config->servo_s / config->substep_s);
  for (size_t i = 0; i < plant->n; i++) {
    const ArmPlantJoint *joint = &config->joints[i];
    plant->is_by_pose[i] = swings(config, i, most[i]);
    plant->force_per_A[i] = is_rigid ? 1 / joint->eta : copysign(1, joint->eta);
    plant->lag_part[i] = joint->lag_s > 0 ? -expm1(-config->substep_s / joint->lag_s) : 1;
    set_friction(joint, plant->force_per_A[i], is_rigid ? least[i] : joint->inertia,
                 &plant->friction[i]);
  }
}

static bool has_inertia(const ArmPlant *plant) {
  const double zero[N] = {0};
  double qdd[N];
  return plant->config.kind == ARM_PLANT_DIAGONAL ||
         arm_dyn_forward(&plant->dyn, plant->pi, plant->constant_mass, zero, NULL, zero, qdd) ==
             ARM_OK;
}

ArmPlant *arm_plant_new(const ArmPlantConfig *config, ArmStatus *status) {
  const double zero[N] = {0};
  ArmDyn dyn;
  *status = arm_plant_config_check(config);
  if (*status == ARM_OK)
    *status = arm_dyn_init(&dyn, &config->model);
  if (*status != ARM_OK)
    return NULL;
  ArmPlant *plant = calloc(1, sizeof *plant);
  if (!plant) {
    *status = ARM_E_MEMORY;
    return NULL;
  }
  plant->config = *config;
  plant->n = config->model.n;
  plant->dyn = dyn;
  plant->random = config->seed;
  set_constants(plant);
  if (!has_inertia(plant)) {
    *status = ARM_E_ARGUMENT;
    free(plant);
    return NULL;
  }
  arm_plant_place(plant, zero);
  return plant;
}

void arm_plant_free(ArmPlant *plant) {
  free(plant);
}

/* ---- sensors and servo ---- */

/* Box and Muller 1958 */
static double normal(uint64_t *random) {
  const double tau = 6.283185307179586476925;
  const double radius = sqrt(-2 * log(1 - arm_random_uniform(random, 0, 1)));
  return radius * cos(tau * arm_random_uniform(random, 0, 1));
}

static double encoder(const ArmPlant *plant, size_t i) {
  const double quantum = plant->config.joints[i].encoder;
  const double q = plant->config.joints[i].position_scale * plant->q[i];
  return quantum > 0 ? quantum * floor(q / quantum + 0.5) : q;
}

/* set-points where the arm is */
static void target_here(ArmPlant *plant) {
  for (size_t i = 0; i < plant->n; i++)
    plant->target_q[i] = plant->config.joints[i].position_scale * plant->q[i];
  memset(plant->target_qd, 0, plant->n * sizeof *plant->target_qd);
}

static double measured_current(ArmPlant *plant, size_t i) {
  const double sd = plant->config.joints[i].noise_sd;
  return plant->current[i] + (sd > 0 ? sd * normal(&plant->random) : 0);
}

/* (34),(35) with the target point carried ahead by (K_D / K_P) qd_d, so that a set-point that moves
 * is followed at its own speed: V (K_P / K_D) (q_d - q) of (34) becomes v_ref. The current that
 * (35) adds to is the one after saturation, hence no wind-up. */
static double servo_current(const ArmPlant *plant, size_t i, double inertia, double acceleration) {
  const ArmPlantConfig *config = &plant->config;
  const ArmPlantJoint *joint = &config->joints[i];
  const double speed_max = config->model.joints[i].limits.speed_max;
  double v_ref =
      plant->target_qd[i] + config->kp / config->kd * (plant->target_q[i] - plant->seen.q[i]);
  if (isfinite(speed_max))
    v_ref = fmax(-1.2 * speed_max, fmin(1.2 * speed_max, v_ref)); /* V of (34), and to catch up */
  const double wanted = config->kd * (v_ref - plant->seen.qd[i]) - acceleration;
  const double current = plant->command[i] + copysign(inertia, joint->eta) * wanted;
  return fmax(-joint->current_max, fmin(joint->current_max, current));
}

/* |J_i| of (35) */
static void servo_inertias(const ArmPlant *plant, double *inertia) {
  double mass[N * N] = {0};
  bool is_any = false;
  for (size_t i = 0; i < plant->n; i++)
    is_any |= plant->is_by_pose[i];
  if (is_any)
    arm_dyn_mass(&plant->dyn, plant->pi, plant->seen.q, mass);
  for (size_t i = 0; i < plant->n; i++) {
    const ArmPlantJoint *joint = &plant->config.joints[i];
    const size_t at = i + plant->n * i;
    inertia[i] = plant->is_by_pose[i]
                     ? joint->servo_rho * fabs(joint->eta) * (mass[at] + plant->constant_mass[at])
                     : joint->servo_inertia;
  }
}

static void sample(ArmPlant *plant) {
  const double dt = plant->config.servo_s;
  double inertia[N];
  servo_inertias(plant, inertia);
  ArmPlantReading *seen = &plant->seen;
  seen->t_s = (double)plant->steps * plant->config.substep_s;
  for (size_t i = 0; i < plant->n; i++) {
    const double q = encoder(plant, i), qd = (q - seen->q[i]) / dt;
    const double acceleration = (qd - seen->qd[i]) / dt;
    seen->q[i] = q;
    seen->qd[i] = qd;
    seen->current[i] = measured_current(plant, i);
    plant->command[i] = plant->is_on ? servo_current(plant, i, inertia[i], acceleration) : 0;
  }
}

/* ---- what the owner does ---- */

void arm_plant_load(ArmPlant *plant, double mass_kg) {
  double *pi = plant->pi + 10 * (plant->n - 1); /* m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz */
  const double loaded[3] = {mass_kg, mass_kg * LOAD_Z, mass_kg * LOAD_Z * LOAD_Z};
  pi[0] += loaded[0] - plant->loaded[0];
  pi[3] += loaded[1] - plant->loaded[1];
  pi[4] += loaded[2] - plant->loaded[2];
  pi[6] += loaded[2] - plant->loaded[2];
  memcpy(plant->loaded, loaded, sizeof loaded);
}

static void rest_here(ArmPlant *plant) {
  const size_t bytes = plant->n * sizeof(double);
  memset(plant->qd, 0, bytes);
  memset(plant->qdd, 0, bytes);
  memset(plant->bristle, 0, bytes);
  memset(plant->dry, 0, bytes);
  target_here(plant);
}

void arm_plant_place(ArmPlant *plant, const double *q) {
  double force[N];
  for (size_t i = 0; i < plant->n; i++) {
    const ArmPlantJoint *joint = &plant->config.joints[i];
    const double there = isfinite(q[i]) ? q[i] / joint->position_scale : plant->q[i];
    plant->q[i] = fmax(joint->stop_low, fmin(joint->stop_high, there));
  }
  rest_here(plant);
  arm_plant_holding_force(plant, plant->q, force);
  for (size_t i = 0; i < plant->n; i++) {
    const double limit = plant->config.joints[i].current_max;
    const double holding = fmax(-limit, fmin(limit, force[i] / plant->force_per_A[i]));
    plant->current[i] = plant->command[i] = plant->is_on ? holding : 0;
    plant->seen.q[i] = encoder(plant, i);
    plant->seen.qd[i] = 0;
    plant->seen.current[i] = plant->current[i];
  }
}

void arm_plant_switch(ArmPlant *plant, bool drives_on) {
  if (plant->is_on == drives_on)
    return;
  const size_t bytes = plant->n * sizeof(double);
  plant->is_on = drives_on;
  memset(plant->current, 0, bytes);
  memset(plant->command, 0, bytes);
  target_here(plant);
}

void arm_plant_set_points(ArmPlant *plant, const double *q, const double *qd) {
  for (size_t i = 0; i < plant->n; i++) {
    if (!isfinite(q[i]) || !isfinite(qd[i]))
      continue;
    plant->target_q[i] = q[i];
    plant->target_qd[i] = qd[i];
  }
}

void arm_plant_block(ArmPlant *plant, size_t joint, bool is_blocked) {
  plant->is_blocked[joint] = is_blocked;
}

/* The amplifiers' currents follow their commands; their mean over the sub-step makes the force. */
static bool step(ArmPlant *plant) {
  double u[N];
  for (size_t i = 0; i < plant->n; i++) {
    const double change = plant->lag_part[i] * (plant->command[i] - plant->current[i]);
    u[i] = (plant->current[i] + 0.5 * change) * plant->force_per_A[i];
    plant->current[i] += change;
  }
  return arm_plant_step(plant, u);
}

ArmStatus arm_plant_advance(ArmPlant *plant, double seconds) {
  const double h = plant->config.substep_s;
  if (!(seconds >= 0) || !isfinite(seconds))
    return ARM_E_ARGUMENT;
  plant->pending_s += seconds;
  /* Ten times 0.1 must be 1 in spite of rounding. */
  while (plant->pending_s >= h * (1 - 1e-6)) {
    plant->pending_s -= h;
    plant->steps++;
    if (!step(plant)) {
      plant->pending_s = 0;
      arm_plant_place(plant, plant->q);
      return ARM_E_NUMERIC;
    }
    if (plant->steps % plant->servo_steps == 0)
      sample(plant);
  }
  return ARM_OK;
}

void arm_plant_read(const ArmPlant *plant, ArmPlantReading *reading) {
  *reading = plant->seen;
}

void arm_plant_truth(const ArmPlant *plant, double *q, double *qd, double *current) {
  const size_t bytes = plant->n * sizeof(double);
  if (q)
    memcpy(q, plant->q, bytes);
  if (qd)
    memcpy(qd, plant->qd, bytes);
  if (current)
    memcpy(current, plant->current, bytes);
}
