/* SPDX-License-Identifier: MIT */
#include "ui/fit_plots.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/predict.h"
#include "ui/plot.h"
#include "ui/plot_data.h"

enum { POINTS = 4000, HISTOGRAM = 41, LAGS = 60 };

struct _AuiFitPlots {
  GtkBox parent_instance;
  AseSession *session;
  guint joint;
  GArray *residuals, *time; /* NULL: none */
  double sd;                /* [mA] */
  GtkAdjustment *joints;
  AuiPlot *plot[3];
};

G_DEFINE_FINAL_TYPE(AuiFitPlots, aui_fit_plots, GTK_TYPE_BOX)

/* ---- residuals ---- */

static double predict(const ArmModel *model, const ArmGravityFit *fit, const AioRecording *r,
                      gsize row, guint joint) {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  for (gsize j = 0; j < r->n; j++) {
    q[j] = r->q[j * r->rows + row];
    qd[j] = r->qd[j * r->rows + row];
  }
  if (arm_predict(model, &fit->refined, q, qd, NULL, &options, current, sd) != ARM_OK)
    return NAN;
  return current[joint - 1];
}

static void append(GArray *array, double value) {
  g_array_append_val(array, value);
}

GArray *aui_fit_residuals(AseSession *session, guint joint, GArray **time) {
  const ArmGravityFit *fit = ase_session_fit(session);
  const AseSelection *selection = fit ? ase_session_selection(session) : NULL;
  const ArmModel *model = &ase_session_arm(session)->model;
  if (!selection || joint < 1 || joint > model->n || fit->refined.n != model->n)
    return NULL;
  const AioRecording *r = selection->recording;
  const double *current = r->current + (joint - 1) * r->rows;
  GArray *residuals = g_array_new(FALSE, FALSE, sizeof(double));
  *time = g_array_new(FALSE, FALSE, sizeof(double));
  for (gsize row = 0; row < r->rows; row++) {
    if (r->joint[row] != (int)joint)
      continue;
    if (residuals->len && selection->run[row] != selection->run[row - 1]) {
      append(residuals, NAN);
      append(*time, r->t[row] - r->t[0]);
    }
    append(residuals, 1000.0 * (current[row] - predict(model, fit, r, row, joint)));
    append(*time, r->t[row] - r->t[0]);
  }
  return residuals;
}

/* ---- figures ---- */

static double at(const GArray *array, gsize k) {
  return g_array_index(array, double, k);
}

/* Every n-th, at most POINTS. */
AuiFigure *aui_fit_residual_figure(const GArray *residuals, const GArray *time, double sd) {
  AuiFigure *figure = aui_figure_new(_("Residuals"), _("time"), "s", _("residual"), "mA");
  figure->empty = g_strdup(_("Sweep, then Fit"));
  if (!residuals || !residuals->len)
    return figure;
  const guint step = residuals->len / POINTS + 1, n = residuals->len / step;
  AuiSeries *band = aui_figure_add(figure,
                                   _("\xc2\xb1"
                                     "2 sd"),
                                   AUI_INK_GREY, AUI_STROKE_BAND, 2);
  band->x[0] = at(time, 0), band->x[1] = at(time, time->len - 1);
  band->y[0] = band->y[1] = -2.0 * sd;
  band->top[0] = band->top[1] = 2.0 * sd;
  AuiSeries *points =
      aui_figure_add(figure, _("measured - computed"), AUI_INK_BLUE, AUI_STROKE_POINTS, n);
  points->width = 2.0;
  for (guint k = 0; k < n; k++) {
    points->x[k] = at(time, (gsize)k * step);
    points->y[k] = at(residuals, (gsize)k * step);
  }
  return figure;
}

static gsize count_numbers(const GArray *array) {
  gsize count = 0;
  for (gsize k = 0; k < array->len; k++)
    count += isfinite(at(array, k)) ? 1 : 0;
  return count;
}

AuiFigure *aui_fit_histogram_figure(const GArray *residuals, double sd) {
  AuiFigure *figure = aui_figure_new(_("Distribution"), _("residual"), "mA", _("samples"), NULL);
  if (!residuals || !residuals->len || !(sd > 0.0))
    return figure;
  const double low = -4.0 * sd, width = 8.0 * sd / HISTOGRAM;
  const double total = (double)count_numbers(residuals);
  double count[HISTOGRAM];
  aui_histogram(&g_array_index(residuals, double, 0), residuals->len, low, -low, HISTOGRAM, count);
  AuiSeries *bars =
      aui_figure_add(figure, _("samples"), AUI_INK_BLUE, AUI_STROKE_BAND, 2 * HISTOGRAM);
  AuiSeries *normal =
      aui_figure_add(figure, _("normal"), AUI_INK_ORANGE, AUI_STROKE_DASH, HISTOGRAM);
  for (guint k = 0; k < HISTOGRAM; k++) {
    bars->x[2 * k] = low + k * width, bars->x[2 * k + 1] = low + (k + 1) * width;
    bars->top[2 * k] = bars->top[2 * k + 1] = count[k];
    const double z = (low + (k + 0.5) * width) / sd;
    normal->x[k] = z * sd;
    normal->y[k] = total * width / sd * exp(-0.5 * z * z) / sqrt(2.0 * G_PI);
  }
  return figure;
}

