/* SPDX-License-Identifier: MIT */
/* How often the truth lies inside the intervals of a fit, how wide they are beside how much its
 * estimates scatter, and the same of a fit whose samples count alike. */
#ifndef ARMATURE_TESTS_INTERVALS_H
#define ARMATURE_TESTS_INTERVALS_H

#include <stddef.h>

#include "support/faulty.h"

typedef enum {
  INTERVALS_K_STAR,
  INTERVALS_RATIOS, /* of neighbours */
  INTERVALS_COULOMB,
  INTERVALS_CLASSES
} IntervalsClass;

/* Of one class of parameters. */
typedef struct {
  size_t given;   /* parameters that were given, over all recordings */
  double covered; /* part of them whose truth lies within 1.96 sd */
  double in_2sd, in_5sd;
  double width;      /* median of sd over the rms error of the parameter's weighed estimates */
  double mean_width; /* median of each parameter alone, their mean */
  double error;      /* rms error over that of the weighed estimates, mean of parameters */
} Intervals;

typedef struct {
  size_t recordings, failed, alarms; /* alarms: recordings with an alarm of gravity */
  Intervals weighed[INTERVALS_CLASSES], equal[INTERVALS_CLASSES];
} IntervalsResult;

/* Seeds first .. first + count - 1. False: out of memory, or the truth was not found. Recordings
 * without an alarm of gravity are left out where `alarmed_only`. */
bool intervals_run(FaultyArm arm, const Faulty *faulty, uint64_t first, size_t count,
                   bool alarmed_only, IntervalsResult *result);

#endif
