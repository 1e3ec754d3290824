/* SPDX-License-Identifier: MIT */
/* A session from the recording of the demonstration, for tests without an arm. */
#ifndef ARMATURE_TESTS_UI_RECORDED_H
#define ARMATURE_TESTS_UI_RECORDED_H

#include "io/recording/recording.h"
#include "session/session.h"

typedef struct {
  char *folder;
  AseSession *session;
} Recorded;

/* arm: an arm file of the source tree; NULL: that of the demonstration, which no simulator can be.
 */
void recorded_init(Recorded *recorded, const char *arm);
/* Only this joint (from 1) has been recorded. */
void recorded_init_joint(Recorded *recorded, guint joint);
/* Changed before it is imported. */
void recorded_init_changed(Recorded *recorded, void (*change)(AioRecording *recording));
/* Both. */
void recorded_init_of(Recorded *recorded, const char *arm, void (*change)(AioRecording *recording));
void recorded_clear(Recorded *recorded);
/* Does a step and waits for its end: has it passed? */
bool recorded_try(Recorded *recorded, AseStep step);
/* ... which it must. */
void recorded_do(Recorded *recorded, AseStep step);

#endif
