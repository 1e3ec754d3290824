/* SPDX-License-Identifier: MIT */
/* Tab goes round every page, one step for each list; arrows move inside a list; no explanation is
 * under a scrollbar. Rows with controls of their own are a form, and are passed one by one. */
#include <string.h>

#include "gui.h"
#include "outside.h"
#include "support/support.h"
#include "sweep/own_motion.h"
#include "ui/connect/connection.h"
#include "ui/connect/recent.h"
#include "ui/kit/messages.h"
#include "ui/kit/settings.h"
#include "ui/kit/steps.h"
#include "ui/recorded.h"

enum { SESSIONS = 4, PRESSES = 60 };

static AuiApplication *application;

static bool find_button(GtkWidget *widget, void *data) {
  *(bool *)data |= GTK_IS_BUTTON(widget);
  return true;
}

static bool is_form(GtkWidget *row) {
  bool has_button = false;
  gui_walk(row, find_button, &has_button);
  return has_button;
}

/* The list that a widget is in, and its row there. */
static GtkWidget *list_of(GtkWidget *widget, GtkWidget **row) {
  for (; widget; widget = gtk_widget_get_parent(widget)) {
    GtkWidget *parent = gtk_widget_get_parent(widget);
    *row = widget;
    if (GTK_IS_LIST_BOX(parent) || GTK_IS_LIST_VIEW(parent))
      return is_form(widget) ? NULL : parent;
  }
  return NULL;
}

static void on_focus(GtkWindow *window, GParamSpec *spec, gpointer passed) {
  GtkWidget *widget = gtk_window_get_focus(window);
  (void)spec;
  if (widget)
    g_ptr_array_add(passed, widget);
}

static guint heard; /* presses that have come */

static gboolean on_pressed(GtkEventControllerKey *keys, guint key) {
  (void)keys;
  heard += key != GDK_KEY_Shift_L && key != GDK_KEY_Control_L;
  return GDK_EVENT_PROPAGATE;
}

static GtkEventController *listen_to_keys(Gui *gui) {
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_pressed), NULL);
  gtk_widget_add_controller(gui->window, keys);
  heard = 0;
  return keys;
}

static guint sent;

static bool are_heard(Gui *gui) {
  (void)gui;
  return heard >= sent;
}

/* Where the keyboard is after each of the presses. */
static GPtrArray *walk(Gui *gui, const char *key, guint presses) {
  GPtrArray *passed = g_ptr_array_new();
  GtkEventController *keys = listen_to_keys(gui);
  const gulong handler =
      g_signal_connect(gui->window, "notify::focus-widget", G_CALLBACK(on_focus), passed);
  for (guint done = 0; done < presses; done += 20) {
    g_autoptr(GString) line = g_string_new("key");
    for (guint k = done; k < MIN(done + 20, presses); k++)
      g_string_append_printf(line, " %s", key);
    outside_do("%s", line->str);
    sent = MIN(done + 20, presses);
    gui_wait(are_heard, gui, 15.0, "the keys to be heard");
  }
  g_signal_handler_disconnect(gui->window, handler);
  gtk_widget_remove_controller(gui->window, keys);
  return passed;
}

static void assert_round(Gui *gui, const char *page, const char *key) {
  g_autoptr(GPtrArray) passed = walk(gui, key, PRESSES);
  guint back = 0;
  for (guint k = 0; passed->len <= PRESSES / 2 && k < passed->len; k++)
    g_test_message("  %s", G_OBJECT_TYPE_NAME(passed->pdata[k]));
  g_assert_cmpuint(passed->len, >, PRESSES / 2); /* nothing keeps it */
  for (guint k = 1; k < passed->len; k++) {
    GtkWidget *before, *after;
    GtkWidget *list = list_of(passed->pdata[k - 1], &before);
    back += passed->pdata[k] == passed->pdata[0];
    if (list && list_of(passed->pdata[k], &after) == list && before != after) {
      g_test_message("%s: %s stays in a %s", page, key, G_OBJECT_TYPE_NAME(list));
      g_test_fail();
      return;
    }
  }
  g_test_message("%s: %s came round %u times in %u steps", page, key, back, passed->len);
  g_assert_cmpuint(back, >=, 1);
}

static void assert_rounds(Gui *gui, AuiScreen first, AuiScreen last) {
  for (AuiScreen screen = first; screen <= last; screen++) {
    aui_window_show_page(AUI_WINDOW(gui->window), aui_screen_key(screen));
    gui_pass(0.4);
    assert_round(gui, aui_screen_key(screen), "Tab");
    assert_round(gui, aui_screen_key(screen), "shift+Tab");
  }
}

static bool find_rows(GtkWidget *widget, void *data) {
  GPtrArray *rows = data;
  const char *tooltip = GTK_IS_LIST_BOX_ROW(widget) ? gtk_widget_get_tooltip_text(widget) : NULL;
  if (tooltip && strstr(tooltip, ".armsession"))
    g_ptr_array_add(rows, widget);
  return true;
}

