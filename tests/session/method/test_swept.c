/* SPDX-License-Identifier: MIT */
/* Figures are made of rows that are read some at a time; here of all rows at once, from their
 * definitions: equal to the last bit. */
#include "session/method/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/whole_rows.h"
#include "../misfit_recording.h"
#include "core/sweeps/wild.h"
#include "io/arm/arm_file.h"
#include "session/measure/recorded.h"
#include "session/measure/sweep_rows.h"
#include "session/method/gravity.h"
#include "session/method/method.h"
#include "support/support.h"

enum { JOINT = 2, COPIES = 6, FIRST = 5, APART = 10, WILD = 4, PUSHED = 12 };

typedef struct {
  AioArm *arm;
  AseSweptInput *input;
} Case;

static AioArm *load_arm(void) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load(test_source_path("data/robots/puma560.arm.json"), &error);
  g_assert_no_error(error);
  return arm;
}

/* Wild samples at the beginning of the joint's sweeps, and a push at their end. */
static void disturb(AioRecording *recording) {
  gsize first = 0, last = recording->rows - 1;
  double *current = recording->current + (JOINT - 1) * recording->rows;
  while (recording->joint[first] != JOINT)
    first++;
  while (recording->joint[last] != JOINT)
    last--;
  for (gsize k = 0; k < WILD; k++)
    current[first + FIRST + k * APART] += k % 2 ? 30.0 : -40.0;
  for (gsize k = 0; k < PUSHED; k++)
    current[last - FIRST - k] += 1.0;
}

static void shift_times(const AseRun *run, guint64 us) {
  for (guint c = 0; c < run->chunks->len; c++) {
    AioChunk *chunk = run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++)
      chunk->t_us[k] += us;
  }
}

/* Again and again, until more samples are used than points are drawn. */
static GPtrArray *make_runs(const ArmModel *model) {
  GError *error = NULL;
  Faulty sound;
  faulty_default(&sound);
  AioRecording *recording = misfit_recording_new(&sound, model);
  GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  disturb(recording);
  for (guint copy = 0; copy < COPIES; copy++) {
    GPtrArray *all = ase_recorded_runs(recording, 0.2, &error);
    g_assert_no_error(error);
    for (guint k = 0; k < all->len; k++) {
      AseRun *run = all->pdata[k];
      run->id += 1000 * copy;
      shift_times(run, copy * G_GUINT64_CONSTANT(1000000000000));
      g_ptr_array_add(runs, ase_run_ref(run));
    }
    g_ptr_array_unref(all);
  }
  aio_recording_free(recording);
  return runs;
}

static AsePredictor *make_predictor(const AseSweptInput *input) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  AseSweepRows *rows =
      ase_sweep_rows_new(&input->model, input->runs, ASE_PURPOSE_MEASURE, NULL, NULL);
  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  g_assert_cmpint(arm_gravity_fit_rows(&input->model, ase_sweep_rows_source(rows), &options, fit),
                  ==, ARM_OK);
  AseFit *whole = ase_gravity_wrap(fit);
  AsePredictor *predictor = ase_method_gravity.measuring->predictor(&input->model, whole);
  ase_fit_unref(whole);
  ase_sweep_rows_free(rows);
  return predictor;
}

static const AseRun *last_run(const Case *c) {
  const AseRun *last = NULL;
  for (guint k = 0; k < c->input->runs->len; k++) {
    const AseRun *run = c->input->runs->pdata[k];
    if (run->joint == JOINT && run->purpose == ASE_PURPOSE_MEASURE)
      last = run;
  }
  return last;
}

static void case_init(Case *c) {
  c->arm = load_arm();
  c->input = g_new0(AseSweptInput, 1);
  *c->input = (AseSweptInput){.purpose = ASE_PURPOSE_MEASURE,
                              .model = c->arm->model,
                              .runs = make_runs(&c->arm->model),
                              .exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion)),
                              .select = ase_method_gravity.measuring->select};
  arm_row_options_default(&c->input->rows);
  c->input->predictor = make_predictor(c->input);
  const AseExclusion exclusion = {last_run(c)->id, -10.0, 10.0, 0};
  g_array_append_val(c->input->exclusions, exclusion);
}

static void case_clear(Case *c) {
  ase_swept_input_free(c->input);
  aio_arm_free(c->arm);
}

/* ---- all rows at once ---- */

typedef struct {
  GArray *residuals; /* double; NAN between two sweeps */
  GArray *used;      /* of AseSweptPoint, but for run and direction */
  gsize wild;
} Whole;

static void add_row(Whole *w, const Case *c, const ArmDataset *data, gsize row) {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  const AsePredictor *predictor = c->input->predictor;
  for (gsize j = 0; j < data->n; j++) {
    q[j] = data->q[j * data->rows + row];
    qd[j] = data->qd[j * data->rows + row];
  }
  const double measured = data->current[(JOINT - 1) * data->rows + row];
  const double residual = measured - predictor->current(predictor, JOINT, q, qd);
  const AseSweptPoint point = {
      .q = q[JOINT - 1], .t = data->t[row] - data->t[0], .current = measured, .residual = residual};
  g_array_append_val(w->residuals, residual);
  g_array_append_val(w->used, point);
}

