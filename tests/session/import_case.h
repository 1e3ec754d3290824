/* SPDX-License-Identifier: MIT */
/* The recording of the demonstration as a session, for tests without an arm. */
#ifndef ARMATURE_TESTS_SESSION_IMPORT_CASE_H
#define ARMATURE_TESTS_SESSION_IMPORT_CASE_H

#include "io/recording/recording.h"
#include "session/session.h"

#define PROGRAM "test 1"

typedef struct {
  char *folder, *path, *arm_text;
  AioArm *arm;
  AioRecording *recording;
  AseSession *session;
} Case;

/* Its files are loaded: they may be changed before case_import. */
void case_init(Case *c);
void case_import(Case *c);
void case_clear(Case *c);

AseStepState case_state(const Case *c, AseStep step);
/* Does a step and waits for its end... */
const AseStepInfo *case_finish(Case *c, AseStep step);
/* ...which it must pass. */
void case_do(Case *c, AseStep step);

/* Bytes of the session's file, which is closed, wherever they stand there; of the same length. */
void case_spoil(const Case *c, const char *from, const char *to);

#endif
