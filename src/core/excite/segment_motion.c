/* SPDX-License-Identifier: MIT */
/* Both motions and the quintic's extremes. With s = t/T, w = 1/T,
 *   qdd = w (L1 s + L2 s^2 + L3 s^3),  qd = v_a + L1 s^2/2 + L2 s^3/3 + L3 s^4/4,
 * L linear in w: jerk is zero at roots of a quadratic, qdd at s = 0 and those of another, between
 * which qd is monotonic. */
#include <math.h>
#include <string.h>

#include "core/excite/segment.h"

typedef struct {
  double l1, l2, l3;
} Shape;

static Shape shape_of(const ArmSegment *j, double w) {
  const double way = (j->q_to - j->q_from) * w, va = j->qd_from, vb = j->qd_to;
  return (Shape){60 * way - 36 * va - 24 * vb, -180 * way + 96 * va + 84 * vb,
                 120 * way - 60 * (va + vb)};
}

/* Roots of a + b s + c s^2 within (0, 1), ascending. */
static size_t inner_roots(double a, double b, double c, double root[2]) {
  const double discriminant = b * b - 4 * a * c;
  size_t count = 0;
  if (discriminant < 0)
    return 0;
  const double q = -0.5 * (b + copysign(sqrt(discriminant), b));
  const double both[2] = {c != 0 ? q / c : -1, q != 0 ? a / q : -1};
  for (int k = 0; k < 2; k++)
    if (both[k] > 0 && both[k] < 1)
      root[count++] = both[k];
  if (count == 2 && root[0] > root[1]) {
    const double kept = root[0];
    root[0] = root[1];
    root[1] = kept;
  }
  return count;
}

static double speed_at(const Shape *l, double va, double s) {
  return va + s * s * (l->l1 / 2 + s * (l->l2 / 3 + s * (l->l3 / 4)));
}

static double position_at(const ArmSegment *j, const Shape *l, double time, double s) {
  return j->q_from +
         time * s * (j->qd_from + s * s * (l->l1 / 6 + s * (l->l2 / 12 + s * l->l3 / 20)));
}

static double largest_acceleration(const Shape *l, double w) {
  double root[2], most = 0;
  const size_t count = inner_roots(l->l1, 2 * l->l2, 3 * l->l3, root);
  for (size_t k = 0; k < count; k++)
    most = fmax(most, w * fabs(root[k] * (l->l1 + root[k] * (l->l2 + root[k] * l->l3))));
  return most;
}

/* The root of qd between s and e, parts of the segment, where its signs differ; 1e-16: rounding. */
static double turning_point(const Shape *l, double va, double s, double e) {
  const bool rises = speed_at(l, va, s) < 0;
  for (int k = 0; k < 60 && e - s > 1e-16; k++) {
    const double middle = 0.5 * (s + e);
    if ((speed_at(l, va, middle) < 0) == rises)
      s = middle;
    else
      e = middle;
  }
  return 0.5 * (s + e);
}

void arm_segment_extremes(const ArmSegment *j, double time, ArmSegmentExtremes *extremes) {
  const double w = 1 / time;
  const Shape l = shape_of(j, w);
  double border[4] = {0};
  const size_t inner = inner_roots(l.l1, l.l2, l.l3, border + 1);
  ArmSegmentExtremes e = {fmin(j->q_from, j->q_to), fmax(j->q_from, j->q_to),
                          fmax(fabs(j->qd_from), fabs(j->qd_to)), largest_acceleration(&l, w)};
  border[inner + 1] = 1;
  for (size_t k = 0; k <= inner; k++) {
    const double first = k == 0 ? j->qd_from : speed_at(&l, j->qd_from, border[k]);
    const double last = k == inner ? j->qd_to : speed_at(&l, j->qd_from, border[k + 1]);
    e.speed = fmax(e.speed, fabs(last));
    if (first * last < 0) {
      const double s = turning_point(&l, j->qd_from, border[k], border[k + 1]);
      const double q = position_at(j, &l, time, s);
      e.q_min = fmin(e.q_min, q);
      e.q_max = fmax(e.q_max, q);
    }
  }
  *extremes = e;
}

/* ---- the motions ---- */

void arm_segment_coefficients(const ArmSegment *j, double time, double a[6]) {
  const double way = j->q_to - j->q_from, va = j->qd_from, vb = j->qd_to, t2 = time * time;
  a[0] = j->q_from;
  a[1] = va;
  a[2] = 0;
  a[3] = 10 * way / (t2 * time) - (6 * va + 4 * vb) / t2;
  a[4] = -15 * way / (t2 * t2) + (8 * va + 7 * vb) / (t2 * time);
  a[5] = 6 * way / (t2 * t2 * time) - 3 * (va + vb) / (t2 * t2);
}

typedef struct {
  double q, qd, qdd;
} State;

static State quintic_at(const ArmSegment *j, double time, double t) {
  const double w = 1 / time, s = t * w;
  const Shape l = shape_of(j, w);
  return (State){position_at(j, &l, time, s), speed_at(&l, j->qd_from, s),
                 w * s * (l.l1 + s * (l.l2 + s * l.l3))};
}

/* From speed v to rest within `time`, t after the start. */
static State brake_at(double q, double v, double time, double t) {
  const double s = t / time;
  return (State){q + v * time * s * (1 - s * s * (1 - 0.5 * s)), v * (1 - s * s * (3 - 2 * s)),
                 v / time * s * 6 * (s - 1)};
}

static State composite_at(const ArmSegment *j, double time, double t) {
  const double brake = 1.5 * fabs(j->qd_from) / j->accel, launch = 1.5 * fabs(j->qd_to) / j->accel;
  if (t < brake)
    return brake_at(j->q_from, j->qd_from, brake, t);
  if (t > time - launch && launch > 0) { /* the brake backwards */
    const State back = brake_at(j->q_to, -j->qd_to, launch, time - t);
    return (State){back.q, -back.qd, back.qdd};
  }
  const ArmSegment rest = {.q_from = j->q_from + 0.5 * brake * j->qd_from,
                           .q_to = j->q_to - 0.5 * launch * j->qd_to};
  const double way = fabs(rest.q_to - rest.q_from);
  const double shortest = fmax(1.875 * way / j->speed, sqrt(10 / sqrt(3) * way / j->accel));
  if (t - brake < shortest)
    return quintic_at(&rest, shortest, t - brake);
  return (State){rest.q_to, 0, 0};
}

void arm_segment_at(const ArmSegment *j, double time, bool is_composite, double t, double *q,
                    double *qd, double *qdd) {
  State state = {j->q_from, j->qd_from, 0};
  if (is_composite)
    state = composite_at(j, time, t);
  else if (time > 0)
    state = quintic_at(j, time, t);
  *q = state.q;
  if (qd)
    *qd = state.qd;
  if (qdd)
    *qdd = state.qdd;
}
