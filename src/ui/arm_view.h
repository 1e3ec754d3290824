/* SPDX-License-Identifier: MIT */
/* The arm as lines, in its present pose (or at zero when that is not known), gravity downwards.
 * Turns with the mouse, and with the arrow keys. */
#ifndef ARMATURE_UI_ARM_VIEW_H
#define ARMATURE_UI_ARM_VIEW_H

#include <gtk/gtk.h>

#include "core/model.h"

#define AUI_TYPE_ARM_VIEW (aui_arm_view_get_type())
G_DECLARE_FINAL_TYPE(AuiArmView, aui_arm_view, AUI, ARM_VIEW, GtkDrawingArea)

/* Copies both. q: model->n [rad or m] */
void aui_arm_view_show(AuiArmView *self, const ArmModel *model, const double *q);

#endif
