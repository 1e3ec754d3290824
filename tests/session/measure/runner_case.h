/* SPDX-License-Identifier: MIT */
/* A runner on a simulated planar arm: moves and short sweeps of joint 2 where it stands. */
#ifndef ARMATURE_TESTS_SESSION_RUNNER_CASE_H
#define ARMATURE_TESTS_SESSION_RUNNER_CASE_H

#include "rig.h"
#include "session/measure/runner.h"

typedef struct {
  Rig rig;
  AseFreedom freedom;
  ArmPlan plan;
  AseItineraryOptions options;
  AseItinerary *itinerary;
  const AseRunLog *log; /* of the next runner; NULL: none */
  AseRunner *runner;
  guint started, ended;
  bool has_stopped, is_done;
  char *reason;
} Case;

Case *runner_case_new(double time_factor); /* RIG_LEASE_MS */
/* Another runner, of the itinerary as it is now. */
void runner_case_renew(Case *c);
void runner_case_free(Case *c);

/* From this leg to the last. */
void start(Case *c, guint first);
/* Armed, some samples into the first sweep. */
void start_and_reach_sweep(Case *c);
const AseRun *last_run(Case *c);

/* For rig_wait, of the Case. */
bool has_stopped(void *data);
bool is_sweeping(void *data);
bool is_at_rest(void *data);

#endif
