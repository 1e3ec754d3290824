/* SPDX-License-Identifier: MIT */
/* The window as a whole, on a simulated arm: steps, stops, names, and pictures of every page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gui.h"
#include "session/base/text.h"
#include "support/support.h"
#include "ui/export/export.h"
#include "ui/kit/ask.h"
#include "ui/kit/format.h"
#include "ui/kit/steps.h"
#include "wire/message.h"

static AuiApplication *application;

/* ---- what is waited for ---- */

static bool is_off(Gui *gui) {
  return !ase_device_state(ase_session_device(gui->session))->drives_on;
}

static bool is_unlocked(Gui *gui) {
  return ase_device_lockout_s(ase_session_device(gui->session)) <= 0.0 &&
         gui_can_use(gui_button(gui, "Arm"));
}

/* ---- icons and names ---- */

typedef struct {
  const char *icons[AUI_SCREENS];
  guint rows, unnamed;
} Seen;

static bool see_icon(GtkWidget *widget, void *data) {
  Seen *seen = data;
  if (GTK_IS_IMAGE(widget) && gtk_widget_get_ancestor(widget, GTK_TYPE_LIST_BOX_ROW)) {
    const char *name = gtk_image_get_icon_name(GTK_IMAGE(widget));
    if (name && g_str_has_prefix(name, "aui-") && seen->rows < AUI_SCREENS)
      seen->icons[seen->rows++] = name;
  }
  return true;
}

static void assert_icons(Gui *gui, const char *const *expected) {
  Seen seen = {.rows = 0};
  gui_walk(gui->window, see_icon, &seen);
  g_assert_cmpuint(seen.rows, ==, AUI_SCREENS);
  for (guint k = 0; k < AUI_SCREENS; k++) {
    g_autofree char *name = g_strdup_printf("aui-%s-symbolic", expected[k]);
    g_assert_cmpstr(seen.icons[k], ==, name);
  }
}

static bool is_interactive(GtkWidget *widget) {
  return GTK_IS_BUTTON(widget) || GTK_IS_MENU_BUTTON(widget) || GTK_IS_ENTRY(widget) ||
         GTK_IS_SPIN_BUTTON(widget) || GTK_IS_LIST_VIEW(widget) || GTK_IS_LIST_BOX(widget) ||
         GTK_IS_DROP_DOWN(widget) || GTK_IS_SCALE(widget) ||
         (GTK_IS_DRAWING_AREA(widget) && gtk_widget_get_focusable(widget));
}

/* Parts of GTK's and libadwaita's own widgets are theirs to name. */
static bool see_name(GtkWidget *widget, void *data) {
  Seen *seen = data;
  if (GTK_IS_WINDOW_CONTROLS(widget) || GTK_IS_POPOVER(widget) || ADW_IS_COMBO_ROW(widget))
    return false;
  if (!is_interactive(widget))
    return true;
  if (!gtk_test_accessible_has_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL) &&
      !gtk_test_accessible_has_relation(GTK_ACCESSIBLE(widget),
                                        GTK_ACCESSIBLE_RELATION_LABELLED_BY)) {
    seen->unnamed++;
    g_test_message("%s \"%s\" has no accessible label", G_OBJECT_TYPE_NAME(widget),
                   gtk_widget_get_name(widget));
  }
  return GTK_IS_LIST_BOX(widget) || GTK_IS_LIST_VIEW(widget);
}

/* ---- cases ---- */

