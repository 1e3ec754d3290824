/* SPDX-License-Identifier: MIT */
/* Out of date comes before what the verdict was: an old verdict beside new parameters would be read
 * as theirs. */
#include "ui/fit/verdict_bar.h"

#include <glib/gi18n.h>

#include "session/method/gravity.h"
#include "ui/fit/verdict_words.h"
#include "ui/kit/steps.h"
#include "ui/kit/why.h"

struct _AuiVerdictBar {
  GtkBox parent_instance;
  AseSession *session;
  GtkImage *icon;
  GtkLabel *text;
  GtkButton *find;
  bool offers;
};

G_DEFINE_FINAL_TYPE(AuiVerdictBar, aui_verdict_bar, GTK_TYPE_BOX)

enum { FIND, SIGNALS };
static guint signals[SIGNALS];

/* The steps' icons: out of date goes before what the verdict was, and what the step says before a
 * verdict that is better. */
static AseStepState state_of(AuiVerdictBar *self, const ArmGravityFit *fit) {
  const AseStepState state =
      ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_FIT);
  if (state == ASE_STATE_STALE)
    return ASE_STATE_STALE;
  if (fit->verdict.verdict == ARM_VERDICT_MISFIT || state == ASE_STATE_FAILED)
    return ASE_STATE_FAILED;
  return fit->verdict.verdict == ARM_VERDICT_UNKNOWN || state == ASE_STATE_UNJUDGED
             ? ASE_STATE_UNJUDGED
             : ASE_STATE_PASSED;
}

/* That it fits says nothing where the step has failed for something else. */
static char *bar_text(AuiVerdictBar *self, const ArmGravityFit *fit, AseStepState state) {
  const char *reason = ase_step_reason(&ase_session_procedure(self->session)->steps[ASE_STEP_FIT]);
  return state == ASE_STATE_FAILED && fit->verdict.verdict != ARM_VERDICT_MISFIT && *reason
             ? g_strdup_printf(_("The fit is not good yet: %s"), reason)
             : aui_verdict_summary(fit);
}

static const char *button_text(AuiVerdictBar *self) {
  switch (ase_session_diagnosis(self->session)->state) {
  case ASE_DIAGNOSIS_RUNNING:
    return _("Looking for the cause…");
  case ASE_DIAGNOSIS_DONE:
    return _("See the causes");
  case ASE_DIAGNOSIS_NONE:
  case ASE_DIAGNOSIS_FAILED:
    break;
  }
  return _("Find the cause");
}

static void refresh(AuiVerdictBar *self) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  const bool has_verdict = fit && fit->verdict.n > 0;
  gtk_widget_set_visible(GTK_WIDGET(self), has_verdict);
  if (!has_verdict)
    return;
  const AseStepState state = state_of(self, fit);
  const char *const classes[] = {aui_state_class(state), NULL};
  g_autofree char *text = bar_text(self, fit, state);
  gtk_image_set_from_icon_name(self->icon, aui_state_icon(state));
  gtk_widget_set_css_classes(GTK_WIDGET(self->icon), (const char **)classes);
  gtk_label_set_text(self->text, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->text), text);
  gtk_button_set_label(self->find, button_text(self));
  gtk_widget_set_visible(GTK_WIDGET(self->find), self->offers && aui_verdict_has_alarm(fit));
}

void aui_verdict_bar_offer(AuiVerdictBar *self, bool offers) {
  self->offers = offers;
  refresh(self);
}

static void on_find(AuiVerdictBar *self) {
  g_signal_emit(self, signals[FIND], 0);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  g_clear_object(&AUI_VERDICT_BAR(object)->session);
  G_OBJECT_CLASS(aui_verdict_bar_parent_class)->dispose(object);
}

static void aui_verdict_bar_class_init(AuiVerdictBarClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  signals[FIND] = g_signal_new("find", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
}

static void aui_verdict_bar_init(AuiVerdictBar *self) {
  GtkWidget *text = gtk_label_new("");
  self->offers = true;
  self->icon = GTK_IMAGE(gtk_image_new());
  self->text = GTK_LABEL(text);
  self->find = GTK_BUTTON(gtk_button_new_with_label(""));
  gtk_box_set_spacing(GTK_BOX(self), 8);
  gtk_label_set_xalign(self->text, 0.0f);
  gtk_label_set_wrap(self->text, true);
  gtk_label_set_wrap_mode(self->text, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines(self->text, 3);
  gtk_label_set_ellipsize(self->text, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(text, true);
  gtk_widget_set_valign(GTK_WIDGET(self->find), GTK_ALIGN_CENTER);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Verdict"), -1);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->icon));
  gtk_box_append(GTK_BOX(self), text);
  gtk_box_append(GTK_BOX(self), aui_why_new("lack-of-fit"));
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->find));
  g_signal_connect_object(self->find, "clicked", G_CALLBACK(on_find), self, G_CONNECT_SWAPPED);
}

GtkWidget *aui_verdict_bar_new(AseSession *session) {
  AuiVerdictBar *self = g_object_new(AUI_TYPE_VERDICT_BAR, NULL);
  const GConnectFlags swapped = G_CONNECT_SWAPPED;
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "diagnosis", G_CALLBACK(refresh), self, swapped);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, swapped);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, swapped);
  refresh(self);
  return GTK_WIDGET(self);
}
