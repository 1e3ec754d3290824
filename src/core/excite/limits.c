/* SPDX-License-Identifier: MIT */
/* What a motion uses of its limits, at samples and between them. */
#include "core/excite/limits.h"

#include <math.h>

/* Samples per harmonic and per knot: the bound is then 0.013 % resp. a few 1e-5 too large. */
enum { PER_HARMONIC = 200, PER_KNOT = 64 };

static const double pi = 3.14159265358979323846;

/* ---- of the arm ---- */

static double stated(const ArmLimits *limits, ArmMotionQuantity quantity) {
  if (quantity == ARM_MOTION_POSITION)
    return (limits->q_max - limits->q_min) / 2;
  return quantity == ARM_MOTION_SPEED ? limits->speed_max : limits->accel_max;
}

ArmStatus arm_motion_limits(const ArmModel *model, ArmMotionLimits *limits, size_t *joint,
                            ArmMotionQuantity *quantity) {
  ArmMotionLimits found = {.n = model->n};
  if (model->n < 1 || model->n > ARM_MAX_JOINTS)
    return ARM_E_ARGUMENT;
  for (size_t j = 0; j < model->n; j++) {
    const ArmLimits *own = &model->joints[j].limits;
    found.middle[j] = own->q_min + (own->q_max - own->q_min) / 2;
    for (unsigned k = 0; k < ARM_MOTION_QUANTITIES; k++) {
      found.half[k][j] = stated(own, (ArmMotionQuantity)k);
      if (isfinite(found.half[k][j]) && found.half[k][j] > 0)
        continue;
      if (joint)
        *joint = j;
      if (quantity)
        *quantity = (ArmMotionQuantity)k;
      return ARM_E_NO_DATA;
    }
  }
  *limits = found;
  return ARM_OK;
}

/* ---- samples ---- */

static bool judge(const ArmMotionLimits *limits, size_t samples, const double *x, size_t joint,
                  ArmMotionQuantity quantity, ArmMotionViolation *violation) {
  const double half = limits->half[quantity][joint];
  const double middle = quantity == ARM_MOTION_POSITION ? limits->middle[joint] : 0;
  double worst = half * (1 + ARM_MOTION_ROUNDING);
  *violation = (ArmMotionViolation){.joint = joint, .quantity = quantity};
  for (size_t s = 0; s < samples; s++) {
    const double beyond = fabs(x[s] - middle);
    violation->samples += beyond > half * (1 + ARM_MOTION_ROUNDING);
    if (beyond <= worst)
      continue;
    worst = beyond;
    violation->worst = s;
    violation->value = x[s];
    violation->limit = middle + copysign(half, x[s] - middle);
  }
  return violation->samples > 0;
}

size_t arm_motion_violations(const ArmMotionLimits *limits, size_t samples, const double *q,
                             const double *qd, const double *qdd, ArmMotionViolation *violations) {
  const double *const x[] = {q, qd, qdd};
  size_t count = 0;
  for (size_t j = 0; j < limits->n; j++)
    for (unsigned k = 0; k < ARM_MOTION_QUANTITIES; k++)
      count +=
          judge(limits, samples, x[k] + j * samples, j, (ArmMotionQuantity)k, violations + count);
  return count;
}

/* ---- a basis ---- */

static double value_at(const ArmBasis *basis, unsigned derivative, double t, const double *c) {
  const size_t count = arm_basis_functions(basis);
  double row[ARM_BASIS_MAX_FUNCTIONS], sum = 0;
  arm_basis_row(basis, derivative, t, row);
  for (size_t k = 0; k < count; k++)
    sum += row[k] * c[k];
  return sum;
}

/* The largest |derivative - middle| of `samples` samples of the period. */
static double largest(const ArmBasis *basis, unsigned derivative, size_t samples, double middle,
                      const double *c) {
  const double dt = basis->period_s / (double)samples;
  double most = 0;
  for (size_t s = 0; s < samples; s++)
    most = fmax(most, fabs(value_at(basis, derivative, (double)s * dt, c) - middle));
  return most;
}

