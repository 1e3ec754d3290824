/* SPDX-License-Identifier: MIT */
/* Shared by evidence.c and evidence_steady.c only. */
#ifndef ARMATURE_SESSION_EVIDENCE_INTERNAL_H
#define ARMATURE_SESSION_EVIDENCE_INTERNAL_H

#include "session/measure/evidence.h"

/* Does the leg move joint j, from 0? */
bool ase_evidence_moves(const AseLeg *leg, guint j);

/* How far joint j may stand from where it is to be [rad or m]. A joint that is sent somewhere may
 * be off by the error at rest; one that stands still was read before, and both readings may be off.
 */
double ase_evidence_end_error(const AseEvidence *evidence, guint j);

/* Of a sweep: joints that were to stand still and did not on the mean of a pass, and a joint that
 * went faster and slower by turns in the middle of its passes, where it was to go at one speed.
 * NULL: nothing. g_free. */
char *ase_evidence_against_unsteady(const AseEvidence *evidence);

#endif
