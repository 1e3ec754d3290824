/* SPDX-License-Identifier: MIT */
/* Drawn when a frame is due and the plot is seen, at most 30 times a second, whatever comes in.
 * Axes only grow, in nice steps: a picture that jumps cannot be read. */
#include "ui/plot/plot.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "ui/kit/settings.h"
#include "ui/plot/plot_internal.h"

enum { FRAME_US = 33000 };

G_DEFINE_FINAL_TYPE(AuiPlot, aui_plot, GTK_TYPE_DRAWING_AREA)

enum { RANGE_SELECTED, SIGNALS };
static guint signals[SIGNALS];

void aui_plot_emit_range(AuiPlot *self, double low, double high) {
  g_signal_emit(self, signals[RANGE_SELECTED], 0, low, high);
}

/* ---- what is shown ---- */

static void describe(AuiPlot *self) {
  g_autofree char *x = aui_axis_label(&self->figure->x), *y = aui_axis_label(&self->figure->y);
  /* translators: "current [A] over position [deg]; ..." */
  g_autofree char *text =
      g_strdup_printf(_("%s over %s; T shows a table, Shift+F10 the menu"), y, x);
  const char *title = *self->figure->title ? self->figure->title : y;
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static void update_view(AuiPlot *self) {
  double x[2], y[2];
  if (aui_figure_bounds(self->figure, x, y)) {
    aui_range_include(&self->x, x[0], x[1]);
    aui_range_include(&self->y, y[0], y[1]);
  }
  aui_range_include(&self->x, self->figure->x.low, self->figure->x.high); /* NAN: nothing */
  if (self->is_zoomed)
    return;
  self->view = (AuiView){{0.0, 1.0}, {0.0, 1.0}};
  if (self->x.is_set)
    self->view.x[0] = self->x.low, self->view.x[1] = self->x.high;
  if (self->y.is_set)
    self->view.y[0] = self->y.low, self->view.y[1] = self->y.high;
}

static void update(AuiPlot *self) {
  if (!self->build || (self->figure && (!self->is_stale || self->is_frozen)))
    return;
  g_autofree char *title = self->figure ? g_strdup(self->figure->title) : NULL;
  aui_figure_free(self->figure);
  self->figure = self->build(self->build_data);
  self->is_stale = false;
  update_view(self);
  if (g_strcmp0(title, self->figure->title) != 0)
    describe(self);
}

const AuiFigure *aui_plot_figure(AuiPlot *self) {
  update(self);
  return self->figure;
}

const AuiView *aui_plot_view(AuiPlot *self) {
  update(self);
  return &self->view;
}

/* A picture is drawn for text of 96 dpi and made as much larger as the user has text, as far as
 * there is room for one. */
static double scale_of(AuiPlot *self) {
  const double width = gtk_widget_get_width(GTK_WIDGET(self)) / (double)AUI_PLOT_LEAST_WIDTH;
  const double height = gtk_widget_get_height(GTK_WIDGET(self)) / (double)AUI_PLOT_LEAST_HEIGHT;
  return fmin(aui_settings_text_scale(), fmax(1.0, fmin(width, height)));
}

AuiFrame aui_plot_frame(AuiPlot *self) {
  const double scale = scale_of(self);
  if (!self->figure)
    return (AuiFrame){0.0, 1.0, 0.0, 1.0};
  const AuiFrame f =
      aui_frame_of(self->figure, (int)(gtk_widget_get_width(GTK_WIDGET(self)) / scale),
                   (int)(gtk_widget_get_height(GTK_WIDGET(self)) / scale));
  return (AuiFrame){scale * f.left, scale * f.right, scale * f.top, scale * f.bottom};
}

char *aui_plot_read_out(AuiPlot *self, double px, double py) {
  const int width = gtk_widget_get_width(GTK_WIDGET(self));
  const int height = gtk_widget_get_height(GTK_WIDGET(self));
  double x, y;
  guint k;
  const AuiFrame frame = aui_plot_frame(self);
  if (!self->figure || !aui_view_at(&self->view, &frame, px, py, &x, &y))
    return NULL;
  const AuiAxis *ax = &self->figure->x, *ay = &self->figure->y;
  const double dx = (self->view.x[1] - self->view.x[0]) / width;
  const double dy = (self->view.y[1] - self->view.y[0]) / height;
  const AuiSeries *near = aui_figure_nearest(self->figure, x, y, dx, dy, &k);
  if (near && hypot((near->x[k] - x) / dx, (near->y[k] - y) / dy) < 24.0)
    return g_strdup_printf("%s: %s %.4g %s, %s %.4g %s", near->label, ax->name, near->x[k],
                           ax->unit, ay->name, near->y[k], ay->unit);
  return g_strdup_printf("%s %.4g %s, %s %.4g %s", ax->name, x, ax->unit, ay->name, y, ay->unit);
}

/* ---- drawing ---- */

/* Returns its height. */
static double draw_text(AuiPlot *self, cairo_t *cr, const char *text, double right, double top,
                        bool is_dark) {
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  int width, height;
  pango_layout_get_pixel_size(layout, &width, &height);
  const double ground = is_dark ? 0.12 : 1.0;
  cairo_set_source_rgba(cr, ground, ground, ground, 0.85);
  cairo_rectangle(cr, right - width - 12.0, top, width + 8.0, height + 4.0);
  cairo_fill(cr);
  const AuiColour ink = aui_ink_colour(AUI_INK_FOREGROUND, is_dark);
  cairo_set_source_rgb(cr, ink.red, ink.green, ink.blue);
  cairo_move_to(cr, right - width - 8.0, top + 2.0);
  pango_cairo_show_layout(cr, layout);
  return height + 4.0;
}

static char *cursor_text(const AuiPlot *self) {
  const char *unit = self->figure->x.unit;
  const double *c = self->cursor;
  if (isnan(c[0]) && isnan(c[1]))
    return NULL;
  if (isnan(c[0]) || isnan(c[1]))
    return g_strdup_printf("%s %.4g %s", isnan(c[0]) ? "B" : "A", isnan(c[0]) ? c[1] : c[0], unit);
  return g_strdup_printf("A %.4g, B %.4g, B-A %.4g %s", c[0], c[1], c[1] - c[0], unit);
}

static void draw_cursors(AuiPlot *self, cairo_t *cr, const AuiFrame *frame) {
  cairo_set_line_width(cr, 1.0);
  for (guint k = 0; k < 2; k++) {
    double px, py;
    if (!(self->cursor[k] >= self->view.x[0] && self->cursor[k] <= self->view.x[1]))
      continue;
    aui_view_pixel(&self->view, frame, self->cursor[k], 0.0, &px, &py);
    cairo_move_to(cr, floor(px) + 0.5, frame->top);
    cairo_line_to(cr, floor(px) + 0.5, frame->bottom);
    cairo_stroke(cr);
  }
  if (self->is_dragging) {
    const double *d = self->drag;
    cairo_rectangle(cr, d[0], self->is_selecting ? frame->top : d[1], d[2] - d[0],
                    self->is_selecting ? frame->bottom - frame->top : d[3] - d[1]);
    cairo_stroke(cr);
  }
}

static void draw_over(AuiPlot *self, cairo_t *cr, const AuiTheme *theme) {
  const AuiColour c = theme->foreground;
  const AuiFrame frame = aui_plot_frame(self);
  cairo_set_source_rgb(cr, c.red, c.green, c.blue);
  draw_cursors(self, cr, &frame);
  char *lines[] = {
      self->pointer[0] >= 0.0 ? aui_plot_read_out(self, self->pointer[0], self->pointer[1]) : NULL,
      cursor_text(self), self->is_frozen ? g_strdup(_("frozen (Space)")) : NULL};
  double top = frame.top + 6.0;
  for (guint k = 0; k < G_N_ELEMENTS(lines); k++) {
    if (lines[k])
      top += 2.0 + draw_text(self, cr, lines[k], frame.right - 4.0, top, theme->is_dark);
    g_free(lines[k]);
  }
}

static void on_draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data) {
  AuiPlot *self = AUI_PLOT(area);
  GdkRGBA rgba;
  (void)data;
  update(self);
  if (!self->figure || !self->painter)
    return;
  self->frames++;
  gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &rgba);
  const AuiTheme theme = {adw_style_manager_get_dark(adw_style_manager_get_default()),
                          {rgba.red, rgba.green, rgba.blue}};
  const double scale = scale_of(self);
  cairo_save(cr);
  cairo_scale(cr, scale, scale);
  aui_painter_draw(self->painter, cr, (int)(width / scale), (int)(height / scale), self->figure,
                   &self->view, &theme);
  cairo_restore(cr);
  draw_over(self, cr, &theme);
}