/* The largest absolute value on [0, 1] of the cubic with values y0, y1 and slopes d0, d1 there. */
static double cubic_largest(double y0, double y1, double d0, double d1) {
  const double a2 = 3 * (y1 - y0) - 2 * d0 - d1, a3 = 2 * (y0 - y1) + d0 + d1;
  const double root = a2 * a2 - 3 * a3 * d0; /* of d0 + 2 a2 x + 3 a3 x^2 = 0 */
  double most = fmax(fabs(y0), fabs(y1));
  if (root < 0)
    return most;
  const double half = -(a2 + copysign(sqrt(root), a2));
  const double roots[] = {half / (3 * a3), d0 / half};
  for (int k = 0; k < 2; k++)
    if (roots[k] > 0 && roots[k] < 1)
      most = fmax(most, fabs(y0 + roots[k] * (d0 + roots[k] * (a2 + roots[k] * a3))));
  return most;
}

/* Acceleration and jerk of a spline over its whole period. The jerk, quadratic between knots, is
 * at most the largest of its Bernstein ordinates. */
static void spline_extremes(const ArmBasis *basis, const double *c, double *acceleration,
                            double *jerk) {
  const double h = basis->period_s / (double)basis->order;
  *acceleration = *jerk = 0;
  for (size_t k = 0; k < basis->order; k++) {
    const double from = (double)k * h, to = (double)((k + 1) % basis->order) * h;
    const double y0 = value_at(basis, 2, from, c), y1 = value_at(basis, 2, to, c);
    const double d0 = h * value_at(basis, 3, from, c), d1 = h * value_at(basis, 3, to, c);
    const double middle = fabs(3 * (y1 - y0) - d0 - d1);
    *acceleration = fmax(*acceleration, cubic_largest(y0, y1, d0, d1));
    *jerk = fmax(*jerk, fmax(middle, fmax(fabs(d0), fabs(d1))) / h);
  }
}

void arm_motion_usage(const ArmMotionLimits *limits, const ArmBasis *basis, size_t joint,
                      const double *c, double *ratio) {
  const double middle = limits->middle[joint];
  double most[ARM_MOTION_QUANTITIES];
  if (basis->kind == ARM_BASIS_FOURIER) {
    const size_t samples = PER_HARMONIC * basis->order;
    const double between = 1 / cos(pi / PER_HARMONIC);
    for (unsigned k = 0; k < ARM_MOTION_QUANTITIES; k++)
      most[k] = between * largest(basis, k, samples, k == 0 ? middle : 0, c);
  } else {
    const size_t samples = PER_KNOT * basis->order;
    const double dt = basis->period_s / (double)samples;
    double jerk;
    spline_extremes(basis, c, &most[ARM_MOTION_ACCELERATION], &jerk);
    most[ARM_MOTION_SPEED] = largest(basis, 1, samples, 0, c) + dt * dt / 8 * jerk;
    most[ARM_MOTION_POSITION] =
        largest(basis, 0, samples, middle, c) + dt * dt / 8 * most[ARM_MOTION_ACCELERATION];
  }
  for (unsigned k = 0; k < ARM_MOTION_QUANTITIES; k++)
    ratio[k] = most[k] / limits->half[k][joint];
}

ArmStatus arm_motion_shrink(const ArmMotionLimits *limits, const ArmBasis *basis, double *c,
                            double *factors) {
  const ArmStatus status = arm_basis_check(basis);
  if (status != ARM_OK)
    return status;
  const size_t count = arm_basis_functions(basis);
  for (size_t k = 0; k < count * limits->n; k++)
    if (!isfinite(c[k]))
      return ARM_E_NOT_FINITE;
  for (size_t j = 0; j < limits->n; j++) {
    double ratio[ARM_MOTION_QUANTITIES], factor = 1;
    arm_motion_usage(limits, basis, j, c + j * count, ratio);
    for (unsigned k = 0; k < ARM_MOTION_QUANTITIES; k++)
      factor = fmax(factor, ratio[k]);
    if (factor > 1)
      arm_basis_shrink(basis, limits->middle[j], factor * (1 + 1e-12), c + j * count);
    if (factors)
      factors[j] = factor;
  }
  return ARM_OK;
}
