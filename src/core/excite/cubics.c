/* SPDX-License-Identifier: MIT */
/* Knots are chosen among the samples and rounded first, so that all that follows, limits included,
 * is about the very numbers that go over the wire. */
#include "core/excite/cubics.h"

#include <math.h>
#include <stdlib.h>

#define T_MAX 1e9 /* s: microseconds of it are whole numbers in a double */

void arm_cubics_free(ArmCubics *cubics) {
  if (!cubics)
    return;
  free(cubics->row);
  free(cubics->t);
  free(cubics->q);
  free(cubics->qd);
  free(cubics);
}

double arm_cubics_duration(const ArmCubics *cubics) {
  return cubics->t[cubics->count - 1];
}

/* ---- from samples ---- */

static double whole(double x) {
  return round(x / ARM_CUBICS_UNIT) * ARM_CUBICS_UNIT;
}

/* Times in files are rounded too. */
static bool is_later(double t, double before, double least_s) {
  return t - before >= least_s - 0.5 * ARM_CUBICS_UNIT;
}

/* Marks the rows of knots. rows NULL: only counts them. */
static size_t choose_rows(size_t samples, const double *t, double least_s, size_t *rows) {
  size_t count = 1, last = 0;
  if (rows)
    rows[0] = 0;
  for (size_t row = 1; row + 1 < samples; row++) {
    if (!is_later(t[row], t[last], least_s) || !is_later(t[samples - 1], t[row], least_s))
      continue;
    if (rows)
      rows[count] = row;
    last = row;
    count++;
  }
  if (rows)
    rows[count] = samples - 1;
  return count + 1;
}

static ArmStatus check(size_t n, size_t samples, const double *t, const double *q, const double *qd,
                       double least_s, double slowness) {
  if (n < 1 || n > ARM_MAX_JOINTS || samples < 2 || !(least_s >= 2 * ARM_CUBICS_UNIT) ||
      !(slowness > 0))
    return ARM_E_ARGUMENT;
  for (size_t k = 0; k < samples; k++) {
    if (!isfinite(t[k]) || !(slowness * (t[k] - t[0]) <= T_MAX))
      return ARM_E_NOT_FINITE;
    if (k > 0 && !(t[k] > t[k - 1]))
      return ARM_E_ARGUMENT;
  }
  for (size_t k = 0; k < samples * n; k++)
    if (!isfinite(q[k]) || !isfinite(qd[k]))
      return ARM_E_NOT_FINITE;
  return ARM_OK;
}

static void fill(ArmCubics *cubics, size_t samples, const double *t, const double *q,
                 const double *qd, double slowness) {
  const size_t count = cubics->count;
  for (size_t k = 0; k < count; k++) {
    const size_t row = cubics->row[k];
    cubics->t[k] = whole(slowness * (t[row] - t[0]));
    for (size_t j = 0; j < cubics->n; j++) {
      const bool is_end = k == 0 || k + 1 == count;
      cubics->q[k + j * count] = whole(q[row + j * samples]);
      cubics->qd[k + j * count] = is_end ? 0 : whole(qd[row + j * samples] / slowness);
    }
  }
}

/* Of a motion that is shorter than a unit nothing is left. */
static bool is_increasing(const ArmCubics *cubics) {
  for (size_t k = 1; k < cubics->count; k++)
    if (!(cubics->t[k] > cubics->t[k - 1]))
      return false;
  return true;
}

ArmStatus arm_cubics_new(size_t n, size_t samples, const double *t, const double *q,
                         const double *qd, double least_s, double slowness, ArmCubics **cubics) {
  const ArmStatus status = check(n, samples, t, q, qd, least_s, slowness);
  if (status != ARM_OK)
    return status;
  const double own_s = least_s / slowness; /* in the motion's own time */
  ArmCubics *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  made->n = n;
  made->count = choose_rows(samples, t, own_s, NULL);
  made->row = calloc(made->count, sizeof *made->row);
  made->t = calloc(made->count, sizeof *made->t);
  made->q = calloc(made->count * n, sizeof *made->q);
  made->qd = calloc(made->count * n, sizeof *made->qd);
  if (!made->row || !made->t || !made->q || !made->qd) {
    arm_cubics_free(made);
    return ARM_E_MEMORY;
  }
  (void)choose_rows(samples, t, own_s, made->row);
  fill(made, samples, t, q, qd, slowness);
  if (!is_increasing(made)) {
    arm_cubics_free(made);
    return ARM_E_ARGUMENT;
  }
  *cubics = made;
  return ARM_OK;
}

