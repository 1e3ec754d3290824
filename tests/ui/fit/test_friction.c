/* SPDX-License-Identifier: MIT */
/* Friction that grows with the load, on the page Fit: in the table with sd and unit, chosen with a
 * list, fitted again at once, undone; and a fit that nothing could judge; pictures of both. */
#include <adwaita.h>
#include <string.h>

#include "gui.h"
#include "recorded.h"
#include "session/misfit.h"
#include "ui/fit/page_fit.h"

static AuiApplication *application;

enum { AUTOMATIC, BASIC };

typedef struct {
  const char *part;
  bool is_seen;
  GtkWidget *page;
} Sought;

static bool seek(GtkWidget *widget, void *data) {
  Sought *sought = data;
  if (AUI_IS_PAGE_FIT(widget))
    sought->page = widget;
  if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
      strstr(gtk_label_get_text(GTK_LABEL(widget)), sought->part))
    sought->is_seen = true;
  return true;
}

static bool shows(Gui *gui, const char *part) {
  Sought sought = {.part = part};
  gui_walk(gui->window, seek, &sought);
  return sought.is_seen;
}

static GtkWidget *child(Gui *gui, const char *name) {
  Sought sought = {.part = "-"};
  gui_walk(gui->window, seek, &sought);
  g_assert_nonnull(sought.page);
  return GTK_WIDGET(gtk_widget_get_template_child(sought.page, AUI_TYPE_PAGE_FIT, name));
}

static GtkDropDown *list_of(Gui *gui) {
  return GTK_DROP_DOWN(child(gui, "friction"));
}

static bool is_misfit(Gui *gui) {
  return gui_state(gui, ASE_STEP_FIT) == ASE_STATE_FAILED;
}

static bool has_passed(Gui *gui) {
  return gui_state(gui, ASE_STEP_FIT) == ASE_STATE_PASSED;
}

static void shoot(Gui *gui, const char *what) {
  AdwStyleManager *style = adw_style_manager_get_default();
  static const char *const pages[] = {"joint", "all", "verdict"};
  for (guint k = 0; k < 6; k++) {
    const char *page = pages[k % 3];
    g_autofree char *name = g_strdup_printf("%s-%s-%s", what, page, k < 3 ? "light" : "dark");
    adw_style_manager_set_color_scheme(style, k < 3 ? ADW_COLOR_SCHEME_DEFAULT
                                                    : ADW_COLOR_SCHEME_FORCE_DARK);
    gtk_stack_set_visible_child_name(GTK_STACK(child(gui, "stack")), page);
    gui_pass(1.0);
    gui_shoot(gui, name);
  }
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
}

static void test_friction(void) {
  Gui gui;
  Misfit misfit;
  Faulty faulty;
  faulty_default(&faulty);
  faulty.load_friction = 0.06;
  misfit_init(&misfit, &faulty);
  misfit_do(&misfit, ASE_STEP_FIT);
  gui.session = misfit.session;
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  aui_window_show_page(AUI_WINDOW(gui.window), "fit");
  gui_pass(0.3);
  g_assert_cmpuint(gtk_drop_down_get_selected(list_of(&gui)), ==, AUTOMATIC);
  g_assert_false(ase_session_can_undo(gui.session, NULL)); /* shown, not chosen */
  if (g_getenv("ARMATURE_SHOTS"))
    shoot(&gui, "friction");
  gtk_stack_set_visible_child_name(GTK_STACK(child(&gui, "stack")), "all");
  gui_pass(0.3);
  g_assert_true(shows(&gui, "load friction"));

  gtk_drop_down_set_selected(list_of(&gui), BASIC);
  gui_wait(is_misfit, &gui, 60.0, "the fit without the term");
  gui_pass(0.3);
  g_assert_false(shows(&gui, "load friction"));
  g_assert_true(shows(&gui, "The model does not fit"));
  gtk_widget_activate_action(gui.window, "session.undo", NULL);
  gui_wait(has_passed, &gui, 60.0, "the fit with the term");
  gui_pass(0.3);
  g_assert_cmpuint(gtk_drop_down_get_selected(list_of(&gui)), ==, AUTOMATIC);
  g_assert_true(shows(&gui, "load friction"));
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  misfit_clear(&misfit);
}

/* One joint of six: not passed, and not the end either. */
static void test_unjudged(void) {
  Gui gui;
  Recorded recorded;
  recorded_init_joint(&recorded, 2);
  recorded_do(&recorded, ASE_STEP_FIT);
  gui.session = recorded.session;
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  aui_window_show_page(AUI_WINDOW(gui.window), "fit");
  gui_pass(0.3);
  g_assert_cmpint(gui_state(&gui, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
  g_assert_true(shows(&gui, "not judged: joint 1 was never swept"));
  g_assert_true(shows(&gui, "Whether the model fits cannot be told of joint 1"));
  g_assert_true(shows(&gui, "Next: validate"));
  gtk_stack_set_visible_child_name(GTK_STACK(child(&gui, "stack")), "verdict");
  gui_pass(0.3);
  g_assert_false(shows(&gui, "There is no misfit"));
  if (g_getenv("ARMATURE_SHOTS"))
    shoot(&gui, "unjudged");
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  recorded_clear(&recorded);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/friction", test_friction);
  g_test_add_func("/ui/unjudged", test_unjudged);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
