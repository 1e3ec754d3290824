/* SPDX-License-Identifier: MIT */
/* The arm as lines, gravity downwards: its present pose, and, if there is one, another pose and the
 * way of the tool there. Turns with the mouse and with the arrow keys; Plus and Minus or the wheel
 * change the size, Home brings the first view back. */
#ifndef ARMATURE_UI_ARM_VIEW_H
#define ARMATURE_UI_ARM_VIEW_H

#include <gtk/gtk.h>

#include "core/arm/model.h"

#define AUI_TYPE_ARM_VIEW (aui_arm_view_get_type())
G_DECLARE_FINAL_TYPE(AuiArmView, aui_arm_view, AUI, ARM_VIEW, GtkDrawingArea)

/* Copies both. q: model->n [rad or m] */
void aui_arm_view_show(AuiArmView *self, const ArmModel *model, const double *q);

/* The pose that is drawn [rad or m]; valid as long as the widget. */
const double *aui_arm_view_pose(AuiArmView *self);

/* A pose beside the present one [rad or m, of the model shown], drawn as a ghost; with `from`, the
 * way of the tool when all joints go from there to the ghost together. Copies. `to` NULL: none. */
void aui_arm_view_show_way(AuiArmView *self, const double *from, const double *to);

/* The joint (from 1) whose axis is drawn long and bold; 0: none. */
void aui_arm_view_mark_joint(AuiArmView *self, guint joint);

#endif