static void test_stops(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", 20.0);
  assert_icons(&gui, (const char *const[]){"passed", "passed", "dot", "hollow", "hollow", "hollow",
                                           "hollow"});
  aui_window_show_page(AUI_WINDOW(gui.window), "plan");
  gui_pass(0.1);
  gui_click(&gui, "Propose a plan");
  g_assert_cmpint(gui_state(&gui, ASE_STEP_PLAN), ==, ASE_STATE_RUNNING);
  assert_icons(&gui, (const char *const[]){"passed", "passed", "running", "hollow", "hollow",
                                           "hollow", "hollow"});
  gui_until(&gui, ASE_STEP_PLAN, 120.0);
  assert_icons(&gui, (const char *const[]){"passed", "passed", "passed", "dot", "hollow", "hollow",
                                           "hollow"});

  gui_wait(is_unlocked, &gui, 5.0, "the button Arm");
  gui_click(&gui, "Arm");
  gui_wait(gui_is_armed, &gui, 5.0, "arming");
  gui_pass(0.3);
  gui_click(&gui, "Hold (Esc)");
  gui_wait(gui_is_not_armed, &gui, 2.0, "the hold");
  g_assert_true(ase_device_stopped_by(ase_session_device(gui.session)));

  gui_wait(is_unlocked, &gui, 10.0, "the end of the lock-out");
  gui_click(&gui, "Arm");
  gui_wait(gui_is_armed, &gui, 5.0, "arming again");
  gui_press(&gui, GDK_KEY_Escape, 0);
  gui_wait(gui_is_not_armed, &gui, 2.0, "the hold by Esc");
  g_assert_false(is_off(&gui));

  gui_wait(is_unlocked, &gui, 10.0, "the end of the lock-out");
  gui_click(&gui, "Arm");
  gui_wait(gui_is_armed, &gui, 5.0, "arming for the third time");
  gui_press(&gui, GDK_KEY_Escape, GDK_SHIFT_MASK);
  gui_wait(is_off, &gui, 2.0, "the drives to be off");
  gui_close(&gui);
}

/* ---- a controller that falls silent ---- */

typedef struct {
  const char *text;
  GtkWidget *label;
} Sought;

static bool see_text(GtkWidget *widget, void *data) {
  Sought *sought = data;
  if (GTK_IS_LABEL(widget) && g_str_has_prefix(gtk_label_get_text(GTK_LABEL(widget)), sought->text))
    sought->label = widget;
  return !sought->label;
}

static GtkWidget *find_text_in(GtkWidget *widget, const char *text) {
  Sought sought = {text, NULL};
  gui_walk(widget, see_text, &sought);
  return sought.label;
}

static GtkWidget *find_text(Gui *gui, const char *text) {
  return find_text_in(gui->window, text);
}

static bool is_silent(Gui *gui) {
  return find_text(gui, "ARMED, no answer") != NULL;
}

static bool is_heard(Gui *gui) {
  return !is_silent(gui);
}

static void on_planted(const AioReply *reply, void *ctx) {
  (void)reply, (void)ctx; /* it may be lost with all else */
}

/* What is shown is the last known, and says so, until it answers again. */
static void test_silent(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 1.0);
  gui_arm(&gui);
  gui_pass(0.4);
  g_assert_nonnull(find_text(&gui, "ARMED, "));
  g_assert_false(is_silent(&gui));
  const AioCommand mute = {
      .kind = AIO_COMMAND_TEST,
      .test = {.kind = WIRE_TEST_DROP_FRAMES, .value = 1000000, .duration_ms = 4000}};
  ase_device_send(ase_session_device(gui.session), &mute, on_planted, NULL);
  gui_wait(is_silent, &gui, 2.0, "the silence to be told");
  g_assert_true(gui_is_armed(&gui));
  GtkWidget *state = find_text(&gui, "ARMED, no answer");
  g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(state), "last that is known"));
  g_assert_true(
      gtk_test_accessible_has_property(GTK_ACCESSIBLE(state), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION));
  gui_shoot(&gui, "silent");
  gui_wait(is_heard, &gui, 5.0, "an answer");
  for (guint k = 0; k < 100 && gtk_widget_get_tooltip_text(state); k++)
    gui_pass(0.3); /* a round of the bar's timer */
  g_assert_null(gtk_widget_get_tooltip_text(state));
  gui_close(&gui);
}

