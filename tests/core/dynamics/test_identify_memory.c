/* SPDX-License-Identifier: MIT */
/* Identification without memory, at any allocation: it is said, nothing leaks, nothing is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "core/dynamics/promise.h"
#include "core/dynamics/terms.h"
#include "support/dyn_rows.h"
#include "support/failing_memory.h"

enum { JOINTS = 2, SAMPLES = 64 };

typedef struct {
  ArmModel model;
  ArmBase *base;
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
  DynRows rows;
} Arm;

/* Two joints in a vertical plane; torque constants stated, so that both starts are tried. */
static int make(void **state) {
  const double beta[] = {1, 2, 3, 4, 5, 6};
  Arm *arm = calloc(1, sizeof *arm);
  DynMotion motion;
  DynDrives drives;
  TestRng rng;
  if (!arm || arm_model_init(&arm->model, JOINTS) != ARM_OK)
    return -1;
  arm->model.gravity_m_s2[0] = 9.81;
  arm->model.gravity_m_s2[2] = 0;
  arm->model.joints[1].translation[0] = 0.5;
  if (arm_base_new(&arm->model, 0, ARM_BASE_CLOSED_FORM, &arm->base) != ARM_OK ||
      arm->base->count != 6 || arm_dynamics_joints(&arm->model, arm->joint) != ARM_OK)
    return -1;
  test_rng_init(&rng, 6);
  dyn_motion_random(&rng, JOINTS, SAMPLES, &motion);
  dyn_drives_random(&rng, JOINTS, &drives);
  dyn_rows_init(&arm->model, arm->base, &motion, &arm->rows);
  dyn_rows_drive(&arm->rows, beta, &drives);
  for (size_t j = 0; j < JOINTS; j++)
    arm->joint[j].eta = drives.eta[j];
  dyn_motion_clear(&motion);
  *state = arm;
  return 0;
}

static int clear(void **state) {
  Arm *arm = *state;
  dyn_rows_clear(&arm->rows);
  arm_base_free(arm->base);
  free(arm);
  return 0;
}

/* What is promised of the rows themselves, and noise twice as large. */
static ArmStatus promise(ArmDynamicsFit *fit, ArmInformation *rows) {
  const ArmFirWhite white = {.gain = 1, .growth = 1, .spread = 1};
  const double twice[ARM_MAX_JOINTS] = {2, 2};
  ArmDynHeldOut found[ARM_MAX_JOINTS];
  ArmDynPromise *made = NULL;
  double value[2], sd[2];
  bool is_known;
  ArmStatus status = arm_dyn_promise_new(fit, rows, &white, &made);
  if (status == ARM_OK)
    status = arm_dyn_promise_compare(made, fit, rows, &white, found);
  if (status == ARM_OK)
    status = arm_dynamics_friction(fit, rows, 0, &is_known, &value[0], &sd[0], &value[1], &sd[1]);
  const double before = fit->joint[1].local[ARM_DYN_COULOMB_POS].sd;
  if (status == ARM_OK)
    status = arm_dynamics_widen(fit, rows, twice);
  if (status == ARM_OK)
    assert_true(fit->joint[1].local[ARM_DYN_COULOMB_POS].sd >= before);
  else
    assert_true(fit->joint[1].local[ARM_DYN_COULOMB_POS].sd == before);
  arm_dyn_promise_free(made);
  return status;
}

/* All of it, from rows to a set. */
static ArmStatus run_as(const Arm *arm, ArmDynamicsWay way, ArmDynamicsFit **fit,
                        ArmParamSet *set) {
  ArmDynamicsOptions options = arm_dynamics_defaults;
  options.way = way;
  ArmInformation *information = NULL, *whole = NULL;
  ArmStatus status = arm_information_new(arm->base, &information);
  if (status == ARM_OK)
    status = arm_information_new(arm->base, &whole);
  if (status == ARM_OK && !dyn_rows_push(&arm->rows, information))
    status = ARM_E_NUMERIC;
  if (status == ARM_OK)
    status = arm_information_merge(whole, information, 1);
  if (status == ARM_OK)
    status = arm_dynamics_identify(whole, arm->joint, &options, fit);
  if (status == ARM_OK)
    status = promise(*fit, whole);
  if (status == ARM_OK)
    status = arm_dynamics_set(*fit, &arm->model, arm->base, set);
  arm_information_free(information);
  arm_information_free(whole);
  return status;
}

static ArmStatus run(const Arm *arm, ArmDynamicsFit **fit, ArmParamSet *set) {
  return run_as(arm, ARM_DYNAMICS_BATCH, fit, set);
}

static void check(const Arm *arm, ArmDynamicsWay way) {
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  for (; status != ARM_OK; k++) {
    ArmDynamicsFit *fit = NULL;
    ArmParamSet set = {0};
    memory_begin(k);
    status = run_as(arm, way, &fit, &set);
    const bool is_untouched = set.block == NULL;
    arm_param_set_clear(&set);
    arm_dynamics_fit_free(fit);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && is_untouched));
  }
  assert_true(k > 60);
}

static void test_identify(void **state) {
  check(*state, ARM_DYNAMICS_BATCH);
}

/* Of torques. */
static void test_sequential(void **state) {
  Arm *arm = *state;
  for (size_t j = 0; j < JOINTS; j++)
    arm->joint[j].is_torque = true;
  check(arm, ARM_DYNAMICS_SEQUENTIAL);
  for (size_t j = 0; j < JOINTS; j++)
    arm->joint[j].is_torque = false;
}

static void test_joints(void **state) {
  const Arm *arm = *state;
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  for (; status != ARM_OK; k++) {
    ArmDynamicsJoint joint[ARM_MAX_JOINTS] = {{.eta = 99}};
    memory_begin(k);
    status = arm_dynamics_joints(&arm->model, joint);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && joint[0].eta == 99));
  }
  assert_true(k > 8);
}

/* Of friction terms; rows are of nothing, as what is chosen does not matter here. */
static void test_study(void **state) {
  const Arm *arm = *state;
  static double block[SAMPLES * (ARM_DYN_OWN + 7)], t[SAMPLES];
  const bool offers[ARM_TERMS] = {true, true};
  const ArmDynTerms terms = {0};
  ArmDynamicsFit *fit = NULL;
  ArmParamSet set = {0};
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  assert_int_equal(run(arm, &fit, &set), ARM_OK);
  arm_param_set_clear(&set);
  for (size_t s = 0; s < SAMPLES; s++)
    t[s] = (double)s;
  for (; status != ARM_OK; k++) {
    ArmDynamicsJoint joint[ARM_MAX_JOINTS] = {{.eta = 1}};
    ArmTermTrial trial[ARM_MAX_JOINTS][ARM_TERMS] = {{{0}}};
    ArmDynStudy *study = NULL;
    bool any = false;
    memory_begin(k);
    status = arm_dyn_study_new(fit, &study);
    if (status == ARM_OK) {
      arm_dyn_study_push(study, 0, SAMPLES, false, t, block, SAMPLES);
      status = arm_dyn_study_choose(study, offers, &terms, joint, trial, &any);
    }
    arm_dyn_study_free(study);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || status == ARM_E_MEMORY);
  }
  assert_true(k > 5);
  arm_dynamics_fit_free(fit);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_identify), cmocka_unit_test(test_joints),
                                     cmocka_unit_test(test_study),
                                     cmocka_unit_test(test_sequential)};
  return cmocka_run_group_tests(tests, make, clear);
}
