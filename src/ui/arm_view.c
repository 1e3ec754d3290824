/* SPDX-License-Identifier: MIT */
#include "ui/arm_view.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

struct _AuiArmView {
  GtkDrawingArea parent_instance;
  ArmModel model;
  double q[ARM_MAX_JOINTS];
  double azimuth, elevation; /* of the eye [rad] */
  double azimuth0, elevation0;
};

G_DEFINE_FINAL_TYPE(AuiArmView, aui_arm_view, GTK_TYPE_DRAWING_AREA)

/* Where points of the base frame are in the picture: right and up are unit vectors there. */
typedef struct {
  cairo_t *cr;
  double right[3], up[3], scale, x0, y0;
} View;

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double *a) {
  const double length = sqrt(dot(a, a));
  for (int k = 0; k < 3 && length > 0.0; k++)
    a[k] /= length;
}

/* Against gravity, and two horizontal directions. */
static void horizon(const ArmModel *model, double up[3], double east[3], double north[3]) {
  for (int k = 0; k < 3; k++)
    up[k] = -model->gravity_m_s2[k];
  normalise(up);
  const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
  cross(up, fabs(up[0]) < 0.9 ? x : y, north);
  normalise(north);
  cross(north, up, east);
}

/* The farthest that the arm can come from its base [m]. */
static double reach(const ArmModel *model) {
  double sum = 0.0;
  for (size_t i = 0; i < model->n; i++) {
    const ArmJoint *joint = &model->joints[i];
    sum += sqrt(dot(joint->translation, joint->translation));
    if (joint->type == ARM_JOINT_T)
      sum += fabs(joint->offset) + (isnan(joint->limits.q_max) ? 0.0 : fabs(joint->limits.q_max));
  }
  return fmax(sum, 1e-3);
}

static void view_init(View *view, const AuiArmView *self, int width, int height) {
  double up[3], east[3], north[3];
  const double ca = cos(self->azimuth), sa = sin(self->azimuth);
  const double ce = cos(self->elevation), se = sin(self->elevation);
  horizon(&self->model, up, east, north);
  for (int k = 0; k < 3; k++) {
    view->right[k] = ca * north[k] - sa * east[k];
    view->up[k] = ce * up[k] - se * (ca * east[k] + sa * north[k]);
  }
  view->scale = 0.62 * MIN(width, height) / reach(&self->model);
  view->x0 = 0.5 * width;
  view->y0 = 0.72 * height;
}

static double x_of(const View *view, const double *p) {
  return view->x0 + view->scale * dot(view->right, p);
}

static double y_of(const View *view, const double *p) {
  return view->y0 - view->scale * dot(view->up, p);
}

static void draw_line(const View *view, const double *a, const double *b) {
  cairo_move_to(view->cr, x_of(view, a), y_of(view, a));
  cairo_line_to(view->cr, x_of(view, b), y_of(view, b));
  cairo_stroke(view->cr);
}

/* Squares on the ground through the base, as wide as the reach. */
static void draw_ground(const View *view, const ArmModel *model, const GdkRGBA *ink) {
  enum { LINES = 4 };
  double up[3], east[3], north[3];
  const double size = 0.8 * reach(model);
  horizon(model, up, east, north);
  cairo_set_source_rgba(view->cr, ink->red, ink->green, ink->blue, 0.18);
  cairo_set_line_width(view->cr, 1.0);
  for (int line = -LINES; line <= LINES; line++) {
    double a[3], b[3], c[3], d[3];
    for (int k = 0; k < 3; k++) {
      const double along = size * line / LINES;
      a[k] = along * east[k] - size * north[k], b[k] = along * east[k] + size * north[k];
      c[k] = along * north[k] - size * east[k], d[k] = along * north[k] + size * east[k];
    }
    draw_line(view, a, b);
    draw_line(view, c, d);
  }
}

static void draw_joint(const View *view, const ArmJoint *joint, const double *rotation,
                       const double *p, double size) {
  double a[3], b[3];
  for (int k = 0; k < 3; k++) {
    a[k] = p[k] - size * rotation[3 * k + 2];
    b[k] = p[k] + size * rotation[3 * k + 2];
  }
  cairo_set_line_width(view->cr, 3.0);
  if (joint->type == ARM_JOINT_R)
    cairo_set_source_rgb(view->cr, 0.90, 0.62, 0.0); /* orange: turns */
  else
    cairo_set_source_rgb(view->cr, 0.0, 0.62, 0.45); /* green: slides */
  draw_line(view, a, b);
  cairo_arc(view->cr, x_of(view, p), y_of(view, p), 4.5, 0.0, 2.0 * G_PI);
  cairo_fill(view->cr);
}

