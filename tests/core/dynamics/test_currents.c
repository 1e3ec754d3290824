/* SPDX-License-Identifier: MIT */
/* Currents and torques of moving arms from what was identified: of arms whose truth is known, in
 * motions that were not fitted; torques of the truth by Newton and Euler, no regressor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

#include "currents_rig.h"

enum { ARMS = 30 };

static void random_model(TestRng *rng, ArmModel *model) {
  ArmModel random;
  dyn_random_arm(rng, 2 + test_rng_below(rng, 6), &random);
  (void)arm_nominal(&random, model, NULL); /* what is snapped would be missing */
}

/* ---- without noise: exact ---- */

static void check_arm(const char *name, const ArmModel *model, TestRng *rng) {
  Predicted p;
  predicted_init(&p, model, rng, 0, false, NULL);
  predict(&p, NULL);
  const double error = deviation(&p, p.current, p.moving->effort);
  if (!(error < 1e-9))
    fail_msg("%s: currents of another motion are off by %.3g", name, error);
  predicted_clear(&p);
}

static void test_known_arms(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(27));
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++)
    check_arm(c->name, &c->model, &rng);
}

static void test_random_arms(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(30));
  for (size_t arm = 0; arm < ARMS; arm++) {
    char name[32];
    ArmModel model;
    random_model(&rng, &model);
    snprintf(name, sizeof name, "arm %zu", arm);
    check_arm(name, &model, &rng);
  }
}

/* Currents of the drives, with a wrist whose motors are coupled: Lin 1994, (38)-(40). */
static void test_coupled_wrist(void **state) {
  ArmModel model = find_case("PUMA560-AKB")->model;
  TestRng rng;
  Predicted p;
  (void)state;
  test_rng_init(&rng, test_seed(38));
  predicted_init(&p, &model, &rng, 0, false, NULL);
  model.has_coupling = true;
  model.coupling[4][3] = 0.0139;
  model.coupling[5][3] = -0.013;
  model.coupling[5][4] = 0.181;
  MovingDrive drives[BASE_JOINTS] = {0};
  for (size_t j = 0; j < model.n; j++) {
    drives[j].eta = p.rig.drives.eta[j];
    memcpy(drives[j].phi, p.rig.drives.local[j], sizeof drives[j].phi);
    if (!arm_currents_has_rotor(p.currents, j)) /* is in base parameters, of joints not coupled */
      drives[j].phi[ARM_DYN_ROTOR] = 0;
  }
  arm_currents_free(p.currents);
  assert_int_equal(arm_currents_new(&model, &p.set, &p.currents), ARM_OK);
  predict(&p, NULL);
  double *before = calloc(STATES * model.n, sizeof *before);
  assert_non_null(before);
  memcpy(before, p.moving->effort, STATES * model.n * sizeof *before);
  assert_true(deviation(&p, p.current, before) > 1e-3); /* it matters */
  /* The rotors of joints 1 and 2 turn with these joints alone: the same as base parameters. */
  for (size_t j = 0; j < 2; j++)
    drives[j].phi[ARM_DYN_ROTOR] = p.rig.drives.local[j][ARM_DYN_ROTOR];
  moving_drive(p.moving, &model, p.pi, drives);
  assert_true(deviation(&p, p.current, p.moving->effort) < 1e-9);
  free(before);
  predicted_clear(&p);
}

static void test_torques(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(31));
  for (size_t arm = 0; arm < ARMS / 3; arm++) {
    Predicted p;
    ArmModel model;
    ArmReason why;
    random_model(&rng, &model);
    predicted_init(&p, &model, &rng, 0, true, NULL);
    const ArmCurrentsStates states = states_of(p.moving);
    arm_currents_torque(p.currents, &states, p.current, p.sd);
    MovingDrive links[BASE_JOINTS] = {0};
    for (size_t j = 0; j < BASE_JOINTS; j++)
      links[j].eta = 1;
    moving_drive(p.moving, &model, p.pi, links);
    const double error = deviation(&p, p.current, p.moving->effort);
    if (!(error < 1e-9))
      fail_msg("arm %zu: torques are off by %.3g", arm, error);
    for (size_t j = 0; j < model.n; j++)
      assert_false(arm_currents_lacks_torque(p.currents, j, &why));
    predicted_clear(&p);
  }
}

/* ---- with noise ---- */

