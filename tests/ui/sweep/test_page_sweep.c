/* SPDX-License-Identifier: MIT */
/* The sweep page while a simulated arm sweeps, in compressed time: both directions of the joint
 * that moves appear, computed and residual follow the fit, a range excluded with the mouse is not
 * used. Pictures go to ARMATURE_SHOTS, if it is set. */
#include <math.h>
#include <string.h>

#include "gui.h"
#include "session/bench.h"
#include "session/method/gravity.h"
#include "support/support.h"
#include "ui/kit/ask.h"
#include "ui/sweep/page_sweep.h"

typedef struct {
  Bench bench;
  Gui gui;
  AuiPageSweep *page;
} Screen;

static void screen_init(Screen *screen) {
  bench_init(&screen->bench, "planar2r", 20.0);
  bench_plan_one(&screen->bench, 0.4);
  GtkWidget *page = aui_page_sweep_new(screen->bench.session);
  screen->page = AUI_PAGE_SWEEP(page);
  gui_show(&screen->gui, screen->bench.session, page, 1280, 800);
}

static void screen_clear(Screen *screen) {
  gtk_window_destroy(GTK_WINDOW(screen->gui.window));
  rig_pass(0.1);
  bench_clear(&screen->bench);
}

/* ---- pictures ---- */

static void take_pictures(Screen *screen, const char *name) {
  static const int sizes[2][2] = {{1280, 800}, {1920, 1080}};
  for (guint k = 0; g_getenv("ARMATURE_SHOTS") && k < 4; k++) {
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(),
                                       k % 2 ? ADW_COLOR_SCHEME_FORCE_DARK
                                             : ADW_COLOR_SCHEME_FORCE_LIGHT);
    gtk_window_set_default_size(GTK_WINDOW(screen->gui.window), sizes[k / 2][0], sizes[k / 2][1]);
    rig_pass(0.6);
    g_autofree char *file =
        g_strdup_printf("%s-%d-%s", name, sizes[k / 2][0], k % 2 ? "dark" : "light");
    gui_shoot(&screen->gui, file);
  }
}

/* ---- */

enum { SWEEP_TRIES = 3 };

/* On a busy machine the lease expires while pictures are taken. */
static void arm_again(Screen *screen) {
  AseDevice *device = ase_session_device(screen->bench.session);
  if (ase_device_is_armed(device))
    return;
  rig_clear_faults(device);
  rig_until_unlocked(device);
  if (bench_state(&screen->bench, ASE_STEP_CHECK) != ASE_STATE_PASSED)
    bench_do(&screen->bench, ASE_STEP_CHECK); /* it had seen the fault */
  bench_arm(&screen->bench);
}

static bool has_both_directions(void *data) {
  const AuiCurve *live = aui_page_sweep_curves(((Screen *)data)->page)->live;
  return live && aui_bins_filled(&live->current, 0) > 100 &&
         aui_bins_filled(&live->current, 1) > 100;
}

static guint count_series(const AuiFigure *figure, const char *part) {
  guint count = 0;
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    count += series->label && strstr(series->label, part) && series->n > 3;
  }
  return count;
}

/* The speed that is shown is the one that was commanded. */
static void check_speed(const AuiCurve *curve) {
  for (guint d = 0; d < 2; d++) {
    double sum = 0.0;
    guint count = 0;
    for (guint k = curve->qd.n / 4; k < curve->qd.n * 3 / 4; k++)
      sum += curve->qd.bin[d][k].sum, count += curve->qd.bin[d][k].count;
    g_assert_cmpuint(count, >, 10);
    g_assert_cmpfloat_with_epsilon(sum / count, d ? -curve->speed : curve->speed,
                                   0.1 * curve->speed);
  }
}

