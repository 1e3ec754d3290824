/* SPDX-License-Identifier: MIT */
/* Where a technician starts and starts again: latched faults, recent sessions, sessions from a
 * recording, undo, the unit of angles. */
#include <math.h>
#include <string.h>

#include "gui.h"
#include "recorded.h"
#include "support/support.h"
#include "ui/arm/arm_edit.h"
#include "ui/arm/free_range.h"
#include "ui/connect/recent.h"
#include "ui/connect/recent_list.h"
#include "ui/kit/format.h"
#include "ui/kit/settings.h"
#include "ui/kit/steps.h"
#include "ui/next.h"
#include "ui/plan/plan_edit.h"

static AuiApplication *application;

static bool has_faults(Gui *gui) {
  return ase_device_state(ase_session_device(gui->session))->faults != 0;
}

static bool has_no_faults(Gui *gui) {
  return !has_faults(gui);
}

/* ---- Power off, Clear faults, Arm ---- */

static const char *next_hint(Gui *gui) {
  return gtk_label_get_text(GTK_LABEL(gtk_widget_get_prev_sibling(gui_next_button(gui))));
}

static bool can_clear(Gui *gui) {
  return gtk_widget_is_sensitive(gui_button(gui, "Clear faults"));
}

static bool can_arm(Gui *gui) {
  return gui_can_use(gui_button(gui, "Arm"));
}

static bool can_next(Gui *gui) {
  return gui_can_use(gui_next_button(gui));
}

static void power_off(Gui *gui) {
  gui_click(gui, "Power off (arm may fall)");
  gui_wait(has_faults, gui, 2.0, "the fault");
  gui_pass(0.05);
  gui_wait(can_clear, gui, 5.0, "the end of the lock-out");
}

static void test_clear(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  aui_window_show_page(AUI_WINDOW(gui.window), "sweep");
  gui_pass(0.1);
  power_off(&gui);
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: clear the faults");
  g_assert_nonnull(strstr(next_hint(&gui), "KILL"));
  g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(gui_button(&gui, "Clear faults")), "KILL"));
  gui_shoot(&gui, "latched");
  /* by the keyboard; a second press at once does not arm */
  GtkWidget *button = gui_button(&gui, "Clear faults");
  g_assert_true(gtk_widget_grab_focus(button));
  gtk_widget_activate(button);
  gui_wait(has_no_faults, &gui, 2.0, "no fault");
  gui_pass(0.05);
  g_assert_false(can_arm(&gui));
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: arm");
  gui_wait(can_arm, &gui, 5.0, "Arm");
  gui_click(&gui, "Arm");
  gui_wait(gui_is_armed, &gui, 5.0, "arming");
  /* the same by the button that is next */
  power_off(&gui);
  gui_wait(can_next, &gui, 5.0, "the next button");
  g_signal_emit_by_name(gui_next_button(&gui), "clicked");
  gui_wait(has_no_faults, &gui, 2.0, "no fault again");
  g_assert_false(can_next(&gui));
  gui_wait(can_next, &gui, 5.0, "the next button");
  g_assert_false(gui_is_armed(&gui));
  g_signal_emit_by_name(gui_next_button(&gui), "clicked");
  gui_wait(gui_is_armed, &gui, 5.0, "arming again");
  gui_close(&gui);
}

/* ---- how long it takes ---- */

typedef struct {
  const char *text;
  guint *count;
} Place;

static bool count_said(GtkWidget *widget, void *data) {
  const Place *said = data;
  if (GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), said->text))
    ++*said->count;
  return true;
}

static guint places_that_say(Gui *gui, const char *text) {
  guint count = 0;
  Place said = {text, &count};
  gui_walk(gui->window, count_said, &said);
  return count;
}

static void note_time(AseSession *session, double *left_s) {
  AseClock clock;
  g_assert_true(ase_session_clock(session, &clock));
  *left_s = clock.left_s;
}

/* Strip and page say the same, between the legs too, and the plan promised as much: time on the
 * wall. */
