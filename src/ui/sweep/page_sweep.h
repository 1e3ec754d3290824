/* SPDX-License-Identifier: MIT */
/* Current against position, live; speed; residual. Follows the arm, or stays at a joint and hold
 * that was chosen. */
#ifndef ARMATURE_UI_PAGE_SWEEP_H
#define ARMATURE_UI_PAGE_SWEEP_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/plot/plot.h"
#include "ui/sweep/sweep_curves.h"

#define AUI_TYPE_PAGE_SWEEP (aui_page_sweep_get_type())
G_DECLARE_FINAL_TYPE(AuiPageSweep, aui_page_sweep, AUI, PAGE_SWEEP, GtkBox)

GtkWidget *aui_page_sweep_new(AseSession *session);

/* From 1; no longer follows the arm. */
void aui_page_sweep_show(AuiPageSweep *self, guint joint, guint hold);

/* Borrowed. */
const AuiCurves *aui_page_sweep_curves(AuiPageSweep *self);
AuiPlot *aui_page_sweep_plot(AuiPageSweep *self); /* of the current */

#endif
