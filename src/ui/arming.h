/* SPDX-License-Identifier: MIT */
/* Arming is a deliberate act: a button that is pressed for a second (press_button.h), or the arm's
 * name, typed. Only the simulator inside this program, where nothing can break, is armed by a
 * click. */
#ifndef ARMATURE_UI_ARMING_H
#define ARMATURE_UI_ARMING_H

#include <gtk/gtk.h>
#include <stdbool.h>

#include "session/session.h"

/* Something other than the program's own simulator is connected. */
bool aui_arming_is_deliberate(AseSession *session);

/* Once that act is done. A refusal is said in the window of `from`. */
void aui_arming_arm(GtkWidget *from, AseSession *session);

/* For who cannot: a dialog, of which there is one at most, that arms once the arm's name is
 * typed. */
void aui_arming_ask_name(GtkWidget *from, AseSession *session);

/* A click: arms the simulator inside this program, asks for the name of anything else. */
void aui_arming_clicked(GtkWidget *from, AseSession *session);

/* The button was let go too early: says what to do. */
void aui_arming_hint(GtkWidget *from);

#endif
