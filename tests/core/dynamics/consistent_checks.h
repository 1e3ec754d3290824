/* SPDX-License-Identifier: MIT */
/* What the tests of completion share; include after cmocka.h. */
#ifndef ARMATURE_TESTS_CONSISTENT_CHECKS_H
#define ARMATURE_TESTS_CONSISTENT_CHECKS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/consistent.h"
#include "support/base_case.h"
#include "support/completion.h"

enum { P = ARM_INERTIA_PARAMETERS, N = ARM_MAX_JOINTS };

static const double tool_at[3] = {0.06, 0.03, 0.08};

static inline void find_model(const char *name, ArmModel *model) {
  BaseCase *cases = base_cases_load();
  bool is_found = false;
  assert_non_null(cases);
  for (size_t k = 0; k < BASE_CASES; k++)
    if (strcmp(cases[k].name, name) == 0) {
      *model = cases[k].model;
      is_found = true;
    }
  free(cases);
  assert_true(is_found);
}

/* Every link a body, the mass matrix positive definite, and sds between 0 and the prior's. */
static inline void check_bodies(const Completion *c, const ArmConsistent *r, TestRng *rng) {
  for (size_t i = 0; i < c->n; i++) {
    const ArmInertiaCheck check = arm_inertia_check(r->pi + P * i);
    if (check.flaw != ARM_INERTIA_CONSISTENT)
      fail_msg("link %zu: %s", i + 1, arm_inertia_flaw_key(check.flaw));
  }
  for (size_t k = 0; k < P * c->n; k++)
    assert_true(r->sd[k] > 0 && r->sd[k] <= r->prior_sd[k] * (1 + 1e-9));
  assert_true(completion_mass_matrix(&c->model, r->pi, 20, rng) > 0);
}

static inline void complete(const Completion *c, ArmConsistentMethod method, ArmConsistent *r) {
  const ArmConsistentOptions options = {.method = method};
  assert_int_equal(arm_consistent(&c->model, &c->data, &options, r), ARM_OK);
}

/* With a tool that nominal links lack (0: none); sigma of the current's noise, eta .1 to .25. */
static inline void puma(Completion *c, TestRng *rng, double sigma, double tool) {
  ArmModel model, bare;
  double eta[N], noise[N];
  find_model("PUMA560-GK", &model);
  bare = model;
  if (tool > 0)
    completion_add_tool(&model, tool, tool_at);
  for (size_t j = 0; j < model.n; j++) {
    eta[j] = 0.1 + 0.03 * (double)j;
    noise[j] = sigma;
  }
  completion_new(c, &model, rng, 1000, eta, noise);
  (void)arm_inertia_nominal(&bare, c->nominal);
}

#endif