/* Neither a click nor another leaves an armed arm behind, and the page says why. */
static void test_stays(void) {
  static const char *const buttons[] = {"Connect", "Disconnect"};
  static const char refusal[] = "the arm is armed; disarm it first";
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  AuiStrip *strip = aui_window_strip(AUI_WINDOW(gui.window));
  aui_window_show_page(AUI_WINDOW(gui.window), "connect");
  gui_arm(&gui);
  for (gsize k = 0; k < G_N_ELEMENTS(buttons); k++) {
    aui_strip_say(strip, 0, "");
    g_assert_null(find_text_in(GTK_WIDGET(strip), refusal));
    gui_click(&gui, buttons[k]);
    gui_pass(0.3);
    g_assert_nonnull(find_text_in(GTK_WIDGET(strip), refusal));
    g_assert_true(gui_is_armed(&gui));
  }
  gui_shoot(&gui, "stays");
  ase_device_disarm(ase_session_device(gui.session));
  gui_wait(gui_is_not_armed, &gui, 2.0, "disarming");
  gui_click(&gui, "Disconnect");
  g_assert_cmpint(ase_device_link(ase_session_device(gui.session)), ==, ASE_LINK_CLOSED);
  gui_close(&gui);
}

static void shoot_pages(Gui *gui, const char *arm, const char *look) {
  for (AuiScreen screen = 0; screen < AUI_SCREENS; screen++) {
    g_autofree char *name = g_strdup_printf("%s-%s-%s", arm, aui_screen_key(screen), look);
    aui_window_show_page(AUI_WINDOW(gui->window), aui_screen_key(screen));
    gui_pass(0.2);
    gui_shoot(gui, name);
  }
}

/* A name without an ending gets one, unless that would replace a file unasked. */
static void assert_path(const char *folder, const char *name, const char *ending,
                        const char *wanted) {
  g_autofree char *typed = g_build_filename(folder, name, NULL);
  g_autofree char *path = aui_ask_path(typed, ending);
  g_autofree char *is = g_path_get_basename(path);
  g_assert_cmpstr(is, ==, wanted);
}

static void assert_files(Gui *gui) {
  static const char *const names[] = {"planar-2r.params.json", "planar-2r.h", "planar-2r.csv"};
  g_autofree char *folder = g_dir_make_tmp("armature.ui-XXXXXX", NULL);
  for (AuiExport kind = AUI_EXPORT_PARAMETERS; kind < AUI_EXPORTS; kind++) {
    g_autoptr(GError) error = NULL;
    const char *ending = aui_export_ending(kind);
    g_autofree char *name = aui_export_file_name(gui->session, kind);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_cmpstr(name, ==, names[kind]);
    assert_path(folder, "planar-2r", ending, names[kind]);
    assert_path(folder, "any.name", ending, "any.name");
    g_autofree char *text = NULL;
    aui_export_write(gui->session, kind, path, &error);
    g_assert_no_error(error);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, kind == AUI_EXPORT_HEADER ? "_current(" : "kx_star"));
    assert_path(folder, "planar-2r", ending, "planar-2r");
    remove(path);
  }
  remove(folder);
  g_assert_cmpint(gui_state(gui, ASE_STEP_EXPORT), ==, ASE_STATE_PASSED);
}

static void test_calibration(void) {
  Gui gui;
  Seen seen = {.rows = 0};
  gui_open(&gui, application, "planar2r", 40.0);
  gui_hurry(&gui);
  gui_do(&gui, ASE_STEP_CHECK, 120.0);
  gui_do(&gui, ASE_STEP_PLAN, 120.0);
  gui_wait(is_unlocked, &gui, 5.0, "the button Arm");
  gui_click(&gui, "Arm");
  gui_wait(gui_is_armed, &gui, 5.0, "arming");
  gui_do(&gui, ASE_STEP_DRY_RUN, 120.0);
  gui_do(&gui, ASE_STEP_SWEEP, 120.0);
  gui_do(&gui, ASE_STEP_FIT, 120.0);
  gui_do(&gui, ASE_STEP_VALIDATE, 120.0);
  assert_files(&gui);
  assert_icons(&gui, (const char *const[]){"passed", "passed", "passed", "passed", "passed",
                                           "passed", "passed"});
  shoot_pages(&gui, "planar2r", "light");
  gui_walk(gui.window, see_name, &seen);
  g_assert_cmpuint(seen.unnamed, ==, 0);
  gui_close(&gui);
}

