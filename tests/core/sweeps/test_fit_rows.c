/* SPDX-License-Identifier: MIT */
/* A fit of rows that are read some at a time, against the fit of the same rows in memory: equal to
 * the last bit, whatever a window holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/ident.h"
#include "support/faulty.h"
#include "support/row_source.h"
#include "support/shelf.h"

static bool is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void check_estimates(const ArmEstimate *a, const ArmEstimate *b, size_t count) {
  for (size_t k = 0; k < count; k++) {
    assert_true(is_same(a[k].value, b[k].value) && is_same(a[k].sd, b[k].sd));
    assert_true(is_same(a[k].used, b[k].used));
    assert_int_equal(a[k].reason, b[k].reason);
  }
}

static void check_joints(const ArmJointFit *a, const ArmJointFit *b) {
  assert_memory_equal(a->rows_by_use, b->rows_by_use, sizeof a->rows_by_use);
  assert_true(is_same(a->residual_sd, b->residual_sd) && is_same(a->r2, b->r2));
  assert_true(is_same(a->max_abs, b->max_abs) && is_same(a->lag1, b->lag1));
  assert_true(is_same(a->widening, b->widening));
  assert_memory_equal(a->has_term, b->has_term, sizeof a->has_term);
  check_estimates(a->w, b->w, 2);
  check_estimates(a->friction, b->friction, 4);
  for (int t = 0; t < ARM_TERMS; t++) {
    assert_int_equal(a->trial[t].outcome, b->trial[t].outcome);
    assert_true(is_same(a->trial[t].value, b->trial[t].value));
  }
}

static void check_same(const ArmGravityFit *a, const ArmGravityFit *b) {
  assert_int_equal(a->iterations, b->iterations);
  assert_int_equal(a->refined.n_ids, b->refined.n_ids);
  assert_memory_equal(a->refined.covariance, b->refined.covariance,
                      a->refined.n_ids * a->refined.n_ids * sizeof(double));
  for (size_t i = 0; i < a->refined.n; i++) {
    check_joints(&a->refined.joint[i], &b->refined.joint[i]);
    check_joints(&a->recursive.joint[i], &b->recursive.joint[i]);
    check_estimates(a->refined.ratio[i], b->refined.ratio[i], a->refined.n);
    assert_int_equal(a->verdict.joint[i].verdict, b->verdict.joint[i].verdict);
    assert_true(is_same(a->verdict.joint[i].p, b->verdict.joint[i].p));
    assert_int_equal(a->verdict.joint[i].first_row, b->verdict.joint[i].first_row);
  }
  assert_int_equal(a->doubts.count, b->doubts.count);
  for (size_t k = 0; k < a->doubts.count; k++) {
    assert_int_equal(a->doubts.at[k].kind, b->doubts.at[k].kind);
    assert_int_equal(a->doubts.at[k].other, b->doubts.at[k].other);
    assert_int_equal(a->doubts.at[k].count, b->doubts.at[k].count);
    assert_true(is_same(a->doubts.at[k].found, b->doubts.at[k].found));
  }
}

/* Single samples that are wild, and some brief ones. */
static void disturb(TruthRecording *rec) {
  double *y = (double *)rec->data.current;
  for (size_t row = 40; row + 8 < rec->data.rows; row += 1231) {
    const size_t at =
        row + (size_t)(rec->data.joint[row] > 0 ? rec->data.joint[row] - 1 : 0) * rec->data.rows;
    for (size_t k = 0; k < (row % 2 ? 1 : 3); k++)
      y[at + k] += 30.0;
  }
}

typedef struct {
  Truth truth;
  ArmModel model;
  TruthRecording rec;
  ArmFitOptions options;
} Made;

static void make_of(const Faulty *faulty, uint64_t seed, bool is_disturbed, Made *m) {
  assert_true(faulty_truth(FAULTY_TOOL, faulty, &m->truth, &m->model));
  assert_true(faulty_record(FAULTY_TOOL, faulty, seed, &m->rec));
  if (is_disturbed)
    disturb(&m->rec);
  arm_fit_options_default(&m->options);
  m->options.offers_term[ARM_TERM_LOAD] = m->options.offers_term[ARM_TERM_CURVE] = true;
}

static void make(uint64_t seed, bool is_disturbed, Made *m) {
  Faulty sound;
  faulty_default(&sound);
  make_of(&sound, seed, is_disturbed, m);
}

static void compare(const Made *m, const ArmGravityFit *whole, size_t width) {
  ArmGravityFit fit;
  TestRowSource s;
  const ArmRowSource source = test_row_source(&s, &m->rec.data, width);
  assert_int_equal(arm_gravity_fit_rows(&m->model, &source, &m->options, &fit), ARM_OK);
  check_same(whole, &fit);
  arm_gravity_fit_clear(&fit);
  test_row_source_clear(&s);
}

