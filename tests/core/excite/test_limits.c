/* SPDX-License-Identifier: MIT */
/* Limits: which are missing, what samples break, and that a shrunk motion breaks none at any time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/excite/limits.h"
#include "support/support.h"

enum { MAX_JOINTS = 7 };

static ArmModel model;
static double c[MAX_JOINTS * ARM_BASIS_MAX_FUNCTIONS];

static void random_limits(TestRng *rng, size_t n) {
  assert_int_equal(arm_model_init(&model, n), ARM_OK);
  for (size_t j = 0; j < n; j++) {
    ArmLimits *limits = &model.joints[j].limits;
    limits->q_min = test_rng_uniform(rng, -4, 4);
    limits->q_max = limits->q_min + test_rng_uniform(rng, 0.1, 6);
    limits->speed_max = exp(test_rng_uniform(rng, -3, 3));
    limits->accel_max = exp(test_rng_uniform(rng, -2, 4));
  }
}

static void test_missing(void **state) {
  TestRng rng;
  ArmMotionLimits limits = {.n = 99};
  size_t joint = 9;
  ArmMotionQuantity quantity = ARM_MOTION_QUANTITIES;
  (void)state;
  test_rng_init(&rng, 1);
  random_limits(&rng, 3);
  model.joints[2].limits.accel_max = (double)NAN;
  assert_int_equal(arm_motion_limits(&model, &limits, &joint, &quantity), ARM_E_NO_DATA);
  assert_int_equal(joint, 2);
  assert_int_equal(quantity, ARM_MOTION_ACCELERATION);
  assert_int_equal(limits.n, 99);
  model.joints[1].limits.q_max = (double)NAN;
  assert_int_equal(arm_motion_limits(&model, &limits, &joint, &quantity), ARM_E_NO_DATA);
  assert_int_equal(joint, 1);
  assert_int_equal(quantity, ARM_MOTION_POSITION);
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_E_NO_DATA);
  random_limits(&rng, 3);
  assert_int_equal(arm_motion_limits(&model, &limits, &joint, &quantity), ARM_OK);
  assert_int_equal(limits.n, 3);
  assert_true(limits.half[ARM_MOTION_SPEED][1] == model.joints[1].limits.speed_max);
}

static void test_samples(void **state) {
  enum { SAMPLES = 4 };
  ArmMotionLimits limits = {.n = 2, .middle = {1, 0}, .half = {{2, 1}, {1, 1}, {5, 5}}};
  const double q[] = {-1, 0, 3, 1, /**/ 0, 1.5, -1.6, 0};
  const double qd[] = {1, -1, 1 + 1e-10, 0, /**/ 0, 0, 0, 0};
  const double qdd[] = {0, -5.1, -7, 0, /**/ 0, 0, 0, 6};
  ArmMotionViolation v[6];
  (void)state;
  assert_int_equal(arm_motion_violations(&limits, SAMPLES, q, qd, qdd, v), 3);
  assert_int_equal(v[0].joint, 0);
  assert_int_equal(v[0].quantity, ARM_MOTION_ACCELERATION);
  assert_int_equal(v[0].samples, 2);
  assert_int_equal(v[0].worst, 2);
  assert_true(v[0].value == -7 && v[0].limit == -5);
  assert_int_equal(v[1].joint, 1);
  assert_int_equal(v[1].quantity, ARM_MOTION_POSITION);
  assert_int_equal(v[1].samples, 2);
  assert_true(v[1].value == -1.6 && v[1].limit == -1);
  assert_int_equal(v[2].quantity, ARM_MOTION_ACCELERATION);
  assert_true(v[2].worst == 3 && v[2].value == 6 && v[2].limit == 5);
}

/* ---- between the samples ---- */

static void random_basis(TestRng *rng, ArmBasis *basis) {
  const bool is_fourier = test_rng_below(rng, 2) == 0;
  *basis = (ArmBasis){.kind = is_fourier ? ARM_BASIS_FOURIER : ARM_BASIS_SPLINE,
                      .order = is_fourier ? 1 + test_rng_below(rng, 12)
                                          : ARM_BASIS_MIN_KNOTS + test_rng_below(rng, 30),
                      .period_s = exp(test_rng_uniform(rng, 0, 4)),
                      .is_at_rest = test_rng_below(rng, 2) == 0};
}

