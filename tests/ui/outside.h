/* SPDX-License-Identifier: MIT */
/* What comes to a window from outside: a controller at a pseudo-terminal, as another program, and a
 * person's pointer and keyboard (xdotool), the real way through the X server. */
#ifndef ARMATURE_TESTS_UI_OUTSIDE_H
#define ARMATURE_TESTS_UI_OUTSIDE_H

#include "gui.h"

typedef struct {
  GPid pid; /* 0: it does not run */
  char *folder, *port, *arm;
  double speed;
} Outside;

/* armature-sim (ARMATURE_SIMULATOR) with data/robots/NAME.arm.json. */
void outside_start(Outside *self, const char *name, double speed);
/* The cable is pulled, the other end is gone; and there again. */
void outside_pull(Outside *self);
void outside_plug(Outside *self);
void outside_stop(Outside *self);

/* As gui_open, with the controller outside. */
void outside_open(Outside *self, Gui *gui, AuiApplication *application);

/* An xdotool command line, blanks between its words; an error if it fails. The main loop does not
 * run meanwhile. */
void outside_do(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* The pointer over the middle of the widget. */
void outside_point(Gui *gui, GtkWidget *widget);

#endif
