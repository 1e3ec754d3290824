/* SPDX-License-Identifier: MIT */
/* Low-passed values and derivatives: of sines, of parabolas, in any blocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/num/smooth.h"
#include "support/support.h"

#define TAU 6.28318530717958647692

enum { SAMPLES = 4000, COLUMNS = 2 };

typedef struct {
  double value[COLUMNS][SAMPLES], rate[COLUMNS][SAMPLES], second[COLUMNS][SAMPLES];
} Result;

static double x[COLUMNS][SAMPLES];
static Result one, two;

static ArmSmooth *make(double cutoff, double step_s) {
  ArmSmooth *smooth = NULL;
  assert_int_equal(arm_smooth_new(cutoff, step_s, COLUMNS, &smooth), ARM_OK);
  return smooth;
}

/* In blocks of `block` samples, 0: random ones, taken in random pieces too. Returns how many. */
static size_t run(ArmSmooth *s, size_t samples, size_t block, TestRng *rng, Result *to) {
  size_t out = 0;
  for (size_t at = 0, count; at < samples; at += count) {
    count = block > 0 ? block : 1 + test_rng_below(rng, ARM_FIR_BLOCK);
    count = count < samples - at ? count : samples - at;
    assert_int_equal(arm_smooth_push(s, count, x[0] + at, SAMPLES), ARM_OK);
    for (size_t got = 1; got > 0; out += got) {
      const size_t room = SAMPLES - out, most = block > 0 ? room : 1 + test_rng_below(rng, 20);
      got = arm_smooth_take(s, most < room ? most : room, to->value[0] + out, to->rate[0] + out,
                            to->second[0] + out, SAMPLES);
    }
    assert_true(at + count < arm_smooth_skip(s) ||
                at + count - arm_smooth_skip(s) - out <= arm_smooth_delay(s));
  }
  return out;
}

/* The accuracy that smooth.h promises: of x' over w_c, of x'' over w_c^2. */
typedef struct {
  double cutoff, rate, second;
} Promise;
static const Promise promises[] = {{0.003, 1e-9, 1e-7}, {0.0125, 1e-9, 1e-7},
                                   {0.05, 1e-9, 1e-7},  {0.0751, 1e-9, 1e-7},
                                   {0.1, 1e-8, 2e-7},   {ARM_SMOOTH_MOST, 3e-5, 3e-4}};
enum { PROMISES = sizeof promises / sizeof *promises };

/* Sine and cosine of equal frequency keep their gain G: the derivative of G sin is w G cos, to the
 * accuracy of the interpolation, whatever G is; up to half of the cut-off G is 1. */
static void check_sines(const Promise *promise, double share) {
  const double dt = 0.002, corner = TAU * promise->cutoff / dt, omega = corner * share;
  ArmSmooth *smooth = make(promise->cutoff, dt);
  for (size_t s = 0; s < SAMPLES; s++) {
    x[0][s] = sin(omega * dt * (double)s);
    x[1][s] = cos(omega * dt * (double)s);
  }
  const size_t out = run(smooth, SAMPLES, 256, NULL, &one), skip = arm_smooth_skip(smooth);
  assert_in_range(out, SAMPLES - skip - arm_smooth_delay(smooth), SAMPLES - skip);
  for (size_t s = 0; s < out; s++) {
    const double sine = one.value[0][s], cosine = one.value[1][s];
    assert_true(test_is_near(one.rate[0][s], omega * cosine, 0, promise->rate * corner));
    assert_true(test_is_near(one.rate[1][s], -omega * sine, 0, promise->rate * corner));
    assert_true(test_is_near(one.second[0][s], -omega * omega * sine, 0,
                             promise->second * corner * corner));
    if (share <= 0.5)
      assert_true(test_is_near(sine, x[0][s + skip], 0, 1.2e-4));
  }
  arm_smooth_free(smooth);
}

static void test_sines(void **state) {
  (void)state;
  for (size_t k = 0; k < PROMISES; k++) {
    check_sines(promises + k, 0.1);
    check_sines(promises + k, 0.5);
    check_sines(promises + k, 0.9);
  }
}

/* What is far slower than the cut-off, and far from 0, as a joint is: the acceleration is good
 * beside itself, not beside w_c^2. */
