/* SPDX-License-Identifier: MIT */
/* Connect, Arm and Plan by hand: what is typed is checked at once, nothing changes until it is
 * good, undo takes it back; a plan by hand gets its forecast by itself; troubles with a port are
 * told apart. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "gui.h"
#include "io/driver/command.h"
#include "ui/import/session_files.h"
#include "wire/message.h"

enum { UNPLUGGED_MS = 60000 }; /* of device time, BRISKLY */

/* Nothing moves here, and a simulated arm of six joints at 20 times its speed takes a fifth of a
 * processor. */
static const double SLOWLY = 2.0, BRISKLY = 20.0;

static AuiApplication *application;

/* ---- looking for widgets ---- */

typedef struct {
  const char *name;
  GtkWidget *found;
} Wanted;

static bool look_for_label(GtkWidget *widget, void *data) {
  Wanted *wanted = data;
  if (!wanted->found && GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
      strstr(gtk_label_get_text(GTK_LABEL(widget)), wanted->name))
    wanted->found = widget;
  return !wanted->found;
}

/* A label that is to be seen and has this in its text. */
static bool says(Gui *gui, const char *text) {
  Wanted wanted = {text, NULL};
  gui_walk(gui->window, look_for_label, &wanted);
  return wanted.found != NULL;
}

/* Counts labels that stand for nothing and say so because of this. */
static bool count_without_gravity(GtkWidget *widget, void *data) {
  guint *seen = data;
  const char *why = gtk_widget_get_tooltip_text(widget);
  if (GTK_IS_LABEL(widget) && why && strcmp(why, arm_reason_text(ARM_REASON_AXIS_VERTICAL)) == 0 &&
      strcmp(gtk_label_get_text(GTK_LABEL(widget)), "-") == 0)
    ++*seen;
  return true;
}

typedef struct {
  const char *text;
  guint nth;
  GtkWidget *found;
} WantedCell;

static bool look_for_cell(GtkWidget *widget, void *data) {
  WantedCell *wanted = data;
  if (!wanted->found && GTK_IS_ENTRY(widget) && gtk_widget_has_css_class(widget, "aui-cell") &&
      gtk_widget_get_mapped(widget) &&
      strcmp(gtk_editable_get_text(GTK_EDITABLE(widget)), wanted->text) == 0 && wanted->nth-- == 0)
    wanted->found = widget;
  return !wanted->found;
}

/* The nth cell (from 0) of the page that shows this text. */
static GtkWidget *cell_with(Gui *gui, const char *text, guint nth) {
  WantedCell wanted = {text, nth, NULL};
  gui_walk(gui->window, look_for_cell, &wanted);
  if (!wanted.found)
    g_error("no cell shows \"%s\"", text);
  return wanted.found;
}

static void type(GtkWidget *cell, const char *text) {
  gtk_editable_set_text(GTK_EDITABLE(cell), text);
}

static void enter(GtkWidget *cell) {
  g_signal_emit_by_name(cell, "activate");
}

static void show_page(Gui *gui, const char *page) {
  aui_window_show_page(AUI_WINDOW(gui->window), page);
  gui_pass(0.2);
}

static bool look_for_stack(GtkWidget *widget, void *data) {
  const char *name = data;
  if (GTK_IS_STACK(widget) && gtk_widget_get_mapped(widget) &&
      gtk_stack_get_child_by_name(GTK_STACK(widget), name))
    gtk_stack_set_visible_child_name(GTK_STACK(widget), name);
  return true;
}

static bool look_for_unplaced(GtkWidget *widget, void *data) {
  if (GTK_IS_TEXT(widget) && gtk_widget_get_mapped(widget) && gtk_widget_get_width(widget) == 0)
    *(bool *)data = true;
  return true;
}

static bool is_laid_out(Gui *gui) {
  bool is_waiting = false;
  gui_walk(gui->window, look_for_unplaced, &is_waiting);
  return !is_waiting;
}

static void show_tab(Gui *gui, const char *name) {
  gui_walk(gui->window, look_for_stack, (void *)name);
  gui_pass(0.2);
  gui_wait(is_laid_out, gui, 20.0, "the page's layout");
}