static void test_looks(void) {
  AdwStyleManager *style = adw_style_manager_get_default();
  Gui gui;
  Seen seen = {.rows = 0};
  gui_open(&gui, application, "puma560-truth2", 1.0);
  shoot_pages(&gui, "puma560", "light");
  gui_walk(gui.window, see_name, &seen);
  g_assert_cmpuint(seen.unnamed, ==, 0);
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK);
  gui_pass(0.5);
  shoot_pages(&gui, "puma560", "dark");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
  gtk_window_set_default_size(GTK_WINDOW(gui.window), 1920, 1080);
  gui_pass(0.5);
  shoot_pages(&gui, "puma560", "1920x1080");
  gui_close(&gui);
}

/* Within the window's 1280 x 800, whatever the page wants. */
static void test_size(void) {
  Gui gui;
  int width, height;
  gui_open(&gui, application, "puma560-truth2", 1.0);
  gtk_widget_measure(gui.window, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  gtk_widget_measure(gui.window, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  g_assert_cmpint(width, <=, 1280);
  g_assert_cmpint(height, <=, 800);
  g_assert_true(gui_is_whole(gui.window));
  aui_strip_toggle_log(aui_window_strip(AUI_WINDOW(gui.window)));
  gui_pass(0.5);
  gtk_widget_measure(gui.window, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  g_assert_cmpint(height, <=, 800);
  g_assert_true(gui_is_whole(gui.window));
  gui_close(&gui);
}

static bool has_failed(Gui *gui) {
  return gui_state(gui, ASE_STEP_CHECK) == ASE_STATE_FAILED;
}

/* An arm that is not as it should be is not armed, and the button tells why. */
static void test_unfit(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  GtkWidget *arm = gui_button(&gui, "Arm");
  g_assert_false(gtk_widget_get_sensitive(arm));
  g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(arm), "no plan"));
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  gui_pass(0.4);
  g_assert_true(gtk_widget_get_sensitive(arm));
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(gui.session), sizeof *edits);
  edits->low[1] = 0.5 * edits->low[1] + 0.5 * edits->high[1] + 0.3;
  ase_session_set_edits(gui.session, edits, "range");
  ase_session_start(gui.session, ASE_STEP_CHECK, NULL);
  gui_wait(has_failed, &gui, 5.0, "the check to fail");
  gui_pass(0.4);
  g_assert_false(gtk_widget_get_sensitive(arm));
  g_assert_cmpstr(gtk_widget_get_tooltip_text(arm), ==,
                  ase_step_reason(&ase_session_procedure(gui.session)->steps[ASE_STEP_CHECK]));
  gui_close(&gui);
}

static bool see_reason(GtkWidget *widget, void *data) {
  const char **part = data;
  if (GTK_IS_LABEL(widget) && *part && strstr(gtk_label_get_text(GTK_LABEL(widget)), *part))
    *part = NULL;
  return *part != NULL;
}

static void assert_seen(Gui *gui, const char *part) {
  const char *missing = part;
  gui_walk(gui->window, see_reason, &missing);
  if (missing)
    g_error("nobody says \"%s\"", part);
}

/* The controller's own gear ratio is another one than the arm file's: the list of steps and the
 * button say so, and nothing can be armed until one of the two is corrected. */
