/* SPDX-License-Identifier: MIT */
/* What the tests of identification share; include after cmocka.h. */
#ifndef ARMATURE_TESTS_IDENTIFY_RIG_H
#define ARMATURE_TESTS_IDENTIFY_RIG_H

#include "base_checks.h"
#include "core/dynamics/identify.h"
#include "support/dyn_rows.h"

/* An arm, what drives it, and its rows in one motion. */
typedef struct {
  ArmModel model;
  ArmBase *base;
  double beta[BASE_COLUMNS];
  DynDrives drives;
  DynRows rows;
  ArmInformation *information;
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
} Rig;

static inline void rig_init(Rig *rig, const ArmModel *model, TestRng *rng, size_t samples) {
  double pi[BASE_COLUMNS];
  DynMotion motion;
  rig->model = *model;
  rig->base = make(model, 0, ARM_BASE_CLOSED_FORM);
  rig->information = NULL;
  (void)arm_inertia_nominal(model, pi);
  arm_base_values(rig->base, pi, rig->beta);
  dyn_drives_random(rng, model->n, &rig->drives);
  dyn_motion_random(rng, model->n, samples, &motion);
  dyn_rows_init(model, rig->base, &motion, &rig->rows);
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  dyn_motion_clear(&motion);
  assert_int_equal(arm_information_new(rig->base, &rig->information), ARM_OK);
  assert_int_equal(arm_dynamics_joints(model, rig->joint), ARM_OK);
  for (size_t j = 0; j < model->n; j++)
    rig->joint[j].eta = rig->joint[j].rel_sd = (double)NAN;
}

static inline void rig_clear(Rig *rig) {
  dyn_rows_clear(&rig->rows);
  arm_information_free(rig->information);
  arm_base_free(rig->base);
}

static inline ArmDynamicsFit *identify(Rig *rig, const ArmDynamicsOptions *options) {
  ArmDynamicsFit *fit = NULL;
  assert_true(dyn_rows_push(&rig->rows, rig->information));
  assert_int_equal(arm_dynamics_identify(rig->information, rig->joint, options, &fit), ARM_OK);
  return fit;
}

#endif