static void check_live(Screen *screen) {
  Bench *bench = &screen->bench;
  GError *error = NULL;
  if (!ase_session_start(bench->session, ASE_STEP_SWEEP, &error))
    g_error("%s", error->message);
  if (!rig_wait(has_both_directions, screen, 60.0))
    g_error("no curve appears");
  const AuiCurves *curves = aui_page_sweep_curves(screen->page);
  g_assert_cmpuint(curves->joint, ==, 2); /* it follows the arm */
  check_speed(curves->live);
  const AuiFigure *figure = aui_plot_figure(aui_page_sweep_plot(screen->page));
  g_assert_cmpuint(count_series(figure, "now"), ==, 2);
  g_assert_cmpuint(count_series(figure, "computed"), ==, 0);
  take_pictures(screen, "sweep-live");
  bench_until(bench, ASE_STEP_SWEEP, 120.0);
  for (guint k = 0; k < SWEEP_TRIES && bench_state(bench, ASE_STEP_SWEEP) != ASE_STATE_PASSED;
       k++) {
    arm_again(screen);
    bench_do(bench, ASE_STEP_SWEEP); /* goes on where it was */
  }
  if (bench_state(bench, ASE_STEP_SWEEP) != ASE_STATE_PASSED)
    g_error("the sweep: %s", bench_reason(bench, ASE_STEP_SWEEP));
}

/* Directions of which enough samples are given to the fit for a line. */
static guint count_used(const AuiCurves *curves) {
  guint count = 0;
  for (guint k = 0; k < curves->curves->len; k++)
    for (guint d = 0; d < 2; d++)
      count += aui_bins_filled(&((const AuiCurve *)curves->curves->pdata[k])->current, d) > 3;
  return count;
}

static void check_fitted(Screen *screen) {
  Bench *bench = &screen->bench;
  bench_do(bench, ASE_STEP_FIT);
  aui_page_sweep_show(screen->page, 2, 2);
  rig_pass(0.2);
  const AuiCurves *curves = aui_page_sweep_curves(screen->page);
  g_assert_cmpuint(curves->curves->len, ==, 2); /* two speeds */
  const AuiFigure *figure = aui_plot_figure(aui_page_sweep_plot(screen->page));
  g_assert_cmpuint(count_series(figure, "computed"), ==, count_used(curves));
  g_assert_cmpuint(count_series(figure, "not settled"), >=, 1);
  AuiCurve *curve = curves->curves->pdata[0];
  const double sd = ase_gravity_of(ase_session_fit(bench->session))->refined.joint[1].residual_sd;
  for (guint d = 0; d < 2; d++) {
    guint filled = 0;
    for (guint k = 0; k < curve->current.n; k++) {
      const AuiBin *bin = &curve->current.bin[d][k];
      const double position = aui_bins_position(&curve->current, k);
      const double computed = aui_curves_computed(curves, curve, position, d);
      if (bin->count)
        g_assert_cmpfloat(fabs(bin->sum / bin->count - computed), <, 5.0 * sd);
      filled += bin->count > 0;
    }
    g_assert_cmpuint(filled, >, 50);
  }
  take_pictures(screen, "sweep-fitted");
}

static bool has_selection(void *session) {
  return ase_session_selection(session) != NULL;
}

/* An arm that is armed does not wait until a run has been read again. */
static gsize samples_used(const Bench *bench) {
  g_assert_true(rig_wait(has_selection, bench->session, 10.0));
  return ase_session_selection(bench->session)->counts[1][ASE_SAMPLE_USED];
}

static void check_exclusion(Screen *screen) {
  Bench *bench = &screen->bench;
  const gsize used = samples_used(bench);
  AuiPlot *plot = aui_page_sweep_plot(screen->page);
  g_signal_emit_by_name(plot, "range-selected", -10.0, 10.0); /* deg */
  const AseEdits *edits = ase_session_edits(bench->session);
  g_assert_cmpuint(edits->n_exclusions, ==, 2);
  g_assert_cmpfloat_with_epsilon(edits->exclusions[0].q_high, 10.0 * G_PI / 180.0, 1e-12);
  g_assert_cmpuint(samples_used(bench), <, used);
  rig_pass(0.2);
  const AuiFigure *figure = aui_plot_figure(plot);
  g_assert_cmpuint(count_series(figure, "excluded"), >=, 1);
  take_pictures(screen, "sweep-excluded");
  ase_session_undo(bench->session);
  g_assert_cmpuint(samples_used(bench), ==, used);
}

