/* SPDX-License-Identifier: MIT */
/* What the tests of base parameters share; include after cmocka.h. */
#ifndef ARMATURE_TESTS_BASE_CHECKS_H
#define ARMATURE_TESTS_BASE_CHECKS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/base.h"
#include "core/dynamics/composite.h"
#include "support/base_case.h"

static BaseCase *cases;

static inline int load_cases(void **state) {
  (void)state;
  cases = base_cases_load();
  return cases ? 0 : -1;
}

static inline int free_cases(void **state) {
  (void)state;
  free(cases);
  return 0;
}

static inline const BaseCase *find_case(const char *name) {
  for (size_t k = 0; k < BASE_CASES; k++)
    if (strcmp(cases[k].name, name) == 0)
      return cases + k;
  fail_msg("no arm %s", name);
  return NULL;
}

static inline ArmBase *make(const ArmModel *model, unsigned with, ArmBaseWay way) {
  ArmBase *base = NULL;
  assert_int_equal(arm_base_new(model, with, way, &base), ARM_OK);
  return base;
}

/* |got - want| <= 1e-12 (1 + max |want|) */
static inline void check_values(const char *arm, size_t count, const double *got,
                                const double *want) {
  double largest = 0;
  for (size_t k = 0; k < count; k++)
    largest = fmax(largest, fabs(want[k]));
  for (size_t k = 0; k < count; k++)
    if (!(fabs(got[k] - want[k]) <= 1e-12 * (1 + largest)))
      fail_msg("%s: value %zu is %.15g, expected %.15g", arm, k, got[k], want[k]);
}

static inline double coefficient(const ArmBase *base, size_t b, size_t column) {
  return base->map[b + base->count * column];
}

#endif
