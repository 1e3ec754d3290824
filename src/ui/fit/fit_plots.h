/* SPDX-License-Identifier: MIT */
/* Sweeps of one joint beside what the fit makes of them: measured and computed current, residuals
 * over position or time, their distribution, and how much each has to do with those after it.
 * Samples that are not used are grey; of sweeps to be fitted a range can be excluded with the
 * mouse. */
#ifndef ARMATURE_UI_FIT_PLOTS_H
#define ARMATURE_UI_FIT_PLOTS_H

#include <gtk/gtk.h>

#include "ui/fit/fit_figures.h"
#include "ui/plot/plot.h"

typedef enum {
  AUI_FIT_PLOT_MEASURED,
  AUI_FIT_PLOT_COMPUTED,
  AUI_FIT_PLOT_OVERLAID,
  AUI_FIT_PLOT_RESIDUAL,
  AUI_FIT_PLOT_HISTOGRAM,
  AUI_FIT_PLOT_AUTOCORRELATION,
  AUI_FIT_PLOT_KINDS
} AuiFitPlotKind;

#define AUI_TYPE_FIT_PLOTS (aui_fit_plots_get_type())
G_DECLARE_FINAL_TYPE(AuiFitPlots, aui_fit_plots, AUI, FIT_PLOTS, GtkBox)

/* purpose: MEASURE or VALIDATE.
 *   joints  its value is the joint that is shown, from 1; its upper end is kept up to date
 * Signal "shown": other data, another joint or sweep; the computation has begun or ended. */
GtkWidget *aui_fit_plots_new(AseSession *session, AsePurpose purpose, GtkAdjustment *joints);

/* Borrowed until "shown". */
const AuiFitShown *aui_fit_plots_shown(AuiFitPlots *self);
bool aui_fit_plots_is_busy(AuiFitPlots *self);

/* run as in AuiFitShown. */
void aui_fit_plots_show(AuiFitPlots *self, guint run, int direction);

/* Marks the samples that decide this parameter; NULL: none. */
void aui_fit_plots_mark(AuiFitPlots *self, const ArmParamId *parameter);

/* A widget beside the plots, below the choosers. */
void aui_fit_plots_add_side(AuiFitPlots *self, GtkWidget *side);

AuiPlot *aui_fit_plots_plot(AuiFitPlots *self, AuiFitPlotKind kind);

#endif
