/* SPDX-License-Identifier: MIT */
/* From one point (q, qd) of a sequence to the next: the shortest time within the limits, exactly.
 *
 * All joints take the same time T, the u_f of Gautier and Khalil, Int. J. Robotics Research 11(4)
 * 1992, 5.2. A joint moves in one of two ways, both with no acceleration at the ends:
 *   quintic    their polynomial in s = t/T; what T allows is
 *                speed         [T_v, inf)    max|qd| falls with T
 *                position      (0, T_p]      max q, min q spread with T
 *                acceleration  any closed set: max|qdd| is NOT monotonic in T, as they assume; the
 *                              set's ends are roots of two sextics, where qdd(s) -+ a touches zero
 *   composite  brake qd = v (1 - 3 s^2 + 2 s^3), a quintic from rest to rest, wait, launch
 *              (the brake backwards): any T >= T_c, and no excursion however long T is
 *
 * Units: rad, m and seconds. Thread rule: no state.
 */
#ifndef ARMATURE_CORE_EXCITE_SEGMENT_H
#define ARMATURE_CORE_EXCITE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* One joint's two ends and its limits; j below. */
typedef struct {
  double q_from, q_to, qd_from, qd_to;
  double q_min, q_max, speed, accel; /* the last two > 0 */
} ArmSegment;

enum { ARM_SEGMENT_MOST_CROSSINGS = 12 };

typedef struct {
  double speed;     /* T_v, 0 where both ends are at one position */
  double composite; /* T_c; INFINITY where braking or launching takes more room than there is */
  size_t crossings; /* where max|qdd| crosses or touches the limit, ascending */
  double crossing[ARM_SEGMENT_MOST_CROSSINGS];
} ArmSegmentTimes;

/* The times at which what a joint may do changes.
 * ARM_E_NOT_FINITE. ARM_E_ARGUMENT: an end is outside its limits (by more than rounding), or a
 * limit is not positive. ARM_E_NUMERIC: the roots did not converge. times is then untouched. */
ARM_MUST_CHECK ArmStatus arm_segment_times(const ArmSegment *segment, ArmSegmentTimes *times);

/* T_p, by bisection; INFINITY for a motion from rest to rest. Ends must be inside their limits. */
double arm_segment_position_time(const ArmSegment *j);

typedef struct {
  double q_min, q_max, speed, accel; /* of q, |qd|, |qdd| */
} ArmSegmentExtremes;

/* Extremes of the quintic at T > 0, exactly: at ends and at the roots of derivatives. */
void arm_segment_extremes(const ArmSegment *j, double time, ArmSegmentExtremes *extremes);

/* The shortest common time of n joints as quintics, as regards speed and acceleration.
 *   times        n  arm_segment_times of each
 *   time         0 where nothing moves
 *   is_position  do all quintics stay within positions, then?
 * ARM_E_INFEASIBLE: none; outputs are untouched. (Happens by rounding alone: long times are
 * feasible.) */
ARM_MUST_CHECK ArmStatus arm_segment_quintic_time(size_t n, const ArmSegment *segments,
                                                  const ArmSegmentTimes *times, double *time,
                                                  bool *is_position);

/* The shortest common time within all limits, each joint by either way.
 *   is_composite  n  which way; a joint that can do both is composite
 * ARM_E_INFEASIBLE: none; outputs are untouched. */
ARM_MUST_CHECK ArmStatus arm_segment_time(size_t n, const ArmSegment *segments,
                                          const ArmSegmentTimes *times, double *time,
                                          bool *is_composite);

/* A joint at t after the start, 0 <= t <= time. qd and qdd may be NULL. */
void arm_segment_at(const ArmSegment *j, double time, bool is_composite, double t, double *q,
                    double *qd, double *qdd);

/* a_0 .. a_5 of the quintic's q = sum a_k t^k. */
void arm_segment_coefficients(const ArmSegment *j, double time, double a[6]);

#endif
