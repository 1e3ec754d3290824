/* SPDX-License-Identifier: MIT */
/* From points of an arm's base frame to a picture, seen from far away. Plain data. */
#ifndef ARMATURE_UI_ARM_PROJECTION_H
#define ARMATURE_UI_ARM_PROJECTION_H

#include "core/arm/model.h"

typedef struct {
  double right[3], up[3]; /* of the picture, as unit vectors of the base frame */
  double scale;           /* pixels per metre */
  double x0, y0;          /* where the base is */
} AuiProjection;

/* The eye looks at the base from `azimuth` and `elevation` above the horizon [rad]; at zoom 1 the
 * stretched arm fills the picture. */
void aui_projection_init(AuiProjection *projection, const ArmModel *model, double azimuth,
                         double elevation, double zoom, int width, int height);

/* Moves the base up, at most to the top quarter, so that these points are above the lower edge: an
 * arm that hangs. */
void aui_projection_lift(AuiProjection *projection, double (*points)[3], size_t n, int height);

double aui_projection_x(const AuiProjection *projection, const double *point);
double aui_projection_y(const AuiProjection *projection, const double *point);

/* Against gravity, and two horizontal directions: unit vectors. */
void aui_horizon(const ArmModel *model, double up[3], double east[3], double north[3]);

/* The farthest that the arm can come from its base [m]. */
double aui_arm_reach(const ArmModel *model);

/* Origins of all frames at q, behind them a point that stands for the tool: it moves with every
 * joint, also where the last frames share an origin. n + 1 points. */
void aui_arm_points(const ArmModel *model, const double *q, double (*rotation)[9],
                    double (*points)[3]);

#endif
