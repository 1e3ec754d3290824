/* SPDX-License-Identifier: MIT */
/* Forwards and backwards, so that neither speeds nor currents come late: a current that is late
 * against its position looks like friction that depends on it. Butterworth by the bilinear
 * transform, as second-order sections; ends continued by point reflection. */
#include "core/num/filter.h"

#include <math.h>
#include <stdlib.h>

enum { SECTIONS = 3, PAD = 18 }; /* samples of the reflection: 3 (order + 1), as SciPy */
#define PI 3.14159265358979323846

/* y_k = b0 x_k + s1, s1 = b1 x_k - a1 y_k + s2, s2 = b2 x_k - a2 y_k; unit gain at rest */
typedef struct {
  double b0, b1, b2, a1, a2;
} Section;

/* Butterworth of order 5 by the bilinear transform with prewarped cut-off: one real pole and two
 * pairs at angles 36 and 72 degrees from the negative real axis. */
static void design(double cutoff, Section *sections) {
  const double w = tan(PI * cutoff);
  sections[0] = (Section){w / (1.0 + w), w / (1.0 + w), 0.0, (w - 1.0) / (w + 1.0), 0.0};
  for (int k = 1; k < SECTIONS; k++) {
    const double damping = 2.0 * cos(PI * k / 5.0);
    const double scale = 1.0 / (1.0 + damping * w + w * w);
    sections[k] = (Section){w * w * scale, 2.0 * w * w * scale, w * w * scale,
                            2.0 * (w * w - 1.0) * scale, (1.0 - damping * w + w * w) * scale};
  }
}

/* in place, from a state at rest at the first value */
static void run_section(const Section *s, double *x, size_t count, bool is_backward) {
  double s1 = 0.0, s2 = 0.0;
  for (size_t k = 0; k < count; k++) {
    double *at = &x[is_backward ? count - 1 - k : k];
    if (k == 0) {
      s2 = (s->b2 - s->a2) * *at;
      s1 = (s->b1 - s->a1) * *at + s2;
    }
    const double y = s->b0 * *at + s1;
    s1 = s->b1 * *at - s->a1 * y + s2;
    s2 = s->b2 * *at - s->a2 * y;
    *at = y;
  }
}

/* one stretch without gap or NAN; ends are continued by reflection through the end point */
static void run_stretch(const Section *sections, const double *x, size_t count, double *padded,
                        double *y) {
  const size_t pad = count - 1 < PAD ? count - 1 : PAD;
  for (size_t k = 0; k < pad; k++) {
    padded[k] = 2.0 * x[0] - x[pad - k];
    padded[pad + count + k] = 2.0 * x[count - 1] - x[count - 2 - k];
  }
  for (size_t k = 0; k < count; k++)
    padded[pad + k] = x[k];
  for (int backward = 0; backward < 2; backward++)
    for (int s = 0; s < SECTIONS; s++)
      run_section(&sections[s], padded, count + 2 * pad, backward == 1);
  for (size_t k = 0; k < count; k++)
    y[k] = padded[pad + k];
}

ArmStatus arm_filter_lowpass_at(size_t rows, const double *t, const double *x, double step,
                                double cutoff_Hz, double *y) {
  Section sections[SECTIONS];
  if (!(cutoff_Hz > 0.0) || (isfinite(step) && !(cutoff_Hz * step < 0.5)))
    return ARM_E_ARGUMENT;
  double *padded = malloc((rows + 2 * PAD) * sizeof *padded);
  if (!padded)
    return ARM_E_MEMORY;
  design(isfinite(step) ? cutoff_Hz * step : 0.25, sections);
  for (size_t begin = 0, end; begin < rows; begin = end) {
    end = begin + 1;
    if (isnan(x[begin])) {
      y[begin] = x[begin];
      continue;
    }
    while (end < rows && !isnan(x[end]) && arm_filter_is_continued(t, end, step))
      end++;
    run_stretch(sections, x + begin, end - begin, padded, y + begin);
  }
  free(padded);
  return ARM_OK;
}

ArmStatus arm_filter_lowpass(size_t rows, const double *t, const double *x, double cutoff_Hz,
                             double *y) {
  double step;
  const ArmStatus status = arm_filter_median_step(rows, t, &step);
  return status == ARM_OK ? arm_filter_lowpass_at(rows, t, x, step, cutoff_Hz, y) : status;
}

void arm_filter_difference_at(size_t rows, const double *t, const double *x, double step,
                              double *derivative) {
  for (size_t k = 0; k < rows; k++) {
    const bool has_before = k > 0 && arm_filter_is_continued(t, k, step) && !isnan(x[k - 1]);
    const bool has_after =
        k + 1 < rows && arm_filter_is_continued(t, k + 1, step) && !isnan(x[k + 1]);
    const double before = has_before ? (x[k] - x[k - 1]) / (t[k] - t[k - 1]) : 0.0;
    const double after = has_after ? (x[k + 1] - x[k]) / (t[k + 1] - t[k]) : 0.0;
    if (has_before && has_after) {
      const double h = t[k] - t[k - 1], g = t[k + 1] - t[k];
      derivative[k] = (g * before + h * after) / (h + g);
    } else {
      derivative[k] = has_before ? before : has_after ? after : (double)NAN;
    }
  }
}

ArmStatus arm_filter_difference(size_t rows, const double *t, const double *x, double *derivative) {
  double step;
  const ArmStatus status = arm_filter_median_step(rows, t, &step);
  if (status == ARM_OK)
    arm_filter_difference_at(rows, t, x, step, derivative);
  return status;
}
