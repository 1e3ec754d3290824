/* SPDX-License-Identifier: MIT */
/* Assistive technology cannot press a button for long: for it the arm's name is typed instead,
 * which nobody does by accident either. Nothing is modal, so that both stops stay in reach. */
#include "ui/arming.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "ui/connect/connection.h"
#include "ui/kit/strip.h"

#define QUESTION "aui-arming" /* the dialog, as long as it is open */
#define NAME     "aui-name"   /* that is to be typed */

bool aui_arming_is_deliberate(AseSession *session) {
  return !aui_connection_is_simulated(session);
}

void aui_arming_arm(GtkWidget *from, AseSession *session) {
  GError *error = NULL;
  aui_say_failed(from, ase_session_begin_arming(session, &error), &error);
}

/* ---- the name ---- */

static void on_typed(AdwMessageDialog *dialog, GParamSpec *property, GtkEditable *entry) {
  g_autofree char *typed = g_strstrip(g_strdup(gtk_editable_get_text(entry)));
  (void)property;
  adw_message_dialog_set_response_enabled(
      dialog, "arm", strcmp(typed, g_object_get_data(G_OBJECT(dialog), NAME)) == 0);
}

static void on_response(GtkWidget *from, const char *response, GtkWindow *dialog) {
  AseSession *session = g_object_get_data(G_OBJECT(dialog), "session");
  GtkRoot *root = gtk_widget_get_root(from);
  if (root)
    g_object_set_data(G_OBJECT(root), QUESTION, NULL);
  gtk_window_set_destroy_with_parent(dialog, false); /* it ends itself when this has returned */
  if (root && g_str_equal(response, "arm"))
    aui_arming_arm(from, session);
}

static GtkWidget *entry_new(GtkWidget *dialog) {
  GtkWidget *entry = gtk_entry_new();
  gtk_entry_set_activates_default(GTK_ENTRY(entry), true);
  gtk_accessible_update_property(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Name of the arm"), -1);
  g_signal_connect_object(entry, "notify::text", G_CALLBACK(on_typed), dialog, G_CONNECT_SWAPPED);
  return entry;
}

/* However that came about. */
static void on_gone(GObject *root) {
  g_object_set_data(root, QUESTION, NULL);
}

static GtkWidget *question_new(GtkWidget *from, AseSession *session) {
  const char *name = ase_session_arm(session)->name;
  g_autofree char *text =
      g_strdup_printf(_("From then on it may move. Stand clear; Esc holds it at any time. To arm "
                        "it, type its name, "
                        "%s, or press the button behind this question for a second."),
                      name);
  GtkWidget *widget =
      adw_message_dialog_new(GTK_WINDOW(gtk_widget_get_root(from)), _("Arm this arm?"), text);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(widget);
  adw_message_dialog_add_responses(dialog, "cancel", _("_Cancel"), "arm", _("_Arm it"), NULL);
  adw_message_dialog_set_response_appearance(dialog, "arm", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_response_enabled(dialog, "arm", false);
  adw_message_dialog_set_default_response(dialog, "arm");
  adw_message_dialog_set_close_response(dialog, "cancel");
  g_object_set_data_full(G_OBJECT(dialog), NAME, g_strdup(name), g_free);
  g_object_set_data_full(G_OBJECT(dialog), "session", g_object_ref(session), g_object_unref);
  adw_message_dialog_set_extra_child(dialog, entry_new(widget));
  gtk_window_set_modal(GTK_WINDOW(dialog), false); /* Hold and Power off stay in reach */
  gtk_window_set_destroy_with_parent(GTK_WINDOW(dialog), true);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_response), from, G_CONNECT_SWAPPED);
  g_signal_connect_object(dialog, "destroy", G_CALLBACK(on_gone), gtk_widget_get_root(from),
                          G_CONNECT_SWAPPED);
  return widget;
}

void aui_arming_ask_name(GtkWidget *from, AseSession *session) {
  GObject *root = G_OBJECT(gtk_widget_get_root(from));
  GtkWidget *question = g_object_get_data(root, QUESTION);
  if (!question)
    question = question_new(from, session);
  g_object_set_data(root, QUESTION, question);
  gtk_window_present(GTK_WINDOW(question));
}

void aui_arming_clicked(GtkWidget *from, AseSession *session) {
  if (aui_arming_is_deliberate(session) && ase_session_may_arm(session, NULL))
    aui_arming_ask_name(from, session);
  else
    aui_arming_arm(from, session);
}

void aui_arming_hint(GtkWidget *from) {
  gtk_widget_activate_action(from, "session.hint", "s",
                             _("Not armed: keep the button pressed for a second."));
}
