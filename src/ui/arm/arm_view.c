/* SPDX-License-Identifier: MIT */
/* Drawn with cairo as lines: a picture to compare with the arm beside it, not a model of it. Shadow
 * and ground tell depth; colours are Okabe and Ito's, which differ for every eye. */
#include "ui/arm/arm_view.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/arm/arm_projection.h"
#include "ui/kit/settings.h"

enum { GROUND_LINES = 4, WAY_POINTS = 48 };
#define AZIMUTH   0.6 /* of the first view [rad] */
#define ELEVATION 0.35

struct _AuiArmView {
  GtkDrawingArea parent_instance;
  ArmModel model;
  double q[ARM_MAX_JOINTS];
  bool has_ghost, has_way;
  double ghost[ARM_MAX_JOINTS], from[ARM_MAX_JOINTS];
  guint marked;                    /* joint from 1, 0: none */
  double azimuth, elevation, zoom; /* of the eye [rad] */
  double azimuth0, elevation0;     /* where a drag began */
};

G_DEFINE_FINAL_TYPE(AuiArmView, aui_arm_view, GTK_TYPE_DRAWING_AREA)

typedef struct {
  cairo_t *cr;
  AuiProjection at;
  GdkRGBA ink, accent;
} View;

typedef struct {
  double rotation[ARM_MAX_JOINTS][9], p[ARM_MAX_JOINTS + 1][3]; /* the last is the tool */
} Pose;

/* Colours of Okabe and Ito, which differ for every eye; the blue that shows on this background. */
static const GdkRGBA turns = {0.90f, 0.62f, 0.0f, 1.0f}, slides = {0.0f, 0.62f, 0.45f, 1.0f};
static const GdkRGBA blue = {0.0f, 0.45f, 0.70f, 1.0f}, sky = {0.34f, 0.71f, 0.91f, 1.0f};

static void set_ink(const View *view, const GdkRGBA *colour, double alpha) {
  cairo_set_source_rgba(view->cr, colour->red, colour->green, colour->blue, alpha);
}

static void line_to(const View *view, const double *p) {
  cairo_line_to(view->cr, aui_projection_x(&view->at, p), aui_projection_y(&view->at, p));
}

static void draw_line(const View *view, const double *a, const double *b) {
  line_to(view, a);
  line_to(view, b);
  cairo_stroke(view->cr);
}

/* Squares on the ground through the base, as wide as the reach. */
static void draw_ground(const View *view, const ArmModel *model) {
  double up[3], east[3], north[3];
  const double size = 0.8 * aui_arm_reach(model);
  aui_horizon(model, up, east, north);
  set_ink(view, &view->ink, 0.14);
  cairo_set_line_width(view->cr, 1.0);
  for (int line = -GROUND_LINES; line <= GROUND_LINES; line++) {
    double a[3], b[3], c[3], d[3];
    for (int k = 0; k < 3; k++) {
      const double along = size * line / GROUND_LINES;
      a[k] = along * east[k] - size * north[k], b[k] = along * east[k] + size * north[k];
      c[k] = along * north[k] - size * east[k], d[k] = along * north[k] + size * east[k];
    }
    draw_line(view, a, b);
    draw_line(view, c, d);
  }
}

/* What the sun at noon would show: it tells how far a point is from the eye. */
static void draw_shadow(const View *view, const ArmModel *model, const Pose *pose) {
  double up[3], east[3], north[3];
  aui_horizon(model, up, east, north);
  set_ink(view, &view->ink, 0.16);
  cairo_set_line_width(view->cr, 5.0);
  line_to(view, (double[3]){0.0, 0.0, 0.0});
  for (size_t i = 0; i <= model->n; i++) {
    const double *p = pose->p[i];
    const double height = up[0] * p[0] + up[1] * p[1] + up[2] * p[2];
    line_to(view, (double[3]){p[0] - height * up[0], p[1] - height * up[1], p[2] - height * up[2]});
  }
  cairo_stroke(view->cr);
}

static void draw_links(const View *view, const ArmModel *model, const Pose *pose) {
  line_to(view, (double[3]){0.0, 0.0, 0.0});
  for (size_t i = 0; i <= model->n; i++)
    line_to(view, pose->p[i]);
  cairo_stroke(view->cr);
}

