/* SPDX-License-Identifier: MIT */
/* Chunks go into curves as they come; the judged samples replace them when the arm rests, because
 * judging takes its time. The page follows the arm until somebody chooses otherwise. */
#include "ui/sweep/page_sweep.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/kit/format.h"
#include "ui/kit/settings.h"
#include "ui/sweep/sweep_bar.h"
#include "ui/sweep/sweep_side.h"

enum { PLOTS = 3 };

struct _AuiPageSweep {
  GtkBox parent_instance;
  AseSession *session;
  AuiCurves curves;
  AuiSpeedView speed_view;
  gboolean is_showing; /* the spin buttons are being set */
  GArray *speeds;      /* of the drop-down's entries from the second on */
  GtkAdjustment *joints, *holds;
  GtkDropDown *speed_filter;
  GtkToggleButton *follow, *exclude, *restore;
  GSimpleActionGroup *view; /* of the menu View */
  AuiSweepBar *bar;
  AuiSweepSide *side;
  AuiPlot *current, *speed, *residual;
};

G_DEFINE_FINAL_TYPE(AuiPageSweep, aui_page_sweep, GTK_TYPE_BOX)

static void for_plots(AuiPageSweep *self, void (*apply)(AuiPlot *plot)) {
  AuiPlot *const plots[PLOTS] = {self->current, self->speed, self->residual};
  for (guint k = 0; k < PLOTS; k++)
    apply(plots[k]);
}

/* ---- the choice of joint, hold and speed ---- */

static guint count_holds(AuiPageSweep *self, guint joint) {
  const ArmPlan *plan = ase_session_plan(self->session);
  guint holds = plan ? (guint)plan->joint[joint - 1].n_holds : 0;
  const GPtrArray *runs = ase_session_runs(self->session);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->joint == joint)
      holds = MAX(holds, run->hold);
  }
  return MAX(holds, 1);
}

static bool is_same(const GArray *a, const GArray *b) {
  return a && a->len == b->len &&
         (!a->len || memcmp(a->data, b->data, a->len * sizeof(double)) == 0);
}

/* "all", then each speed; the entry that was chosen stays where it is still there. */
static void fill_speeds(AuiPageSweep *self) {
  const char *unit;
  const double scale = aui_curves_scale(&self->curves, &unit);
  GArray *speeds = aui_curves_speeds(&self->curves);
  guint chosen = 0;
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  gtk_string_list_append(names, C_("speeds", "all"));
  for (guint k = 0; k < speeds->len; k++) {
    const double speed = g_array_index(speeds, double, k);
    gtk_string_list_take(names, g_strdup_printf("%.3g %s/s", scale * speed, unit));
    chosen = fabs(speed - self->curves.speed) < 1e-9 ? k + 1 : chosen;
  }
  g_clear_pointer(&self->speeds, g_array_unref);
  gtk_drop_down_set_model(self->speed_filter, G_LIST_MODEL(names));
  self->speeds = speeds;
  gtk_drop_down_set_selected(self->speed_filter, chosen);
  if (!chosen && self->curves.speed != 0.0) /* it is not measured any more */
    aui_curves_show(&self->curves, self->curves.joint, self->curves.hold, 0.0);
}

static void update_speeds(AuiPageSweep *self) {
  g_autoptr(GArray) speeds = aui_curves_speeds(&self->curves);
  if (!is_same(self->speeds, speeds))
    fill_speeds(self);
}

static void select_curves(AuiPageSweep *self, guint joint, guint hold, double speed) {
  aui_curves_show(&self->curves, joint, hold, speed);
  aui_sweep_bar_set_joint(self->bar, joint);
  aui_sweep_side_show(self->side, joint);
  for_plots(self, aui_plot_restart);
}

/* The spin buttons tell of a person's choice only. */
static void show_in_buttons(AuiPageSweep *self, guint joint, guint hold) {
  self->is_showing = TRUE;
  gtk_adjustment_set_upper(self->joints, (double)ase_session_arm(self->session)->model.n);
  gtk_adjustment_set_upper(self->holds, MAX(count_holds(self, joint), hold));
  if (joint != self->curves.joint || hold != self->curves.hold)
    select_curves(self, joint, hold, 0.0);
  gtk_adjustment_set_value(self->joints, joint);
  gtk_adjustment_set_value(self->holds, hold);
  self->is_showing = FALSE;
  update_speeds(self);
}

