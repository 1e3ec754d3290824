/* SPDX-License-Identifier: MIT */
/* Where the desktop's text is twice as large, plots follow, and the stops stay on a small screen.
 */
#include "gui.h"
#include "ui/plot.h"
#include "ui/steps.h"

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

/* Pages scroll then; the stops and the strip do not. */
static void test_window(void) {
  enum { WIDTH = 1280, HEIGHT = 800 };
  static const char *const labels[] = {"Hold (Esc)", "Power off (arm may fall)", "Pause or cancel",
                                       "Messages"};
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", 1.0);
  set_text_size(2.0);
  for (AuiScreen screen = AUI_SCREEN_CONNECT; screen < AUI_SCREENS; screen++) {
    g_autofree char *name = g_strdup_printf("text-size-%s", aui_screen_key(screen));
    aui_window_show_page(AUI_WINDOW(gui.window), aui_screen_key(screen));
    gui_pass(0.1);
    g_assert_cmpint(least(gui.window, GTK_ORIENTATION_HORIZONTAL, -1), <=, WIDTH);
    g_assert_cmpint(least(gui.window, GTK_ORIENTATION_VERTICAL, WIDTH), <=, HEIGHT);
    for (gsize k = 0; k < G_N_ELEMENTS(labels); k++)
      check_is_inside(gui.window, gui_button(&gui, labels[k]));
    gui_shoot(&gui, name);
  }
  g_test_message("%d x %d pixels at the least", least(gui.window, GTK_ORIENTATION_HORIZONTAL, -1),
                 least(gui.window, GTK_ORIENTATION_VERTICAL, WIDTH));
  set_text_size(1.0);
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/text-size/plot", test_plot);
  g_test_add_func("/text-size/window", test_window);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
