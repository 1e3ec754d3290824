/* SPDX-License-Identifier: MIT */
/* What is told of an identification: scales and gauges, signs, noise and how wide it makes sds, and
 * the reason for each thing that is not a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "identify_puma.h"

static void check_is(const ArmEstimate *e, double want, double sds) {
  assert_true(e->identifiable && e->reason == ARM_REASON_NONE && e->value == e->used);
  assert_true(e->sd >= 0 && isfinite(e->sd));
  if (!(fabs(e->value - want) <= sds * e->sd + 1e-9 * fabs(want)))
    fail_msg("%.12g +- %.3g, expected %.12g", e->value, e->sd, want);
}

/* ---- scales ---- */

static void test_nothing_stated(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 1, true);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(fit->n_groups, 1);
  assert_int_equal(fit->scale[0], ARM_SCALE_NONE);
  for (size_t j = 0; j < 6; j++) {
    check_is_not(&fit->joint[j].eta, ARM_REASON_SCALE_NOT_STATED);
    check_is(&fit->joint[j].to_first, rig.drives.eta[j] / rig.drives.eta[0], 0);
  }
  assert_true(fit->joint[0].eta.used == 1);
  for (size_t b = 0; b < fit->count; b++) {
    check_is_not(&fit->base[b], ARM_REASON_SCALE_NOT_STATED);
    assert_true(test_is_near(fit->base[b].used, rig.beta[b] * rig.drives.eta[0], 1e-6, 1e-7));
  }
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_reference(void **unused) {
  ArmDynamicsOptions options = arm_dynamics_defaults;
  options.gauge = ARM_GAUGE_REFERENCE;
  Rig rig;
  (void)unused;
  puma(&rig, 2, true);
  state(&rig);
  rig.joint[0].eta = rig.drives.eta[0];
  disturb(&rig, 3, 0.02);
  ArmDynamicsFit *fit = identify(&rig, &options);
  assert_int_equal(fit->scale[0], ARM_SCALE_REFERENCE);
  check_is(&fit->joint[0].eta, rig.drives.eta[0], 0);
  assert_true(fit->joint[0].eta.sd == 0 && fit->joint[0].to_first.sd == 0);
  for (size_t j = 0; j < 6; j++) {
    check_is(&fit->joint[j].eta, rig.drives.eta[j], 5);
    check_is(&fit->joint[j].to_first, rig.drives.eta[j] / rig.drives.eta[0], 5);
    assert_true(j == 0 || (fit->joint[j].log_ratio_sd > 0 && fit->joint[j].log_ratio_sd < 0.05));
  }
  for (size_t b = 0; b < fit->count; b++)
    check_is(&fit->base[b], rig.beta[b], 5);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* Six data sheets of sd 0.1 are one scale of sd 0.1 / sqrt(6), and the sds of parameters have
 * it. */
static void test_datasheet(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 4, true);
  state(&rig);
  disturb(&rig, 5, 0.02);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  double worst = 0;
  assert_int_equal(fit->scale[0], ARM_SCALE_DATASHEET);
  for (size_t j = 0; j < 6; j++) {
    if (!(fit->joint[j].log_eta_sd > 0.99 * 0.1 / sqrt(6) && fit->joint[j].log_eta_sd < 0.06))
      fail_msg("sd of log eta %.4g", fit->joint[j].log_eta_sd);
    check_is(&fit->joint[j].eta, rig.drives.eta[j], 5);
    check_is(&fit->joint[j].to_first, rig.drives.eta[j] / rig.drives.eta[0], 5);
    assert_true(j == 0 || (fit->joint[j].log_ratio_sd > 0 &&
                           fit->joint[j].log_ratio_sd <= ARM_DYNAMICS_WORST_RATIO));
  }
  for (size_t b = 0; b < fit->count; b++) {
    check_is(&fit->base[b], rig.beta[b], 5);
    worst = fmax(worst, fabs(rig.beta[b]) / fit->base[b].sd);
  }
  assert_true(test_is_near(worst, sqrt(6) / 0.1, 0.1, 0)); /* the best known: by its scale alone */
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* No current tells a scale of all torque constants, so that the likeliest one has errors of data
 * sheets whose mean is 0, however little noise there is: the valley that it lies in is then narrow,
 * and bends. */
static void test_a_scale_in_little_noise(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    const double noise[] = {0.02, 1e-3, 1e-5, 1e-7};
    double mean = 0;
    Rig rig;
    puma(&rig, 14, true);
    for (size_t j = 0; j < 6; j++) {
      rig.joint[j].eta = rig.drives.eta[j] * (j % 2 ? 1.4 : 1.1);
      rig.joint[j].rel_sd = 0.2;
    }
    disturb(&rig, 15, noise[k]);
    ArmDynamicsFit *fit = identify(&rig, NULL);
    for (size_t j = 0; j < 6; j++)
      mean += (fit->joint[j].log_eta - log(fabs(rig.joint[j].eta))) / 6;
    print_message("# %g A: mean error of data sheets %.3g of its sd, %zu steps\n", noise[k],
                  mean / (0.2 / sqrt(6)), fit->iterations);
    assert_true(fit->has_converged);
    assert_true(fabs(mean) < 0.01 * 0.2 / sqrt(6));
    arm_dynamics_fit_free(fit);
    rig_clear(&rig);
  }
}

