/* SPDX-License-Identifier: MIT */
/* Identification by energy: the parameters behind a simulated motion, honest sds, what cannot be
 * told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/excite/energy.h"
#include "core/excite/energy_fit.h"
#include "support/robot3.h"
#include "support/support.h"

enum { N = 3, SAMPLES = 3001, EVERY = 20, POINTS = (SAMPLES - 1) / EVERY + 1 };

typedef struct {
  ArmModel model;
  double t[SAMPLES], q[N * SAMPLES], qd[N * SAMPLES], torque[N * SAMPLES], clean[N * SAMPLES];
  double beta[ROBOT3_COLUMNS];
  size_t point[POINTS];
  ArmEnergyData data;
} Motion;

/* Two sines in each joint, 30 s; the torques of the paper's parameters. */
static void motion_init(Motion *m, double gain) {
  static const double amplitude[N][2] = {{0.6, 0.3}, {0.5, 0.3}, {0.7, 0.3}};
  static const double speed[N][2] = {{1.1, 2.9}, {0.9, 2.3}, {1.7, 3.1}};
  static double qdd[N * SAMPLES];
  double pi[10 * N] = {0};
  ArmEnergy *energy = NULL;
  ArmDyn dyn;
  memset(m, 0, sizeof *m);
  robot3_model(ROBOT3_F, &m->model);
  for (size_t s = 0; s < SAMPLES; s++) {
    m->t[s] = 0.01 * (double)s;
    for (size_t j = 0; j < N; j++)
      for (size_t k = 0; k < 2; k++) {
        const double a = gain * amplitude[j][k], w = speed[j][k];
        m->q[j * SAMPLES + s] += a * sin(w * m->t[s]) + 0.3 * (double)j;
        m->qd[j * SAMPLES + s] += a * w * cos(w * m->t[s]);
        qdd[j * SAMPLES + s] = (k ? qdd[j * SAMPLES + s] : 0) - a * w * w * sin(w * m->t[s]);
      }
  }
  assert_int_equal(arm_energy_new(&m->model, 1, &energy), ARM_OK);
  const ArmBase *base = arm_energy_base(energy);
  assert_int_equal(base->count, ROBOT3_COLUMNS);
  for (size_t b = 0; b < base->count; b++) /* base parameters stand for themselves */
    pi[base->kept[b]] = robot3_parameters[b];
  arm_base_values(base, pi, m->beta);
  arm_energy_free(energy);
  assert_int_equal(arm_dyn_init(&dyn, &m->model), ARM_OK);
  arm_dyn_torque_batch(&dyn, pi, SAMPLES, m->q, m->qd, qdd, m->clean);
  memcpy(m->torque, m->clean, sizeof m->torque);
  for (size_t k = 0; k < POINTS; k++)
    m->point[k] = k * EVERY;
  m->data = (ArmEnergyData){SAMPLES, m->t, m->q, m->qd, m->torque, NULL};
}

/* Without noise trapezoids are what is left. */
static void test_exact(void **state) {
  static Motion m;
  ArmEnergyFit fit;
  double worst = 0;
  (void)state;
  motion_init(&m, 1);
  assert_int_equal(arm_energy_fit(&m.model, &m.data, POINTS, m.point, &fit), ARM_OK);
  assert_int_equal(fit.rank, ROBOT3_COLUMNS);
  assert_int_equal(fit.rows, POINTS - 1);
  for (size_t k = 0; k < ROBOT3_COLUMNS; k++) {
    assert_true(test_is_near(m.beta[k], robot3_parameters[k], 1e-12, 0));
    worst = fmax(worst, fabs(fit.beta[k] - m.beta[k]));
  }
  print_message("# worst %.2g, condition %.3g\n", worst, fit.condition);
  assert_true(worst < 5e-3);
  arm_energy_fit_clear(&fit);
}

