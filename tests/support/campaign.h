/* SPDX-License-Identifier: MIT */
/* Round trips: simulate an arm whose every number is known, fit, predict states it never saw. */
#ifndef ARMATURE_TESTS_CAMPAIGN_H
#define ARMATURE_TESTS_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/truth.h"

/* Largest prediction errors of one arm or of many, relative to the arm's largest current. */
typedef struct {
  double recursive, refined;
  size_t arms, not_converged, failed; /* failed: the fit itself, or a prediction */
  uint64_t worst_seed;                /* of the arm behind the largest error */
} CampaignResult;

/* One arm: sweeps at random holds, fit, 50 unseen states with every joint moving. */
bool campaign_arm(const Truth *truth, TestRng *rng, bool has_acceleration, double *recursive,
                  double *refined, bool *is_converged);

/* `arms` random arms; arm k is drawn from seed + k. Arms above `tolerance` are printed. */
void campaign_random(uint64_t seed, size_t arms, const TruthOptions *options, double tolerance,
                     CampaignResult *result);

#endif
