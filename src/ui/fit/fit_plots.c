/* SPDX-License-Identifier: MIT */
/* A plot for each figure of the method, from one set of data. The second row is drawn a frame later
 * than the first: all at once would be felt under the hand. */
#include "ui/fit/fit_plots.h"

#include <glib/gi18n.h>

#include "ui/fit/fit_exclude.h"
#include "ui/fit/fit_watch.h"
#include "ui/kit/why.h"

enum { LATER_MS = 60 };

typedef struct {
  const AseFigure *figure;
  AseFigurePlace where; /* the figure's */
  const AseShown *shown;
  GtkWidget *frame;
  AuiPlot *plot;
} Place;

struct _AuiFitPlots {
  GtkBox parent_instance;
  AseSession *session;
  const AseMeasuring *measuring;
  AuiFitWatch *watch;
  AseShown shown;
  AuiFitExclude *editor; /* NULL: nothing can be excluded */
  GtkAdjustment *joints;
  GtkSpinButton *joint;
  GtkDropDown *sweep, *direction, *over;
  GtkToggleButton *overlaid;
  GtkSpinner *spinner;
  GtkBox *choosers, *tools, *content, *upper, *lower;
  Place *places; /* one for each figure, of which the first `upper_places` are above */
  guint n_places, upper_places;
  bool is_stale;   /* the session has changed since */
  bool is_filling; /* of the drop-down, by us */
  guint later;     /* source that draws the lower row; 0: none */
  bool is_other;   /* it begins anew then */
  bool has_result; /* of any joint, as seen last */
};

G_DEFINE_FINAL_TYPE(AuiFitPlots, aui_fit_plots, GTK_TYPE_BOX)

enum { SHOWN, SIGNALS };
static guint signals[SIGNALS];

/* ---- figures ---- */

static AuiFigure *build(gpointer data) {
  const Place *place = data;
  return aui_fit_figure(place->figure, place->shown);
}

static void draw(AuiFitPlots *self, guint from, guint to, bool is_other) {
  for (guint k = from; k < to; k++)
    if (is_other)
      aui_plot_restart(self->places[k].plot);
    else
      aui_plot_invalidate(self->places[k].plot);
}

static gboolean on_later(gpointer data) {
  AuiFitPlots *self = data;
  self->later = 0;
  draw(self, self->upper_places, self->n_places, self->is_other);
  self->is_other = false;
  return G_SOURCE_REMOVE;
}

/* The upper row at once, the lower one in a later frame: all in one would be felt. */
static void draw_all(AuiFitPlots *self, bool is_other) {
  draw(self, 0, self->upper_places, is_other);
  self->is_other |= is_other;
  if (!self->later)
    self->later = g_timeout_add(LATER_MS, on_later, self);
}

static void restart(AuiFitPlots *self) {
  draw_all(self, true);
}

static void invalidate(AuiFitPlots *self) {
  draw_all(self, false);
}

/* ---- what is shown ---- */

static const GPtrArray *runs_of(const AseShown *shown) {
  const AseSwept *data = shown->data;
  return data && shown->joint <= data->joints ? data->joint[shown->joint - 1].runs : NULL;
}

static void fill_sweeps(AuiFitPlots *self) {
  const GPtrArray *runs = runs_of(&self->shown);
  g_autoptr(GtkStringList) list = gtk_string_list_new(NULL);
  gtk_string_list_append(list, _("all sweeps"));
  for (guint k = 0; runs && k < runs->len; k++)
    gtk_string_list_take(list, aui_fit_run_text(&self->shown, runs->pdata[k]));
  self->shown.run = runs && self->shown.run <= runs->len ? self->shown.run : 0;
  self->is_filling = true;
  gtk_drop_down_set_model(self->sweep, G_LIST_MODEL(list));
  gtk_drop_down_set_selected(self->sweep, self->shown.run);
  self->is_filling = false;
}

