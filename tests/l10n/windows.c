/* SPDX-License-Identifier: MIT */
#include "windows.h"

#include <libintl.h>

#include "english.h"
#include "look.h"
#include "support/support.h"
#include "ui/import/import.h"
#include "ui/kit/why.h"
#include "ui/manual.h"
#include "ui/tour.h"

static AuiApplication *application;
static const char *locale;

/* The one that was not there before. */
static GtkWidget *newest(GPtrArray *before) {
  GListModel *windows = gtk_window_get_toplevels();
  for (guint k = 0; k < g_list_model_get_n_items(windows); k++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, k);
    if (!g_ptr_array_find(before, window, NULL))
      return window;
  }
  g_error("no window was opened");
}

static GPtrArray *all_windows(void) {
  GPtrArray *all = g_ptr_array_new();
  GListModel *windows = gtk_window_get_toplevels();
  for (guint k = 0; k < g_list_model_get_n_items(windows); k++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, k);
    g_ptr_array_add(all, window);
  }
  return all;
}

static void see_action(Look *look, const char *action, GVariant *parameter) {
  g_autoptr(GPtrArray) before = all_windows();
  g_action_group_activate_action(G_ACTION_GROUP(application), action, parameter);
  GtkWidget *window = newest(before);
  look_at_window(look, window, action);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* GTK 4.8 measures a label of its own shortcuts window at less than nothing, and warns of it. */
static void see_shortcuts(Look *look) {
  const GLogLevelFlags fatal = g_log_set_always_fatal(G_LOG_FATAL_MASK);
  see_action(look, "shortcuts", NULL);
  g_log_set_always_fatal(fatal);
}

static bool find_stack(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_STACK(widget) && !*found)
    *found = widget;
  return !*found;
}

/* Every topic; the window of all of them was looked at before. */
static void see_manual(Look *look) {
  GtkWindow *window = aui_manual_new(NULL);
  GtkWidget *stack = NULL;
  gtk_window_present(window);
  gui_walk(GTK_WIDGET(window), find_stack, &stack);
  gtk_stack_set_transition_type(GTK_STACK(stack), GTK_STACK_TRANSITION_TYPE_NONE);
  for (guint k = 0; aui_manual_topic(k); k++) {
    gtk_stack_set_visible_child_name(GTK_STACK(stack), aui_manual_topic(k)->key);
    look_at(look, stack, aui_manual_topic(k)->key);
  }
  gtk_window_destroy(window);
}

static void see_tour(Look *look, Gui *gui) {
  aui_tour_start(AUI_WINDOW(gui->window));
  for (guint k = 0; k < 5; k++) {
    if (k > 0)
      gui_click(gui, dgettext("armature", "Go on"));
    look_at(look, gui->window, "tour");
  }
}

static void test_beside(void) {
  Gui gui;
  Look look;
  look_init(&look, locale);
  gui_open(&gui, application, "puma560-truth2", 1.0);
  english_allow_arm(ase_session_arm(gui.session));
  english_allow("Escape Shift Ctrl Shortcuts About Details Legal"); /* of GTK and libadwaita */
  see_action(&look, "preferences", NULL);
  see_shortcuts(&look);
  see_action(&look, "about", NULL);
  see_action(&look, "manual", g_variant_new_string(""));
  see_manual(&look);
  see_tour(&look, &gui);
  gui_close(&gui);
  look_end(&look, 200);
}

static bool find_spinning(GtkWidget *widget, void *data) {
  bool *spins = data;
  *spins = *spins || (GTK_IS_SPINNER(widget) && gtk_spinner_get_spinning(GTK_SPINNER(widget)));
  return !*spins;
}

static bool is_read(Gui *gui) {
  bool spins = false;
  gui_walk(gui->window, find_spinning, &spins);
  return !spins;
}

static void test_import(void) {
  static const char *const recordings[] = {NULL, "data/demo/puma560_table1.csv"};
  Look look;
  look_init(&look, locale);
  english_allow("joint rad"); /* a column, a unit */
  for (gsize k = 0; k < G_N_ELEMENTS(recordings); k++) {
    g_autoptr(GPtrArray) before = all_windows();
    aui_import_open(NULL, NULL, recordings[k] ? test_source_path(recordings[k]) : NULL,
                    aui_window_show_imported);
    Gui gui = {.window = newest(before)};
    gui_wait(is_read, &gui, 10.0, "the recording to be read");
    look_at_window(&look, gui.window, recordings[k] ? "import" : "import-nothing");
    gtk_window_destroy(GTK_WINDOW(gui.window));
  }
  look_end(&look, 50);
}

/* Every explanation, from a button in the corner of a window: the popover has its natural size. */
static void test_why(void) {
  Look look;
  look_init(&look, locale);
  for (guint k = 0; aui_why_key(k); k++) {
    GtkWidget *window = gtk_window_new();
    GtkWidget *why = aui_why_new(aui_why_key(k));
    gtk_window_set_child(GTK_WINDOW(window), why);
    gtk_window_present(GTK_WINDOW(window));
    gtk_menu_button_popup(GTK_MENU_BUTTON(why));
    look_at(&look, window, aui_why_key(k));
    gtk_menu_button_popdown(GTK_MENU_BUTTON(why)); /* it asks for the pointer when it is seen */
    gui_pass(0.05);
    gtk_window_destroy(GTK_WINDOW(window));
  }
  look_end(&look, 6 * 20);
}

void windows_add_cases(AuiApplication *the_application, const char *the_locale) {
  application = the_application;
  locale = the_locale;
  g_test_add_func("/l10n/beside", test_beside);
  g_test_add_func("/l10n/import", test_import);
  g_test_add_func("/l10n/why", test_why);
}
