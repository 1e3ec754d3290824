/* SPDX-License-Identifier: MIT */
/* All messages of a session in its window: kept up to a bound, followed, read further up, copied.
 * (Keys: test_keyboard.c.) */
#include <math.h>
#include <string.h>

#include "gui.h"
#include "ui/kit/strip.h"

static AuiApplication *application;

static bool find_log(GtkWidget *widget, void *data) {
  if (GTK_IS_LIST_VIEW(widget))
    *(GtkWidget **)data = widget;
  return true;
}

static void say_many(AuiStrip *strip) {
  for (guint k = 0; k < 50; k++) {
    g_autofree char *line = g_strdup_printf("message %u", k);
    aui_strip_say(strip, 0, line);
  }
  gui_pass(0.5);
}

static GtkWidget *open_log(Gui *gui) {
  GtkWidget *log = NULL;
  gui_open(gui, application, "planar2r", 20.0);
  AuiStrip *strip = aui_window_strip(AUI_WINDOW(gui->window));
  say_many(strip);
  aui_strip_toggle_log(strip);
  gui_pass(0.8);
  gui_walk(GTK_WIDGET(strip), find_log, &log);
  g_assert_nonnull(log);
  return log;
}

static GtkSelectionModel *model_of(GtkWidget *log) {
  return gtk_list_view_get_model(GTK_LIST_VIEW(log));
}

static const char *line_of(GtkWidget *log, guint line) {
  g_autoptr(GtkStringObject) item = g_list_model_get_item(G_LIST_MODEL(model_of(log)), line);
  return gtk_string_object_get_string(item);
}

static GtkAdjustment *waited_for;

static bool is_at_end(Gui *gui) {
  (void)gui;
  return gtk_adjustment_get_value(waited_for) + gtk_adjustment_get_page_size(waited_for) >=
         gtk_adjustment_get_upper(waited_for) - 1.0;
}

/* A message has a frame to be laid out in, and another one to be scrolled to. */
static void wait_for_end(Gui *gui, GtkAdjustment *at) {
  gui_pass(0.1);
  waited_for = at;
  gui_wait(is_at_end, gui, 5.0, "the newest line");
}

static bool is_full(Gui *gui) {
  (void)gui;
  return gtk_adjustment_get_upper(waited_for) > 2000.0 * 10.0;
}

/* The newest 2000 stay, and are followed though none of them makes the list any longer. */
static void expect_kept(Gui *gui, GtkWidget *log, GtkAdjustment *at) {
  AuiStrip *strip = aui_window_strip(AUI_WINDOW(gui->window));
  for (guint k = 0; k < 2100; k++)
    aui_strip_say(strip, 0, k < 2099 ? "kept" : "the newest");
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model_of(log))), ==, 2000);
  g_assert_true(g_str_has_suffix(line_of(log, 0), "  kept"));
  g_assert_true(g_str_has_suffix(line_of(log, 1999), "  the newest"));
  waited_for = at;
  gui_wait(is_full, gui, 5.0, "2000 lines");
  gtk_adjustment_set_value(at, gtk_adjustment_get_upper(at));
  for (guint k = 0; k < 3; k++) {
    gui_pass(0.3);
    wait_for_end(gui, at);
    aui_strip_say(strip, 0, "one more");
  }
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model_of(log))), ==, 2000);
}

static void note_highest(GtkAdjustment *at, double *highest) {
  *highest = fmax(*highest, gtk_adjustment_get_value(at));
}

/* Not amid the layout that tells the height, which would forget it. */
static void expect_patience(Gui *gui, GtkAdjustment *at) {
  const double was = gtk_adjustment_get_value(at);
  double highest = was;
  const gulong handler = g_signal_connect(at, "value-changed", G_CALLBACK(note_highest), &highest);
  gtk_adjustment_set_upper(at, gtk_adjustment_get_upper(at) + gtk_adjustment_get_page_size(at));
  g_assert_cmpfloat(gtk_adjustment_get_value(at), ==, was);
  for (guint k = 0; k < 50 && highest <= was; k++)
    gui_pass(0.1);
  g_assert_cmpfloat(highest, >, was);
  wait_for_end(gui, at);
  g_signal_handler_disconnect(at, handler);
}

enum { FLOOD = 40 };

typedef struct {
  AuiStrip *strip;
  GtkAdjustment *at;
  guint frames;
  double begin, end; /* where the list was then */
} Flood;

static gboolean on_flood(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
  Flood *flood = data;
  (void)widget, (void)clock;
  if (flood->frames++ < FLOOD) {
    aui_strip_say(flood->strip, 0, "one of many");
    return G_SOURCE_CONTINUE;
  }
  flood->end = gtk_adjustment_get_value(flood->at);
  return G_SOURCE_REMOVE;
}

