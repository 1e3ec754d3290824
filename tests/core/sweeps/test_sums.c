/* SPDX-License-Identifier: MIT */
/* A fit of sums against the fit of the rows that they are of, and sums of parts put together
 * against those of the whole: the rows are the judge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/sums.h"
#include "core/sweeps/sums_internal.h"
#include "support/faulty.h"
#include "support/shelf.h"

#define EQUAL   1e-6 /* of an sd: what the refinement leaves of its gradient */
#define SDS     0.10 /* of a fit of rows */
#define SAME    3e-3 /* part of a statistic of residuals */
#define ANY_WAY 1e-9 /* of an sd: parts in any order */

typedef struct {
  ArmModel model;
  TruthRecording rec;
  ArmFitOptions options;
} Made;

static void make(FaultyArm arm, const Faulty *faulty, uint64_t seed, Made *m) {
  Truth truth;
  assert_true(faulty_truth(arm, faulty, &truth, &m->model));
  assert_true(faulty_record(arm, faulty, seed, &m->rec));
  arm_fit_options_default(&m->options);
  memcpy(m->options.offers_term, faulty->offers_term, sizeof faulty->offers_term);
}

static ArmGravityFit fit_sums(const Made *m, const ArmReduced *sums) {
  ArmGravityFit fit;
  assert_int_equal(arm_gravity_fit_sums(&m->model, sums, &m->options, &fit), ARM_OK);
  return fit;
}

static ArmReduced sums_of(const Made *m, const ArmDataset *data) {
  ArmReduced sums;
  assert_int_equal(arm_sums_of(&m->model, data, &m->options, &sums), ARM_OK);
  return sums;
}

/* Values within `equal` of an sd, sds within `sds` of each other. */
static void check_estimates(ArmGravityParameters *a, ArmGravityParameters *b, double equal,
                            double sds) {
  assert_int_equal(a->n_ids, b->n_ids);
  for (size_t k = 0; k < a->n_ids; k++) {
    const ArmEstimate *x = arm_gravity_parameters_at(a, a->ids[k]);
    const ArmEstimate *y = arm_gravity_parameters_at(b, a->ids[k]);
    double most = sds;
    assert_int_equal(x->identifiable, y->identifiable);
    assert_int_equal(x->reason, y->reason);
    if (!x->identifiable)
      continue;
    if (a->ids[k].kind == ARM_PARAM_LOAD) /* by leaving strokes out, kinks and all */
      most = fmax(sds, 1);
    assert_true(fabs(x->value - y->value) <= equal * x->sd);
    assert_true(fabs(y->sd / x->sd - 1) <= most);
  }
}

static void check_verdicts(const ArmGravityFit *a, const ArmGravityFit *b) {
  assert_int_equal(a->verdict.verdict, b->verdict.verdict);
  for (size_t i = 0; i < a->verdict.n; i++) {
    const ArmJointVerdict *v = &a->verdict.joint[i], *w = &b->verdict.joint[i];
    assert_int_equal(v->verdict, w->verdict);
    assert_int_equal(v->untold, w->untold);
    assert_int_equal(v->pairs, w->pairs);
    assert_int_equal(v->first_row, w->first_row);
    for (int t = 0; t < ARM_TESTS; t++)
      assert_int_equal(v->test[t].is_alarm, w->test[t].is_alarm);
    assert_true(v->pairs == 0 || fabs(v->friction - w->friction) <= 1e-9 * v->friction);
  }
  assert_int_equal(a->doubts.count, b->doubts.count);
  for (size_t k = 0; k < a->doubts.count; k++)
    assert_int_equal(a->doubts.at[k].kind, b->doubts.at[k].kind);
}

static void check_residuals(const ArmGravityFit *a, const ArmGravityFit *b) {
  for (size_t i = 0; i < a->refined.n; i++) {
    const ArmJointFit *x = &a->refined.joint[i], *y = &b->refined.joint[i];
    assert_memory_equal(x->rows_by_use, y->rows_by_use, sizeof x->rows_by_use);
    assert_int_equal(x->rows_used, y->rows_used);
    if (x->rows_used == 0)
      continue;
    assert_true(fabs(x->residual_sd / y->residual_sd - 1) < SAME);
    assert_true(fabs(x->r2 - y->r2) < SAME * (1 - x->r2) && fabs(x->lag1 - y->lag1) < 5e-3);
    assert_true(isnan(y->max_abs));
  }
}

