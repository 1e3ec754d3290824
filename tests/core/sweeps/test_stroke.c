/* SPDX-License-Identifier: MIT */
/* Stroke sums: exact on what the basis holds, the same in any order of pieces, cut where they
 * should be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/stroke.h"
#include "support/support.h"

enum { K = ARM_STROKE_ORDERS, ROWS = 160, PIECES = 5, GAP = 50 };

static void legendre(double x, double p[K]) {
  const double x2 = x * x;
  p[0] = 1;
  p[1] = sqrt(3) * x;
  p[2] = sqrt(5) * (1.5 * x2 - 0.5);
  p[3] = sqrt(7) * (2.5 * x2 - 1.5) * x;
  p[4] = 3 * (4.375 * x2 * x2 - 3.75 * x2 + 0.375);
  p[5] = sqrt(11) * (7.875 * x2 * x2 - 8.75 * x2 + 1.875) * x;
}

static void two_joints(ArmModel *model) {
  assert_int_equal(arm_model_init(model, 2), ARM_OK);
  model->joints[0].limits.q_min = -3;
  model->joints[0].limits.q_max = 2.5;
}

typedef struct {
  double t, q[2], qd, current;
} Row;

/* joint 1 from low to high, current a polynomial of the swept range plus noise */
static void make_rows(double low, double high, const double *alpha, double noise, Row *rows) {
  TestRng rng;
  test_rng_init(&rng, 13);
  for (size_t r = 0; r < ROWS; r++) {
    const double x = -1 + 2 * (double)r / (ROWS - 1);
    double p[K], y = 0;
    legendre(x, p);
    for (size_t k = 0; k < K; k++)
      y += alpha[k] * p[k];
    rows[r] = (Row){.t = 1000 + 0.04 * (double)r,
                    .q = {low + (high - low) * (x + 1) / 2, 0.3},
                    .qd = 0.5 + 0.01 * sin((double)r),
                    .current = y + noise * test_rng_normal(&rng)};
  }
}

/* row r of the used ones: one of the recording is missing after GAP */
static void push(ArmStrokeStream *stream, const Row *rows, size_t r) {
  const Row *row = &rows[r];
  assert_int_equal(
      arm_stroke_stream_push(stream, row->t, r + (r > GAP), 0, row->q, row->qd, 0, row->current),
      ARM_OK);
}

static void stroke_of(const ArmModel *model, const Row *rows, ArmStroke *stroke) {
  ArmStrokes all;
  ArmStrokeStream *stream = arm_stroke_stream_new(model, NULL);
  assert_non_null(stream);
  for (size_t r = 0; r < ROWS; r++)
    push(stream, rows, r);
  assert_int_equal(arm_stroke_stream_take(stream, &all), ARM_OK);
  assert_int_equal(all.count, 1);
  *stroke = all.at[0];
  arm_strokes_clear(&all);
  arm_stroke_stream_free(stream);
}

static const double truth[K] = {0.7, -1.4, 0.06, 0.2, -0.004, 0.01};

/* streamed over the limits, judged over a third of them: the coefficients come out exactly, with
 * columns and basis in the same map */
static void test_exact(void **state) {
  (void)state;
  ArmModel model;
  ArmStroke stroke;
  ArmStrokeNumbers n;
  Row rows[ROWS];
  two_joints(&model);
  make_rows(-0.5, 1.2, truth, 0, rows);
  stroke_of(&model, rows, &stroke);
  assert_int_equal(arm_stroke_numbers(&stroke, -0.5, 1.2, &n), ARM_OK);
  for (size_t k = 0; k < K; k++)
    assert_true(test_is_near(n.alpha[k], truth[k], 0, 1e-12));
  assert_true(stroke.within < 1e-24);
  assert_true(test_is_near(stroke.low, -0.5, 0, 0) && test_is_near(stroke.high, 1.2, 0, 1e-15));
  assert_true(test_is_near(arm_stroke_speed(&stroke), 0.5, 1e-3, 0));
  /* time is linear in x: orders 0 and 1 only */
  const double *t = n.z + (size_t)K * ARM_STROKE_TIME, span = 0.04 * (ROWS - 1);
  assert_true(test_is_near(t[0], span / 2, 1e-12, 0));
  assert_true(test_is_near(t[1], span / 2 / sqrt(3), 1e-12, 0));
  for (size_t k = 2; k < K; k++)
    assert_true(fabs(t[k]) < 1e-12);
  /* cos q from its coefficients: 1e-3 is the basis, not the sums */
  for (double x = -1; x <= 1; x += 0.1) {
    double p[K], sum = 0;
    legendre(x, p);
    for (size_t k = 0; k < K; k++)
      sum += n.z[k + (size_t)K * ARM_STROKE_COS] * p[k];
    assert_true(test_is_near(sum, cos(0.35 + 0.85 * x), 0, 1e-4));
  }
}