static void test_windows(void **state) {
  (void)state;
  for (int is_disturbed = 0; is_disturbed < 2; is_disturbed++) {
    Made m;
    ArmGravityFit whole;
    make(1, is_disturbed, &m);
    assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &whole), ARM_OK);
    size_t wild = 0;
    for (size_t i = 0; i < m.model.n; i++)
      wild += whole.refined.joint[i].rows_by_use[ARM_ROW_WILD];
    assert_true(is_disturbed ? wild > 3 : wild == 0);
    compare(&m, &whole, 61);
    compare(&m, &whole, 1024);
    compare(&m, &whole, m.rec.data.rows);
    compare(&m, &whole, m.rec.data.rows + 1);
    arm_gravity_fit_clear(&whole);
    truth_recording_clear(&m.rec);
  }
}

/* Residuals that know each other for long take passes of their own. */
static void test_correlated(void **state) {
  Made m;
  ArmGravityFit whole;
  TestRng rng;
  (void)state;
  make(2, false, &m);
  test_rng_init(&rng, 3);
  double *y = (double *)m.rec.data.current, slow = 0;
  for (size_t k = 0; k < m.rec.data.rows * m.rec.data.n; k++) {
    slow = 0.98 * slow + 0.005 * test_rng_normal(&rng);
    y[k] += slow;
  }
  assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &whole), ARM_OK);
  assert_true(whole.recursive.joint[1].widening > 3);
  compare(&m, &whole, 100);
  arm_gravity_fit_clear(&whole);
  truth_recording_clear(&m.rec);
}

/* Strokes from rest to rest, of which the middle alone is used. */
static void test_plateau(void **state) {
  Made m;
  ArmGravityFit whole;
  Faulty ramps;
  (void)state;
  faulty_default(&ramps);
  ramps.has_acceleration = true;
  make_of(&ramps, 4, true, &m);
  m.options.rows.wants_plateau = true;
  assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &whole), ARM_OK);
  const size_t *by_use = whole.refined.joint[2].rows_by_use;
  assert_true(by_use[ARM_ROW_OFF_PLATEAU] > 100 && by_use[ARM_ROW_USED] > 100);
  compare(&m, &whole, 61);
  compare(&m, &whole, 1024);
  compare(&m, &whole, m.rec.data.rows);
  arm_gravity_fit_clear(&whole);
  truth_recording_clear(&m.rec);
}

/* Each window may fail to be read: it is said, and nothing else happens. */
static void test_failing(void **state) {
  Made m;
  TestRowSource s;
  ArmStatus status = ARM_E_SOURCE;
  static ArmGravityFit fit, before;
  (void)state;
  make(1, true, &m);
  const ArmRowSource source = test_row_source(&s, &m.rec.data, m.rec.data.rows / 3);
  memset(&before, 0x5a, sizeof before);
  memcpy(&fit, &before, sizeof before);
  for (s.fail_at = 0; status != ARM_OK; s.fail_at += 7) {
    s.calls = 0;
    status = arm_gravity_fit_rows(&m.model, &source, &m.options, &fit);
    if (status == ARM_OK)
      break;
    assert_int_equal(status, ARM_E_SOURCE);
    assert_memory_equal(&before, &fit, sizeof before);
  }
  assert_true(s.fail_at > 30);
  arm_gravity_fit_clear(&fit);
  test_row_source_clear(&s);
  truth_recording_clear(&m.rec);
}

static void test_refused(void **state) {
  Made m;
  TestRowSource s;
  static ArmGravityFit fit;
  (void)state;
  make(1, false, &m);
  ArmRowSource source = test_row_source(&s, &m.rec.data, 100);
  m.options.lowpass_Hz = 13; /* above half the sampling rate */
  assert_int_equal(arm_gravity_fit_rows(&m.model, &source, &m.options, &fit), ARM_E_ARGUMENT);
  source.keeper = NULL;
  s.calls = 0;
  m.options.lowpass_Hz = 1;
  assert_int_equal(arm_gravity_fit_rows(&m.model, &source, &m.options, &fit), ARM_E_ARGUMENT);
  m.options.lowpass_Hz = 0;
  m.options.rows.wants_acceleration = true;
  assert_int_equal(arm_gravity_fit_rows(&m.model, &source, &m.options, &fit), ARM_E_ARGUMENT);
  assert_int_equal(s.calls, 0);
  test_row_source_clear(&s);
  truth_recording_clear(&m.rec);
}