static void draw_number(const View *view, size_t joint, const double *p, const GdkRGBA *ink) {
  char text[8];
  g_snprintf(text, sizeof text, "%zu", joint + 1);
  cairo_set_source_rgba(view->cr, ink->red, ink->green, ink->blue, 1.0);
  /* joints in one point stand side by side */
  cairo_move_to(view->cr, x_of(view, p) + 8.0 + 9.0 * (double)joint, y_of(view, p) - 8.0);
  cairo_set_font_size(view->cr, 13.0);
  cairo_show_text(view->cr, text);
}

static void draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data) {
  AuiArmView *self = AUI_ARM_VIEW(area);
  double rotation[ARM_MAX_JOINTS][9], p[ARM_MAX_JOINTS][3];
  const double base[3] = {0.0, 0.0, 0.0};
  View view = {.cr = cr};
  GdkRGBA ink;
  (void)data;
  if (self->model.n == 0)
    return;
  gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(area)), &ink);
  arm_model_poses(&self->model, self->q, rotation, p);
  view_init(&view, self, width, height);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  draw_ground(&view, &self->model, &ink);
  cairo_set_source_rgba(cr, ink.red, ink.green, ink.blue, 0.85);
  cairo_set_line_width(cr, 5.0);
  for (size_t i = 0; i < self->model.n; i++)
    draw_line(&view, i ? p[i - 1] : base, p[i]);
  for (size_t i = 0; i < self->model.n; i++)
    draw_joint(&view, &self->model.joints[i], rotation[i], p[i], 0.05 * reach(&self->model));
  for (size_t i = 0; i < self->model.n; i++)
    draw_number(&view, i, p[i], &ink);
}

/* ---- turning ---- */

static void turn(AuiArmView *self, double azimuth, double elevation) {
  self->azimuth = azimuth;
  self->elevation = CLAMP(elevation, -0.5 * G_PI, 0.5 * G_PI);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void on_begin(AuiArmView *self) {
  self->azimuth0 = self->azimuth;
  self->elevation0 = self->elevation;
  gtk_widget_grab_focus(GTK_WIDGET(self));
}

static void on_drag(AuiArmView *self, double dx, double dy) {
  turn(self, self->azimuth0 - 0.01 * dx, self->elevation0 + 0.01 * dy);
}

static gboolean on_key(AuiArmView *self, guint key) {
  const double step = 0.1;
  switch (key) {
  case GDK_KEY_Left:
    turn(self, self->azimuth + step, self->elevation);
    return GDK_EVENT_STOP;
  case GDK_KEY_Right:
    turn(self, self->azimuth - step, self->elevation);
    return GDK_EVENT_STOP;
  case GDK_KEY_Up:
    turn(self, self->azimuth, self->elevation + step);
    return GDK_EVENT_STOP;
  case GDK_KEY_Down:
    turn(self, self->azimuth, self->elevation - step);
    return GDK_EVENT_STOP;
  default:
    return GDK_EVENT_PROPAGATE;
  }
}

void aui_arm_view_show(AuiArmView *self, const ArmModel *model, const double *q) {
  self->model = *model;
  memcpy(self->q, q, model->n * sizeof *q);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void aui_arm_view_class_init(AuiArmViewClass *class) {
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_IMG);
}

static void aui_arm_view_init(AuiArmView *self) {
  GtkWidget *widget = GTK_WIDGET(self);
  GtkGesture *drag = gtk_gesture_drag_new();
  GtkEventController *keys = gtk_event_controller_key_new();
  self->azimuth = 0.6, self->elevation = 0.35;
  gtk_widget_set_focusable(widget, true);
  g_signal_connect_object(drag, "drag-begin", G_CALLBACK(on_begin), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(drag, "drag-update", G_CALLBACK(on_drag), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_key), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_add_controller(widget, keys);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(self), draw, NULL, NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Picture of the arm in its present pose; arrow keys turn it"),
                                 -1);
}
