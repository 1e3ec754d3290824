/* SPDX-License-Identifier: MIT */
/* A walk around the window in five steps: popovers beside what they talk about. Nothing is blocked
 * meanwhile; it can be left at any step, and is remembered as seen in the settings. */
#ifndef ARMATURE_UI_TOUR_H
#define ARMATURE_UI_TOUR_H

#include "ui/window.h"

/* From the first step; one that goes on is begun anew. */
void aui_tour_start(AuiWindow *window);

/* Unless it was seen before. */
void aui_tour_start_once(AuiWindow *window);

/* Takes it away, if it is there. */
void aui_tour_end(AuiWindow *window);

#endif
