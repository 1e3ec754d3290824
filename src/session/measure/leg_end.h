/* SPDX-License-Identifier: MIT */
/* How a leg ended: a kind, which decides what follows, and for some kinds what is to be said of it.
 */
#ifndef ARMATURE_SESSION_LEG_END_H
#define ARMATURE_SESSION_LEG_END_H

#include <glib.h>
#include <stdbool.h>

#include "io/driver/driver.h"

typedef enum {
  ASE_END_DONE,
  /* by somebody's wish, or as the controller says */
  ASE_END_PAUSED,
  ASE_END_HELD,
  ASE_END_KILLED,
  ASE_END_FAULT, /* said: which; NULL: not told yet */
  ASE_END_CURRENT,
  ASE_END_UNDERRUN,
  ASE_END_DISPLACED,
  ASE_END_DISARMED,
  ASE_END_UNKNOWN,
  /* as this program sees it */
  ASE_END_RESTARTED,
  ASE_END_CLOSED,
  ASE_END_SILENT, /* it does not answer */
  ASE_END_CEASED, /* no samples come, though it answers; said: for how long */
  ASE_END_LATE,
  ASE_END_LOST,    /* the link; from here on said: why */
  ASE_END_REFUSED, /* by the controller, or nobody knows whether it began */
  ASE_END_HALTED,  /* by this program, amid it */
  ASE_END_DOUBTED, /* the samples speak against it, whatever the controller says */
  ASE_ENDS
} AseEndKind;

typedef struct {
  AseEndKind kind;
  char *said; /* a sentence of io/base/said, or plain text; NULL: the kind is all */
} AseLegEnd;

/* What the controller reported. NONE: unknown. */
AseEndKind ase_end_kind(AioMotionEnd end);

/* The sentence, for people: "" if it is done. Borrowed. */
const char *ase_leg_end_said(const AseLegEnd *end);

/* Takes `said`, which may be NULL; what was there is freed. */
void ase_leg_end_set(AseLegEnd *end, AseEndKind kind, char *said);
void ase_leg_end_clear(AseLegEnd *end); /* done */

#endif
