/* SPDX-License-Identifier: MIT */
/* What the figures of the method of sweeps are made of: the same samples in all of them, in SI, and
 * where there is nothing, why. */
#include "session/method/figures.h"

#include <math.h>
#include <string.h>

#include "../misfit_recording.h"
#include "io/arm/arm_file.h"
#include "session/measure/recorded.h"
#include "session/measure/sweep_rows.h"
#include "session/method/gravity.h"
#include "session/method/method.h"
#include "session/method/swept_statistics.h"
#include "support/support.h"

enum { JOINT = 2, UNSWEPT = 3, SEEN = 3 };

typedef struct {
  const AseMeasuring *measuring;
  AioArm *arm;
  ArmGravityFit *fit; /* whole is it, for its method */
  AseFit *whole;
  AseSweptInput *input;
  AseSwept *data;
} Case;

static void load_arm(Case *c) {
  GError *error = NULL;
  char *text = NULL;
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/puma560.arm.json"), &text, NULL, NULL));
  c->arm = aio_arm_load_bytes("arm", text, strlen(text), &error);
  g_assert_no_error(error);
  g_free(text);
}

/* Of all joints but one. */
static GPtrArray *make_runs(const Case *c) {
  GError *error = NULL;
  Faulty sound;
  faulty_default(&sound);
  AioRecording *recording = misfit_recording_new(&sound, &c->arm->model);
  GPtrArray *all = ase_recorded_runs(recording, 0.2, &error);
  GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  g_assert_no_error(error);
  for (guint k = 0; k < all->len; k++)
    if (((AseRun *)all->pdata[k])->joint != UNSWEPT)
      g_ptr_array_add(runs, ase_run_ref(all->pdata[k]));
  g_ptr_array_unref(all);
  aio_recording_free(recording);
  return runs;
}

static void make_fit(Case *c) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  AseSweepRows *rows =
      ase_sweep_rows_new(&c->arm->model, c->input->runs, ASE_PURPOSE_MEASURE, NULL, NULL);
  g_assert_nonnull(rows);
  c->fit = g_new0(ArmGravityFit, 1);
  g_assert_cmpint(
      arm_gravity_fit_rows(&c->arm->model, ase_sweep_rows_source(rows), &options, c->fit), ==,
      ARM_OK);
  c->whole = ase_gravity_wrap(c->fit);
  ase_sweep_rows_free(rows);
}

/* Few enough samples for each of them to be drawn. */
static void keep_some(GPtrArray *runs) {
  guint seen[ARM_MAX_JOINTS] = {0};
  for (guint k = 0; k < runs->len;)
    if (++seen[((AseRun *)runs->pdata[k])->joint - 1] > SEEN)
      g_ptr_array_remove_index(runs, k);
    else
      k++;
}

static void case_init(Case *c, bool has_fit) {
  *c = (Case){.measuring = ase_method_gravity.measuring};
  load_arm(c);
  c->input = g_new0(AseSweptInput, 1);
  *c->input = (AseSweptInput){.purpose = ASE_PURPOSE_MEASURE,
                              .model = c->arm->model,
                              .runs = make_runs(c),
                              .exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion)),
                              .select = c->measuring->select};
  arm_row_options_default(&c->input->rows);
  if (has_fit) {
    make_fit(c);
    c->input->predictor = c->measuring->predictor(&c->arm->model, c->whole);
    g_assert_nonnull(c->input->predictor);
  }
  keep_some(c->input->runs);
  c->data = ase_swept_new(c->input, NULL);
  g_assert_nonnull(c->data);
}

static void case_clear(Case *c) {
  ase_swept_free(c->data);
  ase_swept_input_free(c->input);
  ase_fit_unref(c->whole);
  aio_arm_free(c->arm);
}

static AsePicture *picture_of(const Case *c, const char *key, const AseShown *shown) {
  const AseFigure *figure = c->measuring->figures;
  while (!g_str_equal(figure->key, key))
    figure++;
  return ase_picture_new(figure, shown);
}

