/* SPDX-License-Identifier: MIT */
/* Cubics between knots: they follow what is a cubic, and what they are judged by holds at all
 * times, as dense differences of the positions alone tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/excite/basis.h"
#include "core/excite/cubics.h"
#include "support/support.h"

enum { JOINTS = 2, MANY = 2001, DENSE = 40 };

static double t[MANY], q[MANY * JOINTS], qd[MANY * JOINTS];

/* A cubic over all of the time, at rest at both ends: 3 s^2 - 2 s^3 of `way`, from `from`. */
static void one_cubic(size_t samples, double duration, const double *from, const double *way) {
  for (size_t k = 0; k < samples; k++) {
    const double s = (double)k / (double)(samples - 1);
    t[k] = 5 + duration * s;
    for (size_t j = 0; j < JOINTS; j++) {
      q[k + j * samples] = from[j] + way[j] * s * s * (3 - 2 * s);
      qd[k + j * samples] = way[j] * 6 * s * (1 - s) / duration;
    }
  }
}

/* A Fourier series at rest at both ends, 100 samples per second. */
static size_t random_motion(TestRng *rng, double period) {
  static double z[ARM_BASIS_MAX_FUNCTIONS * ARM_BASIS_MAX_FUNCTIONS];
  double y[JOINTS * ARM_BASIS_MAX_FUNCTIONS], c[JOINTS * ARM_BASIS_MAX_FUNCTIONS];
  const ArmBasis basis = {ARM_BASIS_FOURIER, 3, period, true};
  const size_t samples = (size_t)(100 * period) + 1;
  assert_true(samples <= MANY);
  arm_basis_null_space(&basis, z);
  for (size_t k = 0; k < JOINTS * arm_basis_free(&basis); k++)
    y[k] = 0.2 * test_rng_normal(rng);
  arm_basis_expand(&basis, z, JOINTS, y, c);
  for (size_t k = 0; k < samples; k++) {
    double at[JOINTS], speed[JOINTS], unused[JOINTS];
    t[k] = period * (double)k / (double)(samples - 1);
    arm_basis_motion(&basis, JOINTS, c, t[k], at, speed, unused);
    for (size_t j = 0; j < JOINTS; j++) {
      q[k + j * samples] = at[j];
      qd[k + j * samples] = speed[j];
    }
  }
  return samples;
}

static ArmCubics *make(size_t samples, double least_s, double slowness) {
  ArmCubics *cubics = NULL;
  assert_int_equal(arm_cubics_new(JOINTS, samples, t, q, qd, least_s, slowness, &cubics), ARM_OK);
  return cubics;
}

/* ---- what it follows ---- */

static void test_cubic(void **state) {
  static const double from[] = {-1, 2}, way[] = {2.5, -3};
  (void)state;
  for (int slow = 1; slow <= 10; slow += 9) {
    one_cubic(1001, 10, from, way);
    ArmCubics *cubics = make(1001, 0.02, slow);
    assert_true(fabs(arm_cubics_duration(cubics) - 10 * slow) < 1e-9);
    for (int k = -10; k <= 110; k++) {
      const double s = fmin(fmax(k / 100.0, 0), 1), at = 10.0 * slow * k / 100.0;
      double x[JOINTS], v[JOINTS];
      arm_cubics_at(cubics, at, x, v);
      for (size_t j = 0; j < JOINTS; j++) {
        assert_true(fabs(x[j] - (from[j] + way[j] * s * s * (3 - 2 * s))) < 1e-6);
        assert_true(fabs(v[j] - way[j] * 6 * s * (1 - s) / (10 * slow)) < 1e-4);
      }
    }
    double apart[JOINTS];
    arm_cubics_apart(cubics, 1001, t, q, slow, NULL, apart);
    assert_true(apart[0] < 1e-6 && apart[1] < 1e-6);
    arm_cubics_free(cubics);
  }
}

/* Knots are the samples that are far enough apart; the last one takes the rest. */
static void test_knots(void **state) {
  static const double times[] = {0, 0.01, 0.02, 0.025, 0.04, 0.5, 0.515, 0.52, 0.53};
  static const size_t expected[] = {0, 2, 4, 5, 8};
  (void)state;
  memcpy(t, times, sizeof times);
  memset(q, 0, sizeof q);
  memset(qd, 0, sizeof qd);
  q[6] = 0.25; /* of joint 1, between two knots */
  qd[0] = qd[8] = qd[4] = 3;
  ArmCubics *cubics = make(9, 0.02, 1);
  assert_int_equal(cubics->count, 5);
  for (size_t k = 0; k < 5; k++)
    assert_int_equal(cubics->row[k], expected[k]);
  assert_true(cubics->qd[0] == 0 && cubics->qd[4] == 0 && cubics->qd[2] == 3);
  double apart[JOINTS];
  size_t worst[JOINTS];
  arm_cubics_apart(cubics, 9, t, q, 1, worst, apart);
  assert_int_equal(worst[0], 6);
  assert_true(fabs(apart[0] - 0.25) < 0.01 && apart[1] == 0);
  arm_cubics_free(cubics);
  cubics = make(9, 0.02, 10); /* ten times as slow, all of them are far enough apart */
  assert_int_equal(cubics->count, 9);
  arm_cubics_free(cubics);
}

