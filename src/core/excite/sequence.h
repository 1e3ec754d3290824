/* SPDX-License-Identifier: MIT */
/* A motion through a sequence of points (core/excite/points.h) within the limits, as fast as its
 * segments (core/excite/segment.h) allow.
 *
 * Energies are the same for (q, qd) and (q, -qd), and for some joints (the first, if vertical) at
 * any q. So every point may be passed in either direction, and one joint whose position counts
 * nowhere at one of three places: which, is chosen by dynamic programming for the least time.
 *
 * Units: rad, m and seconds. Thread rule: re-entrant; constant after arm_sequence_new.
 */
#ifndef ARMATURE_CORE_EXCITE_SEQUENCE_H
#define ARMATURE_CORE_EXCITE_SEQUENCE_H

#include "core/excite/points.h"
#include "core/excite/segment.h"

typedef struct {
  size_t points, n;    /* with ends at rest two points more than were given */
  double *time;        /* points  when each is passed, from 0, not descending */
  ArmSegment *segment; /* (points - 1) x n  joints of a segment together */
  bool *is_composite;  /* likewise */
} ArmSequence;

/* The motion through all points in their order.
 *   is_at_rest  launches from rest before the first point and brakes to rest after the last
 * Free with arm_sequence_free.
 * ARM_E_ARGUMENT: other joints than the model's, fewer than two points, a point outside its limits,
 * or a joint without them. ARM_E_NOT_FINITE: a point. ARM_E_INFEASIBLE: some point leaves no room
 * to brake (those designed with a margin do), and nothing else helps. ARM_E_NUMERIC, ARM_E_MEMORY.
 * *sequence is then untouched. */
ARM_MUST_CHECK ArmStatus arm_sequence_new(const ArmModel *model, const ArmPoints *points,
                                          bool is_at_rest, ArmSequence **sequence);
void arm_sequence_free(ArmSequence *sequence);

/* Seconds from the first point to the last. */
double arm_sequence_duration(const ArmSequence *sequence);

/* Where the arm is at time t, which is taken into 0 .. duration.
 *   q qd qdd  n  qd and qdd may be NULL */
void arm_sequence_at(const ArmSequence *sequence, double t, double *q, double *qd, double *qdd);

#endif
