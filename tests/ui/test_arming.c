/* SPDX-License-Identifier: MIT */
/* Arming is a deliberate act. A controller at a pseudo-terminal is as real as one can be here; the
 * pointer and the keyboard are the X server's. */
#include <signal.h>
#include <string.h>

#include "gui.h"
#include "outside.h"
#include "ui/kit/press_button.h"
#include "ui/next.h"

static AuiApplication *application;

static bool hears(Gui *gui) {
  return !aui_press_button_is_deaf(AUI_PRESS_BUTTON(gui_next_button(gui)));
}

static bool is_unlocked(Gui *gui) {
  return ase_device_lockout_s(ase_session_device(gui->session)) <= 0.0 && hears(gui);
}

static bool runs(Gui *gui) {
  return gui_state(gui, ASE_STEP_DRY_RUN) == ASE_STATE_RUNNING;
}

static bool see_text(GtkWidget *widget, void *data) {
  const char **sought = data;
  if (*sought && GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), *sought))
    *sought = NULL;
  return *sought != NULL;
}

static bool is_shown(Gui *gui, const char *text) {
  gui_walk(gui->window, see_text, &text);
  return !text;
}

static void answer(const char *label) {
  Gui dialog = {.window = GTK_WIDGET(gui_question())};
  gui_click(&dialog, label);
  gui_pass(0.2);
}

static void open_planned(Outside *arm, Gui *gui) {
  outside_start(arm, "planar2r", 1.0);
  outside_open(arm, gui, application);
  gui_do(gui, ASE_STEP_PLAN, 60.0);
  gui_wait(hears, gui, 5.0, "the next button");
}

static void close_both(Outside *arm, Gui *gui) {
  gui_close(gui);
  outside_stop(arm);
}

static void test_pointer(void) {
  Outside arm;
  Gui gui;
  open_planned(&arm, &gui);
  g_assert_cmpstr(gui_next_label(&gui), ==, "Hold to arm");
  outside_point(&gui, gui_next_button(&gui));
  outside_do("click --repeat 2 --delay 60 1");
  gui_pass(1.5);
  g_assert_false(gui_is_armed(&gui));
  g_assert_true(is_shown(&gui, "Not armed: keep the button pressed for a second."));
  g_assert_null(gui_question());
  /* pressed, but slipped off before the second was over */
  outside_do("mousedown 1");
  gui_pass(0.3);
  outside_do("mousemove_relative 0 -200");
  gui_pass(1.5);
  g_assert_false(gui_is_armed(&gui));
  outside_do("mouseup 1");
  outside_point(&gui, gui_next_button(&gui));
  outside_do("mousedown 1");
  gui_wait(gui_is_armed, &gui, 5.0, "the arm to be armed");
  outside_do("mouseup 1");
  /* what it means has changed: the double-click that was begun starts nothing */
  outside_do("click --repeat 2 --delay 60 1");
  gui_pass(0.3);
  g_assert_false(runs(&gui));
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: dry run");
  gui_wait(hears, &gui, 5.0, "the next button again");
  outside_do("click 1");
  gui_wait(runs, &gui, 5.0, "the dry run");
  close_both(&arm, &gui);
}

/* One press is one act: what it is let go on, when the button has another meaning and its second of
 * rest is over, is not pressed. */
static void test_long_pointer(void) {
  Outside arm;
  Gui gui;
  open_planned(&arm, &gui);
  outside_point(&gui, gui_next_button(&gui));
  outside_do("mousedown 1");
  gui_wait(gui_is_armed, &gui, 5.0, "the arm to be armed");
  gui_wait(hears, &gui, 5.0, "the next button again");
  gui_pass(0.3);
  outside_do("mouseup 1");
  gui_pass(0.5);
  g_assert_false(runs(&gui));
  g_assert_true(gui_is_armed(&gui));
  ase_device_disarm(ase_session_device(gui.session));
  gui_wait(gui_is_not_armed, &gui, 5.0, "the arm not to be armed");
  gui_wait(is_unlocked, &gui, 10.0, "the end of the lock-out");
  GtkWidget *bar = gui_button(&gui, "Arm");
  outside_point(&gui, bar);
  gui_pass(1.2);
  outside_do("mousedown 1");
  gui_wait(gui_is_armed, &gui, 5.0, "the arm to be armed by the bar");
  gui_pass(1.5);
  outside_do("mouseup 1");
  gui_pass(0.5);
  g_assert_true(gui_is_armed(&gui));
  outside_do("click 1");
  gui_wait(gui_is_not_armed, &gui, 5.0, "a click that disarms");
  close_both(&arm, &gui);
}