static const AseLeg *leg_now(AuiPageSweep *self) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  const guint leg = ase_session_leg(self->session);
  return itinerary && leg < itinerary->legs->len ? &g_array_index(itinerary->legs, AseLeg, leg)
                                                 : NULL;
}

static void follow_leg(AuiPageSweep *self) {
  const AseLeg *leg = leg_now(self);
  if (leg && leg->joint && leg->hold && gtk_toggle_button_get_active(self->follow))
    show_in_buttons(self, leg->joint, leg->hold);
}

void aui_page_sweep_show(AuiPageSweep *self, guint joint, guint hold) {
  gtk_toggle_button_set_active(self->follow, FALSE);
  show_in_buttons(self, joint, hold);
}

const AuiCurves *aui_page_sweep_curves(AuiPageSweep *self) {
  return &self->curves;
}
AuiPlot *aui_page_sweep_plot(AuiPageSweep *self) {
  return self->current;
}

static void on_selected(AuiPageSweep *self) {
  const guint joint = (guint)gtk_adjustment_get_value(self->joints);
  const guint hold = (guint)gtk_adjustment_get_value(self->holds);
  if (!self->is_showing && (joint != self->curves.joint || hold != self->curves.hold))
    aui_page_sweep_show(self, joint, MIN(hold, count_holds(self, joint)));
}

static void on_speed_chosen(AuiPageSweep *self) {
  const guint k = gtk_drop_down_get_selected(self->speed_filter);
  if (!self->speeds || k > self->speeds->len)
    return;
  const double speed = k ? g_array_index(self->speeds, double, k - 1) : 0.0;
  if (speed != self->curves.speed)
    select_curves(self, self->curves.joint, self->curves.hold, speed);
}

static void on_follow(AuiPageSweep *self) {
  follow_leg(self);
}

/* ---- the session ---- */

static void update_view_menu(AuiPageSweep *self) {
  GAction *torque = g_action_map_lookup_action(G_ACTION_MAP(self->view), "torque");
  g_simple_action_set_enabled(G_SIMPLE_ACTION(torque), aui_curves_has_torque(&self->curves));
}

static void update(AuiPageSweep *self) {
  aui_curves_update(&self->curves);
  show_in_buttons(self, self->curves.joint, self->curves.hold);
  aui_sweep_bar_set_joint(self->bar, self->curves.joint);
  aui_sweep_side_show(self->side, self->curves.joint);
  update_view_menu(self);
  for_plots(self, aui_plot_invalidate);
}

/* Not while nobody looks: judging samples takes its time. */
static void on_changed(AuiPageSweep *self) {
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  update(self);
}

static void on_leg(AuiPageSweep *self, guint index) {
  const AseLeg *leg = leg_now(self);
  (void)index;
  follow_leg(self);
  if (!leg)
    return;
  aui_curves_leg(&self->curves, leg);
  for_plots(self, aui_plot_invalidate);
}

static void on_chunk(AuiPageSweep *self, const AioChunk *chunk) {
  if (!aui_curves_add(&self->curves, chunk))
    return;
  aui_plot_invalidate(self->current);
  aui_plot_invalidate(self->speed);
  if (ase_session_fit(self->session)) /* else there are no residuals */
    aui_plot_invalidate(self->residual);
}

/* ---- the menu View ---- */

static void on_radians(GSimpleAction *action, GVariant *state, AuiPageSweep *self) {
  g_simple_action_set_state(action, state);
  self->curves.in_radians = g_variant_get_boolean(state);
  fill_speeds(self);
  for_plots(self, aui_plot_restart);
}

static void on_torque(GSimpleAction *action, GVariant *state, AuiPageSweep *self) {
  g_simple_action_set_state(action, state);
  self->curves.in_torque = g_variant_get_boolean(state);
  for_plots(self, aui_plot_restart);
}

