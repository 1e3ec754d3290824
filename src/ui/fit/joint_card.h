/* SPDX-License-Identifier: MIT */
/* What the fit found of one joint: its parameters with their uncertainty, how well they were to be
 * found, what is left over, each with its explanation. */
#ifndef ARMATURE_UI_JOINT_CARD_H
#define ARMATURE_UI_JOINT_CARD_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_JOINT_CARD (aui_joint_card_get_type())
G_DECLARE_FINAL_TYPE(AuiJointCard, aui_joint_card, AUI, JOINT_CARD, GtkBox)

/* Signal "marked" (gpointer ArmParamId*, NULL: none): the pointer or the keyboard is on the row of
 * a parameter. */
GtkWidget *aui_joint_card_new(void);

/* joint: from 1; without a fit it is empty. */
void aui_joint_card_show(AuiJointCard *self, AseSession *session, guint joint);

/* The same without a verdict, of what whatever method has found.
 *   recursion  of the same arm; empty: none */
void aui_joint_card_fill(AuiJointCard *card, const ArmParamSet *found, const ArmParamSet *recursion,
                         guint joint);

#endif
