/* SPDX-License-Identifier: MIT */
/* Inside of the itinerary: the arm walks from visit to visit and leaves legs behind. */
#ifndef ARMATURE_SESSION_ITINERARY_INTERNAL_H
#define ARMATURE_SESSION_ITINERARY_INTERNAL_H

#include "session/measure/itinerary.h"

/* A hold to be visited, and what is swept there. */
typedef struct {
  AsePurpose purpose;
  guint joint, hold; /* joint 0: only the pose, every joint of it */
  double pose[ARM_MAX_JOINTS];
  double low, high; /* of the sweep */
  gsize n_speeds;
  double speeds[ARM_PLAN_MAX_SPEEDS];
  guint passes;
} AseVisit;

/* Where the walk is. */
typedef struct {
  const ArmModel *model;
  const AseFreedom *freedom;
  const AseItineraryOptions *options;
  AseItinerary *itinerary;
  AsePurpose purpose;        /* of the legs that are added */
  double speed_R, speed_T;   /* of moves */
  double at[ARM_MAX_JOINTS]; /* the pose */
  guint joint, hold;         /* whose range still holds, 0: none */
} AseWalk;

/* Sets speed_R and speed_T by the options. */
void ase_walk_set_speeds(AseWalk *walk, bool is_dry);

/* Time from rest to rest over a distance. */
double ase_leg_seconds(double distance, double speed, double accel);

/* Acceleration of a joint (from 0): the option, cut at the limit. */
double ase_walk_accel(const AseWalk *walk, guint joint);

/* Adds the moves that lead from where the walk is to the visit, the joint that sweeps at that end
 * of its range which is nearer. AIO_ERROR_REFUSED as ase_itinerary_new. */
bool ase_walk_to(AseWalk *walk, const AseVisit *visit, GError **error);

#endif
