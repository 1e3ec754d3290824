/* SPDX-License-Identifier: MIT */
#include "support/moving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"

#define TAU 6.28318530717958647692

enum { HARMONICS = 5 };

static void fill_motion(Moving *m, const ArmModel *model, TestRng *rng, double base_Hz,
                        double size) {
  for (size_t j = 0; j < m->n; j++) {
    const double reach = model->joints[j].type == ARM_JOINT_R ? size : 0.1 * size;
    const double middle = test_rng_uniform(rng, -1, 1);
    for (size_t s = 0; s < m->samples; s++)
      m->q[s + j * m->samples] = middle;
    for (int k = 1; k <= HARMONICS; k++) {
      const double a = test_rng_uniform(rng, 0.3, 1) * reach / k;
      const double w = TAU * base_Hz * k, phase = test_rng_uniform(rng, 0, TAU);
      for (size_t s = 0; s < m->samples; s++) {
        const double angle = w * m->t[s] + phase;
        m->q[s + j * m->samples] += a * sin(angle);
        m->qd[s + j * m->samples] += a * w * cos(angle);
        m->qdd[s + j * m->samples] -= a * w * w * sin(angle);
      }
    }
  }
}

Moving *moving_new(const ArmModel *model, TestRng *rng, size_t samples, double step_s,
                   double base_Hz, double size) {
  Moving *m = calloc(1, sizeof *m);
  double *all = calloc(samples * (1 + 4 * model->n), sizeof *all);
  int *joint = calloc(samples, sizeof *joint);
  if (!m || !all || !joint)
    abort();
  *m = (Moving){.n = model->n, .samples = samples, .step_s = step_s, .t = all, .joint = joint};
  m->q = all + samples;
  m->qd = m->q + samples * model->n;
  m->qdd = m->qd + samples * model->n;
  m->effort = m->qdd + samples * model->n;
  for (size_t s = 0; s < samples; s++)
    m->t[s] = 10 + step_s * (double)s;
  fill_motion(m, model, rng, base_Hz, size);
  return m;
}

void moving_free(Moving *m) {
  free(m->t);
  free(m->joint);
  free(m);
}

static double terms_of(const MovingDrive *drive, double torque, double speed) {
  double size = drive->load * fabs(drive->eta * torque);
  if (drive->curve_speed > 0)
    size += drive->curve * exp(-fabs(speed) / drive->curve_speed);
  return speed == 0 ? 0 : (speed > 0) == (drive->eta > 0) ? size : -size;
}

void moving_drive(Moving *m, const ArmModel *model, const double *pi, const MovingDrive *drives) {
  ArmDyn dyn;
  if (arm_dyn_init(&dyn, model) != ARM_OK)
    abort();
  for (size_t s = 0; s < m->samples; s++) {
    double x[3][ARM_MAX_JOINTS], tau[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS], accel[ARM_MAX_JOINTS];
    for (size_t j = 0; j < m->n; j++) {
      x[0][j] = m->q[s + j * m->samples];
      x[1][j] = m->qd[s + j * m->samples];
      x[2][j] = m->qdd[s + j * m->samples];
    }
    arm_dyn_torque(&dyn, pi, x[0], x[1], x[2], tau);
    arm_model_motor_speed(model, x[1], speed);
    arm_model_motor_speed(model, x[2], accel);
    for (size_t j = m->n; j-- > 0;) { /* (I+L)^T m = tau */
      for (size_t k = j + 1; model->has_coupling && k < m->n; k++)
        tau[j] -= model->coupling[k][j] * tau[k];
      const MovingDrive *d = drives + j;
      const double *phi = d->phi;
      const double friction =
          speed[j] > 0   ? phi[ARM_DYN_COULOMB_POS] + phi[ARM_DYN_VISCOUS_POS] * speed[j]
          : speed[j] < 0 ? phi[ARM_DYN_COULOMB_NEG] + phi[ARM_DYN_VISCOUS_NEG] * speed[j]
                         : 0;
      m->effort[s + j * m->samples] = d->eta * tau[j] + friction + phi[ARM_DYN_ROTOR] * accel[j] +
                                      terms_of(d, tau[j], speed[j]);
    }
  }
}

void moving_random_drives(const ArmModel *model, TestRng *rng, MovingDrive *drives) {
  for (size_t j = 0; j < model->n; j++) {
    drives[j] = (MovingDrive){0};
    drives[j].eta = test_rng_uniform(rng, 0.03, 0.08);
    drives[j].phi[ARM_DYN_COULOMB_POS] = test_rng_uniform(rng, 0.1, 0.5);
    drives[j].phi[ARM_DYN_COULOMB_NEG] = -test_rng_uniform(rng, 0.1, 0.5);
    drives[j].phi[ARM_DYN_VISCOUS_POS] = test_rng_uniform(rng, 0.05, 0.3);
    drives[j].phi[ARM_DYN_VISCOUS_NEG] = test_rng_uniform(rng, 0.05, 0.3);
    drives[j].phi[ARM_DYN_ROTOR] = test_rng_uniform(rng, 0.01, 0.1);
  }
}

ArmDynSamples moving_samples(const Moving *m) {
  return (ArmDynSamples){.samples = m->samples,
                         .ld = m->samples,
                         .t = m->t,
                         .joint = m->joint,
                         .q = m->q,
                         .qd = m->qd,
                         .qdd = m->qdd,
                         .effort = m->effort};
}

MovingRows *moving_rows_new(size_t n, size_t count, size_t room) {
  MovingRows *rows = calloc(1, sizeof *rows);
  if (!rows)
    abort();
  rows->width = ARM_DYN_LOCAL + count + 1;
  rows->room = room;
  for (size_t j = 0; j < n; j++) {
    rows->t[j] = malloc(room * sizeof(double));
    rows->row[j] = malloc(room * rows->width * sizeof(double));
    rows->follows[j] = malloc(room * sizeof(bool));
    if (!rows->t[j] || !rows->row[j] || !rows->follows[j])
      abort();
  }
  return rows;
}

void moving_rows_free(MovingRows *rows) {
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++) {
    free(rows->t[j]);
    free(rows->row[j]);
    free(rows->follows[j]);
  }
  free(rows);
}

ArmStatus moving_rows_sink(void *user, size_t joint, size_t rows, bool follows, const double *t,
                           const double *block, size_t ld) {
  MovingRows *all = user;
  for (size_t r = 0; r < rows; r++) {
    const size_t at = all->rows[joint];
    if (at == all->room)
      return ARM_E_MEMORY;
    all->t[joint][at] = t[r];
    all->follows[joint][at] = r > 0 || follows;
    for (size_t c = 0; c < all->width; c++)
      all->row[joint][at * all->width + c] = block[r + c * ld];
    all->rows[joint]++;
  }
  return ARM_OK;
}

ArmStatus moving_stream(ArmDynStream *stream, const Moving *m, size_t block, TestRng *rng) {
  for (size_t at = 0, count; at < m->samples; at += count) {
    count = block > 0 ? block : 1 + test_rng_below(rng, 700);
    count = count < m->samples - at ? count : m->samples - at;
    const ArmDynSamples part = {.samples = count,
                                .ld = m->samples,
                                .t = m->t + at,
                                .joint = m->joint + at,
                                .q = m->q + at,
                                .qd = m->qd + at,
                                .qdd = m->qdd + at,
                                .effort = m->effort + at};
    const ArmStatus status = arm_dyn_stream_push(stream, &part);
    if (status != ARM_OK)
      return status;
  }
  return arm_dyn_stream_finish(stream);
}
