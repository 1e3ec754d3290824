/* SPDX-License-Identifier: MIT */
/* The error of the predicted currents on sweeps that no fit has seen, judged by limits that the lab
 * sets, and the drift. */
#ifndef ARMATURE_UI_PAGE_VALIDATE_H
#define ARMATURE_UI_PAGE_VALIDATE_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/fit/fit_plots.h"

#define AUI_TYPE_PAGE_VALIDATE (aui_page_validate_get_type())
G_DECLARE_FINAL_TYPE(AuiPageValidate, aui_page_validate, AUI, PAGE_VALIDATE, GtkBox)

GtkWidget *aui_page_validate_new(AseSession *session);

AuiFitPlots *aui_page_validate_plots(AuiPageValidate *self);

#endif
