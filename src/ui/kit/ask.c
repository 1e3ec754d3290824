/* SPDX-License-Identifier: MIT */
#include "ui/kit/ask.h"

#include <glib/gi18n.h>
#include <string.h>

#include "io/base/error.h"
#include "ui/kit/strip.h"

#define DEVICE   "aui-device"
#define QUESTION "aui-question"

typedef struct {
  GtkFileChooserNative *chooser;
  const char *ending; /* NULL: an open file */
  AuiAskDone done;
  gpointer data;
} Question;

static void question_free(gpointer data) {
  Question *question = data;
  g_object_unref(question->chooser);
  g_free(question);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Question, question_free)

void aui_ask_install(GtkWidget *toplevel, AseDevice *device) {
  g_object_set_data(G_OBJECT(toplevel), DEVICE, device);
}

bool aui_ask_may(GtkWidget *from) {
  GtkRoot *root = gtk_widget_get_root(from);
  AseDevice *device = root ? g_object_get_data(G_OBJECT(root), DEVICE) : NULL;
  if (!device || !ase_device_is_armed(device))
    return true;
  GError *error = g_error_new(AIO_ERROR, AIO_ERROR_REFUSED,
                              _("Disarm first: the file dialog would take the keyboard."));
  aui_say_failed(from, false, &error);
  return false;
}

char *aui_ask_path(const char *typed, const char *ending) {
  g_autofree char *name = g_path_get_basename(typed);
  g_autofree char *whole = g_strconcat(typed, ending, NULL);
  return g_strdup(strchr(name, '.') || g_file_test(whole, G_FILE_TEST_EXISTS) ? typed : whole);
}

static void on_response(GtkWidget *from, int response) {
  g_autoptr(Question) question = g_object_steal_data(G_OBJECT(from), QUESTION);
  g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(question->chooser));
  g_autofree char *chosen = file ? g_file_get_path(file) : NULL;
  g_autofree char *path =
      chosen && question->ending ? aui_ask_path(chosen, question->ending) : g_strdup(chosen);
  if (response == GTK_RESPONSE_ACCEPT && path)
    question->done(from, path, question->data);
}

static void ask(GtkWidget *from, GtkFileChooserNative *chooser, const char *ending, AuiAskDone done,
                gpointer data) {
  Question *question = g_new(Question, 1);
  *question = (Question){chooser, ending, done, data};
  g_object_set_data_full(G_OBJECT(from), QUESTION, question, question_free);
  g_signal_connect_object(chooser, "response", G_CALLBACK(on_response), from, G_CONNECT_SWAPPED);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

static bool may_ask(GtkWidget *from) {
  return !g_object_get_data(G_OBJECT(from), QUESTION) && aui_ask_may(from);
}

void aui_ask_save(GtkWidget *from, const char *title, const char *name, const char *ending,
                  AuiAskDone done, gpointer data) {
  if (!may_ask(from))
    return;
  GtkFileChooserNative *chooser =
      gtk_file_chooser_native_new(title, GTK_WINDOW(gtk_widget_get_root(from)),
                                  GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  ask(from, chooser, ending, done, data);
}

void aui_ask_open(GtkWidget *from, const char *title, AuiAskDone done, gpointer data) {
  if (!may_ask(from))
    return;
  ask(from,
      gtk_file_chooser_native_new(title, GTK_WINDOW(gtk_widget_get_root(from)),
                                  GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel")),
      NULL, done, data);
}
