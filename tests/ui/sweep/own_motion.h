/* SPDX-License-Identifier: MIT */
/* The page "A motion of your own", for tests that look at all pages. */
#ifndef ARMATURE_TESTS_UI_OWN_MOTION_H
#define ARMATURE_TESTS_UI_OWN_MOTION_H

#include "ui/gui.h"

/* Shows the page with nothing on it but what the session has. */
void own_motion_show(Gui *gui);

/* The same with a motion of all joints from where the connected arm stands. */
void own_motion_show_taken(Gui *gui);

#endif
