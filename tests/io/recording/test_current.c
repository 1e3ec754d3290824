/* SPDX-License-Identifier: MIT */
/* Which currents a recording may hold: signed, fresh, measured. */
#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/recording/current_check.h"
#include "support/support.h"

static void assert_message(GError *error, int code, const char *expected) {
  g_assert_error(error, AIO_ERROR, code);
  if (!strstr(error->message, expected))
    g_error("\"%s\" lacks \"%s\"", error->message, expected);
}

/* A joint that swings +-1 rad with a period of 6 s for 30 s at 100 Hz. */
enum { SWING_ROWS = 3000 };

static AioRecording *swing(void) {
  ArmModel arm;
  g_assert_cmpint(arm_model_init(&arm, 1), ==, ARM_OK);
  AioRecording *r = aio_recording_new("swing", &arm, SWING_ROWS, false, NULL);
  for (gsize row = 0; row < SWING_ROWS; row++) {
    r->t[row] = 0.01 * (double)row;
    r->joint[row] = 1;
    r->q[row] = sin(2 * G_PI / 6 * r->t[row]);
    r->qd[row] = 2 * G_PI / 6 * cos(2 * G_PI / 6 * r->t[row]);
  }
  r->has_current[0] = r->has_speed[0] = true;
  return r;
}

/* gravity cos(q + phase) + friction + noise. */
static void fill_current(AioRecording *r, double gravity, double phase, double friction_pos,
                         double friction_neg, double noise, TestRng *rng) {
  for (gsize row = 0; row < r->rows; row++)
    r->current[row] = gravity * cos(r->q[row] + phase) +
                      (r->qd[row] > 0 ? friction_pos : -friction_neg) + 0.1 * r->qd[row] +
                      noise * test_rng_normal(rng);
}

static AioCurrentQuality quality_of(const AioRecording *r) {
  AioCurrentQuality quality;
  GError *error = NULL;
  g_assert_true(aio_current_measure(r, 0, &quality, &error));
  return quality;
}

static void check_good(AioRecording *r) {
  GError *error = NULL;
  g_assert_true(aio_current_check(r, &error));
  g_assert_no_error(error);
}

static void check_bad(AioRecording *r, const char *expected) {
  GError *error = NULL;
  g_assert_false(aio_current_check(r, &error));
  assert_message(error, AIO_ERROR_REFUSED, expected);
  g_clear_error(&error);
}

static void make_unsigned(AioRecording *r, double sign) {
  for (gsize row = 0; row < r->rows; row++)
    r->current[row] = sign * fabs(r->current[row]);
}

/* A signed current is accepted and its magnitude refused, over loads, frictions and noises; a
 * current that gravity keeps positive is the same as its magnitude and accepted both times. */
/* Signed currents are accepted; magnitudes are refused where gravity crosses zero well inside the
 * stroke, and where there is none. */
static void test_unsigned(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(31));
  for (int k = 0; k < 200; k++) {
    AioRecording *r = swing();
    const double gravity = k % 4 == 0 ? 0 : test_rng_uniform(&rng, 1, 10);
    const double zero = test_rng_uniform(&rng, -0.5, 0.5);
    const double friction = test_rng_uniform(&rng, 0.5, 2);
    const double ratio = k % 4 == 0 ? 1 : test_rng_uniform(&rng, 0.8, 1.25);
    fill_current(r, gravity, G_PI_2 - zero, friction, ratio * friction,
                 test_rng_uniform(&rng, 0, 0.1), &rng);
    check_good(r);
    make_unsigned(r, k % 2 ? 1 : -1);
    check_bad(r, "swing: joint 1: the current is unsigned, it never changes sign although the "
                 "joint moves both ways: log");
    for (gsize row = 0; row < r->rows; row++)
      r->joint[row] = 0; /* another joint may be what moves the current */
    check_good(r);
    aio_recording_free(r);
  }
}

/* Whatever gravity and friction are, a signed current is accepted, lifted off zero or not. */
static void test_signed(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(35));
  for (int k = 0; k < 300; k++) {
    AioRecording *r = swing();
    const double quantum = k % 3 == 0 ? test_rng_uniform(&rng, 0.01, 0.3) : 0;
    fill_current(r, test_rng_uniform(&rng, 0.3, 10), test_rng_uniform(&rng, -G_PI, G_PI),
                 test_rng_uniform(&rng, 0.05, 2), test_rng_uniform(&rng, 0.05, 2),
                 test_rng_uniform(&rng, 0, 0.1), &rng);
    double low = INFINITY;
    for (gsize row = 0; row < r->rows; row++)
      low = fmin(low, r->current[row]);
    for (gsize row = 0; row < r->rows; row++) {
      r->current[row] += k % 2 ? 0.01 - low : 0;
      if (quantum > 0)
        r->current[row] = quantum * round(r->current[row] / quantum);
    }
    check_good(r);
    aio_recording_free(r);
  }
}

/* What a review found: honest currents that were refused, and a magnitude that was accepted. */
static void test_unsigned_review(void) {
  AioRecording *r = swing();
  for (gsize row = 0; row < r->rows; row++) {
    const double q = r->q[row], v = r->qd[row];
    r->current[row] = 3 + sin(q) + (v > 0 ? 0.5 : -0.5) + 0.2 * v;
  }
  check_good(r);
  for (gsize row = 0; row < r->rows; row++) {
    r->q[row] *= 3;
    r->qd[row] *= 3;
    const double q = r->q[row], v = r->qd[row];
    r->current[row] = fabs(cos(q) + (v > 0 ? 0.5 : -0.5) + 0.2 * v);
  }
  check_bad(r, "unsigned");
  aio_recording_free(r);
}

