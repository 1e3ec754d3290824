/* SPDX-License-Identifier: MIT */
/* A fit of sums against the fit of the rows that they are of, and sums of parts put together
 * against those of the whole: the rows are the judge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/sums.h"
#include "core/sweeps/sums_internal.h"
#include "support/sums_case.h"

#define EQUAL 1e-9 /* of an sd */
#define SDS   0.10 /* of a fit of rows */

static void compare_fits(const SumsCase *m, double equal, double sds) {
  SumsBoth both;
  sums_case_both(m, &both);
  sums_case_same_estimates(&both.rows.refined, &both.fit.refined, equal, sds);
  sums_case_same_verdicts(&both.rows, &both.fit);
  sums_case_same_residuals(&both.rows, &both.fit);
  sums_case_both_clear(&both);
}

/* ---- the whole ---- */

static void test_same_fit(void **state) {
  static const struct {
    FaultyArm arm;
    FaultyKind kind;
  } cases[] = {{FAULTY_TOOL, FAULTY_WHITE},
               {FAULTY_TOOL, FAULTY_AR_90},
               {FAULTY_WRIST, FAULTY_ENCODER},
               {FAULTY_STANFORD, FAULTY_SCATTER},
               {FAULTY_SCARA, FAULTY_DRIFT}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Faulty faulty;
    SumsCase m;
    faulty_sound(cases[k].kind, &faulty);
    sums_case_make(cases[k].arm, &faulty, 7, &m);
    compare_fits(&m, EQUAL, SDS);
    truth_recording_clear(&m.rec);
  }
}

/* A misfit is the same misfit. Strokes give no weights then, and the joints' weights lean on
 * correlations at long lags, which sums know less well. */
static void test_same_misfit(void **state) {
  Faulty faulty;
  SumsCase m;
  (void)state;
  faulty_default(&faulty);
  faulty.gear[1] = 1.1;
  faulty.load_friction = 0.05;
  sums_case_make(FAULTY_TOOL, &faulty, 3, &m);
  compare_fits(&m, 0.05, 0.15);
  truth_recording_clear(&m.rec);
}

/* Friction terms: the load is exact but where it changes its sign. */
static void test_terms(void **state) {
  Faulty faulty;
  SumsCase m;
  SumsBoth both;
  (void)state;
  faulty_default(&faulty);
  faulty.load_friction = 0.1;
  faulty.offers_term[ARM_TERM_LOAD] = faulty.offers_term[ARM_TERM_CURVE] = true;
  sums_case_make(FAULTY_TOOL, &faulty, 5, &m);
  sums_case_both(&m, &both);
  size_t chosen = 0;
  for (size_t i = 0; i < m.model.n; i++) {
    assert_true(fabs(both.rows.refined.joint[i].lag1 - both.fit.refined.joint[i].lag1) < 0.05);
    for (int t = 0; t < ARM_TERMS; t++) {
      const ArmJointFit *x = &both.rows.refined.joint[i], *y = &both.fit.refined.joint[i];
      assert_int_equal(x->has_term[t], y->has_term[t]);
      assert_int_equal(x->trial[t].outcome, y->trial[t].outcome);
      chosen += x->has_term[t];
    }
  }
  assert_true(chosen >= 2);
  sums_case_same_estimates(&both.rows.refined, &both.fit.refined, 0.2, SDS);
  sums_case_both_clear(&both);
  truth_recording_clear(&m.rec);
}

/* As plateaus are recorded: speeds within 4 % of steady, held joints that jitter, and now and then
 * a row without a current. */
static void jitter(TruthRecording *rec, TestRng *rng) {
  const ArmDataset *data = &rec->data;
  double *q = (double *)data->q, *qd = (double *)data->qd, *current = (double *)data->current;
  for (size_t r = 0; r < data->rows; r++) {
    const size_t moving = (size_t)data->joint[r] - 1;
    qd[r + moving * data->rows] *= test_rng_uniform(rng, 0.96, 1.04);
    if (test_rng_below(rng, 30) == 0)
      current[r + moving * data->rows] = (double)NAN;
    for (size_t j = 0; j < data->n; j++)
      q[r + j * data->rows] += j == moving ? 0.0 : 1e-4 * test_rng_normal(rng);
  }
}

