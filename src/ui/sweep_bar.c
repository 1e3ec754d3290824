/* SPDX-License-Identifier: MIT */
#include "ui/sweep_bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/format.h"
#include "ui/steps.h"
#include "ui/strip.h"
#include "ui/why.h"

enum { TICK_MS = 500 };

struct _AuiSweepBar {
  GtkBox parent_instance;
  AseSession *session;
  guint joint;
  GtkImage *dry_run_state, *sweep_state;
  GtkButton *dry_run, *sweep, *pause, *skip, *repeat;
  GtkLabel *status, *left;
  GtkProgressBar *progress;
  guint tick;     /* 0: nothing moves */
  gint64 told_us; /* when the session last told of its progress, at the beginning of a leg */
  double part;    /* of the whole step, then */
  double left_s;  /* of the whole step, then */
  double leg_s;   /* of the leg that began */
  AseStep moving;
};

G_DEFINE_FINAL_TYPE(AuiSweepBar, aui_sweep_bar, GTK_TYPE_BOX)

/* ---- time ---- */

static const AseLeg *leg_at(const AseItinerary *itinerary, guint k) {
  return itinerary && k < itinerary->legs->len ? &g_array_index(itinerary->legs, AseLeg, k) : NULL;
}

/* The session tells of the whole step; a leg's share of it is as its duration's of those left. */
static double leg_seconds(AuiSweepBar *self, double left_s) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  const guint now = ase_session_leg(self->session);
  const AseLeg *leg = leg_at(itinerary, now), *other;
  double rest_s = 0.0;
  for (guint k = now; (other = leg_at(itinerary, k)); k++)
    rest_s += other->duration_s;
  return leg && rest_s > 0.0 ? left_s * leg->duration_s / rest_s : 0.0;
}

static char *left_text(AuiSweepBar *self, double past_s) {
  const double whole_s = self->part < 1.0 ? self->left_s / (1.0 - self->part) : self->left_s;
  g_autofree char *leg = aui_format_duration(self->leg_s - past_s);
  g_autofree char *left = aui_format_duration(self->left_s - past_s);
  g_autofree char *whole = aui_format_duration(whole_s);
  /* translators: "Sweep: 1:12 left of 4:30, this leg 0:08"; all are times */
  return g_strdup_printf(_("%s: %s left of %s, this leg %s"), ase_step_title(self->moving), left,
                         whole, leg);
}

/* Between two legs the time goes on by itself, but never into the next leg. */
static void show_time(AuiSweepBar *self) {
  const double past_s = fmin(1e-6 * (double)(g_get_monotonic_time() - self->told_us), self->leg_s);
  const double leg_part = self->left_s > 0.0 ? (1.0 - self->part) * past_s / self->left_s : 0.0;
  g_autofree char *text = left_text(self, past_s);
  gtk_label_set_text(self->left, text);
  gtk_progress_bar_set_fraction(self->progress, CLAMP(self->part + leg_part, 0.0, 1.0));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->progress), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
}

static gboolean on_tick(gpointer data) {
  show_time(data);
  return G_SOURCE_CONTINUE;
}

static void on_progress(AuiSweepBar *self, guint step, double part, double left_s) {
  if (step != ASE_STEP_DRY_RUN && step != ASE_STEP_SWEEP)
    return;
  self->moving = (AseStep)step;
  self->told_us = g_get_monotonic_time();
  self->part = part;
  self->left_s = left_s;
  self->leg_s = leg_seconds(self, left_s);
  if (!self->tick)
    self->tick = g_timeout_add(TICK_MS, on_tick, self);
  show_time(self);
}

static void stop_tick(AuiSweepBar *self) {
  g_clear_handle_id(&self->tick, g_source_remove);
}

/* ---- states ---- */

static AseStepState state_of(AuiSweepBar *self, AseStep step) {
  return ase_procedure_state(ase_session_procedure(self->session), step);
}

static void show_state(GtkImage *image, AseStepState state) {
  gtk_image_set_from_icon_name(image, aui_state_icon(state));
  gtk_widget_set_tooltip_text(GTK_WIDGET(image), aui_state_text(state));
  gtk_accessible_update_property(GTK_ACCESSIBLE(image), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 aui_state_text(state), -1);
}

static void show_status(AuiSweepBar *self, const char *text) {
  gtk_label_set_text(self->status, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->status), text);
}