static const AseSeries *line_of(const AsePicture *picture, AseSeriesRole role, guint run,
                                int direction) {
  for (guint k = 0; k < picture->series->len; k++) {
    const AseSeries *series = picture->series->pdata[k];
    if (series->role == role && series->run == run && series->direction == direction &&
        !series->is_key)
      return series;
  }
  return NULL;
}

static guint count_points(const AsePicture *picture) {
  guint count = 0;
  for (guint k = 0; k < picture->series->len; k++)
    count += ((const AseSeries *)picture->series->pdata[k])->n;
  return count;
}

/* ---- the list ---- */

static void test_list(void) {
  const AseFigure *figures = ase_method_gravity.measuring->figures;
  bool is_below = false;
  for (guint k = 0; figures[k].key; k++) {
    for (guint before = 0; before < k; before++)
      g_assert_cmpstr(figures[before].key, !=, figures[k].key);
    g_assert_false(is_below && figures[k].place != ASE_FIGURE_BELOW);
    is_below = figures[k].place == ASE_FIGURE_BELOW;
    g_assert_nonnull(figures[k].fill);
  }
  g_assert_true(is_below);
}

/* ---- what is in them ---- */

/* Of one sweep and direction, from the samples themselves, of which all are kept. */
static double sum_of_residuals(const AseSweptJoint *of, guint r, int direction) {
  const GArray *const lists[] = {of->points, of->far};
  double sum = 0.0;
  g_assert_cmpuint(of->points->len + of->far->len, ==, of->rows[ASE_ROW_USED]);
  for (guint l = 0; l < G_N_ELEMENTS(lists); l++)
    for (guint k = 0; k < lists[l]->len; k++) {
      const AseSweptPoint *point = &g_array_index(lists[l], AseSweptPoint, k);
      sum += point->run + 1 == r && point->direction == direction ? point->residual : 0.0;
    }
  return sum;
}

/* At the same positions, in rad and A, as the bins have it; weighted by samples their difference is
 * the sum of the residuals. */
static double difference_of_line(const AseSeries *m, const AseSeries *c, const AseSweptRun *run,
                                 guint d) {
  double sum = 0.0;
  guint at = 0;
  g_assert_nonnull(m);
  g_assert_nonnull(c);
  g_assert_cmpuint(m->n, ==, c->n);
  for (guint k = 0; k < ASE_SWEPT_BINS; k++) {
    const AseSweptBin *bin = &run->bin[d][k];
    if (!bin->n)
      continue;
    at += isnan(m->y[at]);
    g_assert_cmpfloat(m->x[at], ==, c->x[at]);
    g_assert_true(m->x[at] >= run->low && m->x[at] <= run->high);
    g_assert_cmpfloat_with_epsilon(m->y[at], bin->measured / bin->n, 1e-12);
    sum += bin->n * (m->y[at] - c->y[at]);
    at++;
  }
  g_assert_cmpuint(at, ==, m->n);
  return sum;
}

static void check_lines(const Case *c, guint joint) {
  const AseShown shown = {.data = c->data, .joint = joint};
  g_autoptr(AsePicture) measured = picture_of(c, "measured", &shown);
  g_autoptr(AsePicture) computed = picture_of(c, "computed", &shown);
  g_autoptr(AsePicture) both = picture_of(c, "overlaid", &shown);
  const AseSweptJoint *of = &c->data->joint[joint - 1];
  g_assert_cmpint(measured->x.quantity, ==, ASE_QUANTITY_POSITION);
  g_assert_cmpint(measured->y.quantity, ==, ASE_QUANTITY_CURRENT);
  g_assert_cmpfloat(measured->y.low, ==, computed->y.low);
  g_assert_cmpfloat(measured->y.high, ==, computed->y.high);
  g_assert_cmpuint(of->runs->len, >, 0);
  for (guint r = 1; r <= of->runs->len; r++)
    for (guint d = 0; d < 2; d++) {
      const int sign = d ? -1 : 1;
      const AseSweptRun *run = of->runs->pdata[r - 1];
      const double expected = sum_of_residuals(of, r, sign);
      g_assert_cmpfloat_with_epsilon(
          difference_of_line(line_of(measured, ASE_SERIES_MEASURED, r, sign),
                             line_of(computed, ASE_SERIES_COMPUTED, r, sign), run, d),
          expected, 1e-9 * of->sd);
      g_assert_cmpfloat_with_epsilon(difference_of_line(line_of(both, ASE_SERIES_MEASURED, r, sign),
                                                        line_of(both, ASE_SERIES_COMPUTED, r, sign),
                                                        run, d),
                                     expected, 1e-9 * of->sd);
    }
}