/* ---- frames ---- */

/* A frame that came late makes the next one due earlier, so that the rate is kept on a busy
 * machine.
 */
static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
  AuiPlot *self = AUI_PLOT(widget);
  const gint64 now = gdk_frame_clock_get_frame_time(clock);
  (void)data;
  if (now < self->due_us)
    return G_SOURCE_CONTINUE;
  self->due_us = MAX(self->due_us, now - FRAME_US) + FRAME_US;
  self->tick = 0;
  gtk_widget_queue_draw(widget);
  return G_SOURCE_REMOVE;
}

static void stop_tick(AuiPlot *self) {
  if (self->tick)
    gtk_widget_remove_tick_callback(GTK_WIDGET(self), self->tick);
  self->tick = 0;
}

void aui_plot_invalidate(AuiPlot *self) {
  self->is_stale = true;
  if (!self->tick && !self->is_frozen && gtk_widget_get_mapped(GTK_WIDGET(self)))
    self->tick = gtk_widget_add_tick_callback(GTK_WIDGET(self), on_tick, NULL, NULL);
}

static void aui_plot_map(GtkWidget *widget) {
  GTK_WIDGET_CLASS(aui_plot_parent_class)->map(widget);
  gtk_widget_queue_draw(widget);
}

static void aui_plot_size_allocate(GtkWidget *widget, int width, int height, int baseline) {
  AuiPlot *self = AUI_PLOT(widget);
  GTK_WIDGET_CLASS(aui_plot_parent_class)->size_allocate(widget, width, height, baseline);
  if (self->menu)
    gtk_popover_present(GTK_POPOVER(self->menu));
  if (self->table)
    gtk_popover_present(GTK_POPOVER(self->table));
}