static void test_slow(void **state) {
  static const double shares[] = {0.01, 0.03, 0.1};
  const double dt = 0.01;
  (void)state;
  for (size_t k = 0; k < PROMISES; k++)
    for (size_t l = 0; l < 3; l++) {
      const double omega = TAU * promises[k].cutoff / dt * shares[l];
      ArmSmooth *smooth = make(promises[k].cutoff, dt);
      for (size_t s = 0; s < SAMPLES; s++) {
        x[0][s] = 1 + sin(omega * dt * (double)s);
        x[1][s] = cos(omega * dt * (double)s);
      }
      const size_t out = run(smooth, SAMPLES, 200, NULL, &one), skip = arm_smooth_skip(smooth);
      assert_true(out > 0);
      for (size_t s = 0; s < out; s++) {
        const double sine = x[0][s + skip] - 1, square = omega * omega;
        assert_true(test_is_near(one.rate[0][s], omega * x[1][s + skip], 0, 2e-4 * omega));
        assert_true(test_is_near(one.second[0][s], -square * sine, 0, 1e-3 * square));
      }
      arm_smooth_free(smooth);
    }
}

/* Lines come out as they are, parabolas with their speed and curvature, to rounding. */
static void test_parabola(void **state) {
  const double dt = 0.001;
  (void)state;
  for (size_t k = 0; k < PROMISES; k++) {
    const Promise *promise = promises + k;
    const double corner = TAU * promise->cutoff / dt;
    const double rate = 1e-11 * corner, second = 1e-10 * corner * corner;
    ArmSmooth *smooth = make(promise->cutoff, dt);
    for (size_t s = 0; s < SAMPLES; s++) {
      const double t = dt * ((double)s - SAMPLES / 2);
      x[0][s] = 1 - t;
      x[1][s] = 1 + 0.2 * t + 0.4 * t * t;
    }
    const size_t out = run(smooth, SAMPLES, 100, NULL, &one), skip = arm_smooth_skip(smooth);
    assert_true(out > 0);
    for (size_t s = 0; s < out; s++) {
      const double t = dt * ((double)(s + skip) - SAMPLES / 2);
      assert_true(test_is_near(one.value[0][s], x[0][s + skip], 0, rate / corner));
      assert_true(test_is_near(one.rate[0][s], -1, 0, rate));
      assert_true(test_is_near(one.second[0][s], 0, 0, second));
      assert_true(test_is_near(one.rate[1][s], 0.2 + 0.8 * t, 0, rate));
      assert_true(test_is_near(one.second[1][s], 0.8, 0, second));
    }
    arm_smooth_free(smooth);
  }
}

/* Any blocks: the same as the whole record to rounding; after a reset too. */
static void test_blocks(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(4));
  for (size_t k = 0; k < PROMISES; k++) {
    const double scale = promises[k].cutoff / 0.001;
    ArmSmooth *smooth = make(promises[k].cutoff, 0.001);
    for (size_t s = 0; s < SAMPLES; s++)
      for (size_t c = 0; c < COLUMNS; c++)
        x[c][s] = test_rng_uniform(&rng, -1, 1);
    const size_t out = run(smooth, SAMPLES, 256, NULL, &one);
    arm_smooth_reset(smooth);
    assert_int_equal(run(smooth, SAMPLES, 0, &rng, &two), out);
    for (size_t c = 0; c < COLUMNS; c++)
      for (size_t s = 0; s < out; s++) {
        assert_true(test_is_near(one.value[c][s], two.value[c][s], 0, 1e-13));
        assert_true(test_is_near(one.rate[c][s], two.rate[c][s], 0, 1e-12 * scale));
        assert_true(test_is_near(one.second[c][s], two.second[c][s], 0, 1e-11 * scale * scale));
      }
    arm_smooth_free(smooth);
  }
}

static void test_refusals(void **state) {
  ArmSmooth *smooth = NULL;
  (void)state;
  assert_int_equal(arm_smooth_new(0.21, 0.01, 1, &smooth), ARM_E_ARGUMENT);
  assert_int_equal(arm_smooth_new(0, 0.01, 1, &smooth), ARM_E_ARGUMENT);
  assert_int_equal(arm_smooth_new((double)NAN, 0.01, 1, &smooth), ARM_E_ARGUMENT);
  assert_int_equal(arm_smooth_new(0.1, 0, 1, &smooth), ARM_E_ARGUMENT);
  assert_int_equal(arm_smooth_new(0.1, (double)INFINITY, 1, &smooth), ARM_E_ARGUMENT);
  assert_int_equal(arm_smooth_new(0.1, 0.01, 0, &smooth), ARM_E_ARGUMENT);
  assert_null(smooth);
  arm_smooth_free(NULL);
  smooth = make(0.1, 0.01);
  assert_int_equal(run(smooth, arm_smooth_skip(smooth) + 26, 50, NULL, &one), 0); /* too short */
  arm_smooth_reset(smooth);
  assert_int_equal(arm_smooth_push(smooth, 256, x[0], SAMPLES), ARM_OK);
  assert_int_equal(arm_smooth_push(smooth, 1, x[0], SAMPLES), ARM_E_ARGUMENT); /* waiting */
  arm_smooth_free(smooth);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sines), cmocka_unit_test(test_slow),
                                     cmocka_unit_test(test_parabola), cmocka_unit_test(test_blocks),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
