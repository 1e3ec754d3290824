/* SPDX-License-Identifier: MIT */
/* Figures of measured and computed currents (Fig. 4 a and b of Lin 1994), and of residuals. No
 * widgets. Angles in degrees, residuals in mA. aui_figure_free. */
#ifndef ARMATURE_UI_FIT_FIGURES_H
#define ARMATURE_UI_FIT_FIGURES_H

#include "ui/fit/fit_data.h"
#include "ui/plot/figure.h"

typedef struct {
  const AuiFitData *data; /* borrowed; NULL: there is nothing to show */
  guint joint;            /* from 1 */
  guint run;              /* of the joint's list, from 1; 0: all */
  int direction;          /* +1, -1; 0: both */
  bool is_validation;     /* sweeps that the fit has not seen */
  bool is_imported;       /* of a recording: there is nothing to sweep */
  bool is_over_time;      /* residuals; else over position */
  bool has_parameter;     /* marks the samples that decide it */
  ArmParamId parameter;
} AuiFitShown;

AuiFigure *aui_fit_measured_figure(const AuiFitShown *shown);
AuiFigure *aui_fit_computed_figure(const AuiFitShown *shown);
AuiFigure *aui_fit_overlaid_figure(const AuiFitShown *shown);
AuiFigure *aui_fit_residual_figure(const AuiFitShown *shown);
AuiFigure *aui_fit_histogram_figure(const AuiFitShown *shown);
AuiFigure *aui_fit_autocorrelation_figure(const AuiFitShown *shown);

/* 180/pi for R, 1 for T joints, and the unit that is shown. */
double aui_fit_scale(const AuiFitShown *shown, const char **unit);

/* "hold 2, 30 deg/s"; g_free. */
char *aui_fit_run_text(const AuiFitShown *shown, const AuiFitRun *run);

bool aui_fit_shows(const AuiFitShown *shown, guint run); /* from 0 */

#endif