static void aui_plot_unmap(GtkWidget *widget) {
  stop_tick(AUI_PLOT(widget));
  GTK_WIDGET_CLASS(aui_plot_parent_class)->unmap(widget);
}

/* ---- the view ---- */

void aui_plot_set_build(AuiPlot *self, AuiPlotBuild build, gpointer data) {
  self->build = build;
  self->build_data = data;
  aui_plot_restart(self);
}

void aui_plot_restart(AuiPlot *self) {
  self->x = self->y = (AuiRange){0};
  self->is_zoomed = self->is_frozen = false;
  self->cursor[0] = self->cursor[1] = NAN;
  aui_plot_invalidate(self);
}

static void zoom_axis(double range[2], double at, double factor) {
  double low = at + factor * (range[0] - at), high = at + factor * (range[1] - at);
  const double magnitude = fmax(fabs(low), fabs(high));
  if (high - low < 1e-5 * magnitude || !isfinite(high - low) || magnitude > 1e12)
    return;
  range[0] = low, range[1] = high;
}

void aui_plot_zoom(AuiPlot *self, double factor, double px, double py, bool only_x) {
  const AuiFrame frame = aui_plot_frame(self);
  double x, y;
  aui_view_at(&self->view, &frame, px, py, &x, &y);
  zoom_axis(self->view.x, CLAMP(x, self->view.x[0], self->view.x[1]), factor);
  if (!only_x)
    zoom_axis(self->view.y, CLAMP(y, self->view.y[0], self->view.y[1]), factor);
  self->is_zoomed = true;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void aui_plot_pan(AuiPlot *self, double part_x, double part_y) {
  const double dx = part_x * (self->view.x[1] - self->view.x[0]);
  const double dy = part_y * (self->view.y[1] - self->view.y[0]);
  for (guint k = 0; k < 2; k++)
    self->view.x[k] += dx, self->view.y[k] += dy;
  self->is_zoomed = true;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void aui_plot_fit(AuiPlot *self) {
  self->is_zoomed = false;
  self->x = self->y = (AuiRange){0};
  if (self->figure)
    update_view(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void aui_plot_set_frozen(AuiPlot *self, bool is_frozen) {
  self->is_frozen = is_frozen;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

guint aui_plot_frames(AuiPlot *self) {
  return self->frames;
}

void aui_plot_set_selecting(AuiPlot *self, bool is_selecting) {
  self->is_selecting = is_selecting;
}

/* ---- the object ---- */

GtkWidget *aui_plot_new(void) {
  return g_object_new(AUI_TYPE_PLOT, NULL);
}

static void aui_plot_init(AuiPlot *self) {
  g_autoptr(GError) error = NULL;
  self->painter = aui_painter_new(&error);
  if (!self->painter)
    g_warning("%s", error->message);
  self->pointer[0] = -1.0;
  self->cursor[0] = self->cursor[1] = NAN;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(self), TRUE);
  gtk_drawing_area_set_content_width(GTK_DRAWING_AREA(self), AUI_PLOT_LEAST_WIDTH);
  gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(self), AUI_PLOT_LEAST_HEIGHT);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(self), on_draw, NULL, NULL);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark",
                          G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(gtk_widget_get_settings(GTK_WIDGET(self)), "notify::gtk-xft-dpi",
                          G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  aui_plot_add_input(self);
  aui_plot_add_menu(self);
}

static void aui_plot_dispose(GObject *object) {
  AuiPlot *self = AUI_PLOT(object);
  stop_tick(self);
  self->build = NULL;
  g_clear_pointer(&self->menu, gtk_widget_unparent);
  g_clear_pointer(&self->table, gtk_widget_unparent);
  G_OBJECT_CLASS(aui_plot_parent_class)->dispose(object);
}

static void aui_plot_finalize(GObject *object) {
  AuiPlot *self = AUI_PLOT(object);
  aui_painter_free(self->painter);
  aui_figure_free(self->figure);
  G_OBJECT_CLASS(aui_plot_parent_class)->finalize(object);
}

static void aui_plot_class_init(AuiPlotClass *klass) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = aui_plot_dispose;
  G_OBJECT_CLASS(klass)->finalize = aui_plot_finalize;
  widget->map = aui_plot_map;
  widget->size_allocate = aui_plot_size_allocate;
  widget->unmap = aui_plot_unmap;
  gtk_widget_class_set_css_name(widget, "plot");
  gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_IMG);
  aui_plot_input_class_init(widget);
  aui_plot_menu_class_init(widget);
  signals[RANGE_SELECTED] =
      g_signal_new("range-selected", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                   NULL, G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
}