/* ---- one segment of one joint ---- */

typedef struct {
  double q0, v0, q1, v1, h, b1, b2;
} Cubic;

/* That begins at knot k. */
static Cubic cubic_of(const ArmCubics *cubics, size_t k, size_t joint) {
  const double *q = cubics->q + joint * cubics->count, *qd = cubics->qd + joint * cubics->count;
  Cubic c = {.q0 = q[k], .v0 = qd[k], .q1 = q[k + 1], .v1 = qd[k + 1]};
  c.h = cubics->t[k + 1] - cubics->t[k];
  c.b1 = c.q0 + c.v0 * c.h / 3;
  c.b2 = c.q1 - c.v1 * c.h / 3;
  return c;
}

static double cubic_position(const Cubic *c, double x) {
  const double y = 1 - x;
  return y * y * y * c->q0 + 3 * x * y * y * c->b1 + 3 * x * x * y * c->b2 + x * x * x * c->q1;
}

static double cubic_speed(const Cubic *c, double x) {
  const double y = 1 - x;
  return 3 * (y * y * (c->b1 - c->q0) + 2 * x * y * (c->b2 - c->b1) + x * x * (c->q1 - c->b2)) /
         c->h;
}

/* The last knot, from `from` on, that is not later than t and begins a segment. */
static size_t find_segment(const ArmCubics *cubics, double t, size_t from) {
  size_t low = from, high = cubics->count - 2;
  while (low < high) {
    const size_t middle = high - (high - low) / 2;
    if (cubics->t[middle] <= t)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static double part_of(const ArmCubics *cubics, size_t k, double t) {
  return fmin(fmax((t - cubics->t[k]) / (cubics->t[k + 1] - cubics->t[k]), 0), 1);
}

void arm_cubics_at(const ArmCubics *cubics, double t, double *q, double *qd) {
  const size_t k = find_segment(cubics, t, 0);
  const double x = part_of(cubics, k, t);
  for (size_t j = 0; j < cubics->n; j++) {
    const Cubic c = cubic_of(cubics, k, j);
    q[j] = cubic_position(&c, x);
    if (qd)
      qd[j] = cubic_speed(&c, x);
  }
}

void arm_cubics_apart(const ArmCubics *cubics, size_t samples, const double *t, const double *q,
                      double slowness, size_t *worst, double *apart) {
  for (size_t j = 0; j < cubics->n; j++) {
    size_t k = 0;
    apart[j] = 0;
    if (worst)
      worst[j] = 0;
    for (size_t row = 0; row < samples; row++) {
      const double at = slowness * (t[row] - t[0]);
      while (k + 2 < cubics->count && cubics->t[k + 1] <= at)
        k++;
      const Cubic c = cubic_of(cubics, k, j);
      const double off = fabs(cubic_position(&c, part_of(cubics, k, at)) - q[row + j * samples]);
      if (!(off > apart[j]))
        continue;
      apart[j] = off;
      if (worst)
        worst[j] = row;
    }
  }
}

/* ---- limits ---- */

static double larger(double a, double b) {
  return fabs(b) > fabs(a) ? b : a;
}

/* The number of the hull that is furthest from the middle. */
static double furthest(double middle, const double *hull, int n) {
  double most = hull[0];
  for (int k = 1; k < n; k++)
    most = middle + larger(most - middle, hull[k] - middle);
  return most;
}

/* The speed and the acceleration that are furthest from 0. */
static double most_speed(const Cubic *c) {
  return larger(larger(c->v0, c->v1), 3 * (c->b2 - c->b1) / c->h);
}

static double most_acceleration(const Cubic *c) {
  const double slope = 6 * (c->q1 - c->q0) / c->h;
  return larger((slope - 4 * c->v0 - 2 * c->v1) / c->h, (-slope + 2 * c->v0 + 4 * c->v1) / c->h);
}

static double most_of(const ArmMotionLimits *limits, const Cubic *c, size_t joint,
                      ArmMotionQuantity quantity) {
  const double stop =
      c->q1 + c->v1 * fabs(c->v1) / (2 * limits->half[ARM_MOTION_ACCELERATION][joint]);
  if (quantity == ARM_MOTION_POSITION)
    return furthest(limits->middle[joint], (double[]){c->q0, c->b1, c->b2, c->q1, stop}, 5);
  return quantity == ARM_MOTION_SPEED ? most_speed(c) : most_acceleration(c);
}

static bool judge(const ArmMotionLimits *limits, const ArmCubics *cubics, size_t joint,
                  ArmMotionQuantity quantity, ArmMotionViolation *violation) {
  const double half = limits->half[quantity][joint];
  const double middle = quantity == ARM_MOTION_POSITION ? limits->middle[joint] : 0;
  /* the rounding of both: a limit may lie between two units */
  const double allowed = half * (1 + ARM_MOTION_ROUNDING) +
                         (quantity == ARM_MOTION_POSITION ? ARM_CUBICS_UNIT / 2 : 0);
  double worst = allowed;
  *violation = (ArmMotionViolation){.joint = joint, .quantity = quantity};
  for (size_t k = 0; k + 1 < cubics->count; k++) {
    const Cubic c = cubic_of(cubics, k, joint);
    const double x = most_of(limits, &c, joint, quantity), beyond = fabs(x - middle);
    violation->samples += beyond > allowed;
    if (beyond <= worst)
      continue;
    worst = beyond;
    violation->worst = k;
    violation->value = x;
    violation->limit = middle + copysign(half, x - middle);
  }
  return violation->samples > 0;
}

size_t arm_cubics_violations(const ArmMotionLimits *limits, const ArmCubics *cubics,
                             ArmMotionViolation *violations) {
  size_t count = 0;
  for (size_t j = 0; j < cubics->n; j++)
    for (unsigned k = 0; k < ARM_MOTION_QUANTITIES; k++)
      count += judge(limits, cubics, j, (ArmMotionQuantity)k, violations + count);
  return count;
}

void arm_cubics_most(const ArmCubics *cubics, size_t joint, double *speed, double *acceleration) {
  *speed = *acceleration = 0;
  for (size_t k = 0; k + 1 < cubics->count; k++) {
    const Cubic c = cubic_of(cubics, k, joint);
    *speed = fmax(*speed, fabs(most_speed(&c)));
    *acceleration = fmax(*acceleration, fabs(most_acceleration(&c)));
  }
}

double arm_cubics_slowness(const ArmMotionLimits *limits, const ArmCubics *cubics) {
  double most = 0;
  for (size_t j = 0; j < cubics->n; j++) {
    double speed, acceleration;
    arm_cubics_most(cubics, j, &speed, &acceleration);
    most = fmax(most, speed / limits->half[ARM_MOTION_SPEED][j]);
    most = fmax(most, sqrt(acceleration / limits->half[ARM_MOTION_ACCELERATION][j]));
  }
  return most;
}

static double position_usage(const ArmMotionLimits *limits, const ArmCubics *cubics, size_t joint) {
  double most = 0;
  for (size_t k = 0; k + 1 < cubics->count; k++) {
    const Cubic c = cubic_of(cubics, k, joint);
    const double x = most_of(limits, &c, joint, ARM_MOTION_POSITION);
    most = fmax(most, fabs(x - limits->middle[joint]) / limits->half[ARM_MOTION_POSITION][joint]);
  }
  return most;
}

void arm_cubics_shrink(const ArmMotionLimits *limits, double most, ArmCubics *cubics) {
  for (size_t j = 0; j < cubics->n; j++) {
    const double middle = limits->middle[j], usage = position_usage(limits, cubics, j);
    if (!(usage > 1) || usage > most)
      continue;
    /* and by the rounding that follows */
    const double factor = usage + 2 * ARM_CUBICS_UNIT / limits->half[ARM_MOTION_POSITION][j];
    double *q = cubics->q + j * cubics->count, *qd = cubics->qd + j * cubics->count;
    for (size_t k = 0; k < cubics->count; k++) {
      q[k] = whole(middle + (q[k] - middle) / factor);
      qd[k] = whole(qd[k] / factor);
    }
  }
}
