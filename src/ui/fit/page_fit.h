/* SPDX-License-Identifier: MIT */
/* Whether the model fits, and what may be the cause if it does not; joint n down to 1: every
 * parameter with its uncertainty, what is not identifiable and why, measured beside computed,
 * residuals; samples excluded and restored, and fitted again at once. */
#ifndef ARMATURE_UI_PAGE_FIT_H
#define ARMATURE_UI_PAGE_FIT_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/fit/diagnosis_panel.h"
#include "ui/fit/fit_compare.h"
#include "ui/fit/fit_plots.h"

#define AUI_TYPE_PAGE_FIT (aui_page_fit_get_type())
G_DECLARE_FINAL_TYPE(AuiPageFit, aui_page_fit, AUI, PAGE_FIT, GtkBox)

GtkWidget *aui_page_fit_new(AseSession *session);

void aui_page_fit_show(AuiPageFit *self, guint joint); /* from 1 */

AuiFitPlots *aui_page_fit_plots(AuiPageFit *self);
AuiFitCompare *aui_page_fit_compare(AuiPageFit *self);
AuiDiagnosisPanel *aui_page_fit_diagnosis(AuiPageFit *self);

#endif
