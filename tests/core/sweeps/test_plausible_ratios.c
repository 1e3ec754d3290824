/* SPDX-License-Identifier: MIT */
/* Ratios of torque constants beside their data sheets: the joint that is out of line is named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/sweeps/plausible.h"

/* joint `wrong` has another eta than its data sheet says, by a factor */
static void compare(size_t n, size_t wrong, double factor, double sd, ArmDoubts *doubts) {
  static ArmModel model;
  double eta[4], rho[16], sds[16];
  const bool is_torque[4] = {false};
  const int cluster[4] = {0, 0, 0, 0};
  assert_int_equal(arm_model_init(&model, n), ARM_OK);
  for (size_t i = 0; i < n; i++) {
    const double constant = 0.05 * (double)(i + 1);
    model.joints[i].n_motors = 1;
    model.joints[i].motors[0] = (ArmMotor){100, i == 1 ? -1 : 1, constant, 0.1, NAN};
    eta[i] = (i == 1 ? -1 : 1) / (100 * constant) * (i == wrong ? factor : 1);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      rho[i + j * n] = i < j ? eta[i] / eta[j] : NAN;
      sds[i + j * n] = sd * fabs(rho[i + j * n]);
    }
  const ArmPlausibleRatios ratios = {n, cluster, is_torque, rho, sds};
  doubts->count = 0;
  arm_plausible_ratios(&model, &ratios, doubts);
}

static void test_ratios(void **state) {
  (void)state;
  static ArmDoubts doubts;
  compare(4, 9, 1, 0.01, &doubts);
  assert_int_equal(doubts.count, 0);
  compare(4, 2, -1, 0.01, &doubts);
  assert_int_equal(doubts.count, 1);
  assert_int_equal(doubts.at[0].kind, ARM_DOUBT_RATIO_SIGN);
  assert_int_equal(doubts.at[0].joint, 2);
  assert_true(doubts.at[0].found * doubts.at[0].expected < 0);
  assert_int_equal(doubts.at[0].count, 3);
  compare(4, 2, -1, 0.5, &doubts); /* two sds: no sign */
  assert_int_equal(doubts.count, 0);
  compare(2, 0, -1, 0.01, &doubts); /* one against one: the outer one is named, never silence */
  assert_int_equal(doubts.count, 1);
  assert_int_equal(doubts.at[0].joint, 1);
  compare(4, 1, 3, 0.01, &doubts);
  assert_int_equal(doubts.count, 1);
  assert_int_equal(doubts.at[0].kind, ARM_DOUBT_RATIO_SIZE);
  assert_int_equal(doubts.at[0].joint, 1);
  compare(4, 1, 1.3, 0.01, &doubts); /* 10 % each of two data sheets, four sds */
  assert_int_equal(doubts.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ratios)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