/* ---- limits ---- */

/* The largest of the first three derivatives' absolute values, by differences of positions. */
static void scan(const ArmCubics *cubics, size_t joint, double middle, double most[3]) {
  memset(most, 0, 3 * sizeof *most);
  for (size_t k = 0; k + 1 < cubics->count; k++) {
    const double h = (cubics->t[k + 1] - cubics->t[k]) / DENSE;
    double x[DENSE + 1][JOINTS];
    for (size_t i = 0; i <= DENSE; i++)
      arm_cubics_at(cubics, cubics->t[k] + (double)i * h * (1 - 1e-12), x[i], NULL);
    for (size_t i = 0; i <= DENSE; i++) {
      most[0] = fmax(most[0], fabs(x[i][joint] - middle));
      if (i > 0)
        most[1] = fmax(most[1], fabs(x[i][joint] - x[i - 1][joint]) / h);
      if (i > 1)
        most[2] =
            fmax(most[2], fabs(x[i][joint] - 2 * x[i - 1][joint] + x[i - 2][joint]) / (h * h));
    }
  }
}

static void test_limits(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(41));
  for (int n = 0; n < 200; n++) {
    const size_t samples = random_motion(&rng, test_rng_uniform(&rng, 2, 6));
    ArmCubics *cubics = make(samples, test_rng_uniform(&rng, 0.02, 0.2), 1);
    ArmMotionLimits limits = {.n = JOINTS};
    ArmMotionViolation v[3 * JOINTS];
    double most[JOINTS][3];
    for (size_t j = 0; j < JOINTS; j++) {
      limits.middle[j] = test_rng_uniform(&rng, -0.3, 0.3);
      scan(cubics, j, limits.middle[j], most[j]);
      for (size_t k = 0; k < 3; k++)
        limits.half[k][j] = 0.99 * most[j][k]; /* what happens is always seen */
    }
    assert_int_equal(arm_cubics_violations(&limits, cubics, v), 3 * JOINTS);
    for (size_t k = 0; k < 3 * JOINTS; k++) {
      const ArmMotionViolation *one = &v[k];
      assert_true(one->samples > 0 && one->worst + 1 < cubics->count);
      assert_true(fabs(one->value - (one->quantity ? 0 : limits.middle[one->joint])) >
                  0.98 * most[one->joint][one->quantity]);
    }
    assert_true(arm_cubics_slowness(&limits, cubics) > 1);
    for (size_t j = 0; j < JOINTS; j++) { /* never less than what happens, nor much more */
      double speed, acceleration;
      arm_cubics_most(cubics, j, &speed, &acceleration);
      assert_true(speed > 0.99 * most[j][1] && speed < 1.6 * most[j][1]);
      assert_true(acceleration > 0.99 * most[j][2] && acceleration < 1.6 * most[j][2]);
    }
    for (size_t j = 0; j < JOINTS; j++) /* and what is far from happening never is */
      for (size_t k = 0; k < 3; k++)
        limits.half[k][j] = 1.6 * most[j][k];
    assert_int_equal(arm_cubics_violations(&limits, cubics, v), 0);
    assert_true(arm_cubics_slowness(&limits, cubics) < 1);
    arm_cubics_free(cubics);
  }
}

/* Of a motion that is too fast: as slow as told it is not any more, a little faster it is. */
static void test_slowness(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(42));
  for (int n = 0; n < 50; n++) {
    const size_t samples = random_motion(&rng, 4);
    const ArmMotionLimits limits = {.n = JOINTS,
                                    .half = {{9, 9}, {0.2, 0.3}, {0.5, n % 2 ? 0.2 : 30}}};
    ArmMotionViolation v[3 * JOINTS];
    ArmCubics *cubics = make(samples, 0.04, 1);
    const double slowness = arm_cubics_slowness(&limits, cubics);
    arm_cubics_free(cubics);
    for (int k = 0; k < 2; k++) {
      /* the same knots; rounding to units changes the accelerations a little */
      const double factor = slowness * (k ? 0.99 : 1.01);
      cubics = make(samples, 0.04 * factor, factor);
      assert_true((arm_cubics_violations(&limits, cubics, v) > 0) == (k == 1 && slowness > 1.02) ||
                  slowness < 1.02);
      arm_cubics_free(cubics);
    }
  }
}

/* What touches its range at samples is within it at all times when it was shrunk, and hardly moved;
 * what is far beyond stays. */
