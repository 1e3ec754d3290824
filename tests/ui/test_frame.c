/* SPDX-License-Identifier: MIT */
/* What is around the pages: the next button, files, the keyboard, settings, help. */
#include <glib/gstdio.h>
#include <string.h>

#include "gui.h"
#include "support/support.h"
#include "ui/connect/recent.h"
#include "ui/done_notice.h"
#include "ui/export/export.h"
#include "ui/focus.h"
#include "ui/kit/format.h"
#include "ui/kit/settings.h"
#include "ui/manual.h"
#include "ui/next.h"
#include "ui/preferences.h"
#include "ui/sweep/page_sweep.h"
#include "ui/tour.h"

static AuiApplication *application;

static bool see_label(GtkWidget *widget, void *data) {
  if (GTK_IS_LABEL(widget))
    g_string_append_printf(data, "%s\n", gtk_label_get_text(GTK_LABEL(widget)));
  return true;
}

static char *next_text(Gui *gui) {
  GString *text = g_string_new(NULL);
  gui_walk(aui_window_part(AUI_WINDOW(gui->window), AUI_PART_NEXT), see_label, text);
  return g_string_free(text, FALSE);
}

/* With the file of another arm it is connected, and what is wrong is said. */
static void test_next_other_arm(void) {
  Gui gui;
  g_autoptr(GError) error = NULL;
  g_autofree char *arm = NULL;
  gui_open(&gui, application, "planar2r", 20.0);
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/scara.arm.json"), &arm, NULL, NULL));
  g_assert_true(ase_session_set_arm(gui.session, arm, &error));
  gui_pass(0.1);
  g_autofree char *text = next_text(&gui);
  g_assert_nonnull(strstr(text, "See what does not fit"));
  g_assert_nonnull(strstr(text, "the controller has 2 joints, the arm file 4"));
  gui_shoot(&gui, "next-other-arm");
  gui_close(&gui);
}

/* ---- the keyboard ---- */

static void test_focus(void) {
  const gint64 s = G_USEC_PER_SEC;
  AuiFocus focus = {0};
  guint left = 7;
  g_assert_cmpint(aui_focus_update(&focus, true, true, 10, 1 * s, &left), ==, AUI_FOCUS_FINE);
  g_assert_cmpuint(left, ==, 0);
  g_assert_cmpint(aui_focus_update(&focus, true, false, 10, 2 * s, &left), ==, AUI_FOCUS_INACTIVE);
  g_assert_cmpuint(left, ==, 10);
  g_assert_cmpint(aui_focus_update(&focus, true, false, 10, 11 * s, &left), ==, AUI_FOCUS_INACTIVE);
  g_assert_cmpuint(left, ==, 1);
  g_assert_cmpint(aui_focus_update(&focus, true, false, 10, 12 * s, &left), ==, AUI_FOCUS_HALT);
  g_assert_cmpint(aui_focus_update(&focus, false, false, 10, 13 * s, &left), ==, AUI_FOCUS_FINE);
  /* the time begins anew with every return */
  g_assert_cmpint(aui_focus_update(&focus, true, false, 10, 20 * s, &left), ==, AUI_FOCUS_INACTIVE);
  g_assert_cmpint(aui_focus_update(&focus, true, true, 10, 25 * s, &left), ==, AUI_FOCUS_FINE);
  g_assert_cmpint(aui_focus_update(&focus, true, false, 10, 31 * s, &left), ==, AUI_FOCUS_INACTIVE);
  /* 0: never */
  g_assert_cmpint(aui_focus_update(&focus, true, false, 0, 999 * s, &left), ==, AUI_FOCUS_INACTIVE);
  g_assert_cmpuint(left, ==, 0);
}

static void test_done_notice(void) {
  const gint64 s = G_USEC_PER_SEC;
  g_assert_true(aui_done_notice_is_due(5 * s, 25 * s, false));
  g_assert_false(aui_done_notice_is_due(5 * s, 25 * s, true));
  g_assert_false(aui_done_notice_is_due(6 * s, 25 * s, false));
  g_assert_false(aui_done_notice_is_due(0, 99 * s, false));
}

/* ---- files ---- */

static void test_kind(void) {
  g_assert_cmpint(aui_file_kind("/a/puma.arm.json"), ==, AUI_FILE_ARM);
  g_assert_cmpint(aui_file_kind("/a/PUMA.ARM.JSON"), ==, AUI_FILE_ARM);
  g_assert_cmpint(aui_file_kind("/a/puma.params.json"), ==, AUI_FILE_PARAMETERS);
  g_assert_cmpint(aui_file_kind("/a.csv/b"), ==, AUI_FILE_SESSION);
  g_assert_cmpint(aui_file_kind("b.csv"), ==, AUI_FILE_RECORDING);
  g_assert_cmpint(aui_file_kind("b.armsession"), ==, AUI_FILE_SESSION);
  g_assert_cmpint(aui_file_kind("b.armature"), ==, AUI_FILE_SESSION); /* the ending before */
}

