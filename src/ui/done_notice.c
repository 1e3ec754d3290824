/* SPDX-License-Identifier: MIT */
#include "ui/done_notice.h"

#include <glib/gi18n.h>

#define DATA "aui-done-notice"

typedef struct {
  gint64 began_us[ASE_STEPS]; /* 0: does not run */
} Began;

bool aui_done_notice_is_due(gint64 began_us, gint64 ended_us, bool is_active) {
  return !is_active && began_us > 0 &&
         ended_us - began_us >= (gint64)AUI_DONE_NOTICE_S * G_USEC_PER_SEC;
}

void aui_done_notice_send(GApplication *application, const AseProcedure *procedure, AseStep step) {
  if (!g_application_get_dbus_connection(application))
    return; /* no desktop that could tell anybody; GLib would object */
  const bool is_done = ase_state_is_done(ase_procedure_state(procedure, step));
  /* Translators: %s is a step, such as "Sweep" */
  g_autofree char *title = g_strdup_printf(is_done ? _("%s: done") : _("%s: not completed"),
                                           ase_steps_title(procedure->table, step));
  g_autoptr(GNotification) notification = g_notification_new(title);
  g_notification_set_body(notification, ase_step_reason(&procedure->steps[step]));
  g_notification_set_default_action(notification, "app.raise");
  g_application_send_notification(application, ase_steps_key(procedure->table, step), notification);
}

static void on_step(GtkWindow *window, guint step, AseSession *session) {
  Began *began = g_object_get_data(G_OBJECT(window), DATA);
  const gint64 now_us = g_get_monotonic_time();
  if (ase_procedure_state(ase_session_procedure(session), step) == ASE_STATE_RUNNING) {
    if (!began->began_us[step])
      began->began_us[step] = now_us;
    return;
  }
  GtkApplication *application = gtk_window_get_application(window);
  if (application &&
      aui_done_notice_is_due(began->began_us[step], now_us, gtk_window_is_active(window)))
    aui_done_notice_send(G_APPLICATION(application), ase_session_procedure(session), step);
  began->began_us[step] = 0;
}

void aui_done_notice_install(GtkWindow *window, AseSession *session) {
  g_object_set_data_full(G_OBJECT(window), DATA, g_new0(Began, 1), g_free);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(on_step), window, G_CONNECT_SWAPPED);
}
