/* SPDX-License-Identifier: MIT */
/* The search runs on demand beside everything else; what it offers is an edit with a question
 * before it, because a cause that explains the misfit may still not be what is wrong. */
#include "ui/fit/diagnosis_panel.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "session/method/gravity.h"
#include "ui/fit/cause_words.h"
#include "ui/fit/doubt_words.h"
#include "ui/fit/verdict_words.h"
#include "ui/kit/ask.h"
#include "ui/kit/strip.h"

#define CAUSE "aui-cause" /* of a button: which one, from 1 */

struct _AuiDiagnosisPanel {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *find, *cancel;
  GtkProgressBar *progress;
  GtkLabel *state;
  GtkBox *causes;
  GtkWidget *question; /* open, NULL: none */
  guint asked;         /* the cause that it is about */
  AseDiagnosisState shown;
};

G_DEFINE_FINAL_TYPE(AuiDiagnosisPanel, aui_diagnosis_panel, GTK_TYPE_BOX)

/* ---- looking for it ---- */

void aui_diagnosis_panel_find(AuiDiagnosisPanel *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_diagnose(self->session, &error), &error);
}

static void on_find(AuiDiagnosisPanel *self) {
  aui_diagnosis_panel_find(self);
}

static void on_cancel(AuiDiagnosisPanel *self) {
  ase_session_cancel_diagnosis(self->session);
}

/* ---- applying ---- */

static void on_response(AuiDiagnosisPanel *self, const char *response, GtkWindow *dialog) {
  GError *error = NULL;
  g_clear_weak_pointer(&self->question);
  gtk_window_set_destroy_with_parent(dialog, false); /* it ends itself when this has returned */
  if (!g_str_equal(response, "apply"))
    return;
  const bool is_gear =
      ase_session_diagnosis(self->session)->causes.at[self->asked].code == ARM_CAUSE_GEAR_RATIO;
  if (aui_say_failed(GTK_WIDGET(self), ase_session_correct(self->session, self->asked, &error),
                     &error))
    gtk_widget_activate_action(
        GTK_WIDGET(self), "session.tell", "s",
        is_gear ? _("The arm has been corrected. Sweep again: the recording has positions of the "
                    "old ratio. Undo (Ctrl+Z) brings the arm back.")
                : _("The arm has been corrected. Fit again to see what that does; Undo (Ctrl+Z) "
                    "brings the arm back."));
}

static char *question_text(AuiDiagnosisPanel *self) {
  const ArmDiagnosis *d = &ase_session_diagnosis(self->session)->causes;
  const ArmCause *c = &d->at[self->asked];
  GString *text = g_string_new(NULL);
  g_autofree char *name = aui_cause_name(&ase_session_arm(self->session)->model, c);
  g_string_append_printf(text, "%s.\n\n%s", name,
                         _("The arm of this session is changed accordingly, and the fit is to be "
                           "made again. Undo (Ctrl+Z) brings the arm back as it was."));
  if (d->count > 1 && d->at[1].is_tied)
    g_string_append_printf(text, "\n\n%s",
                           _("Other causes explain the misfit as well: look at the arm first."));
  if (c->code == ARM_CAUSE_GEAR_RATIO)
    g_string_append_printf(
        text, "\n\n%s",
        _("Positions of this recording were computed with the old ratio, so that "
          "it still does not fit: sweep again afterwards."));
  return g_string_free(text, FALSE);
}

static GtkWidget *question_new(AuiDiagnosisPanel *self) {
  g_autofree char *text = question_text(self);
  GtkWidget *widget = adw_message_dialog_new(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self))),
                                             _("Apply to the arm?"), text);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(widget);
  adw_message_dialog_add_responses(dialog, "cancel", _("_Cancel"), "apply", _("_Apply"), NULL);
  adw_message_dialog_set_response_appearance(dialog, "apply", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(dialog, "cancel");
  adw_message_dialog_set_close_response(dialog, "cancel");
  gtk_window_set_modal(GTK_WINDOW(dialog), false); /* Hold and Power off stay in reach */
  gtk_window_set_destroy_with_parent(GTK_WINDOW(dialog), true);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_response), self, G_CONNECT_SWAPPED);
  return widget;
}

static void close_question(AuiDiagnosisPanel *self) {
  GtkWidget *question = self->question;
  g_clear_weak_pointer(&self->question);
  if (question)
    gtk_window_destroy(GTK_WINDOW(question));
}

static void on_apply(AuiDiagnosisPanel *self, GtkWidget *button) {
  if (!aui_ask_may(GTK_WIDGET(self)))
    return;
  close_question(self);
  self->asked = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), CAUSE)) - 1;
  g_set_weak_pointer(&self->question, question_new(self));
  gtk_window_present(GTK_WINDOW(self->question));
}

GtkWidget *aui_diagnosis_panel_question(AuiDiagnosisPanel *self) {
  return self->question;
}

