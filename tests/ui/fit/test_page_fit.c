/* SPDX-License-Identifier: MIT */
/* Fit and validation pages on a session that a simulated arm has filled: what is drawn is what was
 * measured and fitted; a range excluded with the mouse, per direction, by keyboard, undone, is
 * fitted again at once; an earlier calibration is compared; limits decide. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "gui.h"
#include "session/bench.h"
#include "session/method/comparison.h"
#include "session/method/gravity.h"
#include "support/support.h"
#include "ui/fit/fit_watch.h"
#include "ui/fit/joint_card.h"
#include "ui/fit/page_fit.h"
#include "ui/fit/page_validate.h"
#include "ui/kit/table.h"

typedef struct {
  Bench bench;
  Gui gui;
  AuiPageFit *page;
  gsize rows; /* of joint 2, that the fit is to have used */
} Screen;

/* ---- a session with a fit ---- */

static void plan(Bench *bench) {
  bench_plan_one(bench, 0.4);
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->itinerary.validation_holds = 1;
  edits->itinerary.repeats_first = true;
  ase_session_set_edits(bench->session, edits, "validate");
  g_free(edits);
}

static void screen_init(Screen *screen) {
  memset(screen, 0, sizeof *screen);
  bench_init(&screen->bench, "planar2r", 20.0);
  plan(&screen->bench);
  bench_connect(&screen->bench);
  bench_reach(&screen->bench, ASE_STEP_FIT);
  screen->page = AUI_PAGE_FIT(aui_page_fit_new(screen->bench.session));
  gui_show(&screen->gui, screen->bench.session, GTK_WIDGET(screen->page), 1060, 700);
}

static void screen_clear(Screen *screen) {
  gtk_window_destroy(GTK_WINDOW(screen->gui.window));
  rig_pass(0.1);
  bench_clear(&screen->bench);
}

static gsize rows_used(Screen *screen) {
  return ase_gravity_of(ase_session_fit(screen->bench.session))->refined.joint[1].rows_used;
}

static const AseShown *shown(Screen *screen) {
  return aui_fit_plots_shown(aui_page_fit_plots(screen->page));
}

static bool has_data(void *data) {
  AuiFitPlots *plots = aui_page_fit_plots(((Screen *)data)->page);
  return aui_fit_plots_shown(plots)->data && !aui_fit_plots_is_busy(plots);
}

/* ---- data ---- */

static void check_joint(const AseSweptJoint *joint, const AseSelection *selection, gsize used) {
  gsize binned = 0, rows = 0;
  double squares = 0.0, counted = 0.0;
  for (guint r = 0; r < joint->runs->len; r++) {
    const AseSweptRun *run = joint->runs->pdata[r];
    squares += run->squares;
    for (guint k = 0; k < 2 * ASE_SWEPT_BINS; k++)
      binned += run->bin[k % 2][k / 2].n;
  }
  for (guint use = 0; use < ASE_ROWS; use++)
    rows += joint->rows[use];
  for (guint k = 0; k < ASE_SWEPT_HISTOGRAM; k++)
    counted += joint->histogram[k];
  g_assert_cmpuint(joint->runs->len, ==, 4);
  g_assert_cmpuint(joint->rows[ASE_ROW_USED], ==, used);
  g_assert_cmpuint(binned, ==, used);
  g_assert_cmpuint(rows, ==, selection->rows);
  g_assert_cmpfloat_with_epsilon(sqrt(squares / (double)used) / joint->sd, 1.0, 0.1);
  g_assert_cmpfloat(counted, >, 0.99 * (double)used);
  g_assert_cmpfloat_with_epsilon(joint->correlation[0], 1.0, 1e-9);
  g_assert_cmpuint(joint->points->len, <=, ASE_SWEPT_POINTS);
}

