/* SPDX-License-Identifier: MIT */
/* A hole in a motion: two rows much farther apart than the others. A controller goes from one to
 * the other along a cubic, within all limits, but nobody has said that the motion did. */
#ifndef ARMATURE_IO_MOTION_HOLE_H
#define ARMATURE_IO_MOTION_HOLE_H

#include "io/recording/motion.h"

/* A step longer than so many usual ones is a hole. Chosen: a few rows that were lost are not. */
#define AIO_HOLE_STEPS 5.0
/* A joint at rest on both sides that moves no farther over it [rad; m] has rested. */
#define AIO_HOLE_APART 1e-4

typedef struct {
  gsize row;      /* the one before it */
  double step_s;  /* from there to the next */
  double usual_s; /* the median of all steps, the longer one of the middle two */
  gsize others;   /* more of them, none of which is longer */
} AioMotionHole;

/* The longest hole. Where all joints rest over it (AIO_MOTION_REST) it is none, for nothing is left
 * to guess. false: none; also where the motion is of no file, as it is sampled evenly then, or the
 * memory does not suffice to tell. */
bool aio_motion_find_hole(const AioMotionTable *motion, AioMotionHole *hole);

/* What there is to say of it, a sentence of io/base/said: file, line, time, length, the usual step,
 * and how many more there are. NULL: nothing. g_free. */
char *aio_motion_hole_said(const AioMotionTable *motion);

#endif
