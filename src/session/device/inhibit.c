/* SPDX-License-Identifier: MIT */
#include "session/device/inhibit.h"

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <stdbool.h>
#include <unistd.h>

struct AseInhibit {
  GCancellable *cancellable;
  char *why;
  int fd; /* closing it lets go; -1: not held */
};

static void on_lock(GObject *bus, GAsyncResult *result, gpointer data) {
  GUnixFDList *fds = NULL;
  GError *error = NULL;
  GVariant *reply =
      g_dbus_connection_call_with_unix_fd_list_finish(G_DBUS_CONNECTION(bus), &fds, result, &error);
  const bool is_cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  if (!is_cancelled && reply && fds) {
    AseInhibit *inhibit = data;
    gint index = 0;
    g_variant_get(reply, "(h)", &index);
    inhibit->fd = g_unix_fd_list_get(fds, index, NULL);
  }
  g_clear_error(&error);
  g_clear_object(&fds);
  g_clear_pointer(&reply, g_variant_unref);
}

static void on_bus(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_finish(result, &error);
  (void)source;
  if (!bus) { /* no system bus: nothing to inhibit with; or cancelled: data is gone */
    g_error_free(error);
    return;
  }
  AseInhibit *inhibit = data;
  g_dbus_connection_call_with_unix_fd_list(
      bus, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
      "Inhibit", g_variant_new("(ssss)", "sleep:shutdown", "Armature", inhibit->why, "block"),
      G_VARIANT_TYPE("(h)"), G_DBUS_CALL_FLAGS_NONE, 1000, NULL, inhibit->cancellable, on_lock,
      inhibit);
  g_object_unref(bus);
}

AseInhibit *ase_inhibit_new(const char *why) {
  AseInhibit *inhibit = g_new0(AseInhibit, 1);
  inhibit->fd = -1;
  inhibit->why = g_strdup(why);
  inhibit->cancellable = g_cancellable_new();
  g_bus_get(G_BUS_TYPE_SYSTEM, inhibit->cancellable, on_bus, inhibit);
  return inhibit;
}

void ase_inhibit_free(AseInhibit *inhibit) {
  if (!inhibit)
    return;
  g_cancellable_cancel(inhibit->cancellable);
  g_object_unref(inhibit->cancellable);
  if (inhibit->fd >= 0)
    close(inhibit->fd);
  g_free(inhibit->why);
  g_free(inhibit);
}
