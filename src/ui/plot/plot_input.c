/* SPDX-License-Identifier: MIT */
/* Mouse and keyboard of a plot: each does all that the other does, and the keys are actions of the
 * widget class, so that menu and screen reader find them, too. */
#include <math.h>

#include "ui/plot/plot_internal.h"

/* ---- actions ---- */

static void on_fit(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  aui_plot_fit(AUI_PLOT(widget));
}

static void on_freeze(GtkWidget *widget, const char *name, GVariant *parameter) {
  AuiPlot *self = AUI_PLOT(widget);
  (void)name, (void)parameter;
  aui_plot_set_frozen(self, !self->is_frozen);
}

static void on_zoom(GtkWidget *widget, const char *name, GVariant *factor) {
  (void)name;
  aui_plot_zoom(AUI_PLOT(widget), g_variant_get_double(factor), 0.5 * gtk_widget_get_width(widget),
                0.5 * gtk_widget_get_height(widget), false);
}

static void on_pan(GtkWidget *widget, const char *name, GVariant *parts) {
  double x, y;
  (void)name;
  g_variant_get(parts, "(dd)", &x, &y);
  aui_plot_pan(AUI_PLOT(widget), x, y);
}

void aui_plot_input_class_init(GtkWidgetClass *klass) {
  static const struct {
    guint key;
    double x, y;
  } arrows[] = {{GDK_KEY_Left, -0.1, 0.0},
                {GDK_KEY_Right, 0.1, 0.0},
                {GDK_KEY_Down, 0.0, -0.1},
                {GDK_KEY_Up, 0.0, 0.1}};
  gtk_widget_class_install_action(klass, "plot.fit", NULL, on_fit);
  gtk_widget_class_install_action(klass, "plot.freeze", NULL, on_freeze);
  gtk_widget_class_install_action(klass, "plot.zoom", "d", on_zoom);
  gtk_widget_class_install_action(klass, "plot.pan", "(dd)", on_pan);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_Home, 0, "plot.fit", NULL);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_space, 0, "plot.freeze", NULL);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_plus, 0, "plot.zoom", "d", 0.8);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_KP_Add, 0, "plot.zoom", "d", 0.8);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_minus, 0, "plot.zoom", "d", 1.25);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_KP_Subtract, 0, "plot.zoom", "d", 1.25);
  for (guint k = 0; k < G_N_ELEMENTS(arrows); k++)
    gtk_widget_class_add_binding_action(klass, arrows[k].key, 0, "plot.pan", "(dd)", arrows[k].x,
                                        arrows[k].y);
}

/* ---- mouse ---- */

static void on_motion(GtkEventControllerMotion *controller, double x, double y, AuiPlot *self) {
  (void)controller;
  self->pointer[0] = x, self->pointer[1] = y;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void on_leave(GtkEventControllerMotion *controller, AuiPlot *self) {
  (void)controller;
  self->pointer[0] = -1.0;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static gboolean on_scroll(GtkEventControllerScroll *controller, double dx, double dy,
                          AuiPlot *self) {
  const GdkModifierType state =
      gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));
  const bool only_x = state & GDK_SHIFT_MASK;
  aui_plot_zoom(self, pow(1.2, dx + dy), self->pointer[0], self->pointer[1], only_x);
  return TRUE;
}

static bool find(AuiPlot *self, double px, double py, double *x, double *y) {
  const AuiFrame frame = aui_plot_frame(self);
  return aui_view_at(&self->view, &frame, px, py, x, y);
}

static void on_pressed(GtkGestureClick *gesture, int n, double px, double py, AuiPlot *self) {
  const GdkModifierType state =
      gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
  double x, y;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (n == 2)
    aui_plot_fit(self);
  else if (find(self, px, py, &x, &y) && !self->is_selecting)
    self->cursor[state & GDK_SHIFT_MASK ? 1 : 0] = x;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void on_drag_update(GtkGestureDrag *gesture, double dx, double dy, AuiPlot *self) {
  double x, y;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  self->is_dragging = fabs(dx) > 6.0;
  const double drag[4] = {x, y, x + dx, y + dy};
  for (guint k = 0; k < 4; k++)
    self->drag[k] = drag[k];
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void choose(AuiPlot *self, double dx, double dy) {
  double x0, y0, x1, y1;
  find(self, self->drag[0], self->drag[1], &x0, &y0);
  find(self, self->drag[2], self->drag[3], &x1, &y1);
  if (self->is_selecting) {
    aui_plot_emit_range(self, fmin(x0, x1), fmax(x0, x1));
    return;
  }
  self->cursor[0] = NAN; /* that the press had put */
  if (fabs(dx) < 6.0 || fabs(dy) < 6.0)
    return;
  self->view = (AuiView){{fmin(x0, x1), fmax(x0, x1)}, {fmin(y0, y1), fmax(y0, y1)}};
  self->is_zoomed = true;
}

static void on_drag_end(GtkGestureDrag *gesture, double dx, double dy, AuiPlot *self) {
  const bool was_dragging = self->is_dragging;
  (void)gesture;
  self->is_dragging = false;
  if (was_dragging)
    choose(self, dx, dy);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void on_pan_begin(GtkGestureDrag *gesture, double x, double y, AuiPlot *self) {
  (void)gesture, (void)x, (void)y;
  self->drag_view = self->view;
}

static void on_pan_update(GtkGestureDrag *gesture, double dx, double dy, AuiPlot *self) {
  (void)gesture;
  const AuiFrame frame = aui_plot_frame(self);
  self->view = self->drag_view;
  aui_plot_pan(self, -dx / (frame.right - frame.left), dy / (frame.bottom - frame.top));
}

static GtkEventController *add(AuiPlot *self, void *controller) {
  gtk_widget_add_controller(GTK_WIDGET(self), controller);
  return controller;
}

void aui_plot_add_input(AuiPlot *self) {
  GtkEventController *motion = add(self, gtk_event_controller_motion_new());
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), self);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), self);
  g_signal_connect(add(self, gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)),
                   "scroll", G_CALLBACK(on_scroll), self);
  g_signal_connect(add(self, gtk_gesture_click_new()), "pressed", G_CALLBACK(on_pressed), self);
  GtkEventController *drag = add(self, gtk_gesture_drag_new());
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), self);
  GtkEventController *pan = add(self, gtk_gesture_drag_new());
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(pan), GDK_BUTTON_MIDDLE);
  g_signal_connect(pan, "drag-begin", G_CALLBACK(on_pan_begin), self);
  g_signal_connect(pan, "drag-update", G_CALLBACK(on_pan_update), self);
}