static const ArmModel *model_of(Gui *gui) {
  return &ase_session_arm(gui->session)->model;
}

/* ---- the arm ---- */

static bool has_compared(Gui *gui) {
  return says(gui, "There is no backup of the controller");
}

static void test_arm(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", SLOWLY);
  show_page(&gui, "arm");
  g_autofree char *digest = g_strdup(ase_session_arm(gui.session)->digest);
  GtkWidget *speed = cell_with(&gui, "122", 0); /* of the elbow */

  type(speed, "fast");
  g_assert_true(gtk_widget_has_css_class(speed, "error"));
  g_assert_true(says(&gui, "joint 3 (elbow), Speed: expected a number above 0, found “fast”"));
  gui_shoot(&gui, "arm-invalid");
  enter(speed);
  g_assert_cmpstr(ase_session_arm(gui.session)->digest, ==, digest);
  g_assert_false(ase_session_can_undo(gui.session, NULL));

  type(speed, "100");
  g_assert_false(gtk_widget_has_css_class(speed, "error"));
  g_assert_false(says(&gui, "expected"));
  g_assert_cmpfloat_with_epsilon(model_of(&gui)->joints[2].limits.speed_max, 122.0 * G_PI / 180.0,
                                 1e-12);
  enter(speed);
  g_assert_cmpfloat_with_epsilon(model_of(&gui)->joints[2].limits.speed_max, 100.0 * G_PI / 180.0,
                                 1e-12);
  g_assert_true(says(&gui, "joint 3 (elbow), Speed: 100 in the arm file, 122 in the controller"));
  ase_session_undo(gui.session);
  g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(cell_with(&gui, "122", 0))), ==, "122");
  g_assert_cmpfloat_with_epsilon(model_of(&gui)->joints[2].limits.speed_max, 122.0 * G_PI / 180.0,
                                 1e-12);
  gui_click(&gui, "Compare with the backup");
  gui_wait(has_compared, &gui, 10.0, "the parameters");
  gui_close(&gui);
}

/* A free range has to be within the limits, and its ends in order. */
static void test_free_range(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", SLOWLY);
  show_page(&gui, "arm");
  GtkWidget *low = cell_with(&gui, "-160", 1); /* the first one is the arm's limit */
  type(low, "-170");
  g_assert_true(gtk_widget_has_css_class(low, "error"));
  g_assert_true(says(&gui, "joint 1 (waist), free from: expected -160 to 160, found “-170”"));
  enter(low);
  g_assert_cmpfloat_with_epsilon(ase_session_edits(gui.session)->low[0], -160.0 * G_PI / 180.0,
                                 1e-12);
  type(low, "-90");
  enter(low);
  g_assert_cmpfloat_with_epsilon(ase_session_edits(gui.session)->low[0], -0.5 * G_PI, 1e-12);
  ase_session_undo(gui.session);
  g_assert_cmpfloat_with_epsilon(ase_session_edits(gui.session)->low[0], -160.0 * G_PI / 180.0,
                                 1e-12);
  gui_close(&gui);
}

static void shoot_tabs(Gui *gui, const char *page, const char *const *tabs, const char *look) {
  show_page(gui, page);
  for (gsize k = 0; tabs[k]; k++) {
    g_autofree char *name = g_strdup_printf("%s-%s-%s", page, tabs[k], look);
    show_tab(gui, tabs[k]);
    gui_shoot(gui, name);
  }
}

/* ---- the plan ---- */

static bool has_forecast(Gui *gui) {
  return ase_session_forecast(gui->session) != NULL;
}

