/* SPDX-License-Identifier: MIT */
/* Trials against least squares of the rows themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/num/lsq.h"
#include "core/num/trials.h"
#include "support/support.h"

enum { ROWS = 240, P = 4, SIDES = 3, WIDTH = P + SIDES, FOLDS = 6 };

typedef struct {
  double row[ROWS][WIDTH];
  ArmTrials trials;
} Rig;

/* A fifth column of the rows is the sum of two others: nothing shows it apart. */
static void set_up(Rig *rig, TestRng *rng, double value, double noise) {
  assert_int_equal(arm_trials_init(&rig->trials, P, SIDES, FOLDS), ARM_OK);
  rig->trials.folds = FOLDS;
  for (size_t r = 0; r < ROWS; r++) {
    double *row = rig->row[r];
    for (size_t c = 0; c < WIDTH; c++)
      row[c] = test_rng_normal(rng);
    row[3] = row[0] - row[1];
    row[5] = 2 * row[2] + row[0]; /* a side that columns make up */
    row[6] = row[0] - 3 * row[2] + value * row[4] + noise * row[6];
    arm_trials_add(&rig->trials, row, arm_trials_gram(&rig->trials, r * FOLDS / ROWS));
  }
  arm_trials_sum(&rig->trials);
  assert_int_equal(arm_trials_turn(&rig->trials), ARM_OK);
}

/* Least squares of columns 0 to 2, and 4 where wanted, without a fold (FOLDS: of all).
 * Returns the squares of the residual; in *held_out those of the fold. */
static double fit(const Rig *rig, size_t fold, bool with, double x[P], double *held_out) {
  static double a[ROWS * P], y[ROWS];
  size_t m = 0, columns = with ? 4 : 3;
  double covariance[P * P], share[P], sum = 0;
  memset(a, 0, sizeof a);
  memset(y, 0, sizeof y);
  for (size_t r = 0; r < ROWS; r++) {
    if (r * FOLDS / ROWS == fold)
      continue;
    for (size_t c = 0; c < columns; c++)
      a[m + c * ROWS] = rig->row[r][c < 3 ? c : 4];
    y[m++] = rig->row[r][6];
  }
  ArmSvdWork *work = arm_svd_work_new(ROWS, P);
  assert_non_null(work);
  assert_int_equal(arm_svd_solve(work, ROWS, columns, a, y, 1e-12, x, covariance, share, NULL),
                   ARM_OK);
  arm_svd_work_free(work);
  *held_out = 0;
  for (size_t r = 0; r < ROWS; r++) {
    double e = rig->row[r][6];
    for (size_t c = 0; c < columns; c++)
      e -= x[c] * rig->row[r][c < 3 ? c : 4];
    if (r * FOLDS / ROWS == fold)
      *held_out += e * e;
    else
      sum += e * e;
  }
  return sum;
}

static void test_a_trial_is_what_least_squares_of_the_rows_say(void **state) {
  (void)state;
  TestRng rng;
  static Rig rig;
  ArmTrial trial;
  double x[P], none, plain = 0, better = 0, value[FOLDS], mean = 0, square = 0;
  test_rng_init(&rng, 71);
  set_up(&rig, &rng, 0.4, 0.5);
  assert_int_equal(arm_trials_try(&rig.trials, 0, &trial), ARM_OK);
  assert_true(trial.is_seen);
  const double without = fit(&rig, FOLDS, false, x, &none);
  const double with = fit(&rig, FOLDS, true, x, &none);
  assert_true(fabs(trial.value - x[3]) < 1e-5);
  assert_true(fabs(trial.without / without - 1) < 1e-4);
  assert_true(fabs(trial.with / with - 1) < 1e-4);
  for (size_t f = 0; f < FOLDS; f++) {
    double off;
    (void)fit(&rig, f, false, x, &off);
    plain += off;
    (void)fit(&rig, f, true, x, &off);
    better += off;
    value[f] = x[3];
    mean += x[3] / FOLDS;
  }
  for (size_t f = 0; f < FOLDS; f++)
    square += (value[f] - mean) * (value[f] - mean);
  assert_true(fabs(trial.gain - (1 - sqrt(better / plain))) < 1e-5);
  assert_true(fabs(trial.spread / sqrt(square * (FOLDS - 1) / FOLDS) - 1) < 1e-4);
  arm_trials_clear(&rig.trials);
}

static void test_what_columns_make_up_has_no_share(void **state) {
  (void)state;
  TestRng rng;
  static Rig rig;
  ArmTrial trial;
  test_rng_init(&rng, 72);
  set_up(&rig, &rng, 0.4, 0.5);
  assert_int_equal(arm_trials_try(&rig.trials, 1, &trial), ARM_OK);
  assert_true(trial.share < 1e-5);
  assert_int_equal(arm_trials_try(&rig.trials, 0, &trial), ARM_OK);
  assert_true(trial.share > 0.9);
  arm_trials_clear(&rig.trials);
}

static void test_sizes_that_make_no_sense_are_refused(void **state) {
  (void)state;
  ArmTrials trials;
  assert_int_equal(arm_trials_init(&trials, 0, SIDES, FOLDS), ARM_E_ARGUMENT);
  assert_int_equal(arm_trials_init(&trials, P, 1, FOLDS), ARM_E_ARGUMENT);
  assert_int_equal(arm_trials_init(&trials, P, ARM_TRIALS_MOST_SIDES + 1, FOLDS), ARM_E_ARGUMENT);
  assert_int_equal(arm_trials_init(&trials, P, SIDES, ARM_TRIALS_MOST_FOLDS + 1), ARM_E_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_trial_is_what_least_squares_of_the_rows_say),
      cmocka_unit_test(test_what_columns_make_up_has_no_share),
      cmocka_unit_test(test_sizes_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests_name("trials", tests, NULL, NULL);
}