static void on_earlier(GSimpleAction *action, GVariant *state, AuiPageSweep *self) {
  g_simple_action_set_state(action, state);
  aui_curves_show_earlier(&self->curves, g_variant_get_boolean(state));
  for_plots(self, aui_plot_restart);
}

static void freeze(AuiPlot *plot) {
  aui_plot_set_frozen(plot, true);
}
static void thaw(AuiPlot *plot) {
  aui_plot_set_frozen(plot, false);
  aui_plot_invalidate(plot);
}

static void on_freeze(GSimpleAction *action, GVariant *state, AuiPageSweep *self) {
  g_simple_action_set_state(action, state);
  for_plots(self, g_variant_get_boolean(state) ? freeze : thaw);
}

static void on_second(GSimpleAction *action, GVariant *state, AuiPageSweep *self) {
  const gint32 view = g_variant_get_int32(state);
  if (view < 0 || view >= AUI_SPEED_VIEWS)
    return;
  g_simple_action_set_state(action, state);
  self->speed_view = (AuiSpeedView)view;
  aui_plot_restart(self->speed);
}

static void add_action(AuiPageSweep *self, const char *name, const char *type, GVariant *state,
                       GCallback on_change) {
  g_autoptr(GSimpleAction) action =
      g_simple_action_new_stateful(name, type ? G_VARIANT_TYPE(type) : NULL, state);
  g_signal_connect(action, "change-state", on_change, self);
  g_action_map_add_action(G_ACTION_MAP(self->view), G_ACTION(action));
}

/* As the preferences say, until it is switched here. */
static void follow_unit(AuiPageSweep *self) {
  const bool in_radians = aui_format_angle_scale() == 1.0;
  if (in_radians != self->curves.in_radians)
    g_action_group_change_action_state(G_ACTION_GROUP(self->view), "radians",
                                       g_variant_new_boolean(in_radians));
}

static void add_actions(AuiPageSweep *self) {
  self->view = g_simple_action_group_new();
  add_action(self, "second", "i", g_variant_new_int32(0), G_CALLBACK(on_second));
  add_action(self, "radians", NULL, g_variant_new_boolean(FALSE), G_CALLBACK(on_radians));
  add_action(self, "torque", NULL, g_variant_new_boolean(FALSE), G_CALLBACK(on_torque));
  add_action(self, "earlier", NULL, g_variant_new_boolean(FALSE), G_CALLBACK(on_earlier));
  add_action(self, "freeze", NULL, g_variant_new_boolean(FALSE), G_CALLBACK(on_freeze));
  gtk_widget_insert_action_group(GTK_WIDGET(self), "sweep", G_ACTION_GROUP(self->view));
}
/* ---- exclusions ---- */

static void on_selecting(AuiPageSweep *self) {
  aui_plot_set_selecting(self->current, gtk_toggle_button_get_active(self->exclude) ||
                                            gtk_toggle_button_get_active(self->restore));
}

static void exclude(AseEdits *edits, gint64 run, double low, double high) {
  if (edits->n_exclusions < ASE_EXCLUSIONS)
    edits->exclusions[edits->n_exclusions++] =
        (AseExclusion){.run = run, .q_low = low, .q_high = high};
}

/* What was excluded of this run between low and high counts again: its parts outside stay. */
static void restore(AseEdits *edits, gint64 run, double low, double high) {
  const guint n = edits->n_exclusions;
  guint kept = 0;
  g_autofree AseExclusion *all = g_memdup2(edits->exclusions, sizeof edits->exclusions);
  for (guint k = 0; k < n; k++) {
    const AseExclusion e = all[k];
    const bool meets = e.run == run && e.q_low < high && e.q_high > low;
    AseExclusion below = e, above = e;
    below.q_high = meets ? low : e.q_high;
    above.q_low = high;
    if (below.q_high > below.q_low && kept < ASE_EXCLUSIONS)
      edits->exclusions[kept++] = below;
    if (meets && above.q_high > above.q_low && kept < ASE_EXCLUSIONS)
      edits->exclusions[kept++] = above;
  }
  edits->n_exclusions = kept;
}

