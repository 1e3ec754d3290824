/* SPDX-License-Identifier: MIT */
/* Log-Cholesky parameters and what makes ten numbers a body: known cases, round trips, identities.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/inertia_check.h"
#include "core/dynamics/logchol.h"
#include "support/dyn_random.h"
#include "support/support.h"

enum { P = ARM_LOGCHOL, BODIES = 1000 };

static double largest(const double *x, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++)
    most = fmax(most, fabs(x[k]));
  return most;
}

/* |got - want| <= limit (1 + max |want|) */
static void check_near(const double *got, const double *want, size_t count, double limit) {
  const double scale = 1 + largest(want, count);
  for (size_t k = 0; k < count; k++)
    if (!(fabs(got[k] - want[k]) <= limit * scale))
      fail_msg("value %d of %d is %.17g, expected %.17g", (int)k, (int)count, got[k], want[k]);
}

static void random_x(TestRng *rng, double *x) {
  for (size_t k = 0; k < P; k++)
    x[k] = test_rng_normal(rng);
}

/* ---- golden ---- */

/* The numbers after `word`; false at the end of the file. */
static bool read_line(FILE *file, const char *word, size_t count, double *value) {
  char found[16];
  if (fscanf(file, "%15s", found) != 1)
    return false;
  assert_string_equal(found, word);
  for (size_t k = 0; k < count; k++)
    assert_int_equal(fscanf(file, "%lf", value + k), 1);
  return true;
}

static void check_sample(const double *x, const double *theta, const double *pseudo,
                         const double *rows) {
  double pi[P], got[P], p[ARM_PSEUDO], back[P], jacobian[P * P], want[P * P];
  arm_inertia_from_order(ARM_INERTIA_ORDER_GAUTIER_KHALIL, theta, pi);
  arm_logchol_to_inertia(x, got);
  check_near(got, pi, P, 1e-13);
  arm_pseudo_from_inertia(pi, p);
  check_near(p, pseudo, ARM_PSEUDO, 1e-13);
  assert_int_equal(arm_logchol_from_inertia(pi, back), ARM_OK);
  check_near(back, x, P, 1e-11); /* theta has 15 digits */
  for (size_t r = 0; r < P; r++)
    for (size_t c = 0; c < P; c++)
      want[arm_inertia_place(ARM_INERTIA_ORDER_GAUTIER_KHALIL, r) + P * c] = rows[P * r + c];
  arm_logchol_jacobian(x, jacobian);
  check_near(jacobian, want, P * P, 1e-13);
}

static void test_golden(void **state) {
  const char *path = test_golden_path("logchol.txt");
  FILE *file = path ? fopen(path, "r") : NULL;
  double x[P], theta[P], pseudo[ARM_PSEUDO], rows[P * P];
  int samples = 0;
  (void)state;
  assert_non_null(file);
  assert_int_equal(fscanf(file, "#%*[^\n]"), 0);
  for (; read_line(file, "x", P, x); samples++) {
    assert_true(read_line(file, "theta", P, theta));
    assert_true(read_line(file, "pseudo", ARM_PSEUDO, pseudo));
    assert_true(read_line(file, "jacobian", P * P, rows));
    check_sample(x, theta, pseudo, rows);
  }
  fclose(file);
  assert_int_equal(samples, 6);
}

/* ---- identities ---- */

static void test_round_trip(void **state) {
  double worst = 0;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17600));
  for (int k = 0; k < BODIES; k++) {
    double x[P], pi[P], back[P], again[P], p[ARM_PSEUDO];
    random_x(&rng, x);
    arm_logchol_to_inertia(x, pi);
    assert_int_equal(arm_logchol_from_inertia(pi, back), ARM_OK);
    arm_logchol_to_inertia(back, again);
    for (size_t i = 0; i < P; i++)
      worst = fmax(worst, fabs(again[i] - pi[i]) / (1 + largest(pi, P)));
    arm_pseudo_from_inertia(pi, p);
    arm_pseudo_to_inertia(p, again);
    check_near(again, pi, P, 1e-15);
    assert_int_equal(arm_inertia_check(pi).flaw, ARM_INERTIA_CONSISTENT);
  }
  print_message("# round trip %.2g\n", worst);
  assert_true(worst <= 3e-14);
}

