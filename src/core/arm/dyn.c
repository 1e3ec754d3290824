/* SPDX-License-Identifier: MIT */
/* Everything but arithmetic: which kernel fits the processor, how samples are dealt out to its
 * lanes, zeros of the regressors. The arithmetic is in dyn_body_*.h, compiled once per width by
 * dyn_kernel.c. */
#include "core/arm/dyn.h"

#include <math.h>
#include <string.h>

#include "core/arm/dyn_kernel.h"
#include "core/base/finite.h"

ArmStatus arm_dyn_init(ArmDyn *dyn, const ArmModel *model) {
  if (model->n == 0 || model->n > ARM_MAX_JOINTS)
    return ARM_E_ARGUMENT;
  for (size_t i = 0; i < model->n; i++) {
    const ArmJoint *joint = &model->joints[i];
    if (!arm_all_finite(joint->rotation, 9) || !arm_all_finite(joint->translation, 3) ||
        !isfinite(joint->offset))
      return ARM_E_NOT_FINITE;
  }
  if (!arm_all_finite(model->gravity_m_s2, 3))
    return ARM_E_NOT_FINITE;
  dyn->n = model->n;
  memcpy(dyn->gravity, model->gravity_m_s2, sizeof dyn->gravity);
  for (size_t i = 0; i < model->n; i++) {
    const ArmJoint *from = &model->joints[i];
    ArmDynJoint *to = &dyn->joints[i];
    to->type = from->type;
    to->offset = from->offset;
    dyn->turns[i] = from->type == ARM_JOINT_R ? 1.0 : 0.0;
    dyn->angle[i] = from->type == ARM_JOINT_R ? from->offset : 0.0;
    memcpy(to->rotation, from->rotation, sizeof to->rotation);
    memcpy(to->translation, from->translation, sizeof to->translation);
  }
  (void)arm_dyn_limit_lanes(dyn, 8);
  return ARM_OK;
}

int arm_dyn_limit_lanes(ArmDyn *dyn, int lanes) {
  dyn->one = arm_dyn_kernel_one(lanes);
  dyn->many = arm_dyn_kernel(lanes);
  return (int)dyn->many->lanes;
}

/* ---- one sample ---- */

void arm_dyn_torque(const ArmDyn *dyn, const double *pi, const double *q, const double *qd,
                    const double *qdd, double *tau) {
  dyn->one->torque(dyn, pi, 1, q, qd, qdd, tau);
}

void arm_dyn_gravity(const ArmDyn *dyn, const double *pi, const double *q, double *tau) {
  dyn->one->gravity(dyn, pi, 1, q, tau);
}

void arm_dyn_regressor(const ArmDyn *dyn, const double *q, const double *qd, const double *qdd,
                       double *y) {
  dyn->one->regressor(dyn, 1, q, qd, qdd, false, y);
}

void arm_dyn_momentum(const ArmDyn *dyn, const double *q, const double *qd, double *yp,
                      double *ye) {
  dyn->one->momentum(dyn, 1, q, qd, yp, ye);
}

void arm_dyn_energy(const ArmDyn *dyn, const double *q, const double *qd, double *k, double *u) {
  dyn->one->energy(dyn, 1, q, qd, k, u);
}

void arm_dyn_mass(const ArmDyn *dyn, const double *pi, const double *q, double *m) {
  dyn->one->mass(dyn, pi, 1, q, m);
}

/* Rotors of coupled drives join distant links, which no recursion along the chain can do. */
static bool is_diagonal(size_t n, const double *rotor) {
  for (size_t i = 0; rotor && i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (i != j && rotor[i + n * j] != 0)
        return false;
  return true;
}

/* From so many joints on articulated bodies are quicker than composite ones and L D L^T: 9 in
 * vectors of samples, 11 of one sample. */
enum { ARTICULATED_LEAST = 10 };

static ArmDynForward *forward_of(const ArmDyn *dyn, const double *rotor,
                                 const ArmDynKernel *kernel) {
  return dyn->n >= ARTICULATED_LEAST && is_diagonal(dyn->n, rotor) ? kernel->articulated
                                                                   : kernel->forward;
}

ArmStatus arm_dyn_forward(const ArmDyn *dyn, const double *pi, const double *rotor, const double *q,
                          const double *qd, const double *tau, double *qdd) {
  double result[ARM_MAX_JOINTS];
  if (!forward_of(dyn, rotor, dyn->one)(dyn, pi, rotor, 1, q, qd, tau, result))
    return ARM_E_NUMERIC;
  memcpy(qdd, result, dyn->n * sizeof *qdd);
  return ARM_OK;
}

/* ---- many samples ---- */

/* In bytes: half of the second-level cache of most processors since 2017. */
static const size_t block_most = 512 * 1024;

size_t arm_dyn_block(size_t n) {
  const size_t sample = ARM_INERTIA_PARAMETERS * n * n * sizeof(double);
  size_t eights = 5;
  while (eights > 1 && 8 * eights * sample > block_most)
    eights -= 2;
  return 8 * eights;
}

/* Steps through `samples` with one kernel: whole vectors, the last of which overlaps the one before
 * (the same samples give the same results again); fewer samples than lanes go one by one. */
typedef struct {
  const ArmDynKernel *kernel;
  size_t at, samples;
} Walk;

static Walk walk_start(const ArmDyn *dyn, size_t samples) {
  return (Walk){samples < dyn->many->lanes ? &arm_dyn_kernel_rest : dyn->many, 0, samples};
}

static bool walk_is_on(Walk *walk) {
  const size_t lanes = walk->kernel->lanes;
  if (walk->at < walk->samples && walk->at + lanes > walk->samples)
    walk->at = walk->samples - lanes;
  return walk->at < walk->samples;
}

static void walk_next(Walk *walk) {
  walk->at += walk->kernel->lanes;
}

/* NULL stays NULL. */
static const double *from(const double *p, size_t at) {
  return p ? p + at : NULL;
}

void arm_dyn_torque_batch(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                          const double *qd, const double *qdd, double *tau) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->torque(dyn, pi, samples, q + w.at, from(qd, w.at), from(qdd, w.at), tau + w.at);
}

