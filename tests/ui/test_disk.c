/* SPDX-License-Identifier: MIT */
/* A window whose session's file cannot be written: it says so as long as that lasts, arms nothing,
 * and is not closed unasked. */
#include <glib/gstdio.h>
#include <string.h>

#include "gui.h"
#include "support/file_limit.h"
#include "ui/kit/settings.h"

static AuiApplication *application;

static bool has_failed(Gui *gui) {
  return ase_session_disk_failure(gui->session) != NULL;
}

static bool has_recovered(Gui *gui) {
  return !has_failed(gui);
}

static bool can_arm(Gui *gui) {
  return gtk_widget_is_sensitive(gui_button(gui, "Arm"));
}

static bool is_unlocked(Gui *gui) {
  return ase_device_lockout_s(ase_session_device(gui->session)) <= 0.0;
}

static const char *notice(Gui *gui) {
  return aui_window_notice_text(AUI_WINDOW(gui->window));
}

static bool is_noticed(Gui *gui) {
  return strstr(notice(gui), "The session goes on in") != NULL;
}

static bool see_message(GtkWidget *widget, void *data) {
  const char *part = *(const char **)data;
  if (GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), part))
    *(const char **)data = "";
  return *part != '\0';
}

static bool is_said_next(Gui *gui, const char *part) {
  const char *sought = part;
  gui_walk(aui_window_part(AUI_WINDOW(gui->window), AUI_PART_NEXT), see_message, &sought);
  return *sought == '\0';
}

static bool can_next(Gui *gui) {
  return gui_can_use(gui_next_button(gui));
}

static void open_on_full_disk(Gui *gui) {
  gui_open(gui, application, "planar2r", 20.0);
  gui_do(gui, ASE_STEP_PLAN, 60.0);
  gui_wait(can_next, gui, 5.0, "the next button");
  gui_arm(gui);
  test_limit_files(1 << 14);
  gui_wait(has_failed, gui, 10.0, "the disk to be full");
  gui_wait(gui_is_not_armed, gui, 5.0, "the hold");
  gui_wait(is_unlocked, gui, 10.0, "the end of the lock-out");
  gui_pass(0.6);
}

/* The notice, the two ways to arm, and both as before when there is space. */
static void test_state(void) {
  Gui gui;
  open_on_full_disk(&gui);
  g_assert_nonnull(strstr(notice(&gui), "free some space"));
  g_assert_false(can_arm(&gui));
  g_assert_cmpstr(gtk_widget_get_tooltip_text(gui_button(&gui, "Arm")), ==,
                  ase_session_disk_failure(gui.session));
  g_assert_false(can_next(&gui));
  g_assert_true(is_said_next(&gui, "cannot be written"));
  test_limit_files(0);
  gui_wait(has_recovered, &gui, 10.0, "space");
  g_assert_cmpstr(notice(&gui), ==, "");
  gui_wait(can_arm, &gui, 10.0, "the end of the lock-out");
  gui_wait(can_next, &gui, 5.0, "the next button again");
  gtk_window_close(GTK_WINDOW(gui.window));
  g_assert_null(gui_question());
  gui_pass(0.1);
  gui_end_session(&gui);
}

/* Asked once, at Close and at Quit; only the answer loses anything. */
static void test_close(void) {
  Gui gui;
  AioRecorderStatus status;
  open_on_full_disk(&gui);
  gtk_window_close(GTK_WINDOW(gui.window));
  GtkWindow *asked = gui_question();
  g_assert_nonnull(asked);
  g_assert_false(gtk_window_get_modal(asked));
  gtk_window_close(GTK_WINDOW(gui.window));
  g_assert_true(gui_question() == asked);
  g_assert_true(ase_session_recording(gui.session, &status));
  g_assert_cmpuint(status.samples_waiting, >, 0);
  gtk_window_close(asked); /* keeps it open */
  gui_pass(0.1);
  g_assert_null(gui_question());
  g_action_group_activate_action(G_ACTION_GROUP(application), "quit", NULL);
  asked = gui_question();
  g_assert_nonnull(asked);
  g_assert_true(gtk_widget_get_visible(gui.window));
  g_assert_true(ase_session_recording(gui.session, &status));
  adw_message_dialog_response(ADW_MESSAGE_DIALOG(asked), "close");
  gui_pass(0.1);
  test_limit_files(0);
  g_assert_null(gtk_application_get_windows(GTK_APPLICATION(application)));
  gui_end_session(&gui);
}

static bool is_rescued(Gui *gui) {
  return ase_session_rescued(gui->session) && !has_failed(gui);
}

/* A file that was deleted is told of also when the session goes on in another one, until the
 * notice is closed. */
static void test_deleted(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  g_autofree char *old = g_strdup(ase_session_path(gui.session));
  g_assert_cmpint(g_unlink(old), ==, 0);
  gui_wait(is_rescued, &gui, 10.0, "the rescue");
  gui_wait(is_noticed, &gui, 10.0, "the notice");
  g_assert_nonnull(strstr(notice(&gui), old));
  g_assert_nonnull(strstr(notice(&gui), ase_session_path(gui.session)));
  g_assert_nonnull(strstr(notice(&gui), "Nothing is lost."));
  gui_shoot(&gui, "rescued");
  gui_pass(1.2); /* more than a round of the window's timer */
  g_assert_true(is_noticed(&gui));
  aui_window_notice(AUI_WINDOW(gui.window), "");
  gui_pass(1.2);
  g_assert_false(is_noticed(&gui));
  gui_close(&gui);
}

/* A folder in which nothing can be written is no reason to open no window. */
static void test_place(void) {
  g_settings_set_string(aui_settings(), "session-folder", "/dev/null/sessions");
  g_action_group_activate_action(G_ACTION_GROUP(application), "new", NULL);
  Gui gui = {.window = GTK_WIDGET(gtk_application_get_active_window(GTK_APPLICATION(application)))};
  g_assert_true(AUI_IS_WINDOW(gui.window));
  gui.session = aui_window_session(AUI_WINDOW(gui.window));
  g_autofree char *folder = g_path_get_dirname(ase_session_path(gui.session));
  g_assert_true(g_str_has_prefix(folder, g_get_user_data_dir()));
  g_assert_nonnull(strstr(notice(&gui), "/dev/null/sessions"));
  g_assert_nonnull(strstr(notice(&gui), folder));
  gui_shoot(&gui, "elsewhere");
  g_object_add_weak_pointer(G_OBJECT(gui.session), (gpointer *)&gui.session);
  gtk_window_close(GTK_WINDOW(gui.window));
  g_settings_reset(aui_settings(), "session-folder");
  gui_pass(0.2);
  g_assert_null(gui.session);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/disk/state", test_state);
  g_test_add_func("/ui/disk/close", test_close);
  g_test_add_func("/ui/disk/deleted", test_deleted);
  g_test_add_func("/ui/disk/place", test_place);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
