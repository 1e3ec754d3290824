/* SPDX-License-Identifier: MIT */
/* Esc: hold. Shift+Esc: drives off. In a window and before anything in it sees the key. */
#ifndef ARMATURE_UI_STOP_KEYS_H
#define ARMATURE_UI_STOP_KEYS_H

#include <gtk/gtk.h>

#include "session/session.h"

void aui_stop_keys_install(GtkWidget *toplevel, AseSession *session);

#endif
