/* SPDX-License-Identifier: MIT */
/* A session from the recording of a PUMA 560 of which everything is known, sound or with one thing
 * wrong (support/faulty.h). Its arm file is data/robots/puma560.arm.json. */
#ifndef ARMATURE_TESTS_SESSION_MISFIT_H
#define ARMATURE_TESTS_SESSION_MISFIT_H

#include "session/session.h"
#include "support/faulty.h"

typedef struct {
  char *folder;
  AseSession *session;
} Misfit;

void misfit_init(Misfit *misfit, const Faulty *faulty);
/* Its base leans by 2 deg. */
void misfit_init_tilt(Misfit *misfit);
/* A payload of 0.5 kg in the last hold, which is held out: the fit has no misfit. */
void misfit_init_held_out(Misfit *misfit);
void misfit_clear(Misfit *misfit);

/* Runs the main loop until the step has ended; its state then. */
AseStepState misfit_do(Misfit *misfit, AseStep step);

/* The same until the diagnosis has. */
const AseDiagnosis *misfit_diagnose(Misfit *misfit);

#endif
