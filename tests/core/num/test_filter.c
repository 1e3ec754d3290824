/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/num/filter.h"

enum { ROWS = 4000 };

static void assert_close(double found, double expected, double tolerance) {
  assert_true(fabs(found - expected) <= tolerance);
}

static double random_unit(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static void fill_times(double *t, uint64_t *state) {
  double now = 3.0;
  for (size_t k = 0; k < ROWS; k++) {
    t[k] = now;
    now += 0.008 + 0.004 * random_unit(state);
  }
}

/* A quadratic is reproduced exactly, whatever the sampling. */
static void test_quadratic_is_exact(void **unused) {
  (void)unused;
  static double t[ROWS], x[ROWS], value[ROWS], derivative[ROWS];
  uint64_t state = 7;
  fill_times(t, &state);
  for (size_t k = 0; k < ROWS; k++)
    x[k] = 1.5 - 0.7 * t[k] + 0.05 * t[k] * t[k];
  assert_int_equal(ARM_OK, arm_filter_derivative(ROWS, t, x, 0.1, value, derivative));
  for (size_t k = 0; k < ROWS; k++) {
    assert_close(value[k], x[k], 1e-10);
    assert_close(derivative[k], -0.7 + 0.1 * t[k], 1e-9);
  }
}

static void test_sine_at_irregular_times(void **unused) {
  (void)unused;
  static double t[ROWS], x[ROWS], derivative[ROWS];
  const double w = 0.628, h = ARM_FILTER_HALF_WIDTH_S;
  uint64_t state = 11;
  fill_times(t, &state);
  for (size_t k = 0; k < ROWS; k++)
    x[k] = 0.8 * sin(w * t[k]);
  assert_int_equal(ARM_OK, arm_filter_derivative(ROWS, t, x, h, NULL, derivative));
  for (size_t k = 0; k < ROWS; k++) {
    const int is_edge = t[k] - t[0] < h || t[ROWS - 1] - t[k] < h;
    const double bound = 0.8 * w * (w * h) * (w * h) * (is_edge ? 1.0 : 0.12) + 1e-12;
    assert_close(derivative[k], 0.8 * w * cos(w * t[k]), bound);
  }
}

/* sd of the derivative is sd sqrt(1/sum u^2)/h, far below that of a difference quotient. */
static void test_noise_is_reduced(void **unused) {
  (void)unused;
  static double t[ROWS], x[ROWS], derivative[ROWS];
  uint64_t state = 13;
  fill_times(t, &state);
  for (size_t k = 0; k < ROWS; k++)
    x[k] = 0.3 * t[k] + 1e-3 * (random_unit(&state) - 0.5) * sqrt(12.0);
  assert_int_equal(ARM_OK, arm_filter_derivative(ROWS, t, x, 0.25, NULL, derivative));
  double sum = 0;
  for (size_t k = 100; k < ROWS - 100; k++)
    sum += (derivative[k] - 0.3) * (derivative[k] - 0.3);
  const double rms = sqrt(sum / (ROWS - 200));
  const double expected = 1e-3 * sqrt(3.0 / 50.0) / 0.25; /* 50 samples uniform in the window */
  assert_true(rms > 0.8 * expected && rms < 1.2 * expected);
}

/* The signal jumps where the time does: nothing may leak over. */
static void test_gap_and_restart_separate(void **unused) {
  (void)unused;
  double t[60], x[60], value[60], derivative[60];
  for (size_t k = 0; k < 60; k++) {
    t[k] = 0.01 * (double)k + (k >= 20 ? 1.0 : 0.0) - (k >= 40 ? 1.3 : 0.0);
    x[k] = k < 20 ? 0.0 : k < 40 ? 100.0 : -50.0;
  }
  assert_int_equal(ARM_OK, arm_filter_derivative(60, t, x, 10.0, value, derivative));
  for (size_t k = 0; k < 60; k++) {
    assert_close(value[k], x[k], 1e-9);
    assert_close(derivative[k], 0.0, 1e-9);
  }
}

static void test_missing_samples(void **unused) {
  (void)unused;
  double t[20], x[20], derivative[20];
  for (size_t k = 0; k < 20; k++) {
    t[k] = (double)k;
    x[k] = k == 10 ? NAN : 2.0 * t[k];
  }
  assert_int_equal(ARM_OK, arm_filter_derivative(20, t, x, 3.0, NULL, derivative));
  assert_close(derivative[10], 2.0, 1e-12);
  assert_true(isnan(derivative[0])); /* four samples in its one-sided window */
  assert_close(derivative[1], 2.0, 1e-12);
}

static void test_too_few_or_bad_arguments(void **unused) {
  (void)unused;
  const double t[4] = {0, 1, 2, 3}, x[4] = {0, 1, 2, 3};
  double derivative[4], step;
  assert_int_equal(ARM_OK, arm_filter_derivative(4, t, x, 10.0, NULL, derivative));
  for (size_t k = 0; k < 4; k++)
    assert_true(isnan(derivative[k]));
  assert_int_equal(ARM_OK, arm_filter_derivative(0, t, x, 10.0, NULL, derivative));
  assert_int_equal(ARM_E_ARGUMENT, arm_filter_derivative(4, t, x, 0.0, NULL, derivative));
  assert_int_equal(ARM_E_ARGUMENT, arm_filter_derivative(4, t, x, NAN, NULL, derivative));
  assert_int_equal(ARM_E_ARGUMENT, arm_filter_derivative(4, t, x, INFINITY, NULL, derivative));
  assert_int_equal(ARM_OK, arm_filter_median_step(1, t, &step));
  assert_true(isnan(step));
}

/* SciPy 1.10: sosfiltfilt(butter(5, 0.15, output="sos"), x, padlen=18) on the same 40 samples. */
static void test_lowpass_equals_scipy(void **unused) {
  (void)unused;
  static const struct {
    size_t at;
    double value;
  } golden[] = {
      {0, 0.99264730433612847},    {1, 1.092277080368186},     {5, 1.059298329116084},
      {13, -0.61758286332907708},  {20, -0.27703001811168448}, {33, 0.70398074503820396},
      {38, -0.068359270369673444}, {39, -0.22765384874640238},
  };
  double t[40], x[40], y[40];
  for (size_t k = 0; k < 40; k++) {
    t[k] = 5.0 + 0.01 * (double)k;
    x[k] = cos(0.21 * (double)k) + 0.3 * (double)(k * 7 % 5) - 0.02 * (double)k;
  }
  assert_int_equal(ARM_OK, arm_filter_lowpass(40, t, x, 7.5, y));
  for (size_t g = 0; g < sizeof golden / sizeof *golden; g++)
    assert_close(y[golden[g].at], golden[g].value, 1e-12);
}

/* Zero phase, -6 dB at the cut-off, nothing crosses a gap or a missing sample. */
static void test_lowpass_gain_and_gaps(void **unused) {
  (void)unused;
  static double t[ROWS], x[ROWS], y[ROWS];
  for (size_t k = 0; k < ROWS; k++) {
    t[k] = 0.01 * (double)k + (k >= 2000 ? 5.0 : 0.0);
    x[k] = k < 2000 ? 3.0 : cos(2.0 * 3.14159265358979 * 7.5 * t[k]);
  }
  x[1000] = (double)NAN;
  assert_int_equal(ARM_OK, arm_filter_lowpass(ROWS, t, x, 7.5, y));
  for (size_t k = 0; k < 2000; k++)
    assert_true(k == 1000 ? isnan(y[k]) : fabs(y[k] - 3.0) < 1e-9);
  for (size_t k = 2200; k < 3800; k++)
    assert_close(y[k], 0.5 * x[k], 1e-6);
  assert_int_equal(ARM_E_ARGUMENT, arm_filter_lowpass(ROWS, t, x, 51.0, y));
  assert_int_equal(ARM_E_ARGUMENT, arm_filter_lowpass(ROWS, t, x, -1.0, y));
}

/* Exact for a quadratic at irregular times, inside a stretch. */
static void test_difference_is_second_order(void **unused) {
  (void)unused;
  static double t[ROWS], x[ROWS], slope[ROWS];
  uint64_t state = 11;
  fill_times(t, &state);
  for (size_t k = 0; k < ROWS; k++)
    x[k] = 2.0 - t[k] + 0.25 * t[k] * t[k];
  assert_int_equal(ARM_OK, arm_filter_difference(ROWS, t, x, slope));
  for (size_t k = 1; k + 1 < ROWS; k++)
    assert_close(slope[k], -1.0 + 0.5 * t[k], 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quadratic_is_exact),
      cmocka_unit_test(test_sine_at_irregular_times),
      cmocka_unit_test(test_noise_is_reduced),
      cmocka_unit_test(test_gap_and_restart_separate),
      cmocka_unit_test(test_missing_samples),
      cmocka_unit_test(test_too_few_or_bad_arguments),
      cmocka_unit_test(test_lowpass_equals_scipy),
      cmocka_unit_test(test_lowpass_gain_and_gaps),
      cmocka_unit_test(test_difference_is_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
