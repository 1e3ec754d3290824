/* SPDX-License-Identifier: MIT */
/* The currents come from the sum that rows.h states, of parameters that tests know; that Y_b beta
 * is what a moving arm needs is proved by tests of base parameters. */
#include "support/dyn_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/base_case.h"

enum { UNSEEN_SAMPLES = 100 };

static double *numbers(size_t count) {
  double *made = calloc(count + 1, sizeof *made);
  if (!made)
    abort();
  return made;
}

/* ---- motions ---- */

static void motion_init(size_t n, size_t samples, DynMotion *motion) {
  *motion =
      (DynMotion){n, samples, numbers(n * samples), numbers(n * samples), numbers(n * samples)};
}

void dyn_motion_random(TestRng *rng, size_t n, size_t samples, DynMotion *motion) {
  motion_init(n, samples, motion);
  for (size_t k = 0; k < n * samples; k++) {
    motion->q[k] = test_rng_uniform(rng, -M_PI, M_PI);
    motion->qd[k] = 2 * test_rng_normal(rng);
    motion->qdd[k] = 4 * test_rng_normal(rng);
  }
}

void dyn_motion_fourier(TestRng *rng, const ArmModel *model, size_t samples, double period,
                        size_t harmonics, DynMotion *motion) {
  motion_init(model->n, samples, motion);
  for (size_t j = 0; j < model->n; j++) {
    const double scale = model->joints[j].type == ARM_JOINT_R ? 1 : 0.25;
    for (size_t h = 1; h <= harmonics; h++) {
      const double w = 2 * M_PI * 0.1 * (double)h;
      const double a = scale * test_rng_normal(rng) / w / sqrt((double)harmonics) * 1.5;
      const double phase = test_rng_uniform(rng, 0, 2 * M_PI);
      for (size_t s = 0; s < samples; s++) {
        const double x = w * period * (double)s / (double)samples + phase;
        motion->q[s + j * samples] += a * sin(x);
        motion->qd[s + j * samples] += a * w * cos(x);
        motion->qdd[s + j * samples] -= a * w * w * sin(x);
      }
    }
  }
}

void dyn_motion_clear(DynMotion *motion) {
  free(motion->q);
  free(motion->qd);
  free(motion->qdd);
}

/* ---- drives ---- */

void dyn_drives_random(TestRng *rng, size_t n, DynDrives *drives) {
  *drives = (DynDrives){0};
  for (size_t j = 0; j < n; j++) {
    const double eta = 0.02 * pow(10, test_rng_uniform(rng, 0, 1));
    double *local = drives->local[j];
    drives->eta[j] = test_rng_below(rng, 4) == 0 ? -eta : eta;
    local[ARM_DYN_COULOMB_POS] = test_rng_uniform(rng, 0.1, 1);
    local[ARM_DYN_VISCOUS_POS] = test_rng_uniform(rng, 0.05, 0.5);
    local[ARM_DYN_COULOMB_NEG] = -test_rng_uniform(rng, 0.1, 1);
    local[ARM_DYN_VISCOUS_NEG] = test_rng_uniform(rng, 0.05, 0.5);
    local[ARM_DYN_ROTOR] = eta * test_rng_uniform(rng, 0.2, 2);
  }
}

/* ---- rows ---- */

static double *column_of(const DynRows *rows, size_t joint, size_t c) {
  return rows->rows[joint] + c * rows->samples;
}

static void fill_local(const ArmModel *model, const DynMotion *motion, DynRows *rows) {
  for (size_t s = 0; s < rows->samples; s++) {
    double qd[ARM_MAX_JOINTS], qdd[ARM_MAX_JOINTS], v[ARM_MAX_JOINTS], a[ARM_MAX_JOINTS];
    for (size_t j = 0; j < rows->n; j++) {
      qd[j] = motion->qd[s + j * rows->samples];
      qdd[j] = motion->qdd[s + j * rows->samples];
    }
    arm_model_motor_speed(model, qd, v);
    arm_model_motor_speed(model, qdd, a);
    for (size_t j = 0; j < rows->n; j++) {
      const bool is_forward = v[j] > 0;
      column_of(rows, j, ARM_DYN_COULOMB_POS)[s] = is_forward;
      column_of(rows, j, ARM_DYN_VISCOUS_POS)[s] = is_forward ? v[j] : 0;
      column_of(rows, j, ARM_DYN_COULOMB_NEG)[s] = !is_forward;
      column_of(rows, j, ARM_DYN_VISCOUS_NEG)[s] = is_forward ? 0 : v[j];
      column_of(rows, j, ARM_DYN_ROTOR)[s] = a[j];
    }
  }
}

