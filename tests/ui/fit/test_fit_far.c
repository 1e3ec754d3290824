/* SPDX-License-Identifier: MIT */
/* Samples far off in a recording: left out, drawn as crosses, and no picture grows for them. */
#include <math.h>
#include <string.h>

#include "recorded.h"
#include "session/method/gravity.h"
#include "session/method/method.h"
#include "support/support.h"
#include "ui/fit/fit_figures.h"
#include "ui/fit/fit_watch.h"

#define PUSH_S 0.3
enum { JOINT = 2, FIRST = 5, APART = 10, WILD = 4 };

/* In the first stroke of the joint. */
static void disturb(AioRecording *recording) {
  gsize row = 0;
  while (recording->joint[row] != JOINT)
    row++;
  double *current = recording->current + (JOINT - 1) * recording->rows + row;
  for (gsize k = 0; k < WILD; k++)
    current[FIRST + k * APART] += k % 2 ? 30.0 : -40.0;
}

typedef struct {
  AseSweptInput *input;
  AseSwept *data;
  AseShown shown;
} Look;

static void look(Look *l, AseSession *session) {
  l->input = aui_fit_input_new(session, ase_session_measuring(session), ASE_PURPOSE_MEASURE);
  l->data = ase_swept_new(l->input, NULL);
  g_assert_nonnull(l->data);
  l->shown = (AseShown){.data = l->data, .joint = JOINT};
}

static void look_clear(Look *l) {
  ase_swept_free(l->data);
  ase_swept_input_free(l->input);
}

static AuiFigure *figure_of(const char *key, const AseShown *shown) {
  const AseFigure *figure = ase_method_gravity.measuring->figures;
  while (!g_str_equal(figure->key, key))
    figure++;
  return aui_fit_figure(figure, shown);
}

static const AuiSeries *crosses(const AuiFigure *figure) {
  for (guint s = 0; s < figure->series->len; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    if (series->stroke == AUI_STROKE_MARKS && series->label &&
        g_str_has_prefix(series->label, "wild: "))
      return series;
  }
  return NULL;
}

static void check_figure(AuiFigure *figure, double most) {
  double x[2], y[2];
  const AuiSeries *wild = crosses(figure);
  g_assert_nonnull(wild);
  g_assert_cmpstr(wild->label, ==, "wild: 4 (4 beyond)");
  g_assert_cmpuint(wild->n, ==, WILD);
  g_assert_true(aui_figure_bounds(figure, x, y));
  g_assert_cmpfloat(fmax(-y[0], y[1]), <, most);
  g_autofree char *table = aui_figure_to_table(figure, '\t');
  g_assert_nonnull(strstr(table, "wild: 4 (4 beyond)\t"));
  aui_figure_free(figure);
}

static void test_wild(void) {
  Recorded recorded;
  Look l;
  recorded_init_changed(&recorded, disturb);
  recorded_do(&recorded, ASE_STEP_FIT);
  const ArmJointFit *fit =
      &ase_gravity_of(ase_session_fit(recorded.session))->refined.joint[JOINT - 1];
  g_assert_cmpuint(fit->rows_by_use[ARM_ROW_WILD], ==, WILD);
  look(&l, recorded.session);
  const AseSweptJoint *joint = &l.data->joint[JOINT - 1];
  g_assert_cmpuint(joint->rows[ASE_ROW_WILD], ==, WILD);
  g_assert_cmpuint(joint->rows[ASE_ROW_USED], ==, fit->rows_used);
  check_figure(figure_of("residuals", &l.shown), 8e3 * joint->sd);
  check_figure(figure_of("measured", &l.shown), 20.0);
  check_figure(figure_of("overlaid", &l.shown), 20.0);
  l.shown.run = 2; /* they are in the first sweep */
  AuiFigure *other = figure_of("residuals", &l.shown);
  g_assert_null(crosses(other));
  aui_figure_free(other);
  look_clear(&l);
  g_autofree char *parameters = ase_session_parameters(recorded.session, NULL);
  g_assert_nonnull(strstr(parameters, "\"wild\": ["));
  recorded_clear(&recorded);
}

/* In mA as long as these are not thousands, then in A: as large as before, in the unit that stands
 * there. */