static void draw_joint(const View *view, const ArmModel *model, const Pose *pose, size_t i,
                       bool is_marked) {
  const double size = (is_marked ? 0.16 : 0.05) * aui_arm_reach(model);
  const double *rotation = pose->rotation[i], *p = pose->p[i];
  double a[3], b[3];
  for (int k = 0; k < 3; k++) {
    a[k] = p[k] - size * rotation[3 * k + 2];
    b[k] = p[k] + size * rotation[3 * k + 2];
  }
  cairo_set_line_width(view->cr, is_marked ? 5.0 : 3.0);
  set_ink(view, model->joints[i].type == ARM_JOINT_R ? &turns : &slides, 1.0);
  draw_line(view, a, b);
  cairo_arc(view->cr, aui_projection_x(&view->at, p), aui_projection_y(&view->at, p),
            is_marked ? 7.0 : 4.5, 0.0, 2.0 * G_PI);
  cairo_fill(view->cr);
}

/* How many joints before this one have their axes in the same place of the picture. */
static guint count_before(const View *view, const Pose *pose, size_t joint) {
  guint before = 0;
  for (size_t i = 0; i < joint; i++)
    if (hypot(aui_projection_x(&view->at, pose->p[i]) - aui_projection_x(&view->at, pose->p[joint]),
              aui_projection_y(&view->at, pose->p[i]) -
                  aui_projection_y(&view->at, pose->p[joint])) < 12.0)
      before++;
  return before;
}

static void draw_number(const View *view, const Pose *pose, size_t joint, bool is_marked) {
  const double scale = aui_settings_text_scale();
  char text[8];
  g_snprintf(text, sizeof text, "%zu", joint + 1);
  set_ink(view, &view->ink, 1.0);
  cairo_select_font_face(view->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         is_marked ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(view->cr, (is_marked ? 17.0 : 13.0) * scale);
  cairo_move_to(view->cr,
                aui_projection_x(&view->at, pose->p[joint]) + 9.0 +
                    12.0 * scale * count_before(view, pose, joint),
                aui_projection_y(&view->at, pose->p[joint]) - 9.0);
  cairo_show_text(view->cr, text);
}

/* In accent colour and dashed: a pose that is planned, and the way of the tool to it. */
static void draw_ghost(const AuiArmView *self, const View *view) {
  const double dashes[] = {7.0, 5.0};
  Pose pose;
  aui_arm_points(&self->model, self->ghost, pose.rotation, pose.p);
  set_ink(view, &view->accent, 0.45);
  cairo_set_line_width(view->cr, 5.0);
  draw_links(view, &self->model, &pose);
  if (!self->has_way)
    return;
  for (int step = 0; step <= WAY_POINTS; step++) {
    double q[ARM_MAX_JOINTS];
    for (size_t i = 0; i < self->model.n; i++)
      q[i] = self->from[i] + (self->ghost[i] - self->from[i]) * step / WAY_POINTS;
    aui_arm_points(&self->model, q, pose.rotation, pose.p);
    line_to(view, pose.p[self->model.n]);
  }
  set_ink(view, &view->accent, 1.0);
  cairo_set_line_width(view->cr, 2.5);
  cairo_set_dash(view->cr, dashes, G_N_ELEMENTS(dashes), 0.0);
  cairo_stroke(view->cr);
  cairo_set_dash(view->cr, NULL, 0, 0.0);
}

static void draw_arm(const AuiArmView *self, const View *view) {
  Pose pose;
  aui_arm_points(&self->model, self->q, pose.rotation, pose.p);
  draw_shadow(view, &self->model, &pose);
  set_ink(view, &view->ink, 0.85);
  cairo_set_line_width(view->cr, 5.0);
  draw_links(view, &self->model, &pose);
  for (size_t i = 0; i < self->model.n; i++)
    draw_joint(view, &self->model, &pose, i, i + 1 == self->marked);
  for (size_t i = 0; i < self->model.n; i++)
    draw_number(view, &pose, i, i + 1 == self->marked);
}

static void draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data) {
  const AuiArmView *self = AUI_ARM_VIEW(area);
  View view = {.cr = cr};
  (void)data;
  if (self->model.n == 0)
    return;
  gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(area)), &view.ink);
  view.accent = view.ink.green > 0.5f ? sky : blue;
  Pose pose;
  aui_projection_init(&view.at, &self->model, self->azimuth, self->elevation, self->zoom, width,
                      height);
  aui_arm_points(&self->model, self->q, pose.rotation, pose.p);
  aui_projection_lift(&view.at, pose.p, self->model.n + 1, height);
  cairo_rectangle(cr, 0.0, 0.0, width, height);
  cairo_clip(cr);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  draw_ground(&view, &self->model);
  if (self->has_ghost)
    draw_ghost(self, &view);
  draw_arm(self, &view);
}

