/* SPDX-License-Identifier: MIT */
/* A cable that is pulled in mid-sweep, a controller that falls silent, drives that are switched
 * off: a banner says it, with the one button that helps, and goes when it is over. */
#include <signal.h>
#include <string.h>

#include "gui.h"
#include "outside.h"
#include "ui/banner.h"
#include "ui/page_sweep.h"

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

static guint curves(Gui *gui) {
  GtkWidget *page = NULL;
  gui_walk(gui->window, find_page, &page);
  return aui_page_sweep_curves(AUI_PAGE_SWEEP(page))->curves->len;
}

static bool has_curve(Gui *gui) {
  return curves(gui) > 0;
}

static void assert_wide(Gui *gui) {
  GtkWidget *found = NULL;
  gui_walk(gui->window, find_banner, &found);
  g_assert_cmpint(gtk_widget_get_width(found), ==, gtk_widget_get_width(gui->window));
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
  gui_wait(has_curve, &gui, 60.0, "a curve");
  outside_pull(&arm);
  gui_wait(is_told, &gui, 5.0, "the banner");
  gui_pass(0.5);
  g_assert_nonnull(strstr(banner(&gui), "The link was lost"));
  g_assert_true(gtk_widget_is_sensitive(gui_button(&gui, "Reconnect")));
  g_assert_cmpuint(curves(&gui), >, 0);
  assert_wide(&gui);
  gui_shoot(&gui, "banner-cable");
  outside_plug(&arm);
  gui_wait(is_over, &gui, 20.0, "the banner to go");
  gui_pass(0.5);
  g_assert_cmpuint(curves(&gui), >, 0);
  gui_shoot(&gui, "banner-over");
  const char *reason = ase_session_procedure(gui.session)->steps[ASE_STEP_SWEEP].reason;
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

static bool is_well(Gui *gui) {
  const AseDevice *device = ase_session_device(gui->session);
  return ase_device_state((AseDevice *)device)->faults == 0 && is_over(gui);
}

static void get_well(Gui *gui) {
  gui_pass(0.5);
  if (!is_well(gui))
    gui_click(gui, "Clear faults");
  gui_wait(is_well, gui, 5.0, "the faults to go");
  if (gui_state(gui, ASE_STEP_CHECK) != ASE_STATE_PASSED)
    gui_do(gui, ASE_STEP_CHECK, 10.0);
}

static bool has_stopped(Gui *gui) {
  return gui_state(gui, ASE_STEP_DRY_RUN) == ASE_STATE_FAILED;
}

static void test_silence(void) {
  Outside arm;
  Gui gui;
  outside_start(&arm, "planar2r", 2.0);
  outside_open(&arm, &gui, application);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  fall_silent(&arm, &gui);
  g_assert_false(can_go_on(&gui));
  reconnect(&arm, &gui);
  get_well(&gui);
  gui_arm(&gui);
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: dry run");
  gui_wait(can_go_on, &gui, 5.0, "the next button");
  fall_silent(&arm, &gui);
  g_assert_false(can_go_on(&gui));
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

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/banner/power-off", test_power_off);
  g_test_add_func("/ui/banner/cable", test_cable);
  g_test_add_func("/ui/banner/silence", test_silence);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