static void check_data(Screen *screen) {
  AseSweptInput *input = aui_fit_input_new(
      screen->bench.session, ase_session_measuring(screen->bench.session), ASE_PURPOSE_MEASURE);
  AseSwept *data = ase_swept_new(input, NULL);
  g_assert_nonnull(data);
  check_joint(&data->joint[1], ase_session_selection(screen->bench.session), rows_used(screen));
  g_assert_cmpuint(data->joint[0].runs->len, ==, 0);
  ase_swept_free(data);
  ase_swept_input_free(input);
}

/* ---- verdicts ---- */

static bool see_unmeasured(GtkWidget *widget, void *data) {
  if (GTK_IS_LABEL(widget) && g_str_equal(gtk_label_get_text(GTK_LABEL(widget)), "not measured"))
    *(bool *)data = true;
  return true;
}

static bool says_unmeasured(Screen *screen, guint joint) {
  bool is_seen = false;
  GtkWidget *card = g_object_ref_sink(aui_joint_card_new());
  aui_joint_card_show(AUI_JOINT_CARD(card), screen->bench.session, joint);
  gui_walk(card, see_unmeasured, &is_seen);
  g_object_unref(card);
  return is_seen;
}

/* Joint 1 has no sweep. */
static void check_verdicts(Screen *screen) {
  g_assert_true(says_unmeasured(screen, 1));
  g_assert_false(says_unmeasured(screen, 2));
}

/* ---- figures ---- */

static guint count_points(const AuiFigure *figure, const char *part) {
  guint count = 0;
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    count += series->label && strstr(series->label, part) ? series->n : 0;
  }
  return count;
}

static guint count_ink(const AuiFigure *figure, AuiInk ink) {
  guint count = 0;
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    count += series->ink == ink ? series->n : 0;
  }
  return count;
}

static const AuiFigure *figure(Screen *screen, const char *key) {
  return aui_plot_figure(aui_fit_plots_plot(aui_page_fit_plots(screen->page), key));
}

static void check_figures(Screen *screen) {
  g_assert_true(rig_wait(has_data, screen, 60.0));
  aui_page_fit_show(screen->page, 2);
  rig_pass(0.2);
  g_assert_cmpuint(count_points(figure(screen, "measured"), "hold 1"), >, 100);
  g_assert_cmpuint(count_points(figure(screen, "computed"), "hold 2"), >, 100);
  g_assert_cmpuint(count_points(figure(screen, "measured"), "not settled"), >, 0);
  g_assert_cmpuint(count_ink(figure(screen, "overlaid"), AUI_INK_FOREGROUND), >, 100);
  g_assert_cmpuint(count_points(figure(screen, "residuals"), "+"), >, 100);
  const ArmParamId id = {ARM_PARAM_COULOMB_POS, 1, 0};
  g_assert_cmpuint(count_ink(figure(screen, "measured"), AUI_INK_PURPLE), ==, 0);
  aui_fit_plots_mark(aui_page_fit_plots(screen->page), &id);
  /* friction forward: all that moves forward, nothing else */
  g_assert_cmpuint(count_ink(figure(screen, "measured"), AUI_INK_PURPLE), ==,
                   count_ink(figure(screen, "measured"), AUI_INK_BLUE));
  aui_fit_plots_mark(aui_page_fit_plots(screen->page), NULL);
}

/* ---- excluding ---- */

static GtkWidget *find_labelled(GtkWidget *widget, const char *label) {
  if (GTK_IS_BUTTON(widget) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = find_labelled(child, label);
    if (found)
      return found;
  }
  return NULL;
}

static void press(Screen *screen, const char *label) {
  GtkWidget *button = find_labelled(GTK_WIDGET(screen->page), label);
  if (!button)
    g_error("there is no button %s", label);
  if (GTK_IS_TOGGLE_BUTTON(button))
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), true);
  else
    g_signal_emit_by_name(button, "clicked");
}

static bool is_refitted(void *data) {
  Screen *screen = data;
  return ase_state_is_done(bench_state(&screen->bench, ASE_STEP_FIT)) &&
         rows_used(screen) == screen->rows && has_data(screen);
}

