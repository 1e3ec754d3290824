/* SPDX-License-Identifier: MIT */
/* Positions that come in steps, or scatter: their error is in every column of a row, not only in
 * its current (errors in variables). Estimates are biased then, and their sds know nothing of it.
 *
 *   shift_k = (estimates of q + e_k) - (estimates of q),      C' = C + sum_k shift_k shift_k^T / K
 *
 *   e_k  another error of the same size: uniform within a step, or of as large an sd, and held
 *        while the reading is, as the encoder's own is. It doubles the error's variance, so that
 *        the mean shift is the bias to first order, and what is beside the mean is what the error
 *        scatters estimates by
 *
 * Estimates stay: taking the shift off them would add its own scatter. PUMA, 12 bit, 100 Hz, 20 s:
 * 1 and 2 refits hold 98.4 and 98.6 % of estimates within 3 sds, 4 hold 99.7.
 * Source: Cook and Stefanski, J. Am. Stat. Assoc. 89 (1994), simulation extrapolation.
 * Thread rule: re-entrant; two calls never share an object.
 */
#ifndef ARMATURE_CORE_DYNAMICS_RESOLUTION_H
#define ARMATURE_CORE_DYNAMICS_RESOLUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/dynamics/identify.h"
#include "core/dynamics/stream.h"

/* K of above. */
enum { ARM_RESOLUTION_REFITS = 4 };

/* ---- which step has a column of positions? ---- */

/* Zeros, before its first reading. */
typedef struct {
  bool has_last;
  double last;        /* reading */
  double least;       /* smallest difference [rad, m]; 0: none yet */
  double sum, wholes; /* of differences, and of how many steps they are */
  double last_wholes; /* of the difference before */
  size_t few, on;     /* differences of few steps; of these whole numbers of them */
  size_t changes;     /* from one number of steps to the next */
} ArmResolution;

/* The next reading [rad, m]; NAN: none. */
void arm_resolution_add(ArmResolution *resolution, double q);

/* The step [rad, m]. 0: there is none, as of numbers that change by anything, or too few readings
 * show it. */
double arm_resolution_step(const ArmResolution *resolution);

/* ---- how much do positions scatter? ---- */

enum { ARM_SCATTER_ORDER = 8 };

/* White errors by differences of order 6 and 8, of which a motion that is sampled often enough to
 * be differentiated leaves nothing. Zeros, before its first reading. */
typedef struct {
  size_t follow; /* readings up to now without a gap, ARM_SCATTER_ORDER at most */
  double difference[ARM_SCATTER_ORDER + 1]; /* of each order, the last ones */
  double sixth, eighth;                     /* sums of sizes */
  size_t count;
} ArmScatter;

/* The next reading [rad, m], at even steps of time; NAN: none. */
void arm_scatter_add(ArmScatter *scatter, double q);

/* Sd of the errors [rad, m]. 0: what differs is not white, as of a motion, a vibration or steps
 * that are held, or there are too few readings. Sizes, not squares: a few that are far off count
 * little. */
double arm_scatter_sd(const ArmScatter *scatter);

/* ---- does it matter? ---- */

/* Sd of the acceleration in rows [rad/s^2, m/s^2], from the errors of positions of this step alone;
 * rows about reversals, which lack samples, have two to three times as much. 0: accelerations are
 * given with the samples. Of options that arm_dyn_stream_check finds good. */
double arm_resolution_acceleration_sd(const ArmDynStreamOptions *options, double step);

/* Is it so much beside the accelerations of the joint's rows that estimates may be biased by a part
 * of their sds? ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_resolution_matters(ArmInformation *information, size_t joint,
                                                const ArmDynStreamOptions *options, double step,
                                                bool *matters);

/* ---- another error of the same size ---- */

/* Zeros, and any seed in `state`. */
typedef struct {
  uint64_t state;
  bool has_reading;
  double reading, error;
} ArmDither;

/* The reading with its error; NAN of NAN. */
double arm_dither(ArmDither *dither, double step, double q);

/* ---- what estimates shift by ---- */

/* Widens covariance and sds of a fit; values and `widening` of joints stay. Not before
 * arm_dynamics_widen: this is no noise of rows.
 *   refits  count   of rows with other errors. One that did not converge says nothing
 *   most    out     the largest factor of a told sd; 1: none has grown
 * ARM_E_ARGUMENT: of different arms. ARM_E_MEMORY. fit is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dynamics_widen_shifts(ArmDynamicsFit *fit,
                                                   ArmDynamicsFit *const *refits, size_t count,
                                                   double *most);

#endif
