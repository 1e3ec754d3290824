/* SPDX-License-Identifier: MIT */
/* Sweeps out of a recording that was made without a session. */
#ifndef ARMATURE_SESSION_RECORDED_H
#define ARMATURE_SESSION_RECORDED_H

#include "io/recording/recording.h"
#include "session/measure/runs.h"

/* Cuts a recording into runs of at most one pass to and one fro: another joint, another pose of the
 * held joints, a gap in time or another speed begins a new one. Poses count as holds in the order
 * in which they come, speeds within 5 % as one. Rows in which no joint moves belong to no run, nor
 * does what goes no farther than a joint may that is held (1 deg, 5 mm); what is not
 * used for another reason is decided when it is fitted.
 *   held_out  part of the sweeps, 0 to 0.5, that get the purpose VALIDATE: of each joint and hold
 *             with at least three, neither the first nor the last
 * The runs have the ids 1, 2, ... Of AseRun, g_ptr_array_unref. NULL: AIO_ERROR_REFUSED, a joint
 * was recorded as torque; AIO_ERROR_NOT_FOUND, no joint ever moves; AIO_ERROR_MEMORY. */
GPtrArray *ase_recorded_runs(const AioRecording *recording, double held_out, GError **error);

/* Decides anew which of its runs are held out. */
void ase_recorded_hold_out(const GPtrArray *runs, double held_out);

#endif
