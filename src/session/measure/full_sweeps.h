/* SPDX-License-Identifier: MIT */
/* Before anything moves: which sweeps will be at constant speed over enough of the range for the
 * verdict on the fit (core/sweeps/verdict), which counts strokes over at least 70 % of it. */
#ifndef ARMATURE_SESSION_FULL_SWEEPS_H
#define ARMATURE_SESSION_FULL_SWEEPS_H

#include "core/arm/model.h"
#include "session/measure/itinerary.h"

typedef struct {
  guint speeds;    /* that count, in the hold that has most of them; the verdict needs two */
  double too_fast; /* the slowest that does not count in some hold [rad/s, m/s]; INFINITY: none */
  double steady, range; /* of that sweep: at constant speed, and what the joint sweeps [rad, m] */
} AseFullSweeps;

/* Of a joint (from 1) that the itinerary measures; all 0, INFINITY if it does not. */
void ase_full_sweeps(const AseItinerary *itinerary, const ArmModel *model, guint joint,
                     AseFullSweeps *out);

#endif