static void test_torques(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 6, true);
  for (size_t j = 0; j < 6; j++) {
    rig.drives.eta[j] = 1;
    rig.joint[j].is_torque = true;
  }
  dyn_rows_drive(&rig.rows, rig.beta, &rig.drives);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(fit->scale[0], ARM_SCALE_TORQUE);
  assert_int_equal(fit->n_groups, 1);
  for (size_t j = 0; j < 6; j++) {
    check_is(&fit->joint[j].eta, 1, 0);
    assert_true(fit->joint[j].eta.value == 1 && fit->joint[j].log_eta_sd == 0);
  }
  for (size_t b = 0; b < fit->count; b++)
    assert_true(test_is_near(fit->base[b].value, rig.beta[b], 1e-9, 1e-9));
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* One torque sensor gives all currents their scale. */
static void test_one_torque(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 7, true);
  rig.drives.eta[3] = 1;
  rig.joint[3].is_torque = true;
  dyn_rows_drive(&rig.rows, rig.beta, &rig.drives);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(fit->scale[0], ARM_SCALE_TORQUE);
  for (size_t j = 0; j < 6; j++)
    assert_true(test_is_near(fit->joint[j].eta.value, rig.drives.eta[j], 1e-7, 0));
  for (size_t b = 0; b < fit->count; b++)
    assert_true(test_is_near(fit->base[b].value, rig.beta[b], 1e-6, 1e-7));
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_a_sign_stated_otherwise(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 8, true);
  state(&rig);
  rig.joint[2].eta = -rig.joint[2].eta;
  disturb(&rig, 9, 0.02);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  for (size_t j = 0; j < 6; j++) {
    assert_int_equal(fit->joint[j].is_sign_stated_otherwise, j == 2);
    check_is(&fit->joint[j].eta, rig.drives.eta[j], 5);
  }
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* ---- noise ---- */

static void test_a_bare_wrist(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 10, false);
  state(&rig);
  disturb(&rig, 11, 0.02);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  check_is(&fit->joint[1].to_first, rig.drives.eta[1] / rig.drives.eta[0], 5);
  check_is(&fit->joint[2].to_first, rig.drives.eta[2] / rig.drives.eta[0], 5);
  for (size_t j = 3; j < 6; j++) {
    check_is_not(&fit->joint[j].to_first, ARM_REASON_COUPLING_WEAK);
    check_is_not(&fit->joint[j].eta, ARM_REASON_COUPLING_WEAK);
    assert_true(fit->joint[j].is_coupled);
    assert_true(fit->joint[j].log_eta_sd <= 0.1 + 1e-12); /* no more than the data sheet says */
    assert_true(test_is_near(fit->joint[j].eta.used, rig.joint[j].eta, 0.3, 0));
    assert_false(fit->joint[j].is_sign_stated_otherwise);
  }
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* Noise of a first-order low-pass, the same sd. */
static void correlate(Rig *rig, uint64_t seed, double sigma, double rho) {
  TestRng rng;
  test_rng_init(&rng, seed);
  for (size_t j = 0; j < rig->rows.n; j++) {
    double *effort = rig->rows.rows[j] + (rig->rows.columns - 1) * rig->rows.samples;
    double noise = sigma * test_rng_normal(&rng);
    for (size_t s = 0; s < rig->rows.samples; s++) {
      noise = rho * noise + sqrt(1 - rho * rho) * sigma * test_rng_normal(&rng);
      effort[s] = rig->rows.current[s + j * rig->rows.samples] + noise;
    }
  }
}

