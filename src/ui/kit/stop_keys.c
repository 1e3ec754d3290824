/* SPDX-License-Identifier: MIT */
#include "ui/kit/stop_keys.h"

#include <stdbool.h>

#define SESSION "aui-stop-session"
#define KEYS    "aui-stop-keys"

/* Of the window, or of one it belongs to; NULL: none. */
static AseSession *session_of(GtkWindow *window) {
  AseSession *session = NULL;
  for (; window && !session; window = gtk_window_get_transient_for(window))
    session = g_object_get_data(G_OBJECT(window), SESSION);
  return session;
}

static bool stop(AseSession *session, bool is_own, GdkModifierType modifiers) {
  AseDevice *device = ase_session_device(session);
  const bool was_armed = ase_device_is_armed(device);
  if (ase_device_link(device) != ASE_LINK_READY || !(is_own || was_armed))
    return false;
  if (modifiers & GDK_SHIFT_MASK)
    ase_device_power_off(device);
  else
    ase_device_halt(device);
  return was_armed;
}

/* Every arm of this program: `own` in every state, the others while they are armed. */
static bool stop_all(const AseSession *own, GdkModifierType modifiers) {
  bool was_armed = false;
  GListModel *windows = gtk_window_get_toplevels();
  for (guint k = 0; k < g_list_model_get_n_items(windows); k++) {
    g_autoptr(GtkWindow) window = g_list_model_get_item(windows, k);
    AseSession *session = g_object_get_data(G_OBJECT(window), SESSION);
    if (session && stop(session, session == own, modifiers))
      was_armed = true;
  }
  return was_armed;
}

/* Halted and disarmed, Esc still goes on to what it closes; the stop is given in every state. */
static gboolean on_key(GtkEventController *keys, guint key, guint code, GdkModifierType modifiers) {
  GtkRoot *here = gtk_widget_get_root(gtk_event_controller_get_widget(keys));
  (void)code;
  if (key != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  return stop_all(session_of(GTK_WINDOW(here)), modifiers) ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

static void add_keys(GtkWidget *surface) {
  if (g_object_get_data(G_OBJECT(surface), KEYS))
    return;
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), NULL);
  g_object_set_data(G_OBJECT(surface), KEYS, keys);
  gtk_widget_add_controller(surface, keys);
}

void aui_stop_keys_install(GtkWidget *toplevel, AseSession *session) {
  g_object_set_data_full(G_OBJECT(toplevel), SESSION, g_object_ref(session), g_object_unref);
  add_keys(toplevel);
}

void aui_stop_keys_forget(GtkWidget *toplevel) {
  g_object_set_data(G_OBJECT(toplevel), SESSION, NULL);
}

static void on_windows(GListModel *windows, guint at, guint removed, guint added) {
  (void)removed;
  for (guint k = at; k < at + added; k++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, k);
    add_keys(window);
  }
}

/* A popover that is open has the grab: captured keys begin there, and never pass the window. */
static gboolean on_show(GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data) {
  GtkWidget *widget = g_value_get_object(&values[0]);
  (void)hint, (void)n, (void)data;
  if (GTK_IS_POPOVER(widget))
    add_keys(widget);
  return TRUE;
}

void aui_stop_keys_watch(void) {
  static bool is_watched;
  if (!is_watched) {
    g_type_class_unref(g_type_class_ref(GTK_TYPE_WIDGET)); /* signals come with the class */
    g_signal_connect(gtk_window_get_toplevels(), "items-changed", G_CALLBACK(on_windows), NULL);
    g_signal_add_emission_hook(g_signal_lookup("show", GTK_TYPE_WIDGET), 0, on_show, NULL, NULL);
  }
  is_watched = true;
}
