/* SPDX-License-Identifier: MIT */
/* Inverse dynamics times eta; its gradient is that of the regressor, with eta pi for columns. */
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
  bool is_known = !model->has_coupling; /* all links from here on */
  if (status != ARM_OK)
    return status;
  (void)arm_inertia_nominal(model, made.pi);
  (void)arm_dyn_rotor(model, made.rotor);
  for (size_t j = model->n; j-- > 0;) {
    const ArmLimits *limits = &model->joints[j].limits;
    double rel_sd;
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

void arm_drive_currents_at(const ArmDriveCurrents *currents, bool is_smooth, size_t samples,
                           const double *q, const double *qd, const double *qdd, double *out) {
  const size_t n = currents->n;
  arm_dyn_torque_batch(&currents->dyn, currents->pi, samples, q, qd, qdd, out);
  for (size_t j = 0; j < n; j++) {
    double *own = out + j * samples;
    for (size_t i = 0; i < n; i++)
      for (size_t s = 0; s < samples && currents->rotor[j + i * n] != 0; s++)
        own[s] += currents->rotor[j + i * n] * qdd[s + i * samples];
    for (size_t s = 0; s < samples; s++)
      own[s] = currents->eta[j] * own[s] + friction_at(&currents->friction[j], qd[s + j * samples],
                                                       is_smooth ? currents->soft[j] : 0);
  }
}

void arm_drive_currents_gradient(const ArmDriveCurrents *currents, size_t samples, const double *q,
                                 const double *qd, const double *qdd, const double *bar,
                                 double *work, double *q_bar, double *qd_bar, double *qdd_bar) {
  const size_t n = currents->n, columns = ARM_INERTIA_PARAMETERS * n;
  for (size_t j = 0; j < n; j++)
    for (size_t c = 0; c < columns; c++) {
      const double factor = currents->eta[j] * currents->pi[c];
      double *to = work + (j * columns + c) * samples;
      for (size_t s = 0; s < samples; s++)
        to[s] = factor * bar[s + j * samples];
    }
  arm_dyn_regressor_gradient_batch(&currents->dyn, samples, q, qd, qdd, work, q_bar, qd_bar,
                                   qdd_bar);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++)
      for (size_t s = 0; s < samples && currents->rotor[j + i * n] != 0; s++)
        qdd_bar[s + i * samples] +=
            currents->eta[j] * currents->rotor[j + i * n] * bar[s + j * samples];
    for (size_t s = 0; s < samples; s++)
      qd_bar[s + j * samples] +=
          bar[s + j * samples] *
          friction_slope(&currents->friction[j], qd[s + j * samples], currents->soft[j]);
  }
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
