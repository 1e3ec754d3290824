/* SPDX-License-Identifier: MIT */
/* How long the start takes: armature --benchmark-start. */
#ifndef ARMATURE_UI_FIRST_FRAME_H
#define ARMATURE_UI_FIRST_FRAME_H

#include <gtk/gtk.h>

/* Prints "first frame after N ms", since this program was executed and to 10 ms, when the window
 * has been drawn for the first time, and quits. NAN where the system does not tell. */
void aui_first_frame_print(GtkWindow *window);

#endif
