/* SPDX-License-Identifier: MIT */
/* Somebody's motion that is followed: what was taken, how far it is, and what came of it and of
 * those before (session/record/followed.h). It knows no session and no arm that moves: whether it
 * may begin, and what is written into the file, is its owner's. One thread at a time. */
#ifndef ARMATURE_SESSION_FOLLOWING_H
#define ARMATURE_SESSION_FOLLOWING_H

#include "io/recording/motion.h"
#include "session/measure/candidate.h"
#include "session/measure/runs.h"
#include "session/procedure.h"
#include "session/record/followed.h"

/* Of one joint, as it was measured: how far it went [rad or m], and how fast at least in three
 * samples on end [rad/s or m/s], as one alone may be noise. lowest > highest: nothing is known, as
 * of what an earlier program recorded. */
typedef struct {
  double lowest, highest, fastest;
} AseReach;

typedef struct {
  AseStepState state; /* WAITING: there is no motion; READY; RUNNING; PASSED; FAILED. The last two
                         also of what an earlier program recorded, until a motion is taken */
  const char *motion; /* how messages call it; NULL: there is none. Borrowed */
  char *reason;       /* what was recorded, or why it failed; "": none. READY: what was recorded of
                         this motion before. Borrowed */
  bool is_dry_run;    /* while it runs: slowly */
  double slowness;    /* of the motion itself: more than 1 where its limits asked for it */
  /* of the motion as it was recorded last */
  gsize samples;
  guint64 lost;
  double apart[ARM_MAX_JOINTS]; /* farthest from where it was to be [rad or m] */
  AseReach reach[ARM_MAX_JOINTS];
  /* of the motion that was taken: what lies between rows too far apart, as aio_motion_hole_said;
   * NULL: nothing. Borrowed */
  char *guess;
} AseRecordingState;

typedef struct AseFollowing AseFollowing;

AseFollowing *ase_following_new(void);
void ase_following_free(AseFollowing *following); /* NULL allowed */
/* Borrowed, never NULL, stays. */
const AseRecordingState *ase_following_told(const AseFollowing *following);

/* ---- what is to be followed ---- */

/* Checked, in place of what was before; what was made of it is taken out of it. */
void ase_following_take(AseFollowing *following, AseCandidate *candidate);
/* Of which design it is, from 1; taken anew, 0: of none. */
void ase_following_number(AseFollowing *following, guint design);
guint ase_following_design(const AseFollowing *following);
/* The arm or its ranges are others now. */
void ase_following_outdate(AseFollowing *following);
/* false with AIO_ERROR_REFUSED: nothing was taken; or it is out of date. */
bool ase_following_is_ready(const AseFollowing *following, GError **error);
/* Also out of date. NULL: nothing was taken. Borrowed. */
AseTrajectory *ase_following_trajectory(const AseFollowing *following);

/* ---- while it is followed ---- */

/* Runs of the file that count no more, as it is recorded again; 0: none. */
typedef struct {
  gint64 whole, unfinished;
} AseFollowedBefore;

/* It is ready, and begins. */
AseFollowedBefore ase_following_begin(AseFollowing *following);
/* It could not, after all: they do count. reason: a sentence of io/base/said, as below. */
void ase_following_take_back(AseFollowing *following, const AseFollowedBefore *before,
                             const char *reason);
void ase_following_enter_leg(AseFollowing *following, const AseLeg *leg);
/* `leg` is one along the motion, and its run has ended. Reads its samples.
 *   connection  of the controller, as ase_contact_connections */
void ase_following_leave_leg(AseFollowing *following, const AseLeg *leg, const AseRun *run,
                             guint connection);
/* Slowly, to the end, in this connection; it need not be done again. */
bool ase_following_has_dry_run(const AseFollowing *following, guint connection);
void ase_following_end(AseFollowing *following, bool is_done, const char *reason);
/* The program ends; false: nothing was being followed. */
bool ase_following_abandon(AseFollowing *following);
/* "20 s, 2001 samples, 0 lost, within 0.31 deg of the motion", a sentence of io/base/said. g_free.
 */
char *ase_following_said(const AseFollowing *following, const ArmModel *model);

/* ---- what the file remembers ---- */

/* What the text of the steps says of motions that were followed; false: as ase_followed_from_json.
 */
bool ase_following_recall(AseFollowing *following, const char *steps, GError **error);
/* A run of the file, of a motion, that counts; whole or not: then no more when one is recorded. */
void ase_following_meet_run(AseFollowing *following, gint64 run, bool is_whole);
/* For that text; NULL: none was followed. g_free. */
char *ase_following_to_json(const AseFollowing *following, gsize joints);
/* The motion that was followed last, and what came of it; NULL: none was. Borrowed. */
const AseFollowed *ase_following_last(const AseFollowing *following);
/* Is it that one, or was none? What `calibrate --full` designed does not count. false with
 * AIO_ERROR_REFUSED, naming both: it is another one. */
bool ase_following_is_same(const AseFollowing *following, const AioMotionTable *motion,
                           GError **error);

#endif
