/* SPDX-License-Identifier: MIT */
/* Smoothing and derivative of a sampled signal at irregular times.
 *
 *   min over a,b,c of  sum_{|t_k - t_i| <= h} (x_k - a - b (t_k-t_i) - c (t_k-t_i)^2)^2
 *   value_i = a,  derivative_i = b
 *
 * Local polynomial least squares of degree 2 (Savitzky and Golay 1964, without their equal steps).
 * For a sine of angular frequency w the derivative is low by about (w h)^2/10 of itself: choose h
 * well below 1/w. At the ends of a stretch the window is one-sided and the derivative noisier.
 * A window never reaches over a gap (a step above ARM_FILTER_GAP_STEPS median steps) nor over a
 * time that does not increase. NAN in x = not measured: such a sample carries no weight, but the
 * polynomial of its neighbours is evaluated there. Re-entrant.
 */
#ifndef ARMATURE_CORE_FILTER_H
#define ARMATURE_CORE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

enum {
  ARM_FILTER_GAP_STEPS = 5,  /* a longer step is a gap; real loggers step 8 to 12 ms for 10 */
  ARM_FILTER_MIN_SAMPLES = 5 /* measured samples a window needs: two more than unknowns */
};

/* Half-width that suits a slow single-joint motion recorded at 20 Hz or more [s]: at 100 Hz the
 * derivative of noise s has 0.98 s per second. */
#define ARM_FILTER_HALF_WIDTH_S 0.25

/* Value and derivative at every sample.
 *   t             rows  time [s]
 *   x             rows  signal
 *   half_width_s        h [s]
 *   value         rows  out, unit of x; may be NULL; may not alias x
 *   derivative    rows  out, unit of x per s; may be NULL; may not alias x
 * NAN where the window holds fewer than ARM_FILTER_MIN_SAMPLES measured samples.
 * ARM_E_ARGUMENT: half_width_s is not a positive finite number. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_filter_derivative(size_t rows, const double *t, const double *x,
                                               double half_width_s, double *value,
                                               double *derivative);

/* Zero-phase low-pass: Butterworth of order 5 forwards and backwards (-6 dB at the cut-off), every
 * stretch without gap or NAN by itself, its ends continued by point reflection. Time steps count as
 * equal to their median.
 *   y  rows  out, unit of x; NAN where x is NAN; may not alias x
 * ARM_E_ARGUMENT: the cut-off is not between 0 and half the sampling rate. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_filter_lowpass(size_t rows, const double *t, const double *x,
                                            double cutoff_Hz, double *y);

/* Second-order difference quotient at irregular times, one-sided at the ends of a stretch.
 *   derivative  rows  out; NAN for a lone sample. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_filter_difference(size_t rows, const double *t, const double *x,
                                               double *derivative);

/* The same of a part of a recording, whose median step is given. */
ARM_MUST_CHECK ArmStatus arm_filter_derivative_at(size_t rows, const double *t, const double *x,
                                                  double median_step, double half_width_s,
                                                  double *value, double *derivative);
ARM_MUST_CHECK ArmStatus arm_filter_lowpass_at(size_t rows, const double *t, const double *x,
                                               double median_step, double cutoff_Hz, double *y);
void arm_filter_difference_at(size_t rows, const double *t, const double *x, double median_step,
                              double *derivative);

/* The median of the positive steps of t [s]; NAN when there is none.
 * ARM_E_MEMORY: nothing was written. */
ARM_MUST_CHECK ArmStatus arm_filter_median_step(size_t rows, const double *t, double *step);

/* True when sample `row` continues the stretch of sample `row - 1`: time increases, without a gap.
 *   median_step  from arm_filter_median_step */
bool arm_filter_is_continued(const double *t, size_t row, double median_step);

/* The median of a non-empty array without NAN, which is reordered. */
double arm_filter_median(double *values, size_t count);

#endif
