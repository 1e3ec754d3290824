/* SPDX-License-Identifier: MIT */
/* Random arms: three ways to the base parameters and the rank of a regressor agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "support/base_study.h"

static void test_random_arms(void **state) {
  BaseStudy r;
  (void)state;
  base_study(test_seed(17100), 500, &r);
  print_message("# %zu arms, %zu that slide obliquely, %zu delta = 0, %zu sigma = 0: span %.2g, "
                "torque %.2g, smallest gap of singular values %.2g\n",
                r.arms, r.oblique, r.delta_zero, r.sigma_zero, r.span, r.torque, r.gap);
  assert_int_equal(r.arms, 500);
  assert_int_equal(r.disagree, 0);
  assert_true(r.span < 1e-9);
  assert_true(r.torque < 1e-12);
  assert_true(r.oblique > 20 && r.delta_zero > 20 && r.sigma_zero > 20); /* all are there */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_arms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