/* A friction curve of a steady speed is exact, as are correlations of neighbours. */
static void test_curves(void **state) {
  Faulty faulty;
  SumsCase m;
  TestRng rng;
  SumsBoth both;
  size_t curves = 0;
  (void)state;
  test_rng_init(&rng, 23);
  faulty_default(&faulty);
  faulty.stribeck = 0.3;
  faulty.offers_term[ARM_TERM_CURVE] = true;
  sums_case_make(FAULTY_TOOL, &faulty, 6, &m);
  jitter(&m.rec, &rng);
  sums_case_both(&m, &both);
  for (size_t i = 0; i < m.model.n; i++) {
    const ArmJointFit *x = &both.rows.refined.joint[i], *y = &both.fit.refined.joint[i];
    assert_false(arm_sums_has_rows(&both.sums, i));
    assert_true(fabs(x->lag1 - y->lag1) < 1e-9);
    assert_int_equal(x->has_term[ARM_TERM_CURVE], y->has_term[ARM_TERM_CURVE]);
    assert_true(x->curve_speed == y->curve_speed);
    curves += x->has_term[ARM_TERM_CURVE];
  }
  assert_true(curves >= 2);
  sums_case_same_estimates(&both.rows.refined, &both.fit.refined, EQUAL, SDS);
  sums_case_both_clear(&both);
  truth_recording_clear(&m.rec);
}

/* Of strokes that are too short to replicate any, weighed sample by sample, the friction drifts
 * with the time of each sample, that of its curve as well. */
static void test_drift_of_curves(void **state) {
  Faulty faulty;
  SumsCase m;
  SumsBoth both;
  size_t curves = 0;
  (void)state;
  faulty_sound(FAULTY_DRIFT, &faulty);
  faulty.stribeck = 0.3;
  faulty.brief = 3;
  faulty.offers_term[ARM_TERM_CURVE] = true;
  sums_case_make(FAULTY_TOOL, &faulty, 14, &m);
  sums_case_both(&m, &both);
  for (size_t i = 0; i < m.model.n; i++)
    curves += both.fit.refined.joint[i].has_term[ARM_TERM_CURVE];
  assert_true(curves >= 2);
  sums_case_same_estimates(&both.rows.refined, &both.fit.refined, 1e-9, SDS);
  sums_case_both_clear(&both);
  truth_recording_clear(&m.rec);
}

/* Strokes too short for the verdict's rows, accelerations, a joint that is never swept. */
static void test_odd_recordings(void **state) {
  Faulty faulty;
  SumsCase m;
  (void)state;
  faulty_sound(FAULTY_SCATTER, &faulty);
  faulty.brief = 3;
  sums_case_make(FAULTY_TOOL, &faulty, 11, &m);
  compare_fits(&m, EQUAL, SDS);
  truth_recording_clear(&m.rec);
  faulty_default(&faulty);
  faulty.has_acceleration = true;
  sums_case_make(FAULTY_TOOL, &faulty, 12, &m);
  m.options.rows.wants_acceleration = true;
  compare_fits(&m, EQUAL, SDS);
  truth_recording_clear(&m.rec);
  faulty_default(&faulty);
  faulty.only = 2;
  sums_case_make(FAULTY_TOOL, &faulty, 13, &m);
  compare_fits(&m, EQUAL, SDS);
  truth_recording_clear(&m.rec);
}

/* ---- parts ---- */

static void test_parts(void **state) {
  Faulty faulty;
  SumsCase m;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 17);
  faulty_default(&faulty);
  sums_case_make(FAULTY_TOOL, &faulty, 1, &m);
  sums_case_check_parts(&m, 10, &rng);
  sums_case_check_parts(&m, 100, &rng);
  truth_recording_clear(&m.rec);
  faulty_sound(FAULTY_AR_90, &faulty); /* correlations at far lags widen */
  sums_case_make(FAULTY_TOOL, &faulty, 2, &m);
  sums_case_check_parts(&m, 10, &rng);
  truth_recording_clear(&m.rec);
}

/* Recordings that all begin at 0 come one after the other, as in a fit of both: no stroke of one
 * goes on in the other. */
static void test_same_times(void **state) {
  Faulty faulty;
  SumsCase a, b;
  ArmReduced joined;
  (void)state;
  faulty_default(&faulty);
  sums_case_make(FAULTY_TOOL, &faulty, 1, &a);
  sums_case_make(FAULTY_TOOL, &faulty, 2, &b);
  ArmReduced first = sums_case_reduce(&a, &a.rec.data), second = sums_case_reduce(&b, &b.rec.data);
  const ArmReduced *parts[] = {&first, &second};
  assert_int_equal(arm_sums_join(&a.model, parts, 2, &joined), ARM_OK);
  assert_int_equal(joined.count, first.count + second.count);
  assert_int_equal(joined.rows, first.rows + second.rows);
  assert_true(joined.t_last > 2 * first.t_last);
  const ArmSumsStroke *last = &joined.at[joined.count - 1];
  assert_int_equal(last->stroke.first_row,
                   first.rows + second.at[second.count - 1].stroke.first_row);
  assert_true(joined.origin + last->stroke.t_last <= joined.t_last + 1e-9);
  arm_sums_clear(&joined);
  arm_sums_clear(&first);
  arm_sums_clear(&second);
  truth_recording_clear(&a.rec);
  truth_recording_clear(&b.rec);
}

