/* SPDX-License-Identifier: MIT */
/* What somebody's motion asks of each joint, beside its limits; what following it consists of; and
 * what its page says of where it stands. No widgets. */
#ifndef ARMATURE_UI_MOTION_FACTS_H
#define ARMATURE_UI_MOTION_FACTS_H

#include "session/recording.h"

/* Of one joint; [rad or m], per s, per s^2. */
typedef struct {
  double low, high;                     /* where it goes */
  double free_low, free_high;           /* what it is free to move in */
  double speed, acceleration;           /* the largest at any time, of what is followed */
  double speed_most, acceleration_most; /* its limits */
} AuiMotionFact;

/* facts: one per joint, out. */
void aui_motion_facts(const AseTrajectory *trajectory, const ArmMotionLimits *limits,
                      const AseEdits *edits, AuiMotionFact *facts);

/* A part of the way, for people. */
typedef struct {
  const char *text; /* static, translated */
  double duration_s;
} AuiMotionStage;
enum { AUI_MOTION_STAGES = 4 };

/* Of ase_session_preview_motion, at most AUI_MOTION_STAGES. Returns how many. */
guint aui_motion_stages(const AseItinerary *itinerary, AuiMotionStage *stages);

/* Where it stands. */
typedef struct {
  bool is_read_only, is_connected, can_follow, is_armed;
  bool has_motion,
      is_known;        /* is_known: it was recorded, or checked before arm or ranges changed */
  const char *reading; /* what is said of a file that is being read, to be followed in place of
                          what was; NULL: none is */
  AseStepState state;
  const char *unarmed; /* why it cannot be armed now; NULL: it can */
} AuiMotionStanding;

/* As it is shown: of a motion that is being read nothing is known yet. */
AseStepState aui_motion_state(const AuiMotionStanding *standing);
/* What stands in its way, and what to do about it; "": nothing. Translated; static, or `unarmed` or
 * `reading`. */
const char *aui_motion_missing(const AuiMotionStanding *standing);
/* Of the button that lets it move, with a mnemonic. Static, translated. */
const char *aui_motion_deed(const AuiMotionStanding *standing);

#endif
