/* SPDX-License-Identifier: MIT */
/* What the page of somebody's motion draws: positions and currents of its joints over time, as they
 * come, beside what was commanded. No widgets.
 *
 * Samples are kept in bins, so that drawing costs the same however long it takes. */
#ifndef ARMATURE_UI_MOTION_CURVES_H
#define ARMATURE_UI_MOTION_CURVES_H

#include "session/recording.h"
#include "ui/plot/figure.h"
#include "ui/plot/plot_data.h"

enum { AUI_MOTION_BINS = 600 }; /* about a pixel each */

typedef struct {
  AseSession *session; /* borrowed */
  guint joint;         /* from 1, that is shown; 0: all */
  guint n;             /* joints of which there are bins; 0: nothing was followed yet */
  AuiBins q[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS]; /* over the time since it began [s] */
  bool is_on, is_dry_run;
  double slowness;     /* of the leg that was followed last */
  guint16 seen, other; /* the controller's numbers: of the newest sample, of the motion before */
  bool has_start;
  guint64 start_us;
} AuiMotionCurves;

void aui_motion_curves_init(AuiMotionCurves *curves, AseSession *session);
void aui_motion_curves_clear(AuiMotionCurves *curves);

/* Another motion was taken: nothing was followed. */
void aui_motion_curves_forget(AuiMotionCurves *curves);
/* The runner is at another leg: the curves begin anew where it follows the motion. */
void aui_motion_curves_leg(AuiMotionCurves *curves, const AseLeg *leg);
/* Samples as they come; true: some are shown. */
bool aui_motion_curves_add(AuiMotionCurves *curves, const AioChunk *chunk);

/* Figures of what is shown; aui_figure_free. */
AuiFigure *aui_motion_curves_position(const AuiMotionCurves *curves);
AuiFigure *aui_motion_curves_current(const AuiMotionCurves *curves);

#endif
