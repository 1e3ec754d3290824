/* SPDX-License-Identifier: MIT */
/* The block filter: its response, and that blocks, lanes and weights do what
 * sums written out do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/num/fir.h"
#include "core/num/kaiser.h"
#include "support/support.h"

#define TAU 6.28318530717958647692

enum { SAMPLES = 3000, COLUMNS = 5 };

static double x[COLUMNS][SAMPLES], w[SAMPLES];

/* I0 by its integral over a period, (1/pi) int exp(z cos t) dt; the midpoint rule is exact here. */
static double bessel_i0(double z) {
  double sum = 0;
  for (int k = 0; k < 200; k++)
    sum += exp(z * (cos(TAU / 2 * (k + 0.5) / 200)));
  return sum / 200;
}

static void test_window(void **state) {
  static const double betas[] = {2, 8, 21};
  (void)state;
  for (int b = 0; b < 3; b++)
    for (int k = 1; k <= 19; k++) {
      double g[3];
      const double u = 0.045 * k, l = 0.9, sinc = sin(TAU / 2 * u) / (TAU / 2 * u);
      const double z = betas[b] * sqrt(1 - u * u / l / l);
      arm_kaiser_sinc(betas[b], l, u, g);
      assert_true(test_is_near(g[0], sinc * bessel_i0(z) / bessel_i0(betas[b]), 1e-13, 0));
    }
  assert_true(test_is_near(arm_kaiser_beta(80), 7.857, 1e-3, 0)); /* Oppenheim and Schafer (7.75) */
}

/* Against central differences of g and g', both sides of where the sinc changes its formula. */
static void test_derivatives(void **state) {
  const double h = 1e-5;
  (void)state;
  for (double u = -9.7; u < 9.8; u += 0.07) {
    double g[3], before[3], after[3];
    arm_kaiser_sinc(15, 10, u, g);
    arm_kaiser_sinc(15, 10, u - h, before);
    arm_kaiser_sinc(15, 10, u + h, after);
    assert_true(test_is_near(g[1], (after[0] - before[0]) / (2 * h), 0, 1e-9));
    assert_true(test_is_near(g[2], (after[1] - before[1]) / (2 * h), 0, 1e-8));
  }
  for (int k = -12; k <= 12; k++) {
    double g[3];
    arm_kaiser_sinc(15, 10, k, g);
    assert_true(test_is_near(g[0], k == 0, 0, 1e-15));
  }
}

static ArmFir *make(double cutoff, size_t step, size_t columns) {
  ArmFir *fir = NULL;
  assert_int_equal(arm_fir_new(cutoff, step, columns, &fir), ARM_OK);
  return fir;
}

/* Pushes all of x in blocks of at most `most` samples (0: random) and collects the outputs.
 *   y  outputs x (COLUMNS + 1)  weight last. Returns how many outputs. */
static size_t run(ArmFir *fir, size_t samples, size_t most, TestRng *rng, const double *weight,
                  double (*y)[COLUMNS + 1], bool *is_whole) {
  const double *column[COLUMNS];
  size_t outputs = 0;
  for (size_t at = 0, count; at < samples; at += count) {
    count = most > 0 ? most : 1 + test_rng_below(rng, ARM_FIR_BLOCK);
    count = count < samples - at ? count : samples - at;
    for (size_t c = 0; c < COLUMNS; c++)
      column[c] = x[c] + at;
    assert_int_equal(arm_fir_push(fir, count, column, weight ? weight + at : NULL), ARM_OK);
    while (arm_fir_take(fir, y[outputs], &y[outputs][COLUMNS], is_whole + outputs))
      outputs++;
  }
  arm_fir_end(fir);
  while (arm_fir_take(fir, y[outputs], &y[outputs][COLUMNS], is_whole + outputs))
    outputs++;
  return outputs;
}

static double y[SAMPLES][COLUMNS + 1], z[SAMPLES][COLUMNS + 1];
static bool is_whole[SAMPLES];

/* Gain 1/2 at the cut-off, 1 to 1e-4 below half of it, below 1e-4 from 1.5 of it on. */
static void test_response(void **state) {
  static const double cutoffs[] = {0.004, 0.05, 0.2};
  static const double share[COLUMNS] = {0, 0.5, 1, 1.5, 2.1};
  static const double gain[COLUMNS] = {1, 1, 0.5, 0, 0};
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    ArmFir *fir = make(cutoffs[k], 1, COLUMNS);
    const size_t middle = SAMPLES / 2;
    for (size_t c = 0; c < COLUMNS; c++)
      for (size_t s = 0; s < SAMPLES; s++)
        x[c][s] = cos(TAU * cutoffs[k] * share[c] * ((double)s - (double)middle));
    assert_int_equal(run(fir, SAMPLES, ARM_FIR_BLOCK, NULL, NULL, y, is_whole), SAMPLES);
    for (size_t c = 0; c < COLUMNS; c++)
      assert_true(test_is_near(y[middle][c], gain[c], 0, c == 2 ? 2e-3 : 1.2e-4));
    assert_true(test_is_near(y[middle][COLUMNS], 1, 0, 1e-13));
    arm_fir_free(fir);
  }
}

static void fill_random(TestRng *rng) {
  for (size_t s = 0; s < SAMPLES; s++) {
    w[s] = test_rng_uniform(rng, 0, 1) < 0.7;
    for (size_t c = 0; c < COLUMNS; c++)
      x[c][s] = test_rng_uniform(rng, -1, 1);
  }
}

