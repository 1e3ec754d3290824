/* SPDX-License-Identifier: MIT */
/* A cable that is pulled in mid-sweep, a controller that falls silent, drives that are switched
 * off: a banner says it, with the one button that helps, and goes when it is over. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gui.h"
#include "outside.h"
#include "ui/arm/arm_view.h"
#include "ui/banner.h"
#include "ui/connect/connection.h"
#include "ui/kit/strip.h"
#include "ui/sweep/page_sweep.h"
#include "wire/frame.h"
#include "wire/message.h"

static AuiApplication *application;

static bool find_banner(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (AUI_IS_BANNER(widget))
    *found = widget;
  return !*found;
}

static const char *banner(Gui *gui) {
  GtkWidget *found = NULL;
  gui_walk(gui->window, find_banner, &found);
  g_assert_nonnull(found);
  return aui_banner_text(AUI_BANNER(found));
}

static bool is_told(Gui *gui) {
  return *banner(gui) != '\0';
}

static bool is_over(Gui *gui) {
  return !is_told(gui);
}

static bool find_page(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (AUI_IS_PAGE_SWEEP(widget))
    *found = widget;
  return !*found;
}

static const AuiCurves *shown(Gui *gui) {
  GtkWidget *page = NULL;
  gui_walk(gui->window, find_page, &page);
  return aui_page_sweep_curves(AUI_PAGE_SWEEP(page));
}

static guint curves(Gui *gui) {
  return shown(gui)->curves->len;
}

/* The first of its five speeds is measured, the next one runs: the page will not soon go to a hold
 * that has no curve yet, as it does when what was under way has ended. */
static bool is_amid_hold(Gui *gui) {
  return curves(gui) == 1 && shown(gui)->live;
}

static void assert_wide(Gui *gui) {
  GtkWidget *found = NULL;
  gui_walk(gui->window, find_banner, &found);
  g_assert_cmpint(gtk_widget_get_width(found), ==, gtk_widget_get_width(gui->window));
}

static bool find_view(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (AUI_IS_ARM_VIEW(widget) && gtk_widget_get_mapped(widget))
    *found = widget;
  return !*found;
}

/* The arm is drawn in another pose than zero. */
static bool is_drawn(Gui *gui) {
  GtkWidget *found = NULL;
  gui_walk(gui->window, find_view, &found);
  g_assert_nonnull(found);
  const double *q = aui_arm_view_pose(AUI_ARM_VIEW(found));
  return fabs(q[0]) + fabs(q[1]) > 0.0;
}

