/* SPDX-License-Identifier: MIT */
/* Where the desktop's text is twice as large, plots follow, and the stops stay on a small screen.
 */
#include <string.h>

#include "gui.h"
#include "support/support.h"
#include "sweep/own_motion.h"
#include "ui/connect/connection.h"
#include "ui/kit/steps.h"
#include "ui/plot/plot.h"

static AuiApplication *application;

static void set_text_size(double scale) {
  g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", (int)(scale * 96 * PANGO_SCALE), NULL);
  gui_pass(0.4);
}

static AuiFigure *build(gpointer data) {
  (void)data;
  AuiFigure *figure = aui_figure_new("a title", "position", "deg", "current", "A");
  AuiSeries *series = aui_figure_add(figure, "measured", AUI_INK_BLUE, AUI_STROKE_SOLID, 2);
  series->x[1] = series->y[1] = 1.0;
  return figure;
}

/* Where the axes begin, from the left [px]. */
static int margin(AuiPlot *plot) {
  for (int px = 0; px < gtk_widget_get_width(GTK_WIDGET(plot)); px++) {
    g_autofree char *text = aui_plot_read_out(plot, px, 150.0);
    if (text)
      return px;
  }
  return -1;
}

/* The numbers beside the axes have as much more room as text is larger, but a picture that is
 * small stays whole. */
static void test_plot(void) {
  Gui gui;
  AuiPlot *plot = AUI_PLOT(aui_plot_new());
  aui_plot_set_build(plot, build, NULL);
  gui_show(&gui, NULL, GTK_WIDGET(plot), 640, 400);
  gui_pass(0.3);
  g_assert_cmpint(margin(plot), ==, AUI_MARGIN_LEFT);
  const guint before = aui_plot_frames(plot);
  set_text_size(2.0);
  g_assert_cmpuint(aui_plot_frames(plot), >, before);
  g_assert_cmpint(margin(plot), ==, 2 * AUI_MARGIN_LEFT);
  gui_shoot(&gui, "text-size-plot");
  gtk_window_set_default_size(GTK_WINDOW(gui.window), AUI_PLOT_LEAST_WIDTH + 20, 400);
  gui_pass(0.3);
  g_assert_cmpint(margin(plot), <, 2 * AUI_MARGIN_LEFT);
  set_text_size(1.0);
  gtk_window_destroy(GTK_WINDOW(gui.window));
}

/* ---- the table of a plot ---- */

static AuiFigure *build_long(gpointer data) {
  (void)data;
  AuiFigure *figure =
      aui_figure_new("residuals of joint 5 over the position, sweep 12", "position of the joint",
                     "deg", "measured less computed", "mA");
  AuiSeries *series = aui_figure_add(figure, "forward", AUI_INK_BLUE, AUI_STROKE_SOLID, 3);
  AuiSeries *long_one = aui_figure_add(figure,
                                       "a series that was given a name far longer than the "
                                       "heading",
                                       AUI_INK_BLUE, AUI_STROKE_SOLID, 1);
  for (guint k = 0; k < 3; k++)
    series->x[k] = series->y[k] = k / 3.0;
  long_one->x[0] = -12.3456;
  long_one->y[0] = 1.23456e-7;
  return figure;
}

static bool find_text(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_TEXT_VIEW(widget))
    *found = widget;
  return !*found;
}

/* Where each field of a line begins [px]; returns how many there are. */
static guint places(GtkTextView *view, int line, int at[4]) {
  GtkTextIter iter;
  GdkRectangle place;
  guint n = 0;
  gtk_text_buffer_get_iter_at_line(gtk_text_view_get_buffer(view), &iter, line);
  do {
    gtk_text_view_get_iter_location(view, &iter, &place);
    at[n++] = place.x;
    while (!gtk_text_iter_ends_line(&iter) && gtk_text_iter_get_char(&iter) != '\t')
      gtk_text_iter_forward_char(&iter);
  } while (n < 4 && !gtk_text_iter_ends_line(&iter) && gtk_text_iter_forward_char(&iter));
  return n;
}

static void check_table(Gui *gui, GtkWidget *plot, const char *picture) {
  GtkWidget *text = NULL;
  int heads[4], cells[4];
  g_assert_true(gtk_widget_activate_action(plot, "plot.table", NULL));
  gui_pass(0.4);
  gui_walk(plot, find_text, &text);
  g_assert_nonnull(text);
  const int lines = gtk_text_buffer_get_line_count(gtk_text_view_get_buffer(GTK_TEXT_VIEW(text)));
  g_assert_cmpuint(places(GTK_TEXT_VIEW(text), 0, heads), ==, 3);
  g_assert_cmpint(lines, ==, 1 + 4 + 1); /* the last one is empty */
  for (int line = 1; line < lines - 1; line++) {
    g_assert_cmpuint(places(GTK_TEXT_VIEW(text), line, cells), ==, 3);
    for (guint k = 0; k < 3; k++)
      g_assert_cmpint(cells[k], ==, heads[k]);
  }
  Gui popover = {.window = gtk_widget_get_ancestor(text, GTK_TYPE_POPOVER)};
  gui_shoot(&popover, picture);
  gtk_popover_popdown(GTK_POPOVER(popover.window));
  (void)gui;
}

