/* SPDX-License-Identifier: MIT */
/* Rows of a joint over their sds, when its trend of friction is known to 10 % beforehand: against
 * products of the rows in which that trend has been eliminated by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/num/filter.h"
#include "core/sweeps/verdict_internal.h"
#include "support/faulty.h"

enum { JOINT = 1, K = ARM_STROKE_ORDERS, MOST = ARM_IDENT_MAX_COLUMNS + 2 };
#define PRIOR_SD 0.10

typedef struct {
  Truth truth;
  ArmModel model;
  TruthRecording rec;
  ArmIdent ident;
  ArmWindows windows;
  ArmStrokeFit fit;
} Made;

static void make(const Faulty *faulty, Made *m) {
  static ArmIdentResult start;
  ArmFitOptions options;
  assert_true(faulty_truth(FAULTY_TOOL, faulty, &m->truth, &m->model));
  assert_true(faulty_record(FAULTY_TOOL, faulty, 1, &m->rec));
  arm_fit_options_default(&options);
  ArmRowUse *use = calloc(m->rec.data.rows, sizeof *use);
  assert_non_null(use);
  m->ident = (ArmIdent){.model = &m->model, .windows = &m->windows};
  ArmIdent *ident = &m->ident;
  assert_int_equal(arm_structure_find(&m->model, &ident->structure), ARM_OK);
  assert_int_equal(arm_dataset_select(&m->model, &m->rec.data, &options.rows, use), ARM_OK);
  assert_int_equal(arm_filter_median_step(m->rec.data.rows, m->rec.data.t, &ident->median_step),
                   ARM_OK);
  arm_windows_whole(&m->windows, &m->rec.data, use);
  assert_int_equal(arm_ident_survey(ident, true), ARM_OK);
  assert_int_equal(arm_ident_accumulate(ident), ARM_OK);
  assert_int_equal(arm_ident_recursion(ident, &options, &start), ARM_OK);
  assert_int_equal(arm_stroke_fit_init(ident, &ident->strokes, &m->fit), ARM_OK);
  assert_int_equal(arm_stroke_fit_solve(&m->fit, start.theta, &options.limits), ARM_OK);
  free(start.covariance);
}

static void clear(Made *m) {
  arm_stroke_fit_clear(&m->fit);
  arm_ident_rows_clear(&m->ident);
  free(m->windows.use);
  arm_windows_clear(&m->windows);
  truth_recording_clear(&m->rec);
}

/* products of [trend | columns | y] over their sds, summed over the pairs of the joint */
static void sum_products(const ArmStrokeFit *fit, size_t columns, double products[MOST][MOST]) {
  const ArmJointStrokes *joint = &fit->joint[JOINT];
  for (size_t a = 0; a < MOST; a++)
    for (size_t b = 0; b < MOST; b++)
      products[a][b] = 0;
  for (size_t p = 0; p < joint->pairs; p++)
    for (size_t k = 0; k < ARM_PAIR_ROWS; k++) {
      const ArmFitRows *rows = &fit->pairs[joint->first_pair + p].rows;
      const double sd = fit->sd[joint->first_row + p * ARM_PAIR_ROWS + k];
      double line[MOST] = {rows->trend[k] / sd};
      for (size_t a = 0; a < columns; a++)
        line[1 + a] = rows->z[k + a * ARM_PAIR_ROWS] / sd;
      line[1 + columns] = rows->y[k] / sd;
      for (size_t a = 0; a < columns + 2; a++)
        for (size_t b = 0; b < columns + 2; b++)
          products[a][b] += line[a] * line[b];
    }
}

/* sds at which the rows know of the trend what is known of it beforehand: both count */
static void even_out(ArmStrokeFit *fit, size_t columns) {
  static double products[MOST][MOST];
  const ArmJointStrokes *joint = &fit->joint[JOINT];
  sum_products(fit, columns, products);
  for (size_t k = joint->first_row; k < joint->first_row + joint->rows; k++)
    fit->sd[k] *= sqrt(products[0][0]) * PRIOR_SD;
}

static void test_trend_is_left_out(void **state) {
  (void)state;
  static Made m;
  static double products[MOST][MOST];
  ArmIdentRows weighed = {0};
  Faulty f;
  faulty_sound(FAULTY_SCATTER, &f);
  make(&f, &m);
  const size_t columns = arm_ident_columns(&m.ident, JOINT), width = columns + 1;
  assert_int_equal(m.fit.joint[JOINT].strokes, 2 * m.fit.joint[JOINT].pairs);
  even_out(&m.fit, columns);
  sum_products(&m.fit, columns, products);
  assert_true(test_is_near(products[0][0], 1 / (PRIOR_SD * PRIOR_SD), 1e-9, 0));
  products[0][0] += 1 / (PRIOR_SD * PRIOR_SD);
  assert_int_equal(arm_stroke_fit_weigh_joint(&m.fit, JOINT, &weighed), ARM_OK);
  assert_int_equal(weighed.columns, columns);
  for (size_t a = 0; a < width; a++)
    for (size_t b = 0; b < width; b++) {
      double got = 0;
      for (size_t k = 0; k < width; k++)
        got += weighed.triangle[k + a * width] * weighed.triangle[k + b * width];
      const double want =
          products[1 + a][1 + b] - products[0][1 + a] * products[0][1 + b] / products[0][0];
      const double size = sqrt(products[1 + a][1 + a] * products[1 + b][1 + b]);
      assert_true(fabs(got - want) <= 1e-9 * size);
    }
  free(weighed.triangle);
  clear(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_trend_is_left_out)};
  return cmocka_run_group_tests_name("weigh_rows", tests, NULL, NULL);
}
