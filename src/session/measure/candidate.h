/* SPDX-License-Identifier: MIT */
/* A motion before a session takes it: held to what arm and controller stated when the session was
 * asked (ase_session_motion_candidate). All that grows with its length is done here, in any thread,
 * so that taking it costs next to nothing: an armed arm waits for a sign of life meanwhile. */
#ifndef ARMATURE_SESSION_CANDIDATE_H
#define ARMATURE_SESSION_CANDIDATE_H

#include "core/excite/limits.h"
#include "io/recording/motion.h"
#include "session/measure/trajectory.h"

typedef struct {
  /* what it is held to */
  ArmModel model;
  char *arm_name;
  ArmMotionLimits arm, controller;
  double table_z_m; /* NAN: none */
  bool has_controller;
  double longest_s; /* segment to begin with; AIO_FOLLOW_SEGMENT_S or more */
  double current_part;
  /* what was made of it; owned */
  AseTrajectory *trajectory; /* NULL: it was not checked, or refused */
  double slowness;
  char *digest; /* aio_motion_digest */
  char *guess;  /* aio_motion_hole_said */
} AseCandidate;

/* Once, of a motion of as many joints as the arm has. false with what aio_motion_follow or
 * aio_motion_is_clear report, which name the motion. */
bool ase_candidate_check(AseCandidate *candidate, const AioMotionTable *motion, GError **error);
/* Are both held to the same? */
bool ase_candidate_is_same(const AseCandidate *a, const AseCandidate *b);
void ase_candidate_free(AseCandidate *candidate); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AseCandidate, ase_candidate_free)

#endif
