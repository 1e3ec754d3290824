/* SPDX-License-Identifier: MIT */
/* What a desktop is told when something long has ended: a desktop of our own on a bus of its own.
 */
#include "ui/done_notice.h"

static const char *const xml =
    "<node><interface name='org.freedesktop.Notifications'>"
    "<method name='Notify'>"
    "<arg type='s' direction='in'/><arg type='u' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='as' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='i' direction='in'/>"
    "<arg type='u' direction='out'/></method>"
    "</interface></node>";

typedef struct {
  char *title, *body;
  guint n; /* calls */
} Desktop;

static void on_call(GDBusConnection *bus, const char *sender, const char *path,
                    const char *interface, const char *method, GVariant *arguments,
                    GDBusMethodInvocation *invocation, gpointer data) {
  Desktop *desktop = data;
  (void)bus, (void)sender, (void)path, (void)interface, (void)method;
  g_free(desktop->title);
  g_free(desktop->body);
  g_variant_get_child(arguments, 3, "s", &desktop->title);
  g_variant_get_child(arguments, 4, "s", &desktop->body);
  desktop->n++;
  g_dbus_method_invocation_return_value(invocation, g_variant_new("(u)", desktop->n));
}

static void on_name(GDBusConnection *bus, const char *name, gpointer is_owned) {
  (void)bus, (void)name;
  *(bool *)is_owned = true;
}

static GDBusConnection *desktop_new(Desktop *desktop, const char *address) {
  static const GDBusInterfaceVTable calls = {.method_call = on_call};
  bool is_owned = false;
  GDBusConnection *bus =
      g_dbus_connection_new_for_address_sync(address,
                                             G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                 G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                             NULL, NULL, NULL);
  g_autoptr(GDBusNodeInfo) node = g_dbus_node_info_new_for_xml(xml, NULL);
  g_assert_nonnull(bus);
  g_assert_cmpuint(g_dbus_connection_register_object(bus, "/org/freedesktop/Notifications",
                                                     node->interfaces[0], &calls, desktop, NULL,
                                                     NULL),
                   >, 0);
  g_bus_own_name_on_connection(bus, "org.freedesktop.Notifications", G_BUS_NAME_OWNER_FLAGS_NONE,
                               on_name, NULL, &is_owned, NULL);
  while (!is_owned)
    g_main_context_iteration(NULL, true);
  return bus;
}

static gboolean on_late(gpointer is_late) {
  *(bool *)is_late = true;
  return G_SOURCE_REMOVE;
}

static void on_pong(GObject *bus, GAsyncResult *result, gpointer is_back) {
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, NULL);
  g_assert_nonnull(reply);
  *(bool *)is_back = true;
}

/* Behind the answers of the desktop: the application has them all. */
static void wait_for_answers(GApplication *application) {
  bool is_back = false;
  g_dbus_connection_call(g_application_get_dbus_connection(application),
                         "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                         "org.freedesktop.DBus.Peer", "Ping", NULL, NULL, G_DBUS_CALL_FLAGS_NONE,
                         -1, NULL, on_pong, &is_back);
  while (!is_back)
    g_main_context_iteration(NULL, true);
}

static void wait_for(GApplication *application, const Desktop *desktop, guint n) {
  bool is_late = false;
  const guint timer = g_timeout_add_seconds(10, on_late, &is_late);
  while (desktop->n < n && !is_late)
    g_main_context_iteration(NULL, true);
  g_assert_cmpuint(desktop->n, ==, n);
  g_source_remove(timer);
  wait_for_answers(application);
}

static void on_gone(GDBusConnection *bus, const char *name, gpointer is_gone) {
  (void)bus, (void)name;
  *(bool *)is_gone = true;
}

/* The application behind its desktop: GLib 2.74 frees its notifications twice the other way round.
 */
static void end(GApplication *application, GDBusConnection *desktop) {
  GDBusConnection *bus = g_application_get_dbus_connection(application);
  bool is_gone = false;
  const guint watch =
      g_bus_watch_name_on_connection(bus, "org.freedesktop.Notifications",
                                     G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, on_gone, &is_gone, NULL);
  g_dbus_connection_set_exit_on_close(bus, false);
  g_dbus_connection_close_sync(desktop, NULL, NULL);
  g_object_unref(desktop);
  while (!is_gone)
    g_main_context_iteration(NULL, true);
  g_bus_unwatch_name(watch);
  g_object_unref(application);
}

/* On a display without a session bus nobody can be told, and nothing is said of it. */
static void test_no_bus(void) {
  g_autofree AseProcedure *procedure = g_new0(AseProcedure, 1);
  g_autoptr(GApplication) application =
      g_application_new("org.armature.Armature.Test", G_APPLICATION_DEFAULT_FLAGS);
  g_setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", TRUE);
  g_assert_true(g_application_register(application, NULL, NULL));
  g_assert_null(g_application_get_dbus_connection(application));
  ase_procedure_init(procedure, ase_session_steps(), 2);
  aui_done_notice_send(application, procedure, ASE_STEP_SWEEP);
}

static void test_sent(void) {
  g_autoptr(GTestDBus) daemon = g_test_dbus_new(G_TEST_DBUS_NONE);
  Desktop desktop = {0};
  g_autofree AseProcedure *procedure = g_new0(AseProcedure, 1);
  g_test_dbus_up(daemon);
  GDBusConnection *bus = desktop_new(&desktop, g_test_dbus_get_bus_address(daemon));
  GApplication *application =
      g_application_new("org.armature.Armature.Test", G_APPLICATION_DEFAULT_FLAGS);
  g_assert_true(g_application_register(application, NULL, NULL));

  ase_procedure_init(procedure, ase_session_steps(), 2);
  for (AseStep step = 0; step < ASE_STEP_SWEEP; step++)
    ase_procedure_pass(procedure, step, 0, "");
  ase_procedure_pass(procedure, ASE_STEP_SWEEP, 0, "12 sweeps");
  aui_done_notice_send(application, procedure, ASE_STEP_SWEEP);
  wait_for(application, &desktop, 1);
  g_assert_cmpstr(desktop.title, ==, "Sweep: done");
  g_assert_cmpstr(desktop.body, ==, "12 sweeps");

  ase_procedure_fail(procedure, ASE_STEP_SWEEP, 0, "held by the operator");
  aui_done_notice_send(application, procedure, ASE_STEP_SWEEP);
  wait_for(application, &desktop, 2);
  g_assert_cmpstr(desktop.title, ==, "Sweep: not completed");
  g_assert_cmpstr(desktop.body, ==, "held by the operator");

  end(application, bus);
  g_free(desktop.title);
  g_free(desktop.body);
  g_test_dbus_stop(daemon);
  g_test_dbus_unset();
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/done-notice/no-bus", test_no_bus);
  g_test_add_func("/ui/done-notice/sent", test_sent);
  return g_test_run();
}
