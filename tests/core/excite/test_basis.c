/* SPDX-License-Identifier: MIT */
/* Bases: against the convolution that defines B-splines and the formula of a Fourier series,
 * derivatives against differences, ends at rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "core/excite/basis.h"
#include "support/support.h"

static const ArmBasis bases[] = {
    {ARM_BASIS_FOURIER, 1, 3, false},  {ARM_BASIS_FOURIER, 5, 10, false},
    {ARM_BASIS_FOURIER, 10, 20, true}, {ARM_BASIS_SPLINE, 6, 2, false},
    {ARM_BASIS_SPLINE, 25, 20, false}, {ARM_BASIS_SPLINE, 30, 10, true},
};
enum { BASES = sizeof bases / sizeof *bases, JOINTS = 3 };

static double row[ARM_BASIS_MAX_FUNCTIONS], other[ARM_BASIS_MAX_FUNCTIONS];
static double z[ARM_BASIS_MAX_FUNCTIONS * ARM_BASIS_MAX_FUNCTIONS];

static void test_fourier(void **state) {
  const ArmBasis *basis = &bases[1];
  const double t = 3.7, w = 2 * acos(-1) / 10;
  (void)state;
  arm_basis_row(basis, 0, t, row);
  assert_int_equal(arm_basis_functions(basis), 11);
  assert_true(row[0] == 1);
  for (int k = 1; k <= 5; k++) {
    assert_true(test_is_near(row[2 * k - 1], sin(k * w * t) / k, 0, 1e-14));
    assert_true(test_is_near(row[2 * k], -cos(k * w * t) / k, 0, 1e-14));
  }
}

/* Cox and de Boor's recursion on the knots 0..6. */
static double de_boor(int degree, int first, double x) {
  if (degree == 0)
    return x >= first && x < first + 1;
  return (x - first) / degree * de_boor(degree - 1, first, x) +
         (first + degree + 1 - x) / degree * de_boor(degree - 1, first + 1, x);
}

static void test_spline(void **state) {
  const ArmBasis basis = {ARM_BASIS_SPLINE, 9, 4.5, false};
  (void)state;
  for (int s = -40; s < 140; s++) {
    const double t = 0.0671 * s;
    double u = t / 0.5 - 9 * floor(t / 4.5), sum = 0;
    arm_basis_row(&basis, 0, t, row);
    for (int k = 0; k < 9; k++) {
      double want = 0;
      for (int i = k; i < 9 + 5; i += 9)
        want += de_boor(5, 0, u - i + 5);
      assert_true(test_is_near(row[k], want, 0, 1e-14));
      sum += row[k];
    }
    assert_true(test_is_near(sum, 1, 0, 1e-14));
  }
}

/* Each derivative against central differences of the one before; also beyond a period. */
static void test_derivatives(void **state) {
  const double h = 1e-5;
  (void)state;
  for (int b = 0; b < BASES; b++)
    for (unsigned d = 1; d < ARM_BASIS_DERIVATIVES; d++)
      for (int s = 0; s < 9; s++) {
        const double t = bases[b].period_s * (-0.6 + 0.2431 * s);
        double want[ARM_BASIS_MAX_FUNCTIONS], largest = 0;
        const size_t count = arm_basis_functions(&bases[b]);
        arm_basis_row(&bases[b], d, t, want);
        arm_basis_row(&bases[b], d - 1, t + h, row);
        arm_basis_row(&bases[b], d - 1, t - h, other);
        for (size_t k = 0; k < count; k++)
          largest = fmax(largest, fabs(want[k]));
        for (size_t k = 0; k < count; k++)
          assert_true(test_is_near((row[k] - other[k]) / (2 * h), want[k], 0, 1e-5 * largest));
      }
}

