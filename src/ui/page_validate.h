/* SPDX-License-Identifier: MIT */
/* The error of the predicted currents on sweeps that no fit has seen, and the drift. */
#ifndef ARMATURE_UI_PAGE_VALIDATE_H
#define ARMATURE_UI_PAGE_VALIDATE_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_PAGE_VALIDATE (aui_page_validate_get_type())
G_DECLARE_FINAL_TYPE(AuiPageValidate, aui_page_validate, AUI, PAGE_VALIDATE, GtkBox)

GtkWidget *aui_page_validate_new(AseSession *session);

#endif
