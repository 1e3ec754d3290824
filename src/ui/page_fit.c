/* SPDX-License-Identifier: MIT */
#include "ui/page_fit.h"

#include <glib/gi18n.h>

#include "ui/fit_plots.h"
#include "ui/format.h"
#include "ui/parameter_table.h"
#include "ui/strip.h"

struct _AuiPageFit {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *fit, *cancel;
  GtkLabel *summary;
  GtkBox *plots, *parameters_box, *joints_box;
  GtkGrid *parameters, *joints;
};

G_DEFINE_FINAL_TYPE(AuiPageFit, aui_page_fit, GTK_TYPE_BOX)

static void on_fit(AuiPageFit *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, ASE_STEP_FIT, &error), error);
}

static void on_cancel(AuiPageFit *self) {
  ase_session_cancel(self->session);
}

static void on_copy(AuiPageFit *self) {
  g_autofree char *parameters = aui_table_text(self->parameters);
  g_autofree char *joints = aui_table_text(self->joints);
  g_autofree char *text = g_strconcat(parameters, "\n", joints, NULL);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), text);
}

static char *summary_text(const ArmGravityFit *fit) {
  if (!fit)
    return g_strdup(_("No fit yet. It needs the sweeps; then it takes a few seconds."));
  return fit->is_converged
             ? g_strdup_printf(_("Refined in %zu iterations, converged (gradient %.1e)"),
                               fit->iterations, fit->relative_gradient)
             : g_strdup_printf(_("Not converged after %zu iterations (gradient %.1e): look at the "
                                 "joints with a high condition number first"),
                               fit->iterations, fit->relative_gradient);
}

static void refresh(AuiPageFit *self) {
  const ArmGravityFit *fit = ase_session_fit(self->session);
  g_autofree char *summary = summary_text(fit);
  gtk_label_set_text(self->summary, summary);
  aui_table_clear(self->parameters);
  aui_table_clear(self->joints);
  if (!fit)
    return;
  aui_parameter_table_fill(self->parameters, &fit->refined, &fit->recursive);
  aui_joint_table_fill(self->joints, &fit->refined);
}

static void refresh_step(AuiPageFit *self) {
  const AseStepState state =
      ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_FIT);
  gtk_widget_set_sensitive(GTK_WIDGET(self->cancel), state == ASE_STATE_RUNNING);
  gtk_widget_set_sensitive(GTK_WIDGET(self->fit),
                           state != ASE_STATE_RUNNING && state != ASE_STATE_WAITING);
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_PAGE_FIT(object)->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_PAGE_FIT);
  G_OBJECT_CLASS(aui_page_fit_parent_class)->dispose(object);
}

static void aui_page_fit_class_init(AuiPageFitClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_fit.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageFit, fit);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, cancel);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, summary);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, plots);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, parameters_box);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, joints_box);
  gtk_widget_class_bind_template_callback(widget, on_fit);
  gtk_widget_class_bind_template_callback(widget, on_cancel);
  gtk_widget_class_bind_template_callback(widget, on_copy);
}

static void aui_page_fit_init(AuiPageFit *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  self->parameters = aui_parameter_table_new();
  self->joints = aui_joint_table_new();
  gtk_box_append(self->parameters_box, GTK_WIDGET(self->parameters));
  gtk_box_append(self->joints_box, GTK_WIDGET(self->joints));
}

GtkWidget *aui_page_fit_new(AseSession *session) {
  AuiPageFit *self = g_object_new(AUI_TYPE_PAGE_FIT, NULL);
  self->session = g_object_ref(session);
  gtk_box_append(self->plots, aui_fit_plots_new(session));
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh_step), self,
                          G_CONNECT_SWAPPED);
  refresh(self);
  refresh_step(self);
  return GTK_WIDGET(self);
}
