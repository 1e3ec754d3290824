/* SPDX-License-Identifier: MIT */
/* A method's figures (session/method/figures.h) as they are shown: its roles as inks and strokes,
 * SI as degrees and mA, words. They know no method. No widgets. */
#ifndef ARMATURE_UI_FIT_FIGURES_H
#define ARMATURE_UI_FIT_FIGURES_H

#include "session/method/figures.h"
#include "ui/plot/figure.h"

/* aui_figure_free. */
AuiFigure *aui_fit_figure(const AseFigure *figure, const AseShown *shown);

/* 180/pi for R, 1 for T joints, and the unit that is shown. */
double aui_fit_scale(const AseShown *shown, const char **unit);

/* "hold 2, 30 deg/s"; g_free. */
char *aui_fit_run_text(const AseShown *shown, const AseSweptRun *run);

#endif