static void test_jacobian_by_differences(void **state) {
  double worst = 0;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17601));
  for (int k = 0; k < 200; k++) {
    double x[P], jacobian[P * P];
    random_x(&rng, x);
    arm_logchol_jacobian(x, jacobian);
    const double scale = 1 + largest(jacobian, P * P);
    for (size_t c = 0; c < P; c++) {
      double low[P], high[P], there[P];
      const double h = 1e-5;
      memcpy(there, x, sizeof there);
      there[c] = x[c] + h;
      arm_logchol_to_inertia(there, high);
      there[c] = x[c] - h;
      arm_logchol_to_inertia(there, low);
      for (size_t r = 0; r < P; r++)
        worst = fmax(worst, fabs((high[r] - low[r]) / (2 * h) - jacobian[r + P * c]) / scale);
    }
  }
  print_message("# Jacobian against central differences %.2g\n", worst);
  assert_true(worst <= 2e-10);
}

/* U0 G = U */
static void test_over(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17602));
  for (int k = 0; k < 100; k++) {
    double x[P], pi[P], p[ARM_PSEUDO], u0[ARM_PSEUDO], u[ARM_PSEUDO], g[ARM_PSEUDO];
    double product[ARM_PSEUDO] = {0};
    random_x(&rng, x);
    arm_logchol_to_inertia(x, pi);
    arm_pseudo_from_inertia(pi, p);
    assert_true(arm_pseudo_factor(p, u0));
    random_x(&rng, x);
    arm_logchol_to_inertia(x, pi);
    arm_pseudo_from_inertia(pi, p);
    assert_true(arm_pseudo_factor(p, u));
    arm_pseudo_over(u0, u, g);
    for (int r = 0; r < 4; r++)
      for (int c = 0; c < 4; c++)
        for (int i = 0; i < 4; i++)
          product[r + 4 * c] += u0[r + 4 * i] * g[i + 4 * c];
    check_near(product, u, ARM_PSEUDO, 1e-13);
  }
}

/* ---- bodies and others ---- */

static void test_clouds_are_bodies(void **state) {
  TestRng rng;
  ArmModel model;
  (void)state;
  test_rng_init(&rng, test_seed(17603));
  for (int k = 0; k < 100; k++) {
    double pi[P], x[P];
    dyn_random_arm(&rng, 1, &model);
    arm_inertia_from_link(&model.joints[0].link, pi);
    const ArmInertiaCheck check = arm_inertia_check(pi);
    assert_int_equal(check.flaw, ARM_INERTIA_CONSISTENT);
    /* the smallest principal moment is the sum of the two smallest spreads */
    assert_true(check.spread[0] > 0 && check.spread[0] <= check.spread[1] &&
                check.spread[1] <= check.spread[2]);
    assert_int_equal(arm_logchol_from_inertia(pi, x), ARM_OK);
  }
}

/* A box of 12 kg, 0.1 x 0.2 x 0.3 m: radii of gyration are its sides over sqrt 12. */
static void test_box(void **state) {
  const ArmLink box = {.is_present = true,
                       .mass_kg = 12,
                       .com_m = {0.4, -0.3, 0.2},
                       .inertia_com_kg_m2 = {0.13, 0.10, 0.05, 0, 0, 0}};
  double pi[P], x[P];
  (void)state;
  arm_inertia_from_link(&box, pi);
  const ArmInertiaCheck check = arm_inertia_check(pi);
  assert_int_equal(check.flaw, ARM_INERTIA_CONSISTENT);
  for (int k = 0; k < 3; k++)
    assert_true(test_is_near(check.spread[k], 0.01 * (k + 1) * (k + 1) / 12, 1e-12, 0));
  assert_int_equal(arm_logchol_from_inertia(pi, x), ARM_OK);
  assert_true(test_is_near(exp(2 * x[0]), 12, 1e-14, 0));
  for (int k = 0; k < 3; k++)
    assert_true(test_is_near(x[7 + k], box.com_m[k], 1e-14, 0));
}

