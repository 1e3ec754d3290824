/* SPDX-License-Identifier: MIT */
/* Recordings that are wrong, and searches that find nothing: no number runs off, and none is
 * told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "identify_puma.h"

/* Joint 4 turns, and its encoder does not: no model is right, and 15 base parameters are in no
 * row. */
static void stick(Rig *rig) {
  ArmModel model = rig->model;
  DynRows shown;
  DynMotion motion;
  TestRng rng;
  test_rng_init(&rng, 31);
  dyn_motion_fourier(&rng, &model, SAMPLES, 20, 5, &motion);
  dyn_rows_clear(&rig->rows);
  dyn_rows_init(&model, rig->base, &motion, &rig->rows);
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  disturb(rig, 32, 0.02);
  for (size_t s = 0; s < SAMPLES; s++) {
    motion.q[s + 3 * SAMPLES] = 0.3;
    motion.qd[s + 3 * SAMPLES] = motion.qdd[s + 3 * SAMPLES] = 0;
  }
  dyn_rows_init(&model, rig->base, &motion, &shown);
  for (size_t j = 0; j < 6; j++)
    memcpy(rig->rows.rows[j], shown.rows[j], SAMPLES * (shown.columns - 1) * sizeof *shown.rows[j]);
  dyn_rows_clear(&shown);
  dyn_motion_clear(&motion);
}

static void push_but(Rig *rig, size_t idle) {
  for (size_t j = 0; j < 6; j++)
    if (j != idle)
      assert_int_equal(
          arm_information_push(rig->information, j, rig->rows.rows[j], SAMPLES, SAMPLES), ARM_OK);
}

/* What no row shows stays where it is; pushed by rounding, it ran off to 1e11 kg m^2. */
static void test_an_encoder_that_sticks(void **unused) {
  for (uint64_t seed = 41; seed < 45; seed++) {
    Rig rig;
    ArmDynamicsFit *fit = NULL;
    size_t unseen = 0;
    (void)unused;
    puma(&rig, seed, true);
    state(&rig);
    stick(&rig);
    push_but(&rig, 3);
    assert_int_equal(arm_dynamics_identify(rig.information, rig.joint, NULL, &fit), ARM_OK);
    assert_true(fit->has_converged);
    for (size_t b = 0; b < fit->count; b++) {
      unseen += fit->base[b].reason == ARM_REASON_MOTION_TOO_SIMPLE;
      assert_true(fabs(fit->base[b].used) < 100);
    }
    assert_true(unseen > 5);
    arm_dynamics_fit_free(fit);
    rig_clear(&rig);
  }
}

static void test_a_search_that_does_not_converge(void **unused) {
  Rig rig;
  ArmDynamicsOptions options = arm_dynamics_defaults;
  ArmParamSet set;
  (void)unused;
  options.most_trials = 1;
  puma(&rig, 9, true);
  state(&rig);
  rig.joint[0].eta = (double)NAN;
  disturb(&rig, 5, 0.02);
  ArmDynamicsFit *fit = identify(&rig, &options);
  assert_false(fit->has_converged);
  for (size_t j = 0; j < 6; j++) {
    check_is_not(&fit->joint[j].eta, ARM_REASON_NOT_CONVERGED);
    check_is_not(&fit->joint[j].to_first, ARM_REASON_NOT_CONVERGED);
    check_is_not(&fit->joint[j].local[ARM_DYN_COULOMB_POS], ARM_REASON_NOT_CONVERGED);
    if (j > 0)
      assert_true(fabs(fit->joint[j].eta.used / rig.joint[j].eta - 1) < 1e-12);
  }
  for (size_t b = 0; b < fit->count; b++)
    assert_true(!fit->base[b].identifiable && fabs(fit->base[b].used) < 100);
  for (size_t k = 0; k < fit->unknowns * fit->unknowns; k++)
    assert_true(fit->covariance[k] == 0);
  assert_int_equal(arm_dynamics_set(fit, &rig.model, rig.base, &set), ARM_OK);
  for (size_t k = 0; k < set.n; k++)
    assert_false(set.estimate[k].identifiable);
  assert_int_equal(set.n_covered, 0);
  arm_param_set_clear(&set);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_encoder_that_sticks),
      cmocka_unit_test(test_a_search_that_does_not_converge),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