static void check_plot(Screen *screen) {
  AuiPlot *plot = aui_page_sweep_plot(screen->page);
  aui_plot_fit(plot);
  const AuiView before = *aui_plot_view(plot);
  const double px = 0.5 * gtk_widget_get_width(GTK_WIDGET(plot));
  const double py = 0.5 * gtk_widget_get_height(GTK_WIDGET(plot));
  aui_plot_zoom(plot, 0.5, px, py, true);
  g_assert_cmpfloat_with_epsilon(aui_plot_view(plot)->x[1] - aui_plot_view(plot)->x[0],
                                 0.5 * (before.x[1] - before.x[0]), 1e-9);
  g_assert_cmpfloat(aui_plot_view(plot)->y[0], ==, before.y[0]);
  aui_plot_pan(plot, 0.5, 0.0);
  aui_plot_fit(plot);
  g_assert_cmpfloat(aui_plot_view(plot)->x[0], ==, before.x[0]);
  g_assert_cmpfloat(aui_plot_view(plot)->x[1], ==, before.x[1]);
  char *text = aui_plot_read_out(plot, px, py);
  g_assert_nonnull(text);
  g_assert_nonnull(strstr(text, "deg"));
  g_free(text);
  g_assert_null(aui_plot_read_out(plot, 1.0, 1.0));
  aui_plot_set_frozen(plot, true);
  const AuiFigure *figure = aui_plot_figure(plot);
  aui_plot_invalidate(plot);
  g_assert_true(aui_plot_figure(plot) == figure);
  aui_plot_set_frozen(plot, false);
  g_assert_true(
      gtk_test_accessible_has_property(GTK_ACCESSIBLE(plot), GTK_ACCESSIBLE_PROPERTY_LABEL));
}

/* ---- what else the page shows ---- */

static const AuiSeries *series_with(const AuiFigure *figure, const char *part) {
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    if (series->n > 10 && series->label && strstr(series->label, part))
      return series;
  }
  return NULL;
}

/* The speeds that the fit uses are marked, and what is drawn in green is listed. */
static bool has_band(const AuiCurves *curves) {
  AuiFigure *figure = aui_curves_speed_figure(curves, AUI_SPEED_OVER_POSITION);
  guint bands = 0, keys = 0;
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    bands += series->stroke == AUI_STROKE_BAND && series->n > 0;
    keys += series->stroke == AUI_STROKE_BAND && series->n == 0;
  }
  aui_figure_free(figure);
  g_assert_cmpuint(keys, ==, bands > 0);
  return bands > 0;
}

/* What no fit sees is measured too, but not marked; its pose comes after the two holds. */
static void check_held_out(Screen *screen) {
  const AuiCurves *curves = aui_page_sweep_curves(screen->page);
  aui_page_sweep_show(screen->page, 2, 3);
  g_assert_cmpuint(curves->curves->len, ==, 1);
  g_assert_false(has_band(curves));
  aui_page_sweep_show(screen->page, 2, 2);
  g_assert_true(has_band(curves));
}

/* In the middle of the sweep the joint is within a twentieth of its commanded speed. */
static void check_speed_views(Screen *screen) {
  AuiCurves curves = *aui_page_sweep_curves(screen->page);
  for (AuiSpeedView view = 0; view < AUI_SPEED_VIEWS; view++) {
    AuiFigure *figure = aui_curves_speed_figure(&curves, view);
    const bool is_over_time = view == AUI_SPEED_OVER_TIME || view == AUI_TRACKING_OVER_TIME;
    const bool is_tracking = view >= AUI_TRACKING_OVER_POSITION;
    const AuiSeries *forth = series_with(figure, "deg/s +");
    g_assert_cmpstr(figure->x.unit, ==, is_over_time ? "s" : "deg");
    g_assert_nonnull(forth);
    const double middle = forth->y[forth->n / 2];
    const AuiCurve *slowest = curves.curves->pdata[0];
    const double commanded = slowest->speed * 180.0 / G_PI;
    g_assert_cmpfloat(fabs(middle - (is_tracking ? 0.0 : commanded)), <, 0.1 * commanded);
    aui_figure_free(figure);
  }
}