static void test_plan(void) {
  static const char *const arm_tabs[] = {"drives", "geometry", "masses", "coupling", NULL};
  static const char *const plan_tabs[] = {"sweeps", "way", "forecast", NULL};
  AdwStyleManager *style = adw_style_manager_get_default();
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", SLOWLY);
  show_page(&gui, "plan");
  g_assert_true(says(&gui, "No plan yet"));
  gui_click(&gui, "Propose a plan");
  gui_wait(has_forecast, &gui, 120.0, "the plan");
  gui_pass(0.2);

  shoot_tabs(&gui, "plan", plan_tabs, "light");
  shoot_tabs(&gui, "arm", arm_tabs, "light");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK);
  gui_pass(0.3);
  shoot_tabs(&gui, "plan", plan_tabs, "dark");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
  gtk_window_set_default_size(GTK_WINDOW(gui.window), 1920, 1080);
  gui_pass(0.3);
  shoot_tabs(&gui, "plan", plan_tabs, "1920x1080");
  show_tab(&gui, "sweeps");

  const ArmPlanReport *report = ase_session_forecast(gui.session);
  guint without = 0; /* the waist */
  gui_walk(gui.window, count_without_gravity, &without);
  g_assert_cmpuint(without, ==, 1);
  const double before = report->score[5];
  g_autofree char *shown =
      g_strdup_printf("%.6g", ase_session_plan(gui.session)->joint[5].from * 180.0 / G_PI);
  GtkWidget *from = cell_with(&gui, shown, 0); /* joint 6 comes first */
  type(from, "-400");
  g_assert_true(gtk_widget_has_css_class(from, "error"));
  g_assert_true(says(&gui, "joint 6 (flange), sweep: expected -266 to "));
  enter(from);
  g_assert_true(ase_session_forecast(gui.session) == report);

  type(from, "0");
  enter(from);
  g_assert_null(ase_session_forecast(gui.session));
  g_assert_false(ase_session_edits(gui.session)->is_proposed);
  gui_wait(has_forecast, &gui, 60.0, "the forecast of the plan by hand");
  g_assert_cmpfloat(ase_session_forecast(gui.session)->score[5], >, before);
  gui_close(&gui);
}

static bool see_number(GtkWidget *widget, void *data) {
  if (!GTK_IS_ENTRY(widget) || !gtk_widget_has_css_class(widget, "aui-cell") ||
      !gtk_widget_get_mapped(widget))
    return true;
  GtkWidget *text = GTK_WIDGET(gtk_editable_get_delegate(GTK_EDITABLE(widget)));
  const char *shown = gtk_editable_get_text(GTK_EDITABLE(widget));
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(text, shown);
  int width;
  pango_layout_get_pixel_size(layout, &width, NULL);
  if (g_ascii_isdigit(*shown) && gtk_widget_get_width(text) < width)
    g_error("\"%s\" has %d of %d pixels", shown, gtk_widget_get_width(text), width);
  *(guint *)data += 1;
  return true;
}

/* Reduced speeds, couplings of many digits: what is cut reads as another number. */
static void test_numbers(void) {
  static const char *const arm_tabs[] = {"drives", "geometry", "masses", "coupling"};
  Gui gui;
  guint cells = 0;
  gui_open(&gui, application, "puma560-truth2", SLOWLY);
  show_page(&gui, "plan");
  GtkWidget *speeds = cell_with(&gui, "30 40 50 60 70", 0);
  type(speeds, "28.54 38.06 47.58 57.09 66.61");
  enter(speeds);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  show_tab(&gui, "sweeps");
  gui_walk(gui.window, see_number, &cells);
  g_assert_true(gui_is_whole(gui.window));
  gui_shoot(&gui, "plan-speeds");
  show_page(&gui, "arm");
  for (gsize k = 0; k < G_N_ELEMENTS(arm_tabs); k++) {
    show_tab(&gui, arm_tabs[k]);
    gui_walk(gui.window, see_number, &cells);
    gui_shoot(&gui, arm_tabs[k]);
  }
  g_assert_cmpuint(cells, >, 60);
  gui_close(&gui);
}

