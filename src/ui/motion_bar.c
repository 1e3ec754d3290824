/* SPDX-License-Identifier: MIT */
#include "ui/motion_bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/format.h"
#include "ui/settings.h"
#include "ui/strip.h"

enum { REFRESH_MS = 250 };

struct _AuiMotionBar {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *arm, *hold, *power_off;
  GtkLabel *state;
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiMotionBar, aui_motion_bar, GTK_TYPE_BOX)

static AseDevice *device_of(AuiMotionBar *self) {
  return ase_session_device(self->session);
}

static void show_arm(AuiMotionBar *self, const char *text, bool can) {
  if (g_strcmp0(gtk_button_get_label(self->arm), text) != 0)
    gtk_button_set_label(self->arm, text);
  gtk_widget_set_sensitive(GTK_WIDGET(self->arm), can);
}

static char *armed_text(AseDevice *device) {
  g_autofree char *left = aui_format_duration(ase_device_armed_left_s(device));
  if (!g_settings_get_boolean(aui_settings(), "shows-lease"))
    return g_strdup_printf(_("ARMED, %s left"), left);
  /* Translators: armed for so long if nothing moves; it holds so long after the computer falls
   * silent */
  return g_strdup_printf(_("ARMED, %s left, lease %.1f s"), left,
                         1e-3 * ase_device_lease_ms(device));
}

static char *state_text(AseDevice *device) {
  const double lockout_s = ase_device_lockout_s(device);
  if (ase_device_link(device) != ASE_LINK_READY)
    return g_strdup(_("not connected"));
  if (ase_device_is_armed(device))
    return armed_text(device);
  if (lockout_s > 0.0)
    return g_strdup_printf(_("locked for %.0f s"), ceil(lockout_s));
  return g_strdup(aio_device_state_text(ase_device_state(device)->state));
}

static void refresh(AuiMotionBar *self) {
  AseDevice *device = device_of(self);
  const bool is_ready = ase_device_link(device) == ASE_LINK_READY;
  const bool is_armed = ase_device_is_armed(device);
  const double lockout_s = ase_device_lockout_s(device);
  g_autofree char *state = state_text(device);
  gtk_label_set_text(self->state, state);
  if (is_armed)
    gtk_widget_add_css_class(GTK_WIDGET(self->state), "aui-armed");
  else
    gtk_widget_remove_css_class(GTK_WIDGET(self->state), "aui-armed");
  show_arm(self, is_armed ? _("Disarm") : C_("let the arm move", "Arm"),
           is_ready && lockout_s <= 0.0);
  gtk_widget_set_sensitive(GTK_WIDGET(self->hold), is_ready);
  gtk_widget_set_sensitive(GTK_WIDGET(self->power_off), is_ready);
}

static gboolean on_timer(gpointer data) {
  refresh(data);
  return G_SOURCE_CONTINUE;
}

static void on_arm(AuiMotionBar *self) {
  GError *error = NULL;
  if (ase_device_is_armed(device_of(self)))
    ase_device_disarm(device_of(self));
  else
    aui_say_failed(GTK_WIDGET(self), ase_device_arm(device_of(self), &error), &error);
}

static void on_hold(AuiMotionBar *self) {
  ase_device_hold(device_of(self));
}

static void on_power_off(AuiMotionBar *self) {
  ase_device_power_off(device_of(self));
}

void aui_motion_bar_set_session(AuiMotionBar *self, AseSession *session) {
  self->session = g_object_ref(session);
  g_signal_connect_object(device_of(self), "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  self->timer = g_timeout_add(REFRESH_MS, on_timer, self);
  refresh(self);
}

static void dispose(GObject *object) {
  AuiMotionBar *self = AUI_MOTION_BAR(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_MOTION_BAR);
  G_OBJECT_CLASS(aui_motion_bar_parent_class)->dispose(object);
}

static void aui_motion_bar_class_init(AuiMotionBarClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/motion_bar.ui");
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, arm);
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, hold);
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, power_off);
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, state);
  gtk_widget_class_bind_template_callback(widget, on_arm);
  gtk_widget_class_bind_template_callback(widget, on_hold);
  gtk_widget_class_bind_template_callback(widget, on_power_off);
}

static void aui_motion_bar_init(AuiMotionBar *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}
