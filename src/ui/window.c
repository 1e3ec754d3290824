/* SPDX-License-Identifier: MIT */
#include "ui/window.h"

struct _AuiWindow {
  AdwApplicationWindow parent_instance;
  AseSession *session;
  GtkStack *stack;
};

G_DEFINE_FINAL_TYPE(AuiWindow, aui_window, ADW_TYPE_APPLICATION_WINDOW)

static void dispose(GObject *object) {
  AuiWindow *self = AUI_WINDOW(object);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_WINDOW);
  G_OBJECT_CLASS(aui_window_parent_class)->dispose(object);
}

static void aui_window_class_init(AuiWindowClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/window.ui");
  gtk_widget_class_bind_template_child(widget, AuiWindow, stack);
}

static void aui_window_init(AuiWindow *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}

void aui_window_show_page(AuiWindow *self, const char *name) {
  gtk_stack_set_visible_child_name(self->stack, name);
}

GtkWidget *aui_window_new(AdwApplication *application, AseSession *session) {
  AuiWindow *self = g_object_new(AUI_TYPE_WINDOW, "application", application, NULL);
  self->session = g_object_ref(session);
  return GTK_WIDGET(self);
}