static void compare_fits(const Made *m, double equal, double sds) {
  ArmGravityFit rows;
  ArmReduced sums = sums_of(m, &m->rec.data);
  ArmGravityFit fit = fit_sums(m, &sums);
  assert_int_equal(arm_gravity_fit(&m->model, &m->rec.data, &m->options, &rows), ARM_OK);
  check_estimates(&rows.refined, &fit.refined, equal, sds);
  check_verdicts(&rows, &fit);
  check_residuals(&rows, &fit);
  arm_gravity_fit_clear(&rows);
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&sums);
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
    Made m;
    faulty_sound(cases[k].kind, &faulty);
    make(cases[k].arm, &faulty, 7, &m);
    compare_fits(&m, EQUAL, SDS);
    truth_recording_clear(&m.rec);
  }
}

/* A misfit is the same misfit. Strokes give no weights then, and the joints' weights lean on
 * correlations at long lags, which sums know less well. */
static void test_same_misfit(void **state) {
  Faulty faulty;
  Made m;
  (void)state;
  faulty_default(&faulty);
  faulty.gear[1] = 1.1;
  faulty.load_friction = 0.05;
  make(FAULTY_TOOL, &faulty, 3, &m);
  compare_fits(&m, 0.05, 0.15);
  truth_recording_clear(&m.rec);
}

/* Friction terms: the load is exact but where it changes its sign, the curve a polynomial. */
static void test_terms(void **state) {
  Faulty faulty;
  Made m;
  ArmGravityFit rows;
  (void)state;
  faulty_default(&faulty);
  faulty.load_friction = 0.1;
  faulty.offers_term[ARM_TERM_LOAD] = faulty.offers_term[ARM_TERM_CURVE] = true;
  make(FAULTY_TOOL, &faulty, 5, &m);
  ArmReduced sums = sums_of(&m, &m.rec.data);
  ArmGravityFit fit = fit_sums(&m, &sums);
  assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &rows), ARM_OK);
  size_t chosen = 0;
  for (size_t i = 0; i < m.model.n; i++) {
    assert_true(fabs(rows.refined.joint[i].lag1 - fit.refined.joint[i].lag1) < 0.05);
    for (int t = 0; t < ARM_TERMS; t++) {
      const ArmJointFit *x = &rows.refined.joint[i], *y = &fit.refined.joint[i];
      assert_int_equal(x->has_term[t], y->has_term[t]);
      assert_int_equal(x->trial[t].outcome, y->trial[t].outcome);
      chosen += x->has_term[t];
    }
  }
  assert_true(chosen >= 2);
  check_estimates(&rows.refined, &fit.refined, 0.2, SDS);
  arm_gravity_fit_clear(&rows);
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&sums);
  truth_recording_clear(&m.rec);
}

/* Strokes too short for the verdict's rows, accelerations, a joint that is never swept. */
static void test_odd_recordings(void **state) {
  Faulty faulty;
  Made m;
  (void)state;
  faulty_sound(FAULTY_SCATTER, &faulty);
  faulty.brief = 3;
  make(FAULTY_TOOL, &faulty, 11, &m);
  compare_fits(&m, EQUAL, SDS);
  truth_recording_clear(&m.rec);
  faulty_default(&faulty);
  faulty.has_acceleration = true;
  make(FAULTY_TOOL, &faulty, 12, &m);
  m.options.rows.wants_acceleration = true;
  compare_fits(&m, EQUAL, SDS);
  truth_recording_clear(&m.rec);
  faulty_default(&faulty);
  faulty.only = 2;
  make(FAULTY_TOOL, &faulty, 13, &m);
  compare_fits(&m, EQUAL, SDS);
  truth_recording_clear(&m.rec);
}

/* ---- parts ---- */