static void test_clock(void) {
  Gui gui;
  double left_s = NAN, before_s = NAN;
  AseClock clock;
  gui_open(&gui, application, "planar2r", 4.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  g_assert_false(ase_session_clock(gui.session, &clock));
  const double whole_s = ase_session_itinerary(gui.session)->duration_s;
  g_assert_cmpfloat_with_epsilon(ase_session_wall_s(gui.session, whole_s), whole_s / 4.0, 1e-9);
  g_autofree char *promise = aui_format_duration(whole_s / 4.0);
  g_assert_cmpuint(places_that_say(&gui, promise), >=, 1);
  gui_arm(&gui);
  gui_start(&gui, ASE_STEP_DRY_RUN);
  g_signal_connect(gui.session, "clock", G_CALLBACK(note_time), &left_s);
  for (guint k = 0; k < 200 && !(left_s < before_s); k++) {
    before_s = left_s;
    gui_pass(0.05);
  }
  g_assert_cmpfloat(left_s, <, before_s);
  g_autofree char *time = aui_format_duration(left_s);
  g_autofree char *text = g_strdup_printf("%s left", time);
  g_assert_cmpuint(places_that_say(&gui, text), ==, 2);
  g_signal_handlers_disconnect_by_func(gui.session, note_time, &left_s);
  ase_session_cancel(gui.session);
  gui_close(&gui);
}

/* ---- recent sessions ---- */

static bool find_list(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (AUI_IS_RECENT_LIST(widget))
    *found = widget;
  return !*found;
}

static bool find_row(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (!*found && ADW_IS_ACTION_ROW(widget))
    *found = widget;
  return !*found;
}

static bool count_row(GtkWidget *widget, void *data) {
  *(guint *)data += ADW_IS_ACTION_ROW(widget);
  return !ADW_IS_ACTION_ROW(widget);
}

typedef struct {
  const char *text;
  bool is_there;
} Said;

static bool see_label(GtkWidget *widget, void *data) {
  Said *said = data;
  said->is_there |=
      GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), said->text);
  return gtk_widget_get_mapped(widget);
}

static GtkWidget *list_of(Gui *gui) {
  GtkWidget *list = NULL;
  gui_walk(gui->window, find_list, &list);
  return list;
}

static bool has_state(Gui *gui) {
  Said said = {"Arm: passed", false};
  gui_walk(list_of(gui), see_label, &said);
  return said.is_there;
}

static char *make_session(void) {
  g_autoptr(GError) error = NULL;
  AseSession *session = aui_session_new(test_source_path("data/robots/planar2r.arm.json"), &error);
  g_assert_no_error(error);
  char *path = g_strdup(ase_session_path(session));
  g_assert_true(ase_session_close(session, &error));
  g_object_unref(session);
  return path;
}

static guint windows(void) {
  return g_list_length(gtk_application_get_windows(GTK_APPLICATION(application)));
}

static void test_recent(void) {
  Gui gui;
  GtkWidget *row = NULL;
  guint rows = 0;
  g_settings_reset(aui_settings(), "recent");
  gui_open(&gui, application, "planar2r", 20.0);
  g_assert_false(gtk_widget_get_visible(list_of(&gui)));
  aui_recent_add(ase_session_path(gui.session), "own", 1000);
  g_assert_false(gtk_widget_get_visible(list_of(&gui)));
  for (guint k = 0; k < AUI_RECENT_SHOWN + 1; k++) {
    g_autofree char *path = make_session();
    aui_recent_add(path, "planar_2r", 1000 + k);
  }
  g_assert_true(gtk_widget_get_visible(list_of(&gui)));
  gui_walk(list_of(&gui), count_row, &rows);
  g_assert_cmpuint(rows, ==, AUI_RECENT_SHOWN);
  Said said = {"planar_2r, ", false};
  gui_walk(list_of(&gui), see_label, &said);
  g_assert_true(said.is_there);
  gui_wait(has_state, &gui, 5.0, "how far it came");
  gui_shoot(&gui, "recent");
  gui_walk(list_of(&gui), find_row, &row);
  const guint before = windows();
  g_signal_emit_by_name(row, "activate");
  g_assert_cmpuint(windows(), ==, before + 1);
  GtkWindow *opened = gtk_application_get_windows(GTK_APPLICATION(application))->data;
  if (GTK_WIDGET(opened) != gui.window)
    gtk_window_destroy(opened);
  g_settings_reset(aui_settings(), "recent");
  gui_close(&gui);
}

/* ---- looked at ---- */