static void test_recent(void) {
  g_autofree char *folder = g_dir_make_tmp("armature-recent-XXXXXX", NULL);
  g_settings_reset(aui_settings(), "recent");
  for (int k = 0; k < AUI_RECENT_MAX + 3; k++) {
    g_autofree char *path = g_strdup_printf("%s/%d", folder, k);
    g_assert_true(g_file_set_contents(path, "", 0, NULL));
    aui_recent_add(path, "an_arm", 1000 + k);
  }
  g_autofree char *again = g_strdup_printf("%s/%d", folder, AUI_RECENT_MAX);
  aui_recent_add(again, "another", 5000);
  g_autoptr(GPtrArray) list = aui_recent_list();
  g_assert_cmpuint(list->len, ==, AUI_RECENT_MAX);
  g_assert_cmpstr(((AuiRecent *)list->pdata[0])->path, ==, again);
  g_assert_cmpstr(((AuiRecent *)list->pdata[0])->arm, ==, "another");
  for (guint k = 1; k < list->len; k++)
    g_assert_cmpstr(((AuiRecent *)list->pdata[k])->path, !=, again);
  g_remove(again);
  g_autoptr(GMenuModel) menu = aui_recent_menu();
  g_assert_cmpint(g_menu_model_get_n_items(menu), ==, AUI_RECENT_MAX - 1);
  g_autofree char *label = NULL;
  g_menu_model_get_item_attribute(menu, 0, "label", "s", &label);
  g_assert_true(g_str_has_prefix(label, "an__arm, "));
  g_settings_reset(aui_settings(), "recent");
}

/* With a file dialog GLib's table of quarks grows, and the old one is left. */
#ifndef __SANITIZE_ADDRESS__
static GtkFileChooser *open_chooser(void) {
  g_autoptr(GList) windows = gtk_window_list_toplevels();
  for (GList *at = windows; at; at = at->next)
    if (GTK_IS_FILE_CHOOSER(at->data) && gtk_widget_get_mapped(at->data))
      return at->data;
  return NULL;
}

static const char *wanted;

static bool is_asked(Gui *gui) {
  (void)gui;
  return open_chooser() != NULL;
}

/* The dialog reads the folder first. */
static bool is_selected(Gui *gui) {
  (void)gui;
  g_autoptr(GFile) file = gtk_file_chooser_get_file(open_chooser());
  g_autofree char *path = file ? g_file_get_path(file) : NULL;
  return g_strcmp0(path, wanted) == 0;
}

static bool is_answered(Gui *gui) {
  return !is_asked(gui);
}

/* In the dialog that this button opens. */
static void choose(Gui *gui, const char *label, const char *path) {
  g_autoptr(GFile) file = g_file_new_for_path(path);
  wanted = path;
  gui_click(gui, label);
  gui_wait(is_asked, gui, 5.0, "the file dialog");
  g_assert_true(gtk_file_chooser_set_file(open_chooser(), file, NULL));
  gui_wait(is_selected, gui, 5.0, "the file in it");
  gtk_dialog_response(GTK_DIALOG(open_chooser()), GTK_RESPONSE_ACCEPT);
  gui_wait(is_answered, gui, 5.0, "its end");
}

static void test_arm_files(void) {
  Gui gui;
  g_autofree char *file = g_build_filename(g_get_user_data_dir(), "mine.arm.json", NULL);
  gui_open(&gui, application, "planar2r", 20.0);
  aui_window_show_page(AUI_WINDOW(gui.window), "arm");
  choose(&gui, "Open…", test_source_path("data/robots/puma560-truth2.arm.json"));
  g_assert_cmpuint(ase_session_arm(gui.session)->model.n, ==, 6);
  g_assert_true(aio_arm_save(ase_session_arm(gui.session), file, true, NULL));
  gui_pass(0.7); /* the window looks twice a second what can be undone */
  gtk_widget_activate_action(gui.window, "session.undo", NULL);
  g_assert_cmpuint(ase_session_arm(gui.session)->model.n, ==, 2);
  choose(&gui, "Open…", file);
  g_assert_cmpuint(ase_session_arm(gui.session)->model.n, ==, 6);
  gui_close(&gui);
}

#endif

