/* SPDX-License-Identifier: MIT */
/* Asks for a file, but never while the arm is armed: a dialog takes the keyboard, and Esc with it.
 */
#ifndef ARMATURE_UI_ASK_H
#define ARMATURE_UI_ASK_H

#include <gtk/gtk.h>

#include "session/device/device.h"

/* The device whose arming forbids questions in this window; borrowed for as long as it lives. */
void aui_ask_install(GtkWidget *toplevel, AseDevice *device);

/* May a dialog open over this widget now? If not, the window's strip says what to do first. */
bool aui_ask_may(GtkWidget *from);

/* The path of a file to save: what was typed, with the ending (".pdf") if its name has none; but as
 * typed when the other is there already, about which nobody was asked. g_free. */
char *aui_ask_path(const char *typed, const char *ending);

/* Where to save. Nothing happens when it is cancelled or `from` is gone; one question at a time.
 *   title   of the dialog
 *   name    proposed for the file
 *   ending  for a name typed without one, as in aui_ask_path; a literal
 *   done    gets the path */
typedef void (*AuiAskDone)(GtkWidget *from, const char *path, gpointer data);
void aui_ask_save(GtkWidget *from, const char *title, const char *name, const char *ending,
                  AuiAskDone done, gpointer data);

/* Which file to read; the rest as aui_ask_save. */
void aui_ask_open(GtkWidget *from, const char *title, AuiAskDone done, gpointer data);

#endif
