/* SPDX-License-Identifier: MIT */
/* Uneven samples on an even grid: cubics come out exact whatever the steps and blocks, efforts that
 * were not measured are not made up, and a gap begins another stretch. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/dynamics/even.h"
#include "support/support.h"

enum { N = 2, MOST = 4000, SAMPLES = 1500 };

typedef struct {
  size_t count, fail_after;
  double t[MOST], x[4][MOST][N];
  int joint[MOST];
} Taken;

static ArmStatus take(void *user, const ArmDynSamples *s) {
  const double *const from[4] = {s->q, s->qd, s->qdd, s->effort};
  Taken *taken = user;
  if (taken->fail_after && taken->count >= taken->fail_after)
    return ARM_E_NO_DATA;
  for (size_t k = 0; k < s->samples; k++, taken->count++) {
    assert_true(taken->count < MOST);
    taken->t[taken->count] = s->t[k];
    taken->joint[taken->count] = s->joint[k];
    for (size_t v = 0; v < 4; v++)
      for (size_t j = 0; j < N; j++)
        taken->x[v][taken->count][j] = from[v][k + j * s->ld];
  }
  return ARM_OK;
}

typedef struct {
  double t[SAMPLES], q[SAMPLES * N], qd[SAMPLES * N], qdd[SAMPLES * N], effort[SAMPLES * N];
  int joint[SAMPLES];
} Uneven;

static double cubic(double t, size_t j, double scale) {
  const double u = t - 7;
  return scale * (0.5 - 0.25 * u + (0.125 + 0.1 * (double)j) * u * u - 0.01 * u * u * u);
}

/* Steps of 8 to 12 ms. */
static void make(Uneven *u, TestRng *rng) {
  double t = 5;
  for (size_t s = 0; s < SAMPLES; s++) {
    u->t[s] = t;
    t += test_rng_uniform(rng, 0.008, 0.012);
    u->joint[s] = s < SAMPLES / 2 ? 0 : 1;
    for (size_t j = 0; j < N; j++) {
      u->q[s + j * SAMPLES] = cubic(u->t[s], j, 1);
      u->qd[s + j * SAMPLES] = cubic(u->t[s], j, 2);
      u->qdd[s + j * SAMPLES] = cubic(u->t[s], j, 3);
      u->effort[s + j * SAMPLES] = cubic(u->t[s], j, 4);
    }
  }
}

static ArmStatus push(ArmEven *even, const Uneven *u, size_t from, size_t count) {
  const ArmDynSamples samples = {.samples = count,
                                 .ld = SAMPLES,
                                 .t = u->t + from,
                                 .joint = u->joint + from,
                                 .q = u->q + from,
                                 .qd = u->qd + from,
                                 .qdd = u->qdd + from,
                                 .effort = u->effort + from};
  return arm_even_push(even, &samples);
}

static void run(const Uneven *u, size_t block, Taken *taken) {
  ArmEven *even = NULL;
  taken->count = taken->fail_after = 0;
  assert_int_equal(arm_even_new(N, 0.01, true, true, take, taken, &even), ARM_OK);
  for (size_t from = 0; from < SAMPLES; from += block)
    assert_int_equal(push(even, u, from, from + block < SAMPLES ? block : SAMPLES - from), ARM_OK);
  assert_int_equal(arm_even_end(even), ARM_OK);
  arm_even_free(even);
}

static Taken taken, again;
static Uneven uneven;

static void check_cubics(const Taken *of, double effort_tolerance) {
  for (size_t k = 0; k < of->count; k++)
    for (size_t v = 0; v < 4; v++)
      for (size_t j = 0; j < N; j++)
        if (!isnan(of->x[v][k][j]))
          assert_true(test_is_near(of->x[v][k][j], cubic(of->t[k], j, 1.0 + (double)v), 0,
                                   v == 3 ? effort_tolerance : 1e-9));
}

