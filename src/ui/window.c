/* SPDX-License-Identifier: MIT */
#include "ui/window.h"

#include <glib/gi18n.h>

#include "ui/ask.h"
#include "ui/mnemonics.h"
#include "ui/motion_bar.h"
#include "ui/page_arm.h"
#include "ui/page_connect.h"
#include "ui/page_export.h"
#include "ui/page_fit.h"
#include "ui/page_plan.h"
#include "ui/page_sweep.h"
#include "ui/page_validate.h"
#include "ui/sidebar.h"
#include "ui/steps.h"
#include "ui/stop_keys.h"
#include "ui/strip.h"

enum { REFRESH_MS = 500 };

struct _AuiWindow {
  AdwApplicationWindow parent_instance;
  AseSession *session;
  AdwWindowTitle *name;
  AuiMotionBar *motion;
  GtkBox *side;
  GtkStack *stack;
  AuiStrip *strip;
  GtkRevealer *unfocused;
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiWindow, aui_window, ADW_TYPE_APPLICATION_WINDOW)

/* ---- the title: arm, controller, link ---- */

static char *rate_text(AseDevice *device) {
  AioStatistics s;
  ase_device_statistics(device, &s);
  return g_strdup_printf(_("%.0f samples/s, %.0f lost"), s.samples_per_s,
                         (double)s.counters.samples_lost);
}

static char *link_text(AseDevice *device) {
  const AioDescription *d = ase_device_description(device);
  switch (ase_device_link(device)) {
  case ASE_LINK_CLOSED:
    return g_strdup(_("not connected"));
  case ASE_LINK_ASKING:
    return g_strdup(_("asking who is there"));
  case ASE_LINK_LOST:
    return g_strdup(_("link lost, trying to come back"));
  case ASE_LINK_FAILED:
    return g_strdup(_("no answer"));
  case ASE_LINK_READY:
    break;
  }
  g_autofree char *rate = rate_text(device);
  return g_strdup_printf("%s: %s", d && *d->name ? d->name : _("controller"), rate);
}

static void refresh(AuiWindow *self) {
  AseDevice *device = ase_session_device(self->session);
  g_autofree char *link = link_text(device);
  adw_window_title_set_title(self->name, ase_session_arm(self->session)->name);
  adw_window_title_set_subtitle(self->name, link);
  gtk_revealer_set_reveal_child(self->unfocused, ase_device_is_armed(device) &&
                                                     !gtk_window_is_active(GTK_WINDOW(self)));
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "session.undo",
                                ase_session_can_undo(self->session, NULL));
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "session.redo",
                                ase_session_can_redo(self->session, NULL));
}

static gboolean on_timer(gpointer data) {
  refresh(data);
  return G_SOURCE_CONTINUE;
}

/* ---- actions ---- */

static void undo(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  ase_session_undo(AUI_WINDOW(widget)->session);
}

static void redo(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  ase_session_redo(AUI_WINDOW(widget)->session);
}

static void say(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name;
  aui_strip_say(AUI_WINDOW(widget)->strip, 2, g_variant_get_string(parameter, NULL));
}

static void show_page(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name;
  aui_window_show_page(AUI_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

/* ---- the object ---- */

/* Nobody looks at the session any more when it is closed. */
static void close_session(AuiWindow *self) {
  g_autoptr(GError) error = NULL;
  if (self->session && !ase_session_close(self->session, &error))
    g_printerr("armature: %s\n", error->message);
  g_clear_object(&self->session);
}

static void dispose(GObject *object) {
  AuiWindow *self = AUI_WINDOW(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  if (self->session) {
    g_signal_handlers_disconnect_by_data(self->session, self);
    g_signal_handlers_disconnect_by_data(ase_session_device(self->session), self);
  }
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_WINDOW);
  close_session(self);
  G_OBJECT_CLASS(aui_window_parent_class)->dispose(object);
}

static void add_keys(GtkWidgetClass *widget) {
  const GdkModifierType ctrl = GDK_CONTROL_MASK;
  gtk_widget_class_add_binding_action(widget, GDK_KEY_z, ctrl, "session.undo", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_z, ctrl | GDK_SHIFT_MASK, "session.redo",
                                      NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_w, ctrl, "window.close", NULL);
  for (AuiScreen page = 0; page < AUI_SCREENS; page++)
    gtk_widget_class_add_binding_action(widget, GDK_KEY_1 + page, ctrl, "session.page", "s",
                                        aui_screen_key(page));
}

static void aui_window_class_init(AuiWindowClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  g_type_ensure(AUI_TYPE_MOTION_BAR);
  g_type_ensure(AUI_TYPE_STRIP);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/window.ui");
  gtk_widget_class_bind_template_child(widget, AuiWindow, name);
  gtk_widget_class_bind_template_child(widget, AuiWindow, motion);
  gtk_widget_class_bind_template_child(widget, AuiWindow, side);
  gtk_widget_class_bind_template_child(widget, AuiWindow, stack);
  gtk_widget_class_bind_template_child(widget, AuiWindow, strip);
  gtk_widget_class_bind_template_child(widget, AuiWindow, unfocused);
  gtk_widget_class_install_action(widget, "session.undo", NULL, undo);
  gtk_widget_class_install_action(widget, "session.redo", NULL, redo);
  gtk_widget_class_install_action(widget, "session.say", "s", say);
  gtk_widget_class_install_action(widget, "session.page", "s", show_page);
  add_keys(widget);
}

static void aui_window_init(AuiWindow *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}

static void add_page(AuiWindow *self, AuiScreen page, GtkWidget *child) {
  gtk_stack_add_titled(self->stack, child, aui_screen_key(page), aui_screen_title(page));
}

static void add_pages(AuiWindow *self) {
  AseSession *session = self->session;
  add_page(self, AUI_SCREEN_CONNECT, aui_page_connect_new(session));
  add_page(self, AUI_SCREEN_ARM, aui_page_arm_new(session));
  add_page(self, AUI_SCREEN_PLAN, aui_page_plan_new(session));
  add_page(self, AUI_SCREEN_SWEEP, aui_page_sweep_new(session));
  add_page(self, AUI_SCREEN_FIT, aui_page_fit_new(session));
  add_page(self, AUI_SCREEN_VALIDATE, aui_page_validate_new(session));
  add_page(self, AUI_SCREEN_EXPORT, aui_page_export_new(session));
}

void aui_window_show_page(AuiWindow *self, const char *name) {
  gtk_stack_set_visible_child_name(self->stack, name);
}

static void watch(AuiWindow *self) {
  g_signal_connect_object(self->session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(self->session), "changed", G_CALLBACK(refresh), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self, "notify::is-active", G_CALLBACK(refresh), self, 0);
  self->timer = g_timeout_add(REFRESH_MS, on_timer, self);
  refresh(self);
}

GtkWidget *aui_window_new(AdwApplication *application, AseSession *session) {
  AuiWindow *self = g_object_new(AUI_TYPE_WINDOW, "application", application, NULL);
  self->session = g_object_ref(session);
  add_pages(self);
  gtk_box_append(self->side, aui_sidebar_new(session, self->stack));
  aui_motion_bar_set_session(self->motion, session);
  aui_strip_set_session(self->strip, session);
  aui_stop_keys_install(GTK_WIDGET(self), session);
  aui_ask_install(GTK_WIDGET(self), ase_session_device(session));
  aui_mnemonics_name(GTK_WIDGET(self));
  watch(self);
  return GTK_WIDGET(self);
}

AseSession *aui_window_session(AuiWindow *self) {
  return self->session;
}