/* ---- turning ---- */

static void look(AuiArmView *self, double azimuth, double elevation, double zoom) {
  self->azimuth = azimuth;
  self->elevation = CLAMP(elevation, -0.5 * G_PI, 0.5 * G_PI);
  self->zoom = CLAMP(zoom, 0.3, 8.0);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void on_begin(AuiArmView *self) {
  self->azimuth0 = self->azimuth;
  self->elevation0 = self->elevation;
  gtk_widget_grab_focus(GTK_WIDGET(self));
}

static void on_drag(AuiArmView *self, double dx, double dy) {
  look(self, self->azimuth0 - 0.01 * dx, self->elevation0 + 0.01 * dy, self->zoom);
}

static gboolean on_scroll(AuiArmView *self, double dx, double dy) {
  (void)dx;
  look(self, self->azimuth, self->elevation, self->zoom * pow(1.1, -dy));
  return GDK_EVENT_STOP;
}

static const struct {
  guint key;
  double azimuth, elevation, zoom;
} looks[] = {
    {GDK_KEY_Left, 0.1, 0.0, 1.0},   {GDK_KEY_Right, -0.1, 0.0, 1.0},
    {GDK_KEY_Up, 0.0, 0.1, 1.0},     {GDK_KEY_Down, 0.0, -0.1, 1.0},
    {GDK_KEY_plus, 0.0, 0.0, 1.1},   {GDK_KEY_KP_Add, 0.0, 0.0, 1.1},
    {GDK_KEY_minus, 0.0, 0.0, 0.91}, {GDK_KEY_KP_Subtract, 0.0, 0.0, 0.91},
};

static gboolean on_key(AuiArmView *self, guint key) {
  if (key == GDK_KEY_Home) {
    look(self, AZIMUTH, ELEVATION, 1.0);
    return GDK_EVENT_STOP;
  }
  for (gsize k = 0; k < G_N_ELEMENTS(looks); k++)
    if (looks[k].key == key) {
      look(self, self->azimuth + looks[k].azimuth, self->elevation + looks[k].elevation,
           self->zoom * looks[k].zoom);
      return GDK_EVENT_STOP;
    }
  return GDK_EVENT_PROPAGATE;
}

/* ---- what is shown ---- */

void aui_arm_view_show(AuiArmView *self, const ArmModel *model, const double *q) {
  const gsize bytes = model->n * sizeof *q;
  /* A difference in padding only draws again.
   * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
  const bool is_same_arm = memcmp(&self->model, model, sizeof *model) == 0;
  if (is_same_arm && memcmp(self->q, q, bytes) == 0)
    return;
  if (!is_same_arm)
    self->has_ghost = self->has_way = false;
  self->model = *model;
  memcpy(self->q, q, bytes);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

const double *aui_arm_view_pose(AuiArmView *self) {
  return self->q;
}

void aui_arm_view_show_way(AuiArmView *self, const double *from, const double *to) {
  self->has_ghost = to != NULL;
  self->has_way = from && to;
  if (to)
    memcpy(self->ghost, to, self->model.n * sizeof *to);
  if (self->has_way)
    memcpy(self->from, from, self->model.n * sizeof *from);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void aui_arm_view_mark_joint(AuiArmView *self, guint joint) {
  self->marked = joint;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* ---- the object ---- */

static void aui_arm_view_class_init(AuiArmViewClass *class) {
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_IMG);
}

static void aui_arm_view_init(AuiArmView *self) {
  GtkWidget *widget = GTK_WIDGET(self);
  GtkGesture *drag = gtk_gesture_drag_new();
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  self->azimuth = AZIMUTH, self->elevation = ELEVATION, self->zoom = 1.0;
  gtk_widget_set_focusable(widget, true);
  g_signal_connect_object(drag, "drag-begin", G_CALLBACK(on_begin), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(drag, "drag-update", G_CALLBACK(on_drag), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_key), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(wheel, "scroll", G_CALLBACK(on_scroll), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_add_controller(widget, keys);
  gtk_widget_add_controller(widget, wheel);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(self), draw, NULL, NULL);
  gtk_widget_set_tooltip_text(widget, _("Drag, or use the arrow keys, to turn the picture; plus "
                                        "and minus, or the wheel, to change its size; Home brings "
                                        "the first view back"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Picture of the arm; arrow keys turn it"), -1);
}