static void test_shrink(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(43));
  for (int n = 0; n < 100; n++) {
    const size_t samples = random_motion(&rng, test_rng_uniform(&rng, 2, 6));
    ArmCubics *cubics = make(samples, 0.02, 1);
    ArmMotionLimits limits = {.n = JOINTS, .half = {{0, 0}, {99, 99}, {999, 999}}};
    ArmMotionViolation v[3 * JOINTS];
    double apart[JOINTS];
    for (size_t j = 0; j < JOINTS; j++)
      for (size_t k = 0; k < samples; k++)
        limits.half[0][j] = fmax(limits.half[0][j], fabs(q[k + j * samples]));
    arm_cubics_shrink(&limits, 1.01, cubics);
    assert_int_equal(arm_cubics_violations(&limits, cubics, v), 0);
    arm_cubics_apart(cubics, samples, t, q, 1, NULL, apart);
    assert_true(apart[0] < 5e-3 && apart[1] < 5e-3);
    limits.half[0][0] *= 0.9;
    arm_cubics_shrink(&limits, 1.01, cubics);
    assert_int_equal(arm_cubics_violations(&limits, cubics, v), 1);
    arm_cubics_free(cubics);
  }
}

/* A joint that is within its range, but too fast to stop there. */
static void test_room_to_stop(void **state) {
  static const double times[] = {0, 1, 1.1, 2.1};
  static const double position[] = {0, 0.9, 0.94, 0, /**/ 0, 0, 0, 0};
  static const double speed[] = {0, 0.8, 0, 0, /**/ 0, 0, 0, 0};
  ArmMotionLimits limits = {.n = JOINTS, .half = {{1, 1}, {9, 9}, {99, 99}}};
  ArmMotionViolation v[3 * JOINTS];
  (void)state;
  memcpy(t, times, sizeof times);
  memcpy(q, position, sizeof position);
  memcpy(qd, speed, sizeof speed);
  ArmCubics *cubics = make(4, 0.02, 1);
  assert_int_equal(arm_cubics_violations(&limits, cubics, v), 0);
  limits.half[ARM_MOTION_ACCELERATION][0] = 20;
  assert_int_equal(arm_cubics_violations(&limits, cubics, v), 0); /* 0.9 + 0.64 / 40 */
  limits.half[ARM_MOTION_POSITION][0] = 0.95;
  limits.half[ARM_MOTION_ACCELERATION][0] = 7.5;                  /* 0.9 + 0.64 / 15 = 0.9427 */
  assert_int_equal(arm_cubics_violations(&limits, cubics, v), 1); /* of acceleration alone */
  assert_int_equal(v[0].quantity, ARM_MOTION_ACCELERATION);
  limits.half[ARM_MOTION_ACCELERATION][0] = 6; /* 0.9 + 0.64 / 12 = 0.9533 */
  assert_int_equal(arm_cubics_violations(&limits, cubics, v), 2);
  assert_int_equal(v[0].quantity, ARM_MOTION_POSITION);
  assert_int_equal(v[0].worst, 0);
  assert_true(fabs(v[0].value - (0.9 + 0.64 / 12)) < 1e-9 && fabs(v[0].limit - 0.95) < 1e-9);
  arm_cubics_free(cubics);
}

/* ---- what is refused ---- */

static void test_refused(void **state) {
  static const double from[] = {0, 0}, way[] = {1, 1};
  ArmCubics *none = (ArmCubics *)(void *)t;
  ArmCubics *const kept = none;
  (void)state;
  one_cubic(11, 1, from, way);
#define REFUSED(n, samples, least_s, slowness, status)                                             \
  assert_int_equal(arm_cubics_new(n, samples, t, q, qd, least_s, slowness, &none), status)
  REFUSED(0, 11, 0.02, 1, ARM_E_ARGUMENT);
  REFUSED(ARM_MAX_JOINTS + 1, 11, 0.02, 1, ARM_E_ARGUMENT);
  REFUSED(JOINTS, 1, 0.02, 1, ARM_E_ARGUMENT);
  REFUSED(JOINTS, 11, 0, 1, ARM_E_ARGUMENT);
  REFUSED(JOINTS, 11, 0.02, 0, ARM_E_ARGUMENT);
  REFUSED(JOINTS, 11, 0.02, 1e-8, ARM_E_ARGUMENT); /* nothing is left of its time */
  REFUSED(JOINTS, 11, 0.02, (double)NAN, ARM_E_ARGUMENT);
  REFUSED(JOINTS, 11, 0.02, 1e10, ARM_E_NOT_FINITE);
  qd[11] = (double)INFINITY;
  REFUSED(JOINTS, 11, 0.02, 1, ARM_E_NOT_FINITE);
  one_cubic(11, 1, from, way);
  q[3] = (double)NAN;
  REFUSED(JOINTS, 11, 0.02, 1, ARM_E_NOT_FINITE);
  one_cubic(11, 1, from, way);
  t[3] = t[2];
  REFUSED(JOINTS, 11, 0.02, 1, ARM_E_ARGUMENT);
  t[10] = (double)NAN;
  t[3] = 5.3;
  REFUSED(JOINTS, 11, 0.02, 1, ARM_E_NOT_FINITE);
#undef REFUSED
  assert_ptr_equal(none, kept);
  arm_cubics_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cubic),   cmocka_unit_test(test_knots),
      cmocka_unit_test(test_limits),  cmocka_unit_test(test_slowness),
      cmocka_unit_test(test_shrink),  cmocka_unit_test(test_room_to_stop),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
