/* SPDX-License-Identifier: MIT */
/* What a motion does not show, in words, and what broke a limit. */
#ifndef ARMATURE_IO_EXCITATION_TEXT_H
#define ARMATURE_IO_EXCITATION_TEXT_H

#include <glib.h>

#include "core/excite/check.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmExcitation, arm_excitation_free)

/* "XXR2 - 0.31 ZZ3": the parameters that change together along weakest[d], those that it matters
 * to most; "and 3 more" when there are many. g_free it. */
char *aio_excitation_direction(const ArmBase *base, const ArmExcitation *excitation, gsize d);

/* "joints 2 and 3 at once, at up to 1.2 and 2 rad/s": what would show it. g_free it. */
char *aio_excitation_motion(const ArmModel *model, const ArmMotionLimits *limits,
                            const ArmWeakDirection *direction);

/* "position", "speed", "acceleration": for files. Static. */
const char *aio_motion_quantity(ArmMotionQuantity quantity);
/* "rad/s": of a joint. Static. */
const char *aio_motion_unit(ArmJointType type, ArmMotionQuantity quantity);

#endif