static void test_files(void) {
  Gui gui;
  g_autoptr(GError) error = NULL;
  g_autofree char *copy = g_build_filename(g_get_user_data_dir(), "copy.armsession", NULL);
  const char *what = NULL;
  gui_open(&gui, application, "planar2r", 20.0);
  const char *own = ase_session_path(gui.session);
  g_assert_false(aui_session_save_copy(gui.session, own, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  for (int again = 0; again < 2; again++) {
    g_assert_true(aui_session_save_copy(gui.session, copy, &error));
    g_assert_no_error(error);
  }
  g_assert_true(aui_session_replace_arm(
      gui.session, test_source_path("data/robots/puma560-truth2.arm.json"), &error));
  g_assert_no_error(error);
  g_assert_cmpuint(ase_session_arm(gui.session)->model.n, ==, 6);
  g_assert_true(ase_session_can_undo(gui.session, &what));
  gui_pass(0.7); /* the window looks twice a second what can be undone */
  gtk_widget_activate_action(gui.window, "session.undo", NULL);
  g_assert_cmpuint(ase_session_arm(gui.session)->model.n, ==, 2);

  /* the one that is written can be read meanwhile, and says why it is only read */
  g_autofree char *notice = NULL;
  AseSession *other = aui_session_open(own, &notice, &error);
  g_assert_no_error(error);
  g_assert_true(ase_session_is_read_only(other));
  g_assert_cmpuint(strlen(notice), >, 10);
  GtkWidget *window = aui_window_new(ADW_APPLICATION(application), other);
  aui_window_notice(AUI_WINDOW(window), notice);
  g_assert_nonnull(strstr(aui_window_notice_text(AUI_WINDOW(window)), notice));
  /* a stranger's name neither makes the window higher than the screen nor turns a number round */
  aui_window_notice(AUI_WINDOW(window), "a\nb\u202e 0.12");
  g_assert_true(
      g_str_has_suffix(aui_window_notice_text(AUI_WINDOW(window)), "a\\u000ab\\u202e 0.12"));
  gtk_window_present(GTK_WINDOW(window));
  aui_window_show_page(AUI_WINDOW(window), "connect");
  gui_pass(0.2);
  Gui reader = {.session = other, .window = window};
  g_assert_false(gtk_widget_is_sensitive(gui_button(&reader, "Connect")));
  gtk_window_destroy(GTK_WINDOW(window));
  g_object_unref(other);
  gui_close(&gui);

  AseSession *opened = aui_session_open(copy, NULL, &error);
  g_assert_no_error(error);
  g_assert_false(ase_session_is_read_only(opened));
  g_assert_cmpuint(ase_session_arm(opened)->model.n, ==, 2);
  g_object_unref(opened);
  g_remove(copy);
}

/* ---- windows beside the session's ---- */

/* Esc in a window of any origin halts. */
static void test_windows(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  GtkWindow *const windows[] = {aui_preferences_new(), aui_manual_new("safety"),
                                GTK_WINDOW(gtk_window_new()), GTK_WINDOW(adw_about_window_new())};
  for (gsize k = 0; k < G_N_ELEMENTS(windows); k++) {
    Gui beside = {.session = gui.session, .window = GTK_WIDGET(windows[k])};
    gtk_window_set_modal(windows[k], false); /* as the application shows them */
    gtk_window_present(windows[k]);
    gui_pass(0.2);
    g_autofree char *name = g_strdup_printf("beside-%zu", k);
    gui_shoot(&beside, name);
    gui_arm(&gui);
    gui_press(&beside, GDK_KEY_Escape, 0);
    gui_wait(gui_is_not_armed, &gui, 2.0, "the hold");
    gtk_window_destroy(windows[k]);
  }
  gui_close(&gui);
}

static void test_manual(void) {
  guint n = 0;
  for (const AuiTopic *topic; (topic = aui_manual_topic(n)); n++)
    for (guint k = 0; k < n; k++)
      g_assert_cmpstr(aui_manual_topic(k)->key, !=, topic->key);
  g_assert_cmpuint(n, >=, 5);
}

static void test_tour(void) {
  Gui gui;
  g_settings_reset(aui_settings(), "tour-seen");
  gui_open(&gui, application, "planar2r", 20.0);
  aui_tour_start(AUI_WINDOW(gui.window));
  for (int k = 0; k < 4; k++) {
    gui_pass(0.05);
    gui_click(&gui, "Go on");
  }
  g_assert_false(g_settings_get_boolean(aui_settings(), "tour-seen"));
  gui_click(&gui, "Begin");
  g_assert_true(g_settings_get_boolean(aui_settings(), "tour-seen"));
  aui_tour_start(AUI_WINDOW(gui.window)); /* which the window takes with it */
  gui_close(&gui);
}

static void test_settings(void) {
  const char *unit;
  g_settings_set_string(aui_settings(), "angle", "radians");
  aui_format_angle(&unit);
  g_assert_cmpstr(unit, ==, "rad");
  g_autofree char *text = aui_format_joint(ARM_JOINT_R, 0.5);
  g_assert_cmpstr(text, ==, "0.500 rad");
  g_settings_set_string(aui_settings(), "colours", "dark");
  g_assert_cmpint(adw_style_manager_get_color_scheme(adw_style_manager_get_default()), ==,
                  ADW_COLOR_SCHEME_FORCE_DARK);
  g_settings_reset(aui_settings(), "angle");
  g_settings_reset(aui_settings(), "colours");
  aui_format_angle(&unit);
  g_assert_cmpstr(unit, ==, "deg");
}

/* ---- six clicks ---- */

static bool is_rested(Gui *gui) {
  const AseNext next = ase_session_next(gui->session);
  return next != ASE_NEXT_WAIT && next != ASE_NEXT_FIT && next != ASE_NEXT_VALIDATE;
}

static void click_next(Gui *gui, guint *clicks) {
  GtkWidget *button = gui_next_button(gui);
  while (!gui_can_use(button)) /* it rests a second when its meaning has changed */
    gui_pass(0.05);
  g_signal_emit_by_name(button, "clicked");
  ++*clicks;
  gui_pass(0.1);
}

/* Plan, arm, dry run, sweep (which fits and validates): the fifth click asks for the file, the
 * sixth saves it. */
static bool find_sweep_page(GtkWidget *widget, void *data) {
  if (AUI_IS_PAGE_SWEEP(widget))
    *(GtkWidget **)data = widget;
  return *(GtkWidget **)data == NULL;
}

/* The arm was followed to the last sweep, which is for the validation: it stays to be seen. */
static void check_last_sweep(Gui *gui) {
  GtkWidget *page = NULL;
  aui_window_show_page(AUI_WINDOW(gui->window), "sweep");
  gui_pass(0.2);
  gui_walk(gui->window, find_sweep_page, &page);
  g_assert_nonnull(page);
  const GPtrArray *runs = ase_session_runs(gui->session);
  const AseRun *last = runs->pdata[runs->len - 1];
  const AuiCurves *curves = aui_page_sweep_curves(AUI_PAGE_SWEEP(page));
  g_assert_cmpint(last->purpose, ==, ASE_PURPOSE_VALIDATE);
  g_assert_cmpuint(curves->joint, ==, last->joint);
  g_assert_cmpuint(curves->hold, ==, last->hold);
  g_assert_cmpuint(curves->curves->len, ==, 1);
}

static void test_clicks(void) {
  Gui gui;
  g_autoptr(GError) error = NULL;
  guint clicks = 0;
  gui_open(&gui, application, "planar2r", 40.0);
  gui_hurry(&gui);
  gui_do(&gui, ASE_STEP_CHECK, 10.0); /* the edit made it stale */
  while (gui_state(&gui, ASE_STEP_VALIDATE) != ASE_STATE_PASSED) {
    click_next(&gui, &clicks);
    if (clicks == 2)
      gui_wait(gui_is_armed, &gui, 5.0, "arming");
    gui_wait(is_rested, &gui, 120.0, "what the button began");
    g_assert_cmpuint(clicks, <=, 4);
  }
  g_test_message("%u clicks", clicks);
  check_last_sweep(&gui);
  g_assert_cmpuint(clicks, ==, 4);
  g_assert_cmpint(ase_session_next(gui.session), ==, ASE_NEXT_EXPORT);
  g_assert_false(gui_is_armed(&gui)); /* else the dialog would be refused */
  gui_shoot(&gui, "next-export");
  g_autofree char *path = g_build_filename(g_get_user_data_dir(), "p.json", NULL);
  aui_export_write(gui.session, AUI_EXPORT_PARAMETERS, path, &error);
  g_assert_no_error(error);
  g_assert_cmpint(ase_session_next(gui.session), ==, ASE_NEXT_DONE);
  g_remove(path);
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/frame/next-other-arm", test_next_other_arm);
  g_test_add_func("/ui/frame/focus", test_focus);
  g_test_add_func("/ui/frame/done-notice", test_done_notice);
  g_test_add_func("/ui/frame/kind", test_kind);
  g_test_add_func("/ui/frame/recent", test_recent);
  g_test_add_func("/ui/frame/manual", test_manual);
  g_test_add_func("/ui/frame/settings", test_settings);
#ifndef __SANITIZE_ADDRESS__
  g_test_add_func("/ui/frame/arm-files", test_arm_files);
#endif
  g_test_add_func("/ui/frame/files", test_files);
  g_test_add_func("/ui/frame/tour", test_tour);
  g_test_add_func("/ui/frame/windows", test_windows);
  g_test_add_func("/ui/frame/clicks", test_clicks);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