/* Every page of a session, and no byte of its file is another. */
static void test_look(void) {
  static const char *const pages[] = {"connect", "arm",      "plan",  "sweep",
                                      "fit",     "validate", "export"};
  g_autoptr(GError) error = NULL;
  g_autofree char *path = make_session(), *before = NULL, *after = NULL, *notice = NULL;
  g_autofree char *log = g_strconcat(path, "-wal", NULL), *lock = g_strconcat(path, ".lock", NULL);
  gsize n_before = 0, n_after = 0;
  g_assert_true(g_file_get_contents(path, &before, &n_before, NULL));
  AseSession *session = aui_session_open(path, &notice, &error);
  g_assert_no_error(error);
  GtkWidget *window = aui_window_new(ADW_APPLICATION(application), session);
  gtk_window_present(GTK_WINDOW(window));
  for (guint k = 0; k < G_N_ELEMENTS(pages); k++) {
    aui_window_show_page(AUI_WINDOW(window), pages[k]);
    gui_pass(0.2);
  }
  g_assert_true(g_file_test(lock, G_FILE_TEST_EXISTS));
  g_assert_false(g_file_test(log, G_FILE_TEST_EXISTS));
  gtk_window_destroy(GTK_WINDOW(window));
  gui_pass(0.1);
  ase_session_close(session, &error);
  g_assert_no_error(error);
  g_object_unref(session);
  g_assert_false(g_file_test(lock, G_FILE_TEST_EXISTS));
  g_assert_true(g_file_get_contents(path, &after, &n_after, NULL));
  g_assert_cmpmem(after, n_after, before, n_before);
}

/* ---- from a recording ---- */

static void assert_said(GtkWidget *window, const char *text) {
  Said said = {text, false};
  gui_walk(aui_window_part(AUI_WINDOW(window), AUI_PART_STEPS), see_label, &said);
  if (!said.is_there)
    g_error("no step says \"%s\"", text);
}

static void test_recorded(void) {
  Recorded recorded;
  recorded_init(&recorded, NULL);
  GtkWidget *window = aui_window_new(ADW_APPLICATION(application), recorded.session);
  Gui gui = {.session = recorded.session, .window = window};
  gtk_window_present(GTK_WINDOW(window));
  gui_shoot(&gui, "from-a-recording");
  assert_said(window, "Pose and limits: from a recording");
  assert_said(window, "Sweep: from a recording");
  Said said = {"passed", false};
  gui_walk(aui_window_part(AUI_WINDOW(window), AUI_PART_STEPS), see_label, &said);
  g_assert_false(said.is_there);
  gtk_window_destroy(GTK_WINDOW(window));
  gui_pass(0.1);
  recorded_clear(&recorded);
}

/* ---- undo ---- */

static bool find_undo(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_BUTTON(widget) &&
      g_strcmp0(gtk_actionable_get_action_name(GTK_ACTIONABLE(widget)), "session.undo") == 0)
    *found = widget;
  return !*found;
}

static void test_undo(void) {
  Gui gui;
  g_autoptr(GError) error = NULL;
  GtkWidget *undo = NULL;
  gui_open(&gui, application, "planar2r", 20.0);
  gui_walk(gui.window, find_undo, &undo);
  g_assert_false(gtk_widget_is_sensitive(undo));
  aui_session_replace_arm(gui.session, test_source_path("data/robots/puma560-truth2.arm.json"),
                          &error);
  g_assert_no_error(error);
  g_assert_true(gtk_widget_is_sensitive(undo)); /* at once */
  g_signal_emit_by_name(undo, "clicked");
  g_assert_cmpuint(ase_session_arm(gui.session)->model.n, ==, 2);
  g_assert_false(gtk_widget_is_sensitive(undo));
  gui_close(&gui);
}

/* ---- units ---- */

static void assert_near(double found, double expected) {
  g_assert_cmpfloat_with_epsilon(found, expected, 1e-12);
}