/* ---- filters ---- */

typedef struct {
  double lowpass_Hz;
  bool acceleration, plateau, measured;
} Filters;

static void make_filtered(const Filters *filters, bool is_disturbed, Made *m) {
  Faulty ramps;
  faulty_default(&ramps);
  ramps.has_acceleration = true;
  make_of(&ramps, 6, is_disturbed, m);
  assert_non_null(m->rec.data.qdd);
  if (!filters->measured)
    m->rec.data.qdd = NULL;
  m->options.lowpass_Hz = filters->lowpass_Hz;
  m->options.rows.wants_acceleration = filters->acceleration;
  m->options.rows.wants_plateau = filters->plateau;
}

static void test_filters(void **state) {
  static const Filters all[] = {{3, false, false, false}, {0, true, false, false},
                                {3, true, false, false},  {2, true, true, false},
                                {0, true, false, true},   {4, true, false, true}};
  (void)state;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    Made m;
    ArmGravityFit whole;
    make_filtered(&all[k], k % 2 == 0, &m);
    assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &whole), ARM_OK);
    compare(&m, &whole, 97);
    compare(&m, &whole, 1024);
    arm_gravity_fit_clear(&whole);
    truth_recording_clear(&m.rec);
  }
}

/* Each call may fail, of source and keeper. */
static void test_filters_failing(void **state) {
  const Filters filters = {3, true, false, false};
  Made m;
  TestRowSource s;
  ArmStatus status = ARM_E_SOURCE;
  static ArmGravityFit fit;
  (void)state;
  make_filtered(&filters, true, &m);
  const ArmRowSource source = test_row_source(&s, &m.rec.data, m.rec.data.rows / 3);
  size_t failed = 0;
  for (s.fail_at = 0; status != ARM_OK; s.fail_at += 5) {
    status = arm_gravity_fit_rows(&m.model, &source, &m.options, &fit);
    failed += status == ARM_E_SOURCE;
    test_row_source_forget(&s);
  }
  assert_true(status == ARM_OK && failed > 10);
  arm_gravity_fit_clear(&fit);
  test_row_source_clear(&s);
  truth_recording_clear(&m.rec);
}

/* A swing of joint 2 without a pause, longer than what is filtered at once: at 1 kHz, where a low
 * pass remembers thousands of rows. */
enum { LONG = 120000 };

static void swing(Made *m) {
  TestRng rng;
  double *t = calloc(LONG * (1 + 3 * FAULTY_JOINTS), sizeof *t);
  int *joint = calloc(LONG, sizeof *joint);
  assert_true(t && joint);
  double *q = t + LONG, *qd = q + LONG * FAULTY_JOINTS, *current = qd + LONG * FAULTY_JOINTS;
  test_rng_init(&rng, 8);
  for (size_t r = 0; r < LONG; r++) {
    const double angle = 0.8 * sin(5e-4 * (double)r), speed = 0.4 * cos(5e-4 * (double)r);
    t[r] = 1e-3 * (double)r;
    joint[r] = 2;
    for (size_t j = 0; j < FAULTY_JOINTS; j++) {
      q[r + j * LONG] = j == 1 ? angle : 0.2 * (double)j;
      qd[r + j * LONG] = j == 1 ? speed : NAN;
      current[r + j * LONG] = NAN;
    }
    current[r + LONG] = 4.0 * cos(angle) + 1.5 * sin(angle) + (speed > 0 ? 0.5 : -0.5) +
                        0.3 * speed - 0.04 * sin(5e-4 * (double)r) + 0.05 * test_rng_normal(&rng);
  }
  m->rec.data = (ArmDataset){.n = FAULTY_JOINTS,
                             .rows = LONG,
                             .t = t,
                             .joint = joint,
                             .q = q,
                             .qd = qd,
                             .current = current};
}

static void check_near(ArmGravityFit *a, ArmGravityFit *b) {
  size_t known = 0;
  assert_int_equal(a->refined.n_ids, b->refined.n_ids);
  for (size_t k = 0; k < a->refined.n_ids; k++) {
    const ArmEstimate *x = arm_gravity_parameters_at(&a->refined, a->refined.ids[k]);
    const ArmEstimate *y = arm_gravity_parameters_at(&b->refined, a->refined.ids[k]);
    assert_int_equal(x->identifiable, y->identifiable);
    if (!x->identifiable)
      continue;
    known++;
    assert_true(fabs(x->value - y->value) <= 1e-9 * x->sd);
    assert_true(fabs(y->sd / x->sd - 1) <= 1e-9);
  }
  assert_true(known > 3);
  assert_memory_equal(a->refined.joint[1].rows_by_use, b->refined.joint[1].rows_by_use,
                      sizeof a->refined.joint[1].rows_by_use);
}