static void test_cable(void) {
  Outside arm;
  Gui gui;
  outside_start(&arm, "planar2r", 20.0);
  outside_open(&arm, &gui, application);
  g_assert_cmpstr(banner(&gui), ==, "");
  gui_hurry(&gui);
  gui_do(&gui, ASE_STEP_CHECK, 60.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  gui_arm(&gui);
  gui_do(&gui, ASE_STEP_DRY_RUN, 120.0);
  aui_window_show_page(AUI_WINDOW(gui.window), "sweep");
  gui_start(&gui, ASE_STEP_SWEEP);
  gui_wait(is_amid_hold, &gui, 60.0, "a curve, and the next one");
  gui_wait(is_drawn, &gui, 5.0, "the arm's pose");
  gui_wait(is_amid_hold, &gui, 60.0, "a curve of the hold by now, and the next one");
  outside_pull(&arm);
  gui_wait(is_told, &gui, 5.0, "the banner");
  gui_pass(0.5);
  g_assert_nonnull(strstr(banner(&gui), "The link was lost"));
  g_assert_true(gtk_widget_is_sensitive(gui_button(&gui, "Reconnect")));
  g_assert_cmpuint(curves(&gui), >, 0);
  g_assert_true(is_drawn(&gui));
  assert_wide(&gui);
  gui_shoot(&gui, "banner-cable");
  outside_plug(&arm);
  gui_wait(is_over, &gui, 20.0, "the banner to go");
  gui_pass(0.5);
  g_assert_cmpuint(curves(&gui), >, 0);
  gui_shoot(&gui, "banner-over");
  const char *reason = ase_step_reason(&ase_session_procedure(gui.session)->steps[ASE_STEP_SWEEP]);
  g_assert_nonnull(strstr(reason, "the link was lost, and is there again"));
  g_assert_null(strstr(reason, "connect again"));
  gui_close(&gui);
  outside_stop(&arm);
}

static void test_power_off(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  ase_device_power_off(ase_session_device(gui.session));
  gui_wait(is_told, &gui, 5.0, "the banner");
  g_assert_nonnull(strstr(banner(&gui), "switched off"));
  gui_pass(0.2);
  adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
  gui_pass(3.0);
  gui_shoot(&gui, "banner-power-off-dark");
  adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
  GtkWidget *found = NULL;
  gui_walk(gui.window, find_banner, &found);
  Gui inside = {.window = found};
  gui_click(&inside, "Clear faults");
  gui_wait(is_over, &gui, 5.0, "the banner to go");
  gui_close(&gui);
}

/* ---- silence ---- */

/* As recorded from another program: it takes the session away, and with it the telemetry. */
static void send_hello(const Outside *arm) {
  guint8 payload[WIRE_SIZE_HELLO], bytes[1 + WIRE_FRAME_MAX] = {WIRE_DELIMITER};
  const WireHello hello = {.major = WIRE_VERSION, .minor = 1, .host_id = 7};
  const WireHeader header = {WIRE_VERSION, WIRE_TYPE_HELLO, 40000, 0};
  wire_hello_put(payload, &hello);
  const gsize n = 1 + wire_frame_encode(bytes + 1, &header, payload, sizeof payload);
  const int fd = open(arm->port, O_WRONLY | O_NOCTTY);
  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(write(fd, bytes, n), ==, (gssize)n);
  close(fd);
}

static void press(Gui *gui, const char *label) {
  GtkWidget *found = NULL;
  gui_walk(gui->window, find_banner, &found);
  gui_click(&(Gui){.window = found}, label);
}

static bool is_ready(Gui *gui) {
  return ase_device_link(ase_session_device(gui->session)) == ASE_LINK_READY;
}

static bool can_go_on(Gui *gui) {
  return gui_can_use(gui_next_button(gui));
}

static bool cannot_go_on(Gui *gui) {
  return !can_go_on(gui);
}

static void fall_silent(Outside *arm, Gui *gui) {
  kill(arm->pid, SIGSTOP);
  gui_wait(is_told, gui, 5.0, "the banner");
  g_assert_nonnull(strstr(banner(gui), "fallen silent"));
}

/* The port is open already, by this very program. */
static void reconnect(Outside *arm, Gui *gui) {
  press(gui, "Reconnect");
  g_assert_cmpint(ase_device_link(ase_session_device(gui->session)), ==, ASE_LINK_ASKING);
  kill(arm->pid, SIGCONT);
  gui_wait(is_ready, gui, 10.0, "the connection");
}

static bool see_message(GtkWidget *widget, void *data) {
  const char **text = data;
  if (GTK_IS_LABEL(widget) &&
      g_strcmp0(gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget)), "message") == 0)
    *text = gtk_label_get_text(GTK_LABEL(widget));
  return true;
}

/* The last one, at the bottom of the window. */
static const char *message(Gui *gui) {
  const char *text = NULL;
  gui_walk(GTK_WIDGET(aui_window_strip(AUI_WINDOW(gui->window))), see_message, &text);
  g_assert_nonnull(text);
  return text;
}

static void say(Gui *gui, const char *action, const char *text) {
  gtk_widget_activate_action(gui->window, action, "s", text);
  g_assert_cmpstr(message(gui), ==, text);
}

static bool is_checked(Gui *gui) {
  return gui_state(gui, ASE_STEP_CHECK) == ASE_STATE_PASSED;
}

static bool has_failed_check(Gui *gui) {
  return gui_state(gui, ASE_STEP_CHECK) == ASE_STATE_FAILED;
}

static void check_in_vain(Gui *gui) {
  gui_start(gui, ASE_STEP_CHECK);
  gui_wait(has_failed_check, gui, 10.0, "CHECK to fail");
}

static bool is_well(Gui *gui) {
  const AseDevice *device = ase_session_device(gui->session);
  return ase_device_state((AseDevice *)device)->faults == 0 && is_over(gui);
}

static bool is_message_gone(Gui *gui) {
  return *message(gui) == '\0';
}

static void get_well(Gui *gui) {
  gui_pass(0.5);
  if (!is_well(gui)) {
    say(gui, "session.say", "a fault is latched");
    press(gui, "Clear faults");
  }
  gui_wait(is_well, gui, 5.0, "the faults to go");
  g_assert_cmpstr(message(gui), !=, "a fault is latched");
  gui_wait(is_checked, gui, 10.0, "CHECK to pass by itself");
}