/* The sums written out with the impulse response that the filter itself shows. */
static void test_sums(void **state) {
  static const size_t steps[] = {1, 7, 50};
  static double h[SAMPLES];
  const double cutoff = 0.02;
  const size_t half = arm_fir_half(cutoff);
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17));
  ArmFir *probe = make(cutoff, 1, COLUMNS);
  memset(x, 0, sizeof x);
  x[0][half] = 1;
  run(probe, 2 * half + 1, 100, NULL, NULL, y, is_whole);
  for (size_t k = 0; k <= 2 * half; k++)
    h[k] = y[k][0];
  arm_fir_free(probe);
  fill_random(&rng);
  for (size_t i = 0; i < 3; i++) {
    ArmFir *fir = make(cutoff, steps[i], COLUMNS);
    const size_t outputs = run(fir, SAMPLES, 0, &rng, w, y, is_whole);
    assert_int_equal(outputs, (SAMPLES - 1) / steps[i] + 1);
    for (size_t r = 0; r < outputs; r++) {
      double sum[COLUMNS + 1] = {0};
      for (size_t s = 0; s < SAMPLES; s++) {
        const size_t k = s + half - r * steps[i];
        for (size_t c = 0; c <= COLUMNS && s + half >= r * steps[i] && k <= 2 * half; c++)
          sum[c] += h[k] * w[s] * (c < COLUMNS ? x[c][s] : 1);
      }
      for (size_t c = 0; c <= COLUMNS; c++)
        assert_true(test_is_near(y[r][c], sum[c], 0, 1e-13));
      const bool whole = r * steps[i] >= half && r * steps[i] + half < SAMPLES;
      assert_int_equal(is_whole[r], whole);
    }
    arm_fir_free(fir);
  }
}

/* Any blocks and any processor: the same within rounding; after a reset too. */
static void test_blocks_and_lanes(void **state) {
  static const int lanes[] = {8, 4, 2};
  static const size_t blocks[] = {1, 37, 256, 0};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(18));
  fill_random(&rng);
  ArmFir *fir = make(0.013, 9, COLUMNS);
  const size_t outputs = run(fir, SAMPLES, 256, NULL, w, y, is_whole);
  for (size_t l = 0; l < 3; l++)
    for (size_t b = 0; b < 4; b++) {
      arm_fir_reset(fir);
      arm_fir_limit_lanes(fir, lanes[l]);
      assert_int_equal(run(fir, SAMPLES, blocks[b], &rng, w, z, is_whole), outputs);
      for (size_t r = 0; r < outputs; r++)
        for (size_t c = 0; c <= COLUMNS; c++)
          assert_true(test_is_near(z[r][c], y[r][c], 0, 1e-13));
    }
  arm_fir_free(fir);
}

/* White noise in the outputs, by outputs of it; all their correlations make up what decimating
 * folds on frequency 0: the sum of the samples. */
static void test_white(void **state) {
  enum { STEP = 50 }; /* four rows a period of the cut-off */
  const double cutoff = 0.005;
  ArmFirWhite white;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(19));
  assert_int_equal(arm_fir_white(cutoff, STEP, &white), ARM_OK);
  assert_true(test_is_near(white.growth * white.gain * STEP, 1, 0, 1e-3));
  assert_true(white.lag1 > 0.6 && white.lag1 < 0.75 && white.spread > 1.8 && white.spread < 2.4);
  ArmFir *fir = make(cutoff, STEP, 1);
  double sample[ARM_FIR_BLOCK], out, before = 0, squares = 0, products = 0;
  const double *column[1] = {sample};
  size_t count = 0;
  for (int block = 0; block < 4000; block++) {
    for (size_t k = 0; k < ARM_FIR_BLOCK; k++)
      sample[k] = test_rng_normal(&rng);
    assert_int_equal(arm_fir_push(fir, ARM_FIR_BLOCK, column, NULL), ARM_OK);
    bool is_all;
    while (arm_fir_take(fir, &out, NULL, &is_all))
      if (is_all) {
        squares += out * out;
        products += count++ > 0 ? out * before : 0;
        before = out;
      }
  }
  assert_true(test_is_near(squares / (double)count, white.gain, 0.05, 0));
  assert_true(test_is_near(products / squares, white.lag1, 0, 0.03));
  assert_int_equal(arm_fir_white(0.5, 1, &white), ARM_E_ARGUMENT);
  arm_fir_free(fir);
}

static void test_refusals(void **state) {
  ArmFir *fir = NULL;
  const double *column[COLUMNS] = {x[0], x[1], x[2], x[3], x[4]};
  (void)state;
  assert_int_equal(arm_fir_new(0, 1, 1, &fir), ARM_E_ARGUMENT);
  assert_int_equal(arm_fir_new(0.5, 1, 1, &fir), ARM_E_ARGUMENT);
  assert_int_equal(arm_fir_new((double)NAN, 1, 1, &fir), ARM_E_ARGUMENT);
  assert_int_equal(arm_fir_new(0.1, 0, 1, &fir), ARM_E_ARGUMENT);
  assert_int_equal(arm_fir_new(0.1, 1, 0, &fir), ARM_E_ARGUMENT);
  assert_null(fir);
  fir = make(0.1, 1, COLUMNS);
  assert_int_equal(arm_fir_half(0.1), 26);
  assert_int_equal(arm_fir_push(fir, ARM_FIR_BLOCK + 1, column, NULL), ARM_E_ARGUMENT);
  assert_int_equal(arm_fir_push(fir, ARM_FIR_BLOCK, column, NULL), ARM_OK);
  assert_int_equal(arm_fir_push(fir, 1, column, NULL), ARM_E_ARGUMENT); /* outputs are waiting */
  arm_fir_free(fir);
  arm_fir_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_window),
                                     cmocka_unit_test(test_derivatives),
                                     cmocka_unit_test(test_response),
                                     cmocka_unit_test(test_sums),
                                     cmocka_unit_test(test_blocks_and_lanes),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_white)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