static void expect_rows(Screen *screen, gsize rows, const char *what) {
  screen->rows = rows;
  if (!rig_wait(is_refitted, screen, 60.0))
    g_error("not fitted again after: %s", what);
}

static bool has_fewer(void *data) {
  Screen *screen = data;
  return ase_state_is_done(bench_state(&screen->bench, ASE_STEP_FIT)) &&
         rows_used(screen) < screen->rows && has_data(screen) &&
         shown(screen)->data->joint[1].rows[ASE_ROW_USED] == rows_used(screen);
}

static void expect_fewer(Screen *screen, gsize than, const char *what) {
  screen->rows = than;
  if (!rig_wait(has_fewer, screen, 60.0))
    g_error("not fitted again after: %s", what);
}

static void drag(Screen *screen, double low_deg, double high_deg) {
  AuiFitPlots *plots = aui_page_fit_plots(screen->page);
  g_signal_emit_by_name(aui_fit_plots_plot(plots, "measured"), "range-selected", low_deg, high_deg);
}

static void check_exclusion(Screen *screen) {
  AseSession *session = screen->bench.session;
  const gsize all = rows_used(screen);
  press(screen, "Exclude");
  drag(screen, -5.0, 10.0);
  expect_fewer(screen, all, "a range excluded with the mouse");
  const AseEdits *edits = ase_session_edits(session);
  g_assert_cmpuint(edits->n_exclusions, ==, 4); /* of every sweep */
  g_assert_cmpfloat_with_epsilon(edits->exclusions[0].q_high, 10.0 * G_PI / 180.0, 1e-12);
  g_assert_cmpuint(count_points(figure(screen, "measured"), "not used: excluded"), >, 0);
  ase_session_undo(session);
  expect_rows(screen, all, "undo");
  ase_session_redo(session);
  expect_fewer(screen, all, "redo");
  press(screen, "Restore");
  drag(screen, -10.0, 20.0);
  expect_rows(screen, all, "a range restored with the mouse");
  g_assert_cmpuint(ase_session_edits(session)->n_exclusions, ==, 0);
}

/* One sweep, one direction. */
static void check_part(Screen *screen) {
  AseSession *session = screen->bench.session;
  const gsize all = rows_used(screen);
  press(screen, "Exclude");
  aui_fit_plots_show(aui_page_fit_plots(screen->page), 3, -1);
  drag(screen, -5.0, 10.0);
  expect_fewer(screen, all, "a range of one sweep");
  const AseEdits *edits = ase_session_edits(session);
  const AseSweptRun *run = shown(screen)->data->joint[1].runs->pdata[2];
  g_assert_cmpuint(edits->n_exclusions, ==, 1);
  g_assert_cmpint(edits->exclusions[0].direction, ==, -1);
  g_assert_cmpint(edits->exclusions[0].run, ==, run->id);
  ase_session_undo(session);
  expect_rows(screen, all, "undo of a part");
  aui_fit_plots_show(aui_page_fit_plots(screen->page), 0, 0);
}

static GtkWidget *find_menu_button(GtkWidget *widget) {
  if (GTK_IS_MENU_BUTTON(widget) && gtk_menu_button_get_label(GTK_MENU_BUTTON(widget)))
    return widget;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_menu_button(child);
  return found;
}

/* Without a mouse: the numbers begin with the whole range. */
static void check_numbers(Screen *screen) {
  AseSession *session = screen->bench.session;
  const gsize all = rows_used(screen);
  GtkWidget *button = find_menu_button(GTK_WIDGET(screen->page));
  gtk_menu_button_popup(GTK_MENU_BUTTON(button));
  rig_pass(0.3);
  GtkWidget *popover = GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(button)));
  GtkWidget *exclude = find_labelled(popover, "E_xclude range");
  aui_fit_plots_show(aui_page_fit_plots(screen->page), 1, 0);
  g_signal_emit_by_name(exclude, "clicked");
  expect_fewer(screen, all, "a range excluded by numbers");
  g_assert_cmpuint(ase_session_edits(session)->n_exclusions, ==, 1);
  gtk_menu_button_popdown(GTK_MENU_BUTTON(button));
  ase_session_undo(session);
  expect_rows(screen, all, "undo of numbers");
  aui_fit_plots_show(aui_page_fit_plots(screen->page), 0, 0);
}

