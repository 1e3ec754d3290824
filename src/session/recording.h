/* SPDX-License-Identifier: MIT */
/* Somebody's motion, followed and recorded: what a session does instead of the sweeps of a plan.
 *
 * The motion is checked against the limits of arm and controller, then done slowly, then as it is;
 * all samples are in the session's file, those of the motion itself in runs of the kind
 * "trajectory". States and reasons are here, beside the steps of a calibration, of which CONNECT,
 * DESCRIBE and CHECK are used; the session's file remembers which motions were followed, and what
 * came of each. Signals are those of the session: "changed", "leg", "clock", "progress", "message".
 */
#ifndef ARMATURE_SESSION_RECORDING_H
#define ARMATURE_SESSION_RECORDING_H

#include "io/recording/motion.h"
#include "session/following.h"
#include "session/session.h"

/* Borrowed, valid until "changed"; never NULL. */
const AseRecordingState *ase_session_record_state(AseSession *session);

/* What was taken and is to be followed. NULL: nothing; or arm or ranges have changed since it was
 * checked, and it is to be taken again. Borrowed, valid until "changed". */
const AseTrajectory *ase_session_motion_to_follow(AseSession *session);

/* What a motion is held to: the limits of the controller, as far as one is connected that states
 * them, else of the arm file. false with AIO_ERROR_REFUSED: the arm file does not state one. */
bool ase_session_motion_limits(AseSession *session, ArmMotionLimits *limits, GError **error);

/* The legs that ase_session_record would do now, from where the arm stands; where that is not
 * known, from where the motion begins. ase_itinerary_free. NULL with AIO_ERROR_REFUSED: there is no
 * motion, arm or ranges have changed since it was checked, or it leaves what is free. */
AseItinerary *ase_session_preview_motion(AseSession *session, GError **error);

/* Is it the motion that was followed in this session last, or was none? What `calibrate --full`
 * designed does not count. false with AIO_ERROR_REFUSED, naming both: it is another one. */
bool ase_session_is_same_motion(AseSession *session, const AioMotionTable *motion, GError **error);

/* What is to be followed, in place of what was before. `current_part` of each joint's limit of
 * current is what it may have on the way. A hole in it (io/recording/motion_hole.h) is told as a
 * message, and by ase_session_record_state.
 * false with AIO_ERROR_REFUSED: what aio_motion_follow reports, of the arm file's limits and, once
 * one is connected, of the controller's; a limit is missing; the controller follows no
 * trajectories; the session is read only, or the arm moves. AIO_ERROR_MEANING, AIO_ERROR_MEMORY: as
 * there. */
bool ase_session_take_motion(AseSession *session, const AioMotionTable *motion, double current_part,
                             GError **error);

/* The same in steps, for a long motion: asked for here, checked in any thread by
 * ase_candidate_check, then taken. NULL as ase_session_motion_limits. ase_candidate_free. */
AseCandidate *ase_session_motion_candidate(AseSession *session, double current_part,
                                           GError **error);
/* Takes what was made out of a candidate that was checked. false with AIO_ERROR_REFUSED, which does
 * not name the motion: what arm and controller state has changed since it was asked for; a
 * controller without trajectories, a session that is read only, an arm that moves, as above. */
bool ase_session_take_candidate(AseSession *session, AseCandidate *candidate, GError **error);

/* Of which design the motion that was taken is, from 1; a run that follows it to its end says so in
 * the file, by the statistic below. Until then 0: of none. */
#define ASE_STATISTIC_DESIGN "design"
void ase_session_number_motion(AseSession *session, guint design);

/* The run in the session's file of the motion that was recorded last, if it is whole and counts; 0:
 * there is none. */
gint64 ase_session_recorded_run(AseSession *session);

/* Waits until what was recorded is in the session's file, and can be read there. false: what the
 * disk objects. */
bool ase_session_flush(AseSession *session, GError **error);

/* To its first pose, along it at a tenth of the speed, back, and along it as it is. After a halt it
 * begins with the first of these that was not done; a dry run is done again after another
 * connection or CHECK. Recorded already, it is recorded again, and the earlier run counts no more,
 * of an earlier program either; runs of other motions stay as they are. false with
 * AIO_ERROR_REFUSED: no motion, not armed, it leaves what is free, no room on the disk, something
 * else runs. */
bool ase_session_record(AseSession *session, GError **error);

#endif