static void check_unit(Look *l, double sd, const char *unit, double to_unit) {
  double x[2], y[2];
  AseSweptJoint *joint = &l->data->joint[JOINT - 1];
  const double before = joint->sd;
  joint->sd = sd;
  AuiFigure *residuals = figure_of("residuals", &l->shown);
  AuiFigure *histogram = figure_of("distribution", &l->shown);
  const AuiSeries *points = residuals->series->pdata[0];
  const AseSweptPoint *first = NULL;
  for (guint k = 0; !first; k++)
    if (g_array_index(joint->points, AseSweptPoint, k).direction > 0)
      first = &g_array_index(joint->points, AseSweptPoint, k);
  g_assert_cmpstr(residuals->y.unit, ==, unit);
  g_assert_cmpstr(histogram->x.unit, ==, unit);
  g_assert_cmpfloat_with_epsilon(points->y[0], to_unit * first->residual, 1e-9);
  g_assert_true(aui_figure_bounds(histogram, x, y));
  g_assert_cmpfloat_with_epsilon(x[1], 4.0 * to_unit * sd, 1e-6 * to_unit);
  joint->sd = before;
  aui_figure_free(residuals);
  aui_figure_free(histogram);
}

static void test_none(void) {
  Recorded recorded;
  Look l;
  recorded_init(&recorded, NULL);
  recorded_do(&recorded, ASE_STEP_FIT);
  look(&l, recorded.session);
  const AseSweptJoint *joint = &l.data->joint[JOINT - 1];
  g_assert_cmpuint(joint->far->len, ==, 0);
  g_assert_cmpuint(joint->wild->len, ==, 0);
  g_assert_cmpfloat(joint->reach, >, 4.0 * joint->sd);
  g_assert_cmpfloat(joint->reach, <, 12.0 * joint->sd);
  check_unit(&l, 0.2, "mA", 1e3);
  check_unit(&l, 0.3, "A", 1.0);
  look_clear(&l);
  recorded_clear(&recorded);
}

/* A push that lasts longer than what is left out, in the first stroke of the joint. */
static void push(AioRecording *recording) {
  gsize row = 0;
  while (recording->joint[row] != JOINT)
    row++;
  double *current = recording->current + (JOINT - 1) * recording->rows;
  const double from_s = recording->t[row += FIRST];
  for (; recording->t[row] < from_s + PUSH_S; row++)
    current[row] += 10.0;
}

/* Used, but few and far from all others: beyond the picture, and counted. */
static void test_far(void) {
  Recorded recorded;
  Look l;
  double x[2], y[2];
  recorded_init_changed(&recorded, push);
  g_assert_false(recorded_try(&recorded, ASE_STEP_FIT)); /* the sweep stands out */
  look(&l, recorded.session);
  const AseSweptJoint *joint = &l.data->joint[JOINT - 1];
  g_assert_cmpuint(joint->wild->len, ==, 0);
  g_assert_cmpuint(joint->far->len, >, 1);
  for (guint k = 0; k < joint->far->len; k++)
    g_assert_cmpfloat(g_array_index(joint->far, AseSweptPoint, k).residual, >, joint->reach);
  AuiFigure *figure = figure_of("residuals", &l.shown);
  g_assert_true(aui_figure_bounds(figure, x, y));
  g_assert_cmpfloat(y[1], <, strcmp(figure->y.unit, "A") == 0 ? 8.0 : 8e3);
  const AuiSeries *last = figure->series->pdata[figure->series->len - 1];
  g_autofree char *label = g_strdup_printf("beyond: %u", joint->far->len);
  g_assert_cmpstr(last->label, ==, label);
  aui_figure_free(figure);
  look_clear(&l);
  recorded_clear(&recorded);
}

/* A recording cannot be swept. */
static void test_empty(void) {
  AseShown shown = {.joint = JOINT};
  AuiFigure *swept = figure_of("measured", &shown);
  shown.is_imported = true;
  AuiFigure *imported = figure_of("measured", &shown);
  g_assert_nonnull(strstr(swept->empty, "Dry run"));
  g_assert_null(strstr(imported->empty, "Dry run"));
  g_assert_nonnull(strstr(imported->empty, "recording"));
  aui_figure_free(swept);
  aui_figure_free(imported);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fit-far/wild", test_wild);
  g_test_add_func("/fit-far/none", test_none);
  g_test_add_func("/fit-far/far", test_far);
  g_test_add_func("/fit-far/empty", test_empty);
  return g_test_run();
}
