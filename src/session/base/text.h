/* SPDX-License-Identifier: MIT */
/* Texts for people, in their language where one is bound to the domain "armature"; _said: as
 * sentences of io/base/said, for what is kept. */
#ifndef ARMATURE_SESSION_TEXT_H
#define ARMATURE_SESSION_TEXT_H

#include <glib.h>

#include "core/arm/model.h"
#include "core/arm/structure.h"
#include "core/base/status.h"
#include "core/sweeps/verdict.h"

/* What the core says in English. Static; "" for ARM_REASON_NONE. */
const char *ase_reason_text(ArmReason reason);
const char *ase_status_text(ArmStatus status);
const char *ase_reason_said(ArmReason reason);
const char *ase_status_said(ArmStatus status);

/* Why it cannot be told whether the model fits a joint, and what to record; "" for nothing.
 * g_free. */
char *ase_untold_text(const ArmJointVerdict *verdict);
char *ase_untold_said(const ArmJointVerdict *verdict);

/* "-100 to 100 deg", "12.5 deg"; of a T joint in m. g_free. */
char *ase_range_text(ArmJointType type, double low, double high);
char *ase_range_said(ArmJointType type, double low, double high);
char *ase_position_said(ArmJointType type, double q);

/* Rounded to tenths for "%.1f", which writes -0.04 as -0.0. */
double ase_text_tenths(double value);

/* As much of a text as fits into `size` bytes with the final NUL, never half a character, on one
 * line: what would be obeyed, line ends too, is written out (io/base/safe_text.h). */
void ase_text_copy(char *out, gsize size, const char *text);

/* A reason as it is kept, interned: a sentence of more than 4000 bytes stays one, with less in it;
 * of a text that is longer the first 400 are. NULL for none. */
const char *ase_reason_keep(const char *reason);

#endif
