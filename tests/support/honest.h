/* SPDX-License-Identifier: MIT */
/* Are the error bars honest? The PUMA 560 of Table I, simulated anew for many seeds with Table I's
 * noise: how often the truth lies inside the intervals, and how good the predictions are. */
#ifndef ARMATURE_TESTS_HONEST_H
#define ARMATURE_TESTS_HONEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sweeps/ident.h"
#include "support/truth.h"

enum { HONEST_MAX_PARAMETERS = 80, HONEST_JOINTS = 6 };

typedef struct {
  ArmParamId id;
  size_t seen, in_95, in_3sd; /* seeds in which it was given with an error bar */
  double sum_z, sum_z2, sum_sd;
} HonestParameter;

typedef struct {
  HonestParameter parameters[HONEST_MAX_PARAMETERS];
  size_t n_parameters;
  size_t seen, in_95, in_3sd;         /* pooled */
  size_t in_3sd_white;                /* ... had the sds not been widened for correlated noise */
  double square_error[HONEST_JOINTS]; /* of the gravity current over seeds and unseen poses [A^2] */
  double square_z[HONEST_JOINTS];     /* the same over the predicted sd */
  size_t n_errors[HONEST_JOINTS], n_z[HONEST_JOINTS];
} HonestSet;

typedef struct {
  HonestSet refined, recursive;
  size_t seeds, failed, not_converged;
  size_t last_ratio_given; /* seeds in which eta5/eta6 was given */
  size_t last_ratio_wrong; /* ... and its truth was outside 3 sd, or it had no honest sd */
  double seconds_per_fit;
} HonestResult;

/* rho: lag-1 correlation of the noise, 0 = white. Seeds first .. first + count - 1. */
bool honest_run(uint64_t first, size_t count, double rho, HonestResult *result);

/* rms prediction error of joints first..last, counted from 1 [A] */
double honest_rms(const HonestSet *set, size_t first, size_t last);

/* One comment line per parameter: how often it was given, coverage, mean and sd of z. */
void honest_print(const char *what, const HonestSet *set);

#endif
