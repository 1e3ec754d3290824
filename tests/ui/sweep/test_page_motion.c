/* SPDX-License-Identifier: MIT */
/* A technician's own motion in the window: nothing yet, a file that is refused, one that is taken,
 * armed for, followed, stopped, gone on with, and what came of it. Pictures go to ARMATURE_SHOTS,
 * if it is set. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gui.h"
#include "io/recording/motion.h"
#include "io/store/store.h"
#include "session/bench.h"
#include "session/measure/motion_case.h"
#include "session/recording.h"
#include "support/support.h"
#include "ui/sweep/page_motion.h"

typedef struct {
  Gui gui;
  AuiPageMotion *page;
  double home[ARM_MAX_JOINTS];
  char *path;
} Screen;

static const AseRecordingState *state_of(Gui *gui) {
  return ase_session_record_state(gui->session);
}

static bool find_page(GtkWidget *widget, void *data) {
  Screen *screen = data;
  if (AUI_IS_PAGE_MOTION(widget))
    screen->page = AUI_PAGE_MOTION(widget);
  return true;
}

static void take_pictures(Screen *screen, const char *name) {
  static const int sizes[2][2] = {{1280, 800}, {1920, 1080}};
  AdwStyleManager *style = adw_style_manager_get_default();
  for (guint k = 0; g_getenv("ARMATURE_SHOTS") && k < 4; k++) {
    adw_style_manager_set_color_scheme(style, k % 2 ? ADW_COLOR_SCHEME_FORCE_DARK
                                                    : ADW_COLOR_SCHEME_FORCE_LIGHT);
    gtk_window_set_default_size(GTK_WINDOW(screen->gui.window), sizes[k / 2][0], sizes[k / 2][1]);
    gui_pass(0.6);
    g_autofree char *file =
        g_strdup_printf("motion-%s-%d-%s", name, sizes[k / 2][0], k % 2 ? "dark" : "light");
    gui_shoot(&screen->gui, file);
  }
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
}

/* ---- files ---- */

static void write_motion(Screen *screen, double seconds, double way) {
  const ArmModel *model = &ase_session_arm(screen->gui.session)->model;
  GError *error = NULL;
  AioMotionTable *motion = motion_case_new(model, screen->home, seconds, way);
  g_autoptr(GString) csv = aio_motion_to_csv(motion, model);
  g_file_set_contents(screen->path, csv->str, (gssize)csv->len, &error);
  g_assert_no_error(error);
  aio_motion_free(motion);
}

static Screen *waiting; /* for gui_wait */

static bool is_answered(Gui *gui) {
  return state_of(gui)->state == ASE_STATE_READY || *aui_page_motion_problem(waiting->page);
}

static void read_motion(Screen *screen) {
  waiting = screen;
  aui_page_motion_read(screen->page, screen->path);
  gui_wait(is_answered, &screen->gui, 10.0, "the motion");
}

static void expect_problem(Screen *screen, const char *part) {
  if (!strstr(aui_page_motion_problem(screen->page), part))
    g_error("expected %s, found %s", part, aui_page_motion_problem(screen->page));
}

/* ---- while it moves ---- */

static bool is_over(Gui *gui) {
  return state_of(gui)->state != ASE_STATE_RUNNING;
}

static bool is_in_dry_run(Gui *gui) {
  const AuiMotionCurves *curves = aui_page_motion_curves(waiting->page);
  return is_over(gui) || (curves->is_dry_run && aui_bins_filled(&curves->current[0], 0) > 200);
}

static bool is_at_speed(Gui *gui) {
  const AuiMotionCurves *curves = aui_page_motion_curves(waiting->page);
  return is_over(gui) ||
         (curves->is_on && !curves->is_dry_run && aui_bins_filled(&curves->current[0], 0) > 20);
}

static guint count_series(const AuiFigure *figure, const char *part) {
  guint count = 0;
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    count += series->label && g_str_has_prefix(series->label, part) && series->n > 3;
  }
  return count;
}