static void tell(AuiFitPlots *self) {
  g_signal_emit(self, signals[SHOWN], 0);
}

static void on_ready(void *ctx) {
  AuiFitPlots *self = ctx;
  self->shown.data = aui_fit_watch_data(self->watch);
  gtk_spinner_set_spinning(self->spinner, aui_fit_watch_is_busy(self->watch));
  fill_sweeps(self);
  invalidate(self);
  tell(self);
}

static void update(AuiFitPlots *self) {
  self->is_stale = !aui_fit_watch_update(self->watch);
  gtk_spinner_set_spinning(self->spinner, aui_fit_watch_is_busy(self->watch));
  tell(self);
}

static bool has_rows(AuiFitPlots *self, guint joint) {
  const AseValidation *v = ase_session_validation(self->session);
  if (self->shown.is_validation)
    return v && joint <= v->joints && v->joint[joint - 1].rows > 0;
  return ase_session_has_rows(self->session, joint);
}

/* With the first result: to the outermost joint that has one, unless what is shown has. */
static void open_joint(AuiFitPlots *self) {
  const bool had_result = self->has_result;
  guint joint = (guint)ase_session_arm(self->session)->model.n;
  while (joint > 0 && !has_rows(self, joint))
    joint--;
  self->has_result = joint > 0;
  if (self->has_result && !had_result && !has_rows(self, self->shown.joint))
    gtk_adjustment_set_value(self->joints, joint);
}

/* Not while nobody looks. */
static void on_changed(AuiFitPlots *self) {
  gtk_adjustment_set_upper(self->joints, (double)ase_session_arm(self->session)->model.n);
  self->is_stale = true;
  open_joint(self);
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    update(self);
}

/* The arm may have come to rest. */
static void on_step(AuiFitPlots *self) {
  if (self->is_stale && gtk_widget_get_mapped(GTK_WIDGET(self)))
    update(self);
}

static void on_joint(AuiFitPlots *self) {
  self->shown.joint = (guint)gtk_adjustment_get_value(self->joints);
  self->shown.run = 0;
  self->shown.has_parameter = false;
  fill_sweeps(self);
  restart(self);
  tell(self);
}

static void on_sweep(AuiFitPlots *self) {
  const guint selected = gtk_drop_down_get_selected(self->sweep);
  if (!self->watch || self->is_filling || selected == GTK_INVALID_LIST_POSITION)
    return;
  self->shown.run = selected;
  restart(self);
  tell(self);
}

static void on_direction(AuiFitPlots *self) {
  static const int directions[] = {0, 1, -1};
  if (!self->watch)
    return; /* the template is being filled */
  self->shown.direction = directions[gtk_drop_down_get_selected(self->direction) % 3];
  invalidate(self);
}

/* A range is of positions. */
static bool may_select(AuiFitPlots *self, const AseFigure *figure) {
  return figure->place != ASE_FIGURE_BELOW || (figure->has_time && !self->shown.is_over_time);
}

static void on_mode(AuiFitPlots *self) {
  const bool is_selecting = self->editor && aui_fit_exclude_is_selecting(self->editor);
  for (guint k = 0; k < self->n_places; k++)
    aui_plot_set_selecting(self->places[k].plot,
                           is_selecting && may_select(self, self->places[k].figure));
}

static void on_over(AuiFitPlots *self) {
  if (!self->watch)
    return;
  self->shown.is_over_time = gtk_drop_down_get_selected(self->over) == 1;
  for (guint k = 0; k < self->n_places; k++)
    if (self->places[k].figure->has_time)
      aui_plot_restart(self->places[k].plot);
  on_mode(self);
}

static void on_overlaid(AuiFitPlots *self) {
  const bool is_overlaid = gtk_toggle_button_get_active(self->overlaid);
  for (guint k = 0; k < self->n_places; k++) {
    const Place *place = &self->places[k];
    if (place->where != ASE_FIGURE_BELOW)
      gtk_widget_set_visible(place->frame, (place->where == ASE_FIGURE_OVERLAID) == is_overlaid);
  }
}

