/* SPDX-License-Identifier: MIT */
/* Esc: halt. Shift+Esc: drives off. In every window of the program, and before anything in it sees
 * the key; in every popover too, for the session of its window. */
#ifndef ARMATURE_UI_STOP_KEYS_H
#define ARMATURE_UI_STOP_KEYS_H

#include <gtk/gtk.h>

#include "session/session.h"

/* The keys of this window are for this session in every state. */
void aui_stop_keys_install(GtkWidget *toplevel, AseSession *session);
void aui_stop_keys_forget(GtkWidget *toplevel);

/* Windows and popovers to come, of whatever origin, obey the keys too: for the session of the
 * window they belong to, and for every session whose arm is armed. Once. */
void aui_stop_keys_watch(void);

#endif