/* The arm goes where the curves say that it was told to go. */
static void check_curves(Screen *screen) {
  const AuiMotionCurves *curves = aui_page_motion_curves(screen->page);
  const AseTrajectory *trajectory = ase_session_motion_to_follow(screen->gui.session);
  guint filled = 0;
  for (guint k = 0; k < curves->q[0].n; k++) {
    const AuiBin *bin = &curves->q[0].bin[0][k];
    double q[ARM_MAX_JOINTS];
    arm_cubics_at(trajectory->cubics, aui_bins_position(&curves->q[0], k), q, NULL);
    if (bin->count)
      g_assert_cmpfloat(fabs(bin->sum / bin->count - q[0]), <, 0.1);
    filled += bin->count > 0;
  }
  g_assert_cmpuint(filled, >, 50);
}

/* Of one joint, where its current is held, however far off. */
static void check_limit(Screen *screen) {
  AuiMotionCurves alone = *aui_page_motion_curves(screen->page);
  guint lines = 0;
  alone.joint = 2;
  AuiFigure *figure = aui_motion_curves_current(&alone);
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    lines += series->label && strncmp(series->label, "held beyond ", 12) == 0 &&
             g_ascii_strtod(series->label + 12, NULL) > 0.0;
  }
  g_assert_cmpuint(lines, ==, 1);
  aui_figure_free(figure);
}

/* ---- the window around it ---- */

typedef struct {
  const char *part;
  bool has;
} Said;

static bool look_at_inscription(GtkWidget *widget, void *data) {
  Said *said = data;
  const char *text =
      GTK_IS_INSCRIPTION(widget) ? gtk_inscription_get_text(GTK_INSCRIPTION(widget)) : NULL;
  said->has |= text && strstr(text, said->part);
  return true;
}

/* The line below all pages. */
static bool says(Gui *gui, const char *part) {
  Said said = {part, false};
  gui_walk(gui->window, look_at_inscription, &said);
  return said.has;
}

static bool look_at_label(GtkWidget *widget, void *data) {
  Said *said = data;
  said->has |= GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
               strstr(gtk_label_get_text(GTK_LABEL(widget)), said->part);
  return true;
}

static bool reads(Screen *screen, const char *part) {
  Said said = {part, false};
  gui_walk(GTK_WIDGET(screen->page), look_at_label, &said);
  return said.has;
}

/* A motion that was chosen, and is none any more in other ranges. */
static void check_stale(Screen *screen) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(screen->gui.session), sizeof *edits);
  edits->high[0] -= 0.01;
  ase_session_set_edits(screen->gui.session, edits, "ranges");
  gui_pass(0.3);
  g_assert_true(reads(screen, "To be chosen again"));
  g_assert_false(reads(screen, "No motion yet"));
}

/* Of a stop nobody says when its lock-out has passed: what is to be done then is said at once. */
static void check_hint(Screen *screen) {
  AseDevice *device = ase_session_device(screen->gui.session);
  ase_device_halt(device);
  gui_pass(0.3);
  g_assert_cmpfloat(ase_device_lockout_s(device), >, 0.0);
  g_assert_true(reads(screen, "Arm the arm"));
}

static bool look_at_steps(GtkWidget *widget, void *data) {
  if (GTK_IS_LIST_BOX(widget) && gtk_widget_has_css_class(widget, "navigation-sidebar"))
    *(bool *)data |= gtk_list_box_get_selected_row(GTK_LIST_BOX(widget)) != NULL;
  return true;
}

static bool has_chosen_step(Gui *gui) {
  bool has = false;
  gui_walk(gui->window, look_at_steps, &has);
  return has;
}

/* ---- what was recorded, for others ---- */

static bool is_written(Gui *gui) {
  return gui_can_use(gui_button(gui, "Samples as _CSV…"));
}