static void test_stale(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(32));
  for (int k = 0; k < 100; k++) {
    AioRecording *r = swing();
    fill_current(r, test_rng_uniform(&rng, 0, 5), 1, 1, 1, 0.02, &rng);
    const gsize hold = k < 50 ? 4 : (gsize)test_rng_uniform(&rng, 8, 200);
    for (gsize row = 0; row < r->rows; row++)
      r->current[row] = r->current[row - row % hold];
    if (hold == 4) {
      check_good(r);
    } else {
      check_bad(r, "the current is stale, it changes only every ");
      g_assert_cmpfloat_with_epsilon(quality_of(r).refresh_s, 0.01 * (double)hold,
                                     0.004 * (double)hold);
      g_assert_cmpfloat_with_epsilon(quality_of(r).sampling_s, 0.01, 1e-9);
    }
    aio_recording_free(r);
  }
}

/* Quanta of 10 mA to 0.5 A, with and without noise: repeats, but no staleness. */
static void test_quantised(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(33));
  for (int k = 0; k < 100; k++) {
    AioRecording *r = swing();
    fill_current(r, test_rng_uniform(&rng, 0, 3), test_rng_uniform(&rng, -1, 1), 1, 1,
                 k % 2 ? 0 : 0.02, &rng);
    const double quantum = test_rng_uniform(&rng, 0.01, 0.5);
    for (gsize row = 0; row < r->rows; row++)
      r->current[row] = quantum * round(r->current[row] / quantum);
    check_good(r);
    aio_recording_free(r);
  }
}

static void test_constant_and_resting(void) {
  AioRecording *r = swing();
  for (gsize row = 0; row < r->rows; row++)
    r->current[row] = 2.5;
  check_bad(r, "swing: joint 1: the current is constant during ");
  r->is_torque[0] = true;
  check_bad(r, "the torque is constant");
  for (gsize row = 0; row < r->rows; row++)
    r->qd[row] = 0;
  check_good(r); /* at rest nothing is judged */
  r->has_current[0] = false;
  check_good(r);
  aio_recording_free(r);
}

/* Friction alone, without noise: two values, one per direction. Its magnitude is flat. */
static void test_two_values(void) {
  AioRecording *r = swing();
  for (gsize row = 0; row < r->rows; row++)
    r->current[row] = r->qd[row] > 0 ? 0.7 : -0.6;
  check_good(r);
  for (gsize row = 0; row < r->rows; row++)
    r->current[row] = (r->qd[row] > 0 ? 0.7 : -0.7) + 1e-3 * sin((double)row);
  check_good(r);
  make_unsigned(r, 1);
  check_bad(r, "unsigned");
  aio_recording_free(r);
}

/* A lift: the load alone may keep the current positive; without it a magnitude is flat. */
static void test_unsigned_translation(void) {
  AioRecording *r = swing();
  r->type[0] = ARM_JOINT_T;
  for (gsize row = 0; row < r->rows; row++)
    r->current[row] = 5 + tanh(50 * r->qd[row]) + 1e-3 * sin((double)row);
  check_good(r);
  for (gsize row = 0; row < r->rows; row++)
    r->current[row] = fabs(r->current[row] - 5);
  check_bad(r, "unsigned");
  aio_recording_free(r);
}

/* A current that is only measured in every tenth row is not stale. */
static void test_sparse_current(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(34));
  AioRecording *r = swing();
  fill_current(r, 2, 1, 1, 1, 0.02, &rng);
  for (gsize row = 0; row < r->rows; row++) {
    if (row % 10)
      r->current[row] = NAN;
  }
  check_good(r);
  g_assert_cmpfloat_with_epsilon(quality_of(r).refresh_s, 0.1, 0.01);
  aio_recording_free(r);
}

/* From 8 s on the drive repeats its last value for 15 s, through several reversals. */
static void test_frozen(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(36));
  for (int k = 0; k < 60; k++) {
    AioRecording *r = swing();
    const gsize rows = k % 2 ? 1500 : 130;
    fill_current(r, test_rng_uniform(&rng, 0.3, 3), 0, 1, 1, 0.02, &rng);
    for (gsize row = 0; row < r->rows && k % 6 == 1; row++)
      r->current[row] = 0.01 * round(r->current[row] / 0.01);
    check_good(r);
    for (gsize row = 800; row < 800 + rows; row++)
      r->current[row] = r->current[800];
    check_bad(r, "the current keeps one value from t = ");
    aio_recording_free(r);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/current/unsigned", test_unsigned);
  g_test_add_func("/current/signed", test_signed);
  g_test_add_func("/current/unsigned-review", test_unsigned_review);
  g_test_add_func("/current/stale", test_stale);
  g_test_add_func("/current/quantised", test_quantised);
  g_test_add_func("/current/constant", test_constant_and_resting);
  g_test_add_func("/current/two-values", test_two_values);
  g_test_add_func("/current/unsigned-translation", test_unsigned_translation);
  g_test_add_func("/current/frozen", test_frozen);
  g_test_add_func("/current/sparse", test_sparse_current);
  return g_test_run();
}