static void check_residuals(const Case *c, guint joint) {
  const AseShown shown = {.data = c->data, .joint = joint};
  const AseShown over_time = {.data = c->data, .joint = joint, .is_over_time = true};
  const AseSweptJoint *of = &c->data->joint[joint - 1];
  g_autoptr(AsePicture) picture = picture_of(c, "residuals", &shown);
  g_autoptr(AsePicture) times = picture_of(c, "residuals", &over_time);
  const AseSeries *band = line_of(picture, ASE_SERIES_BAND, 0, 0);
  guint n = 0;
  g_assert_cmpint(picture->y.quantity, ==, ASE_QUANTITY_RESIDUAL);
  g_assert_cmpint(picture->x.quantity, ==, ASE_QUANTITY_POSITION);
  g_assert_cmpint(times->x.quantity, ==, ASE_QUANTITY_TIME);
  for (int sign = 1; sign >= -1; sign -= 2) {
    const AseSeries *points = line_of(picture, ASE_SERIES_RESIDUAL, 0, sign);
    n += points->n;
    for (guint k = 0; k < points->n; k++)
      g_assert_cmpfloat(fabs(points->y[k]), <=, of->reach);
    g_assert_cmpuint(line_of(times, ASE_SERIES_RESIDUAL, 0, sign)->n, ==, points->n);
  }
  g_assert_cmpuint(n, ==, of->points->len);
  g_assert_cmpfloat_with_epsilon(band->top[0], 2.0 * of->sd, 1e-15);
  g_assert_cmpfloat(band->y[1], ==, -band->top[1]);
  g_assert_true(isinf(band->x[0]) && isinf(band->x[1]));
}

static void check_distribution(const Case *c, guint joint) {
  const AseShown shown = {.data = c->data, .joint = joint};
  const AseSweptJoint *of = &c->data->joint[joint - 1];
  g_autoptr(AsePicture) picture = picture_of(c, "distribution", &shown);
  const AseSeries *bars = line_of(picture, ASE_SERIES_COUNT, 0, 0);
  const AseSeries *normal = line_of(picture, ASE_SERIES_EXPECTED, 0, 0);
  double counted = 0.0, expected = 0.0;
  for (guint k = 0; k < normal->n; k++)
    counted += bars->top[2 * k], expected += normal->y[k];
  g_assert_cmpfloat_with_epsilon(bars->x[bars->n - 1], 4.0 * of->sd, 1e-12);
  g_assert_cmpfloat_with_epsilon(expected / (double)of->rows[ASE_ROW_USED], 1.0, 1e-3);
  g_assert_cmpfloat_with_epsilon(counted / expected, 1.0, 0.01);
}

static void test_series(void) {
  Case c;
  case_init(&c, true);
  for (guint joint = 1; joint <= c.data->joints; joint++)
    if (joint != UNSWEPT) {
      check_lines(&c, joint);
      check_residuals(&c, joint);
      check_distribution(&c, joint);
    }
  case_clear(&c);
}

/* One sweep in one direction: of the others there is nothing. */
static void test_chosen(void) {
  Case c;
  case_init(&c, true);
  const AseShown shown = {.data = c.data, .joint = JOINT, .run = 2, .direction = -1};
  g_autoptr(AsePicture) picture = picture_of(&c, "measured", &shown);
  const AseSweptRun *run = c.data->joint[JOINT - 1].runs->pdata[1];
  g_assert_nonnull(line_of(picture, ASE_SERIES_MEASURED, 2, -1));
  g_assert_null(line_of(picture, ASE_SERIES_MEASURED, 2, 1));
  g_assert_null(line_of(picture, ASE_SERIES_MEASURED, 1, -1));
  g_assert_cmpfloat(picture->x.low, ==, run->low);
  g_assert_cmpfloat(picture->x.high, ==, run->high);
  case_clear(&c);
}

