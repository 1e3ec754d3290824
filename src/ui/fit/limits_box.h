/* SPDX-License-Identifier: MIT */
/* From which size on a misfit counts, in the lab's view: of this session, and of those to come. */
#ifndef ARMATURE_UI_LIMITS_BOX_H
#define ARMATURE_UI_LIMITS_BOX_H

#include "session/session.h"
#include <gtk/gtk.h>

#define AUI_TYPE_LIMITS_BOX (aui_limits_box_get_type())
G_DECLARE_FINAL_TYPE(AuiLimitsBox, aui_limits_box, AUI, LIMITS_BOX, GtkBox)

/* Follows the session, whose fit is stale once a limit is another. */
GtkWidget *aui_limits_box_new(AseSession *session);

#endif
