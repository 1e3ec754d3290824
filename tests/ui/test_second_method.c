/* SPDX-License-Identifier: MIT */
/* What an invented method (tests/session/method/second_method.h) finds goes through file, table,
 * export, report and comparison. Nothing in src names it: the program is linked with a list of
 * methods that has one line more. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../session/method/second_method.h"
#include "gui.h"
#include "io/export/export_csv.h"
#include "io/params/params_file.h"
#include "recorded.h"
#include "session/method/comparison.h"
#include "support/support.h"
#include "ui/export/export.h"
#include "ui/fit/fit_plots.h"
#include "ui/fit/joint_card.h"
#include "ui/fit/parameter_table.h"
#include "ui/report/report_parts.h"

/* ---- the file ---- */

static void make_model(ArmModel *model) {
  g_assert_true(arm_model_init(model, SECOND_JOINTS) == ARM_OK);
  model->joints[1].type = ARM_JOINT_T;
}

static const char arm_text[] =
    "{\"format\": \"armature-arm\", \"version\": 1, \"name\": \"RT\", \"gravity_m_s2\": [0, 0, "
    "-9.81],"
    " \"joints\": [{\"type\": \"R\", \"beta_deg\": 90}, {\"type\": \"T\", \"beta_deg\": 90}]}";

static char *format(const ArmParamSet *set) {
  gsize length;
  char *text =
      aio_params_format_found(second_method.finds(), set, "arm", "sha256:arm", NULL, NULL, &length);
  g_assert_cmpuint(length, ==, strlen(text));
  return text;
}

static bool load(const char *text, AseFound *found, GError **error) {
  ArmModel model;
  make_model(&model);
  return ase_found_load_text("second.json", text, strlen(text), &model, found, error);
}

static void assert_same(const ArmParamSet *a, const ArmParamSet *b) {
  g_assert_cmpuint(a->n, ==, b->n);
  for (size_t k = 0; k < a->n; k++) {
    const ArmParam *x = &a->param[k], *y = &b->param[k];
    const ArmEstimate *e = &a->estimate[k], *f = &b->estimate[k];
    g_assert_true(x->id.kind == y->id.kind && x->id.i == y->id.i && x->id.j == y->id.j);
    g_assert_cmpstr(x->name, ==, y->name);
    g_assert_cmpstr(arm_param_set_unit(a, k), ==, arm_param_set_unit(b, k));
    g_assert_cmpuint(x->n_terms, ==, y->n_terms);
    for (size_t t = 0; t < x->n_terms; t++)
      g_assert_true(x->terms[t].id.kind == y->terms[t].id.kind &&
                    x->terms[t].id.i == y->terms[t].id.i &&
                    x->terms[t].coefficient == y->terms[t].coefficient);
    g_assert_true(e->identifiable == f->identifiable && e->used == f->used &&
                  e->reason == f->reason && (!e->identifiable || e->value == f->value));
  }
  g_assert_cmpmem(a->group, sizeof a->group, b->group, sizeof b->group);
  g_assert_cmpuint(a->joint[1].rows_used, ==, b->joint[1].rows_used);
  g_assert_cmpfloat(a->joint[0].cond_raw, ==, b->joint[0].cond_raw);
  g_assert_cmpmem(a->covered, a->n_covered * sizeof *a->covered, b->covered,
                  b->n_covered * sizeof *b->covered);
  g_assert_cmpmem(a->covariance, a->n_covered * a->n_covered * sizeof(double), b->covariance,
                  b->n_covered * b->n_covered * sizeof(double));
}

static void test_file(void) {
  g_auto(ArmParamSet) set = {0};
  g_auto(AseFound) again = {0};
  g_autoptr(GError) error = NULL;
  second_method_make(&set, -1.0);
  g_autofree char *text = format(&set);
  const bool is_read = load(text, &again, &error);
  g_assert_no_error(error);
  g_assert_true(is_read);
  g_assert_true(again.method == &second_method);
  assert_same(&set, &again.set);
  g_autoptr(GPtrArray) lines = ase_found_reminders(&again);
  g_assert_cmpuint(lines->len, ==, 0);
  g_autofree char *twice = format(&again.set);
  g_assert_cmpstr(text, ==, twice);
  g_assert_nonnull(strstr(text, "\"kind\": \"second\""));
  g_assert_nonnull(strstr(text, "{\"link\": 2, \"parameter\": \"YY\", \"coefficient\": -1}"));
}

typedef struct {
  const char *part, *instead, *message;
} Damage;