/* Friction forward decides itself where the joint moves forward, and nowhere else. */
static void test_decides(void) {
  Case c;
  case_init(&c, true);
  const AseShown shown = {.data = c.data,
                          .joint = JOINT,
                          .has_parameter = true,
                          .parameter = {ARM_PARAM_COULOMB_POS, JOINT - 1, 0}};
  g_autoptr(AsePicture) picture = picture_of(&c, "measured", &shown);
  const AseSweptRun *run = c.data->joint[JOINT - 1].runs->pdata[0];
  guint filled = 0;
  for (guint k = 0; k < ASE_SWEPT_BINS; k++)
    filled += run->bin[0][k].n > 0;
  g_assert_cmpuint(line_of(picture, ASE_SERIES_DECIDES, 1, 1)->n, ==, filled);
  g_assert_cmpuint(line_of(picture, ASE_SERIES_DECIDES, 1, -1)->n, ==, 0);
  case_clear(&c);
}

/* ---- where there is nothing ---- */

static void assert_none(const Case *c, const char *key, const AseShown *shown, const char *why) {
  g_autoptr(AsePicture) picture = picture_of(c, key, shown);
  g_assert_cmpuint(count_points(picture), ==, 0);
  if (!picture->none || !strstr(picture->none, why))
    g_error("%s: \"%s\" does not say \"%s\"", key, picture->none, why);
}

static void check_unswept(const Case *c, const AseSwept *data) {
  AseShown shown = {.data = data, .joint = UNSWEPT};
  assert_none(c, "measured", &shown, "No sweep of this joint yet");
  assert_none(c, "overlaid", &shown, "No sweep of this joint yet");
  assert_none(c, "residuals", &shown, "Sweep, then Fit");
  assert_none(c, "distribution", &shown, "Sweep, then Fit");
  assert_none(c, "autocorrelation", &shown, "Sweep, then Fit");
  shown.is_validation = true;
  assert_none(c, "overlaid", &shown, "No validation sweep");
  shown.is_imported = true;
  assert_none(c, "measured", &shown, "left for validation");
  shown.is_validation = false;
  assert_none(c, "measured", &shown, "import one that has some");
}

static void test_unswept(void) {
  Case c;
  case_init(&c, true);
  check_unswept(&c, c.data);
  check_unswept(&c, NULL);
  case_clear(&c);
}

static void test_no_fit(void) {
  Case c;
  case_init(&c, false);
  const AseShown shown = {.data = c.data, .joint = JOINT};
  assert_none(&c, "computed", &shown, "appear after the fit");
  assert_none(&c, "residuals", &shown, "Sweep, then Fit");
  g_autoptr(AsePicture) both = picture_of(&c, "overlaid", &shown);
  g_assert_nonnull(line_of(both, ASE_SERIES_MEASURED, 1, 1));
  g_assert_null(line_of(both, ASE_SERIES_COMPUTED, 1, 1));
  g_assert_true(
      isnan(ase_swept_current(c.data, JOINT, c.data->joint[JOINT - 1].runs->pdata[0], 0.0, 1.0)));
  case_clear(&c);
}

/* ---- what the fit says of a row ---- */

/* Computed anew with the parameter a little larger: currents are linear in each. */
static double change(Case *c, const AseSweptRun *run, double q, double qd, ArmParamId id) {
  ArmEstimate *e = arm_gravity_parameters_at(&c->fit->refined, id);
  AsePredictor *known = c->data->predictor;
  const double before = ase_swept_current(c->data, JOINT, run, q, qd), used = e->used;
  e->used += 1.0;
  c->data->predictor = c->measuring->predictor(&c->arm->model, c->whole);
  const double after = ase_swept_current(c->data, JOINT, run, q, qd);
  ase_predictor_unref(c->data->predictor);
  c->data->predictor = known;
  e->used = used;
  return after - before;
}