/* The same curve in other units. */
static void check_units(Screen *screen) {
  AuiCurves curves = *aui_page_sweep_curves(screen->page);
  const char *unit;
  double eta, rel_sd;
  g_assert_true(
      arm_model_nominal_eta(&ase_session_arm(screen->bench.session)->model, 1, &eta, &rel_sd));
  g_assert_cmpfloat(aui_curves_load(&curves, &unit), ==, 1.0);
  g_assert_cmpstr(unit, ==, "A");
  curves.in_torque = true;
  g_assert_cmpfloat_with_epsilon(aui_curves_load(&curves, &unit), 1.0 / eta, 1e-12);
  g_assert_cmpstr(unit, ==, "N m");
  curves.in_radians = true;
  AuiFigure *figure = aui_curves_current_figure(&curves);
  g_assert_cmpstr(figure->x.unit, ==, "rad");
  g_assert_cmpfloat(figure->x.high, <, 1.0);
  aui_figure_free(figure);
}

/* A plot that nobody sees is not drawn. */
static void check_hidden(Screen *screen) {
  AuiPlot *plot = aui_page_sweep_plot(screen->page);
  gtk_widget_set_visible(GTK_WIDGET(screen->page), FALSE);
  rig_pass(0.1);
  const guint drawn = aui_plot_frames(plot);
  aui_plot_invalidate(plot);
  rig_pass(0.2);
  g_assert_cmpuint(aui_plot_frames(plot), ==, drawn);
  gtk_widget_set_visible(GTK_WIDGET(screen->page), TRUE);
  for (guint k = 0; k < 100 && aui_plot_frames(plot) == drawn; k++)
    rig_pass(0.2);
  g_assert_cmpuint(aui_plot_frames(plot), >, drawn);
}

static bool shows_menu(void *plot) {
  GtkWidget *menu = gtk_widget_get_first_child(plot);
  return menu && GTK_IS_POPOVER_MENU(menu) && gtk_widget_get_mapped(menu);
}

/* By its key; and no question for a file while the arm is armed. */
static void check_menu(Screen *screen) {
  GtkWidget *plot = GTK_WIDGET(aui_page_sweep_plot(screen->page));
  AseDevice *device = ase_session_device(screen->bench.session);
  g_assert_true(gtk_widget_activate_action(plot, "plot.menu", NULL));
  g_assert_true(rig_wait(shows_menu, plot, 2.0));
  GtkWidget *menu = gtk_widget_get_first_child(plot);
  gtk_popover_popdown(GTK_POPOVER(menu));
  g_assert_true(gtk_widget_activate_action(plot, "plot.table", NULL));
  rig_pass(0.2);
  arm_again(screen);
  aui_ask_install(screen->gui.window, device);
  g_assert_false(aui_ask_may(plot));
  ase_device_disarm(device);
  rig_until_disarmed(device);
  g_assert_true(aui_ask_may(plot));
}

/* What was repeated is shown behind what counts, and only then. */
static void check_earlier(Screen *screen) {
  Bench *bench = &screen->bench;
  GError *error = NULL;
  const guint before = ase_session_earlier_runs(bench->session)->len;
  arm_again(screen);
  if (!ase_session_repeat(bench->session, ASE_STEP_SWEEP, 2, &error))
    g_error("%s", error->message);
  bench_until(bench, ASE_STEP_SWEEP, 120.0);
  g_assert_cmpuint(ase_session_earlier_runs(bench->session)->len, ==, before + 4);
  aui_page_sweep_show(screen->page, 2, 2);
  rig_pass(0.2);
  AuiPlot *plot = aui_page_sweep_plot(screen->page);
  g_assert_cmpuint(count_series(aui_plot_figure(plot), "earlier"), ==, 0);
  g_assert_cmpuint(aui_page_sweep_curves(screen->page)->earlier->len, ==, 0); /* takes no memory */
  g_assert_true(gtk_widget_activate_action(GTK_WIDGET(plot), "sweep.earlier", NULL));
  g_assert_cmpuint(count_series(aui_plot_figure(plot), "earlier"), >, 0);
  take_pictures(screen, "sweep-earlier");
}

