/* SPDX-License-Identifier: MIT */
/* Inverse dynamics through the coupling times eta; its gradient is that of the regressor, with what
 * falls on a joint's torque times pi for columns. */
#include "core/excite/currents.h"

#include <math.h>
#include <string.h>

/* Part of the largest speed below which smooth Coulomb friction is less than the whole. Chosen:
 * designers need a slope amid it; what is told of a motion is without it. Where no largest speed is
 * stated: soft_speed [rad/s, m/s]. */
static const double soft_part = 0.02, soft_speed = 1e-3;

ArmStatus arm_drive_currents_init(const ArmModel *model, const ArmCurrentFriction *friction,
                                  ArmDriveCurrents *currents) {
  ArmDriveCurrents made = {.n = model->n};
  const ArmStatus status = arm_dyn_init(&made.dyn, model);
  bool is_known = true; /* all links from here on */
  if (status != ARM_OK)
    return status;
  (void)arm_inertia_nominal(model, made.pi);
  made.has_coupling = model->has_coupling;
  memcpy(made.coupling, model->coupling, sizeof made.coupling);
  for (size_t j = model->n; j-- > 0;) {
    const ArmLimits *limits = &model->joints[j].limits;
    double rel_sd;
    made.rotor[j] = arm_dyn_rotor_of(&model->joints[j]);
    is_known = is_known && model->joints[j].link.is_present;
    made.limit[j] = (double)INFINITY;
    made.soft[j] = limits->speed_max > 0 ? soft_part * limits->speed_max : soft_speed;
    if (friction)
      made.friction[j] = friction[j];
    if (!is_known || !arm_model_nominal_eta(model, j, &made.eta[j], &rel_sd)) {
      made.friction[j] = (ArmCurrentFriction){0};
      continue;
    }
    if (limits->current_max > 0 && isfinite(limits->current_max))
      made.limit[j] = limits->current_max;
  }
  *currents = made;
  return ARM_OK;
}

size_t arm_drive_currents_kept(const ArmDriveCurrents *currents) {
  size_t count = 0;
  for (size_t j = 0; j < currents->n; j++)
    count += isfinite(currents->limit[j]) ? 1 : 0;
  return count;
}

static double friction_at(const ArmCurrentFriction *f, double v, double soft) {
  const double viscous = (v > 0 ? f->viscous_pos : f->viscous_neg) * v;
  if (soft > 0) {
    const double s = tanh(v / soft);
    return viscous + 0.5 * (f->coulomb_pos * (1 + s) + f->coulomb_neg * (1 - s));
  }
  return viscous + (v > 0 ? f->coulomb_pos : v < 0 ? f->coulomb_neg : 0);
}

/* Its derivative, of the smooth one. */
static double friction_slope(const ArmCurrentFriction *f, double v, double soft) {
  const double s = tanh(v / soft);
  return (v > 0 ? f->viscous_pos : f->viscous_neg) +
         0.5 * (f->coulomb_pos - f->coulomb_neg) * (1 - s * s) / soft;
}

/* Of one sample of the joints' speeds or accelerations x, that of a drive: A x. */
static double at_drive(const ArmDriveCurrents *currents, size_t drive, size_t samples,
                       const double *x) {
  double sum = x[drive * samples];
  for (size_t i = 0; currents->has_coupling && i < drive; i++)
    sum += currents->coupling[drive][i] * x[i * samples];
  return sum;
}

/* Its transpose: adds A^T of what falls on a drive. */
static void add_to_joints(const ArmDriveCurrents *currents, size_t drive, size_t samples,
                          double value, double *bar) {
  bar[drive * samples] += value;
  for (size_t i = 0; currents->has_coupling && i < drive; i++)
    bar[i * samples] += currents->coupling[drive][i] * value;
}

/* What the drives carry of the joints' torques, A^-T tau, in place. */
static void to_drives(const ArmDriveCurrents *currents, size_t samples, double *tau) {
  for (size_t j = currents->n; currents->has_coupling && j-- > 0;)
    for (size_t i = j + 1; i < currents->n; i++)
      for (size_t s = 0; s < samples && currents->coupling[i][j] != 0; s++)
        tau[s + j * samples] -= currents->coupling[i][j] * tau[s + i * samples];
}