static void test_columns(void) {
  Case c;
  case_init(&c, true);
  const AseSweptRun *run = c.data->joint[JOINT - 1].runs->pdata[0];
  for (ArmParamKind kind = ARM_PARAM_KX; kind <= ARM_PARAM_VISCOUS_NEG; kind++)
    for (int k = 0; k < 6; k++) {
      const ArmParamId id = {kind, JOINT - 1, 0};
      const double q = -0.5 + 0.2 * k, qd = k % 2 ? -run->speed : run->speed;
      if (kind != ARM_PARAM_MHAT)
        g_assert_cmpfloat_with_epsilon(ase_swept_column(c.data, JOINT, run, q, qd, id),
                                       change(&c, run, q, qd, id), 1e-9);
    }
  case_clear(&c);
}

/* It outlives the fit, and is of no other arm. */
static void test_predictor(void) {
  Case c;
  case_init(&c, true);
  const AseSweptRun *run = c.data->joint[JOINT - 1].runs->pdata[0];
  ArmModel other = c.arm->model;
  other.n--;
  g_assert_null(c.measuring->predictor(&other, c.whole));
  g_assert_null(c.measuring->predictor(&c.arm->model, NULL));
  const double before = ase_swept_current(c.data, JOINT, run, 0.3, run->speed);
  for (gsize j = 0; j < c.arm->model.n; j++)
    g_assert_true(j + 1 == UNSWEPT || c.data->joint[j].sd == c.fit->refined.joint[j].residual_sd);
  g_clear_pointer(&c.whole, ase_fit_unref);
  g_assert_true(isfinite(before));
  g_assert_cmpfloat(ase_swept_current(c.data, JOINT, run, 0.3, run->speed), ==, before);
  case_clear(&c);
}

enum { LAGS = 4 };

static void correlate(const double *value, guint n, double *out) {
  double sum = 0.0;
  for (guint k = 0; k < n; k++)
    sum += isfinite(value[k]) ? value[k] : 0.0;
  AseCorrelation *correlation = ase_correlation_new(LAGS, sum / n);
  for (guint k = 0; k < n; k++)
    ase_correlation_add(correlation, value[k]);
  ase_correlation_end(correlation, out);
}

static void test_statistics(void) {
  double value[2000], count[10] = {0}, correlation[LAGS];
  GRand *random = g_rand_new_with_seed(7);
  double state = 0.0;
  for (guint k = 0; k < 2000; k++)
    value[k] = state = 0.8 * state + g_rand_double_range(random, -1.0, 1.0);
  g_rand_free(random);
  correlate(value, 2000, correlation);
  g_assert_cmpfloat(correlation[0], ==, 1.0);
  g_assert_cmpfloat_with_epsilon(correlation[1], 0.8, 0.05);
  g_assert_cmpfloat_with_epsilon(correlation[2], 0.64, 0.08);
  value[1000] = NAN;
  correlate(value, 2000, correlation);
  g_assert_cmpfloat_with_epsilon(correlation[1], 0.8, 0.05);
  const double few[] = {0.0, 0.5, 0.5, 1.0, NAN, -1.0, 2.0};
  for (guint k = 0; k < G_N_ELEMENTS(few); k++)
    ase_histogram_add(few[k], 0.0, 1.0, 10, count);
  g_assert_cmpfloat(count[0], ==, 1.0);
  g_assert_cmpfloat(count[5], ==, 2.0);
  g_assert_cmpfloat(count[9], ==, 1.0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/figures/list", test_list);
  g_test_add_func("/figures/series", test_series);
  g_test_add_func("/figures/chosen", test_chosen);
  g_test_add_func("/figures/decides", test_decides);
  g_test_add_func("/figures/unswept", test_unswept);
  g_test_add_func("/figures/no-fit", test_no_fit);
  g_test_add_func("/figures/columns", test_columns);
  g_test_add_func("/figures/predictor", test_predictor);
  g_test_add_func("/figures/statistics", test_statistics);
  return g_test_run();
}
