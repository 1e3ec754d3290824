/* SPDX-License-Identifier: MIT */
/* What is next in a calibration: the one answer for screen and command line. */
#ifndef ARMATURE_SESSION_NEXT_H
#define ARMATURE_SESSION_NEXT_H

#include "session/session.h"

typedef enum {
  ASE_NEXT_CONNECT,
  ASE_NEXT_OTHER_ARM, /* the controller is not that of the arm file, or cannot do this */
  ASE_NEXT_CHECK,
  ASE_NEXT_CONFIGURE,
  ASE_NEXT_PLAN,
  ASE_NEXT_CLEAR, /* what is latched, before arming */
  ASE_NEXT_ARM,
  ASE_NEXT_DRY_RUN,
  ASE_NEXT_SWEEP,
  ASE_NEXT_FIT,
  ASE_NEXT_MISFIT,  /* why the model does not fit: fitted again, the same rows do not fit again */
  ASE_NEXT_NOT_FIT, /* why the fit failed otherwise */
  ASE_NEXT_VALIDATE,
  ASE_NEXT_LOOK, /* why validation failed */
  ASE_NEXT_EXPORT,
  ASE_NEXT_UNJUDGED, /* exported, and not all of the fit could be judged */
  ASE_NEXT_DONE,
  ASE_NEXT_WAIT, /* something runs */
  ASE_NEXTS
} AseNext;

/* What the steps do not tell: of the session, and of who asks. */
typedef struct {
  bool is_armed;          /* and may move: who has not given leave yet counts it as not armed */
  bool has_faults;        /* latched: they are cleared before the arm is checked or armed */
  bool is_recording;      /* somebody's motion is followed, which is no step */
  bool has_no_validation; /* no hold was planned that only judges the fit: there is nothing for
                             VALIDATE to judge by */
  bool wants_connection;  /* a port is given and not connected yet: that comes first, whatever the
                             steps say of another connection, or of a recording */
  bool wants_sweeps; /* what is out of date before sweeps that have passed is done again first, the
                        plan and the dry run; else these are fitted as they are */
  bool only_plans;   /* nothing is to move: with a plan it is done */
  bool tries_again;  /* a fit that failed, and a validation, are of an earlier program: each is done
                        once more, before anybody looks at what came of it */
  const ArmVerdict *verdict; /* of the fit; NULL: there is none */
} AseNextFacts;

AseNext ase_procedure_next(const AseProcedure *procedure, const AseNextFacts *facts);

/* What a session as it stands tells of itself; of who asks: a screen, nothing is wanted. */
void ase_session_next_facts(AseSession *session, AseNextFacts *facts);

/* By these facts: for a screen, sweeps that have passed are fitted as they are. */
AseNext ase_session_next(AseSession *session);

#endif