static void test_other_drive(void) {
  Gui gui;
  GError *error = NULL;
  g_autofree char *text = NULL;
  gui_open(&gui, application, "planar2r", 20.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/planar2r.arm.json"), &text, NULL, NULL));
  g_auto(GStrv) parts = g_strsplit(text, "\"gear_ratio\": 100,", 2);
  g_autofree char *other = g_strjoinv("\"gear_ratio\": 110,", parts);
  ase_session_set_arm(gui.session, other, &error);
  g_assert_no_error(error);
  ase_session_start(gui.session, ASE_STEP_CHECK, NULL);
  gui_wait(has_failed, &gui, 5.0, "the check to fail");
  gui_pass(0.4);
  assert_seen(&gui, "gear.ratio[1]: expected 110 as in the arm file, found 100 in the controller");
  GtkWidget *arm = gui_button(&gui, "Arm");
  g_assert_false(gtk_widget_get_sensitive(arm));
  gui_shoot(&gui, "other-drive");
  ase_session_undo(gui.session);
  gui_do(&gui, ASE_STEP_CHECK, 5.0);
  gui_close(&gui);
}

/* Started with a file that is no session, the program says so on the screen. */
static void test_bad_file(void) {
  GFile *file = g_file_new_for_path("/nowhere/none.armsession");
  g_application_open(G_APPLICATION(application), &file, 1, "");
  GList *windows = gtk_application_get_windows(GTK_APPLICATION(application));
  g_assert_nonnull(windows);
  GtkWindow *dialog = windows->data;
  g_assert_false(gtk_window_get_modal(dialog));
  g_assert_nonnull(strstr(adw_message_dialog_get_body(ADW_MESSAGE_DIALOG(dialog)), "none"));
  gtk_window_destroy(dialog);
  g_object_unref(file);
}

static void assert_fixed(double value, const char *expected) {
  g_autofree char *text = aui_format_fixed(value, 2);
  g_assert_cmpstr(text, ==, expected);
}

static void test_format(void) {
  static const struct {
    double value, sd;
    const char *text;
  } cases[] = {{0.02213, 0.00164, "0.0221(16)"},
               {-12.345, 1.5, "-12.3(15)"},
               {0.8016, 0.00996, "0.802(10)"},
               {1234.0, 45.0, "1234(45)"},
               {1.5e-10, 2.0e-11, "1.50(20)e-10"},
               {1.5, 1.0e-12, "1.5000000000000(10)"},
               {-2.5e-7, 3.0e-18, "-2.500000000000(30)e-7"},
               {1.5, 1.0e-17, "1.5"},
               {DBL_MAX, 1.0e-300, "1.79769313486232e+308"},
               {5.0e-324, 5.0e-324, "4.94065645841247e-324"},
               {2.5, NAN, "2.5"},
               {NAN, 1.0, "-"}};
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    g_autofree char *text = aui_format_estimate(cases[k].value, cases[k].sd);
    g_assert_cmpstr(text, ==, cases[k].text);
  }
  g_autofree char *tenths =
      g_strdup_printf("%.1f %.1f", ase_text_tenths(-0.04), ase_text_tenths(-0.06));
  g_assert_cmpstr(tenths, ==, "0.0 -0.1");
  g_autofree char *at_rest = aui_format_joint(ARM_JOINT_R, -1e-6);
  g_assert_cmpstr(at_rest, ==, "0.0 deg");
  assert_fixed(-0.0049, "0.00");
  assert_fixed(-0.0051, "-0.01");
  assert_fixed((double)NAN, "-");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/format", test_format);
  g_test_add_func("/ui/stops", test_stops);
  g_test_add_func("/ui/silent", test_silent);
  g_test_add_func("/ui/stays", test_stays);
  g_test_add_func("/ui/looks", test_looks);
  g_test_add_func("/ui/size", test_size);
  g_test_add_func("/ui/bad-file", test_bad_file);
  g_test_add_func("/ui/unfit", test_unfit);
  g_test_add_func("/ui/other-drive", test_other_drive);
  g_test_add_func("/ui/calibration", test_calibration);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
