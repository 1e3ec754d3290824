/* SPDX-License-Identifier: MIT */
/* What the arm does now, if it does anything: an itinerary, the runner that has it done, how long
 * it still takes, and the joints that somebody skipped.
 *
 * One at a time. It knows no steps and no file: what follows from a leg is its watcher's, who is
 * another one for the sweeps of a calibration than for somebody's motion. Everything in the thread
 * (and default main context) that made it.
 */
#ifndef ARMATURE_SESSION_MOTION_H
#define ARMATURE_SESSION_MOTION_H

#include "session/measure/runner.h"

typedef struct AseMotion AseMotion;

/* Who is told of the legs; all functions get `object` first, which is kept meanwhile. */
typedef struct {
  void (*leg_started)(gpointer object, guint leg);
  /* After the clock has begun: the part of the whole that is done, and the time left, as
   * ase_runner_left_s. NULL: not wanted. */
  void (*leg_timed)(gpointer object, double part, double left_s);
  void (*leg_ended)(gpointer object, guint leg, AseRun *run);
  /* Nothing moves any more, another motion may be started; as the runner's "stopped". */
  void (*stopped)(gpointer object, bool is_done, const char *reason);
} AseMotionWatch;

/* What is to be done. */
typedef struct {
  const ArmModel *model; /* borrowed, stays */
  AseItinerary *doing;   /* taken over, also on failure */
  guint end;             /* leg, not included; of legs after it nothing is done */
  guint ends_after;      /* remembered for the watcher: the joint because of which, 0: none */
  bool is_dry_run;       /* remembered for whoever asks */
  AseRunLog log;
  const AseMotionWatch *watch; /* static */
} AseMotionTask;

/* object: a GObject, kept while it is told something, but not otherwise.
 * tick: twice a second while the arm moves, and when a leg begins: the clock. */
AseMotion *ase_motion_new(AseDevice *device, gpointer object, void (*tick)(gpointer object));
void ase_motion_free(AseMotion *motion); /* NULL allowed */

/* Nothing may be going on. false: as ase_runner_start, and nothing is going on. Its signals may
 * come before it returns. */
bool ase_motion_start(AseMotion *motion, const AseMotionTask *task, GError **error);
/* How what moved last ended, as `stopped` tells it. */
AseEndKind ase_motion_ended_by(const AseMotion *motion);

/* Halts the arm; `stopped` follows. Arming stays. Nothing where nothing moves. */
void ase_motion_stop(AseMotion *motion);
/* The same without a word to anybody, and at once: the program ends. */
void ase_motion_abandon(AseMotion *motion);

bool ase_motion_is_on(const AseMotion *motion);
bool ase_motion_is_dry_run(const AseMotion *motion);
guint ase_motion_leg(const AseMotion *motion); /* 0 also where nothing is going on */
/* NULL: nothing is going on. Borrowed. */
const AseItinerary *ase_motion_doing(const AseMotion *motion);
guint ase_motion_ends_after(const AseMotion *motion); /* also after the end */

/* ---- skipping ---- */

/* Another step begins: nothing of it is skipped. */
void ase_motion_skip_none(AseMotion *motion);
/* Stops, to go on without the joint that moves. false: none does, or all is being stopped, which
 * nothing turns into going on. */
bool ase_motion_skip(AseMotion *motion);
/* Is that why it stopped? It is forgotten when it is stopped for good, or asked. */
bool ase_motion_take_skipping(AseMotion *motion);
/* Of this joint, from 1; 0: of none. */
bool ase_motion_is_skipped(const AseMotion *motion, guint joint);

/* ---- the time that is left ---- */

/* By the clock on the wall, in the speed of the arm. */
typedef struct {
  double part;       /* 0..1 of what is done this time */
  double whole_s;    /* of that, estimated */
  double left_s;     /* of that */
  double leg_left_s; /* of the leg that runs; 0: it takes longer than estimated */
} AseTimeLeft;

/* false: nothing moves; then all 0. */
bool ase_motion_time_left(const AseMotion *motion, AseTimeLeft *out);

/* Arm time as time on the wall [s]: a simulated arm may be faster. Without an arm the same. */
double ase_motion_wall_s(const AseMotion *motion, double arm_s);

#endif