void arm_dyn_gravity_batch(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                           double *tau) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->gravity(dyn, pi, samples, q + w.at, tau + w.at);
}

static void regressor_batch(const ArmDyn *dyn, size_t samples, const double *q, const double *qd,
                            const double *qdd, bool has_zeros, double *y) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->regressor(dyn, samples, q + w.at, from(qd, w.at), from(qdd, w.at), has_zeros,
                        y + w.at);
}

void arm_dyn_regressor_batch(const ArmDyn *dyn, size_t samples, const double *q, const double *qd,
                             const double *qdd, double *y) {
  regressor_batch(dyn, samples, q, qd, qdd, false, y);
}

void arm_dyn_regressor_outboard_batch(const ArmDyn *dyn, size_t samples, const double *q,
                                      const double *qd, const double *qdd, double *y) {
  regressor_batch(dyn, samples, q, qd, qdd, true, y);
}

void arm_dyn_regressor_gradient_batch(const ArmDyn *dyn, size_t samples, const double *q,
                                      const double *qd, const double *qdd, const double *bar,
                                      double *q_bar, double *qd_bar, double *qdd_bar) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->regressor_gradient(dyn, samples, q + w.at, from(qd, w.at), from(qdd, w.at),
                                 bar + w.at, q_bar + w.at, qd_bar + w.at, qdd_bar + w.at);
}

void arm_dyn_momentum_batch(const ArmDyn *dyn, size_t samples, const double *q, const double *qd,
                            double *yp, double *ye) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->momentum(dyn, samples, q + w.at, from(qd, w.at), yp + w.at, ye + w.at);
}

void arm_dyn_energy_batch(const ArmDyn *dyn, size_t samples, const double *q, const double *qd,
                          double *k, double *u) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->energy(dyn, samples, q + w.at, from(qd, w.at), k + w.at, u + w.at);
}

void arm_dyn_energy_gradient_batch(const ArmDyn *dyn, size_t samples, const double *q,
                                   const double *qd, const double *bar, double *q_bar,
                                   double *qd_bar) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->energy_gradient(dyn, samples, q + w.at, from(qd, w.at), bar + w.at, q_bar + w.at,
                              qd_bar + w.at);
}

void arm_dyn_mass_batch(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                        double *m) {
  for (Walk w = walk_start(dyn, samples); walk_is_on(&w); walk_next(&w))
    w.kernel->mass(dyn, pi, samples, q + w.at, m + w.at);
}

ArmStatus arm_dyn_forward_batch(const ArmDyn *dyn, const double *pi, const double *rotor,
                                size_t samples, const double *q, const double *qd,
                                const double *tau, double *qdd) {
  Walk w = walk_start(dyn, samples);
  ArmDynForward *const forward = forward_of(dyn, rotor, w.kernel);
  bool all = true;
  for (; walk_is_on(&w); walk_next(&w))
    if (!forward(dyn, pi, rotor, samples, q + w.at, from(qd, w.at), tau + w.at, qdd + w.at))
      all = false;
  return all ? ARM_OK : ARM_E_NUMERIC;
}

/* ---- rotors ---- */

double arm_dyn_rotor_of(const ArmJoint *joint) {
  double sum = 0;
  for (size_t m = 0; m < joint->n_motors; m++) {
    const double gear = joint->motors[m].gear_ratio;
    const double reflected = gear * gear * joint->motors[m].rotor_inertia_kg_m2;
    sum += isfinite(reflected) ? reflected : 0;
  }
  return sum;
}

size_t arm_dyn_rotor(const ArmModel *model, double *rotor) {
  const size_t n = model->n;
  size_t known = 0;
  memset(rotor, 0, n * n * sizeof *rotor);
  for (size_t k = 0; k < n; k++) {
    double row[ARM_MAX_JOINTS] = {0}; /* row k of I + L */
    const double inertia = arm_dyn_rotor_of(&model->joints[k]);
    for (size_t i = 0; model->has_coupling && i < k; i++)
      row[i] = model->coupling[k][i];
    row[k] = 1;
    known += inertia != 0;
    for (size_t i = 0; i <= k; i++)
      for (size_t j = 0; j <= k; j++)
        rotor[i + n * j] += inertia * (row[i] * row[j]);
  }
  return known;
}
