/* SPDX-License-Identifier: MIT */
#include "ui/page_sweep.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/format.h"
#include "ui/strip.h"

struct _AuiPageSweep {
  GtkBox parent_instance;
  AseSession *session;
  AuiCurves curves;
  GtkAdjustment *joints, *holds;
  GtkToggleButton *follow, *exclude, *restore;
  GtkLabel *status, *left;
  GtkButton *dry_run, *sweep, *pause;
  GtkProgressBar *progress;
  AuiPlot *current, *speed, *residual;
};

G_DEFINE_FINAL_TYPE(AuiPageSweep, aui_page_sweep, GTK_TYPE_BOX)

/* ---- what is shown ---- */

static void redraw(AuiPageSweep *self) {
  aui_plot_invalidate(self->current);
  aui_plot_invalidate(self->speed);
  aui_plot_invalidate(self->residual);
}

static void select_hold(AuiPageSweep *self, guint joint, guint hold) {
  if (joint == self->curves.joint && hold == self->curves.hold)
    return;
  aui_curves_show(&self->curves, joint, hold, 0.0);
  aui_plot_restart(self->current);
  aui_plot_restart(self->speed);
  aui_plot_restart(self->residual);
}

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

static const AseLeg *leg_now(AuiPageSweep *self) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  const guint leg = ase_session_leg(self->session);
  return itinerary && leg < itinerary->legs->len ? &g_array_index(itinerary->legs, AseLeg, leg)
                                                 : NULL;
}

/* The spin buttons tell of a person's choice only. */
static void show_in_buttons(AuiPageSweep *self, guint joint, guint hold) {
  g_object_freeze_notify(G_OBJECT(self->joints));
  gtk_adjustment_set_upper(self->joints, (double)ase_session_arm(self->session)->model.n);
  gtk_adjustment_set_upper(self->holds, MAX(count_holds(self, joint), hold));
  select_hold(self, joint, hold);
  gtk_adjustment_set_value(self->joints, joint);
  gtk_adjustment_set_value(self->holds, hold);
  g_object_thaw_notify(G_OBJECT(self->joints));
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

/* ---- the session ---- */

static bool is_running(AuiPageSweep *self, AseStep step) {
  return ase_procedure_state(ase_session_procedure(self->session), step) == ASE_STATE_RUNNING;
}

static void refresh(AuiPageSweep *self) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  const bool moves = is_running(self, ASE_STEP_DRY_RUN) || is_running(self, ASE_STEP_SWEEP);
  const bool wants_dry = ase_procedure_state(procedure, ASE_STEP_DRY_RUN) != ASE_STATE_PASSED;
  gtk_widget_set_sensitive(GTK_WIDGET(self->dry_run), !moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->sweep), !moves && !wants_dry);
  gtk_widget_set_sensitive(GTK_WIDGET(self->pause), moves);
  if (!moves) {
    gtk_progress_bar_set_fraction(self->progress, ase_procedure_state(procedure, ASE_STEP_SWEEP) ==
                                                      ASE_STATE_PASSED);
    gtk_label_set_text(self->left, "");
    const AseStep step = wants_dry ? ASE_STEP_DRY_RUN : ASE_STEP_SWEEP;
    gtk_label_set_text(self->status, procedure->steps[step].reason);
  }
  GtkWidget *next = GTK_WIDGET(wants_dry ? self->dry_run : self->sweep);
  GtkWidget *other = GTK_WIDGET(wants_dry ? self->sweep : self->dry_run);
  gtk_widget_add_css_class(next, "suggested-action");
  gtk_widget_remove_css_class(other, "suggested-action");
}

static void on_changed(AuiPageSweep *self) {
  aui_curves_update(&self->curves);
  show_in_buttons(self, self->curves.joint, self->curves.hold);
  refresh(self);
  redraw(self);
}

static void on_leg(AuiPageSweep *self, guint index) {
  const AseLeg *leg = leg_now(self);
  (void)index;
  follow_leg(self);
  if (!leg)
    return;
  aui_curves_leg(&self->curves, leg);
  char *text = ase_leg_text(&ase_session_arm(self->session)->model, leg);
  gtk_label_set_text(self->status, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->status), text);
  g_free(text);
  redraw(self);
}

static void on_progress(AuiPageSweep *self, guint step, double part, double left_s) {
  if (step != ASE_STEP_DRY_RUN && step != ASE_STEP_SWEEP)
    return;
  char *left = aui_format_duration(left_s);
  char *text =
      g_strdup_printf(_("%s: %.0f %%, %s left"), ase_step_title((AseStep)step), 100.0 * part, left);
  gtk_progress_bar_set_fraction(self->progress, part);
  gtk_label_set_text(self->left, text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->progress), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
  g_free(text);
  g_free(left);
}

static void on_chunk(AuiPageSweep *self, const AioChunk *chunk) {
  if (aui_curves_add(&self->curves, chunk))
    redraw(self);
}

