/* SPDX-License-Identifier: MIT */
/* A PUMA in a Fourier motion, and what its estimates are or are not; include after cmocka.h. */
#ifndef ARMATURE_TESTS_IDENTIFY_PUMA_H
#define ARMATURE_TESTS_IDENTIFY_PUMA_H

#include "identify_rig.h"

enum { SAMPLES = 2000 };

static inline void puma(Rig *rig, uint64_t seed, bool with_tool) {
  ArmModel model = find_case("PUMA560-AKB")->model;
  TestRng rng;
  DynMotion motion;
  test_rng_init(&rng, seed);
  if (with_tool) { /* 2 kg, eccentric: vectors/dyn/currents_puma.json */
    double pi[10], tool[10];
    const ArmLink part = {true, 2.0, {.05, .02, .12}, {.004, .004, .003, 0, 0, 0}};
    arm_inertia_from_link(&model.joints[5].link, pi);
    arm_inertia_from_link(&part, tool);
    for (size_t k = 0; k < 10; k++)
      pi[k] += tool[k];
    assert_int_equal(arm_inertia_to_link(pi, &model.joints[5].link), ARM_OK);
  }
  rig_init(rig, &model, &rng, 8);
  dyn_rows_clear(&rig->rows);
  dyn_motion_fourier(&rng, &model, SAMPLES, 20, 5, &motion);
  dyn_rows_init(&model, rig->base, &motion, &rig->rows);
  for (size_t j = 0; j < model.n; j++) /* rotors that would be parts of base parameters */
    rig->drives.local[j][ARM_DYN_ROTOR] *= rig->joint[j].has[ARM_DYN_ROTOR];
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  dyn_motion_clear(&motion);
}

/* Data sheets that are right but for a few percent, sd 0.1. */
static inline void state(Rig *rig) {
  for (size_t j = 0; j < rig->rows.n; j++) {
    rig->joint[j].eta = rig->drives.eta[j] * (j % 2 ? 1.06 : 0.97);
    rig->joint[j].rel_sd = 0.1;
  }
}

static inline void disturb(Rig *rig, uint64_t seed, double sigma) {
  double sds[ARM_MAX_JOINTS];
  TestRng rng;
  test_rng_init(&rng, seed);
  for (size_t j = 0; j < rig->rows.n; j++)
    sds[j] = sigma;
  dyn_rows_disturb(&rig->rows, &rng, sds);
}

static inline void check_is_not(const ArmEstimate *e, ArmReason reason) {
  if (e->identifiable || e->reason != reason)
    fail_msg("identifiable %d, reason %s, expected %s", e->identifiable, arm_reason_key(e->reason),
             arm_reason_key(reason));
  assert_true(isnan(e->value) && isnan(e->sd));
  assert_true(isfinite(e->used));
}

#endif