/* What was fitted is predicted as the fit has it: its rows times its values. */
static void test_training_rows(void **state) {
  TestRng rng;
  Predicted p;
  (void)state;
  test_rng_init(&rng, test_seed(32));
  predicted_init(&p, &find_case("PUMA560-AKB")->model, &rng, 0.02, false, NULL);
  DynRows *rows = &p.rig.rows;
  DynMotion motion;
  DynDrives fitted = {0};
  double beta[BASE_COLUMNS];
  size_t b = 0;
  for (size_t k = 0; k < p.set.n; k++) {
    const ArmParamId id = p.set.param[k].id;
    const double used = p.set.estimate[k].used;
    if (id.kind == ARM_PARAM_BASE)
      beta[b++] = used;
    else if (id.kind == ARM_PARAM_ETA)
      fitted.eta[id.i] = used;
    else if (id.kind == ARM_PARAM_ROTOR)
      fitted.local[id.i][ARM_DYN_ROTOR] = used;
    else if (id.kind >= ARM_PARAM_COULOMB_POS && id.kind <= ARM_PARAM_VISCOUS_NEG)
      fitted.local[id.i][id.kind - ARM_PARAM_COULOMB_POS] = used;
  }
  assert_int_equal(b, rows->count);
  dyn_rows_clear(rows);
  dyn_motion_random(&rng, 6, STATES, &motion);
  dyn_rows_init(&p.rig.model, p.rig.base, &motion, rows);
  dyn_rows_drive(rows, beta, &fitted);
  const ArmCurrentsStates states = {STATES, STATES, motion.q, motion.qd, motion.qdd};
  const ArmPredictOptions none = {0};
  arm_currents_predict(p.currents, &states, &none, p.current, p.sd);
  assert_true(deviation(&p, p.current, rows->current) < 1e-12);
  dyn_motion_clear(&motion);
  predicted_clear(&p);
}

/* 40 fits with noise: errors of another motion over their sds have a variance of 1. PUMA with data
 * sheets: no joint's scale matters. */
static void test_sds_hold(void **state) {
  enum { FITS = 40 };
  double sum = 0;
  size_t count = 0;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(33));
  for (size_t fit = 0; fit < FITS; fit++) {
    Predicted p;
    predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0.05, false, NULL);
    predict(&p, NULL);
    for (size_t k = 0; k < STATES * p.rig.model.n; k += 17) {
      const double z = (p.current[k] - p.moving->effort[k]) / p.sd[k];
      sum += z * z;
      count++;
    }
    predicted_clear(&p);
  }
  const double variance = sum / (double)count;
  if (!(variance > 0.7 && variance < 1.4))
    fail_msg("variance of errors over sds: %.3g", variance);
}

static void test_noise(void **state) {
  TestRng rng;
  Predicted p;
  double mean[STATES * BASE_JOINTS];
  const ArmPredictOptions with_noise = {.wants_noise = true};
  (void)state;
  test_rng_init(&rng, test_seed(34));
  predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0.05, false, NULL);
  predict(&p, NULL);
  memcpy(mean, p.sd, sizeof mean);
  predict(&p, &with_noise);
  for (size_t j = 0; j < p.rig.model.n; j++)
    for (size_t s = 0; s < STATES; s++) {
      const double residual = p.set.joint[j].residual_sd, *sd = p.sd + j * STATES;
      assert_true(test_is_near(sd[s], hypot(mean[s + j * STATES], residual), 1e-12, 0));
      assert_true(residual > 0.04 && residual < 0.06);
    }
  arm_currents_set_noise(p.currents, 1, 0.3);
  predict(&p, &with_noise);
  for (size_t s = 0; s < STATES; s++) {
    assert_true(test_is_near(p.sd[s], hypot(mean[s], p.set.joint[0].residual_sd), 1e-12, 0));
    assert_true(test_is_near(p.sd[s + STATES], hypot(mean[s + STATES], 0.3), 1e-12, 0));
  }
  predicted_clear(&p);
}

/* ---- blocks ---- */

static void test_blocks(void **state) {
  TestRng rng;
  Predicted p;
  const ArmPredictOptions none = {0};
  double current[7 * BASE_JOINTS], sd[7 * BASE_JOINTS];
  (void)state;
  test_rng_init(&rng, test_seed(35));
  predicted_init(&p, &find_case("Stanford")->model, &rng, 0.05, false, NULL);
  predict(&p, NULL);
  for (size_t first = 0; first < STATES; first += 7) {
    const size_t count = STATES - first < 7 ? STATES - first : 7;
    double q[7 * BASE_JOINTS], qd[7 * BASE_JOINTS], qdd[7 * BASE_JOINTS];
    const ArmCurrentsStates states = {count, 7, q, qd, qdd};
    for (size_t j = 0; j < p.rig.model.n; j++)
      for (size_t s = 0; s < count; s++) {
        q[s + 7 * j] = p.moving->q[first + s + j * STATES];
        qd[s + 7 * j] = p.moving->qd[first + s + j * STATES];
        qdd[s + 7 * j] = p.moving->qdd[first + s + j * STATES];
      }
    arm_currents_predict(p.currents, &states, &none, current, sd);
    for (size_t j = 0; j < p.rig.model.n; j++)
      for (size_t s = 0; s < count; s++) {
        const size_t at = first + s + j * STATES;
        assert_memory_equal(&current[s + 7 * j], &p.current[at], sizeof(double));
        assert_memory_equal(&sd[s + 7 * j], &p.sd[at], sizeof(double));
      }
  }
  predicted_clear(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_arms),    cmocka_unit_test(test_random_arms),
      cmocka_unit_test(test_coupled_wrist), cmocka_unit_test(test_torques),
      cmocka_unit_test(test_training_rows), cmocka_unit_test(test_sds_hold),
      cmocka_unit_test(test_noise),         cmocka_unit_test(test_blocks),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