void arm_drive_currents_at(const ArmDriveCurrents *currents, bool is_smooth, size_t samples,
                           const double *q, const double *qd, const double *qdd, double *out) {
  const size_t n = currents->n;
  arm_dyn_torque_batch(&currents->dyn, currents->pi, samples, q, qd, qdd, out);
  to_drives(currents, samples, out);
  for (size_t j = 0; j < n; j++) {
    double *own = out + j * samples;
    for (size_t s = 0; s < samples; s++) {
      const double v = at_drive(currents, j, samples, qd + s);
      const double whole = own[s] + currents->rotor[j] * at_drive(currents, j, samples, qdd + s);
      own[s] = currents->eta[j] * whole +
               friction_at(&currents->friction[j], v, is_smooth ? currents->soft[j] : 0);
    }
  }
}

/* The slope of the sum by the torque of each joint, A^-1 eta bar.
 *   to  samples for each joint, `stride` apart */
static void torque_bar(const ArmDriveCurrents *currents, size_t samples, const double *bar,
                       size_t stride, double *to) {
  for (size_t j = 0; j < currents->n; j++) {
    double *own = to + j * stride;
    for (size_t s = 0; s < samples; s++)
      own[s] = currents->eta[j] * bar[s + j * samples];
    for (size_t i = 0; currents->has_coupling && i < j; i++)
      for (size_t s = 0; s < samples && currents->coupling[j][i] != 0; s++)
        own[s] -= currents->coupling[j][i] * to[s + i * stride];
  }
}

/* What rotors and friction add. */
static void add_drives_bar(const ArmDriveCurrents *currents, size_t samples, const double *qd,
                           const double *bar, double *qd_bar, double *qdd_bar) {
  for (size_t j = 0; j < currents->n; j++)
    for (size_t s = 0; s < samples; s++) {
      const double v = at_drive(currents, j, samples, qd + s), own = bar[s + j * samples];
      const double slope = friction_slope(&currents->friction[j], v, currents->soft[j]);
      add_to_joints(currents, j, samples, slope * own, qd_bar + s);
      add_to_joints(currents, j, samples, currents->eta[j] * currents->rotor[j] * own, qdd_bar + s);
    }
}

void arm_drive_currents_gradient(const ArmDriveCurrents *currents, size_t samples, const double *q,
                                 const double *qd, const double *qdd, const double *bar,
                                 double *work, double *q_bar, double *qd_bar, double *qdd_bar) {
  const size_t n = currents->n, columns = ARM_INERTIA_PARAMETERS * n, stride = columns * samples;
  torque_bar(currents, samples, bar, stride, work);
  for (size_t j = 0; j < n; j++)
    for (size_t c = columns; c-- > 0;) { /* the first, which all are made of, last */
      double *to = work + j * stride + c * samples;
      for (size_t s = 0; s < samples; s++)
        to[s] = currents->pi[c] * work[s + j * stride];
    }
  arm_dyn_regressor_gradient_batch(&currents->dyn, samples, q, qd, qdd, work, q_bar, qd_bar,
                                   qdd_bar);
  add_drives_bar(currents, samples, qd, bar, qd_bar, qdd_bar);
}

size_t arm_drive_currents_violations(const ArmDriveCurrents *currents, double part, size_t samples,
                                     const double *current, ArmCurrentViolation *out) {
  size_t count = 0;
  for (size_t j = 0; j < currents->n; j++) {
    ArmCurrentViolation found = {.joint = j};
    const double limit = part * currents->limit[j];
    double most = limit;
    for (size_t s = 0; s < samples; s++) {
      const double value = current[s + j * samples];
      found.samples += fabs(value) > limit;
      if (!(fabs(value) > most))
        continue;
      most = fabs(value);
      found.worst = s;
      found.value = value;
      found.limit = copysign(currents->limit[j], value);
    }
    if (found.samples > 0)
      out[count++] = found;
  }
  return count;
}
