/* SPDX-License-Identifier: MIT */
/* The order of buttons is that of the work: dry run, sweep. What is left of the time is the
 * session's one answer (ase_session_clock), not an estimate of its own. */
#include "ui/sweep/sweep_bar.h"

#include <glib/gi18n.h>

#include "session/next.h"
#include "ui/kit/format.h"
#include "ui/kit/steps.h"
#include "ui/kit/strip.h"
#include "ui/kit/why.h"

struct _AuiSweepBar {
  GtkBox parent_instance;
  AseSession *session;
  guint joint;
  GtkImage *dry_run_state, *sweep_state;
  GtkButton *dry_run, *sweep, *pause, *skip, *repeat;
  GtkLabel *status, *left;
  GtkProgressBar *progress;
};

G_DEFINE_FINAL_TYPE(AuiSweepBar, aui_sweep_bar, GTK_TYPE_BOX)

/* ---- time ---- */

static const AseLeg *leg_at(const AseItinerary *itinerary, guint k) {
  return itinerary && k < itinerary->legs->len ? &g_array_index(itinerary->legs, AseLeg, k) : NULL;
}

char *aui_sweep_bar_left_text(const AseClock *clock) {
  g_autofree char *leg = aui_format_duration(clock->leg_left_s);
  g_autofree char *left = aui_format_duration(clock->left_s);
  g_autofree char *whole = aui_format_duration(clock->whole_s);
  /* translators: "Sweep: 1:12 left of 4:30, this leg 0:08"; all are times */
  return g_strdup_printf(_("%s: %s left of %s, this leg %s"), ase_moves_title(clock->what), left,
                         whole, leg);
}

static void on_clock(AuiSweepBar *self) {
  AseClock clock;
  if (!ase_session_clock(self->session, &clock))
    return;
  g_autofree char *text = aui_sweep_bar_left_text(&clock);
  gtk_label_set_text(self->left, text);
  gtk_progress_bar_set_fraction(self->progress, clock.part);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->progress), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
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
  const char *reason = ase_step_reason(&procedure->steps[step]);
  gtk_label_set_text(self->left, "");
  gtk_progress_bar_set_fraction(self->progress, state_of(self, ASE_STEP_SWEEP) == ASE_STATE_PASSED);
  if (wants_dry && (!*reason || state_of(self, step) == ASE_STATE_READY))
    show_status(self, _("First the dry run: it is compulsory before the first sweep and after "
                        "limits have changed."));
  else
    show_status(self, reason);
}

/* Which of them, once the arm is armed. */
static void mark_next(AuiSweepBar *self) {
  AseNextFacts facts;
  ase_session_next_facts(self->session, &facts);
  facts.is_armed = true;
  const AseNext next = ase_procedure_next(ase_session_procedure(self->session), &facts);
  GtkWidget *const buttons[2] = {GTK_WIDGET(self->dry_run), GTK_WIDGET(self->sweep)};
  for (guint k = 0; k < 2; k++) {
    const bool is_next = next == (k == 0 ? ASE_NEXT_DRY_RUN : ASE_NEXT_SWEEP);
    (is_next ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(buttons[k],
                                                                       "suggested-action");
  }
}

static void refresh(AuiSweepBar *self) {
  const AseStepState dry = state_of(self, ASE_STEP_DRY_RUN), sweep = state_of(self, ASE_STEP_SWEEP);
  const bool moves = dry == ASE_STATE_RUNNING || sweep == ASE_STATE_RUNNING;
  const bool has_dry = ase_procedure_has(ase_session_procedure(self->session), ASE_STEP_DRY_RUN);
  const bool wants_dry = has_dry && dry != ASE_STATE_PASSED;
  gtk_widget_set_visible(GTK_WIDGET(self->dry_run), has_dry);
  gtk_widget_set_visible(GTK_WIDGET(self->dry_run_state), has_dry);
  show_state(self->dry_run_state, dry);
  show_state(self->sweep_state, sweep);
  gtk_widget_set_sensitive(GTK_WIDGET(self->dry_run), !moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->sweep), !moves && !wants_dry);
  gtk_widget_set_sensitive(GTK_WIDGET(self->pause), moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->skip), moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->repeat), !wants_dry && sweep == ASE_STATE_PASSED);
  mark_next(self);
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
  g_signal_connect_object(session, "clock", G_CALLBACK(on_clock), self, G_CONNECT_SWAPPED);
  refresh(self);
}

static void aui_sweep_bar_dispose(GObject *object) {
  AuiSweepBar *self = AUI_SWEEP_BAR(object);
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