/* noise: within, lag-1 and the root of the weights against sums over the rows */
static void test_noise(void **state) {
  (void)state;
  ArmModel model;
  ArmStroke stroke;
  ArmStrokeNumbers n;
  Row rows[ROWS];
  double within = 0, lag = 0, before = 0, gram[K][K] = {{0}};
  two_joints(&model);
  make_rows(-0.5, 1.2, truth, 0.01, rows);
  stroke_of(&model, rows, &stroke);
  assert_int_equal(arm_stroke_numbers(&stroke, -0.5, 1.2, &n), ARM_OK);
  for (size_t r = 0; r < ROWS; r++) {
    double p[K], rest = rows[r].current;
    legendre(-1 + 2 * (double)r / (ROWS - 1), p);
    for (size_t k = 0; k < K; k++)
      rest -= n.alpha[k] * p[k];
    within += rest * rest;
    lag += r > 0 ? rest * before : 0;
    before = rest;
    for (size_t a = 0; a < K; a++)
      for (size_t b = 0; b < K; b++)
        gram[a][b] += p[a] * p[b];
  }
  assert_true(test_is_near(stroke.within, within, 1e-10, 0));
  assert_true(test_is_near(n.lag, lag, 1e-6, 1e-12));
  assert_int_equal(stroke.lag_pairs, ROWS - 1);
  for (size_t a = 0; a < K; a++)
    for (size_t b = 0; b < K; b++) {
      double sum = 0;
      for (size_t k = 0; k < K; k++)
        sum += n.root[k + a * K] * n.root[k + b * K];
      assert_true(test_is_near(sum, gram[a][b], 1e-9, 1e-9));
    }
}

/* every order of the pieces of one stroke gives what one pass gives */
static void test_merge(void **state) {
  (void)state;
  ArmModel model;
  ArmStroke whole;
  ArmStrokes pieces;
  ArmStrokeNumbers want, got;
  Row rows[ROWS];
  TestRng rng;
  two_joints(&model);
  make_rows(-2, 2, truth, 0.01, rows);
  stroke_of(&model, rows, &whole);
  assert_int_equal(arm_stroke_numbers(&whole, -2, 2, &want), ARM_OK);
  ArmStrokeStream *stream = arm_stroke_stream_new(&model, NULL);
  for (size_t r = 0; r < ROWS; r++) {
    if (r == 3 || r == 40 || r == 90 || r == 91) /* a piece of 3 rows and one of 1 row as well */
      assert_int_equal(arm_stroke_stream_cut(stream), ARM_OK);
    push(stream, rows, r);
  }
  assert_int_equal(arm_stroke_stream_take(stream, &pieces), ARM_OK);
  assert_int_equal(pieces.count, PIECES);
  test_rng_init(&rng, test_seed(7));
  for (size_t trial = 0; trial < 50; trial++) {
    size_t order[PIECES] = {0, 1, 2, 3, 4};
    for (size_t k = PIECES; k-- > 1;) {
      const size_t other = test_rng_below(&rng, k + 1), kept = order[k];
      order[k] = order[other];
      order[other] = kept;
    }
    ArmStroke sum = pieces.at[order[0]];
    for (size_t k = 1; k < PIECES; k++)
      assert_int_equal(arm_stroke_merge(&sum, &pieces.at[order[k]]), ARM_OK);
    assert_int_equal(arm_stroke_numbers(&sum, -2, 2, &got), ARM_OK);
    for (size_t k = 0; k < K; k++)
      assert_true(test_is_near(got.alpha[k], want.alpha[k], 0, 1e-12));
    for (size_t k = 0; k < sizeof want.z / sizeof want.z[0]; k++)
      assert_true(test_is_near(got.z[k], want.z[k], 1e-11, 1e-11));
    assert_true(test_is_near(sum.within, whole.within, 1e-11, 0));
    assert_true(sum.rows == whole.rows && sum.first_row == whole.first_row);
    assert_true(sum.last_row == ROWS && whole.last_row == ROWS);
    assert_true(sum.gaps == 1 && whole.gaps == 1);
    assert_true(sum.low == whole.low && sum.high == whole.high);
    assert_true(sum.t_first == whole.t_first && sum.t_last == whole.t_last);
    assert_true(test_is_near(sum.t_sum, whole.t_sum, 1e-13, 0));
    assert_int_equal(sum.lag_pairs, whole.lag_pairs - (PIECES - 1));
    assert_true(test_is_near(got.lag, want.lag, 0.2, 4e-4)); /* without the pairs at four cuts */
  }
  ArmStroke other = pieces.at[1];
  other.joint = 1;
  assert_int_equal(arm_stroke_merge(&whole, &other), ARM_E_ARGUMENT);
  arm_strokes_clear(&pieces);
  arm_stroke_stream_free(stream);
}

static void test_too_few_positions(void **state) {
  (void)state;
  ArmModel model;
  ArmStroke stroke;
  ArmStrokeNumbers n;
  Row rows[ROWS];
  two_joints(&model);
  make_rows(-1, 1, truth, 0, rows);
  for (size_t r = 0; r < ROWS; r++)
    rows[r].q[0] = 0.1 * (double)(r % 4);
  stroke_of(&model, rows, &stroke);
  assert_int_equal(arm_stroke_numbers(&stroke, 0, 0.3, &n), ARM_E_NO_DATA);
}

