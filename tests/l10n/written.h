/* SPDX-License-Identifier: MIT */
/* A calibration of the planar arm with what may go wrong: held, paused, skipped, a stalled joint, a
 * controller that restarts, a lost cable, not all joints swept; an upload that is refused, one that
 * is proved and taken back; motions of somebody's: held, recorded, stalled. */
#ifndef ARMATURE_TESTS_L10N_WRITTEN_H
#define ARMATURE_TESTS_L10N_WRITTEN_H

#include "session/bench.h"

/* In the language of now.
 *   note  after each of it, before its words are gone; NULL: not asked for */
void written_session(Bench *bench, void (*note)(Bench *bench));

/* Makes what was fitted in it out of date. */
void written_edit(Bench *bench);

#endif
