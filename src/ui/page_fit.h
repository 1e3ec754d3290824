/* SPDX-License-Identifier: MIT */
/* Every parameter with its uncertainty; what is not identifiable, and why. */
#ifndef ARMATURE_UI_PAGE_FIT_H
#define ARMATURE_UI_PAGE_FIT_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_PAGE_FIT (aui_page_fit_get_type())
G_DECLARE_FINAL_TYPE(AuiPageFit, aui_page_fit, AUI, PAGE_FIT, GtkBox)

GtkWidget *aui_page_fit_new(AseSession *session);

#endif