/* The button came to mean another thing under a press that needed not be long. */
static void test_changed_under(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  gui_wait(hears, &gui, 5.0, "the next button");
  outside_point(&gui, gui_next_button(&gui));
  outside_do("mousedown 1");
  gui_pass(0.2);
  gui_arm(&gui);
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: dry run");
  gui_wait(hears, &gui, 5.0, "the next button again");
  outside_do("mouseup 1");
  gui_pass(0.5);
  g_assert_false(runs(&gui));
  gui_close(&gui);
}

/* xdotool's server repeats a key that stays down, as any. */
static void test_keyboard(void) {
  Outside arm;
  Gui gui;
  open_planned(&arm, &gui);
  outside_point(&gui, gui.window);
  g_assert_true(gtk_widget_grab_focus(gui_next_button(&gui)));
  outside_do("key --delay 60 Return Return space");
  gui_pass(1.5);
  g_assert_false(gui_is_armed(&gui));
  g_assert_null(gui_question());
  outside_do("keydown space");
  gui_wait(gui_is_armed, &gui, 5.0, "the arm to be armed");
  gui_pass(1.5); /* it still repeats */
  g_assert_false(runs(&gui));
  outside_do("keyup space");
  gui_pass(0.1);
  outside_do("key Return");
  gui_wait(runs, &gui, 5.0, "the dry run");
  close_both(&arm, &gui);
}

static void type_name(Gui *gui, const char *name) {
  GtkWindow *asked = gui_question();
  g_assert_nonnull(asked);
  g_assert_false(gtk_window_get_modal(asked));
  GtkWidget *entry = adw_message_dialog_get_extra_child(ADW_MESSAGE_DIALOG(asked));
  gtk_editable_set_text(GTK_EDITABLE(entry), name);
  (void)gui;
}

static bool may_arm(void) {
  return adw_message_dialog_get_response_enabled(ADW_MESSAGE_DIALOG(gui_question()), "arm");
}

/* What assistive technology calls "activate" asks for the name; on both buttons that arm. */
static void test_name(void) {
  Outside arm;
  Gui gui;
  open_planned(&arm, &gui);
  GtkWidget *const buttons[] = {gui_next_button(&gui), gui_button(&gui, "Arm")};
  for (gsize k = 0; k < G_N_ELEMENTS(buttons); k++) {
    gui_wait(is_unlocked, &gui, 10.0, "the end of the lock-out");
    while (!gui_can_use(buttons[k]))
      gui_pass(0.05);
    gtk_widget_activate(buttons[k]);
    gtk_widget_activate(buttons[k]);
    gui_pass(1.2);
    g_assert_false(gui_is_armed(&gui));
    type_name(&gui, "planar");
    g_assert_false(may_arm());
    Gui dialog = {.window = GTK_WIDGET(gui_question())};
    gui_shoot(&dialog, "arming-name");
    type_name(&gui, ase_session_arm(gui.session)->name);
    g_assert_true(may_arm());
    answer("_Arm it");
    gui_wait(gui_is_armed, &gui, 5.0, "arming by name");
    g_assert_null(gui_question());
    ase_device_halt(ase_session_device(gui.session));
    gui_wait(gui_is_not_armed, &gui, 5.0, "the hold");
  }
  close_both(&arm, &gui);
}

static void test_no_plan(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  gui_pass(0.5);
  GtkWidget *button = gui_button(&gui, "Arm");
  g_assert_false(gtk_widget_is_sensitive(button));
  g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(button), "no plan"));
  g_signal_emit_by_name(button, "clicked");
  gui_pass(0.5);
  g_assert_false(gui_is_armed(&gui));
  gui_close(&gui);
}

/* The simulator in the program is armed by a click, and of a double-click only the first counts. */
static void test_simulator(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  gui_wait(hears, &gui, 5.0, "the next button");
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: arm");
  outside_point(&gui, gui_next_button(&gui));
  outside_do("click --repeat 2 --delay 60 1");
  gui_wait(gui_is_armed, &gui, 5.0, "arming");
  const gint64 begun_us = g_get_monotonic_time();
  outside_do("click 1");
  const double clicked_s = 1e-6 * (double)(g_get_monotonic_time() - begun_us);
  g_usleep(1200000); /* the main loop hangs for longer than the button rests */
  const double hung_s = 1e-6 * (double)(g_get_monotonic_time() - begun_us);
  gui_pass(0.4);
  g_assert_true(!runs(&gui) || clicked_s > 0.8); /* a slow machine clicks when the rest is over */
  /* a click that takes a slow machine that long costs the lease of 2 s, last renewed before it */
  g_assert_true(gui_is_armed(&gui) || hung_s > 1.4);
  gui_close(&gui);
}

