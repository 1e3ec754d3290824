/* SPDX-License-Identifier: MIT */
#include "ui/stop_keys.h"

/* Held and disarmed, Esc still goes on to what it closes; the stop is given in every state. */
static gboolean on_key(GtkEventController *keys, guint key, guint code, GdkModifierType modifiers,
                       AseSession *session) {
  (void)keys, (void)code;
  AseDevice *device = ase_session_device(session);
  if (key != GDK_KEY_Escape || ase_device_link(device) != ASE_LINK_READY)
    return GDK_EVENT_PROPAGATE;
  const bool was_armed = ase_device_is_armed(device);
  if (modifiers & GDK_SHIFT_MASK)
    ase_device_power_off(device);
  else
    ase_device_hold(device);
  return was_armed ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

void aui_stop_keys_install(GtkWidget *toplevel, AseSession *session) {
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_key), session, 0);
  gtk_widget_add_controller(toplevel, keys);
}