static void remember_sessions(void) {
  for (guint k = 0; k < SESSIONS; k++) {
    g_autoptr(GError) error = NULL;
    AseSession *session =
        aui_session_new(test_source_path("data/robots/planar2r.arm.json"), &error);
    g_assert_no_error(error);
    aui_recent_add(ase_session_path(session), "planar_2r", 1000 + k);
    g_assert_true(ase_session_close(session, &error));
    g_object_unref(session);
  }
}

static void test_arm_pages(void) {
  Gui gui;
  g_settings_reset(aui_settings(), "recent");
  remember_sessions();
  gui_open(&gui, application, "planar2r", 20.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  assert_rounds(&gui, AUI_SCREEN_CONNECT, AUI_SCREEN_SWEEP);
  own_motion_show_taken(&gui);
  assert_round(&gui, "motion", "Tab");
  assert_round(&gui, "motion", "shift+Tab");
  gui_close(&gui);
  g_settings_reset(aui_settings(), "recent");
}

static void test_arrows(void) {
  Gui gui;
  g_autoptr(GPtrArray) rows = g_ptr_array_new();
  g_settings_reset(aui_settings(), "recent");
  remember_sessions();
  gui_open(&gui, application, "planar2r", 20.0);
  gui_walk(gui.window, find_rows, rows);
  g_assert_cmpuint(rows->len, ==, SESSIONS);
  gtk_widget_grab_focus(rows->pdata[0]);
  for (guint k = 1; k < SESSIONS; k++) {
    g_ptr_array_unref(walk(&gui, "Down", 1));
    g_assert_true(gtk_window_get_focus(GTK_WINDOW(gui.window)) == rows->pdata[k]);
  }
  g_ptr_array_unref(walk(&gui, "Up", 1));
  g_assert_true(gtk_window_get_focus(GTK_WINDOW(gui.window)) == rows->pdata[SESSIONS - 2]);
  gui_close(&gui);
  g_settings_reset(aui_settings(), "recent");
}

/* ---- all messages ---- */

static bool find_log(GtkWidget *widget, void *data) {
  if (GTK_IS_LIST_VIEW(widget))
    *(GtkWidget **)data = widget;
  return true;
}

static GtkWidget *open_messages(Gui *gui) {
  AuiStrip *strip = aui_window_strip(AUI_WINDOW(gui->window));
  GtkWidget *log = NULL;
  for (guint k = 0; k < 50; k++) {
    g_autofree char *line = g_strdup_printf("message %u", k);
    aui_strip_say(strip, 0, line);
  }
  aui_strip_toggle_log(strip);
  gui_walk(GTK_WIDGET(strip), find_log, &log);
  g_assert_nonnull(log);
  GtkAdjustment *at = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(log));
  for (guint k = 0; k < 50 && gtk_adjustment_get_value(at) <= 0.0; k++)
    gui_pass(0.1);
  g_assert_cmpfloat(gtk_adjustment_get_value(at), >, 0.0);
  return log;
}

static void on_text(GObject *clipboard, GAsyncResult *result, gpointer text) {
  *(char **)text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
}

static void expect_copied(GtkWidget *log, guint lines) {
  g_autofree char *text = NULL;
  guint copied = 0;
  gdk_clipboard_read_text_async(gtk_widget_get_clipboard(log), NULL, on_text, &text);
  for (guint k = 0; k < 50 && !text; k++)
    gui_pass(0.1);
  g_assert_nonnull(text);
  for (const char *at = text; (at = strchr(at, '\n')); at++)
    copied++;
  g_assert_cmpuint(copied, ==, lines);
}

static void press(Gui *gui, const char *key) {
  g_ptr_array_unref(walk(gui, key, 1));
  gui_pass(0.3);
}

static bool is_inside(Gui *gui, GtkWidget *log) {
  GtkWidget *row;
  return list_of(gtk_window_get_focus(GTK_WINDOW(gui->window)), &row) == log;
}

/* From the button below and back to it, and out above. Nothing is scrolled by that, nor by the
 * first Tab of all, from above. */
static void expect_passed(Gui *gui, GtkWidget *log) {
  GtkAdjustment *at = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(log));
  const double was = gtk_adjustment_get_value(at);
  g_assert_true(
      gtk_widget_child_focus(gtk_widget_get_ancestor(log, AUI_TYPE_MESSAGES), GTK_DIR_TAB_FORWARD));
  gui_pass(0.3);
  g_assert_true(is_inside(gui, log));
  g_assert_cmpfloat(gtk_adjustment_get_value(at), ==, was);
  gtk_widget_grab_focus(gui_button(gui, "Messages"));
  press(gui, "shift+Tab");
  g_assert_true(is_inside(gui, log));
  press(gui, "Tab");
  g_assert_true(gtk_window_get_focus(GTK_WINDOW(gui->window)) == gui_button(gui, "Messages"));
  press(gui, "shift+Tab");
  press(gui, "shift+Tab");
  g_assert_false(is_inside(gui, log));
  press(gui, "Tab");
  g_assert_true(is_inside(gui, log));
  g_assert_cmpfloat(gtk_adjustment_get_value(at), ==, was);
}

