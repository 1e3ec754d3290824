/* SPDX-License-Identifier: MIT */
/* Rows beside the sums, where the speed varies within strokes: the fit is that of the rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/sums.h"
#include "support/sums_case.h"

#define ANY_WAY SUMS_CASE_ANY_WAY

enum { SWINGS = 2, SWING_ROWS = 700, SETTLING = 8, BACK = 15 };
enum { SETTLED = SWING_ROWS + SETTLING, ROWS = SETTLED + BACK };

/* Every joint swings in two poses, with a friction curve and slow errors, settles to and fro from
 * row to row, and goes back a little: nothing of it is a sweep of steady speed, but for strokes of
 * a few rows.
 *   misses  a current is missing now and then */
static void make_swings(bool misses, SumsCase *m) {
  Truth truth;
  Faulty faulty;
  TestRng rng;
  double t = 0.0, slow = 0.0;
  faulty_default(&faulty);
  assert_true(faulty_truth(FAULTY_TOOL, &faulty, &truth, &m->model));
  arm_fit_options_default(&m->options);
  m->options.offers_term[ARM_TERM_LOAD] = m->options.offers_term[ARM_TERM_CURVE] = true;
  test_rng_init(&rng, 5);
  assert_true(truth_recording_init(&m->rec, truth.n, truth.n * SWINGS * ROWS, false));
  for (size_t k = 0; k < truth.n * SWINGS; k++, t += 5.0) {
    double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS] = {0};
    const size_t i = k / SWINGS;
    truth_pose(&truth, &rng, q);
    const double middle = q[i];
    for (size_t r = 0; r < ROWS; r++, t += 0.02) {
      const double phase = 0.6 * 0.02 * (double)(r < SWING_ROWS ? r : SWING_ROWS);
      const double back = r < SETTLED ? 0.0 : 0.3 * 0.02 * (double)(r - SETTLED);
      q[i] = middle + sin(phase) - back;
      qd[i] = r < SWING_ROWS ? 0.6 * cos(phase) : r >= SETTLED ? -0.3 : r % 2 ? 0.02 : -0.02;
      slow = 0.97 * slow + 0.002 * test_rng_normal(&rng);
      const double curve = copysign(0.1 * exp(-fabs(qd[i]) / 0.15), qd[i]);
      const double current =
          truth_current(&truth, q, qd, NULL, i) + curve + slow + 0.005 * test_rng_normal(&rng);
      truth_recording_add(&m->rec, t, i, q, qd[i], 0.0,
                          misses && r % 20 == 7 ? (double)NAN : current);
    }
  }
}

/* With rows beside the sums the fit is that of the rows, friction curves and the largest residual
 * with it; without them it is not. */
static void test_swings(void **state) {
  SumsCase m;
  ArmGravityFit rows, fit;
  (void)state;
  make_swings(true, &m);
  ArmReduced sums = sums_case_reduce(&m, &m.rec.data);
  fit = sums_case_fit(&m, &sums);
  assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &rows), ARM_OK);
  sums_case_same_estimates(&rows.refined, &fit.refined, ANY_WAY, ANY_WAY);
  sums_case_same_verdicts(&rows, &fit);
  sums_case_same_residuals(&rows, &fit);
  size_t curves = 0;
  for (size_t i = 0; i < m.model.n; i++) {
    assert_true(arm_sums_has_rows(&sums, i));
    assert_true(fit.refined.joint[i].unsteady == 0.0 && isfinite(fit.refined.joint[i].max_abs));
    assert_memory_equal(fit.refined.joint[i].has_term, rows.refined.joint[i].has_term,
                        sizeof rows.refined.joint[i].has_term);
    curves += rows.refined.joint[i].has_term[ARM_TERM_CURVE];
  }
  assert_true(curves > 0);
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&sums);
  m.options.sums_alone = true;
  sums = sums_case_reduce(&m, &m.rec.data);
  assert_int_equal(sums.kept.count, 0);
  fit = sums_case_fit(&m, &sums);
  for (size_t i = 0; i < m.model.n; i++) {
    assert_false(arm_sums_has_rows(&sums, i));
    assert_true(fit.refined.joint[i].unsteady > 0.9 && isnan(fit.refined.joint[i].max_abs));
  }
  arm_gravity_fit_clear(&rows);
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&sums);
  truth_recording_clear(&m.rec);
}

/* Cut anywhere, and before each joint settles, where of the last part strokes of one row are left;
 * a part without its rows leaves the others' without use. */
static void test_parts_of_swings(void **state) {
  SumsCase m;
  TestRng rng;
  (void)state;
  make_swings(false, &m);
  test_rng_init(&rng, 6);
  sums_case_check_parts(&m, 10, &rng);
  sums_case_check_parts(&m, 100, &rng);
  size_t ends[SWINGS * TRUTH_MAX_JOINTS + 1];
  const size_t swings = SWINGS * m.model.n;
  for (size_t k = 0; k < swings; k++)
    ends[k] = k * ROWS + SWING_ROWS;
  ends[swings] = m.rec.data.rows;
  sums_case_check_cuts(&m, swings + 1, ends, &rng);
  ArmReduced parts[2] = {sums_case_reduce(&m, &m.rec.data)}, joined;
  m.options.sums_alone = true;
  parts[1] = sums_case_reduce(&m, &m.rec.data);
  const ArmReduced *both[] = {&parts[0], &parts[1]};
  assert_int_equal(arm_sums_join(&m.model, both, 2, &joined), ARM_OK);
  assert_int_equal(joined.kept.count, 0);
  for (size_t i = 0; i < m.model.n; i++)
    assert_false(arm_sums_has_rows(&joined, i));
  arm_sums_clear(&joined);
  arm_sums_clear(&parts[0]);
  arm_sums_clear(&parts[1]);
  truth_recording_clear(&m.rec);
}

static void test_shelf_of_rows(void **state) {
  SumsCase m;
  (void)state;
  make_swings(false, &m);
  sums_case_check_shelf(&m, 17);
  truth_recording_clear(&m.rec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_swings),
      cmocka_unit_test(test_parts_of_swings),
      cmocka_unit_test(test_shelf_of_rows),
  };
  return cmocka_run_group_tests_name("sums_rows", tests, NULL, NULL);
}