/* Ten seconds give some 180 rows: too few for sums of 32, enough for sums of 4 and 8. */
static void test_noise_of_few_rows(void **unused) {
  enum { ROWS = 180 };
  Rig rig;
  TestRng rng;
  double sum = 0;
  (void)unused;
  test_rng_init(&rng, test_seed(33));
  rig_init(&rig, &find_case("PUMA560-AKB")->model, &rng, ROWS);
  state(&rig);
  correlate(&rig, 34, 0.05, 0.8);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  for (size_t j = 0; j < 6; j++) {
    assert_int_equal(fit->joint[j].statistics.rows_used, ROWS);
    sum += fit->joint[j].statistics.widening / 6;
  }
  if (!(sum > 1.6 && sum < 3.5)) /* (1 + rho)/(1 - rho): 3; of sums of 4: 1.8, of 8: 2.2 */
    fail_msg("widening %.3g", sum);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_noise(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 12, true);
  for (size_t k = 0; k < 2; k++) {
    const double rho = k ? 0.8 : 0, want = sqrt((1 + rho) / (1 - rho));
    state(&rig);
    correlate(&rig, 13, 0.05, rho);
    ArmDynamicsFit *fit = identify(&rig, NULL);
    for (size_t j = 0; j < 6; j++) {
      const ArmJointStatistics *s = &fit->joint[j].statistics;
      assert_int_equal(s->rows_used, SAMPLES);
      assert_true(test_is_near(s->residual_sd, 0.05, k ? 0.15 : 0.06, 0));
      if (!test_is_near(s->lag1, rho, 0, 0.25) ||
          !(k ? test_is_near(s->widening, want, 0.35, 0) : s->widening < 1.5))
        fail_msg("joint %zu: lag 1 %.3g, widening %.3g, expected %.3g, %.3g", j + 1, s->lag1,
                 s->widening, rho, want);
      assert_true(s->r2 > 0.9 && s->r2 < 1);
    }
    arm_dynamics_fit_free(fit);
    arm_information_free(rig.information);
    assert_int_equal(arm_information_new(rig.base, &rig.information), ARM_OK);
  }
  rig_clear(&rig);
}

/* ---- what rows do not say ---- */

/* Rows [from, to) of one joint alone. */
static void push_part(Rig *rig, size_t joint, size_t from, size_t to) {
  assert_int_equal(arm_information_push(rig->information, joint, rig->rows.rows[joint] + from,
                                        to - from, rig->rows.samples),
                   ARM_OK);
}

static ArmDynamicsFit *identify_what_is_there(Rig *rig) {
  ArmDynamicsFit *fit = NULL;
  assert_int_equal(arm_dynamics_identify(rig->information, rig->joint, NULL, &fit), ARM_OK);
  return fit;
}

static void test_joints_that_take_no_part(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 14, true);
  state(&rig);
  memset(rig.rows.rows[4] + (rig.rows.columns - 1) * SAMPLES, 0, SAMPLES * sizeof(double));
  for (size_t j = 0; j < 5; j++)
    push_part(&rig, j, 0, SAMPLES);
  ArmDynamicsFit *fit = identify_what_is_there(&rig);
  for (size_t l = 0; l < ARM_DYN_LOCAL; l++) {
    check_is_not(&fit->joint[5].local[l], ARM_REASON_NO_ROWS);
    check_is_not(&fit->joint[4].local[l], ARM_REASON_CURRENT_ZERO);
  }
  check_is_not(&fit->joint[5].eta, ARM_REASON_NO_ROWS);
  check_is_not(&fit->joint[4].to_first, ARM_REASON_CURRENT_ZERO);
  assert_true(test_is_near(fit->joint[5].eta.used, rig.joint[5].eta, 1e-15, 0));
  for (size_t j = 0; j < 4; j++)
    assert_true(
        test_is_near(fit->joint[j].to_first.value, rig.drives.eta[j] / rig.drives.eta[0], 1e-6, 0));
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_one_direction_and_no_acceleration(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 15, true);
  state(&rig);
  double *rows = rig.rows.rows[3];
  for (size_t s = 0; s < SAMPLES; s++) { /* joint 4 as if it turned forward at one speed */
    rows[s + ARM_DYN_COULOMB_POS * SAMPLES] = 1;
    rows[s + ARM_DYN_VISCOUS_POS * SAMPLES] = 0.5;
    rows[s + ARM_DYN_COULOMB_NEG * SAMPLES] = rows[s + ARM_DYN_VISCOUS_NEG * SAMPLES] = 0;
    rows[s + ARM_DYN_ROTOR * SAMPLES] = 0;
  }
  dyn_rows_drive(&rig.rows, rig.beta, &rig.drives);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  check_is_not(&fit->joint[3].local[ARM_DYN_COULOMB_POS], ARM_REASON_ONE_SPEED);
  check_is_not(&fit->joint[3].local[ARM_DYN_VISCOUS_POS], ARM_REASON_ONE_SPEED);
  check_is_not(&fit->joint[3].local[ARM_DYN_COULOMB_NEG], ARM_REASON_ONE_DIRECTION);
  check_is_not(&fit->joint[3].local[ARM_DYN_VISCOUS_NEG], ARM_REASON_ONE_DIRECTION);
  check_is_not(&fit->joint[3].local[ARM_DYN_ROTOR], ARM_REASON_NO_ACCELERATION);
  check_is_not(&fit->joint[0].local[ARM_DYN_ROTOR], ARM_REASON_DEPENDS_ON_OTHER);
  assert_true(fit->joint[4].local[ARM_DYN_ROTOR].identifiable);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* The arm holds one pose: gravity alone, of one pose. */
