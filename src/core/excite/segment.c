/* SPDX-License-Identifier: MIT */
/* Which times a segment may take. The discriminant of the cubic qdd(s) + C, C = -+accel, is a
 * sextic in w = 1/T whose roots are all times at which max|qdd| can cross the limit. The feasible
 * set is closed, so that its minimum is one of finitely many times: each is tried. */
#include "core/excite/segment.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { DEGREE = 6, BISECTIONS = 100 };

/* What counts as rounding: relative excess over a limit, and absolute in positions [rad, m]. */
static const double accel_slack = 1e-9, slack = 1e-13, position_slack = 1e-13;
/* Armature theory notes, exciting trajectories, section 6: coefficients below `trimmed` of the
 * largest are none, roots whose imaginary part is below `imaginary` of them are real. */
static const double trimmed = 1e-13, imaginary = 1e-5;
/* Newton's steps make a root exact that misses the limit by less than `near_excess`, with slopes by
 * differences over `probe` of the time, and no longer than `far` of it. Chosen: a double root is
 * known to the square root of rounding, so 1e-7 is met; whether a candidate keeps the limit is
 * looked at with accel_slack. Times nearer than `same` are one candidate. */
static const double near_excess = 1e-3, probe = 1e-6, far = 1e-2, met = 1e-7, same = 1e-9;
/* Where no position is left within its limits is looked for from `first_s` on, up to `last_s`,
 * which is for ever, until rounding. */
static const double first_s = 1e-6, last_s = 1e30, rounding = 1e-15;

/* ---- acceleration ---- */

/* c = a b, polynomials of degrees n and m */
static void multiply(size_t n, const double *a, size_t m, const double *b, double *c) {
  memset(c, 0, (n + m + 1) * sizeof *c);
  for (size_t i = 0; i <= n; i++)
    for (size_t k = 0; k <= m; k++)
      c[i + k] += a[i] * b[k];
}

static void add(size_t n, double factor, const double *a, size_t shift, double *sum) {
  for (size_t i = 0; i <= n; i++)
    sum[i + shift] += factor * a[i];
}

/* 18 L3 L2 L1 C w - 4 L2^3 C w + w^2 (L2^2 L1^2 - 4 L3 L1^3) - 27 L3^2 C^2, by powers of w */
static void discriminant(double way, double va, double vb, double c, double sextic[DEGREE + 1]) {
  const double l1[2] = {-36 * va - 24 * vb, 60 * way}, l2[2] = {96 * va + 84 * vb, -180 * way};
  const double l3[2] = {-60 * (va + vb), 120 * way};
  double l11[3], l12[3], l22[3], l33[3], l13[3], triple[4], quadruple[5];
  multiply(1, l1, 1, l1, l11);
  multiply(1, l1, 1, l2, l12);
  multiply(1, l1, 1, l3, l13);
  multiply(1, l2, 1, l2, l22);
  multiply(1, l3, 1, l3, l33);
  memset(sextic, 0, (DEGREE + 1) * sizeof *sextic);
  multiply(2, l12, 1, l3, triple);
  add(3, 18 * c, triple, 1, sextic);
  multiply(2, l22, 1, l2, triple);
  add(3, -4 * c, triple, 1, sextic);
  multiply(2, l12, 2, l12, quadruple);
  add(4, 1, quadruple, 2, sextic);
  multiply(2, l13, 2, l11, quadruple);
  add(4, -4, quadruple, 2, sextic);
  add(2, -27 * c * c, l33, 0, sextic);
}

/* Positive real roots of sum c_k x^k by the companion matrix. Returns their number, or -1. */
static int positive_roots(const double c[DEGREE + 1], double root[DEGREE]) {
  double h[DEGREE * DEGREE] = {0}, real[DEGREE] = {0}, imag[DEGREE] = {0}, work[DEGREE * 11],
                    largest = 0;
  lapack_int degree = DEGREE, low = 0;
  int count = 0;
  for (int k = 0; k <= DEGREE; k++)
    largest = fmax(largest, fabs(c[k]));
  while (degree > 0 && fabs(c[degree]) <= trimmed * largest)
    degree--;
  while (low < degree && fabs(c[low]) <= trimmed * largest)
    low++;
  const lapack_int n = degree - low;
  for (lapack_int k = 0; k < n; k++) {
    h[k * n] = -c[degree - 1 - k] / c[degree];
    if (k + 1 < n)
      h[k * n + k + 1] = 1;
  }
  if (n > 0 && LAPACKE_dhseqr_work(LAPACK_COL_MAJOR, 'E', 'N', n, 1, n, h, n, real, imag, NULL, 1,
                                   work, DEGREE * 11) != 0)
    return -1;
  for (lapack_int k = 0; k < n; k++)
    if (real[k] > 0 && fabs(imag[k]) < imaginary * hypot(real[k], imag[k]))
      root[count++] = real[k];
  return count;
}

