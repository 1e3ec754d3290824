/* SPDX-License-Identifier: MIT */
/* The arm: its numbers in tables that can be typed into, what is declared free, its picture, and
 * how it differs from the controller and from the last backup. */
#ifndef ARMATURE_UI_PAGE_ARM_H
#define ARMATURE_UI_PAGE_ARM_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_PAGE_ARM (aui_page_arm_get_type())
G_DECLARE_FINAL_TYPE(AuiPageArm, aui_page_arm, AUI, PAGE_ARM, GtkBox)

GtkWidget *aui_page_arm_new(AseSession *session);

#endif