/* Nothing moves: what there is to do, or what came of it. */
static void show_rest(AuiSweepBar *self, bool wants_dry) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  const AseStep step = wants_dry ? ASE_STEP_DRY_RUN : ASE_STEP_SWEEP;
  const char *reason = procedure->steps[step].reason;
  stop_tick(self);
  gtk_label_set_text(self->left, "");
  gtk_progress_bar_set_fraction(self->progress, state_of(self, ASE_STEP_SWEEP) == ASE_STATE_PASSED);
  if (wants_dry && (!*reason || state_of(self, step) == ASE_STATE_READY))
    show_status(self, _("First the dry run: it is compulsory before the first sweep and after "
                        "limits have changed."));
  else
    show_status(self, reason);
}

static void mark_next(AuiSweepBar *self, bool wants_dry, bool moves) {
  const bool is_done = state_of(self, ASE_STEP_SWEEP) == ASE_STATE_PASSED;
  GtkWidget *const buttons[2] = {GTK_WIDGET(self->dry_run), GTK_WIDGET(self->sweep)};
  for (guint k = 0; k < 2; k++) {
    const bool is_next = !moves && !is_done && wants_dry == (k == 0);
    (is_next ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(buttons[k],
                                                                       "suggested-action");
  }
}

static void refresh(AuiSweepBar *self) {
  const AseStepState dry = state_of(self, ASE_STEP_DRY_RUN), sweep = state_of(self, ASE_STEP_SWEEP);
  const bool moves = dry == ASE_STATE_RUNNING || sweep == ASE_STATE_RUNNING;
  const bool wants_dry = dry != ASE_STATE_PASSED;
  show_state(self->dry_run_state, dry);
  show_state(self->sweep_state, sweep);
  gtk_widget_set_sensitive(GTK_WIDGET(self->dry_run), !moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->sweep), !moves && !wants_dry);
  gtk_widget_set_sensitive(GTK_WIDGET(self->pause), moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->skip), moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->repeat), !wants_dry && sweep == ASE_STATE_PASSED);
  mark_next(self, wants_dry, moves);
  if (!moves)
    show_rest(self, wants_dry);
}

static void on_leg(AuiSweepBar *self, guint index) {
  const AseLeg *leg = leg_at(ase_session_itinerary(self->session), index);
  if (!leg)
    return;
  g_autofree char *text = ase_leg_text(&ase_session_arm(self->session)->model, leg);
  show_status(self, text);
}

/* ---- buttons ---- */

static void start(AuiSweepBar *self, AseStep step) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, step, &error), &error);
}

static void on_dry_run(AuiSweepBar *self) {
  start(self, ASE_STEP_DRY_RUN);
}
static void on_sweep(AuiSweepBar *self) {
  start(self, ASE_STEP_SWEEP);
}
static void on_pause(AuiSweepBar *self) {
  ase_session_cancel(self->session);
}
static void on_skip(AuiSweepBar *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_skip(self->session, &error), &error);
}
static void on_repeat(AuiSweepBar *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self),
                 ase_session_repeat(self->session, ASE_STEP_SWEEP, self->joint, &error), &error);
}

/* ---- the object ---- */

void aui_sweep_bar_set_joint(AuiSweepBar *self, guint joint) {
  g_autofree char *label = g_strdup_printf(_("_Repeat joint %u"), joint);
  self->joint = joint;
  if (g_strcmp0(gtk_button_get_label(self->repeat), label) != 0)
    gtk_button_set_label(self->repeat, label);
}

void aui_sweep_bar_set_session(AuiSweepBar *self, AseSession *session) {
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "leg", G_CALLBACK(on_leg), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "progress", G_CALLBACK(on_progress), self, G_CONNECT_SWAPPED);
  refresh(self);
}

static void aui_sweep_bar_dispose(GObject *object) {
  AuiSweepBar *self = AUI_SWEEP_BAR(object);
  stop_tick(self);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_SWEEP_BAR);
  G_OBJECT_CLASS(aui_sweep_bar_parent_class)->dispose(object);
}

static void aui_sweep_bar_class_init(AuiSweepBarClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = aui_sweep_bar_dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/sweep_bar.ui");
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, dry_run_state);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, sweep_state);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, dry_run);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, sweep);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, pause);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, skip);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, repeat);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, status);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, left);
  gtk_widget_class_bind_template_child(widget, AuiSweepBar, progress);
  gtk_widget_class_bind_template_callback(widget, on_dry_run);
  gtk_widget_class_bind_template_callback(widget, on_sweep);
  gtk_widget_class_bind_template_callback(widget, on_pause);
  gtk_widget_class_bind_template_callback(widget, on_skip);
  gtk_widget_class_bind_template_callback(widget, on_repeat);
}

static void aui_sweep_bar_init(AuiSweepBar *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  GtkWidget *dry_run = GTK_WIDGET(self->dry_run);
  gtk_box_insert_child_after(GTK_BOX(gtk_widget_get_parent(dry_run)), aui_why_new("dry-run"),
                             dry_run);
}