static void random_coefficients(TestRng *rng, const ArmBasis *basis, size_t n) {
  static double z[ARM_BASIS_MAX_FUNCTIONS * ARM_BASIS_MAX_FUNCTIONS];
  double y[MAX_JOINTS * ARM_BASIS_MAX_FUNCTIONS];
  const double size = exp(test_rng_uniform(rng, -3, 3));
  arm_basis_null_space(basis, z);
  for (size_t k = 0; k < n * arm_basis_free(basis); k++)
    y[k] = size * test_rng_normal(rng);
  arm_basis_expand(basis, z, n, y, c);
}

/* The largest |x - middle| / half of a joint at `samples` times, per quantity. */
static void scan(const ArmMotionLimits *limits, const ArmBasis *basis, size_t joint, size_t samples,
                 double most[3]) {
  const double *own = c + joint * arm_basis_functions(basis);
  memset(most, 0, 3 * sizeof *most);
  for (size_t s = 0; s < samples; s++) {
    double x[3];
    arm_basis_motion(basis, 1, own, basis->period_s * (double)s / (double)samples, x, x + 1, x + 2);
    x[0] -= limits->middle[joint];
    for (size_t k = 0; k < 3; k++)
      most[k] = fmax(most[k], fabs(x[k]) / limits->half[k][joint]);
  }
}

/* On a grid ten times as dense as that of the limits no joint exceeds what is promised; the promise
 * is tight, and a motion that had to be shrunk reaches a limit. */
static void test_random_motions(void **state) {
  TestRng rng;
  double widest = 0, shrunk = 0;
  (void)state;
  test_rng_init(&rng, test_seed(3));
  for (int k = 0; k < 200; k++) {
    const size_t n = 1 + test_rng_below(&rng, MAX_JOINTS);
    ArmMotionLimits limits;
    ArmBasis basis;
    double factors[MAX_JOINTS], usage[3], most[3];
    random_limits(&rng, n);
    assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
    random_basis(&rng, &basis);
    random_coefficients(&rng, &basis, n);
    assert_int_equal(arm_motion_shrink(&limits, &basis, c, factors), ARM_OK);
    const size_t dense = basis.order * (basis.kind == ARM_BASIS_FOURIER ? 2000 : 640);
    for (size_t j = 0; j < n && j < 2; j++) { /* two joints of each: seconds */
      double reached = 0;
      scan(&limits, &basis, j, dense, most);
      arm_motion_usage(&limits, &basis, j, c + j * arm_basis_functions(&basis), usage);
      for (int d = 0; d < 3; d++) {
        if (most[d] > 1 || most[d] > usage[d] * (1 + 1e-12))
          fail_msg("motion %d joint %zu quantity %d: %.17g, promised %.17g", k, j, d, most[d],
                   usage[d]);
        widest = fmax(widest, usage[d] / most[d]);
        reached = fmax(reached, most[d]);
      }
      assert_true(factors[j] == 1 || reached > 0.998);
      shrunk += factors[j] > 1;
    }
  }
  print_message("# promise over reality, at most: %.6f; %g joints were shrunk\n", widest, shrunk);
  assert_true(widest < 1.002);
  assert_true(shrunk > 100);
}

/* The extremes of a spline's acceleration, which lie between its knots and samples. */
static void test_spline_acceleration(void **state) {
  const ArmBasis basis = {ARM_BASIS_SPLINE, 6, 6, false};
  ArmMotionLimits limits = {.n = 1, .half = {{1}, {1}, {1}}};
  double usage[3], most[3];
  (void)state;
  for (int k = 0; k < 6; k++)
    c[k] = sin(1 + 2.3 * k);
  arm_motion_usage(&limits, &basis, 0, c, usage);
  scan(&limits, &basis, 0, 600000, most);
  assert_true(test_is_near(usage[ARM_MOTION_ACCELERATION], most[2], 1e-9, 0));
}

static void test_feasible_stays(void **state) {
  const ArmBasis basis = {ARM_BASIS_FOURIER, 2, 10, false};
  ArmMotionLimits limits = {.n = 1, .half = {{2}, {2}, {2}}};
  double before[5] = {0.1, 0.2, 0.3, -0.1, 0.2}, factor = 0;
  (void)state;
  memcpy(c, before, sizeof before);
  assert_int_equal(arm_motion_shrink(&limits, &basis, c, &factor), ARM_OK);
  assert_memory_equal(c, before, sizeof before);
  assert_true(factor == 1);
  c[2] = (double)NAN;
  assert_int_equal(arm_motion_shrink(&limits, &basis, c, NULL), ARM_E_NOT_FINITE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_missing),        cmocka_unit_test(test_samples),
      cmocka_unit_test(test_random_motions), cmocka_unit_test(test_spline_acceleration),
      cmocka_unit_test(test_feasible_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