static void check_flaw(double mass, double xx, double yy, double zz, ArmInertiaFlaw want) {
  const ArmLink link = {.is_present = true,
                        .mass_kg = mass,
                        .com_m = {0.1, 0.2, -0.3},
                        .inertia_com_kg_m2 = {xx, yy, zz, 0, 0, 0}};
  double pi[P], x[P];
  for (size_t k = 0; k < P; k++)
    x[k] = 99;
  arm_inertia_from_link(&link, pi);
  const ArmInertiaCheck check = arm_inertia_check(pi);
  if (check.flaw != want)
    fail_msg("%g kg, %g %g %g: %s, expected %s", mass, xx, yy, zz, arm_inertia_flaw_key(check.flaw),
             arm_inertia_flaw_key(want));
  if (want != ARM_INERTIA_CONSISTENT && want != ARM_INERTIA_FLAT) {
    assert_int_equal(arm_logchol_from_inertia(pi, x), ARM_E_NUMERIC);
    assert_true(x[0] == 99 && x[9] == 99);
  }
}

static void test_flaws(void **state) {
  (void)state;
  check_flaw(2, 0.03, 0.04, 0.05, ARM_INERTIA_CONSISTENT);
  check_flaw(2, 0.03, 0.04, 0.0699, ARM_INERTIA_CONSISTENT);
  check_flaw(2, 0.03, 0.04, 0.07, ARM_INERTIA_FLAT); /* a plate */
  check_flaw(2, 0.03, 0.03, 0, ARM_INERTIA_FLAT);    /* a rod */
  check_flaw(2, 0, 0, 0, ARM_INERTIA_FLAT);          /* a point */
  check_flaw(2, 0.03, 0.04, 0.0701, ARM_INERTIA_TRIANGLE);
  check_flaw(2, 0.03, 0.04, -0.001, ARM_INERTIA_NEGATIVE);
  check_flaw(2, -0.03, -0.04, -0.01, ARM_INERTIA_NEGATIVE);
  check_flaw(0, 0.03, 0.04, 0.05, ARM_INERTIA_MASS);
  check_flaw(-1, 0.03, 0.04, 0.05, ARM_INERTIA_MASS);
  check_flaw(2, 0.03, (double)NAN, 0.05, ARM_INERTIA_NOT_FINITE);
  check_flaw(2, 0.03, (double)INFINITY, 0.05, ARM_INERTIA_NOT_FINITE);
}

static void test_huge_numbers(void **state) {
  const double pi[P] = {1, 1e300, 1e300, 0, 1, 0, 1, 0, 0, 1};
  double u[ARM_PSEUDO], p[ARM_PSEUDO];
  (void)state;
  assert_int_equal(arm_inertia_check(pi).flaw, ARM_INERTIA_NOT_FINITE);
  arm_pseudo_from_inertia(pi, p);
  assert_false(arm_pseudo_factor(p, u));
}

static void test_keys(void **state) {
  (void)state;
  for (int k = 0; k < ARM_INERTIA_FLAWS; k++)
    assert_true(strlen(arm_inertia_flaw_key((ArmInertiaFlaw)k)) > 3);
  assert_string_equal(arm_inertia_flaw_key(ARM_INERTIA_FLAWS), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_jacobian_by_differences),
      cmocka_unit_test(test_over),
      cmocka_unit_test(test_clouds_are_bodies),
      cmocka_unit_test(test_box),
      cmocka_unit_test(test_flaws),
      cmocka_unit_test(test_huge_numbers),
      cmocka_unit_test(test_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
