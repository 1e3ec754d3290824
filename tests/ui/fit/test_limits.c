/* SPDX-License-Identifier: MIT */
/* The lab's limits of a misfit: typed with either point, undone, kept for new sessions; the fit is
 * made again by them at once. */
#include <string.h>

#include "gui.h"
#include "session/bench.h"
#include "ui/fit/limits_box.h"
#include "ui/fit/page_fit.h"
#include "ui/kit/lab_limits.h"
#include "ui/kit/settings.h"

typedef struct {
  Bench bench;
  Gui gui;
} Screen;

static GtkWidget *find_spin(GtkWidget *widget, double value) {
  if (GTK_IS_SPIN_BUTTON(widget) && gtk_spin_button_get_value(GTK_SPIN_BUTTON(widget)) == value)
    return widget;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_spin(child, value);
  return found;
}

/* Parameters say by which limits they were judged. */
static bool is_judged_by_r2(Screen *screen, bool is_own) {
  if (!ase_state_is_done(bench_state(&screen->bench, ASE_STEP_FIT)))
    return false;
  char *parameters = ase_session_parameters(screen->bench.session, NULL);
  const bool names_it = parameters && strstr(parameters, "\"limit_r2\": 1");
  g_free(parameters);
  return names_it == is_own;
}

static bool is_judged_by_own(void *data) {
  return is_judged_by_r2(data, true);
}

static bool is_judged_by_usual(void *data) {
  return is_judged_by_r2(data, false);
}

static void type(GtkWidget *spin, const char *text) {
  gtk_editable_set_text(GTK_EDITABLE(spin), text);
  gtk_spin_button_update(GTK_SPIN_BUTTON(spin));
}

/* Both points, nothing else: what is no number, or none that is allowed, changes nothing. */
static void check_typing(GtkWidget *spin) {
  type(spin, "2,5");
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(spin)), ==, 2.5);
  type(spin, " 3.5 ");
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(spin)), ==, 3.5);
  const char *const refused[] = {"-4", "1e9", "nan", "", "2 mA"};
  for (guint k = 0; k < G_N_ELEMENTS(refused); k++) {
    type(spin, refused[k]);
    g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(spin)), ==, 3.5);
  }
}

/* The fit of the page is made again with them; new sessions begin with what is kept. */
static void check_limits(Screen *screen) {
  AseSession *session = screen->bench.session;
  GtkWidget *page = aui_page_fit_new(session);
  gtk_window_set_child(GTK_WINDOW(screen->gui.window), page);
  GtkWidget *box = g_object_ref_sink(aui_limits_box_new(session));
  gtk_expander_set_expanded(GTK_EXPANDER(gtk_widget_get_first_child(box)), true);
  GtkWidget *least = find_spin(box, 0.8);
  g_assert_true(is_judged_by_usual(screen));
  type(least, "1");
  g_assert_true(rig_wait(is_judged_by_own, screen, 60.0));
  g_assert_cmpfloat(ase_session_edits(session)->misfit.r2, ==, 1.0);
  ase_session_undo(session);
  g_assert_true(rig_wait(is_judged_by_usual, screen, 60.0));
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(least)), ==, 0.8);
  check_typing(find_spin(box, 2.0));
  g_object_unref(box);
  rig_pass(1.0); /* what is typed counts no longer */
  g_assert_cmpfloat(ase_session_edits(session)->misfit.gravity_promised_factor, ==, 2.0);
}

static void check_kept(Screen *screen) {
  AseSession *session = screen->bench.session;
  AseEdits *edits = g_memdup2(ase_session_edits(session), sizeof *edits);
  edits->misfit.direction_relative = 0.07;
  edits->validation_percent = 25.0;
  ase_session_set_edits(session, edits, "limits");
  aui_lab_limits_keep(session);
  ase_session_undo(session);
  g_assert_cmpfloat(ase_session_edits(session)->misfit.direction_relative, ==, 0.02);
  aui_lab_limits_begin(session);
  g_assert_cmpfloat(ase_session_edits(session)->misfit.direction_relative, ==, 0.07);
  g_assert_cmpfloat_with_epsilon(ase_session_edits(session)->validation_percent, 25.0, 1e-9);
  ase_session_undo(session);
  g_settings_reset(aui_settings(), "misfit-limits");
  aui_lab_limits_begin(session); /* nothing is kept */
  g_assert_cmpfloat(ase_session_edits(session)->misfit.direction_relative, ==, 0.02);
  g_free(edits);
}

static void test_limits(void) {
  Screen screen = {0};
  bench_init(&screen.bench, "planar2r", 20.0);
  bench_plan_one(&screen.bench, 0.4);
  bench_connect(&screen.bench);
  bench_reach(&screen.bench, ASE_STEP_FIT);
  gui_show(&screen.gui, screen.bench.session, gtk_label_new(""), 1060, 700);
  check_kept(&screen);
  check_limits(&screen);
  gtk_window_destroy(GTK_WINDOW(screen.gui.window));
  rig_pass(0.1);
  bench_clear(&screen.bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_autoptr(AuiApplication) application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/limits/limits", test_limits);
  return g_test_run();
}
