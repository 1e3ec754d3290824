/* SPDX-License-Identifier: MIT */
/* Pictures of every page of a calibration that has been walked from end to end, in the sizes and
 * looks that a page must be good in: PAGE-WIDTHxHEIGHT-LOOK.png in $ARMATURE_SHOTS. `./dev
 * screenshots`. */
#include <string.h>

#include "gui.h"
#include "ui/kit/steps.h"
#include "ui/sweep/page_motion.h"

static const double SPEED = 40.0; /* of simulated time */

static void hurry(Gui *gui) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(gui->session), sizeof *edits);
  edits->n_speeds = 3;
  for (guint k = 0; k < edits->n_speeds; k++)
    edits->speeds_R[k] = (30.0 + 20.0 * k) * G_PI / 180.0;
  edits->itinerary.dry_speed_R = 0.8;
  edits->itinerary.move_speed_R = 0.8;
  edits->itinerary.moves_together = true;
  ase_session_set_edits(gui->session, edits, "hurry");
}

static void walk(Gui *gui) {
  GError *error = NULL;
  hurry(gui);
  gui_do(gui, ASE_STEP_CHECK, 600.0);
  gui_do(gui, ASE_STEP_PLAN, 600.0);
  g_assert_true(ase_device_arm(ase_session_device(gui->session), &error));
  gui_wait(gui_is_armed, gui, 10.0, "arming");
  gui_do(gui, ASE_STEP_DRY_RUN, 600.0);
  gui_do(gui, ASE_STEP_SWEEP, 600.0);
  gui_do(gui, ASE_STEP_FIT, 600.0);
  gui_do(gui, ASE_STEP_VALIDATE, 600.0);
  ase_device_disarm(ase_session_device(gui->session));
}

static bool count_unknowns(GtkWidget *widget, void *data) {
  guint *seen = data;
  const char *why = gtk_widget_get_tooltip_text(widget);
  if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) && why && strstr(why, "gravity") &&
      strcmp(gtk_label_get_text(GTK_LABEL(widget)), "not identifiable") == 0)
    ++*seen;
  return true;
}

/* Gravity never loads the waist, which was swept last: no number, but a reason. */
static void check_waist(Gui *gui) {
  guint unknowns = 0;
  aui_window_show_page(AUI_WINDOW(gui->window), "sweep");
  gui_pass(0.3);
  gui_walk(gui->window, count_unknowns, &unknowns);
  g_assert_cmpuint(unknowns, ==, 2);
}

static void shoot_pages(Gui *gui, const char *size, const char *look) {
  for (AuiScreen screen = 0; screen < AUI_SCREENS; screen++) {
    g_autofree char *name = g_strdup_printf("%s-%s-%s", aui_screen_key(screen), size, look);
    aui_window_show_page(AUI_WINDOW(gui->window), aui_screen_key(screen));
    gui_shoot(gui, name);
  }
  g_autofree char *name = g_strdup_printf("%s-%s-%s", AUI_PAGE_MOTION_KEY, size, look);
  aui_window_show_page(AUI_WINDOW(gui->window), AUI_PAGE_MOTION_KEY);
  gui_shoot(gui, name);
}

static void shoot_looks(Gui *gui, const char *size) {
  AdwStyleManager *style = adw_style_manager_get_default();
  shoot_pages(gui, size, "light");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK);
  gui_pass(0.5);
  shoot_pages(gui, size, "dark");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
  gui_pass(0.5);
}

static void test_screens(gconstpointer application) {
  Gui gui;
  gui_open(&gui, (AuiApplication *)application, "puma560-truth2", SPEED);
  walk(&gui);
  check_waist(&gui);
  shoot_looks(&gui, "1280x800");
  gtk_window_set_default_size(GTK_WINDOW(gui.window), 1920, 1080);
  gui_pass(0.5);
  shoot_looks(&gui, "1920x1080");
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_autoptr(AuiApplication) application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_data_func("/ui/screens", application, test_screens);
  return g_test_run();
}
