/* SPDX-License-Identifier: MIT */
/* Arm file against controller is read at any time; the controller's parameters only when asked for,
 * since reading them takes the line. */
#include "ui/arm/compare_panel.h"

#include <glib/gi18n.h>

#include "io/base/said.h"
#include "session/transfer/transfer.h"
#include "ui/arm/compare.h"
#include "ui/kit/bullets.h"
#include "ui/kit/strip.h"

struct _AuiComparePanel {
  GtkBox parent_instance;
  AseSession *session;
  AseTransfer *transfer; /* reads the parameters; NULL: not asked for yet */
  GtkLabel *device, *backup;
};

G_DEFINE_FINAL_TYPE(AuiComparePanel, aui_compare_panel, GTK_TYPE_BOX)

/* Shows a list, or that there is nothing in it; takes it over. */
static void show(GtkLabel *label, GPtrArray *list, const char *none) {
  g_autofree char *text = aui_bullets(list);
  gtk_label_set_text(label, list->len ? text : none);
  g_ptr_array_unref(list);
}

static void refresh(AuiComparePanel *self) {
  const AioDescription *d = ase_device_description(ase_session_device(self->session));
  if (d)
    show(self->device, aui_compare_device(ase_session_arm(self->session), d),
         _("No difference: joints and limits are those of the arm file."));
  else
    gtk_label_set_text(self->device, _("Connect a controller to compare with it."));
}

/* ---- the last backup ---- */

static void show_backup(AuiComparePanel *self) {
  const AioDescription *d = ase_device_description(ase_session_device(self->session));
  g_autoptr(GError) error = NULL;
  guint n = 0;
  const AioParam *params = ase_transfer_params(self->transfer, &n);
  g_autoptr(AseBackup) backup = d ? aui_last_backup(NULL, d->serial, &error) : NULL;
  if (!backup) {
    gtk_label_set_text(self->backup, error ? error->message : _("The controller is gone."));
    return;
  }
  g_autofree char *none = g_strdup_printf(_("Nothing has changed since %s."), backup->date);
  show(self->backup, aui_compare_backup(backup, params, n), none);
}

static void on_read(AuiComparePanel *self, gboolean is_done, const char *said) {
  g_autofree char *line = aio_said_line(said);
  if (is_done)
    show_backup(self);
  else
    gtk_label_set_text(self->backup, line);
}

static void on_compare(AuiComparePanel *self) {
  GError *error = NULL;
  if (!self->transfer) {
    self->transfer = ase_transfer_new(ase_session_device(self->session), NULL);
    g_signal_connect_object(self->transfer, "finished", G_CALLBACK(on_read), self,
                            G_CONNECT_SWAPPED);
  }
  aui_say_failed(GTK_WIDGET(self), ase_transfer_read(self->transfer, &error), &error);
}

/* ---- the object ---- */

static GtkLabel *append_label(AuiComparePanel *self, const char *text, const char *css_class) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_widget_add_css_class(label, css_class);
  gtk_box_append(GTK_BOX(self), label);
  return GTK_LABEL(label);
}

static GtkLabel *append_result(AuiComparePanel *self) {
  GtkLabel *label = append_label(self, "", "body");
  gtk_label_set_selectable(label, true);
  gtk_widget_set_can_focus(GTK_WIDGET(label), false);
  return label;
}

static void dispose(GObject *object) {
  AuiComparePanel *self = AUI_COMPARE_PANEL(object);
  g_clear_object(&self->transfer);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_compare_panel_parent_class)->dispose(object);
}

static void aui_compare_panel_class_init(AuiComparePanelClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void aui_compare_panel_init(AuiComparePanel *self) {
  g_object_set(self, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 6, "hexpand", TRUE, NULL);
  append_label(self, _("Against the controller"), "heading");
  self->device = append_result(self);
  append_label(self, _("Controller against its last backup"), "heading");
  self->backup = append_result(self);
  gtk_label_set_text(self->backup, _("All parameters of the controller are read for this."));
  GtkWidget *button = gtk_button_new_with_label(_("Compare with the backup"));
  gtk_widget_set_halign(button, GTK_ALIGN_START);
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_compare), self, G_CONNECT_SWAPPED);
  gtk_box_append(GTK_BOX(self), button);
}

GtkWidget *aui_compare_panel_new(AseSession *session) {
  AuiComparePanel *self = g_object_new(AUI_TYPE_COMPARE_PANEL, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(refresh), self,
                          G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}