/* Rows begin to end-1, in arrays of their own. */
static ArmDataset part_of(const ArmDataset *data, size_t begin, size_t end, double *block,
                          int *joint) {
  const size_t rows = end - begin, n = data->n;
  ArmDataset part = {.n = n,
                     .rows = rows,
                     .t = block,
                     .joint = joint,
                     .q = block + rows,
                     .qd = block + (1 + n) * rows,
                     .current = block + (1 + 2 * n) * rows};
  memcpy(block, data->t + begin, rows * sizeof *block);
  memcpy(joint, data->joint + begin, rows * sizeof *joint);
  for (size_t j = 0; j < n; j++) {
    memcpy(block + (1 + j) * rows, data->q + begin + j * data->rows, rows * sizeof *block);
    memcpy(block + (1 + n + j) * rows, data->qd + begin + j * data->rows, rows * sizeof *block);
    memcpy(block + (1 + 2 * n + j) * rows, data->current + begin + j * data->rows,
           rows * sizeof *block);
  }
  return part;
}

/* Cuts anywhere, in the middle of strokes too. */
static void reduce_parts(const Made *m, size_t count, TestRng *rng, ArmReduced *parts) {
  const ArmDataset *data = &m->rec.data;
  double *block = malloc(data->rows * (1 + 3 * data->n) * sizeof *block);
  int *joint = malloc(data->rows * sizeof *joint);
  size_t begin = 0;
  assert_non_null(block);
  assert_non_null(joint);
  for (size_t p = 0; p < count; p++) {
    const size_t left = count - p, even = (data->rows - begin) / left;
    const size_t end = left == 1 ? data->rows : begin + even / 2 + test_rng_below(rng, even);
    const ArmDataset part = part_of(data, begin, end, block, joint);
    parts[p] = sums_of(m, &part);
    begin = end;
  }
  free(block);
  free(joint);
}

static void shuffle(TestRng *rng, const ArmReduced **order, size_t count) {
  for (size_t k = count; k > 1; k--) {
    const size_t other = test_rng_below(rng, k);
    const ArmReduced *kept = order[k - 1];
    order[k - 1] = order[other];
    order[other] = kept;
  }
}

/* Taken, nothing is left of them, and the sums are those of copies. */
static void check_taken(const Made *m, ArmReduced *parts, size_t count, ArmGravityFit *fit) {
  ArmReduced **taken = calloc(count, sizeof *taken), joined;
  assert_non_null(taken);
  for (size_t p = 0; p < count; p++)
    taken[p] = &parts[p];
  assert_int_equal(arm_sums_join_taken(&m->model, taken, count, &joined), ARM_OK);
  for (size_t p = 0; p < count; p++)
    assert_true(!parts[p].at && parts[p].count == 0);
  ArmGravityFit other = fit_sums(m, &joined);
  check_estimates(&fit->refined, &other.refined, ANY_WAY, ANY_WAY);
  arm_gravity_fit_clear(&other);
  arm_sums_clear(&joined);
  free(taken);
}

static void check_parts(const Made *m, size_t count, TestRng *rng) {
  ArmReduced *parts = calloc(count, sizeof *parts), whole = sums_of(m, &m->rec.data), joined;
  const ArmReduced **order = calloc(count, sizeof *order);
  ArmGravityFit fit = fit_sums(m, &whole);
  assert_non_null(parts);
  assert_non_null(order);
  reduce_parts(m, count, rng, parts);
  for (size_t p = 0; p < count; p++)
    order[p] = &parts[p];
  for (int round = 0; round < 2; round++) {
    shuffle(rng, order, count);
    assert_int_equal(arm_sums_join(&m->model, order, count, &joined), ARM_OK);
    assert_int_equal(joined.count, whole.count);
    assert_int_equal(joined.rows, whole.rows);
    ArmGravityFit other = fit_sums(m, &joined);
    check_estimates(&fit.refined, &other.refined, ANY_WAY, ANY_WAY);
    check_verdicts(&fit, &other);
    arm_gravity_fit_clear(&other);
    arm_sums_clear(&joined);
  }
  check_taken(m, parts, count, &fit);
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&whole);
  free(parts);
  free(order);
}

