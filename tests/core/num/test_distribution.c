/* SPDX-License-Identifier: MIT */
/* Tails of chi^2, F and t against printed tables and closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/num/distribution.h"
#include "support/support.h"

typedef struct {
  double tail, dof1, dof2, x;
} Entry;

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7: tables of critical values */
static const Entry chi2_table[] = {
    {0.10, 1, 0, 2.706},     {0.05, 1, 0, 3.841},   {0.001, 1, 0, 10.828},
    {0.05, 5, 0, 11.070},    {0.01, 10, 0, 23.209}, {0.001, 30, 0, 59.703},
    {0.05, 100, 0, 124.342}, {0.95, 10, 0, 3.940},  {0.99, 30, 0, 14.953},
};
static const Entry f_table[] = {
    {0.05, 1, 1, 161.448}, {0.05, 2, 10, 4.103}, {0.05, 10, 10, 2.978},  {0.01, 1, 10, 10.044},
    {0.01, 5, 20, 4.103},  {0.10, 3, 12, 2.606}, {0.01, 10, 100, 2.503}, {0.05, 20, 60, 1.748},
};
static const Entry t_table[] = {
    {0.10, 1, 0, 3.078},   {0.05, 10, 0, 1.812},   {0.001, 5, 0, 5.893},
    {0.025, 30, 0, 2.042}, {0.005, 100, 0, 2.626},
};

#define COUNT(table) (sizeof table / sizeof table[0])

/* the tables have four digits: the tail at x moves by about 1e-3 of itself within them */
static void test_tables(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT(chi2_table); k++)
    assert_true(test_is_near(arm_chi2_upper(chi2_table[k].x, chi2_table[k].dof1),
                             chi2_table[k].tail, 2e-3, 0));
  for (size_t k = 0; k < COUNT(f_table); k++)
    assert_true(test_is_near(arm_f_upper(f_table[k].x, f_table[k].dof1, f_table[k].dof2),
                             f_table[k].tail, 2e-3, 0));
  for (size_t k = 0; k < COUNT(t_table); k++)
    assert_true(test_is_near(arm_t_upper(t_table[k].x, t_table[k].dof1), t_table[k].tail, 2e-3, 0));
}

/* chi^2 of 2, F of (2, m), t of 1 and of 2 have closed forms, far out as well */
static void test_closed_forms(void **state) {
  (void)state;
  for (double x = 0.01; x < 1300; x *= 1.7) {
    assert_true(test_is_near(arm_chi2_upper(x, 2), exp(-0.5 * x), 1e-11, 0));
    assert_true(test_is_near(arm_chi2_upper(x, 1), erfc(sqrt(0.5 * x)), 1e-11, 0));
    for (double m = 1; m < 300; m *= 3)
      assert_true(test_is_near(arm_f_upper(x, 2, m), pow(1 + 2 * x / m, -0.5 * m), 1e-11, 0));
    assert_true(test_is_near(arm_t_upper(x, 1), atan2(1, x) / acos(-1), 1e-11, 0));
    assert_true(
        test_is_near(arm_t_upper(x, 2), 1 / (x * x + 2) / (1 + x / sqrt(x * x + 2)), 1e-11, 0));
  }
}

/* P(F > x; a, b) + P(F > 1/x; b, a) = 1, for degrees that are not whole */
static void test_identities(void **state) {
  (void)state;
  for (double a = 0.3; a < 200; a *= 2.1)
    for (double b = 0.7; b < 300; b *= 1.9)
      for (double x = 0.05; x < 20; x *= 2)
        assert_true(test_is_near(arm_f_upper(x, a, b) + arm_f_upper(1 / x, b, a), 1, 1e-12, 0));
  assert_true(test_is_near(arm_t_upper(-2, 7) + arm_t_upper(2, 7), 1, 1e-14, 0));
  assert_true(test_is_near(arm_chi2_upper(3, 4.4), arm_f_upper(3 / 4.4, 4.4, 1e6), 1e-5, 0));
}

static void test_edges(void **state) {
  (void)state;
  assert_true(arm_chi2_upper(0, 3) == 1 && arm_chi2_upper(-1, 3) == 1);
  assert_true(arm_f_upper(0, 3, 4) == 1 && arm_f_upper((double)INFINITY, 3, 4) == 0);
  assert_true(isnan(arm_chi2_upper(1, 0)) && isnan(arm_chi2_upper((double)NAN, 1)));
  assert_true(isnan(arm_f_upper(1, 0, 1)) && isnan(arm_f_upper(1, 1, -1)));
  assert_true(isnan(arm_f_upper((double)NAN, 1, 1)) && isnan(arm_t_upper(1, 0)));
  assert_true(arm_f_upper(9e4, 23, 66) > 1e-140 && arm_f_upper(9e4, 23, 66) < 1e-90);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables),
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_identities),
      cmocka_unit_test(test_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