/* 95 % intervals hold the truth (here: what is found without noise) in about 95 of 100. */
static void check_coverage(bool is_told) {
  enum { ROUNDS = 100 };
  static Motion m;
  static const double told[N] = {0.8, 1, 0.5}, equal[N] = {0.7, 0.7, 0.7};
  const double *sigma = is_told ? told : equal;
  double truth[ROBOT3_COLUMNS], noise = 0;
  size_t inside = 0;
  ArmEnergyFit fit;
  TestRng rng;
  test_rng_init(&rng, test_seed(1));
  motion_init(&m, 1);
  m.data.sigma = is_told ? told : NULL;
  assert_int_equal(arm_energy_fit(&m.model, &m.data, POINTS, m.point, &fit), ARM_OK);
  memcpy(truth, fit.beta, sizeof truth);
  arm_energy_fit_clear(&fit);
  for (size_t round = 0; round < ROUNDS; round++) {
    for (size_t k = 0; k < N * SAMPLES; k++)
      m.torque[k] = m.clean[k] + sigma[k / SAMPLES] * test_rng_normal(&rng);
    assert_int_equal(arm_energy_fit(&m.model, &m.data, POINTS, m.point, &fit), ARM_OK);
    for (size_t k = 0; k < ROBOT3_COLUMNS; k++)
      inside += fabs(fit.beta[k] - truth[k]) <= 1.96 * fit.sd[k];
    noise += fit.noise / ROUNDS;
    arm_energy_fit_clear(&fit);
  }
  const double covered = (double)inside / (ROUNDS * ROBOT3_COLUMNS);
  print_message("# covered %.3f, noise %.3f\n", covered, noise);
  assert_true(covered > 0.92 && covered < 0.98);
  assert_true(test_is_near(noise, is_told ? 1 : 0.7, 0.05, 0));
}

static void test_coverage_told(void **state) {
  (void)state;
  check_coverage(true);
}

static void test_coverage_by_residuals(void **state) {
  (void)state;
  check_coverage(false);
}

/* One joint alone moves: its parameters, and not one number for the others. */
static void test_not_identifiable(void **state) {
  static Motion m;
  ArmEnergyFit fit;
  (void)state;
  motion_init(&m, 1);
  for (size_t j = 1; j < N; j++)
    for (size_t s = 0; s < SAMPLES; s++) {
      m.q[j * SAMPLES + s] = 0.3;
      m.qd[j * SAMPLES + s] = 0;
    }
  assert_int_equal(arm_energy_fit(&m.model, &m.data, POINTS, m.point, &fit), ARM_OK);
  assert_int_equal(fit.rank, 1);
  assert_true(isinf(fit.condition));
  for (size_t k = 0; k < ROBOT3_COLUMNS; k++)
    assert_true(isnan(fit.beta[k]) && isnan(fit.sd[k]));
  arm_energy_fit_clear(&fit);
}

static void test_refused(void **state) {
  static Motion m;
  ArmEnergyFit fit = {.p = 77};
  const size_t back[2] = {20, 10}, beyond[2] = {0, SAMPLES}, two[2] = {0, 100};
  const double sigma[N] = {1, 0, 1};
  (void)state;
  motion_init(&m, 0);
  assert_int_equal(arm_energy_fit(&m.model, &m.data, 1, two, &fit), ARM_E_ARGUMENT);
  assert_int_equal(arm_energy_fit(&m.model, &m.data, 2, back, &fit), ARM_E_ARGUMENT);
  assert_int_equal(arm_energy_fit(&m.model, &m.data, 2, beyond, &fit), ARM_E_ARGUMENT);
  assert_int_equal(arm_energy_fit(&m.model, &m.data, 2, two, &fit), ARM_E_NO_DATA); /* at rest */
  m.data.sigma = sigma;
  assert_int_equal(arm_energy_fit(&m.model, &m.data, 2, two, &fit), ARM_E_ARGUMENT);
  m.data.sigma = NULL;
  m.t[7] = m.t[6];
  assert_int_equal(arm_energy_fit(&m.model, &m.data, 2, two, &fit), ARM_E_ARGUMENT);
  m.torque[5] = (double)NAN;
  assert_int_equal(arm_energy_fit(&m.model, &m.data, 2, two, &fit), ARM_E_NOT_FINITE);
  assert_int_equal(fit.p, 77);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_coverage_told),
      cmocka_unit_test(test_coverage_by_residuals),
      cmocka_unit_test(test_not_identifiable),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests_name("energy_fit", tests, NULL, NULL);
}
