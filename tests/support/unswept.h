/* SPDX-License-Identifier: MIT */
/* One joint of a random arm is never swept: nothing that a fit then gives with an error bar may be
 * wrong, and it has to say that something is missing. */
#ifndef ARMATURE_TESTS_UNSWEPT_H
#define ARMATURE_TESTS_UNSWEPT_H

#include <stddef.h>
#include <stdint.h>

#include "support/truth.h"

/* what the holds of the other joints do with the one that is left out */
typedef enum {
  UNSWEPT_TURNED,
  UNSWEPT_STILL,
  UNSWEPT_JITTER, /* within 1 mrad of one position */
} UnsweptHolds;

typedef struct {
  size_t arms, failed; /* failed: no fit, or not converged */
  size_t given, wrong; /* estimates with an error bar; more than 5 sds off */
  size_t kept;         /* given, of those that the same sweeps of all joints give */
  size_t of_all;       /* what the same sweeps of all joints give, the left out joint's not */
  size_t silent;       /* arms whose left out joint is not said to be without rows */
  size_t ratios_to_it; /* ratios to the left out joint that are given */
  double worst;        /* sds, of the given ones */
  double prediction;   /* largest error of a prediction that has an sd, in such sds */
  size_t predictions;  /* predictions that have an sd */
  uint64_t worst_seed;
} UnsweptResult;

/* `arms` random arms with sweeps at 8 random holds, 5 mA of noise; arm k is drawn from seed + k. */
void unswept_random(uint64_t seed, size_t arms, const TruthOptions *options, UnsweptHolds holds,
                    UnsweptResult *result);

#endif