static void test_long_stretch(void **state) {
  static const Filters all[] = {
      {7.5, false, false, false}, {7.5, true, false, false}, {1.5, true, false, false}};
  Truth truth;
  Faulty sound;
  Made m;
  (void)state;
  faulty_default(&sound);
  assert_true(faulty_truth(FAULTY_TOOL, &sound, &truth, &m.model));
  arm_fit_options_default(&m.options);
  swing(&m);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    ArmGravityFit whole, fit;
    TestRowSource s;
    m.options.lowpass_Hz = all[k].lowpass_Hz;
    m.options.rows.wants_acceleration = all[k].acceleration;
    assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &whole), ARM_OK);
    const ArmRowSource source = test_row_source(&s, &m.rec.data, 1024);
    assert_int_equal(arm_gravity_fit_rows(&m.model, &source, &m.options, &fit), ARM_OK);
    check_near(&whole, &fit);
    arm_gravity_fit_clear(&whole);
    arm_gravity_fit_clear(&fit);
    test_row_source_clear(&s);
  }
  free((void *)m.rec.data.t);
  free((void *)m.rec.data.joint);
}

/* Derivatives reach as far as their window and no further: blocks are the whole, to the bit. */
static void test_long_derivative(void **state) {
  Truth truth;
  Faulty sound;
  Made m;
  ArmGravityFit whole;
  (void)state;
  faulty_default(&sound);
  assert_true(faulty_truth(FAULTY_TOOL, &sound, &truth, &m.model));
  arm_fit_options_default(&m.options);
  m.options.rows.wants_acceleration = true;
  swing(&m);
  assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &whole), ARM_OK);
  compare(&m, &whole, 1024);
  arm_gravity_fit_clear(&whole);
  free((void *)m.rec.data.t);
  free((void *)m.rec.data.joint);
}

/* Strokes on a shelf: the same to the last bit, with a cause looked for; all room is given back. */
static void test_shelf(void **state) {
  (void)state;
  for (int is_faulty = 0; is_faulty < 2; is_faulty++) {
    Made m;
    ArmGravityFit whole, fit;
    ArmDiagnosis diagnosis, again;
    TestShelf shelf;
    Faulty faulty;
    faulty_default(&faulty);
    faulty.gear[1] = is_faulty ? 1.1 : 0;
    make_of(&faulty, 3, false, &m);
    m.options.diagnosis = &diagnosis;
    assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &whole), ARM_OK);
    test_shelf_init(&shelf, 0);
    m.options.shelf = &shelf.face;
    m.options.diagnosis = &again;
    assert_int_equal(arm_gravity_fit(&m.model, &m.rec.data, &m.options, &fit), ARM_OK);
    check_same(&whole, &fit);
    assert_int_equal(diagnosis.count, again.count);
    assert_true(is_faulty ? again.count > 0 : again.count == 0);
    for (size_t k = 0; k < again.count; k++)
      assert_true(is_same(diagnosis.at[k].score, again.at[k].score));
    assert_true(shelf.takes > 10 && shelf.rests > 0 && shelf.out == 0);
    arm_gravity_fit_clear(&whole);
    arm_gravity_fit_clear(&fit);
    truth_recording_clear(&m.rec);
  }
}

/* No room at any time: said, and nothing is left on the shelf. */
static void test_full_shelf(void **state) {
  Made m;
  ArmGravityFit fit;
  TestShelf shelf;
  ArmStatus status = ARM_E_SOURCE;
  (void)state;
  make(3, false, &m);
  m.options.shelf = &shelf.face;
  size_t k = 0;
  while (status == ARM_E_SOURCE) {
    test_shelf_init(&shelf, ++k);
    status = arm_gravity_fit(&m.model, &m.rec.data, &m.options, &fit);
    assert_int_equal(shelf.out, 0);
  }
  assert_int_equal(status, ARM_OK);
  assert_true(k > 10);
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&m.rec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows),         cmocka_unit_test(test_correlated),
      cmocka_unit_test(test_plateau),         cmocka_unit_test(test_failing),
      cmocka_unit_test(test_refused),         cmocka_unit_test(test_filters),
      cmocka_unit_test(test_filters_failing), cmocka_unit_test(test_long_stretch),
      cmocka_unit_test(test_long_derivative), cmocka_unit_test(test_shelf),
      cmocka_unit_test(test_full_shelf),
  };
  return cmocka_run_group_tests_name("fit_rows", tests, NULL, NULL);
}