/* A copied hold is the same pose: said at once. Undo leaves it out again. */
static void test_holds(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", SLOWLY);
  show_page(&gui, "plan");
  gui_click(&gui, "Propose a plan");
  gui_wait(has_forecast, &gui, 120.0, "the plan");
  gui_pass(0.2);
  const size_t holds = ase_session_plan(gui.session)->joint[5].n_holds;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(gui.session), sizeof *edits);
  g_assert_true(ase_edits_add_hold(edits, 6, edits->plan.joint[5].holds[0], NULL));
  ase_session_set_edits(gui.session, edits, "copy");
  gui_pass(0.1);
  g_assert_true(says(&gui, "are nearly the same pose"));
  gui_shoot(&gui, "plan-similar");
  ase_session_undo(gui.session);
  gui_pass(0.1);
  g_assert_false(says(&gui, "are nearly the same pose"));
  gui_click(&gui, "Add a hold");
  g_assert_cmpuint(ase_session_plan(gui.session)->joint[5].n_holds, ==, holds + 1);
  ase_session_undo(gui.session);
  g_assert_cmpuint(ase_session_plan(gui.session)->joint[5].n_holds, ==, holds);
  gui_close(&gui);
}

static bool has_passed(Gui *gui) {
  return gui_state(gui, ASE_STEP_PLAN) == ASE_STATE_PASSED;
}

/* The score of joint 6. */
static double propose(Gui *gui) {
  gui_open(gui, application, "puma560-truth2", SLOWLY);
  show_page(gui, "plan");
  gui_do(gui, ASE_STEP_PLAN, 60.0);
  return ase_session_forecast(gui->session)->score[5];
}

/* A plan by hand is forecast anew; undo brings back the proposed one, with its forecast. */
static void test_undo(void) {
  Gui gui;
  const double proposed = propose(&gui);
  const double from = ase_session_plan(gui.session)->joint[5].from;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(gui.session), sizeof *edits);
  edits->plan.joint[5].from = 0.0;
  ase_session_set_edits(gui.session, edits, "sweep");
  g_assert_true(says(&gui, "the forecast is due again"));
  gui_wait(has_passed, &gui, 10.0, "the forecast of the plan by hand");
  g_assert_cmpfloat(ase_session_forecast(gui.session)->score[5], >, proposed);
  ase_session_undo(gui.session);
  gui_wait(has_passed, &gui, 10.0, "the forecast after undo");
  g_assert_cmpfloat(ase_session_forecast(gui.session)->score[5], ==, proposed);
  g_assert_true(ase_session_edits(gui.session)->is_proposed);
  g_assert_false(says(&gui, "due again"));

  edits->plan.joint[5].from = from;
  edits->is_proposed = true;
  edits->itinerary.warm_up_s += 60.0;
  ase_session_set_edits(gui.session, edits, "way"); /* it might be another proposal now */
  gui_pass(1.0);
  g_assert_cmpint(gui_state(&gui, ASE_STEP_PLAN), ==, ASE_STATE_STALE);
  ase_session_undo(gui.session); /* what was forecast twice already */
  gui_wait(has_passed, &gui, 10.0, "the forecast after another undo");
  gui_close(&gui);
}

/* A plan that has passed shows its forecast, and no step is done for it. */
static void test_reopened(void) {
  Gui gui;
  g_autoptr(GError) error = NULL;
  const double proposed = propose(&gui);
  g_autofree char *path = g_strdup(ase_session_path(gui.session));
  gui_close(&gui);

  gui.session = aui_session_open(path, NULL, &error);
  g_assert_no_error(error);
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  show_page(&gui, "plan");
  gui_wait(has_forecast, &gui, 10.0, "the forecast of the plan in the file");
  g_assert_cmpfloat(ase_session_forecast(gui.session)->score[5], ==, proposed);
  gui_pass(1.0); /* longer than the page waits before it has the step done */
  g_assert_cmpint(gui_state(&gui, ASE_STEP_PLAN), ==, ASE_STATE_PASSED);
  g_assert_false(says(&gui, "…"));
  gui_shoot(&gui, "plan-reopened-light");
  gui_close(&gui);
}

/* ---- ports ---- */

static bool look_for_path(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (ADW_IS_ENTRY_ROW(widget) && gtk_widget_get_mapped(widget))
    *found = widget;
  return !*found;
}

static void open_path(Gui *gui, const char *path) {
  GtkWidget *entry = NULL;
  gui_walk(gui->window, look_for_path, &entry);
  g_assert_nonnull(entry);
  gtk_editable_set_text(GTK_EDITABLE(entry), path);
  g_signal_emit_by_name(entry, "apply");
}