static void on_range(AuiFitPlots *self, double low, double high) {
  aui_fit_exclude_range(self->editor, low, high);
}

/* ---- for the page ---- */

const AseShown *aui_fit_plots_shown(AuiFitPlots *self) {
  return &self->shown;
}

bool aui_fit_plots_is_busy(AuiFitPlots *self) {
  return aui_fit_watch_is_busy(self->watch);
}

void aui_fit_plots_show(AuiFitPlots *self, guint run, int direction) {
  gtk_drop_down_set_selected(self->sweep, run);
  gtk_drop_down_set_selected(self->direction, direction > 0 ? 1 : direction < 0 ? 2 : 0);
}

void aui_fit_plots_mark(AuiFitPlots *self, const ArmParamId *parameter) {
  self->shown.has_parameter = parameter != NULL;
  if (parameter)
    self->shown.parameter = *parameter;
  for (guint k = 0; k < self->n_places; k++)
    if (self->places[k].figure->marks)
      aui_plot_invalidate(self->places[k].plot);
}

AuiPlot *aui_fit_plots_plot(AuiFitPlots *self, const char *key) {
  for (guint k = 0; k < self->n_places; k++)
    if (g_str_equal(self->places[k].figure->key, key))
      return self->places[k].plot;
  return NULL;
}

void aui_fit_plots_add_side(AuiFitPlots *self, GtkWidget *side) {
  gtk_box_append(self->content, side);
}

/* ---- the object ---- */

static void explain(const Place *place) {
  AuiWhy text;
  GtkWidget *why = aui_why_new(place->figure->why);
  gtk_widget_set_halign(why, GTK_ALIGN_START);
  gtk_widget_set_valign(why, GTK_ALIGN_START);
  gtk_overlay_add_overlay(GTK_OVERLAY(place->frame), why);
  if (aui_why_find(place->figure->why, &text)) /* until it is drawn, when it names itself */
    gtk_accessible_update_property(GTK_ACCESSIBLE(place->plot), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   text.title, -1);
}

static void add_plot(AuiFitPlots *self, Place *place, const AseFigure *figure, bool is_above) {
  GtkWidget *plot = aui_plot_new();
  *place = (Place){figure, figure->place, &self->shown, gtk_overlay_new(), AUI_PLOT(plot)};
  gtk_overlay_set_child(GTK_OVERLAY(place->frame), plot);
  if (figure->why)
    explain(place);
  gtk_box_append(is_above ? self->upper : self->lower, place->frame);
  aui_plot_set_build(place->plot, build, place);
}

/* Of sweeps that are not fitted there is one row. */
static void add_plots(AuiFitPlots *self) {
  const bool is_one_row = self->shown.is_validation;
  guint n = 0;
  while (self->measuring->figures[n].key)
    n++;
  self->places = g_new0(Place, n);
  for (guint k = 0; k < n; k++) {
    const AseFigure *figure = &self->measuring->figures[k];
    if (is_one_row && !figure->is_of_new)
      continue;
    add_plot(self, &self->places[self->n_places++], figure,
             is_one_row || figure->place != ASE_FIGURE_BELOW);
    if (figure->place != ASE_FIGURE_BELOW)
      self->upper_places = self->n_places;
  }
}

static void add_editor(AuiFitPlots *self) {
  GtkWidget *editor = aui_fit_exclude_new(self->session, &self->shown);
  self->editor = AUI_FIT_EXCLUDE(editor);
  gtk_box_append(self->tools, editor);
  g_signal_connect_object(editor, "mode-changed", G_CALLBACK(on_mode), self, G_CONNECT_SWAPPED);
  for (guint k = 0; k < self->n_places; k++)
    g_signal_connect_object(self->places[k].plot, "range-selected", G_CALLBACK(on_range), self,
                            G_CONNECT_SWAPPED);
}