/* Its columns begin where their headings do, however long these are. */
static void test_table(void) {
  Gui gui;
  GtkWidget *plot = aui_plot_new();
  aui_plot_set_build(AUI_PLOT(plot), build_long, NULL);
  gui_show(&gui, NULL, plot, 1100, 500);
  gui_pass(0.3);
  check_table(&gui, plot, "plot-table");
  set_text_size(2.0);
  check_table(&gui, plot, "plot-table-large");
  set_text_size(1.0);
  gtk_window_destroy(GTK_WINDOW(gui.window));
}

static int least(GtkWidget *widget, GtkOrientation orientation, int other) {
  int size;
  gtk_widget_measure(widget, orientation, other, &size, NULL, NULL, NULL);
  return size;
}

static void check_is_inside(GtkWidget *window, GtkWidget *widget) {
  graphene_rect_t at;
  g_assert_true(gtk_widget_compute_bounds(widget, window, &at));
  g_assert_cmpfloat(at.origin.x, >=, 0.0);
  g_assert_cmpfloat(at.origin.x + at.size.width, <=, gtk_widget_get_width(window));
  g_assert_cmpfloat(at.origin.y + at.size.height, <=, gtk_widget_get_height(window));
}

/* All of "Power off (arm may fall)". */
static void check_is_whole(GtkWidget *button) {
  PangoLayout *layout = gtk_label_get_layout(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(button))));
  g_assert_false(pango_layout_is_ellipsized(layout));
}

enum { WIDTH = 1280, HEIGHT = 800 };

static void check_shown_page(Gui *gui, const char *key) {
  static const char *const labels[] = {"Hold (Esc)", "Power off (arm may fall)", "Pause or cancel",
                                       "Messages"};
  g_autofree char *name = g_strdup_printf("text-size-%s", key);
  gui_pass(0.1);
  check_is_whole(gui_button(gui, "Power off (arm may fall)"));
  g_assert_cmpint(least(gui->window, GTK_ORIENTATION_HORIZONTAL, -1), <=, WIDTH);
  g_assert_cmpint(least(gui->window, GTK_ORIENTATION_VERTICAL, WIDTH), <=, HEIGHT);
  for (gsize k = 0; k < G_N_ELEMENTS(labels); k++)
    check_is_inside(gui->window, gui_button(gui, labels[k]));
  gui_shoot(gui, name);
}

/* Pages scroll then; the stops and the strip do not. */
static void test_window(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", 1.0);
  set_text_size(2.0);
  for (AuiScreen screen = AUI_SCREEN_CONNECT; screen < AUI_SCREENS; screen++) {
    aui_window_show_page(AUI_WINDOW(gui.window), aui_screen_key(screen));
    check_shown_page(&gui, aui_screen_key(screen));
  }
  own_motion_show(&gui);
  check_shown_page(&gui, "motion-empty");
  own_motion_show_taken(&gui);
  check_shown_page(&gui, "motion");
  g_test_message("%d x %d pixels at the least", least(gui.window, GTK_ORIENTATION_HORIZONTAL, -1),
                 least(gui.window, GTK_ORIENTATION_VERTICAL, WIDTH));
  set_text_size(1.0);
  gui_close(&gui);
}

/* ---- names ---- */

/* Sideways nothing has to be scrolled to. */
static bool see_page(GtkWidget *widget, void *data) {
  (void)data;
  if (GTK_IS_SCROLLED_WINDOW(widget) &&
      g_strcmp0(gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget)), "pages") == 0) {
    GtkAdjustment *across = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(widget));
    g_assert_cmpfloat(gtk_adjustment_get_upper(across), <=, gtk_adjustment_get_page_size(across));
  }
  return true;
}

/* The arm of a file, whose own name and that of its last joint are long, with no place where a line
 * could end. */
static char *long_names(void) {
  g_autofree char *text = NULL, *name = g_strnfill(200, 'W');
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/planar2r.arm.json"), &text, NULL, NULL));
  GString *named = g_string_new(text);
  const char key[] = "\"name\": \"";
  g_string_insert(named, g_strrstr(text, key) - text + (gssize)strlen(key), name);
  g_string_insert(named, strstr(text, key) - text + (gssize)strlen(key), name);
  char *path = g_build_filename(g_get_user_data_dir(), "long.arm.json", NULL);
  g_mkdir_with_parents(g_get_user_data_dir(), 0700);
  g_assert_true(g_file_set_contents(path, named->str, -1, NULL));
  g_string_free(named, TRUE);
  return path;
}

/* No page grows with them. */
static void test_names(void) {
  Gui gui;
  GError *error = NULL;
  g_autofree char *path = long_names();
  gui.session = aui_session_new(path, &error);
  g_assert_no_error(error);
  g_assert_true(aui_connect_simulated(gui.session, 20.0, &error));
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  gui_until(&gui, ASE_STEP_CHECK, 10.0);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  for (AuiScreen screen = AUI_SCREEN_CONNECT; screen < AUI_SCREENS; screen++) {
    g_autofree char *name = g_strdup_printf("names-%s", aui_screen_key(screen));
    aui_window_show_page(AUI_WINDOW(gui.window), aui_screen_key(screen));
    gui_pass(0.3);
    gui_shoot(&gui, name);
    gui_walk(gui.window, see_page, NULL);
  }
  aui_window_notice(AUI_WINDOW(gui.window), ase_session_arm(gui.session)->name);
  gui_pass(0.3);
  g_assert_cmpint(least(gui.window, GTK_ORIENTATION_HORIZONTAL, -1), <=, 1280);
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/text-size/plot", test_plot);
  g_test_add_func("/text-size/table", test_table);
  g_test_add_func("/text-size/names", test_names);
  g_test_add_func("/text-size/window", test_window);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
