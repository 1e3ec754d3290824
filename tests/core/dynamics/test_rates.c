/* SPDX-License-Identifier: MIT */
/* Speeds and accelerations of positions alone: of sines, which have known ones; one state for each
 * sample in its place, with gaps, samples without a position, and time that runs back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/rates.h"
#include "support/support.h"

#define STEP   1e-3
#define CUTOFF 5.0
#define W      6.0 /* rad/s, 0.95 Hz */

enum { SAMPLES = 6000, N = 2, EDGE = 640 /* 3.2 periods */ };

typedef struct {
  size_t count;
  double state[3][N][SAMPLES];
} States;

typedef struct {
  double t[SAMPLES], q[N][SAMPLES];
} Input;

static Input input;
static States got, again;

static void take(void *user, size_t samples, const double *q, const double *qd, const double *qdd,
                 size_t ld) {
  States *states = user;
  const double *const values[3] = {q, qd, qdd};
  assert_true(states->count + samples <= SAMPLES);
  for (size_t v = 0; v < 3; v++)
    for (size_t j = 0; j < N; j++)
      memcpy(states->state[v][j] + states->count, values[v] + j * ld, samples * sizeof *q);
  states->count += samples;
}

static double exact(int derivative, size_t j, double t) {
  const double phase = W * t + (double)j;
  return derivative == 0 ? sin(phase) : derivative == 1 ? W * cos(phase) : -W * W * sin(phase);
}

static void make(void) {
  for (size_t s = 0; s < SAMPLES; s++) {
    input.t[s] = STEP * (double)s;
    for (size_t j = 0; j < N; j++)
      input.q[j][s] = exact(0, j, input.t[s]);
  }
}

static void run(States *states, size_t block, TestRng *rng) {
  ArmRates *rates = NULL;
  states->count = 0;
  assert_int_equal(arm_rates_new(N, STEP, CUTOFF, take, states, &rates), ARM_OK);
  for (size_t s = 0; s < SAMPLES;) {
    const size_t next = rng ? 1 + test_rng_below(rng, 700) : block;
    const size_t count = next < SAMPLES - s ? next : SAMPLES - s;
    arm_rates_push(rates, count, input.t + s, input.q[0] + s, SAMPLES);
    s += count;
  }
  arm_rates_finish(rates);
  arm_rates_free(rates);
  assert_int_equal(states->count, SAMPLES);
}

static bool has_state(const States *states, size_t s) {
  const bool has = isfinite(states->state[0][0][s]);
  for (size_t v = 0; v < 3; v++)
    for (size_t j = 0; j < N; j++)
      assert_int_equal(isfinite(states->state[v][j][s]), has);
  return has;
}

/* How many of samples from..to have a state; what there is must be right. */
static size_t check(const States *states, size_t from, size_t to, double tolerance) {
  static const double size[3] = {1, W, W * W};
  size_t count = 0;
  for (size_t s = from; s < to; s++) {
    if (!has_state(states, s))
      continue;
    count++;
    for (int v = 0; v < 3; v++)
      for (size_t j = 0; j < N; j++)
        if (!(fabs(states->state[v][j][s] - exact(v, j, input.t[s])) < tolerance * size[v]))
          fail_msg("sample %zu: derivative %d of column %zu is %.9g, not %.9g", s, v, j,
                   states->state[v][j][s], exact(v, j, input.t[s]));
  }
  return count;
}

/* Nothing at the ends, all between them. */
static void check_segment(const States *states, size_t from, size_t to, double tolerance) {
  const size_t count = check(states, from, to, tolerance);
  assert_true(to - from - count <= 2 * EDGE + 40);
  assert_false(has_state(states, from + EDGE / 2) || has_state(states, to - EDGE / 2));
  assert_true(has_state(states, (from + to) / 2));
}

static void test_sines(void **state) {
  (void)state;
  make();
  run(&got, SAMPLES, NULL);
  check_segment(&got, 0, SAMPLES, 2e-4);
}

static void test_blocks(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(51));
  make();
  for (size_t s = 2000; s < 2005; s++)
    input.q[1][s] = (double)NAN;
  run(&got, SAMPLES, NULL);
  run(&again, 1, NULL);
  assert_memory_equal(&got, &again, sizeof got);
  run(&again, 0, &rng);
  assert_memory_equal(&got, &again, sizeof got);
}

/* 5 samples without a position, 10 that were not written: bridged, each of the others in place. */
static void test_holes(void **state) {
  (void)state;
  make();
  for (size_t s = 2000; s < 2005; s++)
    input.q[1][s] = (double)NAN;
  for (size_t s = 4000; s < SAMPLES; s++) {
    input.t[s] += 10 * STEP;
    for (size_t j = 0; j < N; j++)
      input.q[j][s] = exact(0, j, input.t[s]);
  }
  run(&got, SAMPLES, NULL);
  check_segment(&got, 0, SAMPLES, 2e-3);
  for (size_t s = 1900; s < 4100; s++)
    assert_int_equal(has_state(&got, s), s < 2000 || s >= 2005);
}

/* Another recording, a long gap, time that runs back, many samples without a position. */
static void test_segments(void **state) {
  static const double shift[] = {1, -1};
  (void)state;
  for (size_t k = 0; k < 2; k++) {
    make();
    for (size_t s = 3000; s < SAMPLES; s++) {
      input.t[s] += shift[k];
      for (size_t j = 0; j < N; j++)
        input.q[j][s] = exact(0, j, input.t[s]);
    }
    run(&got, SAMPLES, NULL);
    check_segment(&got, 0, 3000, 2e-4);
    check_segment(&got, 3000, SAMPLES, 2e-4);
  }
  make();
  for (size_t s = 2500; s < 3500; s++)
    input.q[0][s] = (double)NAN;
  run(&got, SAMPLES, NULL);
  check_segment(&got, 0, 2500, 2e-4);
  check_segment(&got, 3500, SAMPLES, 2e-4);
  assert_int_equal(check(&got, 2500, 3500, 2e-4), 0);
}

static void test_refused(void **state) {
  ArmRates *rates = NULL;
  (void)state;
  assert_int_equal(arm_rates_new(N, 0, CUTOFF, take, NULL, &rates), ARM_E_ARGUMENT);
  assert_int_equal(arm_rates_new(N, STEP, 0, take, NULL, &rates), ARM_E_ARGUMENT);
  assert_int_equal(arm_rates_new(N, STEP, 300, take, NULL, &rates), ARM_E_ARGUMENT);
  assert_int_equal(arm_rates_new(0, STEP, CUTOFF, take, NULL, &rates), ARM_E_ARGUMENT);
  assert_null(rates);
  arm_rates_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sines),    cmocka_unit_test(test_blocks),  cmocka_unit_test(test_holes),
      cmocka_unit_test(test_segments), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