static Whole whole_of(const Case *c) {
  const double gap = NAN;
  Whole w = {g_array_new(FALSE, FALSE, sizeof(double)),
             g_array_new(FALSE, FALSE, sizeof(AseSweptPoint)), 0};
  const AseSweptInput *input = c->input;
  WholeRows *rows =
      whole_rows_new(&input->model, input->runs, ASE_PURPOSE_MEASURE, input->exclusions);
  const ArmDataset data = whole_rows_dataset(rows);
  g_autofree ArmRowUse *use = g_new0(ArmRowUse, data.rows);
  g_assert_cmpint(arm_wild_select(&input->model, &data, &input->rows, use, NULL), ==, ARM_OK);
  for (gsize row = 0; row < data.rows; row++) {
    if (data.joint[row] != JOINT)
      continue;
    if (w.residuals->len && rows->run[row] != rows->run[row - 1])
      g_array_append_val(w.residuals, gap);
    if (rows->use[row] == ASE_SAMPLE_USED && use[row] == ARM_ROW_USED)
      add_row(&w, c, &data, row);
    w.wild += use[row] == ARM_ROW_WILD;
  }
  whole_rows_free(rows);
  return w;
}

static const AseSweptPoint *point_at(const GArray *points, guint k) {
  return &g_array_index(points, AseSweptPoint, k);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double reach_of(const GArray *used) {
  g_autofree double *sizes = g_new(double, used->len);
  for (guint k = 0; k < used->len; k++)
    sizes[k] = fabs(point_at(used, k)->residual);
  qsort(sizes, used->len, sizeof *sizes, compare);
  return fmax(8.0 * 1.4826 * sizes[used->len / 2], sizes[(gsize)(0.99 * (used->len - 1))]);
}

static double correlation_at(const GArray *residuals, guint lag, double mean) {
  double sum = 0.0;
  gsize pairs = 0;
  for (guint k = 0; k + lag < residuals->len; k++) {
    const double a = g_array_index(residuals, double, k);
    const double b = g_array_index(residuals, double, k + lag);
    if (isfinite(a) && isfinite(b))
      sum += (a - mean) * (b - mean), pairs++;
  }
  return sum / (double)pairs;
}

/* ---- beside each other ---- */

static void check_point(const AseSweptPoint *expected, const AseSweptPoint *found) {
  g_assert_cmpfloat(found->t, ==, expected->t);
  g_assert_cmpfloat(found->q, ==, expected->q);
  g_assert_cmpfloat(found->current, ==, expected->current);
  g_assert_cmpfloat(found->residual, ==, expected->residual);
}

/* Far ones as they come, of each block of the others the lowest and the highest. */
static void check_points(const AseSweptJoint *joint, const GArray *used) {
  GArray *near = g_array_new(FALSE, FALSE, sizeof(AseSweptPoint));
  guint far = 0, found = 0;
  for (guint k = 0; k < used->len; k++)
    if (fabs(point_at(used, k)->residual) > joint->reach)
      check_point(point_at(used, k), point_at(joint->far, far++));
    else
      g_array_append_val(near, *point_at(used, k));
  g_assert_cmpuint(far, ==, joint->far->len);
  g_assert_cmpuint(far, >, 0);
  const guint block = 2 * near->len / ASE_SWEPT_POINTS;
  g_assert_cmpuint(block, >, 2);
  for (guint from = 0; from < near->len; from += block) {
    guint low = from, high = from;
    for (guint k = from; k < MIN(from + block, near->len); k++) {
      low = point_at(near, k)->residual < point_at(near, low)->residual ? k : low;
      high = point_at(near, k)->residual > point_at(near, high)->residual ? k : high;
    }
    check_point(point_at(near, MIN(low, high)), point_at(joint->points, found++));
    if (low != high)
      check_point(point_at(near, MAX(low, high)), point_at(joint->points, found++));
  }
  g_assert_cmpuint(found, ==, joint->points->len);
  g_array_unref(near);
}

static void check_statistics(const AseSweptJoint *joint, const Whole *w) {
  double sum = 0.0, inside = 0.0, counted = 0.0;
  for (guint k = 0; k < w->used->len; k++) {
    sum += point_at(w->used, k)->residual;
    inside += fabs(point_at(w->used, k)->residual) <= 4.0 * joint->sd;
  }
  const double mean = sum / w->used->len, variance = correlation_at(w->residuals, 0, mean);
  for (guint k = 0; k < ASE_SWEPT_HISTOGRAM; k++)
    counted += joint->histogram[k];
  g_assert_cmpfloat(joint->mean, ==, mean);
  g_assert_cmpfloat(joint->reach, ==, reach_of(w->used));
  g_assert_cmpfloat(counted, ==, inside);
  for (guint lag = 0; lag < ASE_SWEPT_LAGS; lag++)
    g_assert_cmpfloat(joint->correlation[lag], ==,
                      correlation_at(w->residuals, lag, mean) / variance);
}

static void test_whole(void) {
  Case c;
  case_init(&c);
  Whole w = whole_of(&c);
  AseSwept *data = ase_swept_new(c.input, NULL);
  g_assert_nonnull(data);
  const AseSweptJoint *joint = &data->joint[JOINT - 1];
  g_assert_cmpuint(joint->rows[ASE_ROW_USED], ==, w.used->len);
  g_assert_cmpuint(joint->rows[ASE_ROW_WILD], ==, w.wild);
  g_assert_cmpuint(joint->wild->len, ==, w.wild);
  g_assert_cmpuint(w.wild, >=, COPIES);
  g_assert_cmpuint(joint->rows[ASE_ROW_EXCLUDED], >, 0);
  check_statistics(joint, &w);
  check_points(joint, w.used);
  ase_swept_free(data);
  g_array_unref(w.residuals);
  g_array_unref(w.used);
  case_clear(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/swept/whole", test_whole);
  return g_test_run();
}
