/* SPDX-License-Identifier: MIT */
/* What came of an identification, against sums over all rows; links that are those of the arm where
 * nothing is noisy; scales of currents and torques. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arm/inertia.h"
#include "core/dynamics/outcome.h"
#include "identify_rig.h"

enum { SAMPLES = 400 };

static void puma(Rig *rig, uint64_t seed) {
  TestRng rng;
  test_rng_init(&rng, seed);
  rig_init(rig, &find_case("PUMA560-AKB")->model, &rng, SAMPLES);
  for (size_t j = 0; j < rig->model.n; j++) { /* stated, and true */
    rig->joint[j].eta = rig->drives.eta[j];
    rig->joint[j].rel_sd = 0.1;
    for (size_t l = 0; l < ARM_DYN_LOCAL; l++) /* rotors that base parameters hold: none */
      rig->drives.local[j][l] = rig->joint[j].has[l] ? rig->drives.local[j][l] : 0;
  }
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
}

/* Currents of joint j less what the fit's parameters make of row s. */
static double error_of(const Rig *rig, const ArmDynamicsFit *fit, size_t j, size_t s) {
  const double *row = rig->rows.rows[j] + s;
  double sum = row[(rig->rows.columns - 1) * SAMPLES];
  for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
    sum -= rig->joint[j].has[l] ? fit->joint[j].local[l].used * row[l * SAMPLES] : 0;
  for (size_t b = 0; b < fit->count; b++)
    sum -= fit->joint[j].eta.used * fit->base[b].used * row[(ARM_DYN_LOCAL + b) * SAMPLES];
  return sum;
}

static void test_residual(void **state) {
  double sigma[ARM_MAX_JOINTS];
  Rig rig;
  TestRng rng;
  ArmDynamicsResidual r;
  (void)state;
  puma(&rig, 41);
  for (size_t j = 0; j < 6; j++)
    sigma[j] = 0.05 * (double)(j + 1);
  test_rng_init(&rng, 42);
  dyn_rows_disturb(&rig.rows, &rng, sigma);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  for (size_t j = 0; j < 6; j++) {
    double error = 0, total = 0, mean = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
      const double i = rig.rows.rows[j][s + (rig.rows.columns - 1) * SAMPLES];
      const double e = error_of(&rig, fit, j, s);
      error += e * e;
      total += i * i;
      mean += i / SAMPLES;
    }
    assert_int_equal(arm_dynamics_residual(fit, rig.information, j, &r), ARM_OK);
    assert_int_equal(r.rows, SAMPLES);
    assert_true(test_is_near(r.rms_error, sqrt(error / SAMPLES), 1e-9, 0));
    assert_true(test_is_near(r.rms, sqrt(total / SAMPLES), 1e-9, 0));
    assert_true(test_is_near(r.r2, 1 - error / (total - SAMPLES * mean * mean), 1e-9, 0));
    assert_true(r.best <= r.rms_error && r.best > 0.5 * sigma[j]);
  }
  assert_int_equal(arm_dynamics_residual(fit, rig.information, 6, &r), ARM_E_ARGUMENT);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* Another recording of the same arm is predicted; one of another arm is not, and by far. */
static void test_strangers(void **state) {
  ArmDynamicsResidual r;
  Rig rig, other;
  (void)state;
  puma(&rig, 43);
  puma(&other, 44);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  other.drives = rig.drives;
  dyn_rows_drive(&other.rows, rig.beta, &rig.drives);
  assert_true(dyn_rows_push(&other.rows, other.information));
  for (size_t j = 0; j < 6; j++) {
    assert_int_equal(arm_dynamics_residual(fit, other.information, j, &r), ARM_OK);
    assert_true(r.rms_error < 1e-8 * r.rms);
  }
  rig_clear(&other);
  puma(&other, 44);
  other.beta[3] += 20;
  other.drives = rig.drives;
  dyn_rows_drive(&other.rows, other.beta, &rig.drives);
  assert_true(dyn_rows_push(&other.rows, other.information));
  assert_int_equal(arm_dynamics_residual(fit, other.information, 1, &r), ARM_OK);
  assert_true(r.rms_error > 0.01 * r.rms && r.best < 1e-9 * r.rms);
  arm_dynamics_fit_free(fit);
  rig_clear(&other);
  rig_clear(&rig);
}

