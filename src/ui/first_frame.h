/* SPDX-License-Identifier: MIT */
/* How long the start takes: armature --benchmark-start. */
#ifndef ARMATURE_UI_FIRST_FRAME_H
#define ARMATURE_UI_FIRST_FRAME_H

#include <gtk/gtk.h>

/* Milliseconds since this program was executed, to 10 ms; NAN where the system does not tell. */
double aui_since_exec_ms(void);

/* Prints "first frame after N ms" when the window has been drawn for the first time, and quits. */
void aui_first_frame_print(GtkWindow *window);

#endif
