/* SPDX-License-Identifier: MIT */
/* Beside the plots of somebody's motion: joints beside their limits, and what will be done. */
#ifndef ARMATURE_UI_MOTION_SIDE_H
#define ARMATURE_UI_MOTION_SIDE_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_MOTION_SIDE (aui_motion_side_get_type())
G_DECLARE_FINAL_TYPE(AuiMotionSide, aui_motion_side, AUI, MOTION_SIDE, GtkBox)

/* As the session has it now. NULL: nothing stands against what will be done; else why it may not
 * begin, g_free. */
char *aui_motion_side_show(AuiMotionSide *self, AseSession *session);

#endif
