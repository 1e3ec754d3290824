/* SPDX-License-Identifier: MIT */
/* Known base parameters of tests/golden/base_arms.txt, and random arms to find others of. */
#ifndef ARMATURE_TESTS_BASE_CASE_H
#define ARMATURE_TESTS_BASE_CASE_H

#include "core/arm/model.h"
#include "core/dynamics/composite.h"
#include "support/support.h"

enum { BASE_JOINTS = 8, BASE_COLUMNS = 10 * BASE_JOINTS, BASE_CASES = 27 };

/* Parameters in their order: columns of pi (core/arm/inertia.h). */
typedef struct {
  size_t count;
  size_t column[BASE_COLUMNS];
  double beta[BASE_COLUMNS];
} BaseSet;

typedef struct {
  char name[64];
  ArmModel model; /* with links */
  size_t r, s;
  int delta[BASE_JOINTS], sigma[BASE_JOINTS]; /* -1 = undefined */
  size_t count;                               /* rank of a regressor at random motions */
  size_t count_literal;                       /* Gautier and Khalil as printed */
  size_t count_without_gravity;               /* 0: not known */
  BaseSet closed, qr, lost;                   /* lost: without beta */
  size_t n_composite;
  ArmCompositeEntry composite[BASE_COLUMNS];
  bool has_constants;
  double constants[BASE_COLUMNS]; /* mhat, k, U as 10 n in the order of pi */
  double composite_values[BASE_COLUMNS];
  bool is_rotor_dependent[BASE_JOINTS];
} BaseCase;

/* All of the file, or NULL (and a message on stderr). Free with free(). */
BaseCase *base_cases_load(void);

/* n joints, two thirds of them R; a third each of the angles zero or 180 deg, right and general,
 * a third of the lengths zero; gravity along the first axis, the base's z, or anywhere. */
void base_random_arm(TestRng *rng, size_t n, ArmModel *model);

/* Rank of the inertial columns at random motions by singular values: column-scaled, those above
 * 1e-9 of the largest. `gap`: smallest that counts over the largest that does not (0: none). */
size_t base_rank(const ArmModel *model, double *gap);

#endif
