/* SPDX-License-Identifier: MIT */
/* Sweeps, holds and the way between them, by proposal or by hand; and what a fit of them would know
 * before anything moves. */
#ifndef ARMATURE_UI_PAGE_PLAN_H
#define ARMATURE_UI_PAGE_PLAN_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_PAGE_PLAN (aui_page_plan_get_type())
G_DECLARE_FINAL_TYPE(AuiPagePlan, aui_page_plan, AUI, PAGE_PLAN, GtkBox)

GtkWidget *aui_page_plan_new(AseSession *session);

#endif