static const char *asked_heading(void) {
  return adw_message_dialog_get_heading(ADW_MESSAGE_DIALOG(gui_question()));
}

/* The question says what the arm does now, and stays when nothing could move any more. */
static void test_close_stopped(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 1.0);
  gui_arm(&gui);
  gtk_window_close(GTK_WINDOW(gui.window));
  g_assert_nonnull(strstr(asked_heading(), "is armed"));
  ase_device_disarm(ase_session_device(gui.session));
  gui_wait(gui_is_not_armed, &gui, 5.0, "the end of arming");
  g_assert_nonnull(strstr(asked_heading(), "not move any more"));
  Gui dialog = {.window = GTK_WIDGET(gui_question())};
  gui_shoot(&dialog, "arming-close-stopped");
  answer("_Hold and close");
  gui_pass(0.3);
  g_assert_null(gtk_application_get_windows(GTK_APPLICATION(application)));
  gui_end_session(&gui);
}

static void test_close(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 1.0);
  gui_arm(&gui);
  gtk_window_close(GTK_WINDOW(gui.window));
  g_assert_nonnull(gui_question());
  answer("_Cancel");
  gui_pass(0.1);
  g_assert_null(gui_question());
  g_assert_true(gui_is_armed(&gui));
  g_action_group_activate_action(G_ACTION_GROUP(application), "quit", NULL);
  g_assert_nonnull(gui_question());
  Gui dialog = {.window = GTK_WIDGET(gui_question())};
  gui_shoot(&dialog, "arming-close");
  answer("_Hold and close");
  gui_pass(0.3);
  g_assert_null(gtk_application_get_windows(GTK_APPLICATION(application)));
  gui_end_session(&gui);
}

static bool has_no_window(Gui *gui) {
  (void)gui;
  return !gtk_application_get_windows(GTK_APPLICATION(application));
}

/* Ctrl-C, logging out, a terminal that closes: held and disarmed by command, the file closed. */
static void test_signal(gconstpointer data) {
  Outside arm;
  Gui gui;
  open_planned(&arm, &gui);
  gui_arm(&gui);
  gui_start(&gui, ASE_STEP_DRY_RUN);
  gui_wait(runs, &gui, 5.0, "the dry run");
  gui_pass(0.5);
  g_autofree char *log = g_strconcat(ase_session_path(gui.session), "-wal", NULL);
  g_assert_true(g_file_test(log, G_FILE_TEST_EXISTS));
  raise(GPOINTER_TO_INT(data));
  gui_wait(has_no_window, &gui, 5.0, "the end of the windows");
  gui_end_session(&gui);
  g_assert_false(g_file_test(log, G_FILE_TEST_EXISTS));
  outside_open(&arm, &gui, application);
  const AioState *state = ase_device_state(ase_session_device(gui.session));
  g_assert_false(gui_is_armed(&gui));
  g_assert_cmpuint(state->faults, ==, 0); /* its lease did not end */
  close_both(&arm, &gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/arming/no-plan", test_no_plan);
  g_test_add_func("/ui/arming/simulator", test_simulator);
  g_test_add_func("/ui/arming/pointer", test_pointer);
  g_test_add_func("/ui/arming/long-pointer", test_long_pointer);
  g_test_add_func("/ui/arming/changed-under", test_changed_under);
  g_test_add_func("/ui/arming/keyboard", test_keyboard);
  g_test_add_func("/ui/arming/name", test_name);
  g_test_add_func("/ui/arming/close", test_close);
  g_test_add_func("/ui/arming/close-stopped", test_close_stopped);
  g_test_add_data_func("/ui/arming/signal/int", GINT_TO_POINTER(SIGINT), test_signal);
  g_test_add_data_func("/ui/arming/signal/term", GINT_TO_POINTER(SIGTERM), test_signal);
  g_test_add_data_func("/ui/arming/signal/hup", GINT_TO_POINTER(SIGHUP), test_signal);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