/* A message in every frame, without a pause. */
static void expect_flood(Gui *gui, GtkAdjustment *at) {
  Flood flood = {aui_window_strip(AUI_WINDOW(gui->window)), at, 0, gtk_adjustment_get_value(at),
                 NAN};
  gtk_widget_add_tick_callback(gui->window, on_flood, &flood, NULL);
  for (guint k = 0; k < 100 && isnan(flood.end); k++)
    gui_pass(0.1);
  g_assert_cmpfloat(flood.end, >, flood.begin + 0.5 * FLOOD * 10.0);
}

/* The newest message is in sight, unless somebody reads further up. */
static void test_log(void) {
  Gui gui;
  GtkWidget *log = open_log(&gui);
  AuiStrip *strip = aui_window_strip(AUI_WINDOW(gui.window));
  GtkAdjustment *at = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(log));
  const double page = gtk_adjustment_get_page_size(at);
  g_assert_cmpfloat(gtk_adjustment_get_upper(at), >, 2.0 * page);
  for (guint k = 0; k < 2; k++) {
    wait_for_end(&gui, at);
    say_many(strip);
  }
  wait_for_end(&gui, at);
  expect_patience(&gui, at);
  expect_flood(&gui, at);
  wait_for_end(&gui, at);
  gtk_adjustment_set_value(at, 10.0);
  say_many(strip);
  g_assert_cmpfloat(gtk_adjustment_get_value(at), ==, 10.0);
  expect_kept(&gui, log, at);
  gui_close(&gui);
}

static void on_text(GObject *clipboard, GAsyncResult *result, gpointer text) {
  *(char **)text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
}

/* What Ctrl+C leaves in the clipboard, without the times; g_strfreev. */
static char **copy(GtkWidget *log) {
  g_autofree char *text = NULL;
  g_assert_true(gtk_widget_activate_action(log, "messages.copy", NULL));
  gdk_clipboard_read_text_async(gtk_widget_get_clipboard(log), NULL, on_text, &text);
  for (guint k = 0; k < 50 && !text; k++)
    gui_pass(0.1);
  g_assert_nonnull(text);
  char **lines = g_strsplit(text, "\n", -1);
  for (guint k = 0; lines[k] && *lines[k]; k++)
    memmove(lines[k], lines[k] + strlen("12:34:56  "), strlen(lines[k] + 10) + 1);
  return lines;
}

/* Lines are copied that are chosen, oldest first. */
static void test_copy(void) {
  Gui gui;
  GtkWidget *log = open_log(&gui);
  GtkSelectionModel *model = model_of(log);
  const guint n = g_list_model_get_n_items(G_LIST_MODEL(model));
  gtk_selection_model_select_item(model, n - 1, TRUE);
  gtk_selection_model_select_item(model, n - 3, FALSE);
  g_auto(GStrv) two = copy(log);
  g_assert_cmpuint(g_strv_length(two), ==, 3); /* the last one is empty */
  g_assert_cmpstr(two[0], ==, "message 47");
  g_assert_cmpstr(two[1], ==, "message 49");
  g_assert_cmpstr(two[2], ==, "");
  g_assert_true(gtk_widget_activate_action(log, "messages.select-all", NULL));
  g_auto(GStrv) all = copy(log);
  g_assert_cmpuint(g_strv_length(all), ==, n + 1);
  g_assert_cmpstr(all[n - 50], ==, "message 0");
  gui_close(&gui);
}

static bool see_heights(GtkWidget *widget, void *data) {
  int *heights = data; /* of a short and of a long line [px] */
  if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget))
    heights[strlen(gtk_label_get_text(GTK_LABEL(widget))) > 200] = gtk_widget_get_height(widget);
  return true;
}

/* Long ones are broken, none is cut off. */
static void test_looks(void) {
  AdwStyleManager *style = adw_style_manager_get_default();
  Gui gui;
  int heights[2] = {0, 0};
  GtkWidget *log = open_log(&gui);
  AuiStrip *strip = aui_window_strip(AUI_WINDOW(gui.window));
  aui_strip_say(strip, 2,
                "the check failed: gear.ratio[1]: expected 110 as in the arm file, found 100 in "
                "the controller; gear.ratio[2]: expected 110 as in the arm file, found 100 in the "
                "controller; nothing can be armed until one of the two is corrected");
  aui_strip_say(strip, 1, "the cable was pulled; the last position is kept");
  aui_strip_say(strip, 0, "connected again");
  gtk_selection_model_select_item(model_of(log),
                                  g_list_model_get_n_items(G_LIST_MODEL(model_of(log))) - 2, TRUE);
  gui_pass(0.5);
  gui_walk(log, see_heights, heights);
  g_assert_cmpint(heights[0], >, 0);
  g_assert_cmpint(heights[1], >=, 2 * heights[0]);
  gui_shoot(&gui, "messages-light");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK);
  gui_pass(0.5);
  gui_shoot(&gui, "messages-dark");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/messages/log", test_log);
  g_test_add_func("/ui/messages/copy", test_copy);
  g_test_add_func("/ui/messages/looks", test_looks);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