static bool has_stopped(Gui *gui) {
  return gui_state(gui, ASE_STEP_DRY_RUN) == ASE_STATE_FAILED;
}

/* The port that is open, by another name that leads to it: it is let go before it is opened. */
static void test_other_name(void) {
  Outside arm;
  Gui gui;
  g_autoptr(GError) error = NULL;
  outside_start(&arm, "planar2r", 2.0);
  outside_open(&arm, &gui, application);
  char *other = realpath(arm.port, NULL);
  g_assert_nonnull(other);
  g_assert_cmpstr(other, !=, arm.port);
  aui_connect_path(gui.session, other, aui_connection_baud(gui.session), &error);
  g_assert_no_error(error);
  gui_until(&gui, ASE_STEP_CHECK, 10.0);
  aui_connect_path(gui.session, arm.port, aui_connection_baud(gui.session), &error);
  g_assert_no_error(error);
  gui_until(&gui, ASE_STEP_CHECK, 10.0);
  free(other);
  gui_close(&gui);
  outside_stop(&arm);
}

static void test_silence(void) {
  Outside arm;
  Gui gui;
  outside_start(&arm, "planar2r", 2.0);
  outside_open(&arm, &gui, application);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  fall_silent(&arm, &gui);
  gui_wait(cannot_go_on, &gui, 2.0, "the next button to be deaf");
  say(&gui, "session.say", "it is silent");
  kill(arm.pid, SIGCONT);
  gui_wait(is_over, &gui, 10.0, "the end of silence");
  gui_wait(is_message_gone, &gui, 5.0, "the message to go"); /* it looks ten times a second */
  fall_silent(&arm, &gui);
  check_in_vain(&gui);
  reconnect(&arm, &gui);
  get_well(&gui);
  say(&gui, "session.hint", "Not armed");
  gui_arm(&gui);
  g_assert_cmpstr(message(&gui), ==, "");
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: dry run");
  gui_wait(can_go_on, &gui, 5.0, "the next button");
  fall_silent(&arm, &gui);
  gui_wait(cannot_go_on, &gui, 2.0, "the next button to be deaf");
  g_autoptr(GError) error = NULL;
  g_assert_false(ase_session_start(gui.session, ASE_STEP_DRY_RUN, &error));
  g_assert_nonnull(strstr(error->message, "fallen silent"));
  reconnect(&arm, &gui);
  get_well(&gui);
  gui_arm(&gui);
  gui_start(&gui, ASE_STEP_DRY_RUN);
  gui_pass(0.5);
  fall_silent(&arm, &gui);
  reconnect(&arm, &gui);
  g_assert_false(gui_is_armed(&gui));
  gui_wait(has_stopped, &gui, 10.0, "the dry run to end");
  get_well(&gui);
  gui_close(&gui);
  outside_stop(&arm);
}

static bool is_refused(Gui *gui) {
  return strstr(message(gui), "refused: ") != NULL;
}

static bool names_hello(Gui *gui) {
  return strstr(message(gui), "did not send: HELLO") != NULL;
}

static void test_foreign(void) {
  Outside arm;
  Gui gui;
  g_autoptr(GError) error = NULL;
  outside_start(&arm, "planar2r", 2.0);
  outside_open(&arm, &gui, application);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  send_hello(&arm);
  gui_wait(names_hello, &gui, 5.0, "the message");
  /* not on a computer so busy that it is silent by now */
  if (ase_session_begin_arming(gui.session, &error))
    gui_wait(is_refused, &gui, 5.0, "the reason of the refusal");
  g_clear_error(&error);
  gui_wait(is_told, &gui, 5.0, "the banner");
  g_assert_nonnull(strstr(banner(&gui), "did not send: HELLO"));
  g_assert_false(ase_session_begin_arming(gui.session, &error));
  check_in_vain(&gui);
  press(&gui, "Reconnect");
  gui_wait(is_checked, &gui, 10.0, "the connection");
  g_assert_true(is_over(&gui));
  gui_pass(0.3);
  send_hello(&arm);
  gui_wait(is_told, &gui, 5.0, "the banner");
  press(&gui, "Reconnect");
  gui_wait(is_checked, &gui, 10.0, "the connection");
  gui_close(&gui);
  outside_stop(&arm);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/banner/power-off", test_power_off);
  g_test_add_func("/ui/banner/cable", test_cable);
  g_test_add_func("/ui/banner/silence", test_silence);
  g_test_add_func("/ui/banner/other-name", test_other_name);
  g_test_add_func("/ui/banner/foreign", test_foreign);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
