/* SPDX-License-Identifier: MIT */
/* A doubt about a recording in a sentence, in the user's language. */
#ifndef ARMATURE_SESSION_DOUBT_TEXT_H
#define ARMATURE_SESSION_DOUBT_TEXT_H

#include "core/sweeps/plausible.h"

/* "Joint 3: its position changes 57.3 times as fast as its speed says: is the speed in deg/s ..?"
 * g_free. Only of the kinds that are severe (arm_doubt_is_severe); "" of the others. */
char *ase_doubt_text(const ArmDoubt *doubt);
/* The same as a sentence of io/base/said. */
char *ase_doubt_said(const ArmDoubt *doubt);

#endif