/* The line under the pointer is chosen, and can be copied. */
static void expect_menu(Gui *gui, GtkWidget *log) {
  GtkSelectionModel *lines = gtk_list_view_get_model(GTK_LIST_VIEW(log));
  GtkWidget *menu = gtk_widget_get_last_child(gtk_widget_get_ancestor(log, AUI_TYPE_MESSAGES));
  gtk_selection_model_unselect_all(lines);
  outside_point(gui, log);
  outside_do("click 3");
  for (guint k = 0; k < 50 && !gtk_widget_get_mapped(menu); k++)
    gui_pass(0.1);
  g_assert_true(gtk_widget_get_mapped(menu));
  g_autoptr(GtkBitset) chosen = gtk_selection_model_get_selection(lines);
  g_assert_cmpuint(gtk_bitset_get_size(chosen), ==, 1);
  Gui popover = {.window = menu};
  gui_shoot(&popover, "messages-menu");
  outside_do("key Return"); /* "Copy" is the first */
  for (guint k = 0; k < 50 && gtk_widget_get_mapped(menu); k++)
    gui_pass(0.1);
  expect_copied(log, 1);
}

/* Tab passes through as through one line; a line is copied, and all are. */
static void test_messages(void) {
  Gui gui;
  gui_open(&gui, application, "planar2r", 20.0);
  GtkWidget *log = open_messages(&gui);
  GListModel *lines = G_LIST_MODEL(gtk_list_view_get_model(GTK_LIST_VIEW(log)));
  expect_passed(&gui, log);
  g_assert_true(gtk_test_accessible_has_property(
      GTK_ACCESSIBLE(gtk_window_get_focus(GTK_WINDOW(gui.window))), GTK_ACCESSIBLE_PROPERTY_LABEL));
  press(&gui, "Up");
  press(&gui, "ctrl+c");
  expect_copied(log, 1);
  press(&gui, "ctrl+a");
  press(&gui, "ctrl+c");
  expect_copied(log, g_list_model_get_n_items(lines));
  expect_menu(&gui, log);
  gui_close(&gui);
}

/* ---- the pointer ---- */

/* A scrollbar over the content lies at its right edge and takes the clicks there. */
static bool see_why(GtkWidget *widget, void *data) {
  GtkWidget *scroller = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t at;
  int bar;
  if (!gtk_widget_get_mapped(widget))
    return false;
  if (!gtk_widget_has_css_class(widget, "aui-why-button") || !scroller)
    return true;
  GtkScrolledWindow *window = GTK_SCROLLED_WINDOW(scroller);
  GtkPolicyType down;
  gtk_scrolled_window_get_policy(window, NULL, &down);
  gtk_widget_measure(gtk_scrolled_window_get_vscrollbar(window), GTK_ORIENTATION_HORIZONTAL, -1,
                     NULL, &bar, NULL, NULL);
  g_assert_true(gtk_widget_compute_bounds(widget, scroller, &at));
  ++*(guint *)data;
  if (down != GTK_POLICY_NEVER && gtk_scrolled_window_get_overlay_scrolling(window) &&
      at.origin.x + at.size.width > (float)(gtk_widget_get_width(scroller) - bar)) {
    g_test_message("%s is under a scrollbar", gtk_widget_get_tooltip_text(widget));
    g_test_fail();
  }
  return true;
}

static void assert_whys_are_free(Gui *gui) {
  guint seen = 0;
  for (AuiScreen screen = AUI_SCREEN_CONNECT; screen < AUI_SCREENS; screen++) {
    g_autofree char *name = g_strdup_printf("why-%s", aui_screen_key(screen));
    aui_window_show_page(AUI_WINDOW(gui->window), aui_screen_key(screen));
    gui_pass(0.4);
    gui_walk(gui->window, see_why, &seen);
    gui_shoot(gui, name);
  }
  g_test_message("%u explanations", seen);
  g_assert_cmpuint(seen, >=, 10);
}

static void test_result_pages(void) {
  Gui gui;
  Recorded recorded;
  recorded_init(&recorded, NULL);
  recorded_do(&recorded, ASE_STEP_FIT);
  recorded_do(&recorded, ASE_STEP_VALIDATE);
  gui.session = g_object_ref(recorded.session);
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  gui_pass(0.5);
  assert_whys_are_free(&gui);
  assert_rounds(&gui, AUI_SCREEN_FIT, AUI_SCREEN_EXPORT);
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  g_object_unref(gui.session);
  recorded_clear(&recorded);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/keyboard/arm-pages", test_arm_pages);
  g_test_add_func("/ui/keyboard/arrows", test_arrows);
  g_test_add_func("/ui/keyboard/messages", test_messages);
  g_test_add_func("/ui/keyboard/result-pages", test_result_pages);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