static void test_cubics(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 31);
  make(&uneven, &rng);
  run(&uneven, SAMPLES, &taken);
  const double span = uneven.t[SAMPLES - 1] - uneven.t[0];
  assert_int_equal(taken.count, (size_t)floor(span / 0.01) + 1);
  for (size_t k = 0; k < taken.count; k++) {
    assert_true(test_is_near(taken.t[k], 5 + 0.01 * (double)k, 0, 1e-9));
    assert_int_equal(taken.joint[k], fabs(taken.t[k] - 5) < 0.5 * span - 0.2 ? 0 : taken.joint[k]);
  }
  check_cubics(&taken, 1e-9);
  assert_int_equal(taken.joint[taken.count - 1], 1);
  run(&uneven, 7, &again);
  assert_int_equal(again.count, taken.count);
  for (size_t k = 0; k < taken.count; k++)
    assert_true(again.x[3][k][1] == taken.x[3][k][1] && again.t[k] == taken.t[k]);
}

/* Of an interval with a missing end; nowhere else. */
static void test_missing_efforts(void **state) {
  TestRng rng;
  size_t missing = 0;
  (void)state;
  test_rng_init(&rng, 32);
  make(&uneven, &rng);
  uneven.effort[700] = (double)NAN;
  run(&uneven, 64, &taken);
  check_cubics(&taken, 1e-3); /* a neighbour is missing: a straight line */
  for (size_t k = 0; k < taken.count; k++) {
    const bool is_between = taken.t[k] > uneven.t[699] && taken.t[k] < uneven.t[701];
    assert_int_equal(isnan(taken.x[3][k][0]), is_between);
    missing += isnan(taken.x[3][k][0]);
    assert_false(isnan(taken.x[3][k][1]) || isnan(taken.x[0][k][0]));
  }
  assert_true(missing >= 1 && missing <= 3);
}

static void test_gaps(void **state) {
  TestRng rng;
  bool is_begun = false;
  (void)state;
  test_rng_init(&rng, 33);
  make(&uneven, &rng);
  for (size_t s = 900; s < SAMPLES; s++) /* 2 s are missing; cubics go on in their own time */
    uneven.t[s] += 2;
  for (size_t s = 900; s < SAMPLES; s++)
    for (size_t j = 0; j < N; j++) {
      uneven.q[s + j * SAMPLES] = cubic(uneven.t[s], j, 1);
      uneven.qd[s + j * SAMPLES] = cubic(uneven.t[s], j, 2);
      uneven.qdd[s + j * SAMPLES] = cubic(uneven.t[s], j, 3);
      uneven.effort[s + j * SAMPLES] = cubic(uneven.t[s], j, 4);
    }
  run(&uneven, 100, &taken);
  check_cubics(&taken, 1e-9);
  for (size_t k = 0; k < taken.count; k++) {
    assert_false(taken.t[k] > uneven.t[899] && taken.t[k] < uneven.t[900]);
    is_begun = is_begun || taken.t[k] == uneven.t[900];
  }
  assert_true(is_begun);
}

/* Three samples are missing: positions are bridged, efforts are not. */
static void test_bridge(void **state) {
  TestRng rng;
  size_t bridged = 0;
  (void)state;
  test_rng_init(&rng, 34);
  make(&uneven, &rng);
  for (size_t s = 400; s < 403; s++)
    for (size_t j = 0; j < N; j++)
      uneven.q[s + j * SAMPLES] = (double)NAN;
  run(&uneven, 33, &taken);
  check_cubics(&taken, 1e-9);
  for (size_t k = 0; k < taken.count; k++)
    if (taken.t[k] > uneven.t[399] && taken.t[k] < uneven.t[403]) {
      assert_true(isnan(taken.x[3][k][0]) && !isnan(taken.x[0][k][0]));
      bridged++;
    }
  assert_true(bridged >= 3);
}

static void test_errors(void **state) {
  ArmEven *even = NULL;
  TestRng rng;
  (void)state;
  assert_int_equal(arm_even_new(0, 0.01, true, true, take, &taken, &even), ARM_E_ARGUMENT);
  assert_int_equal(arm_even_new(N, 0, true, true, take, &taken, &even), ARM_E_ARGUMENT);
  assert_null(even);
  arm_even_free(NULL);
  test_rng_init(&rng, 35);
  make(&uneven, &rng);
  taken.count = 0;
  taken.fail_after = 1;
  assert_int_equal(arm_even_new(N, 0.01, true, true, take, &taken, &even), ARM_OK);
  assert_int_equal(push(even, &uneven, 0, SAMPLES), ARM_E_NO_DATA);
  arm_even_free(even);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cubics), cmocka_unit_test(test_missing_efforts),
      cmocka_unit_test(test_gaps),   cmocka_unit_test(test_bridge),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
