/* SPDX-License-Identifier: MIT */
/* A motion of the technician's own: what it asks of the arm, what will be done, and while it is
 * done positions and currents of all joints. Arming is that of the window. */
#ifndef ARMATURE_UI_PAGE_MOTION_H
#define ARMATURE_UI_PAGE_MOTION_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/plot/plot.h"
#include "ui/sweep/motion_curves.h"

/* Of the page in the window's stack, which is no step. */
#define AUI_PAGE_MOTION_KEY "motion"

#define AUI_TYPE_PAGE_MOTION (aui_page_motion_get_type())
G_DECLARE_FINAL_TYPE(AuiPageMotion, aui_page_motion, AUI, PAGE_MOTION, GtkBox)

GtkWidget *aui_page_motion_new(AseSession *session);

/* Reads this file, in a thread, and has the session take the motion. */
void aui_page_motion_read(AuiPageMotion *self, const char *path);

/* Writes the samples of what was recorded last, in a thread; where nothing was, or not to its end,
 * that is a problem. */
void aui_page_motion_write(AuiPageMotion *self, const char *path);

/* Why the last file or the last start was refused; "": it was not. Borrowed, as is the next. */
const char *aui_page_motion_problem(AuiPageMotion *self);
const AuiMotionCurves *aui_page_motion_curves(AuiPageMotion *self);
AuiPlot *aui_page_motion_plot(AuiPageMotion *self); /* of the positions */

#endif
