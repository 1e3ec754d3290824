/* SPDX-License-Identifier: MIT */
/* Always visible: Arm, Disarm with the time left, or Clear faults with what is latched; Hold, Power
 * off. */
#ifndef ARMATURE_UI_MOTION_BAR_H
#define ARMATURE_UI_MOTION_BAR_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_MOTION_BAR (aui_motion_bar_get_type())
G_DECLARE_FINAL_TYPE(AuiMotionBar, aui_motion_bar, AUI, MOTION_BAR, GtkBox)

void aui_motion_bar_set_session(AuiMotionBar *self, AseSession *session);

/* Clears what is latched; says why, if the controller refuses. */
void aui_motion_bar_clear_faults(AuiMotionBar *self);

#endif