/* ---- the causes ---- */

static GtkWidget *label_new(const char *text, const char *css_class) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable(GTK_LABEL(label), true);
  gtk_widget_set_can_focus(label, false);
  if (css_class)
    gtk_widget_add_css_class(label, css_class);
  return label;
}

static bool is_of_arm_file(ArmCauseCode code) {
  return code == ARM_CAUSE_BASE_TILT || code == ARM_CAUSE_JOINT_ZERO ||
         code == ARM_CAUSE_GEAR_RATIO || code == ARM_CAUSE_DH_SIGN;
}

static GtkWidget *button_new(AuiDiagnosisPanel *self, guint k, const char *name) {
  GtkWidget *button = gtk_button_new_with_label(_("Apply to the arm…"));
  gtk_widget_set_valign(button, GTK_ALIGN_START);
  gtk_widget_set_sensitive(button, !ase_session_is_read_only(self->session));
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, name,
                                 -1);
  g_object_set_data(G_OBJECT(button), CAUSE, GUINT_TO_POINTER(k + 1));
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_apply), self, G_CONNECT_SWAPPED);
  return button;
}

static GtkWidget *upper_line(AuiDiagnosisPanel *self, guint k) {
  const ArmDiagnosis *d = &ase_session_diagnosis(self->session)->causes;
  const ArmCause *c = &d->at[k];
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  g_autofree char *name = aui_cause_name(&ase_session_arm(self->session)->model, c);
  GtkWidget *label = label_new(name, k == 0 || c->is_tied ? "heading" : NULL);
  gtk_widget_set_hexpand(label, true);
  gtk_box_append(GTK_BOX(line), label);
  if (ase_session_may_correct(self->session, k, NULL))
    gtk_box_append(GTK_BOX(line), button_new(self, k, name));
  return line;
}

static void add_line(GtkWidget *box, char *text, const char *css_class) {
  gtk_box_append(GTK_BOX(box), label_new(text, css_class));
  g_free(text);
}

static GtkWidget *cause_new(AuiDiagnosisPanel *self, guint k) {
  const ArmDiagnosis *d = &ase_session_diagnosis(self->session)->causes;
  const ArmCause *c = &d->at[k];
  g_autofree char *advice = aui_cause_advice(d, k);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_add_css_class(box, "card");
  gtk_widget_add_css_class(box, "aui-cause");
  gtk_box_append(GTK_BOX(box), upper_line(self, k));
  add_line(box, aui_cause_effect(d, c), "numbers");
  if (*advice)
    add_line(box, g_steal_pointer(&advice), NULL);
  if (k > 0 && !c->is_tied)
    return box;
  add_line(box, g_strdup(aui_cause_remedy(c->code)), "dim-label");
  if (c->explains_it && is_of_arm_file(c->code) && !ase_session_may_correct(self->session, k, NULL))
    add_line(box,
             g_strdup(_("The arm file does not say what would have to be changed: edit it by "
                        "hand.")),
             "dim-label");
  return box;
}

static void clear(AuiDiagnosisPanel *self) {
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(self->causes))))
    gtk_box_remove(self->causes, child);
}

static void fill(AuiDiagnosisPanel *self) {
  const ArmDiagnosis *d = &ase_session_diagnosis(self->session)->causes;
  bool is_likely = ase_session_diagnosis(self->session)->is_misfit;
  for (guint k = 0; k < aui_causes_shown(d); k++) {
    if (is_likely && k > 0 && !d->at[k].is_tied) {
      gtk_box_append(self->causes, label_new(_("Less likely:"), "heading"));
      is_likely = false;
    }
    gtk_box_append(self->causes, cause_new(self, k));
  }
}

/* ---- its state ---- */

static char *idle_text(AuiDiagnosisPanel *self) {
  g_autoptr(GError) error = NULL;
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  const bool is_contradicted = ase_session_is_contradicted(self->session);
  if (fit && !aui_verdict_has_alarm(fit) && !is_contradicted)
    return fit->verdict.verdict == ARM_VERDICT_UNKNOWN
               ? aui_verdict_summary(fit)
               : g_strdup(_("There is no misfit to look for the cause of."));
  if (!ase_session_may_diagnose(self->session, &error))
    return g_strdup_printf(_("The cause cannot be looked for now: %s."), error->message);
  return g_strconcat(
      is_contradicted ? aui_verdict_held_out(true) : "", is_contradicted ? "\n" : "",
      _("Supposes one cause after the other - a base that leans, zeros, gears, the "
        "payload, friction.. - and sorts them by what each explains. It takes seconds "
        "and changes nothing."),
      NULL);
}

