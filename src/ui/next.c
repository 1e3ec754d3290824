/* SPDX-License-Identifier: MIT */
/* What is next is the session's to say (session/next); here is how the button says it, and that no
 * click meant for one thing does another. */
#include "ui/next.h"

#include <glib/gi18n.h>

#include "ui/arming.h"
#include "ui/kit/press_button.h"
#include "ui/kit/steps.h"
#include "ui/kit/strip.h"

/* ---- how it is said and done ---- */

/* It does nothing for so long after it has come to mean something else, or can be used again: of a
 * double-click only the first counts, whatever that did. */
enum { REST_MS = 1000 };
enum { HINT_LINES = 6 }; /* a reason may be long */

typedef struct {
  const char *label, *hint, *page;
  AseStep step; /* to start; ASE_STEPS: none */
} Way;

static const Way ways[ASE_NEXTS] = {
    [ASE_NEXT_CONNECT] = {N_("Next: connect"), N_("Choose the simulator or a port."), "connect",
                          ASE_STEPS},
    /* its hint is the reason */
    [ASE_NEXT_OTHER_ARM] = {N_("See what does not fit"), "", "connect", ASE_STEPS},
    [ASE_NEXT_CHECK] = {N_("Next: check the arm"), N_("Pose, limits, faults, emergency stop."),
                        "connect", ASE_STEP_CHECK},
    [ASE_NEXT_CONFIGURE] = {N_("Next: describe the arm"), N_("See what is missing in its file."),
                            "arm", ASE_STEPS},
    [ASE_NEXT_PLAN] = {N_("Next: propose a plan"),
                       N_("Poses and sweeps that tell the parameters apart. Nothing moves yet."),
                       "plan", ASE_STEP_PLAN},
    /* its hint are the faults */
    [ASE_NEXT_CLEAR] = {N_("Next: clear the faults"), "", "sweep", ASE_STEPS},
    [ASE_NEXT_ARM] = {N_("Next: arm"), N_("From then on the arm may move. Stand clear; Esc holds."),
                      "sweep", ASE_STEPS},
    [ASE_NEXT_DRY_RUN] = {N_("Next: dry run"), N_("All of the way once, slowly. Watch the arm."),
                          "sweep", ASE_STEP_DRY_RUN},
    [ASE_NEXT_SWEEP] = {N_("Next: sweep"),
                        N_("Measures joint by joint, then fits and validates by itself."), "sweep",
                        ASE_STEP_SWEEP},
    [ASE_NEXT_FIT] = {N_("Next: fit"), N_("Parameters from what was measured."), "fit",
                      ASE_STEP_FIT},
    [ASE_NEXT_MISFIT] = {N_("See why it does not fit"),
                         N_("How far off the model is, and what may be the cause."), "fit",
                         ASE_STEPS},
    /* its hint is the reason */
    [ASE_NEXT_NOT_FIT] = {N_("See why the fit failed"), "", "fit", ASE_STEPS},
    [ASE_NEXT_VALIDATE] = {N_("Next: validate"), N_("Against sweeps that the fit has not seen."),
                           "validate", ASE_STEP_VALIDATE},
    [ASE_NEXT_LOOK] = {N_("See why validation failed"), N_("Which joints did not pass, and why."),
                       "validate", ASE_STEPS},
    [ASE_NEXT_EXPORT] = {N_("Next: export"), N_("The validated parameters, as a file."), "export",
                         ASE_STEPS},
    /* likewise */
    [ASE_NEXT_UNJUDGED] = {N_("See what was not judged"), "", "fit", ASE_STEPS},
    [ASE_NEXT_DONE] = {N_("Done"), N_("The parameters are validated and exported."), "export",
                       ASE_STEPS},
    [ASE_NEXT_WAIT] = {N_("Running…"), N_("The line below tells how long it will take."), NULL,
                       ASE_STEPS},
};

struct _AuiNextButton {
  GtkBox parent_instance;
  AseSession *session;
  AuiPressButton *button;
  GtkLabel *label, *hint;
  AseNext next;
  AseStepState swept; /* as last seen */
  bool goes_on;       /* after a sweep: fit, then validate */
  guint idle, rest;   /* until it may be clicked again */
  bool was_possible;
};

G_DEFINE_FINAL_TYPE(AuiNextButton, aui_next_button, GTK_TYPE_BOX)

/* What is in the way of motion, g_free; NULL: nothing. A lock-out passes, and nothing tells when.
 */
