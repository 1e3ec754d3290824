/* SPDX-License-Identifier: MIT */
/* Sweeps of one joint beside what the fit makes of them: the figures of the session's method, one
 * plot each. Of sweeps to be fitted a range can be excluded with the mouse. */
#ifndef ARMATURE_UI_FIT_PLOTS_H
#define ARMATURE_UI_FIT_PLOTS_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/fit/fit_figures.h"
#include "ui/plot/plot.h"

#define AUI_TYPE_FIT_PLOTS (aui_fit_plots_get_type())
G_DECLARE_FINAL_TYPE(AuiFitPlots, aui_fit_plots, AUI, FIT_PLOTS, GtkBox)

/* purpose: MEASURE or VALIDATE.
 *   measuring  of the session's method
 *   joints  its value is the joint that is shown, from 1; its upper end is kept up to date
 * Signal "shown": other data, another joint or sweep; the computation has begun or ended. */
GtkWidget *aui_fit_plots_new(AseSession *session, const AseMeasuring *measuring, AsePurpose purpose,
                             GtkAdjustment *joints);

/* Borrowed until "shown". */
const AseShown *aui_fit_plots_shown(AuiFitPlots *self);
bool aui_fit_plots_is_busy(AuiFitPlots *self);

/* run as in AseShown. */
void aui_fit_plots_show(AuiFitPlots *self, guint run, int direction);

/* Marks the samples that decide this parameter; NULL: none. */
void aui_fit_plots_mark(AuiFitPlots *self, const ArmParamId *parameter);

/* A widget beside the plots, below the choosers. */
void aui_fit_plots_add_side(AuiFitPlots *self, GtkWidget *side);

/* Of the figure with this key; NULL: there is none. */
AuiPlot *aui_fit_plots_plot(AuiFitPlots *self, const char *key);

#endif
