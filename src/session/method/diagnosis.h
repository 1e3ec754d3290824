/* SPDX-License-Identifier: MIT */
/* How far the search for the cause of a misfit is, and what it has found. */
#ifndef ARMATURE_SESSION_DIAGNOSIS_H
#define ARMATURE_SESSION_DIAGNOSIS_H

#include "core/sweeps/diagnose.h"

typedef enum {
  ASE_DIAGNOSIS_NONE, /* not looked for, or not since arm, samples or fit have changed */
  ASE_DIAGNOSIS_RUNNING,
  ASE_DIAGNOSIS_DONE,
  ASE_DIAGNOSIS_FAILED
} AseDiagnosisState;

enum { ASE_DIAGNOSIS_REASON_BYTES = 256 };

typedef struct {
  AseDiagnosisState state;
  double part;                             /* 0..1, while it runs */
  char reason[ASE_DIAGNOSIS_REASON_BYTES]; /* why it has failed */
  bool is_together;    /* of the sweeps of the fit and of the validation, not of the fit alone */
  bool is_misfit;      /* when done: these sweeps have a misfit; else friction is off at most */
  ArmDiagnosis causes; /* when done */
} AseDiagnosis;

#endif