static char *obstacle_of(AuiNextButton *self) {
  const AseNext next = self->next;
  const bool leads_to_motion =
      next == ASE_NEXT_ARM || next == ASE_NEXT_DRY_RUN || next == ASE_NEXT_SWEEP;
  const char *failure = ase_session_disk_failure(self->session);
  g_autoptr(GError) error = NULL;
  if (leads_to_motion && failure)
    return g_strdup(failure);
  if (leads_to_motion && ase_device_is_silent(ase_session_device(self->session)))
    return g_strdup(_("the controller has fallen silent; connect it again first"));
  if (next == ASE_NEXT_ARM && ase_device_lockout_s(ase_session_device(self->session)) <= 0.0 &&
      !ase_session_may_arm(self->session, &error))
    return g_strdup(error->message);
  return NULL;
}

static bool needs_long_press(AuiNextButton *self) {
  return self->next == ASE_NEXT_ARM && aui_arming_is_deliberate(self->session);
}

static bool has_failed(AuiNextButton *self, AseStep step) {
  return ase_procedure_state(ase_session_procedure(self->session), step) == ASE_STATE_FAILED;
}

/* Nothing was planned to validate it with: no hint says that something has. */
static const char *unvalidated_hint(AuiNextButton *self) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  if (ase_state_is_done(ase_procedure_state(procedure, ASE_STEP_VALIDATE)))
    return NULL;
  if (self->next == ASE_NEXT_EXPORT)
    return _("The parameters, as a file. No sweeps were planned to validate them.");
  if (self->next == ASE_NEXT_DONE)
    return _("The parameters are exported. No sweeps were planned to validate them.");
  return NULL;
}

static char *hint_text(AuiNextButton *self) {
  const char *of_fit = ase_step_reason(&ase_session_procedure(self->session)->steps[ASE_STEP_FIT]);
  if (needs_long_press(self))
    return g_strdup(_("Keep it pressed for a second; from then on the arm may move. Stand clear; "
                      "Esc holds."));
  if (self->next == ASE_NEXT_CLEAR)
    return ase_device_faults_text(ase_session_device(self->session));
  if (self->next == ASE_NEXT_OTHER_ARM)
    return g_strdup(
        ase_step_reason(&ase_session_procedure(self->session)->steps[ASE_STEP_DESCRIBE]));
  if (*of_fit && (self->next == ASE_NEXT_NOT_FIT || self->next == ASE_NEXT_UNJUDGED ||
                  (self->next == ASE_NEXT_FIT && has_failed(self, ASE_STEP_FIT))))
    return g_strdup(of_fit);
  const char *hint = unvalidated_hint(self);
  if (!hint && *ways[self->next].hint)
    hint = _(ways[self->next].hint);
  return g_strdup(hint ? hint : "");
}

static const char *label_text(AuiNextButton *self) {
  return needs_long_press(self) ? _("Hold to arm") : _(ways[self->next].label);
}

static bool is_possible(AuiNextButton *self) {
  return ways[self->next].page && self->next != ASE_NEXT_DONE &&
         !ase_session_is_read_only(self->session);
}

static gboolean on_rested(gpointer data);

/* Idle priority: after a main loop that hung, the clicks that wait to be heard come first. */
static void rest(AuiNextButton *self) {
  g_clear_handle_id(&self->rest, g_source_remove);
  self->rest = g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, REST_MS, on_rested, self, NULL);
}

static void show_text(AuiNextButton *self, const char *obstacle) {
  g_autofree char *hint = obstacle ? g_strdup(obstacle) : hint_text(self);
  const char *label = label_text(self);
  gtk_label_set_text(self->label, label);
  gtk_label_set_text(self->hint, hint);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->hint), hint);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, hint, -1);
}

static void refresh(AuiNextButton *self) {
  const AseNext before = self->next;
  self->next = ase_session_next(self->session);
  g_autofree char *obstacle = obstacle_of(self);
  const bool can = is_possible(self) && !obstacle;
  if (can && (self->next != before || !self->was_possible))
    rest(self);
  self->was_possible = can;
  show_text(self, obstacle);
  aui_press_button_set_needs_long_press(self->button, needs_long_press(self));
  aui_press_button_set_deaf(self->button, !can || self->rest);
}

static gboolean on_rested(gpointer data) {
  AuiNextButton *self = data;
  self->rest = 0;
  refresh(self);
  return G_SOURCE_REMOVE;
}