static void test_parts(void **state) {
  Faulty faulty;
  Made m;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 17);
  faulty_default(&faulty);
  make(FAULTY_TOOL, &faulty, 1, &m);
  check_parts(&m, 10, &rng);
  check_parts(&m, 100, &rng);
  truth_recording_clear(&m.rec);
}

/* Recordings that all begin at 0 come one after the other, as in a fit of both: no stroke of one
 * goes on in the other. */
static void test_same_times(void **state) {
  Faulty faulty;
  Made a, b;
  ArmReduced joined;
  (void)state;
  faulty_default(&faulty);
  make(FAULTY_TOOL, &faulty, 1, &a);
  make(FAULTY_TOOL, &faulty, 2, &b);
  ArmReduced first = sums_of(&a, &a.rec.data), second = sums_of(&b, &b.rec.data);
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
  Made m;
  ArmReduced out;
  (void)state;
  faulty_default(&faulty);
  make(FAULTY_TOOL, &faulty, 1, &m);
  ArmReduced sums = sums_of(&m, &m.rec.data), other = sums;
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

/* Rows count, not strokes: 100 of 400 are of a swing. */
static void test_unsteady(void **state) {
  ArmSumsStroke at[] = {
      {.stroke = {.joint = 1, .rows = 100, .speed_sum = 64.0}, .fastest = 1.0},
      {.stroke = {.joint = 1, .rows = 300, .speed_sum = -240.0}, .fastest = 1.0},
      {.stroke = {.joint = 0, .rows = 50, .speed_sum = 50.0}, .fastest = 1.0},
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

/* Sums and their fit on a shelf: the same to the last bit, and all room is given back; none at any
 * time: said, and nothing is left there. */
static ArmStatus join_and_fit(const Made *m, const ArmReduced *part, TestShelf *shelf,
                              ArmGravityFit *fit) {
  ArmReduced sums = {0}, joined = {0};
  Made on = *m;
  on.options.shelf = &shelf->face;
  ArmStatus status = arm_sums_of(&m->model, &m->rec.data, &on.options, &sums);
  if (status == ARM_OK) {
    assert_int_equal(sums.count, part->count);
    const ArmReduced *parts[] = {&sums};
    status = arm_sums_join(&m->model, parts, 1, &joined);
  }
  if (status == ARM_OK)
    status = arm_gravity_fit_sums(&m->model, &joined, &on.options, fit);
  arm_sums_clear(&joined);
  arm_sums_clear(&sums);
  assert_int_equal(shelf->out, 0);
  return status;
}

static void test_shelf(void **state) {
  Made m;
  Faulty sound;
  ArmGravityFit fit;
  TestShelf shelf;
  (void)state;
  faulty_default(&sound);
  make(FAULTY_TOOL, &sound, 4, &m);
  ArmReduced part = sums_of(&m, &m.rec.data), joined;
  const ArmReduced *parts[] = {&part};
  assert_int_equal(arm_sums_join(&m.model, parts, 1, &joined), ARM_OK);
  ArmGravityFit before = fit_sums(&m, &joined);
  ArmStatus status = ARM_E_SOURCE;
  size_t k = 0;
  while (status == ARM_E_SOURCE) {
    test_shelf_init(&shelf, ++k);
    status = join_and_fit(&m, &part, &shelf, &fit);
  }
  assert_int_equal(status, ARM_OK);
  assert_true(k > 15 && shelf.rests > 0);
  assert_int_equal(before.refined.n_ids, fit.refined.n_ids);
  assert_memory_equal(before.refined.covariance, fit.refined.covariance,
                      fit.refined.n_ids * fit.refined.n_ids * sizeof(double));
  arm_gravity_fit_clear(&before);
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&joined);
  arm_sums_clear(&part);
  truth_recording_clear(&m.rec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_fit),       cmocka_unit_test(test_same_misfit),
      cmocka_unit_test(test_terms),          cmocka_unit_test(test_odd_recordings),
      cmocka_unit_test(test_parts),          cmocka_unit_test(test_same_times),
      cmocka_unit_test(test_refused),        cmocka_unit_test(test_unsteady),
      cmocka_unit_test(test_unknown_column), cmocka_unit_test(test_shelf),
  };
  return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
