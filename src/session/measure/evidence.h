/* SPDX-License-Identifier: MIT */
/* Did the arm do what it was told? A controller that says so may have a stuck encoder: so what a
 * leg was to do is compared with the positions, speeds and currents that came meanwhile. Pure
 * functions of plain data. */
#ifndef ARMATURE_SESSION_EVIDENCE_H
#define ARMATURE_SESSION_EVIDENCE_H

#include "io/driver/driver.h"
#include "session/measure/itinerary.h"
#include "session/measure/runs.h"

/* How far a joint at rest may stand from where it was sent [rad or m]: the larger one of what
 * driver and arm file state; 0.5 deg or 1 mm where neither does, but never less than the encoder's
 * step. info NULL: not described. */
double ase_rest_error(const ArmJoint *joint, const AioJointInfo *info);

/* A sweep over less could not be told from one with a stuck encoder: three times the error at rest,
 * one at either end and one step of the encoder. */
double ase_evidence_shortest(const ArmJoint *joint, const AioJointInfo *info);

typedef struct {
  const ArmModel *model;
  const AioDescription *description; /* NULL: not known */
  const AseLeg *leg;
  const AseRun *run;  /* with its samples in memory */
  double samples_due; /* as long as the leg lasts, by the controller's telemetry; 0: not known */
} AseEvidence;

/* Do all joints stand where the leg ends, by the newest sample? false also: there is none. */
bool ase_evidence_is_at_end(const AseEvidence *evidence);

/* What speaks against the leg having been done as commanded, with joint, leg, expected, found and
 * what to check, a sentence of io/base/said; NULL: nothing. g_free. Looked at, in this order, are
 * how many samples came, of each joint that moves
 *   values that never change although it moves: a sensor that is stuck;
 *   the strokes of a sweep, by the position;
 * of every joint where it stands at the end, one that stands still within twice the error at rest
 * of where it was read to stand before; of those that move the way by position and by the
 * integral of the speed; and of a sweep whether held joints stood still on the mean of each pass,
 * and the speed of the other was the same in all of its middle. Gaps (lost samples, slow telemetry)
 * make it look at less, never object. */
char *ase_evidence_against(const AseEvidence *evidence);

/* What speaks against a leg before anything moves: a sweep too short to be judged. NULL or g_free.
 */
char *ase_evidence_against_sweep(const AseEvidence *evidence);

/* The same for the beginning of a leg: joints that it does not move stand right. NULL or g_free.
 *   q  [n] */
char *ase_evidence_against_start(const AseEvidence *evidence, const double *q);

#endif
