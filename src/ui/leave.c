/* SPDX-License-Identifier: MIT */
#include "ui/leave.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#define QUESTION "aui-leave" /* the dialog, as long as it is open */

static void on_response(GtkWindow *window, const char *response, GtkWindow *dialog) {
  g_object_set_data(G_OBJECT(window), QUESTION, NULL);
  gtk_window_set_destroy_with_parent(dialog, false); /* it ends itself when this has returned */
  if (g_str_equal(response, "close"))
    gtk_window_destroy(window);
}

/* `samples` are those; edits and results may wait as well. */
static char *lost_text(gulong samples, const char *failure) {
  return g_strdup_printf(
      ngettext("What was done meanwhile, and %lu sample, is only in memory: %s",
               "What was done meanwhile, and %lu samples, are only in memory: %s", samples),
      samples, failure);
}

static GtkWidget *question_new(GtkWindow *window, gulong samples, const char *failure) {
  g_autofree char *text = lost_text(samples, failure);
  g_autofree char *close = g_strdup_printf(
      ngettext("_Close and lose %lu sample", "_Close and lose %lu samples", samples), samples);
  GtkWidget *widget = adw_message_dialog_new(window, _("Close and lose what is not saved?"), text);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(widget);
  adw_message_dialog_add_response(dialog, "keep", _("_Keep open"));
  adw_message_dialog_add_response(dialog, "close", close);
  adw_message_dialog_set_response_appearance(dialog, "close", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response(dialog, "keep");
  adw_message_dialog_set_close_response(dialog, "keep");
  gtk_window_set_modal(GTK_WINDOW(dialog), false); /* Hold and Power off stay in reach */
  gtk_window_set_destroy_with_parent(GTK_WINDOW(dialog), true);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_response), window, G_CONNECT_SWAPPED);
  return widget;
}

static gboolean on_close_request(GtkWindow *window, AseSession *session) {
  AioRecorderStatus status;
  const char *failure = ase_session_disk_failure(session);
  GtkWidget *question = g_object_get_data(G_OBJECT(window), QUESTION);
  if (!failure || !ase_session_recording(session, &status))
    return FALSE;
  if (ase_device_is_armed(ase_session_device(session)))
    ase_device_hold(ase_session_device(session));
  if (!question)
    question = question_new(window, (gulong)status.samples_waiting, failure);
  g_object_set_data(G_OBJECT(window), QUESTION, question);
  gtk_window_present(GTK_WINDOW(question));
  return TRUE;
}

void aui_leave_install(GtkWindow *window, AseSession *session) {
  g_signal_connect_object(window, "close-request", G_CALLBACK(on_close_request), session, 0);
}
