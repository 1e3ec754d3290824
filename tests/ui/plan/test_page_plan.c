/* SPDX-License-Identifier: MIT */
/* What the pages Plan and Sweep say when the other joints were planned again after the first one
 * (session/session_replan.c; here only its states are made). */
#include <string.h>

#include "gui.h"
#include "session/bench.h"
#include "support/support.h"
#include "ui/plan/page_plan.h"
#include "ui/sweep/page_sweep.h"

typedef struct {
  const char *text;
  bool is_found;
} Wanted;

typedef struct {
  GtkWidget *(*make)(AseSession *session);
} Page;

static bool look_for(GtkWidget *widget, void *data) {
  Wanted *wanted = data;
  wanted->is_found |= GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
                      strstr(gtk_label_get_text(GTK_LABEL(widget)), wanted->text);
  return true;
}

static bool says(const Gui *gui, const char *text) {
  Wanted wanted = {text, false};
  gui_walk(gui->window, look_for, &wanted);
  return wanted.is_found;
}

static void test_planned_again(gconstpointer data) {
  const Page *page = data;
  static const char *const text = "planned again with what joint 2 showed";
  Bench bench;
  Gui gui;
  bench_init(&bench, "planar2r", 20.0);
  bench_do(&bench, ASE_STEP_PLAN);
  gui_show(&gui, bench.session, page->make(bench.session), 1280, 800);
  AseProcedure *procedure = (AseProcedure *)ase_session_procedure(bench.session);
  ase_procedure_pass(procedure, ASE_STEP_DRY_RUN, 0, "gone to");
  g_signal_emit_by_name(bench.session, "changed");
  rig_pass(0.3);
  g_assert_false(says(&gui, text));
  ase_procedure_pass(procedure, ASE_STEP_PLAN, 0, text);
  ase_procedure_outdate_joint(procedure, ASE_STEP_DRY_RUN, 1, text);
  g_signal_emit_by_name(bench.session, "changed");
  rig_pass(0.3);
  g_assert_true(says(&gui, text));
  gtk_window_destroy(GTK_WINDOW(gui.window));
  rig_pass(0.1);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  static const Page plan = {aui_page_plan_new}, sweep = {aui_page_sweep_new};
  g_test_init(&argc, &argv, NULL);
  g_autoptr(AuiApplication) application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_data_func("/page-plan/again", &plan, test_planned_again);
  g_test_add_data_func("/page-sweep/again", &sweep, test_planned_again);
  return g_test_run();
}
