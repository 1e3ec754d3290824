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

/* What the steps do not tell. */
typedef struct {
  bool is_armed;     /* or whoever asks arms by itself, before what moves */
  bool has_faults;   /* latched: they are cleared before the arm is checked or armed */
  bool wants_sweeps; /* what is out of date before sweeps that have passed is done again first, the
                        plan and the dry run; else these are fitted as they are */
  const ArmVerdict *verdict; /* of the fit; NULL: there is none */
} AseNextFacts;

AseNext ase_procedure_next(const AseProcedure *procedure, const AseNextFacts *facts);

/* Of a session as it stands, for a screen: sweeps that have passed are fitted as they are. */
AseNext ase_session_next(AseSession *session);

#endif