static void on_range(AuiPageSweep *self, double low, double high) {
  const char *unit;
  const double scale = aui_curves_scale(&self->curves, &unit);
  const bool restores = gtk_toggle_button_get_active(self->restore);
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  for (guint k = 0; k < self->curves.curves->len; k++) {
    const AuiCurve *curve = self->curves.curves->pdata[k];
    (restores ? restore : exclude)(edits, curve->run, low / scale, high / scale);
  }
  ase_session_set_edits(self->session, edits,
                        restores ? _("restore samples") : _("exclude samples"));
}

/* ---- the object ---- */

static AuiFigure *build_current(gpointer data) {
  return aui_curves_current_figure(&AUI_PAGE_SWEEP(data)->curves);
}
static AuiFigure *build_speed(gpointer data) {
  AuiPageSweep *self = AUI_PAGE_SWEEP(data);
  return aui_curves_speed_figure(&self->curves, self->speed_view);
}
static AuiFigure *build_residual(gpointer data) {
  return aui_curves_residual_figure(&AUI_PAGE_SWEEP(data)->curves);
}

static void watch(AuiPageSweep *self) {
  AseDevice *device = ase_session_device(self->session);
  const GConnectFlags swapped = G_CONNECT_SWAPPED;
  g_signal_connect_object(self->session, "changed", G_CALLBACK(on_changed), self, swapped);
  g_signal_connect_object(self->session, "leg", G_CALLBACK(on_leg), self, swapped);
  g_signal_connect_object(device, "chunk", G_CALLBACK(on_chunk), self, swapped);
  g_signal_connect_object(aui_settings(), "changed::angle", G_CALLBACK(follow_unit), self,
                          swapped | G_CONNECT_AFTER);
}

GtkWidget *aui_page_sweep_new(AseSession *session) {
  AuiPageSweep *self = g_object_new(AUI_TYPE_PAGE_SWEEP, NULL);
  self->session = g_object_ref(session);
  aui_curves_init(&self->curves, session);
  aui_sweep_bar_set_session(self->bar, session);
  aui_sweep_side_set_session(self->side, session);
  aui_plot_set_build(self->current, build_current, self);
  aui_plot_set_build(self->speed, build_speed, self);
  aui_plot_set_build(self->residual, build_residual, self);
  watch(self);
  follow_unit(self);
  return GTK_WIDGET(self);
}

static void aui_page_sweep_map(GtkWidget *widget) {
  update(AUI_PAGE_SWEEP(widget));
  GTK_WIDGET_CLASS(aui_page_sweep_parent_class)->map(widget);
}

static void aui_page_sweep_init(AuiPageSweep *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  add_actions(self);
}

static void aui_page_sweep_dispose(GObject *object) {
  AuiPageSweep *self = AUI_PAGE_SWEEP(object);
  if (self->session) {
    g_signal_handlers_disconnect_by_data(self->session, self);
    g_signal_handlers_disconnect_by_data(ase_session_device(self->session), self);
    aui_curves_clear(&self->curves);
  }
  g_clear_pointer(&self->speeds, g_array_unref);
  g_clear_object(&self->view);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_SWEEP);
  G_OBJECT_CLASS(aui_page_sweep_parent_class)->dispose(object);
}

static void bind_callbacks(GtkWidgetClass *widget) {
  gtk_widget_class_bind_template_callback(widget, on_selected);
  gtk_widget_class_bind_template_callback(widget, on_speed_chosen);
  gtk_widget_class_bind_template_callback(widget, on_follow);
  gtk_widget_class_bind_template_callback(widget, on_selecting);
  gtk_widget_class_bind_template_callback(widget, on_range);
}

static void aui_page_sweep_class_init(AuiPageSweepClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = aui_page_sweep_dispose;
  widget->map = aui_page_sweep_map;
  g_type_ensure(AUI_TYPE_PLOT);
  g_type_ensure(AUI_TYPE_SWEEP_BAR);
  g_type_ensure(AUI_TYPE_SWEEP_SIDE);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_sweep.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, joints);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, holds);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, speed_filter);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, follow);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, exclude);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, restore);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, bar);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, side);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, current);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, speed);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, residual);
  bind_callbacks(widget);
}