static bool is_connected(Gui *gui) {
  return ase_device_link(ase_session_device(gui->session)) == ASE_LINK_READY;
}

static bool is_silent(Gui *gui) {
  return says(gui, "The port is open, but nothing answers.");
}

/* A pseudo-terminal whose other end nobody reads, by a name of its own. */
typedef struct {
  char *folder, *path, *device;
  int master;
} Silent;

static void silent_open(Silent *silent) {
  silent->folder = g_dir_make_tmp("armature-port-XXXXXX", NULL);
  silent->path = g_build_filename(silent->folder, "arm", NULL);
  silent->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint(silent->master, >=, 0);
  g_assert_cmpint(grantpt(silent->master), ==, 0);
  g_assert_cmpint(unlockpt(silent->master), ==, 0);
  silent->device = g_strdup(ptsname(silent->master));
}

static void silent_close(Silent *silent) {
  g_unlink(silent->path), g_rmdir(silent->folder);
  g_free(silent->folder), g_free(silent->path), g_free(silent->device);
  close(silent->master);
}

static bool is_unplugged(Gui *gui) {
  return says(gui, "The device was unplugged.");
}

static bool is_back(Gui *gui) {
  return is_connected(gui) && !is_unplugged(gui);
}

static void test_troubles(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", BRISKLY);
  show_page(&gui, "connect");
  gui_shoot(&gui, "connect-light");
  open_path(&gui, "/dev/ttyUSB77");
  g_assert_true(says(&gui, "This device is not plugged in."));
  g_assert_true(gtk_widget_is_sensitive(gui_button(&gui, "Connect when it is there")));
  gui_shoot(&gui, "connect-unplugged");
  gui_click(&gui, "Connect when it is there");
  gui_button(&gui, "Waiting for it…");
  open_path(&gui, "/dev/null");
  g_assert_true(says(&gui, "This cannot be used as a port."));
  g_assert_true(is_connected(&gui)); /* still the simulator */

  const AioCommand pull = {.kind = AIO_COMMAND_TEST,
                           .test = {.kind = WIRE_TEST_UNPLUG, .duration_ms = UNPLUGGED_MS}};
  ase_device_send(ase_session_device(gui.session), &pull, NULL, NULL);
  gui_wait(is_unplugged, &gui, 5.0, "the pulled cable to be noticed");
  gui_shoot(&gui, "connect-lost");
  gui_wait(is_back, &gui, 10.0, "the cable to be plugged in again");
  gui_click(&gui, "Disconnect");
  gui_pass(0.7);
  g_assert_true(says(&gui, "Not connected: choose"));
  gui_close(&gui);
}

/* Busy, then free; not there, then there: connected by itself; and nobody answers. */
static void test_waiting(void) {
  Gui gui;
  Silent silent;
  gui_open(&gui, application, "puma560-truth2", SLOWLY);
  show_page(&gui, "connect");
  silent_open(&silent);
  const int holder = open(silent.device, O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint(flock(holder, LOCK_EX | LOCK_NB), ==, 0);
  open_path(&gui, silent.device);
  g_assert_true(says(&gui, "Another program uses this port."));
  gui_shoot(&gui, "connect-busy");
  close(holder);

  open_path(&gui, silent.path);
  g_assert_true(says(&gui, "This device is not plugged in."));
  gui_click(&gui, "Connect when it is there");
  gui_pass(1.2);
  g_assert_true(says(&gui, "This device is not plugged in."));
  g_assert_cmpint(symlink(silent.device, silent.path), ==, 0);
  gui_wait(is_silent, &gui, 20.0, "that nothing answers");
  gui_shoot(&gui, "connect-silent");
  gui_close(&gui);
  silent_close(&silent);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/arm", test_arm);
  g_test_add_func("/ui/free-range", test_free_range);
  g_test_add_func("/ui/plan", test_plan);
  g_test_add_func("/ui/numbers", test_numbers);
  g_test_add_func("/ui/holds", test_holds);
  g_test_add_func("/ui/undo", test_undo);
  g_test_add_func("/ui/reopened", test_reopened);
  g_test_add_func("/ui/troubles", test_troubles);
  g_test_add_func("/ui/waiting", test_waiting);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
