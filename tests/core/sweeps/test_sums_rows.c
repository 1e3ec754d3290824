/* SPDX-License-Identifier: MIT */
/* Rows beside the sums, where the speed varies within strokes: the fit is that of the rows. And
 * sums alone, where rows are missing, and where those far apart share their noise. */
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

/* ---- sweeps to and fro ---- */

enum { HOLDS = 3, SPEEDS = 3, WAY_ROWS = 420, RAMP = 60 };
enum { WAYS = HOLDS * SPEEDS * 2 };

/* What sweeps are like. */
typedef struct {
  size_t ramp;    /* rows at either end in which a joint speeds up or slows down; 0: none */
  double bent;    /* A s^2/rad^2: friction by the square of the speed, which is no curve's */
  double missing; /* part of rows whose current is missing */
  double noise, correlation; /* A, and of one row with the next */
  double jitter;             /* rad, of held joints as measured */
  double faster;             /* times as fast, and as far; 0: once */
} Sweeps;

/* of the full speed, in row r of a way */
static double speed_at(const Sweeps *sweeps, size_t r) {
  const size_t from_end = r < WAY_ROWS / 2 ? r : WAY_ROWS - 1 - r;
  return from_end < sweeps->ramp ? ((double)from_end + 1.0) / ((double)sweeps->ramp + 1.0) : 1.0;
}

static void add_way(const Truth *truth, const Sweeps *sweeps, size_t i, double speed, double *q,
                    double *t, TestRng *rng, SumsCase *m) {
  double qd[TRUTH_MAX_JOINTS] = {0}, noise = 0.0;
  for (size_t r = 0; r < WAY_ROWS; r++, *t += 0.02) {
    qd[i] = speed * speed_at(sweeps, r);
    q[i] += 0.02 * qd[i];
    noise = sweeps->correlation * noise + sweeps->noise * test_rng_normal(rng);
    const double current =
        truth_current(truth, q, qd, NULL, i) - sweeps->bent * qd[i] * fabs(qd[i]) + noise;
    const bool is_missing = test_rng_uniform(rng, 0, 1) < sweeps->missing;
    double seen[TRUTH_MAX_JOINTS];
    for (size_t j = 0; j < truth->n; j++)
      seen[j] =
          q[j] + (j != i && sweeps->jitter > 0.0 ? sweeps->jitter * test_rng_normal(rng) : 0.0);
    truth_recording_add(&m->rec, *t, i, seen, qd[i], 0.0, is_missing ? (double)NAN : current);
  }
  *t += 5.0;
}

static void make_sweeps(const Sweeps *sweeps, SumsCase *m) {
  Truth truth;
  Faulty faulty;
  TestRng rng;
  double t = 0.0;
  faulty_default(&faulty);
  assert_true(faulty_truth(FAULTY_TOOL, &faulty, &truth, &m->model));
  arm_fit_options_default(&m->options);
  m->options.offers_term[ARM_TERM_CURVE] = sweeps->bent > 0.0;
  test_rng_init(&rng, 8);
  assert_true(truth_recording_init(&m->rec, truth.n, truth.n * WAYS * WAY_ROWS, false));
  for (size_t k = 0; k < truth.n * HOLDS; k++) {
    double q[TRUTH_MAX_JOINTS];
    truth_pose(&truth, &rng, q);
    for (size_t w = 0; w < SPEEDS * 2; w++) {
      const double speed =
          (0.1 + 0.1 * (double)(w / 2)) * (sweeps->faster > 0.0 ? sweeps->faster : 1.0);
      add_way(&truth, sweeps, k / HOLDS, w % 2 ? -speed : speed, q, &t, &rng, m);
    }
  }
}

/* Ramps that are used, and friction that no curve is: rows choose one, or none, by their slow rows.
 */
static void test_ramps(void **state) {
  const Sweeps sweeps = {.ramp = RAMP, .bent = 0.06, .noise = 0.01};
  SumsCase m;
  SumsBoth both;
  (void)state;
  make_sweeps(&sweeps, &m);
  sums_case_both(&m, &both);
  for (size_t i = 0; i < m.model.n; i++) {
    assert_true(arm_sums_has_rows(&both.sums, i));
    assert_memory_equal(both.fit.refined.joint[i].has_term, both.rows.refined.joint[i].has_term,
                        sizeof both.rows.refined.joint[i].has_term);
  }
  sums_case_same_estimates(&both.rows.refined, &both.fit.refined, ANY_WAY, ANY_WAY);
  sums_case_same_verdicts(&both.rows, &both.fit);
  sums_case_both_clear(&both);
  truth_recording_clear(&m.rec);
}

/* Held joints that jitter cut every way into strokes: correlations go on over these cuts. Kept rows
 * know them. */
