/* SPDX-License-Identifier: MIT */
#include "ui/export/page_export.h"

#include <glib/gi18n.h>

#include "session/method/gravity.h"
#include "ui/export/export_controller.h"
#include "ui/export/export_files.h"
#include "ui/export/export_words.h"
#include "ui/fit/doubt_words.h"

struct _AuiPageExport {
  GtkBox parent_instance;
  AseSession *session;
  GtkLabel *summary;
  GtkBox *parts;
};

G_DEFINE_FINAL_TYPE(AuiPageExport, aui_page_export, GTK_TYPE_BOX)

/* What it says of the fit itself. What is not severe stands below the usual line, not in its place.
 */
static char *fit_text(AuiPageExport *self, const AseUploadDoubts *doubts) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  if (fit && fit->verdict.verdict == ARM_VERDICT_MISFIT)
    return aui_export_fit_text(self->session);
  if (doubts->is_doubtful)
    return aui_doubt_summary(fit, true);
  if (doubts->is_unjudged || doubts->is_misfit)
    return aui_export_fit_text(self->session);
  g_autofree char *remark = aui_doubt_summary(fit, false);
  return g_strjoin(*remark ? "\n" : "",
                   _("The parameters of the fit, with uncertainty, units and origin."), remark,
                   NULL);
}

static char *summary_text(AuiPageExport *self) {
  g_autoptr(GError) error = NULL;
  AseUploadDoubts doubts;
  if (!ase_session_fit(self->session))
    return g_strdup(_("Nothing to export yet. It needs a fit."));
  if (!ase_session_may_export(self->session, &error))
    return g_strdup_printf(_("Nothing can be exported now: %s."), error->message);
  ase_session_upload_doubts(self->session, &doubts);
  g_autofree char *fit = fit_text(self, &doubts);
  g_autofree char *validation =
      doubts.is_unvalidated ? aui_export_validation_text(self->session) : NULL;
  return g_strjoin("\n", fit, validation, NULL);
}

static void refresh(AuiPageExport *self) {
  g_autofree char *text = summary_text(self);
  gtk_label_set_text(self->summary, text);
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_PAGE_EXPORT(object)->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_PAGE_EXPORT);
  G_OBJECT_CLASS(aui_page_export_parent_class)->dispose(object);
}

static void aui_page_export_class_init(AuiPageExportClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_export.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageExport, summary);
  gtk_widget_class_bind_template_child(widget, AuiPageExport, parts);
}

static void aui_page_export_init(AuiPageExport *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}

GtkWidget *aui_page_export_new(AseSession *session) {
  AuiPageExport *self = g_object_new(AUI_TYPE_PAGE_EXPORT, NULL);
  self->session = g_object_ref(session);
  GtkWidget *details = aui_report_details_new();
  gtk_box_append(self->parts, aui_export_files_new(session, AUI_REPORT_DETAILS(details)));
  gtk_box_append(self->parts, aui_export_controller_new(session));
  gtk_box_append(self->parts, details);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}