/* ---- cutting ---- */

enum { MOST = 400 };
typedef struct {
  ArmDataset data;
  double t[MOST], q[2 * MOST], qd[2 * MOST], current[2 * MOST];
  int joint[MOST];
  ArmRowUse use[MOST];
  double clock;
} Recording;

static void add_row(Recording *rec, int joint, double q, double held, double qd) {
  const size_t r = rec->data.rows++;
  rec->t[r] = rec->clock += 0.04;
  rec->joint[r] = joint;
  rec->q[r + (joint == 1 ? 0 : MOST)] = q;
  rec->q[r + (joint == 1 ? MOST : 0)] = held;
  rec->qd[r + (joint == 1 ? 0 : MOST)] = qd;
  rec->use[r] = ARM_ROW_USED;
}

static void add_sweep(Recording *rec, int joint, double held, double qd, size_t rows) {
  const double from = qd > 0 ? -1 : 1;
  for (size_t k = 0; k < rows; k++)
    add_row(rec, joint, from + 0.04 * qd * (double)k, held, qd);
}

static void cut(Recording *rec, ArmStrokes *strokes) {
  ArmModel model;
  static double q[2 * MOST], qd[2 * MOST], current[2 * MOST];
  two_joints(&model);
  const size_t rows = rec->data.rows;
  for (size_t j = 0; j < 2; j++) {
    memcpy(q + j * rows, rec->q + j * MOST, rows * sizeof *q);
    memcpy(qd + j * rows, rec->qd + j * MOST, rows * sizeof *qd);
    memcpy(current + j * rows, rec->current + j * MOST, rows * sizeof *current);
  }
  rec->data.n = 2;
  rec->data.t = rec->t;
  rec->data.joint = rec->joint;
  rec->data.q = q;
  rec->data.qd = qd;
  rec->data.current = current;
  assert_int_equal(arm_strokes_of(&model, &rec->data, rec->use, strokes), ARM_OK);
}

static void test_cut(void **state) {
  (void)state;
  static Recording rec;
  ArmStrokes s;
  memset(&rec, 0, sizeof rec);
  add_sweep(&rec, 1, 0.2, 0.5, 40);  /* 0 */
  add_sweep(&rec, 1, 0.2, -0.5, 40); /* 1: turns */
  rec.clock += 2;
  add_sweep(&rec, 1, 0.2, -0.5, 40); /* 2: after a gap */
  add_sweep(&rec, 1, 0.9, 1.0, 30);  /* 3: another hold, turns */
  add_sweep(&rec, 1, 0.21, 1.0, 30); /* 4: the first hold again: the held joint moved */
  add_sweep(&rec, 2, 0.9, 0.5, 40);  /* 5: another joint */
  add_sweep(&rec, 2, 0.9, 0.5, 40);  /* 6: jumps back */
  rec.use[10] = ARM_ROW_LEFT_OUT;    /* ends nothing */
  rec.use[11] = ARM_ROW_OFF_PLATEAU;
  rec.use[25] = rec.use[130] = ARM_ROW_WILD_POSITION;
  rec.q[25] += 20;
  rec.q[130 + MOST] += 1;     /* of the held joint */
  rec.use[60] = ARM_ROW_SLOW; /* stands still in 1: ends it */
  cut(&rec, &s);
  static const size_t rows[] = {37, 20, 19, 40, 29, 30, 40, 40};
  static const size_t hold[] = {0, 0, 0, 0, 1, 0, 0, 0};
  assert_int_equal(s.count, 8);
  for (size_t k = 0; k < s.count; k++) {
    assert_int_equal(s.at[k].rows, rows[k]);
    assert_int_equal(s.at[k].hold, hold[k]);
    assert_int_equal(s.at[k].joint, k < 6 ? 0 : 1);
  }
  assert_int_equal(s.at[2].first_row, 61);
  assert_true(test_is_near(arm_stroke_speed(&s.at[4]), 1, 1e-12, 0));
  assert_true(test_is_near(arm_stroke_speed(&s.at[1]), -0.5, 1e-12, 0));
  arm_strokes_clear(&s);
}

/* a slow sine turns without a jump of anything: its direction alone ends a stroke */
static void test_cut_slow_turn(void **state) {
  (void)state;
  static Recording rec;
  ArmStrokes s;
  memset(&rec, 0, sizeof rec);
  for (int k = 0; k < 100; k++) {
    const double phase = 3.14159265358979 * (k + 0.5) / 50;
    add_row(&rec, 1, -0.1 * cos(phase), 0.2, 0.08 * sin(phase));
  }
  cut(&rec, &s);
  assert_int_equal(s.count, 2);
  assert_true(s.at[0].rows == 50 && s.at[1].rows == 50);
  assert_true(arm_stroke_speed(&s.at[0]) > 0 && arm_stroke_speed(&s.at[1]) < 0);
  arm_strokes_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact), cmocka_unit_test(test_noise),
      cmocka_unit_test(test_merge), cmocka_unit_test(test_too_few_positions),
      cmocka_unit_test(test_cut),   cmocka_unit_test(test_cut_slow_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