static void test_jitter(void **state) {
  const Sweeps sweeps = {.noise = 0.01, .correlation = 0.9, .jitter = 0.006};
  SumsCase m;
  SumsBoth both;
  (void)state;
  make_sweeps(&sweeps, &m);
  sums_case_both(&m, &both);
  assert_true(both.sums.count > 2 * m.model.n * WAYS);
  for (size_t i = 0; i < m.model.n; i++)
    assert_true(arm_sums_has_rows(&both.sums, i));
  sums_case_same_estimates(&both.rows.refined, &both.fit.refined, ANY_WAY, ANY_WAY);
  sums_case_both_clear(&both);
  truth_recording_clear(&m.rec);
}

/* Cuts at about every count-th of the rows, where those on both sides are used. */
static void cut_at_used(const SumsCase *m, size_t count, TestRng *rng) {
  const ArmDataset *data = &m->rec.data;
  size_t *ends = calloc(count, sizeof *ends);
  assert_non_null(ends);
  for (size_t p = 0; p + 1 < count; p++) {
    size_t r = (p + 1) * data->rows / count;
    while (!isfinite(data->current[r - 1 + (size_t)(data->joint[r - 1] - 1) * data->rows]) ||
           !isfinite(data->current[r + (size_t)(data->joint[r] - 1) * data->rows]))
      r++;
    ends[p] = r;
  }
  ends[count - 1] = data->rows;
  sums_case_check_cuts(m, count, ends, rng);
  free(ends);
}

/* Gaps, more in a stroke than a triangle has columns: no rows are kept for them, and neighbours are
 * those that rows have, in one piece and put together. */
static void test_gaps(void **state) {
  const Sweeps sweeps = {.missing = 0.08, .noise = 0.01};
  SumsCase m;
  TestRng rng;
  SumsBoth both;
  (void)state;
  make_sweeps(&sweeps, &m);
  sums_case_both(&m, &both);
  size_t full = 0, widened = 0;
  for (size_t s = 0; s < both.sums.count; s++)
    full += both.sums.at[s].stroke.gaps > arm_sums_width(both.sums.n, both.sums.at[s].stroke.joint);
  assert_true(full > both.sums.count / 4 && full < both.sums.count);
  for (size_t i = 0; i < m.model.n; i++) {
    const ArmJointFit *x = &both.rows.refined.joint[i], *y = &both.fit.refined.joint[i];
    assert_false(arm_sums_has_rows(&both.sums, i));
    assert_true(fabs(x->lag1 - y->lag1) < 1e-9 && fabs(x->widening - y->widening) < 1e-9);
    widened += x->widening > 1.0;
  }
  assert_true(widened > 0); /* by chance: their weights lean on it */
  sums_case_same_estimates(&both.rows.refined, &both.fit.refined, 1e-6, 0.1);
  sums_case_same_verdicts(&both.rows, &both.fit);
  test_rng_init(&rng, 9);
  cut_at_used(&m, 10, &rng);
  cut_at_used(&m, 100, &rng);
  sums_case_both_clear(&both);
  truth_recording_clear(&m.rec);
}

/* Noise that rows far apart share: as rows tell it, but for what ends their sum by chance between
 * two lags that sums keep. */
static void check_far_lags(const Sweeps *sweeps) {
  SumsCase m;
  SumsBoth both;
  make_sweeps(sweeps, &m);
  sums_case_both(&m, &both);
  for (size_t i = 0; i < m.model.n; i++) {
    const ArmJointFit *x = &both.rows.refined.joint[i], *y = &both.fit.refined.joint[i];
    assert_false(arm_sums_has_rows(&both.sums, i));
    assert_true(fabs(x->lag1 - y->lag1) < 1e-4 && fabs(y->widening / x->widening - 1) < 0.05);
  }
  sums_case_both_clear(&both);
  truth_recording_clear(&m.rec);
}

/* Beside amperes of gravity, over 5 rad, where polynomials do not follow it, and over 0.05, where
 * they are all alike. */
static void test_far_lags(void **state) {
  const Sweeps wide = {.noise = 0.001, .correlation = 0.9, .faster = 2.0};
  const Sweeps narrow = {.noise = 0.001, .correlation = 0.9, .faster = 0.06};
  (void)state;
  check_far_lags(&wide);
  check_far_lags(&narrow);
}

/* Lags go over any number of cuts: parts are shorter than the longest of them. */
static void test_lags_of_parts(void **state) {
  const Sweeps sweeps = {.noise = 0.01, .correlation = 0.6, .missing = 0.002};
  SumsCase m;
  TestRng rng;
  (void)state;
  make_sweeps(&sweeps, &m);
  test_rng_init(&rng, 10);
  cut_at_used(&m, 10, &rng);
  cut_at_used(&m, 300, &rng);
  cut_at_used(&m, 600, &rng);
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
      cmocka_unit_test(test_swings),   cmocka_unit_test(test_parts_of_swings),
      cmocka_unit_test(test_ramps),    cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_far_lags), cmocka_unit_test(test_lags_of_parts),
      cmocka_unit_test(test_jitter),   cmocka_unit_test(test_shelf_of_rows),
  };
  return cmocka_run_group_tests_name("sums_rows", tests, NULL, NULL);
}
