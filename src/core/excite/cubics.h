/* SPDX-License-Identifier: MIT */
/* A sampled motion as a controller follows it: for each joint cubics between knots of position and
 * speed (docs/protocol.md, TRAJ_SEGMENT), x from 0 to 1 over the h seconds of a segment:
 *
 *   q(x) = (1-x)^3 q0 + 3 x (1-x)^2 b1 + 3 x^2 (1-x) b2 + x^3 q1
 *   b1 = q0 + v0 h/3,  b2 = q1 - v1 h/3
 *
 * (Hermite's cubic in the form of Bezier.) A cubic lies within the hull of q0, b1, b2, q1, its
 * speed within that of v0, 3 (b2 - b1)/h, v1, and its acceleration is linear: what is judged here
 * holds at all times, not at samples only. The rule is the one that controllers refuse segments by,
 * so that what passes here is not refused in the middle of a motion.
 *
 * Thread rule: re-entrant; constant after arm_cubics_new.
 */
#ifndef ARMATURE_CORE_EXCITE_CUBICS_H
#define ARMATURE_CORE_EXCITE_CUBICS_H

#include "core/excite/limits.h"

/* Knots are whole multiples of this, in s, rad or m, and per s: what the protocol carries. */
#define ARM_CUBICS_UNIT 1e-6

/* Arrays are owned, column-major with leading dimension `count`. */
typedef struct {
  size_t n, count; /* joints; knots, 2 or more */
  size_t *row;     /* count      sample of the motion at a knot */
  double *t;       /* count      from 0, increasing [s] */
  double *q, *qd;  /* count x n  speed 0 at both ends */
} ArmCubics;

/* Every knot is a sample: the first, then the next one that is `least_s` later, and the last; a
 * rest shorter than that belongs to the segment before. The speeds of the first and the last sample
 * are taken for 0, as an arm begins and ends at rest.
 *   samples   >= 2
 *   t         samples      increasing
 *   q qd      samples x n  column-major, finite
 *   least_s   >= 2e-6      of a segment; 0.02 is usual: below, the rounding to units asks for
 *                          noticeable accelerations (6e-6/h^2)
 *   slowness  > 0          the motion takes so many times as long: 10 = a tenth of the speed
 * Free with arm_cubics_free (NULL allowed).
 * ARM_E_ARGUMENT: too few samples, time that does not increase, another number out of its range, or
 * n outside 1..32. ARM_E_NOT_FINITE: a number of the motion, or a time beyond 1e9 s.
 * ARM_E_MEMORY. *cubics is then untouched. */
ARM_MUST_CHECK ArmStatus arm_cubics_new(size_t n, size_t samples, const double *t, const double *q,
                                        const double *qd, double least_s, double slowness,
                                        ArmCubics **cubics);
void arm_cubics_free(ArmCubics *cubics);

/* From the first knot to the last [s]. */
double arm_cubics_duration(const ArmCubics *cubics);

/* Where all joints are at a time, before the beginning and after the end at rest there.
 *   q qd  n  out; qd may be NULL */
void arm_cubics_at(const ArmCubics *cubics, double t, double *q, double *qd);

/* Judges all segments: at most one violation per joint and quantity, joints first. To stop within
 * its range a joint must be able to from every knot; that counts as position.
 *   violations  3 n  `samples`: segments that are beyond; `worst`: the knot (from 0) at which the
 *                    one that is furthest beyond begins
 * Returns how many there are. limits->n must be cubics->n. */
size_t arm_cubics_violations(const ArmMotionLimits *limits, const ArmCubics *cubics,
                             ArmMotionViolation *violations);

/* Of one joint, from 0 on: what its speed and its acceleration never exceed at any time, the
 * bounds of the hull that arm_cubics_violations judges by.
 *   speed acceleration  out [rad or m, per s and per s^2] */
void arm_cubics_most(const ArmCubics *cubics, size_t joint, double *speed, double *acceleration);

/* The least slowness with which speed and acceleration stay within the limits: 1 or less = they do.
 * Positions do not depend on it. */
double arm_cubics_slowness(const ArmMotionLimits *limits, const ArmCubics *cubics);

/* A motion that touches the ends of a range at its samples goes beyond them in between, by a
 * little: divides the motion of each joint that does, but by no more than `most`, about the middle
 * of its range by what it is beyond.
 *   most  >= 1  of a joint that is further beyond nothing is changed */
void arm_cubics_shrink(const ArmMotionLimits *limits, double most, ArmCubics *cubics);

/* How far the samples that are no knots lie from the cubics: what a motion has between two knots
 * that a cubic does not follow.
 *   t q    as given to arm_cubics_new, with the same `slowness`
 *   worst  n  sample of each joint that is furthest off; may be NULL
 *   apart  n  how far [rad or m] */
void arm_cubics_apart(const ArmCubics *cubics, size_t samples, const double *t, const double *q,
                      double slowness, size_t *worst, double *apart);

#endif
