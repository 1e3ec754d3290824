/* SPDX-License-Identifier: MIT */
/* Can an arm follow a motion? What a controller would follow is made of the file and held to limits
 * at all times, before anything moves. */
#ifndef ARMATURE_IO_MOTION_FOLLOW_H
#define ARMATURE_IO_MOTION_FOLLOW_H

#include "core/excite/cubics.h"
#include "io/recording/motion.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmCubics, arm_cubics_free)

/* Shortest segment [s], in the time of the motion as it is to be followed: the usual one. */
#define AIO_FOLLOW_SEGMENT_S 0.02
/* A motion begins and ends at rest. */
#define AIO_FOLLOW_REST      AIO_MOTION_REST
/* So far may the file be from the cubics between its samples [rad; m]. */
#define AIO_FOLLOW_APART_R   1.7453292519943295e-3 /* 0.1 deg */
#define AIO_FOLLOW_APART_T   1e-4
/* A motion that uses all of its limits is beyond them between its samples by a little; it is
 * followed slower by at most this. */
#define AIO_FOLLOW_SLOWNESS  1.01

/* One that touches the ends of a range goes beyond them by at most this factor, and is made smaller
 * by what that is, within the distance above. */
#define AIO_FOLLOW_SHRINK 1.001

/* The motion as a controller follows it.
 *   limits    of the arm, or of the controller
 *   whose     "the arm file", for messages
 *   segment_s shortest segment, AIO_FOLLOW_SEGMENT_S or more
 *   slowness  in, out: so many times as long as the file says it takes; made larger where that is
 *             needed, but no larger than AIO_FOLLOW_SLOWNESS
 * NULL with AIO_ERROR_REFUSED, naming file, line, column, what was expected and what found, when
 * no joint moves, the motion does not begin and end at rest, a sample is beyond a limit (speeds and
 * accelerations where the file states them), what lies between two segments' ends is no cubic, or a
 * segment is beyond a limit, if only between two samples. AIO_ERROR_MEANING: it is shorter than
 * anything that can be followed. AIO_ERROR_MEMORY. Free with arm_cubics_free. */
ArmCubics *aio_motion_follow(const AioMotionTable *motion, const ArmModel *model,
                             const ArmMotionLimits *limits, const char *whose, double segment_s,
                             double *slowness, GError **error);

#endif
