/* SPDX-License-Identifier: MIT */
/* Rotations are taken apart, snapped and put together with exact sines and cosines: what comes out
 * is not nearly parallel but parallel, so that ranks are decided by structure. What only names a
 * frame anew is left as it is. */
#include "core/dynamics/nominal.h"

#include <math.h>
#include <string.h>

#include "core/base/vec3.h"

#define HALF_PI   1.57079632679489661923
#define ANGLE     (0.5 / 180 * 2 * HALF_PI)
#define LENGTH    1e-6
#define ROUNDING  1e-9
#define SHORTNESS 1e-12

typedef struct {
  ArmSnap *list; /* may be NULL */
  size_t count;
} Snaps;

static void note(Snaps *snaps, ArmSnapKind kind, size_t joint, double value, double taken_as) {
  if (snaps->list)
    snaps->list[snaps->count] = (ArmSnap){kind, joint, value, taken_as};
  snaps->count++;
}

static double snap_angle(Snaps *snaps, ArmSnapKind kind, size_t joint, double value) {
  const double right = HALF_PI * round(value / HALF_PI);
  if (fabs(value - right) > ANGLE)
    return value;
  if (fabs(value - right) > ROUNDING)
    note(snaps, kind, joint, value, right);
  return right;
}

/* R = Rz(alpha) Rx(beta) Rz(gamma), alpha in (-90, 90] deg; where beta is nearly 0 or 180 deg only
 * the sum or difference of the other two is known, and is gamma. */
static void split(const double r[9], double angle[3]) {
  const double sine = hypot(r[2], r[5]);
  const double sign = r[5] > 0 || (r[5] == 0 && r[2] < 0) ? -1 : 1;
  angle[1] = atan2(sign * sine, r[8]);
  if (sine < sin(ANGLE)) {
    angle[0] = 0;
    angle[2] = r[8] > 0 ? atan2(r[3], r[0]) : atan2(-r[1], r[0]);
  } else {
    angle[0] = atan2(sign * r[2], -sign * r[5]);
    angle[2] = atan2(sign * r[6], sign * r[7]);
  }
}

/* Exact zeros and ones at multiples of 90 deg. */
static void sine_cosine(double angle, double *s, double *c) {
  static const double sines[4] = {0, 1, 0, -1};
  const double quarters = angle / HALF_PI;
  *s = sin(angle);
  *c = cos(angle);
  if (quarters == round(quarters) && fabs(quarters) < 8) {
    const int k = ((int)quarters + 8) % 4;
    *s = sines[k];
    *c = sines[(k + 1) % 4];
  }
}

static void join(const double angle[3], double r[9]) {
  double s[3], c[3], turn[9];
  for (int k = 0; k < 3; k++)
    sine_cosine(angle[k], s + k, c + k);
  const double before[9] = {c[0], -s[0] * c[1], s[0] * s[1], s[0], c[0] * c[1], -c[0] * s[1],
                            0,    s[1],         c[1]};
  const double after[9] = {c[2], -s[2], 0, s[2], c[2], 0, 0, 0, 1};
  arm_mat3_mul(before, after, turn);
  memcpy(r, turn, sizeof turn);
}

/* alpha and gamma stay where a free rotation is next to them. */
static void snap_rotation(Snaps *snaps, const ArmModel *model, size_t i, double r[9]) {
  double angle[3];
  split(r, angle);
  angle[1] = snap_angle(snaps, ARM_SNAP_BETA, i, angle[1]);
  if (i == 0 || model->joints[i - 1].type == ARM_JOINT_T)
    angle[0] = snap_angle(snaps, ARM_SNAP_ALPHA, i, angle[0]);
  if (model->joints[i].type == ARM_JOINT_T)
    angle[2] = snap_angle(snaps, ARM_SNAP_GAMMA, i, angle[2]);
  join(angle, r);
}

static void snap_translation(Snaps *snaps, size_t i, double t[3]) {
  for (int k = 0; k < 3; k++) {
    if (t[k] == 0 || !(fabs(t[k]) <= LENGTH))
      continue;
    if (fabs(t[k]) > SHORTNESS)
      note(snaps, (ArmSnapKind)(ARM_SNAP_X + k), i, t[k], 0);
    t[k] = 0;
  }
}

static void snap_gravity(Snaps *snaps, size_t n, double g[3]) {
  const double norm = sqrt(arm_vec3_dot(g, g));
  for (int k = 0; k < 3; k++) {
    const double off = hypot(g[(k + 1) % 3], g[(k + 2) % 3]);
    if (!(norm > 0) || off > norm * sin(ANGLE))
      continue;
    if (off > norm * ROUNDING)
      note(snaps, ARM_SNAP_GRAVITY, n, asin(off / norm), 0);
    g[k] = g[k] > 0 ? norm : -norm;
    g[(k + 1) % 3] = g[(k + 2) % 3] = 0;
    return;
  }
}

size_t arm_nominal(const ArmModel *model, ArmModel *nominal, ArmSnap *snaps) {
  Snaps found = {snaps, 0};
  if (nominal != model)
    *nominal = *model;
  for (size_t i = 0; i < nominal->n; i++) {
    snap_rotation(&found, nominal, i, nominal->joints[i].rotation);
    snap_translation(&found, i, nominal->joints[i].translation);
  }
  snap_gravity(&found, nominal->n, nominal->gravity_m_s2);
  return found.count;
}

const char *arm_snap_key(ArmSnapKind kind) {
  static const char *const keys[ARM_SNAP_KINDS] = {"alpha", "beta", "gamma",  "x",
                                                   "y",     "z",    "gravity"};
  return (unsigned)kind < ARM_SNAP_KINDS ? keys[kind] : "";
}