/* max|qdd| / accel - 1 */
static double acceleration_excess(const ArmSegment *j, double time) {
  ArmSegmentExtremes e;
  arm_segment_extremes(j, time, &e);
  return e.accel / j->accel - 1;
}

/* A root of the sextic, made exact; false where the limit is not met there: the double root lies
 * outside of the motion, or another extreme is larger. */
static bool polish(const ArmSegment *j, double *time) {
  double at = *time, excess = acceleration_excess(j, at);
  if (!(fabs(excess) < near_excess))
    return false;
  for (int k = 0; k < 4; k++) {
    const double step = probe * at;
    const double slope =
        (acceleration_excess(j, at + step) - acceleration_excess(j, at - step)) / (2 * step);
    const double next = at - excess / slope;
    if (!(fabs(next - at) < far * at))
      break;
    const double left = acceleration_excess(j, next);
    if (!(fabs(left) < fabs(excess)))
      break;
    at = next;
    excess = left;
  }
  *time = at;
  return fabs(excess) < met;
}

static void insert(double time, ArmSegmentTimes *times) {
  size_t k = times->crossings;
  for (size_t i = 0; i < times->crossings; i++)
    if (fabs(times->crossing[i] - time) <= same * time)
      return;
  for (; k > 0 && times->crossing[k - 1] > time; k--)
    times->crossing[k] = times->crossing[k - 1];
  times->crossing[k] = time;
  times->crossings++;
}

static ArmStatus find_crossings(const ArmSegment *j, ArmSegmentTimes *times) {
  const double way = j->q_to - j->q_from;
  double v = fmax(fabs(j->qd_from), fabs(j->qd_to));
  const double unit = fmax(sqrt(fabs(way) / j->accel), v / j->accel);
  if (unit == 0)
    return ARM_OK;
  v = v > 0 ? v : fabs(way) / unit;
  for (int side = -1; side <= 1; side += 2) {
    double by_w[DEGREE + 1], by_time[DEGREE + 1], root[DEGREE];
    discriminant(way / (unit * v), j->qd_from / v, j->qd_to / v, side * j->accel * unit / v, by_w);
    for (int k = 0; k <= DEGREE; k++)
      by_time[k] = by_w[DEGREE - k];
    const int count = positive_roots(by_time, root);
    if (count < 0)
      return ARM_E_NUMERIC;
    for (int k = 0; k < count; k++) {
      double time = unit * root[k];
      if (polish(j, &time))
        insert(time, times);
    }
  }
  return ARM_OK;
}

/* ---- speed, position, composite ---- */

static double speed_time(const ArmSegment *j) {
  const double way = fabs(j->q_to - j->q_from), limit = j->speed * (1 + slack);
  double low = 0, high = j->speed / way; /* of w; no mean speed exceeds the limit */
  ArmSegmentExtremes e;
  if (way == 0)
    return 0;
  for (int k = 0; k < BISECTIONS; k++) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high)
      break;
    arm_segment_extremes(j, 1 / middle, &e);
    if (e.speed <= limit)
      low = middle;
    else
      high = middle;
  }
  return 1 / low;
}

static bool is_within(const ArmSegment *j, double least, double most) {
  return least >= j->q_min - position_slack && most <= j->q_max + position_slack;
}

static bool keeps_positions(const ArmSegment *j, double time) {
  ArmSegmentExtremes e;
  if (time == 0)
    return true;
  arm_segment_extremes(j, time, &e);
  return is_within(j, e.q_min, e.q_max);
}

