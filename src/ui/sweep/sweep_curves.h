/* SPDX-License-Identifier: MIT */
/* What the sweep page draws: current and speed of one joint at one hold, a curve per sweep and
 * direction: the sweep that runs, those that have ended, those that were repeated. No widgets.
 *
 * Samples are kept in bins, so that drawing costs the same however long it is measured. Joints and
 * holds count from 1.
 */
#ifndef ARMATURE_UI_SWEEP_CURVES_H
#define ARMATURE_UI_SWEEP_CURVES_H

#include "session/session.h"
#include "ui/plot/figure.h"
#include "ui/plot/plot_data.h"

enum { AUI_CURVE_BINS = 600, AUI_CURVE_NODES = 240 }; /* per direction; about a pixel each */

typedef struct {
  gint64 run;   /* 0: it runs now */
  double speed; /* commanded [rad/s or m/s] */
  AsePurpose purpose;
  bool has_pose;
  double pose[ARM_MAX_JOINTS]; /* in which the other joints are held */
  AuiBins current, qd;         /* of what is given to the fit, or not judged yet; over position */
  AuiBins left_out;            /* current of what is not */
  AuiBins qd_time;             /* speed over the time since the sweep began [s] */
  bool has_start;
  double start_s; /* where that time is 0, on the clock the samples came with */
  gsize use[ASE_SAMPLE_USES];
  double computed_low, computed_high; /* equal: nothing is computed yet */
  double computed[2][AUI_CURVE_NODES + 1];
} AuiCurve;

typedef struct {
  AseSession *session; /* borrowed */
  guint joint, hold;
  double speed;            /* only this one; 0: all */
  bool shows_earlier;      /* sweeps that were repeated, in grey */
  bool in_radians;         /* R joints; else degrees */
  bool in_torque;          /* N m or N where the drive's constants are known; else ampere */
  GPtrArray *curves;       /* of AuiCurve, of ended sweeps */
  GPtrArray *earlier;      /* of AuiCurve, while they are shown */
  AuiCurve *live;          /* NULL: none runs here */
  guint16 last_motion;     /* whose samples may still come late */
  AsePredictor *predictor; /* what the session's fit says; NULL: there is none */
} AuiCurves;

/* What the second plot shows. */
typedef enum {
  AUI_SPEED_OVER_POSITION,
  AUI_SPEED_OVER_TIME,
  AUI_TRACKING_OVER_POSITION, /* speed minus what was commanded */
  AUI_TRACKING_OVER_TIME,
  AUI_SPEED_VIEWS
} AuiSpeedView;

void aui_curves_init(AuiCurves *curves, AseSession *session);
void aui_curves_clear(AuiCurves *curves);

/* Another selection; speed 0: all. */
void aui_curves_show(AuiCurves *curves, guint joint, guint hold, double speed);
void aui_curves_show_earlier(AuiCurves *curves, bool is_shown);
/* Runs, exclusions or results have changed. */
void aui_curves_update(AuiCurves *curves);
/* The runner is at another leg: the live curve begins anew if it is a sweep of what is shown. */
void aui_curves_leg(AuiCurves *curves, const AseLeg *leg);
/* Samples as they come; true: some are shown. */
bool aui_curves_add(AuiCurves *curves, const AioChunk *chunk);

/* Commanded speeds of the sweeps of this joint and hold, of the plan and of what was measured,
 * ascending. g_array_unref; of double [rad/s or m/s]. */
GArray *aui_curves_speeds(const AuiCurves *curves);

/* The fit's prediction at this position in the curve's pose, at its speed in direction 0 or 1 [A];
 * NAN without a fit. Interpolated between nodes that are computed once: a fit is too slow to be
 * asked in every frame. */
double aui_curves_computed(const AuiCurves *curves, AuiCurve *curve, double q, guint direction);

/* Figures of what is shown; aui_figure_free. */
AuiFigure *aui_curves_current_figure(const AuiCurves *curves);
AuiFigure *aui_curves_speed_figure(const AuiCurves *curves, AuiSpeedView view);
AuiFigure *aui_curves_residual_figure(const AuiCurves *curves);

/* From rad or m to what is shown, and its unit. */
double aui_curves_scale(const AuiCurves *curves, const char **unit);
/* From ampere to what is shown. */
double aui_curves_load(const AuiCurves *curves, const char **unit);
/* The drive's constants of this joint are known. */
bool aui_curves_has_torque(const AuiCurves *curves);

/* Of the joint's sweeps as planned, else what is declared free [rad or m]. */
void aui_curves_range(const AuiCurves *curves, double *low, double *high);

#endif