static void test_ends_at_rest(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(1));
  for (int b = 0; b < BASES; b++) {
    const ArmBasis *basis = &bases[b];
    const size_t count = arm_basis_functions(basis), left = arm_basis_free(basis);
    double y[JOINTS * ARM_BASIS_MAX_FUNCTIONS], back[JOINTS * ARM_BASIS_MAX_FUNCTIONS];
    double c[JOINTS * ARM_BASIS_MAX_FUNCTIONS], q[JOINTS], qd[JOINTS], qdd[JOINTS], later[JOINTS];
    assert_int_equal(left, basis->is_at_rest ? count - 2 : count);
    arm_basis_null_space(basis, z);
    for (size_t k = 0; k < JOINTS * left; k++)
      y[k] = test_rng_normal(&rng);
    arm_basis_expand(basis, z, JOINTS, y, c);
    arm_basis_reduce(basis, z, JOINTS, c, back);
    for (size_t k = 0; k < JOINTS * left; k++)
      assert_true(test_is_near(back[k], y[k], 0, 1e-13)); /* Z'Z = 1 */
    arm_basis_motion(basis, JOINTS, c, 0, q, qd, qdd);
    arm_basis_motion(basis, JOINTS, c, basis->period_s, later, NULL, NULL);
    for (size_t j = 0; j < JOINTS; j++) {
      assert_true(test_is_near(q[j], later[j], 0, 1e-12));
      assert_true(!basis->is_at_rest == (fabs(qd[j]) > 1e-9));
      assert_true(!basis->is_at_rest == (fabs(qdd[j]) > 1e-9));
    }
  }
}

/* Rows of the free variables are those of the motion that they make. */
static void test_rows(void **state) {
  enum { SAMPLES = 7 };
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(2));
  for (int b = 0; b < BASES; b++) {
    const ArmBasis *basis = &bases[b];
    const size_t left = arm_basis_free(basis);
    double y[ARM_BASIS_MAX_FUNCTIONS], c[ARM_BASIS_MAX_FUNCTIONS], want[3];
    static double rows[SAMPLES * ARM_BASIS_MAX_FUNCTIONS];
    arm_basis_null_space(basis, z);
    for (size_t k = 0; k < left; k++)
      y[k] = test_rng_normal(&rng);
    arm_basis_expand(basis, z, 1, y, c);
    for (unsigned d = 0; d < 3; d++) {
      arm_basis_rows(basis, z, d, SAMPLES, 0.1, 0.3, rows);
      for (int s = 0; s < SAMPLES; s++) {
        double sum = 0;
        for (size_t k = 0; k < left; k++)
          sum += rows[s + (size_t)SAMPLES * k] * y[k];
        arm_basis_motion(basis, 1, c, 0.1 + 0.3 * s, want, want + 1, want + 2);
        assert_true(test_is_near(sum, want[d], 1e-11, 1e-11));
      }
    }
  }
}

static void test_shrink(void **state) {
  (void)state;
  for (int b = 0; b < BASES; b++) {
    const size_t count = arm_basis_functions(&bases[b]);
    double c[ARM_BASIS_MAX_FUNCTIONS], before[3], after[3];
    for (size_t k = 0; k < count; k++)
      c[k] = sin(1.0 + (double)k);
    arm_basis_motion(&bases[b], 1, c, 1.234, before, before + 1, before + 2);
    arm_basis_shrink(&bases[b], 0.3, 2.5, c);
    arm_basis_motion(&bases[b], 1, c, 1.234, after, after + 1, after + 2);
    assert_true(test_is_near(after[0], 0.3 + (before[0] - 0.3) / 2.5, 1e-12, 1e-12));
    assert_true(test_is_near(after[1], before[1] / 2.5, 1e-12, 1e-12));
    assert_true(test_is_near(after[2], before[2] / 2.5, 1e-12, 1e-12));
  }
}

static void test_refused(void **state) {
  const ArmBasis argument[] = {
      {ARM_BASIS_FOURIER, 0, 1, false},         {ARM_BASIS_FOURIER, 128, 1, false},
      {ARM_BASIS_SPLINE, 5, 1, false},          {ARM_BASIS_SPLINE, 257, 1, false},
      {ARM_BASIS_SPLINE, (size_t)-1, 1, false}, {ARM_BASIS_FOURIER, (size_t)-1, 1, false}};
  const ArmBasis period[] = {{ARM_BASIS_FOURIER, 1, 0, false},
                             {ARM_BASIS_SPLINE, 6, (double)NAN, false},
                             {ARM_BASIS_SPLINE, 6, (double)INFINITY, false}};
  (void)state;
  for (int k = 0; k < 6; k++)
    assert_int_equal(arm_basis_check(&argument[k]), ARM_E_ARGUMENT);
  for (int k = 0; k < 3; k++)
    assert_int_equal(arm_basis_check(&period[k]), ARM_E_NOT_FINITE);
  for (int b = 0; b < BASES; b++)
    assert_int_equal(arm_basis_check(&bases[b]), ARM_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fourier),     cmocka_unit_test(test_spline),
      cmocka_unit_test(test_derivatives), cmocka_unit_test(test_ends_at_rest),
      cmocka_unit_test(test_rows),        cmocka_unit_test(test_shrink),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