/* What is typed where angles are shown in rad. */
static void test_typed(void) {
  g_autoptr(GError) error = NULL;
  g_autofree AseEdits *edits = g_new0(AseEdits, 1);
  AioArm *arm = aio_arm_load(test_source_path("data/robots/planar2r.arm.json"), &error);
  g_assert_no_error(error);
  ase_edits_init(edits, &arm->model);
  aui_format_use_radians(true);
  g_assert_true(aui_speeds_set(edits, "0.5 1", &error));
  g_assert_true(aui_way_set(arm, edits, AUI_WAY_SPEED, "0.25", &error));
  g_assert_true(aui_free_set(arm, edits, 0, true, "1.5", &error));
  g_assert_no_error(error);
  g_autofree char *speeds = aui_speeds_text(edits), *way = aui_way_text(arm, edits, AUI_WAY_SPEED);
  g_autofree char *high = aui_free_text(arm, edits, 0, true);
  g_autofree char *unit = aui_arm_field_unit(arm, AUI_ARM_ACCEL);
  g_autofree char *limit = aui_arm_text(arm, 0, AUI_ARM_SPEED);
  aui_format_use_radians(false);
  g_assert_cmpstr(speeds, ==, "0.5 1");
  g_assert_cmpstr(way, ==, "0.25");
  g_assert_cmpstr(high, ==, "1.5");
  g_assert_cmpstr(unit, ==, "rad/s²");
  g_assert_cmpfloat_with_epsilon(g_strtod(limit, NULL), arm->model.joints[0].limits.speed_max,
                                 1e-5);
  assert_near(edits->speeds_R[0], 0.5);
  assert_near(edits->speeds_T[1], 1e-3 * 180.0 / G_PI); /* mm/s as deg/s */
  assert_near(edits->itinerary.move_speed_R, 0.25);
  assert_near(edits->high[0], 1.5);
  g_assert_false(aui_speeds_set(edits, "0.5 x", &error));
  aio_arm_free(arm);
}

static bool see_choice(GtkWidget *widget, void *data) {
  Said *said = data;
  GListModel *model =
      GTK_IS_DROP_DOWN(widget) ? gtk_drop_down_get_model(GTK_DROP_DOWN(widget)) : NULL;
  for (guint k = 0; GTK_IS_STRING_LIST(model) && k < g_list_model_get_n_items(model); k++)
    said->is_there |=
        strstr(gtk_string_list_get_string(GTK_STRING_LIST(model), k), said->text) != NULL;
  return true;
}

static bool is_said(Gui *gui, const char *text) {
  Said said = {text, false};
  gui_walk(gui->window, see_label, &said);
  return said.is_there;
}

static bool is_offered(Gui *gui, const char *text) {
  Said said = {text, false};
  gui_walk(gui->window, see_choice, &said);
  return said.is_there;
}

static void show(Gui *gui, const char *page) {
  aui_window_show_page(AUI_WINDOW(gui->window), page);
  gui_pass(0.2);
}

/* Another unit reaches what is shown, and what is shown later. */
static void test_units(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  show(&gui, "sweep");
  g_assert_true(is_offered(&gui, " deg/s"));
  show(&gui, "arm");
  g_assert_true(is_said(&gui, "deg/s²"));
  g_settings_set_string(aui_settings(), "angle", "radians");
  gui_pass(0.2);
  gui_shoot(&gui, "radians-arm");
  g_assert_true(is_said(&gui, "rad/s²"));
  g_assert_false(is_said(&gui, "deg/s²"));
  show(&gui, "plan");
  gui_shoot(&gui, "radians-plan");
  g_assert_true(is_said(&gui, "Speeds, rad/s"));
  show(&gui, "sweep");
  gui_shoot(&gui, "radians-sweep");
  g_assert_true(is_offered(&gui, " rad/s"));
  g_assert_false(is_offered(&gui, " deg/s"));
  g_settings_reset(aui_settings(), "angle");
  gui_pass(0.2);
  g_assert_true(is_offered(&gui, " deg/s"));
  show(&gui, "plan");
  g_assert_true(is_said(&gui, "Speeds, deg/s"));
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/start/undo", test_undo);
  g_test_add_func("/ui/start/recorded", test_recorded);
  g_test_add_func("/ui/start/clock", test_clock);
  g_test_add_func("/ui/start/recent", test_recent);
  g_test_add_func("/ui/start/look", test_look);
  g_test_add_func("/ui/start/clear", test_clear);
  g_test_add_func("/ui/start/typed", test_typed);
  g_test_add_func("/ui/start/units", test_units);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
