/* SPDX-License-Identifier: MIT */
/* Medians, gaps, and the local quadratic: normal equations of three unknowns with time in
 * half-widths, which keeps them well scaled at any rate; too few different times in a window are a
 * pivot of 0. */
#include "core/num/filter.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

double arm_filter_median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare_doubles);
  if (count % 2 == 1)
    return values[count / 2];
  return 0.5 * values[count / 2 - 1] + 0.5 * values[count / 2];
}

ArmStatus arm_filter_median_step(size_t rows, const double *t, double *step) {
  if (rows < 2) {
    *step = (double)NAN;
    return ARM_OK;
  }
  double *steps = calloc(rows - 1, sizeof *steps);
  if (!steps)
    return ARM_E_MEMORY;
  size_t count = 0;
  for (size_t row = 1; row < rows; row++) {
    const double dt = t[row] - t[row - 1];
    if (dt > 0 && isfinite(dt))
      steps[count++] = dt;
  }
  *step = count > 0 ? arm_filter_median(steps, count) : (double)NAN;
  free(steps);
  return ARM_OK;
}

bool arm_filter_is_continued(const double *t, size_t row, double median_step) {
  const double dt = t[row] - t[row - 1];
  return dt > 0 && dt <= ARM_FILTER_GAP_STEPS * median_step;
}

/* a and b of the quadratic through x[first..last] around t[centre], in units of the half-width. */
static bool fit_window(const double *t, const double *x, size_t first, size_t last, size_t centre,
                       double half_width, double *a, double *b) {
  double s1 = 0, s2 = 0, s3 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
  size_t count = 0;
  for (size_t k = first; k <= last; k++) {
    if (isnan(x[k]))
      continue;
    const double u = (t[k] - t[centre]) / half_width;
    const double uu = u * u;
    s1 += u;
    s2 += uu;
    s3 += uu * u;
    s4 += uu * uu;
    y0 += x[k];
    y1 += u * x[k];
    y2 += uu * x[k];
    count++;
  }
  if (count < ARM_FILTER_MIN_SAMPLES)
    return false;
  const double s0 = (double)count;
  /* Cholesky of [s0 s1 s2; s1 s2 s3; s2 s3 s4]. */
  const double l10 = s1 / s0, l20 = s2 / s0;
  const double d1 = s2 - l10 * s1;
  if (!(d1 > 1e-12 * s0)) /* times differ by less than 1e-6 of the half-width */
    return false;
  const double l21 = (s3 - l20 * s1) / d1;
  const double d2 = s4 - l20 * s2 - l21 * l21 * d1;
  if (!(d2 > 1e-12 * s0))
    return false;
  const double z1 = y1 - l10 * y0;
  const double c = (y2 - l20 * y0 - l21 * z1) / d2;
  *b = z1 / d1 - l21 * c;
  *a = y0 / s0 - l10 * *b - l20 * c;
  return true;
}

/* Filters the stretch [begin, end), in which time increases without a gap. */
static void filter_stretch(const double *t, const double *x, size_t begin, size_t end,
                           double half_width, double *value, double *derivative) {
  size_t first = begin, last = begin;
  for (size_t row = begin; row < end; row++) {
    while (t[row] - t[first] > half_width)
      first++;
    if (last < row)
      last = row;
    while (last + 1 < end && t[last + 1] - t[row] <= half_width)
      last++;
    double a = (double)NAN, b = (double)NAN;
    if (fit_window(t, x, first, last, row, half_width, &a, &b))
      b /= half_width;
    if (value)
      value[row] = a;
    if (derivative)
      derivative[row] = b;
  }
}

ArmStatus arm_filter_derivative_at(size_t rows, const double *t, const double *x, double step,
                                   double half_width_s, double *value, double *derivative) {
  if (!(half_width_s > 0) || !isfinite(half_width_s))
    return ARM_E_ARGUMENT;
  size_t begin = 0;
  for (size_t row = 1; row <= rows; row++) {
    if (row < rows && arm_filter_is_continued(t, row, step))
      continue;
    filter_stretch(t, x, begin, row, half_width_s, value, derivative);
    begin = row;
  }
  return ARM_OK;
}

ArmStatus arm_filter_derivative(size_t rows, const double *t, const double *x, double half_width_s,
                                double *value, double *derivative) {
  double step;
  const ArmStatus status = arm_filter_median_step(rows, t, &step);
  return status == ARM_OK
             ? arm_filter_derivative_at(rows, t, x, step, half_width_s, value, derivative)
             : status;
}
