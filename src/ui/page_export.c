/* SPDX-License-Identifier: MIT */
#include "ui/page_export.h"

#include <glib/gi18n.h>

#include "ui/export.h"
#include "ui/steps.h"
#include "ui/strip.h"
#include "ui/table.h"

struct _AuiPageExport {
  GtkBox parent_instance;
  AseSession *session;
  GtkLabel *summary;
  GtkBox *steps_box;
  GtkTextView *preview;
  GtkGrid *steps;
  GtkFileChooserNative *chooser; /* NULL: none is open */
  AuiExport kind;                /* of the file that it asks for */
};

G_DEFINE_FINAL_TYPE(AuiPageExport, aui_page_export, GTK_TYPE_BOX)

/* ---- files ---- */

static void on_chosen(AuiPageExport *self, int response) {
  GError *error = NULL;
  g_autoptr(GtkFileChooserNative) chooser = g_steal_pointer(&self->chooser);
  if (response != GTK_RESPONSE_ACCEPT)
    return;
  g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(chooser));
  g_autofree char *path = g_file_get_path(file);
  if (path)
    aui_say_failed(GTK_WIDGET(self), aui_export_write(self->session, self->kind, path, &error),
                   error);
}

/* Nothing modal while the arm is armed. */
static void ask(AuiPageExport *self, AuiExport kind) {
  GtkRoot *window = gtk_widget_get_root(GTK_WIDGET(self));
  if (self->chooser)
    return;
  if (ase_device_is_armed(ase_session_device(self->session))) {
    aui_say_failed(GTK_WIDGET(self), false,
                   g_error_new(AIO_ERROR, AIO_ERROR_REFUSED,
                               _("Disarm first: the file dialog would take the keyboard.")));
    return;
  }
  self->kind = kind;
  self->chooser = gtk_file_chooser_native_new(
      _("Export"), GTK_WINDOW(window), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(self->chooser), aui_export_file_name(kind));
  g_signal_connect_object(self->chooser, "response", G_CALLBACK(on_chosen), self,
                          G_CONNECT_SWAPPED);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(self->chooser));
}

static void on_parameters(AuiPageExport *self) {
  ask(self, AUI_EXPORT_PARAMETERS);
}

static void on_header(AuiPageExport *self) {
  ask(self, AUI_EXPORT_HEADER);
}

static void on_table(AuiPageExport *self) {
  ask(self, AUI_EXPORT_TABLE);
}

/* ---- the controller ---- */

static void start(AuiPageExport *self, AseStep step) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, step, &error), error);
}

static void on_upload(AuiPageExport *self) {
  start(self, ASE_STEP_UPLOAD);
}

static void on_verify(AuiPageExport *self) {
  start(self, ASE_STEP_VERIFY);
}

/* ---- what there is ---- */

static void refresh_steps(AuiPageExport *self) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  aui_table_clear(self->steps);
  for (AseStep step = ASE_STEP_EXPORT; step <= ASE_STEP_VERIFY; step++) {
    const int row = aui_table_add_row(self->steps);
    aui_table_put(self->steps, row, 0, ase_step_title(step));
    aui_table_put(self->steps, row, 1, aui_state_text(ase_procedure_state(procedure, step)));
    aui_table_put(self->steps, row, 2, procedure->steps[step].reason);
  }
}

static void refresh(AuiPageExport *self) {
  g_autofree char *text = ase_session_parameters(self->session, NULL);
  gtk_label_set_text(self->summary,
                     text ? _("The parameters of the fit, with uncertainty, units and origin.")
                          : _("Nothing to export yet. It needs a fit."));
  gtk_text_buffer_set_text(gtk_text_view_get_buffer(self->preview), text ? text : "", -1);
  refresh_steps(self);
}

static void dispose(GObject *object) {
  AuiPageExport *self = AUI_PAGE_EXPORT(object);
  g_clear_object(&self->chooser);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_EXPORT);
  G_OBJECT_CLASS(aui_page_export_parent_class)->dispose(object);
}

static void aui_page_export_class_init(AuiPageExportClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_export.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageExport, summary);
  gtk_widget_class_bind_template_child(widget, AuiPageExport, steps_box);
  gtk_widget_class_bind_template_child(widget, AuiPageExport, preview);
  gtk_widget_class_bind_template_callback(widget, on_parameters);
  gtk_widget_class_bind_template_callback(widget, on_header);
  gtk_widget_class_bind_template_callback(widget, on_table);
  gtk_widget_class_bind_template_callback(widget, on_upload);
  gtk_widget_class_bind_template_callback(widget, on_verify);
}

static void aui_page_export_init(AuiPageExport *self) {
  const char *const heads[] = {_("Step"), _("State"), _("Why"), NULL};
  gtk_widget_init_template(GTK_WIDGET(self));
  self->steps = aui_table_new(heads);
  gtk_box_append(self->steps_box, GTK_WIDGET(self->steps));
}

GtkWidget *aui_page_export_new(AseSession *session) {
  AuiPageExport *self = g_object_new(AUI_TYPE_PAGE_EXPORT, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh_steps), self,
                          G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}