/* Of sweeps that are not fitted: one row, overlaid. */
static void show_less(AuiFitPlots *self) {
  gtk_widget_set_visible(GTK_WIDGET(self->lower), false);
  g_autoptr(GtkWidget) overlaid = g_object_ref(GTK_WIDGET(self->overlaid));
  gtk_box_remove(self->tools, overlaid);
  gtk_box_append(self->choosers, overlaid);
  gtk_widget_set_visible(GTK_WIDGET(self->tools), false);
  gtk_toggle_button_set_active(self->overlaid, true);
}

GtkWidget *aui_fit_plots_new(AseSession *session, const AseMeasuring *measuring, AsePurpose purpose,
                             GtkAdjustment *joints) {
  AuiFitPlots *self = g_object_new(AUI_TYPE_FIT_PLOTS, NULL);
  self->session = g_object_ref(session);
  self->measuring = measuring;
  self->joints = joints;
  self->shown.joint = (guint)ase_session_arm(session)->model.n;
  gtk_adjustment_set_upper(joints, self->shown.joint);
  gtk_adjustment_set_value(joints, self->shown.joint);
  self->watch = aui_fit_watch_new(session, measuring, purpose, on_ready, self);
  gtk_spin_button_set_adjustment(self->joint, joints);
  self->shown.is_validation = purpose == ASE_PURPOSE_VALIDATE;
  self->shown.is_imported = ase_session_is_imported(session);
  add_plots(self);
  if (self->shown.is_validation)
    show_less(self);
  else
    add_editor(self);
  on_overlaid(self);
  g_signal_connect_object(session, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(on_step), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(joints, "value-changed", G_CALLBACK(on_joint), self, G_CONNECT_SWAPPED);
  on_changed(self);
  return GTK_WIDGET(self);
}

static void aui_fit_plots_map(GtkWidget *widget) {
  GTK_WIDGET_CLASS(aui_fit_plots_parent_class)->map(widget);
  if (AUI_FIT_PLOTS(widget)->is_stale)
    update(AUI_FIT_PLOTS(widget));
}

static void aui_fit_plots_init(AuiFitPlots *self) {
  self->shown.joint = 1;
  gtk_widget_init_template(GTK_WIDGET(self));
}

static void aui_fit_plots_dispose(GObject *object) {
  AuiFitPlots *self = AUI_FIT_PLOTS(object);
  g_clear_handle_id(&self->later, g_source_remove);
  g_clear_pointer(&self->watch, aui_fit_watch_free);
  self->shown.data = NULL;
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_FIT_PLOTS);
  G_OBJECT_CLASS(aui_fit_plots_parent_class)->dispose(object);
}

static void aui_fit_plots_finalize(GObject *object) {
  g_free(AUI_FIT_PLOTS(object)->places); /* after the plots, which draw from them */
  G_OBJECT_CLASS(aui_fit_plots_parent_class)->finalize(object);
}

static void aui_fit_plots_class_init(AuiFitPlotsClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = aui_fit_plots_dispose;
  G_OBJECT_CLASS(class)->finalize = aui_fit_plots_finalize;
  widget->map = aui_fit_plots_map;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/fit_plots.ui");
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, joint);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, sweep);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, direction);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, over);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, overlaid);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, spinner);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, choosers);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, tools);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, content);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, upper);
  gtk_widget_class_bind_template_child(widget, AuiFitPlots, lower);
  gtk_widget_class_bind_template_callback(widget, on_sweep);
  gtk_widget_class_bind_template_callback(widget, on_direction);
  gtk_widget_class_bind_template_callback(widget, on_over);
  gtk_widget_class_bind_template_callback(widget, on_overlaid);
  signals[SHOWN] = g_signal_new("shown", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 0);
}
