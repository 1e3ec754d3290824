/* SPDX-License-Identifier: MIT */
/* Where the desktop's text is twice as large, plots follow. */
#include "gui.h"
#include "ui/plot.h"

static AuiApplication *application;

static void set_text_size(double scale) {
  g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", (int)(scale * 96 * PANGO_SCALE), NULL);
  gui_pass(0.2);
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

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/text-size/plot", test_plot);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
