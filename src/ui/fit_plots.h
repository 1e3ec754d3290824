/* SPDX-License-Identifier: MIT */
/* Residuals of one joint in three pictures: over time, their distribution beside the normal one,
 * and how much each has to do with those after it. */
#ifndef ARMATURE_UI_FIT_PLOTS_H
#define ARMATURE_UI_FIT_PLOTS_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/figure.h"

#define AUI_TYPE_FIT_PLOTS (aui_fit_plots_get_type())
G_DECLARE_FINAL_TYPE(AuiFitPlots, aui_fit_plots, AUI, FIT_PLOTS, GtkBox)

GtkWidget *aui_fit_plots_new(AseSession *session);

void aui_fit_plots_show(AuiFitPlots *self, guint joint); /* from 1 */

/* Measured minus predicted by the refinement [mA] of the rows that were given to the fit, and the
 * time since the first [s]; a NAN where a run ends. Two g_array_unref; NULL: no fit or no rows. */
GArray *aui_fit_residuals(AseSession *session, guint joint, GArray **time);

AuiFigure *aui_fit_residual_figure(const GArray *residuals, const GArray *time, double sd);
AuiFigure *aui_fit_histogram_figure(const GArray *residuals, double sd);
AuiFigure *aui_fit_autocorrelation_figure(const GArray *residuals);

#endif
