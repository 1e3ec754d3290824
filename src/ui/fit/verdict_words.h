/* SPDX-License-Identifier: MIT */
/* Whether the model fits, in a technician's words and in the user's language. Without widgets;
 * g_free what is not const. */
#ifndef ARMATURE_UI_VERDICT_WORDS_H
#define ARMATURE_UI_VERDICT_WORDS_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/ident.h"

/* Has any test alarmed, so that there is something to look for the cause of? */
bool aui_verdict_has_alarm(const ArmGravityFit *fit);

/* One sentence for the whole arm: "The model does not fit joint 1 (and 4 more): gravity misses by
 * 84 mA rms where 0.9 mA were promised, .." "" without a verdict. */
char *aui_verdict_summary(const ArmGravityFit *fit);

/* Of joint i (from 0): "fits", "does not fit", "cannot be told". */
const char *aui_verdict_name(const ArmJointVerdict *verdict);

/* The same in a sentence, with what to do; "" where it fits and nothing is to be said. */
char *aui_verdict_joint(const ArmGravityFit *fit, size_t i);

/* "joint 3", "joint 3 (and 2 more)"; joint from 0. */
char *aui_verdict_joints(size_t joint, guint more);

/* Where the fit has no misfit, but its validation has failed. Contradicted: by more than the fit
 * promised (ase_session_is_contradicted). Static. */
const char *aui_verdict_held_out(bool is_contradicted);

#endif
