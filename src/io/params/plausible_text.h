/* SPDX-License-Identifier: MIT */
/* What cannot be, or hardly, in a recording and its fit, in words: what was expected, what was
 * found, what to do. */
#ifndef ARMATURE_IO_PLAUSIBLE_TEXT_H
#define ARMATURE_IO_PLAUSIBLE_TEXT_H

#include <glib.h>

#include "core/sweeps/plausible.h"

/* Of one doubt; `type` of its joint. Numbers in the thread's locale. g_free it. */
char *aio_doubt_text(const ArmDoubt *doubt, ArmJointType type);

#endif