static gsize samples_in_file(Gui *gui) {
  AioStore *store = aio_store_open_read(ase_session_path(gui->session), NULL);
  gsize samples = 0;
  g_assert_true(
      aio_store_count_samples(store, ase_session_recorded_run(gui->session), &samples, NULL));
  aio_store_close(store, NULL);
  g_assert_cmpuint(samples, >=, state_of(gui)->samples);
  return samples;
}

static void check_samples(Screen *screen) {
  g_autofree char *text = NULL;
  guint lines = 0;
  g_assert_true(gui_can_use(gui_button(&screen->gui, "Samples as _CSV…")));
  aui_page_motion_write(screen->page, screen->path);
  g_assert_false(gui_can_use(gui_button(&screen->gui, "Samples as _CSV…")));
  gui_wait(is_written, &screen->gui, 10.0, "the samples");
  g_assert_cmpstr(aui_page_motion_problem(screen->page), ==, "");
  g_assert_true(g_file_get_contents(screen->path, &text, NULL, NULL));
  for (const char *c = text; *c; c++)
    lines += *c == '\n';
  g_assert_true(g_str_has_prefix(text, "t_s,"));
  g_assert_nonnull(strstr(text, "q2_rad"));
  g_assert_cmpuint(lines, ==, samples_in_file(&screen->gui) + 1); /* of that run alone */
  aui_page_motion_write(screen->page, "/proc/nowhere/recording.csv");
  gui_wait(is_written, &screen->gui, 10.0, "a refusal");
  expect_problem(screen, "/proc/nowhere/recording.csv");
}

/* Nothing was recorded to its end: all runs of the file are not written in its place. */
static void check_no_samples(Screen *screen) {
  g_assert_cmpint(ase_session_recorded_run(screen->gui.session), ==, 0);
  remove(screen->path);
  aui_page_motion_write(screen->page, screen->path);
  expect_problem(screen, "no whole recording");
  gui_pass(0.3);
  g_assert_false(g_file_test(screen->path, G_FILE_TEST_EXISTS));
}

static bool is_read(Gui *gui) {
  return gui_can_use(gui_button(gui, "Choose a _motion…"));
}

static void read_another(Screen *screen) {
  aui_page_motion_read(screen->page, screen->path);
  g_assert_false(is_read(&screen->gui));
  gui_wait(is_read, &screen->gui, 10.0, "another motion");
}