static char *causes_text(const AseDiagnosis *d) {
  if (!d->is_together)
    return g_strdup(aui_causes_verdict(&d->causes, d->is_misfit));
  if (!d->is_misfit && d->causes.count == 0)
    return g_strdup(_("Fitted together, the sweeps of the fit and those of the validation have no "
                      "misfit: the fit alone knew too little. Sweep more holds, those of the "
                      "validation among them."));
  /* TRANSLATORS: a sentence that says how good the causes are */
  return g_strdup_printf(_("The sweeps of the fit and those of the validation together:\n%s"),
                         aui_causes_verdict(&d->causes, d->is_misfit));
}

/* Causes are looked for as if the recording were right. */
static char *done_text(const ArmGravityFit *fit, const AseDiagnosis *d) {
  g_autofree char *verdict = causes_text(d);
  g_autofree char *doubt = aui_doubt_summary(fit, true);
  /* TRANSLATORS: a sentence of what looks wrong in the recording */
  return *doubt ? g_strdup_printf(_("First of all: %s\n%s"), doubt, verdict)
                : g_steal_pointer(&verdict);
}

static char *state_text(AuiDiagnosisPanel *self) {
  const AseDiagnosis *d = ase_session_diagnosis(self->session);
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  switch (d->state) {
  case ASE_DIAGNOSIS_RUNNING:
    return g_strdup(_("Supposing one cause after the other…"));
  case ASE_DIAGNOSIS_FAILED:
    return g_strdup_printf(_("The cause could not be looked for: %s"), d->reason);
  case ASE_DIAGNOSIS_DONE:
    return done_text(fit, d);
  case ASE_DIAGNOSIS_NONE:
    break;
  }
  return idle_text(self);
}

/* One of both is seen, and has the focus if the other had. */
static void show_buttons(AuiDiagnosisPanel *self, AseDiagnosisState state) {
  const bool is_running = state == ASE_DIAGNOSIS_RUNNING;
  GtkWidget *find = GTK_WIDGET(self->find), *cancel = GTK_WIDGET(self->cancel);
  GtkRoot *root = gtk_widget_get_root(find);
  const bool had_focus = root && gtk_root_get_focus(root) == (is_running ? find : cancel);
  gtk_widget_set_visible(find, !is_running && state != ASE_DIAGNOSIS_DONE);
  gtk_widget_set_visible(cancel, is_running);
  gtk_widget_set_visible(GTK_WIDGET(self->progress), is_running);
  gtk_widget_set_sensitive(find, ase_session_may_diagnose(self->session, NULL));
  if (had_focus)
    gtk_widget_grab_focus(is_running ? cancel : find);
}

static void refresh(AuiDiagnosisPanel *self) {
  const AseDiagnosis *d = ase_session_diagnosis(self->session);
  const bool is_running = d->state == ASE_DIAGNOSIS_RUNNING;
  gtk_progress_bar_set_fraction(self->progress, is_running ? d->part : 0.0);
  if (is_running && gtk_widget_get_visible(GTK_WIDGET(self->cancel)))
    return; /* progress alone */
  const char *const classes[] = {d->state == ASE_DIAGNOSIS_FAILED ? "error" : "body", NULL};
  g_autofree char *text = state_text(self);
  gtk_label_set_text(self->state, text);
  gtk_widget_set_css_classes(GTK_WIDGET(self->state), (const char **)classes);
  show_buttons(self, d->state);
  if (self->shown == d->state && d->state == ASE_DIAGNOSIS_DONE)
    return; /* nobody is disturbed who reads it or is on a button */
  self->shown = d->state;
  clear(self);
  if (d->state == ASE_DIAGNOSIS_DONE)
    fill(self);
  else
    close_question(self);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiDiagnosisPanel *self = AUI_DIAGNOSIS_PANEL(object);
  close_question(self);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_DIAGNOSIS_PANEL);
  G_OBJECT_CLASS(aui_diagnosis_panel_parent_class)->dispose(object);
}

static void aui_diagnosis_panel_class_init(AuiDiagnosisPanelClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/diagnosis_panel.ui");
  gtk_widget_class_bind_template_child(widget, AuiDiagnosisPanel, find);
  gtk_widget_class_bind_template_child(widget, AuiDiagnosisPanel, cancel);
  gtk_widget_class_bind_template_child(widget, AuiDiagnosisPanel, progress);
  gtk_widget_class_bind_template_child(widget, AuiDiagnosisPanel, state);
  gtk_widget_class_bind_template_child(widget, AuiDiagnosisPanel, causes);
  gtk_widget_class_bind_template_callback(widget, on_find);
  gtk_widget_class_bind_template_callback(widget, on_cancel);
}

static void aui_diagnosis_panel_init(AuiDiagnosisPanel *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}

GtkWidget *aui_diagnosis_panel_new(AseSession *session) {
  AuiDiagnosisPanel *self = g_object_new(AUI_TYPE_DIAGNOSIS_PANEL, NULL);
  const GConnectFlags swapped = G_CONNECT_SWAPPED;
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "diagnosis", G_CALLBACK(refresh), self, swapped);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, swapped);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, swapped);
  refresh(self);
  return GTK_WIDGET(self);
}
