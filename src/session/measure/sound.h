/* SPDX-License-Identifier: MIT */
/* Which samples of a run are sound, exclusions aside: what a controller said of each, gaps beside
 * it, and whether the joint had settled at its speed.
 */
#ifndef ARMATURE_SESSION_SOUND_H
#define ARMATURE_SESSION_SOUND_H

#include "session/measure/runs.h"

/* By the sample alone: USED, FAULT or CLIPPED.
 *   current  of the joint that sweeps [A] */
AseSampleUse ase_sound_of_sample(const ArmModel *model, const AseRun *run, guint16 flags,
                                 double current);

/* By the samples around it, too.
 *   t, qd  rows: time [s], speed of the joint that sweeps [rad/s or m/s]
 *   gaps   of gsize, rows that come after one
 *   sound  rows: by the sample alone; changed */
void ase_sound_of_run(const AseRun *run, const double *t, const double *qd, gsize rows,
                      const GArray *gaps, guint8 *sound);

/* USED or NOT_SETTLED, and within an exclusion of that run.
 *   q, qd  of the joint that sweeps */
bool ase_sound_is_excluded(AseSampleUse sound, gint64 run, double q, double qd,
                           const GArray *exclusions);

#endif
