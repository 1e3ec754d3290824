/* SPDX-License-Identifier: MIT */
/* What the desktop brings: a key that is really pressed while a popover has the keyboard, and files
 * that are dropped on the window. */
#include "gui.h"
#include "support/support.h"
#include "ui/tour.h"

static AuiApplication *application;

/* ---- the keyboard ---- */

static bool is_off(Gui *gui) {
  return !ase_device_state(ase_session_device(gui->session))->drives_on;
}

/* As a person presses it: the X server decides which window gets it. */
static void press(const char *key) {
  const char *const argv[] = {"xdotool", "key", key, NULL};
  g_autoptr(GError) error = NULL;
  g_spawn_async(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
}

static bool find_popover(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_POPOVER(widget) && gtk_widget_get_mapped(widget))
    *found = widget;
  return !*found;
}

static bool find_why(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_MENU_BUTTON(widget) && gtk_widget_get_mapped(widget) &&
      gtk_widget_has_css_class(widget, "aui-why-button"))
    *found = widget;
  return !*found;
}

static bool find_choice(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_DROP_DOWN(widget) && gtk_widget_get_mapped(widget))
    *found = widget;
  return !*found;
}

static GtkWidget *find(Gui *gui, bool (*visit)(GtkWidget *widget, void *data)) {
  GtkWidget *found = NULL;
  gui_walk(gui->window, visit, &found);
  g_assert_nonnull(found);
  return found;
}

static void open_menu(Gui *gui) {
  gtk_menu_button_popup(GTK_MENU_BUTTON(aui_window_part(AUI_WINDOW(gui->window), AUI_PART_MENU)));
}

static void open_why(Gui *gui) {
  gtk_menu_button_popup(GTK_MENU_BUTTON(find(gui, find_why)));
}

static void open_choice(Gui *gui) {
  g_signal_emit_by_name(find(gui, find_choice), "activate");
}

static void open_tour(Gui *gui) {
  aui_tour_start(AUI_WINDOW(gui->window));
}

static void test_popovers(void) {
  static const struct {
    void (*open)(Gui *gui);
    const char *key, *page;
  } cases[] = {{open_menu, "Escape", "connect"},
               {open_why, "Escape", "export"},
               {open_choice, "Escape", "sweep"},
               {open_tour, "Escape", "connect"},
               {open_menu, "shift+Escape", "connect"}};
  Gui gui;
  g_autofree char *xdotool = g_find_program_in_path("xdotool");
  if (!xdotool) {
    g_test_skip("xdotool is not installed");
    return;
  }
  gui_open(&gui, application, "planar2r", 20.0);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    aui_window_show_page(AUI_WINDOW(gui.window), cases[k].page);
    gui_arm(&gui);
    cases[k].open(&gui);
    gui_pass(0.3);
    GtkWidget *popover = find(&gui, find_popover);
    g_test_message("%s in %s", cases[k].key, G_OBJECT_TYPE_NAME(popover));
    press(cases[k].key);
    gui_wait(gui_is_not_armed, &gui, 5.0, "the stop");
    aui_tour_end(AUI_WINDOW(gui.window));
    if (cases[k].open != open_tour)
      gtk_popover_popdown(GTK_POPOVER(popover));
  }
  gui_wait(is_off, &gui, 2.0, "the drives to be off");
  gui_close(&gui);
}

/* ---- files ---- */

static void drop(GtkWidget *window, const char *relative) {
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(window);
  g_autoptr(GFile) file = g_file_new_for_path(test_source_path(relative));
  g_auto(GValue) files = G_VALUE_INIT;
  gboolean is_taken = FALSE;
  g_value_init(&files, GDK_TYPE_FILE_LIST);
  g_value_take_boxed(&files, g_slist_append(NULL, g_object_ref(file)));
  for (guint k = 0; k < g_list_model_get_n_items(controllers); k++) {
    g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, k);
    if (GTK_IS_DROP_TARGET(controller))
      g_signal_emit_by_name(controller, "drop", &files, 10.0, 10.0, &is_taken);
  }
  g_assert_true(is_taken);
}

static GtkWindow *find_other(Gui *gui) {
  GList *windows = gtk_application_get_windows(GTK_APPLICATION(application));
  for (; windows; windows = windows->next)
    if (windows->data != gui->window)
      return windows->data;
  return NULL;
}

/* An arm begins a session in a window of its own, a recording is looked at; and neither is modal.
 */
static void test_drop(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  drop(gui.window, "data/robots/scara.arm.json");
  GtkWindow *window = find_other(&gui);
  g_assert_true(AUI_IS_WINDOW(window));
  g_assert_cmpuint(ase_session_arm(aui_window_session(AUI_WINDOW(window)))->model.n, ==, 4);
  gtk_window_destroy(window);
  gui_arm(&gui);
  drop(gui.window, "data/demo/puma560_table1.csv");
  window = find_other(&gui);
  g_assert_nonnull(window);
  g_assert_false(AUI_IS_WINDOW(window));
  g_assert_false(gtk_window_get_modal(window));
  g_assert_true(gui_is_armed(&gui));
  gtk_window_destroy(window);
  ase_device_disarm(ase_session_device(gui.session));
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/toplevels/popovers", test_popovers);
  g_test_add_func("/ui/toplevels/drop", test_drop);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
