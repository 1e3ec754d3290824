/* SPDX-License-Identifier: MIT */
#include "ui/arm/arm_projection.h"

#include <math.h>

#define TOOL_PART 0.09 /* of the reach, off the last axis and along it */

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double *a) {
  const double length = sqrt(dot(a, a));
  for (int k = 0; k < 3 && length > 0.0; k++)
    a[k] /= length;
}

void aui_horizon(const ArmModel *model, double up[3], double east[3], double north[3]) {
  const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
  for (int k = 0; k < 3; k++)
    up[k] = -model->gravity_m_s2[k];
  normalise(up);
  cross(up, fabs(up[0]) < 0.9 ? x : y, north);
  normalise(north);
  cross(north, up, east);
}

double aui_arm_reach(const ArmModel *model) {
  double sum = 0.0;
  for (size_t i = 0; i < model->n; i++) {
    const ArmJoint *joint = &model->joints[i];
    sum += sqrt(dot(joint->translation, joint->translation));
    if (joint->type == ARM_JOINT_T)
      sum += fabs(joint->offset) + (isnan(joint->limits.q_max) ? 0.0 : fabs(joint->limits.q_max));
  }
  return fmax(sum, 1e-3);
}

void aui_projection_init(AuiProjection *projection, const ArmModel *model, double azimuth,
                         double elevation, double zoom, int width, int height) {
  double up[3], east[3], north[3];
  const double ca = cos(azimuth), sa = sin(azimuth);
  const double ce = cos(elevation), se = sin(elevation);
  aui_horizon(model, up, east, north);
  for (int k = 0; k < 3; k++) {
    projection->right[k] = ca * north[k] - sa * east[k];
    projection->up[k] = ce * up[k] - se * (ca * east[k] + sa * north[k]);
  }
  projection->scale = 0.62 * zoom * fmin(width, height) / aui_arm_reach(model);
  projection->x0 = 0.5 * width;
  projection->y0 = 0.62 * height;
}

void aui_projection_lift(AuiProjection *projection, double (*points)[3], size_t n, int height) {
  const double edge = 0.94 * height, highest = fmin(0.25 * height, projection->y0);
  double over = 0.0;
  for (size_t k = 0; k < n; k++)
    over = fmax(over, aui_projection_y(projection, points[k]) - edge);
  projection->y0 = fmax(projection->y0 - over, highest);
}

double aui_projection_x(const AuiProjection *projection, const double *point) {
  return projection->x0 + projection->scale * dot(projection->right, point);
}

double aui_projection_y(const AuiProjection *projection, const double *point) {
  return projection->y0 - projection->scale * dot(projection->up, point);
}

void aui_arm_points(const ArmModel *model, const double *q, double (*rotation)[9],
                    double (*points)[3]) {
  const size_t n = model->n;
  const double size = TOOL_PART * aui_arm_reach(model);
  arm_model_poses(model, q, rotation, points);
  for (int k = 0; k < 3; k++)
    points[n][k] =
        points[n - 1][k] + size * rotation[n - 1][3 * k + 2] + 0.6 * size * rotation[n - 1][3 * k];
}
