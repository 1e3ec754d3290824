/* SPDX-License-Identifier: MIT */
/* What a window can be asked to do with its session, by menu, key or any widget in it:
 *
 *   session.undo, session.redo
 *   session.say (s)         an error for the strip
 *   session.hint (s)        what to mind, for the strip
 *   session.tell (s)        what has been done, for the strip
 *   session.page (s)        shows a page by its key
 *   session.export          asks for a file and writes the parameters into it
 *   session.save-copy       asks for a file and copies the session into it
 *   session.replace-arm     asks for an arm file and takes it into the session
 *   session.clear-faults    clears what the controller has latched
 *   session.log             shows or hides all messages
 *   session.tour            a walk around the window */
#ifndef ARMATURE_UI_SESSION_ACTIONS_H
#define ARMATURE_UI_SESSION_ACTIONS_H

#include <gtk/gtk.h>

/* For the class of the window, with their keys. */
void aui_session_actions_install(GtkWidgetClass *widget);

/* Which can be used now, and what undo and redo are called. */
void aui_session_actions_refresh(GtkWidget *window, GtkWidget *undo, GtkWidget *redo);

#endif