static void test_links(void **state) {
  ArmConsistent links;
  double beta[BASE_COLUMNS];
  Rig rig;
  (void)state;
  puma(&rig, 45);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(
      arm_dynamics_complete(fit, rig.information, &rig.model, rig.base, NULL, &links, NULL),
      ARM_OK);
  for (size_t i = 0; i < 6; i++)
    assert_int_equal(arm_inertia_check(links.pi + 10 * i).flaw, ARM_INERTIA_CONSISTENT);
  arm_base_values(rig.base, links.pi, beta);
  for (size_t b = 0; b < fit->count; b++)
    assert_true(test_is_near(beta[b], fit->base[b].used, 2e-3, 2e-3));
  ArmModel five;
  assert_int_equal(arm_model_init(&five, 5), ARM_OK);
  assert_int_equal(arm_dynamics_complete(fit, rig.information, &five, rig.base, NULL, &links, NULL),
                   ARM_E_ARGUMENT);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* All data sheets are 10 % off, within their sds: so are links, within theirs. */
static void test_links_of_data_sheets(void **state) {
  double truth[BASE_COLUMNS], sigma[ARM_MAX_JOINTS], most = 0;
  ArmConsistent links;
  size_t told = 0;
  TestRng rng;
  Rig rig;
  (void)state;
  puma(&rig, 47);
  for (size_t j = 0; j < 6; j++) {
    rig.joint[j].eta = 1.1 * rig.drives.eta[j];
    sigma[j] = 0.002;
  }
  test_rng_init(&rng, 48);
  dyn_rows_disturb(&rig.rows, &rng, sigma);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(
      arm_dynamics_complete(fit, rig.information, &rig.model, rig.base, NULL, &links, NULL),
      ARM_OK);
  arm_consistent_nominal(&rig.model, NULL, truth, NULL);
  for (size_t k = 0; k < 60; k++) {
    assert_true(links.sd[k] > 0 && links.sd[k] <= links.prior_sd[k] * (1 + 1e-9));
    if (links.sd[k] > 0.5 * links.prior_sd[k])
      continue;
    most = fmax(most, fabs(links.pi[k] - truth[k]) / links.sd[k]);
    told++;
  }
  if (told < 20 || !(most < 4))
    fail_msg("%zu told, %g sds off", told, most);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_scale(void **state) {
  double scale, sd;
  Rig rig;
  (void)state;
  puma(&rig, 46);
  assert_int_equal(arm_dynamics_scale(rig.information, &rig.joint[1], rig.beta, 0, 1, &scale, &sd),
                   ARM_OK);
  assert_true(isnan(scale)); /* no rows */
  assert_true(dyn_rows_push(&rig.rows, rig.information));
  for (size_t j = 0; j < 6; j++) {
    assert_int_equal(
        arm_dynamics_scale(rig.information, &rig.joint[j], rig.beta, 0, j, &scale, &sd), ARM_OK);
    assert_true(test_is_near(scale, rig.drives.eta[j], 1e-6, 0) && sd < 1e-6 * fabs(scale));
  }
  rig_clear(&rig);
}

/* Of joints 1 and 2 base parameters hold the rotor: beside known links it is a part of the torque
 * like any other, told from their inertia by what else they do, and mistaken for it if left out. */
static void test_scale_of_rotors(void **state) {
  double scale, sd;
  Rig rig;
  (void)state;
  puma(&rig, 49);
  for (size_t j = 0; j < 6; j++)
    rig.drives.local[j][ARM_DYN_ROTOR] = 30 * rig.drives.eta[j];
  dyn_rows_drive(&rig.rows, rig.beta, &rig.drives);
  assert_true(dyn_rows_push(&rig.rows, rig.information));
  for (size_t j = 0; j < 6; j++) {
    const double stated[] = {30, (double)NAN};
    for (size_t k = 0; k < 2; k++) {
      assert_int_equal(
          arm_dynamics_scale(rig.information, &rig.joint[j], rig.beta, stated[k], j, &scale, &sd),
          ARM_OK);
      assert_true(test_is_near(scale, rig.drives.eta[j], 1e-6, 0) && sd < 1e-6 * fabs(scale));
    }
    assert_int_equal(
        arm_dynamics_scale(rig.information, &rig.joint[j], rig.beta, 0, j, &scale, &sd), ARM_OK);
    assert_int_equal(test_is_near(scale, rig.drives.eta[j], 0.02, 0),
                     rig.joint[j].has[ARM_DYN_ROTOR]);
  }
  rig_clear(&rig);
}

/* |R x|^2 is chi-square of a change x, friction refitted: against a fit with x taken off. */
static void test_shown(void **state) {
  Rig rig;
  size_t rows;
  (void)state;
  puma(&rig, 47);
  double sigma[ARM_MAX_JOINTS] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  TestRng rng;
  test_rng_init(&rng, 48);
  dyn_rows_disturb(&rig.rows, &rng, sigma);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  const size_t p = fit->count, ld = 6 * p;
  double *r = malloc(ld * p * sizeof *r), *square = calloc(p, sizeof *square);
  assert_true(r && square);
  assert_int_equal(arm_dynamics_shown(fit, rig.information, r, ld, &rows), ARM_OK);
  assert_int_equal(rows, 6 * SAMPLES);
  assert_int_equal(arm_dynamics_shown(fit, rig.information, r, ld - 1, &rows), ARM_E_ARGUMENT);
  for (size_t b = 0; b < p; b++)
    for (size_t i = 0; i < ld; i++)
      square[b] += r[i + b * ld] * r[i + b * ld];
  for (size_t b = 0; b < p; b++) { /* at most that of the rows as they are */
    double all = 0;
    for (size_t j = 0; j < 6; j++) {
      const ArmJointStatistics *s = &fit->joint[j].statistics;
      const double weight = fit->joint[j].eta.used / (s->residual_sd * s->widening);
      for (size_t k = 0; k < SAMPLES; k++) {
        const double y = rig.rows.rows[j][k + (ARM_DYN_LOCAL + b) * SAMPLES] * weight;
        all += y * y;
      }
    }
    assert_true(square[b] > 0.01 * all && square[b] <= all * (1 + 1e-9));
  }
  free(r);
  free(square);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_residual), cmocka_unit_test(test_strangers),
      cmocka_unit_test(test_links),    cmocka_unit_test(test_links_of_data_sheets),
      cmocka_unit_test(test_scale),    cmocka_unit_test(test_scale_of_rotors),
      cmocka_unit_test(test_shown),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
