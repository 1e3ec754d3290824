/* SPDX-License-Identifier: MIT */
/* One sub-step: leapfrog, the forces at the pose in its middle, Coriolis forces at the speed
 * extrapolated to there (second order without friction), friction implicit (first order). All of
 * it is recomputed every sub-step: a microsecond for six joints, so there is nothing to save by
 * doing it less often. */
#include <math.h>
#include <string.h>

#include "core/plant/plant_internal.h"

void arm_plant_to_joints(const ArmModel *model, const double *f, double *u) {
  for (size_t i = 0; i < model->n; i++) {
    u[i] = f[i];
    for (size_t j = i + 1; model->has_coupling && j < model->n; j++)
      u[i] += model->coupling[j][i] * f[j];
  }
}

void arm_plant_holding_force(const ArmPlant *plant, const double *q, double *force) {
  const ArmModel *model = &plant->config.model;
  arm_dyn_gravity(&plant->dyn, plant->pi, q, force);
  for (size_t i = model->n; model->has_coupling && i-- > 0;)
    for (size_t j = i + 1; j < model->n; j++)
      force[i] -= model->coupling[j][i] * force[j];
  for (size_t i = 0; i < model->n && plant->config.kind == ARM_PLANT_DIAGONAL; i++)
    force[i] *= fabs(plant->config.joints[i].eta);
}

/* M and b of the head of plant_internal.h. */
static void mechanics(const ArmPlant *plant, const double *q, const double *qd, double *mass,
                      double *bias) {
  const size_t n = plant->n;
  double force[N];
  if (plant->config.kind == ARM_PLANT_DIAGONAL) {
    memcpy(mass, plant->constant_mass, n * n * sizeof *mass);
    arm_plant_holding_force(plant, q, force);
    arm_plant_to_joints(&plant->config.model, force, bias);
    return;
  }
  arm_dyn_mass(&plant->dyn, plant->pi, q, mass);
  for (size_t k = 0; k < n * n; k++)
    mass[k] += plant->constant_mass[k];
  arm_dyn_torque(&plant->dyn, plant->pi, q, qd, NULL, bias);
}

/* system += h A^T diag(slope) A, the half of it that arm_plant_solve reads */
static void add_slopes(const ArmPlant *plant, const PlantFrictionStep *friction, double *system) {
  const ArmModel *model = &plant->config.model;
  const size_t n = plant->n;
  for (size_t k = 0; k < n; k++) {
    const double slope = plant->config.substep_s * friction[k].slope;
    system[k + n * k] += slope;
    for (size_t i = 0; model->has_coupling && i < k; i++) {
      const double once = slope * model->coupling[k][i];
      system[i + n * k] += once;
      for (size_t j = 0; j <= i; j++)
        system[j + n * i] += once * model->coupling[k][j];
    }
  }
}

/* rhs = M v + h (A^T (u - friction at rest) - b) */
static void right_side(const ArmPlant *plant, const double *mass, const double *bias,
                       const double *u, const PlantFrictionStep *friction, double *rhs) {
  const size_t n = plant->n;
  double force[N];
  memset(force, 0, n * sizeof *force);
  for (size_t i = 0; i < n; i++)
    force[i] = u[i] - friction[i].at_rest;
  arm_plant_to_joints(&plant->config.model, force, rhs);
  for (size_t i = 0; i < n; i++) {
    rhs[i] = plant->config.substep_s * (rhs[i] - bias[i]);
    for (size_t j = 0; j < n; j++)
      rhs[i] += mass[i + n * j] * plant->qd[j];
  }
}

/* Solves again with every joint that would pass a stop held, until none does. Where a stop acts,
 * q is the stop. */
static bool solve_within_stops(ArmPlant *plant, const double *system, const double *rhs,
                               const PlantFrictionStep *friction, const double *middle, double *q,
                               double *v, bool *has_hit) {
  bool clamped[N], at_stop[N] = {false}, again;
  memcpy(clamped, plant->is_blocked, sizeof clamped);
  do {
    again = false;
    if (!arm_plant_solve(plant, system, rhs, clamped, friction, v))
      return false;
    for (size_t i = 0; i < plant->n; i++) {
      if (at_stop[i])
        continue;
      const ArmPlantJoint *joint = &plant->config.joints[i];
      const double end = middle[i] + 0.5 * plant->config.substep_s * v[i];
      q[i] = fmax(joint->stop_low, fmin(joint->stop_high, end));
      if (q[i] == end || plant->is_blocked[i])
        continue;
      at_stop[i] = clamped[i] = again = *has_hit = true;
    }
  } while (again);
  return true;
}

bool arm_plant_step(ArmPlant *plant, const double *u) {
  const size_t n = plant->n;
  const double h = plant->config.substep_s;
  double middle[N], speed[N], w[N], mass[N * N], bias[N], rhs[N];
  double q[N], v[N];
  PlantFrictionStep friction[N];
  bool has_hit = false;
  /* all of which is written before it is read, which the analyzer does not see */
  memset(bias, 0, n * sizeof *bias);
  memset(rhs, 0, n * sizeof *rhs);
  memset(q, 0, n * sizeof *q);
  memcpy(middle, plant->q, n * sizeof *middle);
  for (size_t i = 0; i < n; i++) {
    middle[i] += 0.5 * h * plant->qd[i];
    speed[i] = plant->qd[i] + 0.5 * h * plant->qdd[i];
  }
  mechanics(plant, middle, speed, mass, bias);
  arm_model_motor_speed(&plant->config.model, plant->qd, w);
  for (size_t i = 0; i < n; i++)
    arm_plant_friction_step(&plant->friction[i], plant->bristle[i], w[i], h, &friction[i]);
  right_side(plant, mass, bias, u, friction, rhs);
  add_slopes(plant, friction, mass);
  if (!solve_within_stops(plant, mass, rhs, friction, middle, q, v, &has_hit))
    return false;
  arm_model_motor_speed(&plant->config.model, v, w);
  for (size_t i = 0; i < n; i++) {
    plant->bristle[i] = (plant->bristle[i] + h * w[i]) * friction[i].relax;
    plant->qdd[i] = has_hit ? 0 : (v[i] - plant->qd[i]) / h; /* an impact says nothing of later */
    plant->q[i] = q[i];
    plant->qd[i] = v[i];
  }
  return true;
}
