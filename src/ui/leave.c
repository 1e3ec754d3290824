/* SPDX-License-Identifier: MIT */
/* The question is not modal, and hangs on its window by name: both stops stay in reach, and a
 * second attempt to close finds the same question. */
#include "ui/leave.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#define QUESTION "aui-leave" /* the dialog, as long as it is open */
#define SESSION  "aui-session"
#define HALTED   "aui-halted" /* that was answered, and the arm is being halted */

/* However that came about. */
static void on_gone(GObject *window) {
  g_object_set_data(window, QUESTION, NULL);
}

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
  g_signal_connect_object(dialog, "destroy", G_CALLBACK(on_gone), window, G_CONNECT_SWAPPED);
  return widget;
}

/* ---- an arm that could move ---- */

static void on_moves_response(GtkWindow *window, const char *response, GtkWindow *dialog) {
  AseSession *session = g_object_get_data(G_OBJECT(dialog), SESSION);
  g_object_set_data(G_OBJECT(window), QUESTION, NULL);
  gtk_window_set_destroy_with_parent(dialog, false);
  if (!g_str_equal(response, "hold"))
    return;
  ase_device_halt(ase_session_device(session));
  g_object_set_data(G_OBJECT(window), HALTED, window);
  gtk_window_close(window);
}

/* One that nobody answers for, too: what is known of it is that it was armed. */
static bool could_move(AseSession *session) {
  AseDevice *device = ase_session_device(session);
  const AseLinkState link = ase_device_link(device);
  return (link == ASE_LINK_READY || link == ASE_LINK_LOST) &&
         (ase_device_is_armed(device) || ase_device_state(device)->motion != AIO_MOTION_NONE);
}

/* The arm may come to rest while the question is open. It stays: what vanishes under the pointer
 * lets a click through to the window. */
static void refresh_heading(AdwMessageDialog *dialog) {
  AseSession *session = g_object_get_data(G_OBJECT(dialog), SESSION);
  const char *heading = _("Close while the arm is armed?");
  if (!could_move(session))
    heading = _("Close? The arm does not move any more.");
  else if (ase_device_state(ase_session_device(session))->motion != AIO_MOTION_NONE)
    heading = _("Close while the arm moves?");
  adw_message_dialog_set_heading(dialog, heading);
}

static GtkWidget *moves_question_new(GtkWindow *window, AseSession *session) {
  GtkWidget *widget = adw_message_dialog_new(
      window, NULL,
      _("The arm is held, then it is disarmed. What was measured is kept; the session can go on "
        "later."));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(widget);
  adw_message_dialog_add_responses(dialog, "cancel", _("_Cancel"), "hold", _("_Hold and close"),
                                   NULL);
  adw_message_dialog_set_response_appearance(dialog, "hold", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response(dialog, "cancel");
  adw_message_dialog_set_close_response(dialog, "cancel");
  g_object_set_data_full(G_OBJECT(dialog), SESSION, g_object_ref(session), g_object_unref);
  gtk_window_set_modal(GTK_WINDOW(dialog), false); /* Hold and Power off stay in reach */
  gtk_window_set_destroy_with_parent(GTK_WINDOW(dialog), true);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_moves_response), window,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(dialog, "destroy", G_CALLBACK(on_gone), window, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(refresh_heading),
                          dialog, G_CONNECT_SWAPPED);
  refresh_heading(dialog);
  return widget;
}

/* ---- what is asked ---- */

static GtkWidget *question_of(GtkWindow *window, AseSession *session) {
  AioRecorderStatus status;
  const char *failure = ase_session_disk_failure(session);
  GtkWidget *question = g_object_get_data(G_OBJECT(window), QUESTION);
  if (question)
    return question;
  if (could_move(session) && !g_object_get_data(G_OBJECT(window), HALTED))
    return moves_question_new(window, session);
  return failure && ase_session_recording(session, &status)
             ? question_new(window, (gulong)status.samples_waiting, failure)
             : NULL;
}

static gboolean on_close_request(GtkWindow *window, AseSession *session) {
  GtkWidget *question = question_of(window, session);
  g_object_set_data(G_OBJECT(window), HALTED, NULL);
  g_object_set_data(G_OBJECT(window), QUESTION, question);
  if (question)
    gtk_window_present(GTK_WINDOW(question));
  return question != NULL;
}

void aui_leave_install(GtkWindow *window, AseSession *session) {
  g_signal_connect_object(window, "close-request", G_CALLBACK(on_close_request), session, 0);
}