static void test_refused(void **state) {
  Faulty faulty;
  SumsCase m;
  ArmReduced out;
  (void)state;
  faulty_default(&faulty);
  sums_case_make(FAULTY_TOOL, &faulty, 1, &m);
  ArmReduced sums = sums_case_reduce(&m, &m.rec.data), other = sums;
  const ArmReduced *parts[] = {&sums, &other};
  other.is_torque[2] = true;
  assert_int_equal(arm_sums_join(&m.model, parts, 2, &out), ARM_E_ARGUMENT);
  other = sums;
  other.has_acceleration = true;
  assert_int_equal(arm_sums_join(&m.model, parts, 2, &out), ARM_E_ARGUMENT);
  other = sums;
  other.n = 5;
  assert_int_equal(arm_sums_join(&m.model, parts, 2, &out), ARM_E_ARGUMENT);
  assert_int_equal(arm_sums_join(&m.model, parts, 0, &out), ARM_E_ARGUMENT);
  ArmGravityFit fit;
  assert_int_equal(arm_gravity_fit_sums(&m.model, &other, &m.options, &fit), ARM_E_ARGUMENT);
  arm_sums_clear(&sums);
  truth_recording_clear(&m.rec);
}

/* Rows count, not strokes: 100 of 400 are of a way whose slowest is below half of its fastest,
 * though its mean is not far below that. */
static void test_unsteady(void **state) {
  ArmSumsStroke at[] = {
      {.stroke = {.joint = 1, .rows = 100, .speed_sum = 92.0}, .slowest = 0.49, .fastest = 1.0},
      {.stroke = {.joint = 1, .rows = 300, .speed_sum = -240.0}, .slowest = 0.5, .fastest = 1.0},
      {.stroke = {.joint = 0, .rows = 50, .speed_sum = 50.0}, .slowest = 1.0, .fastest = 1.0},
  };
  const ArmReduced sums = {.n = 3, .at = at, .count = sizeof at / sizeof *at};
  (void)state;
  assert_true(arm_sums_unsteady(&sums, 1) == 0.25);
  assert_true(arm_sums_unsteady(&sums, 0) == 0 && arm_sums_unsteady(&sums, 2) == 0);
}

/* A column that rows have and sums have not is an error, and no other column: of an arm whose fit
 * has a term each, as many as there are and one more. */
static void test_unknown_column(void **state) {
  ArmModel model = {.n = 3};
  ArmIdent *ident = calloc(1, sizeof *ident);
  ArmSumsStroke *stroke = calloc(1, sizeof *stroke);
  (void)state;
  assert_true(ident && stroke);
  ident->model = &model;
  stroke->stroke = (ArmStroke){.joint = 1, .rows = 20, .speed_sum = 2.0, .high = 1.0};
  ident->terms[1] = (ArmIdentTerms){.sign = 1.0, .curve_speed = 0.3, .load = {1.0}};
  const ArmSumsView view = {.ident = ident,
                            .sums = stroke,
                            .joint = 1,
                            .width = arm_sums_width(3, 1),
                            .gravity = 4,
                            .one = {[2] = 1.0}};
  for (int terms = 0; terms < 8; terms++) {
    ArmSumsColumn column;
    ident->has_acceleration = terms & 4;
    ident->terms[1].has[ARM_TERM_LOAD] = terms & 1;
    ident->terms[1].has[ARM_TERM_CURVE] = terms & 2;
    const size_t columns = arm_ident_columns(ident, 1);
    for (size_t a = 0; a < columns; a++)
      assert_int_equal(arm_sums_column(&view, a, &column), ARM_OK);
    assert_int_equal(arm_sums_column(&view, columns, &column), ARM_E_ARGUMENT);
  }
  free(stroke);
  free(ident);
}

static void test_shelf(void **state) {
  SumsCase m;
  Faulty sound;
  (void)state;
  faulty_default(&sound);
  sums_case_make(FAULTY_TOOL, &sound, 4, &m);
  sums_case_check_shelf(&m, 15);
  truth_recording_clear(&m.rec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_fit),        cmocka_unit_test(test_same_misfit),
      cmocka_unit_test(test_terms),           cmocka_unit_test(test_curves),
      cmocka_unit_test(test_drift_of_curves), cmocka_unit_test(test_odd_recordings),
      cmocka_unit_test(test_parts),           cmocka_unit_test(test_same_times),
      cmocka_unit_test(test_refused),         cmocka_unit_test(test_unsteady),
      cmocka_unit_test(test_unknown_column),  cmocka_unit_test(test_shelf),
  };
  return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