/* Told as in every file: where, what was expected, what was found. */
static void test_damaged(void) {
  static const Damage damages[] = {
      {"\"kind\": \"second\"", "\"kind\": \"third\"",
       "kind: expected parameters of kind \"gravity\", \"dynamics\" or \"second\", found "
       "\"third\""},
      {"\"name\": \"mX1\"", "\"name\": \"XXR2\"", "each name once"},
      {"\"parameter\": \"YY\"", "\"parameter\": \"YX\"", "a parameter of a link"},
      {"\"parameter\": \"XX\"", "\"parameter\": \"load\"", "an inertial parameter"},
      {"{\"joint\": 2, \"group\": 1", "{\"joint\": 1, \"group\": 1", "each joint once"},
      {"\"group\": 1", "\"group\": 7", "7"},
      {"\"rotor_inertia_A_s2_2\": \"A s^2/m\"", "\"rotor_inertia_A_s2_2\": \"kg m^2\"", "A s^2/m"},
      {"\"coulomb_pos_A\": {", "\"kx_star\": {", "kx_star"},
      {"\"A_per_Nm\": {", "\"x_A_per_Nm\": {", "A_per_Nm"},
  };
  g_auto(ArmParamSet) set = {0};
  ArmModel model;
  make_model(&model);
  second_method_make(&set, -1.0);
  g_autofree char *text = format(&set);
  for (guint k = 0; k < G_N_ELEMENTS(damages); k++) {
    GError *error = NULL;
    AseFound read = {0};
    GString *bad = g_string_new(text);
    g_assert_cmpuint(g_string_replace(bad, damages[k].part, damages[k].instead, 1), ==, 1);
    g_assert_false(load(bad->str, &read, &error));
    if (!strstr(error->message, damages[k].message))
      g_error("expected \"%s\" in: %s", damages[k].message, error->message);
    g_assert_null(read.method);
    g_clear_error(&error);
    g_string_free(bad, TRUE);
  }
  GError *error = NULL;
  g_assert_null(aio_params_load_bytes("second.json", text, strlen(text), &model, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
}

/* ---- who reads it ---- */

/* Its C code nobody has written. */
static void refuse_c(const ArmParamSet *set) {
  g_auto(AseFound) found = {0};
  g_autoptr(AioArm) arm = aio_arm_load_bytes("arm", arm_text, strlen(arm_text), NULL);
  g_autofree char *text = format(set);
  GError *error = NULL;
  AioExportC options;
  gsize length;
  g_assert_nonnull(arm);
  g_assert_true(load(text, &found, NULL));
  aio_export_c_default(&options, arm);
  g_assert_null(ase_found_export_c(arm, &found, &options, &length, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "no C code of parameters of kind \"second\""));
  g_clear_error(&error);
}

static void test_export(void) {
  g_auto(ArmParamSet) set = {0};
  gsize length;
  second_method_make(&set, -1.0);
  g_autofree char *table = aio_export_csv(&set, &length);
  g_assert_nonnull(strstr(table, "\n2,XXR2,0.25,0.5,kg m^2,true,0.25,\n"));
  g_assert_nonnull(strstr(table, "\n1,mX1,-3,0.5,kg m,true,-3,\n"));
  g_assert_nonnull(strstr(table, "\n1,A_per_Nm_1,2.5,0.5,A/(N m),true,2.5,\n"));
  g_assert_nonnull(strstr(table, "\n2,A_per_Nm_2,,,A/N,false,2,\""));
  g_assert_nonnull(strstr(table, "\n2,rotor_inertia_A_s2_2,0.125,0.5,A s^2/m,true,0.125,\n"));
  refuse_c(&set);
}

/* From what a session's parameters would be, as the page Export has it. */
static char *window_text(AuiExport kind, const char *parameters, GError **error) {
  g_autoptr(AioArm) arm = aio_arm_load_bytes("arm", arm_text, strlen(arm_text), NULL);
  gsize length = 0;
  g_assert_nonnull(arm);
  char *text = aui_export_text(kind, arm, parameters, &length, error);
  g_assert_true(!text || strlen(text) == length);
  return text;
}

static void test_window_export(void) {
  g_auto(ArmParamSet) set = {0};
  g_autoptr(GError) error = NULL;
  gsize length;
  second_method_make(&set, -1.0);
  g_autofree char *text = format(&set), *expected = aio_export_csv(&set, &length);
  g_autofree char *table = window_text(AUI_EXPORT_TABLE, text, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(table, ==, expected);
  g_autofree char *same = window_text(AUI_EXPORT_PARAMETERS, text, &error);
  g_assert_cmpstr(same, ==, text);
  g_assert_null(window_text(AUI_EXPORT_HEADER, text, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "no C code of parameters of kind \"second\""));
}

static void test_table(void) {
  g_auto(ArmParamSet) set = {0}, other = {0};
  second_method_make(&set, -1.0);
  second_method_make(&other, -1.0);
  other.estimate[arm_param_set_find(&other, (ArmParamId){ARM_PARAM_BASE, 1, 0})].value += 1.0;
  GtkGrid *table = g_object_ref_sink(aui_parameter_table_new());
  aui_parameter_table_fill(table, &set, &other);
  g_autofree char *text = aui_table_text(table);
  g_assert_nonnull(strstr(text, "2\tbase parameter XXR2\t0.25(50)\tkg m²\t+2.0\t"));
  g_assert_nonnull(strstr(text, "1\tcurrent per torque\t2.50(50)\tA/(N m)\t0.0\t"));
  g_assert_nonnull(strstr(text, "2\tcurrent per torque\t-\tA/N\t\tnot identifiable, 2 is used: "));
  g_assert_nonnull(strstr(text, "2\tmass of the link\t4.25(50)\tkg\t0.0\t"));
  g_object_unref(table);
}

/* What is left of a joint has the unit of what was measured. */
static void test_joints(void) {
  g_auto(ArmParamSet) set = {0};
  second_method_make(&set, -1.0);
  set.joint[0].residual_sd = 0.25;
  set.joint[1].residual_sd = 0.5;
  set.is_torque[1] = true;
  GtkGrid *table = g_object_ref_sink(aui_joint_table_new());
  aui_joint_table_fill(table, &set);
  g_autofree char *text = aui_table_text(table);
  g_assert_nonnull(strstr(text, "\t0.25 A\t"));
  g_assert_nonnull(strstr(text, "\t0.5 N\t"));
  set.joint[0].residual_sd = NAN;
  aui_joint_table_fill(table, &set);
  g_autofree char *unknown = aui_table_text(table);
  g_assert_null(strstr(unknown, " A\t"));
  g_object_unref(table);
}

static bool add_label(GtkWidget *widget, void *data) {
  if (GTK_IS_LABEL(widget))
    g_string_append_printf(data, "|%s|", gtk_label_get_text(GTK_LABEL(widget)));
  return true;
}

static void assert_card(const ArmParamSet *set, guint joint, const char *residual) {
  const ArmParamSet none = {0};
  GtkWidget *card = g_object_ref_sink(aui_joint_card_new());
  GString *text = g_string_new(NULL);
  aui_joint_card_fill(AUI_JOINT_CARD(card), set, &none, joint);
  gui_walk(card, add_label, text);
  if (!strstr(text->str, residual))
    g_error("the card of joint %u does not say %s: %s", joint, residual, text->str);
  g_string_free(text, TRUE);
  g_object_unref(card);
}

/* Rows of a current, a torque and a force: no newton is an ampere. */
static void test_card(void) {
  g_auto(ArmParamSet) set = {0};
  second_method_make(&set, -1.0);
  set.joint[0].residual_sd = 0.25;
  set.joint[1].residual_sd = 0.5;
  assert_card(&set, 1, "|250 mA|");
  assert_card(&set, 2, "|500 mA|");
  assert_card(&set, 2, "|base parameter XXR2|");
  set.is_torque[0] = set.is_torque[1] = true;
  assert_card(&set, 1, "|0.25 N m|");
  assert_card(&set, 2, "|0.5 N|");
}

static bool has_text(const AuiFlow *flow, const char *text) {
  for (guint k = 0; k < aui_flow_n_placed(flow); k++)
    if (g_strcmp0(aui_flow_placed(flow, k).text, text) == 0)
      return true;
  return false;
}

static void test_report(void) {
  static const char *const texts[] = {
      "base parameter XXR2", "0.25(50)", "kg m²",    "rotor inertia", "A s²/m",
      "current per torque",  "8 of 9",   "unbounded"};
  g_auto(ArmParamSet) set = {0};
  second_method_make(&set, -1.0);
  AuiFlow *flow = aui_flow_new(AUI_PAPER_A4, "left", "right", "foot");
  aui_report_add_parameters(flow, &set);
  aui_report_add_quality(flow, &set);
  for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
    if (!has_text(flow, texts[k]))
      g_error("the report does not say \"%s\"", texts[k]);
  aui_flow_free(flow);
}

static void assert_residual(const ArmParamSet *set, const char *head, const char *first,
                            const char *second) {
  AuiFlow *flow = aui_flow_new(AUI_PAPER_A4, "left", "right", "foot");
  aui_report_add_quality(flow, set);
  g_assert_true(has_text(flow, head) && has_text(flow, first) && has_text(flow, second));
  aui_flow_free(flow);
}

static void test_report_units(void) {
  g_auto(ArmParamSet) set = {0};
  second_method_make(&set, -1.0);
  set.joint[0].residual_sd = 0.25;
  set.joint[1].residual_sd = 0.5;
  assert_residual(&set, "Residual sd, mA", "250", "500");
  set.is_torque[1] = true;
  assert_residual(&set, "Residual sd", "250 mA", "0.5 N");
}

/* By which a report names the parameter file. */
static void test_report_digest(void) {
  g_auto(ArmParamSet) set = {0};
  g_auto(AioParamsOrigin) origin = {0};
  g_autoptr(GError) error = NULL;
  second_method_make(&set, -1.0);
  g_autofree char *text = format(&set), *digest = aui_report_digest(text, &error);
  g_assert_no_error(error);
  g_assert_true(aio_params_load_origin("second.json", text, strlen(text), &origin, NULL));
  g_assert_cmpstr(digest, ==, origin.stated_digest);
}

/* As an earlier calibration, from a file. */
static void load_earlier(const char *folder, double coefficient, ArmParamSet *found) {
  g_auto(ArmParamSet) set = {0};
  const AseMethod *method = NULL;
  GError *error = NULL;
  second_method_make(&set, coefficient);
  g_autofree char *text = format(&set), *path = g_build_filename(folder, "earlier.json", NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  const bool is_read = ase_comparison_load(path, &method, found, &error);
  g_assert_no_error(error);
  g_assert_true(is_read);
  g_assert_true(method == &second_method);
  g_assert_cmpuint(found->type[1], ==, ARM_JOINT_T);
  g_remove(path);
}

static void test_comparison(void) {
  g_auto(ArmParamSet) before = {0}, now = {0}, other = {0};
  g_autofree char *folder = g_dir_make_tmp("second-XXXXXX", NULL);
  load_earlier(folder, -1.0, &before);
  load_earlier(folder, -2.0, &other);
  g_rmdir(folder);
  second_method_make(&now, -1.0);
  const ArmParamId base = {ARM_PARAM_BASE, 1, 0}, eta = {ARM_PARAM_ETA, 1, 0};
  now.estimate[arm_param_set_find(&now, base)].value += 3.0;
  g_autoptr(GArray) list = ase_comparison_new(&before, &now, NULL);
  g_autoptr(GArray) others = ase_comparison_new(&other, &now, NULL);
  g_assert_cmpuint(list->len, ==, now.n);
  for (guint k = 0; k < list->len; k++) {
    const AseDifference *d = &g_array_index(list, AseDifference, k);
    const AseDifference *o = &g_array_index(others, AseDifference, k);
    const bool is_base = d->id.kind == base.kind && d->id.i == base.i;
    g_autofree char *name = aio_param_name(d->of, d->k);
    if (is_base)
      g_assert_cmpstr(name, ==, "XXR2");
    if (d->id.kind == eta.kind && d->id.i == eta.i)
      g_assert_true(isnan(d->sds));
    else
      g_assert_cmpfloat_with_epsilon(d->sds, is_base ? 3.0 / sqrt(0.5) : 0.0, 1e-12);
    g_assert_true(!is_base || isnan(o->sds)); /* two combinations are no two values of one */
  }
}

/* What only one of two calibrations has is a row either way, known on its side alone. */
static void test_only_one(void) {
  g_auto(ArmParamSet) more = {0}, less = {0};
  second_method_make(&more, -1.0);
  second_method_make(&less, -1.0);
  ArmEstimate *rotor = arm_param_set_add_id(&more, ARM_PARAM_ROTOR, 0, 0);
  g_assert_nonnull(rotor);
  *rotor = (ArmEstimate){0.5, 0.25, 0.5, true, ARM_REASON_NONE};
  for (int is_earlier = 0; is_earlier < 2; is_earlier++) {
    const ArmParamSet *before = is_earlier ? &more : &less, *now = is_earlier ? &less : &more;
    g_autoptr(GArray) list = ase_comparison_new(before, now, NULL);
    g_assert_cmpuint(list->len, ==, more.n);
    for (guint k = 0; k < list->len; k++) {
      const AseDifference *d = &g_array_index(list, AseDifference, k);
      const ArmParamId id = more.param[k].id; /* in the order of the one that has all */
      g_assert_true(d->id.kind == id.kind && d->id.i == id.i && d->id.j == id.j);
      if (id.kind != ARM_PARAM_ROTOR || id.i != 0)
        continue;
      g_assert_true(d->of == &more && isnan(d->sds));
      g_assert_cmpint(d->before.identifiable, ==, is_earlier);
      g_assert_cmpint(d->now.identifiable, ==, !is_earlier);
    }
  }
}

/* ---- its figures ---- */

static AuiFitPlots *plots_of(AseSession *session, AsePurpose purpose) {
  GtkAdjustment *joints = gtk_adjustment_new(1.0, 1.0, 1.0, 1.0, 1.0, 0.0);
  return AUI_FIT_PLOTS(aui_fit_plots_new(session, second_method.measuring, purpose, joints));
}

static void wait_for_data(AuiFitPlots *plots) {
  while (!aui_fit_plots_shown(plots)->data || aui_fit_plots_is_busy(plots))
    g_main_context_iteration(NULL, TRUE);
}

static void check_warmth(AuiFitPlots *plots) {
  AuiPlot *plot = aui_fit_plots_plot(plots, "warmth");
  g_assert_nonnull(plot);
  g_assert_true(gtk_widget_get_mapped(GTK_WIDGET(plot)));
  const AuiFigure *figure = aui_plot_figure(plot);
  g_assert_cmpstr(figure->title, ==, "warmth");
  g_assert_cmpstr(figure->x.unit, ==, "deg");
  g_assert_cmpuint(figure->series->len, ==, 2);
  const AuiSeries *line = figure->series->pdata[0], *limit = figure->series->pdata[1];
  const AseSweptRun *run = ase_shown_joint(aui_fit_plots_shown(plots))->runs->pdata[0];
  g_assert_cmpstr(line->label, ==, "first sweep");
  g_assert_cmpuint(line->n, >, 1);
  g_assert_cmpfloat(line->y[0], ==, SECOND_CURRENT_A);
  g_assert_cmpfloat_with_epsilon(line->x[0], run->low * 180.0 / G_PI, 1e-9);
  g_assert_cmpfloat(limit->x[0], ==, line->x[0]); /* as wide as what is there */
  g_assert_cmpfloat(limit->top[1], ==, 2.0 * SECOND_CURRENT_A);
}

/* On a page as those of the methods that are there; those of another are not on it. */
static void test_figures(void) {
  Recorded recorded;
  Gui gui;
  recorded_init(&recorded, NULL);
  AuiFitPlots *plots = plots_of(recorded.session, ASE_PURPOSE_MEASURE);
  gui_show(&gui, recorded.session, GTK_WIDGET(plots), 900, 600);
  wait_for_data(plots);
  gui_pass(0.2);
  check_warmth(plots);
  g_assert_nonnull(aui_fit_plots_plot(plots, "cold"));
  g_assert_null(aui_fit_plots_plot(plots, "measured"));
  AuiFitPlots *of_new = plots_of(recorded.session, ASE_PURPOSE_VALIDATE);
  gtk_window_set_child(GTK_WINDOW(gui.window), GTK_WIDGET(of_new));
  gui_pass(0.2);
  g_assert_null(aui_fit_plots_plot(of_new, "warmth"));
  g_assert_true(gtk_widget_get_mapped(GTK_WIDGET(aui_fit_plots_plot(of_new, "cold"))));
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  recorded_clear(&recorded);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  if (!gtk_init_check())
    return 77;
  g_test_add_func("/second-method/file", test_file);
  g_test_add_func("/second-method/damaged", test_damaged);
  g_test_add_func("/second-method/export", test_export);
  g_test_add_func("/second-method/window-export", test_window_export);
  g_test_add_func("/second-method/table", test_table);
  g_test_add_func("/second-method/joints", test_joints);
  g_test_add_func("/second-method/card", test_card);
  g_test_add_func("/second-method/report", test_report);
  g_test_add_func("/second-method/report-units", test_report_units);
  g_test_add_func("/second-method/report-digest", test_report_digest);
  g_test_add_func("/second-method/comparison", test_comparison);
  g_test_add_func("/second-method/only-one", test_only_one);
  g_test_add_func("/second-method/figures", test_figures);
  return g_test_run();
}