double arm_segment_position_time(const ArmSegment *j) {
  double low = 0, high = first_s;
  if (j->qd_from == 0 && j->qd_to == 0)
    return (double)INFINITY;
  for (; keeps_positions(j, high); high *= 2)
    if (high > last_s)
      return (double)INFINITY;
  for (int k = 0; k < BISECTIONS && high - low > rounding * high; k++) {
    const double middle = 0.5 * (low + high);
    if (keeps_positions(j, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

static double composite_time(const ArmSegment *j) {
  const double va = j->qd_from, vb = j->qd_to, a = j->accel;
  const double rest = j->q_from + 0.75 * va * fabs(va) / a;
  const double leave = j->q_to - 0.75 * vb * fabs(vb) / a, way = fabs(leave - rest);
  if (!is_within(j, fmin(rest, leave), fmax(rest, leave)))
    return (double)INFINITY;
  return 1.5 * (fabs(va) + fabs(vb)) / a +
         fmax(1.875 * way / j->speed, sqrt(10 / sqrt(3) * way / a));
}

static ArmStatus check(const ArmSegment *j) {
  const double all[] = {j->q_from, j->q_to,  j->qd_from, j->qd_to,
                        j->q_min,  j->q_max, j->speed,   j->accel};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (!isfinite(all[k]))
      return ARM_E_NOT_FINITE;
  const double fastest = fmax(fabs(j->qd_from), fabs(j->qd_to));
  return j->speed > 0 && j->accel > 0 && fastest <= j->speed * (1 + slack) &&
                 is_within(j, fmin(j->q_from, j->q_to), fmax(j->q_from, j->q_to))
             ? ARM_OK
             : ARM_E_ARGUMENT;
}

ArmStatus arm_segment_times(const ArmSegment *segment, ArmSegmentTimes *times) {
  ArmSegmentTimes result = {0};
  ArmStatus status = check(segment);
  if (status == ARM_OK)
    status = find_crossings(segment, &result);
  if (status != ARM_OK)
    return status;
  result.speed = speed_time(segment);
  result.composite = composite_time(segment);
  *times = result;
  return ARM_OK;
}

/* ---- the shortest time ---- */

static bool can_quintic(const ArmSegment *j, const ArmSegmentTimes *times, double time) {
  return time >= times->speed * (1 - slack) &&
         (time == 0 ? j->qd_from == 0 && j->qd_to == 0
                    : acceleration_excess(j, time) <= accel_slack);
}

static bool can_composite(const ArmSegmentTimes *times, double time) {
  return time >=
         times->composite * (1 - 10 * slack); /* T_v may be the same, with its own rounding */
}

static bool is_possible(size_t n, const ArmSegment *segments, const ArmSegmentTimes *times,
                        double time, bool may_be_composite) {
  for (size_t j = 0; j < n; j++) {
    const bool is_composite = may_be_composite && can_composite(&times[j], time);
    if (!is_composite && !(can_quintic(&segments[j], &times[j], time) &&
                           (!may_be_composite || keeps_positions(&segments[j], time))))
      return false;
  }
  return true;
}

/* The k-th time of a joint: T_v, crossings, T_c. */
static size_t candidates(const ArmSegmentTimes *times, bool may_be_composite) {
  return 1 + times->crossings + (may_be_composite && isfinite(times->composite) ? 1 : 0);
}

static double candidate(const ArmSegmentTimes *times, size_t k) {
  if (k == 0)
    return times->speed;
  return k <= times->crossings ? times->crossing[k - 1] : times->composite;
}

static bool shortest(size_t n, const ArmSegment *segments, const ArmSegmentTimes *times,
                     bool may_be_composite, double *time) {
  double best = (double)INFINITY;
  for (size_t j = 0; j < n; j++)
    for (size_t k = 0; k < candidates(&times[j], may_be_composite); k++) {
      const double at = candidate(&times[j], k);
      if (at < best && is_possible(n, segments, times, at, may_be_composite))
        best = at;
    }
  if (isfinite(best))
    *time = best;
  return isfinite(best);
}

ArmStatus arm_segment_quintic_time(size_t n, const ArmSegment *segments,
                                   const ArmSegmentTimes *times, double *time, bool *is_position) {
  if (!shortest(n, segments, times, false, time))
    return ARM_E_INFEASIBLE;
  *is_position = true;
  for (size_t j = 0; j < n; j++)
    *is_position = *is_position && keeps_positions(&segments[j], *time);
  return ARM_OK;
}

ArmStatus arm_segment_time(size_t n, const ArmSegment *segments, const ArmSegmentTimes *times,
                           double *time, bool *is_composite) {
  if (!shortest(n, segments, times, true, time))
    return ARM_E_INFEASIBLE;
  for (size_t j = 0; j < n; j++)
    is_composite[j] = can_composite(&times[j], *time);
  return ARM_OK;
}