/* ---- comparing ---- */

static bool has_table(void *data) {
  AuiFitCompare *compare = aui_page_fit_compare(((Screen *)data)->page);
  return aui_table_add_row(aui_fit_compare_table(compare)) > 1;
}

static char *write_parameters(Screen *screen) {
  GError *error = NULL;
  char *text = ase_session_parameters(screen->bench.session, &error);
  char *path = g_build_filename(screen->bench.folder, "earlier.json", NULL);
  g_assert_no_error(error);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_free(text);
  return path;
}

static void check_comparison(Screen *screen) {
  AuiFitCompare *compare = aui_page_fit_compare(screen->page);
  char *path = write_parameters(screen);
  GtkWidget *stack = gtk_widget_get_ancestor(GTK_WIDGET(compare), GTK_TYPE_STACK);
  gtk_stack_set_visible_child_name(GTK_STACK(stack), "compare");
  aui_fit_compare_load(compare, path);
  g_assert_true(rig_wait(has_table, screen, 60.0));
  g_assert_cmpuint(aui_fit_compare_noteworthy(compare), ==, 0);
  gtk_stack_set_visible_child_name(GTK_STACK(stack), "joint");
  g_remove(path);
  g_free(path);
}

/* Ten of its sds, in one parameter of one of the two. */
static void check_differences(Screen *screen) {
  const ArmGravityParameters *now =
      &ase_gravity_of(ase_session_fit(screen->bench.session))->refined;
  ArmGravityParameters *before = g_memdup2(now, sizeof *now);
  GError *error = NULL;
  before->joint[1].friction[2].value -= 10.0 * before->joint[1].friction[2].sd;
  ArmParamSet sets[2];
  g_assert_cmpint(arm_gravity_set(before, NULL, false, &sets[0]), ==, ARM_OK);
  g_assert_cmpint(arm_gravity_set(now, NULL, false, &sets[1]), ==, ARM_OK);
  GArray *differences = ase_comparison_new(&sets[0], &sets[1], &error);
  guint noteworthy = 0;
  g_assert_no_error(error);
  for (guint k = 0; k < differences->len; k++) {
    const AseDifference *d = &g_array_index(differences, AseDifference, k);
    noteworthy += fabs(d->sds) > ASE_NOTEWORTHY_SDS;
    if (d->id.kind == ARM_PARAM_COULOMB_NEG && d->id.i == 1)
      g_assert_cmpfloat_with_epsilon(d->sds, 10.0 / sqrt(2.0), 1e-9);
  }
  g_assert_cmpuint(noteworthy, ==, 1);
  g_array_unref(differences);
  sets[0].type[0] = ARM_JOINT_T;
  g_assert_null(ase_comparison_new(&sets[0], &sets[1], &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  arm_param_set_clear(&sets[0]);
  arm_param_set_clear(&sets[1]);
  g_free(before);
}

static void check_files(Screen *screen) {
  GError *error = NULL;
  const AseMethod *method = NULL;
  ArmParamSet found = {0};
  /* the session's own file */
  g_assert_true(ase_comparison_load(screen->bench.path, &method, &found, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(found.n_joints, ==, 2);
  g_assert_true(method == &ase_method_gravity);
  arm_param_set_clear(&found);
  g_assert_false(ase_comparison_load("/nowhere/at/all.json", &method, &found, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
}

/* ---- validation ---- */

static bool is_judged_failed(void *data) {
  return bench_state(&((Screen *)data)->bench, ASE_STEP_VALIDATE) == ASE_STATE_FAILED;
}

static bool is_judged_passed(void *data) {
  return bench_state(&((Screen *)data)->bench, ASE_STEP_VALIDATE) == ASE_STATE_PASSED;
}

static GtkWidget *find_spin(GtkWidget *widget, double value) {
  if (GTK_IS_SPIN_BUTTON(widget) && gtk_spin_button_get_value(GTK_SPIN_BUTTON(widget)) == value)
    return widget;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_spin(child, value);
  return found;
}

static AuiFitPlots *validation_plots; /* of the page below */

static bool has_validation_data(void *data) {
  (void)data;
  return aui_fit_plots_shown(validation_plots)->data != NULL;
}

typedef struct {
  const char *text;
  guint count;
} Texts;

static bool see_text(GtkWidget *widget, void *data) {
  Texts *texts = data;
  texts->count +=
      GTK_IS_LABEL(widget) && g_str_equal(gtk_label_get_text(GTK_LABEL(widget)), texts->text);
  return true;
}

static guint count_texts(GtkWidget *page, const char *text) {
  Texts texts = {.text = text};
  gui_walk(page, see_text, &texts);
  return texts.count;
}

/* The exclusions have left no pair of strokes, which alone tell the noise. */
static void check_unpromised(Screen *screen, GtkWidget *page) {
  ArmGravityFit *fit = (ArmGravityFit *)ase_gravity_of(ase_session_fit(screen->bench.session));
  g_assert_cmpuint(fit->verdict.joint[1].pairs, ==, 0);
  g_assert_cmpuint(count_texts(page, "not known"), ==, 1);
  fit->verdict.joint[1].tau = 0.0;
  bench_do(&screen->bench, ASE_STEP_VALIDATE);
  g_assert_cmpuint(count_texts(page, "not known"), ==, 0);
}

static void check_validation(Screen *screen) {
  AseSession *session = screen->bench.session;
  bench_do(&screen->bench, ASE_STEP_VALIDATE);
  g_assert_true(is_judged_passed(screen));
  GtkWidget *page = aui_page_validate_new(session);
  validation_plots = aui_page_validate_plots(AUI_PAGE_VALIDATE(page));
  gtk_window_set_child(GTK_WINDOW(screen->gui.window), page);
  g_assert_true(rig_wait(has_validation_data, screen, 60.0));
  const AseSweptJoint *joint = &aui_fit_plots_shown(validation_plots)->data->joint[1];
  const AseJointValidation *v = &ase_session_validation(session)->joint[1];
  const AseSweptRun *run = joint->runs->pdata[0];
  g_assert_cmpuint(joint->rows[ASE_ROW_USED], ==, v->rows);
  g_assert_cmpuint(joint->runs->len, ==, 1);
  g_assert_cmpfloat_with_epsilon(sqrt(run->squares / (double)v->rows), v->rms_A, 1e-9);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(find_spin(page, 10.0)), 0.1);
  g_assert_true(rig_wait(is_judged_failed, screen, 60.0));
  g_assert_cmpfloat(ase_session_edits(session)->validation_percent, ==, 0.1);
  ase_session_undo(session);
  g_assert_true(rig_wait(is_judged_passed, screen, 60.0));
  g_assert_nonnull(find_spin(page, 10.0));
  check_unpromised(screen, page);
}

static void test_fit(void) {
  Screen screen;
  screen_init(&screen);
  check_data(&screen);
  check_verdicts(&screen);
  check_figures(&screen);
  check_exclusion(&screen);
  check_part(&screen);
  check_numbers(&screen);
  check_comparison(&screen);
  check_differences(&screen);
  check_files(&screen);
  check_validation(&screen);
  screen_clear(&screen);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_autoptr(AuiApplication) application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/page-fit/fit", test_fit);
  return g_test_run();
}