AuiFigure *aui_fit_autocorrelation_figure(const GArray *residuals) {
  AuiFigure *figure =
      aui_figure_new(_("Autocorrelation"), _("lag"), _("samples"), _("correlation"), NULL);
  double correlation[LAGS];
  if (!residuals || residuals->len < LAGS)
    return figure;
  aui_autocorrelation(&g_array_index(residuals, double, 0), residuals->len, LAGS, correlation);
  const double limit = 1.96 / sqrt((double)count_numbers(residuals));
  AuiSeries *band =
      aui_figure_add(figure, _("95 % of white noise"), AUI_INK_GREY, AUI_STROKE_BAND, 2);
  band->x[1] = LAGS - 1;
  band->y[0] = band->y[1] = -limit;
  band->top[0] = band->top[1] = limit;
  AuiSeries *line = aui_figure_add(figure, _("residuals"), AUI_INK_BLUE, AUI_STROKE_SOLID, LAGS);
  for (guint k = 0; k < LAGS; k++)
    line->x[k] = k, line->y[k] = correlation[k];
  figure->y.low = -0.2;
  return figure;
}

/* ---- the widget ---- */

static AuiFigure *build_residual(gpointer data) {
  const AuiFitPlots *self = data;
  return aui_fit_residual_figure(self->residuals, self->time, self->sd);
}
static AuiFigure *build_histogram(gpointer data) {
  const AuiFitPlots *self = data;
  return aui_fit_histogram_figure(self->residuals, self->sd);
}
static AuiFigure *build_autocorrelation(gpointer data) {
  return aui_fit_autocorrelation_figure(((AuiFitPlots *)data)->residuals);
}

static void forget(AuiFitPlots *self) {
  g_clear_pointer(&self->residuals, g_array_unref);
  g_clear_pointer(&self->time, g_array_unref);
}

static void refresh(AuiFitPlots *self) {
  const ArmGravityFit *fit = ase_session_fit(self->session);
  forget(self);
  self->residuals = aui_fit_residuals(self->session, self->joint, &self->time);
  self->sd = self->residuals ? 1000.0 * fit->refined.joint[self->joint - 1].residual_sd : NAN;
  for (guint k = 0; k < G_N_ELEMENTS(self->plot); k++)
    aui_plot_restart(self->plot[k]);
}

/* Predictions take a while: not while nobody looks, nor after every sweep. */
static void on_changed(AuiFitPlots *self) {
  gtk_adjustment_set_upper(self->joints, (double)ase_session_arm(self->session)->model.n);
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    refresh(self);
}

static void on_joint(AuiFitPlots *self) {
  self->joint = (guint)gtk_adjustment_get_value(self->joints);
  refresh(self);
}

void aui_fit_plots_show(AuiFitPlots *self, guint joint) {
  gtk_adjustment_set_value(self->joints, joint);
}

static void aui_fit_plots_map(GtkWidget *widget) {
  refresh(AUI_FIT_PLOTS(widget));
  GTK_WIDGET_CLASS(aui_fit_plots_parent_class)->map(widget);
}

GtkWidget *aui_fit_plots_new(AseSession *session) {
  static const AuiPlotBuild builds[] = {build_residual, build_histogram, build_autocorrelation};
  AuiFitPlots *self = g_object_new(AUI_TYPE_FIT_PLOTS, NULL);
  self->session = g_object_ref(session);
  for (guint k = 0; k < G_N_ELEMENTS(self->plot); k++)
    aui_plot_set_build(self->plot[k], builds[k], self);
  g_signal_connect_object(session, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->joints, "value-changed", G_CALLBACK(on_joint), self,
                          G_CONNECT_SWAPPED);
  on_changed(self);
  return GTK_WIDGET(self);
}

static void add_chooser(AuiFitPlots *self) {
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new_with_mnemonic(_("_Joint"));
  GtkWidget *spin = gtk_spin_button_new(self->joints, 1.0, 0);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), spin);
  gtk_accessible_update_property(GTK_ACCESSIBLE(spin), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Joint"),
                                 -1);
  gtk_box_append(GTK_BOX(row), label);
  gtk_box_append(GTK_BOX(row), spin);
  gtk_box_append(GTK_BOX(self), row);
}

static void aui_fit_plots_init(AuiFitPlots *self) {
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 6);
  self->joint = 1;
  self->joints = gtk_adjustment_new(1.0, 1.0, 1.0, 1.0, 1.0, 0.0);
  add_chooser(self);
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_set_homogeneous(GTK_BOX(row), TRUE);
  gtk_box_append(GTK_BOX(self), row);
  for (guint k = 0; k < G_N_ELEMENTS(self->plot); k++) {
    GtkWidget *plot = aui_plot_new();
    gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(plot), 220);
    gtk_widget_set_vexpand(plot, FALSE);
    gtk_box_append(GTK_BOX(row), plot);
    self->plot[k] = AUI_PLOT(plot);
  }
}

static void aui_fit_plots_dispose(GObject *object) {
  AuiFitPlots *self = AUI_FIT_PLOTS(object);
  forget(self);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_fit_plots_parent_class)->dispose(object);
}

static void aui_fit_plots_class_init(AuiFitPlotsClass *class) {
  G_OBJECT_CLASS(class)->dispose = aui_fit_plots_dispose;
  GTK_WIDGET_CLASS(class)->map = aui_fit_plots_map;
}
