/* SPDX-License-Identifier: MIT */
/* The current limit of a trajectory, which has none of its own in the protocol: watched here, in
 * what the controller tells. The rule is the controller's own, 20 ms above the limit without a
 * sample below; what follows comes later by a chunk (20 ms) and the main loop. */
#ifndef ARMATURE_SESSION_CURRENT_WATCH_H
#define ARMATURE_SESSION_CURRENT_WATCH_H

#include "session/measure/runs.h"

enum { ASE_CURRENT_US = 20000 };

typedef struct {
  guint64 since_us[ARM_MAX_JOINTS]; /* above its limit without a break; 0: it is not */
} AseCurrentWatch;

/* Looks at the samples of a chunk that belong to the run. Joint (from 1) that is beyond its limit,
 * 0: none.
 *   limits  joints of the chunk  [A]; NAN: not watched
 *   found   out: its current; untouched where there is none */
guint ase_current_watch(AseCurrentWatch *watch, const AseRun *run, const AioChunk *chunk,
                        const double *limits, double *found);

#endif