static void test_a_motion_that_is_none(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 16, true);
  state(&rig);
  for (size_t j = 0; j < 6; j++)
    for (size_t c = 0; c < rig.rows.columns; c++)
      for (size_t s = 1; s < SAMPLES; s++)
        rig.rows.rows[j][s + c * SAMPLES] = rig.rows.rows[j][c * SAMPLES];
  ArmDynamicsFit *fit = identify(&rig, NULL);
  for (size_t b = 0; b < fit->count; b++)
    check_is_not(&fit->base[b], ARM_REASON_MOTION_TOO_SIMPLE);
  for (size_t j = 0; j < 6; j++)
    assert_false(fit->joint[j].to_first.identifiable);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_too_few_rows(void **unused) {
  Rig rig;
  (void)unused;
  puma(&rig, 17, true);
  state(&rig);
  disturb(&rig, 18, 0.02);
  for (size_t j = 0; j < 6; j++)
    push_part(&rig, j, 0, 5);
  ArmDynamicsFit *fit = identify_what_is_there(&rig);
  for (size_t j = 0; j < 6; j++)
    for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
      assert_false(fit->joint[j].local[l].identifiable);
  for (size_t b = 0; b < fit->count; b++)
    assert_false(fit->base[b].identifiable);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_refusals(void **unused) {
  ArmDynamicsOptions options = arm_dynamics_defaults;
  ArmDynamicsFit *fit = NULL;
  Rig rig;
  (void)unused;
  puma(&rig, 19, true);
  assert_int_equal(arm_dynamics_identify(rig.information, rig.joint, NULL, &fit), ARM_E_NO_DATA);
  assert_true(dyn_rows_push(&rig.rows, rig.information));
  options.worst_ratio = 0;
  assert_int_equal(arm_dynamics_identify(rig.information, rig.joint, &options, &fit),
                   ARM_E_ARGUMENT);
  options = arm_dynamics_defaults;
  options.rel_sd = (double)NAN;
  assert_int_equal(arm_dynamics_identify(rig.information, rig.joint, &options, &fit),
                   ARM_E_ARGUMENT);
  rig.joint[1].eta = 0;
  assert_int_equal(arm_dynamics_identify(rig.information, rig.joint, NULL, &fit), ARM_E_ARGUMENT);
  assert_null(fit);
  arm_dynamics_fit_free(NULL);
  rig_clear(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_stated),
      cmocka_unit_test(test_reference),
      cmocka_unit_test(test_datasheet),
      cmocka_unit_test(test_a_scale_in_little_noise),
      cmocka_unit_test(test_torques),
      cmocka_unit_test(test_one_torque),
      cmocka_unit_test(test_a_sign_stated_otherwise),
      cmocka_unit_test(test_a_bare_wrist),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_noise_of_few_rows),
      cmocka_unit_test(test_joints_that_take_no_part),
      cmocka_unit_test(test_one_direction_and_no_acceleration),
      cmocka_unit_test(test_a_motion_that_is_none),
      cmocka_unit_test(test_too_few_rows),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