void dyn_rows_init(const ArmModel *model, const ArmBase *base, const DynMotion *motion,
                   DynRows *rows) {
  const size_t n = model->n, samples = motion->samples;
  double *y = numbers(samples * base->columns * n);
  *rows = (DynRows){n, base->count, samples, ARM_DYN_LOCAL + base->count + 1, {0}, NULL};
  rows->current = numbers(samples * n);
  if (arm_base_full_regressor(base, model, samples, motion->q, motion->qd, motion->qdd, y) !=
      ARM_OK)
    abort();
  for (size_t j = 0; j < n; j++) {
    rows->rows[j] = numbers(samples * rows->columns);
    for (size_t b = 0; b < base->count; b++)
      memcpy(column_of(rows, j, ARM_DYN_LOCAL + b),
             y + (j * base->columns + base->kept[b]) * samples, samples * sizeof *y);
  }
  fill_local(model, motion, rows);
  free(y);
}

void dyn_rows_clear(DynRows *rows) {
  for (size_t j = 0; j < rows->n; j++)
    free(rows->rows[j]);
  free(rows->current);
}

void dyn_rows_drive(DynRows *rows, const double *beta, const DynDrives *drives) {
  for (size_t j = 0; j < rows->n; j++) {
    double *current = rows->current + j * rows->samples;
    memset(current, 0, rows->samples * sizeof *current);
    for (size_t c = 0; c + 1 < rows->columns; c++) {
      const double x =
          c < ARM_DYN_LOCAL ? drives->local[j][c] : drives->eta[j] * beta[c - ARM_DYN_LOCAL];
      for (size_t s = 0; s < rows->samples; s++)
        current[s] += column_of(rows, j, c)[s] * x;
    }
    memcpy(column_of(rows, j, rows->columns - 1), current, rows->samples * sizeof *current);
  }
}

void dyn_rows_disturb(DynRows *rows, TestRng *rng, const double *sigma) {
  for (size_t j = 0; j < rows->n; j++)
    for (size_t s = 0; s < rows->samples; s++)
      column_of(rows, j, rows->columns - 1)[s] =
          rows->current[s + j * rows->samples] + sigma[j] * test_rng_normal(rng);
}

bool dyn_rows_push(const DynRows *rows, ArmInformation *information) {
  bool is_taken = true;
  for (size_t j = 0; j < rows->n && is_taken; j++)
    is_taken =
        arm_information_push(information, j, rows->rows[j], rows->samples, rows->samples) == ARM_OK;
  return is_taken;
}

double dyn_rows_unseen(const ArmModel *model, const ArmBase *base, const double *beta,
                       const DynDrives *drives, const ArmDynamicsFit *fit, TestRng *rng) {
  DynMotion motion;
  DynRows truth, found;
  DynDrives of_fit = {0};
  double used[BASE_COLUMNS], error = 0, largest = 0;
  for (size_t j = 0; j < fit->n; j++) {
    of_fit.eta[j] = fit->joint[j].eta.used;
    for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
      of_fit.local[j][l] = fit->joint[j].local[l].used;
  }
  for (size_t b = 0; b < fit->count; b++)
    used[b] = fit->base[b].used;
  dyn_motion_random(rng, fit->n, UNSEEN_SAMPLES, &motion);
  dyn_rows_init(model, base, &motion, &truth);
  dyn_rows_init(model, base, &motion, &found);
  dyn_rows_drive(&truth, beta, drives);
  dyn_rows_drive(&found, used, &of_fit);
  for (size_t k = 0; k < UNSEEN_SAMPLES * fit->n; k++) {
    error = fmax(error, fabs(found.current[k] - truth.current[k]));
    largest = fmax(largest, fabs(truth.current[k]));
  }
  dyn_rows_clear(&truth);
  dyn_rows_clear(&found);
  dyn_motion_clear(&motion);
  return error / (1 + largest);
}
