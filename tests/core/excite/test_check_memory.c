/* SPDX-License-Identifier: MIT */
/* Judging and designing motions without memory, at any allocation: it is said, nothing leaks,
 * nothing is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/excite/check.h"
#include "core/excite/cubics.h"
#include "core/excite/trajectory.h"
#include "support/base_case.h"
#include "support/failing_memory.h"

enum { JOINTS = 3, SAMPLES = 40 };

static void random_case(ArmModel *model, ArmMotionLimits *limits, double *motion) {
  TestRng rng;
  test_rng_init(&rng, 6);
  base_random_arm(&rng, JOINTS, model);
  for (size_t j = 0; j < JOINTS; j++)
    model->joints[j].limits = (ArmLimits){.q_min = -2, .q_max = 2, .speed_max = 2, .accel_max = 5};
  assert_int_equal(arm_motion_limits(model, limits, NULL, NULL), ARM_OK);
  for (int k = 0; k < 3 * SAMPLES * JOINTS; k++)
    motion[k] = test_rng_normal(&rng);
}

static void test_excitation(void **state) {
  static const double noise[JOINTS] = {1, 1, 1};
  static double motion[3 * SAMPLES * JOINTS];
  const double *qd = motion + SAMPLES * JOINTS, *qdd = qd + SAMPLES * JOINTS;
  static ArmModel model;
  ArmMotionLimits limits;
  ArmStatus status = ARM_E_MEMORY;
  ArmBase *base = NULL;
  long k = 0;
  (void)state;
  random_case(&model, &limits, motion);
  assert_int_equal(arm_base_new(&model, 15, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  for (; status != ARM_OK; k++) {
    ArmExcitation *excitation = NULL;
    memory_begin(k);
    status =
        arm_excitation_new(base, &model, &limits, SAMPLES, motion, qd, qdd, noise, &excitation);
    if (status == ARM_OK)
      arm_excitation_free(excitation);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && excitation == NULL));
  }
  assert_true(k > 8);
  arm_base_free(base);
}

static void test_cubics(void **state) {
  static double t[SAMPLES], x[SAMPLES * JOINTS];
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  (void)state;
  for (int row = 0; row < SAMPLES; row++)
    t[row] = 0.1 * row;
  for (; status != ARM_OK; k++) {
    ArmCubics *cubics = NULL;
    memory_begin(k);
    status = arm_cubics_new(JOINTS, SAMPLES, t, x, x, 0.1, 1, &cubics);
    if (status == ARM_OK)
      arm_cubics_free(cubics);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && cubics == NULL));
  }
  assert_int_equal(k, 6);
}

static void test_design(void **state) {
  static double motion[3 * SAMPLES * JOINTS];
  const ArmTrajectoryOptions options = {.basis = {ARM_BASIS_FOURIER, 3, 6, true},
                                        .criterion = {.kind = ARM_CRITERION_COND_P},
                                        .evaluations = 3};
  static ArmModel model;
  ArmMotionLimits limits;
  ArmStatus status = ARM_E_MEMORY;
  ArmBase *base = NULL;
  long k = 0;
  (void)state;
  random_case(&model, &limits, motion);
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  for (; status != ARM_OK; k++) {
    ArmTrajectory trajectory = {0};
    memory_begin(k);
    status = arm_trajectory_design(&model, base, &options, &trajectory, NULL);
    if (status == ARM_OK)
      arm_trajectory_clear(&trajectory);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && trajectory.c == NULL));
  }
  assert_true(k > 4);
  arm_base_free(base);
}

/* Links of 1 kg with drives and capsules, above a table. */
static void test_design_with_scene(void **state) {
  static double motion[3 * SAMPLES * JOINTS];
  static ArmModel model;
  static ArmDriveCurrents currents;
  ArmTrajectoryOptions options = {.basis = {ARM_BASIS_FOURIER, 3, 6, false}, .evaluations = 2};
  ArmScene scene = {.currents = &currents};
  ArmMotionLimits limits;
  ArmBase *base = NULL;
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  (void)state;
  random_case(&model, &limits, motion);
  for (size_t j = 0; j < JOINTS; j++) {
    ArmJoint *joint = &model.joints[j];
    joint->link = (ArmLink){.is_present = true, .mass_kg = 1};
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){50, 1, 0.1, 0.1, 1e-4};
    joint->limits.current_max = 100;
    joint->n_capsules = 1;
    joint->capsules[0] = (ArmCapsule){.to_m = {0.1, 0, 0}, .radius_m = 0.01};
  }
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  assert_int_equal(arm_drive_currents_init(&model, NULL, &currents), ARM_OK);
  for (; status != ARM_OK; k++) {
    ArmTrajectory trajectory = {0};
    ArmClearance *clearance = NULL;
    memory_begin(k);
    status = arm_clearance_new(&model, &limits, -9, &clearance);
    assert_true(status == ARM_OK || !clearance);
    scene.clearance = clearance;
    options.scene = &scene;
    if (status == ARM_OK)
      status = arm_trajectory_design(&model, base, &options, &trajectory, NULL);
    if (status == ARM_OK)
      arm_trajectory_clear(&trajectory);
    arm_clearance_free(clearance);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || status == ARM_E_MEMORY);
  }
  assert_true(k > 20);
  arm_base_free(base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_excitation),
                                     cmocka_unit_test(test_cubics), cmocka_unit_test(test_design),
                                     cmocka_unit_test(test_design_with_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