/* ---- buttons ---- */

static void start(AuiPageSweep *self, AseStep step) {
  GError *error = NULL;
  const bool is_done = ase_session_start(self->session, step, &error);
  aui_say_failed(GTK_WIDGET(self), is_done, error);
}

static void on_dry_run(AuiPageSweep *self) {
  start(self, ASE_STEP_DRY_RUN);
}
static void on_sweep(AuiPageSweep *self) {
  start(self, ASE_STEP_SWEEP);
}
static void on_pause(AuiPageSweep *self) {
  ase_session_cancel(self->session);
}

static void on_selected(AuiPageSweep *self) {
  const guint joint = (guint)gtk_adjustment_get_value(self->joints);
  const guint hold = (guint)gtk_adjustment_get_value(self->holds);
  if (joint != self->curves.joint || hold != self->curves.hold)
    aui_page_sweep_show(self, joint, MIN(hold, count_holds(self, joint)));
}

static void on_follow(AuiPageSweep *self) {
  follow_leg(self);
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
  AseExclusion *all = g_memdup2(edits->exclusions, sizeof edits->exclusions);
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
  g_free(all);
}

static void on_range(AuiPageSweep *self, double low, double high) {
  const char *unit;
  const double scale = aui_curves_scale(&self->curves, &unit);
  const bool restores = gtk_toggle_button_get_active(self->restore);
  AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  for (guint k = 0; k < self->curves.curves->len; k++) {
    const AuiCurve *curve = self->curves.curves->pdata[k];
    (restores ? restore : exclude)(edits, curve->run, low / scale, high / scale);
  }
  ase_session_set_edits(self->session, edits,
                        restores ? _("restore samples") : _("exclude samples"));
  g_free(edits);
}

/* ---- the object ---- */

static AuiFigure *build_current(gpointer data) {
  return aui_curves_current_figure(&AUI_PAGE_SWEEP(data)->curves);
}
static AuiFigure *build_speed(gpointer data) {
  return aui_curves_speed_figure(&AUI_PAGE_SWEEP(data)->curves);
}
static AuiFigure *build_residual(gpointer data) {
  return aui_curves_residual_figure(&AUI_PAGE_SWEEP(data)->curves);
}

GtkWidget *aui_page_sweep_new(AseSession *session) {
  AuiPageSweep *self = g_object_new(AUI_TYPE_PAGE_SWEEP, NULL);
  AseDevice *device = ase_session_device(session);
  const GConnectFlags swapped = G_CONNECT_SWAPPED;
  self->session = g_object_ref(session);
  aui_curves_init(&self->curves, session);
  aui_plot_set_build(self->current, build_current, self);
  aui_plot_set_build(self->speed, build_speed, self);
  aui_plot_set_build(self->residual, build_residual, self);
  g_signal_connect_object(session, "changed", G_CALLBACK(on_changed), self, swapped);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, swapped);
  g_signal_connect_object(session, "leg", G_CALLBACK(on_leg), self, swapped);
  g_signal_connect_object(session, "progress", G_CALLBACK(on_progress), self, swapped);
  g_signal_connect_object(device, "chunk", G_CALLBACK(on_chunk), self, swapped);
  on_changed(self);
  return GTK_WIDGET(self);
}

static void aui_page_sweep_init(AuiPageSweep *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}

static void aui_page_sweep_dispose(GObject *object) {
  AuiPageSweep *self = AUI_PAGE_SWEEP(object);
  if (self->session) {
    g_signal_handlers_disconnect_by_data(self->session, self);
    g_signal_handlers_disconnect_by_data(ase_session_device(self->session), self);
    aui_curves_clear(&self->curves);
  }
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_SWEEP);
  G_OBJECT_CLASS(aui_page_sweep_parent_class)->dispose(object);
}

static void bind_callbacks(GtkWidgetClass *widget) {
  gtk_widget_class_bind_template_callback(widget, on_dry_run);
  gtk_widget_class_bind_template_callback(widget, on_sweep);
  gtk_widget_class_bind_template_callback(widget, on_pause);
  gtk_widget_class_bind_template_callback(widget, on_selected);
  gtk_widget_class_bind_template_callback(widget, on_follow);
  gtk_widget_class_bind_template_callback(widget, on_selecting);
  gtk_widget_class_bind_template_callback(widget, on_range);
}

static void aui_page_sweep_class_init(AuiPageSweepClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = aui_page_sweep_dispose;
  g_type_ensure(AUI_TYPE_PLOT);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_sweep.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, joints);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, holds);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, follow);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, exclude);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, restore);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, status);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, left);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, dry_run);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, sweep);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, pause);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, progress);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, current);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, speed);
  gtk_widget_class_bind_template_child(widget, AuiPageSweep, residual);
  bind_callbacks(widget);
}