static void do_next(AuiNextButton *self) {
  const AseNext next = self->next;
  const Way *way = &ways[next];
  GtkWidget *widget = GTK_WIDGET(self);
  GError *error = NULL;
  gtk_widget_activate_action(widget, "session.page", "s", way->page);
  if (next == ASE_NEXT_ARM)
    aui_arming_clicked(widget, self->session);
  else if (next == ASE_NEXT_CLEAR)
    gtk_widget_activate_action(widget, "session.clear-faults", NULL);
  else if (next == ASE_NEXT_EXPORT)
    gtk_widget_activate_action(widget, "session.export", NULL);
  else if (way->step != ASE_STEPS)
    aui_say_failed(widget, ase_session_start(self->session, way->step, &error), &error);
}

static void on_clicked(AuiNextButton *self) {
  if (aui_press_button_is_deaf(self->button))
    return;
  rest(self); /* also where nothing else comes of it */
  do_next(self);
  refresh(self);
}

static void on_long_press(AuiNextButton *self) {
  gtk_widget_activate_action(GTK_WIDGET(self), "session.page", "s", ways[self->next].page);
  aui_arming_arm(GTK_WIDGET(self), self->session);
}

static void on_early(AuiNextButton *self) {
  aui_arming_hint(GTK_WIDGET(self));
}

/* ---- after the sweep ---- */

static gboolean go_on(gpointer data) {
  AuiNextButton *self = data;
  self->idle = 0;
  if (self->next == ASE_NEXT_FIT || self->next == ASE_NEXT_VALIDATE)
    do_next(self);
  return G_SOURCE_REMOVE;
}

/* Not inside of the session's own signal. */
static void go_on_later(AuiNextButton *self) {
  if (!self->idle)
    self->idle = g_idle_add(go_on, self);
}

static void on_step(AuiNextButton *self, guint step) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  const AseStepState swept = ase_procedure_state(procedure, ASE_STEP_SWEEP);
  refresh(self);
  if (swept == ASE_STATE_PASSED && self->swept == ASE_STATE_RUNNING) {
    self->goes_on = true;
    ase_device_disarm(ase_session_device(self->session)); /* nothing is left to move */
  }
  self->swept = swept;
  if (step == ASE_STEP_FIT && ase_procedure_state(procedure, ASE_STEP_FIT) == ASE_STATE_FAILED)
    self->goes_on = false;
  if (self->goes_on && (self->next == ASE_NEXT_FIT || self->next == ASE_NEXT_VALIDATE))
    go_on_later(self);
  else if (self->next != ASE_NEXT_WAIT)
    self->goes_on = false;
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiNextButton *self = AUI_NEXT_BUTTON(object);
  g_clear_handle_id(&self->idle, g_source_remove);
  g_clear_handle_id(&self->rest, g_source_remove);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_next_button_parent_class)->dispose(object);
}

static void aui_next_button_class_init(AuiNextButtonClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static GtkLabel *wrapping_label(void) {
  GtkLabel *label = GTK_LABEL(gtk_label_new(""));
  gtk_label_set_wrap(label, true);
  gtk_label_set_wrap_mode(label, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars(label, 24);
  gtk_label_set_justify(label, GTK_JUSTIFY_CENTER);
  return label;
}

static void aui_next_button_init(AuiNextButton *self) {
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 6);
  gtk_widget_add_css_class(GTK_WIDGET(self), "aui-next");
  self->label = wrapping_label();
  self->hint = wrapping_label();
  gtk_label_set_lines(self->hint, HINT_LINES);
  gtk_label_set_ellipsize(self->hint, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(GTK_WIDGET(self->hint), "caption");
  GtkWidget *button = aui_press_button_new();
  self->button = AUI_PRESS_BUTTON(button);
  gtk_button_set_child(GTK_BUTTON(button), GTK_WIDGET(self->label));
  gtk_widget_add_css_class(button, "suggested-action");
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(on_clicked), self);
  g_signal_connect_swapped(button, "long-press", G_CALLBACK(on_long_press), self);
  g_signal_connect_swapped(button, "early", G_CALLBACK(on_early), self);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->hint));
  gtk_box_append(GTK_BOX(self), button);
}

GtkWidget *aui_next_button_new(AseSession *session) {
  AuiNextButton *self = g_object_new(AUI_TYPE_NEXT_BUTTON, NULL);
  self->session = g_object_ref(session);
  self->swept = ase_procedure_state(ase_session_procedure(session), ASE_STEP_SWEEP);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(on_step), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(refresh), self,
                          G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}