/* 0.15 s without rows: taken, and said to be a guess, until there is another motion. */
static void check_hole(Screen *screen) {
  g_autofree char *text = NULL;
  g_autoptr(GString) csv = g_string_new(NULL);
  g_assert_true(g_file_get_contents(screen->path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint k = 0; lines[k] && *lines[k]; k++)
    if (k < 391 || k >= 420)
      g_string_append_printf(csv, "%s\n", lines[k]);
  g_assert_true(g_file_set_contents(screen->path, csv->str, (gssize)csv->len, NULL));
  read_another(screen);
  g_assert_cmpstr(aui_page_motion_problem(screen->page), ==, "");
  g_assert_true(reads(screen, "wave.csv:391: at 1.945 s, 0.15 s to the next row, where rows are "
                              "0.005 s apart: what is between is a guess"));
  g_assert_true(gui_is_whole(screen->gui.window));
  take_pictures(screen, "hole");
  g_assert_true(g_file_set_contents(screen->path, text, -1, NULL));
  read_another(screen);
  g_assert_false(reads(screen, "is a guess"));
}

/* At rest for 25 min, then as far as in the file within 4 s: that is seen. */
static void check_excursion(Screen *screen) {
  AseSession *session = screen->gui.session;
  AioMotionTable *motion =
      motion_case_new(&ase_session_arm(session)->model, screen->home, 4.0, 0.4);
  GError *error = NULL;
  AuiMotionCurves alone = *aui_page_motion_curves(screen->page);
  double low = INFINITY, high = -INFINITY;
  for (gsize row = 1; row < motion->rows; row++)
    motion->t[row] += 1500.0;
  ase_session_take_motion(session, motion, 1.0, &error);
  g_assert_no_error(error);
  alone.joint = 1;
  AuiFigure *figure = aui_motion_curves_position(&alone);
  const AuiSeries *series = figure->series->pdata[0];
  for (guint k = 0; k < series->n; k++) {
    low = fmin(low, series->y[k]);
    high = fmax(high, series->y[k]);
    g_assert_true(k == 0 || series->x[k] >= series->x[k - 1]);
  }
  g_assert_cmpfloat_with_epsilon(series->x[series->n - 1], 1504.0, 0.01);
  const AseTrajectory *trajectory = ase_session_motion_to_follow(session);
  g_assert_cmpfloat_with_epsilon((high - low) / (trajectory->high[0] - trajectory->low[0]),
                                 180.0 / G_PI, 1e-6);
  gui_pass(0.3);
  take_pictures(screen, "excursion");
  aui_figure_free(figure);
  aio_motion_free(motion);
  read_another(screen);
}

static void check_empty(Screen *screen) {
  Gui *gui = &screen->gui;
  gui_walk(gui->window, find_page, screen);
  g_assert_nonnull(screen->page);
  g_assert_true(has_chosen_step(gui));
  gtk_widget_activate_action(gui->window, "session.page", "s", AUI_PAGE_MOTION_KEY);
  gui_pass(0.2);
  g_assert_true(gtk_widget_get_mapped(GTK_WIDGET(screen->page)));
  g_assert_false(has_chosen_step(gui)); /* so that each leads back */
  g_assert_true(gui_is_whole(gui->window));
  g_assert_true(reads(screen, "No motion yet"));
  take_pictures(screen, "empty");
  g_assert_false(gui_can_use(gui_button(gui, "_Follow the motion")));
  g_assert_false(gui_can_use(gui_button(gui, "Samples as _CSV…")));
  check_no_samples(screen);
}

static void check_refused(Screen *screen) {
  write_motion(screen, 4.0, 8.0);
  read_motion(screen);
  expect_problem(screen, "wave.csv:"); /* line, column, limit */
  expect_problem(screen, "q1_rad: expected");
  take_pictures(screen, "refused");
}

static void check_chosen(Screen *screen) {
  Gui *gui = &screen->gui;
  write_motion(screen, 12.0, 0.4);
  read_motion(screen);
  g_assert_cmpstr(aui_page_motion_problem(screen->page), ==, "");
  g_assert_cmpint(state_of(gui)->state, ==, ASE_STATE_READY);
  g_assert_false(gui_can_use(gui_button(gui, "_Follow the motion"))); /* not armed */
  const AuiFigure *figure = aui_plot_figure(aui_page_motion_plot(screen->page));
  g_assert_cmpuint(count_series(figure, "joint"), ==, 2); /* as it is to go */
  g_assert_true(gui_is_whole(gui->window));
  take_pictures(screen, "ready");
  check_hole(screen);
  check_excursion(screen);
  check_hint(screen);
}

/* Armed for what was chosen before, which is neither shown nor followed then. */
static void check_reading(Screen *screen) {
  Gui *gui = &screen->gui;
  g_autofree char *odd = g_build_filename(g_get_tmp_dir(), "wa\xe2\x80\xaeve.csv", NULL);
  g_assert_true(gui_can_use(gui_button(gui, "_Follow the motion")));
  g_assert_true(reads(screen, "2 of 2 joints move"));
  g_assert_cmpint(rename(screen->path, odd), ==, 0);
  aui_page_motion_read(screen->page, odd);
  g_assert_true(reads(screen, "Reading wa\\u202eve.csv"));
  g_assert_false(gui_can_use(gui_button(gui, "_Follow the motion")));
  g_assert_false(reads(screen, "2 of 2 joints move"));
  gui_wait(is_read, gui, 10.0, "the same motion");
  g_assert_false(reads(screen, "Reading"));
  g_assert_true(reads(screen, "2 of 2 joints move"));
  g_assert_true(gui_can_use(gui_button(gui, "_Follow the motion")));
  g_assert_cmpint(rename(odd, screen->path), ==, 0);
}

static bool has_problem(Gui *gui) {
  (void)gui;
  return *aui_page_motion_problem(waiting->page);
}

/* What was read while the arm began to move is refused by name. */
static void check_moves_meanwhile(Screen *screen) {
  aui_page_motion_read(screen->page, screen->path);
  gui_wait(has_problem, &screen->gui, 10.0, "a refusal");
  expect_problem(screen, "wave.csv: ");
  expect_problem(screen, "the arm moves");
  g_assert_false(reads(screen, "Reading"));
}

static void check_stopped(Screen *screen) {
  Gui *gui = &screen->gui;
  gui_arm(gui);
  check_reading(screen);
  gui_click(gui, "_Follow the motion");
  g_assert_cmpint(state_of(gui)->state, ==, ASE_STATE_RUNNING);
  check_moves_meanwhile(screen);
  gui_wait(is_in_dry_run, gui, 60.0, "the dry run");
  g_assert_true(says(gui, "Dry run of the motion: leg "));
  gui_shoot(gui, "motion-dry-run");
  gui_wait(is_at_speed, gui, 60.0, "the motion at its speed");
  g_assert_cmpint(state_of(gui)->state, ==, ASE_STATE_RUNNING);
  gui_click(gui, "Sto_p");
  gui_wait(is_over, gui, 10.0, "the stop");
  g_assert_cmpint(state_of(gui)->state, ==, ASE_STATE_FAILED);
  g_assert_true(gui_is_armed(gui));
  g_assert_true(gui_can_use(gui_button(gui, "_Go on")));
  ase_device_disarm(ase_session_device(gui->session)); /* pictures take longer than a lease */
  gui_wait(gui_is_not_armed, gui, 5.0, "disarming");
  take_pictures(screen, "stopped");
  check_no_samples(screen);
}

static void check_recorded(Screen *screen) {
  Gui *gui = &screen->gui;
  gui_arm(gui);
  gui_click(gui, "_Go on");
  g_assert_false(state_of(gui)->is_dry_run);
  gui_wait(is_at_speed, gui, 60.0, "the motion");
  gui_wait(is_over, gui, 60.0, "its end");
  if (state_of(gui)->state != ASE_STATE_PASSED)
    g_error("%s", state_of(gui)->reason);
  gui_wait(gui_is_not_armed, gui, 5.0, "disarming: nothing is left to move");
  check_curves(screen);
  gui_button(gui, "Record a_gain");
  const AuiFigure *figure = aui_plot_figure(aui_page_motion_plot(screen->page));
  g_assert_cmpuint(count_series(figure, "joint"), ==, 2);
  g_assert_cmpuint(count_series(figure, "commanded"), ==, 2);
  take_pictures(screen, "recorded");
}

static void test_motion(gconstpointer application) {
  Screen screen = {.path = g_build_filename(g_get_tmp_dir(), "wave.csv", NULL)};
  Gui *gui = &screen.gui;
  gui_open(gui, (AuiApplication *)application, "planar2r", 10.0);
  g_assert_true(ase_device_pose(ase_session_device(gui->session), screen.home));
  check_empty(&screen);
  check_refused(&screen);
  check_chosen(&screen);
  waiting = &screen;
  check_stopped(&screen);
  check_recorded(&screen);
  check_limit(&screen);
  check_samples(&screen);
  check_stale(&screen);
  gui_close(gui);
  remove(screen.path);
  g_free(screen.path);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_autoptr(AuiApplication) application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_data_func("/ui/page_motion", application, test_motion);
  return g_test_run();
}