static void hold_one_out(Bench *bench) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->itinerary.validation_holds = 1;
  ase_session_set_edits(bench->session, edits, "one pose held out");
}

static void test_sweep(void) {
  Screen screen;
  screen_init(&screen);
  hold_one_out(&screen.bench);
  bench_connect(&screen.bench);
  bench_reach(&screen.bench, ASE_STEP_DRY_RUN);
  check_live(&screen);
  check_fitted(&screen);
  check_exclusion(&screen);
  check_plot(&screen);
  check_held_out(&screen);
  check_speed_views(&screen);
  check_units(&screen);
  check_hidden(&screen);
  check_menu(&screen);
  check_earlier(&screen);
  screen_clear(&screen);
}

/* ---- which joint is shown ---- */

static void plan_both(Bench *bench) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->plan.joint[0] = edits->plan.joint[1];
  ase_session_set_edits(bench->session, edits, "plan by hand");
}

static bool is_drawn(void *data) {
  const AuiCurve *live = aui_page_sweep_curves(((Screen *)data)->page)->live;
  return live && aui_bins_filled(&live->qd, 0) > 3;
}

/* Whoever has armed the robot is not told to. */
static void check_empty(Screen *screen, bool asks_to_arm) {
  AuiFigure *figure = aui_curves_current_figure(aui_page_sweep_curves(screen->page));
  g_assert_cmpint(strstr(figure->empty, "arm the robot") != NULL, ==, asks_to_arm);
  aui_figure_free(figure);
}

/* Of dry run and sweep the one that is next, where the arm may go on with it. */
static void check_marks(Screen *screen, bool is_dry_run, bool is_sweep) {
  rig_pass(0.05);
  g_assert_cmpint(
      gtk_widget_has_css_class(gui_button(&screen->gui, "_Dry run"), "suggested-action"), ==,
      is_dry_run);
  g_assert_cmpint(gtk_widget_has_css_class(gui_button(&screen->gui, "_Sweep"), "suggested-action"),
                  ==, is_sweep);
}

/* Seen as it goes, but no fit uses it. */
static void check_dry(Screen *screen) {
  GError *error = NULL;
  check_marks(screen, false, false);
  bench_reach(&screen->bench, ASE_STEP_PLAN);
  check_marks(screen, true, false);
  check_empty(screen, true);
  bench_arm(&screen->bench);
  check_empty(screen, false);
  if (!ase_session_start(screen->bench.session, ASE_STEP_DRY_RUN, &error))
    g_error("%s", error->message);
  g_assert_true(rig_wait(is_drawn, screen, 60.0));
  g_assert_false(has_band(aui_page_sweep_curves(screen->page)));
  check_marks(screen, false, false);
  bench_until(&screen->bench, ASE_STEP_DRY_RUN, 120.0);
  check_marks(screen, false, true);
}

/* Also from the second hold of a joint to the first one of another. */
static void test_follow(void) {
  Screen screen;
  screen_init(&screen);
  plan_both(&screen.bench);
  bench_connect(&screen.bench);
  check_dry(&screen);
  const AuiCurves *curves = aui_page_sweep_curves(screen.page);
  g_assert_cmpuint(curves->joint, ==, 1);
  g_assert_cmpuint(curves->hold, ==, 2);
  screen_clear(&screen);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_autoptr(AuiApplication) application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/page-sweep/sweep", test_sweep);
  g_test_add_func("/page-sweep/follow", test_follow);
  return g_test_run();
}
