/* SPDX-License-Identifier: MIT */
/* What a joint is declared free to do: one end of it, as a number that is typed. */
#ifndef ARMATURE_UI_FREE_RANGE_H
#define ARMATURE_UI_FREE_RANGE_H

#include "io/arm/arm_file.h"
#include "session/edits.h"

/* In deg (or rad, as angles are shown) or m, in the locale's way. g_free. */
char *aui_free_text(const AioArm *arm, const AseEdits *edits, size_t joint, bool is_high);

/* Changes `edits`. false with AIO_ERROR_MEANING, which names joint, what was expected (the arm's
 * limits; an R joint without: 180 deg) and what was found; edits untouched. */
bool aui_free_set(const AioArm *arm, AseEdits *edits, size_t joint, bool is_high, const char *text,
                  GError **error);

#endif
