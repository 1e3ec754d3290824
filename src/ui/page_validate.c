/* SPDX-License-Identifier: MIT */
#include "ui/page_validate.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/format.h"
#include "ui/strip.h"
#include "ui/table.h"

struct _AuiPageValidate {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *validate;
  GtkLabel *summary, *drift;
  GtkBox *joints_box;
  GtkGrid *joints;
};

G_DEFINE_FINAL_TYPE(AuiPageValidate, aui_page_validate, GTK_TYPE_BOX)

static void on_validate(AuiPageValidate *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, ASE_STEP_VALIDATE, &error),
                 error);
}

static void put_joint(AuiPageValidate *self, guint joint, const AseJointValidation *v) {
  const double numbers[] = {1e3 * v->rms_A, 1e3 * v->mean_A, 1e3 * v->worst_A, v->percent,
                            v->ratio};
  const int row = aui_table_add_row(self->joints);
  aui_table_take(self->joints, row, 0, g_strdup_printf("%u", joint + 1), true);
  aui_table_take(self->joints, row, 1, g_strdup_printf("%zu", v->rows), true);
  for (int k = 0; k < (int)G_N_ELEMENTS(numbers); k++)
    aui_table_take(self->joints, row, 2 + k, aui_format_number(v->rows ? numbers[k] : NAN, 3),
                   true);
  GtkWidget *verdict = aui_table_take(self->joints, row, 7,
                                      g_strdup(v->rows == 0    ? _("not measured")
                                               : v->has_passed ? _("passed")
                                                               : _("failed")),
                                      false);
  gtk_widget_add_css_class(verdict, v->rows == 0    ? "dim-label"
                                    : v->has_passed ? "success"
                                                    : "error");
}

static char *drift_text(const AseValidation *v) {
  if (isnan(v->drift_A))
    return g_strdup(_("Drift: the first sweep was not repeated."));
  return g_strdup_printf(_("Drift of the friction of joint %u between the first sweep and its "
                           "repetition: %.1f mA, %.1f sd (%s)"),
                         v->drift_joint, 1e3 * v->drift_A, v->drift_sds,
                         v->has_drifted ? _("more than allowed: let the arm warm up")
                                        : _("passed"));
}

static void refresh(AuiPageValidate *self) {
  const AseValidation *v = ase_session_validation(self->session);
  const AseEdits *edits = ase_session_edits(self->session);
  g_autofree char *drift = v ? drift_text(v) : g_strdup("");
  g_autofree char *summary =
      v ? g_strdup_printf(_("Allowed: an rms error of %.3g residual sds per joint, a drift of %.3g "
                            "sds."),
                          edits->validation_limit, edits->drift_limit)
        : g_strdup(_("Nothing judged yet. It needs a fit, and the validation sweeps that the sweep "
                     "step does at its end."));
  gtk_label_set_text(self->summary, summary);
  gtk_label_set_text(self->drift, drift);
  aui_table_clear(self->joints);
  for (guint joint = v ? v->joints : 0; joint-- > 0;)
    put_joint(self, joint, &v->joint[joint]);
}

static void refresh_step(AuiPageValidate *self) {
  const AseStepState state =
      ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_VALIDATE);
  gtk_widget_set_sensitive(GTK_WIDGET(self->validate),
                           state != ASE_STATE_RUNNING && state != ASE_STATE_WAITING);
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_PAGE_VALIDATE(object)->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_PAGE_VALIDATE);
  G_OBJECT_CLASS(aui_page_validate_parent_class)->dispose(object);
}

static void aui_page_validate_class_init(AuiPageValidateClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_validate.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, validate);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, summary);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, drift);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, joints_box);
  gtk_widget_class_bind_template_callback(widget, on_validate);
}

static void aui_page_validate_init(AuiPageValidate *self) {
  const char *const heads[] = {_("Joint"),        _("Samples"),   _("rms error, mA"),
                               _("mean, mA"),     _("worst, mA"), _("% of the current"),
                               _("residual sds"), _("Verdict"),   NULL};
  gtk_widget_init_template(GTK_WIDGET(self));
  self->joints = aui_table_new(heads);
  gtk_box_append(self->joints_box, GTK_WIDGET(self->joints));
}

GtkWidget *aui_page_validate_new(AseSession *session) {
  AuiPageValidate *self = g_object_new(AUI_TYPE_PAGE_VALIDATE, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh_step), self,
                          G_CONNECT_SWAPPED);
  refresh(self);
  refresh_step(self);
  return GTK_WIDGET(self);
}
