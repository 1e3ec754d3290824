/* SPDX-License-Identifier: MIT */
/* Criteria and point designs without memory, at any allocation: it is said, nothing leaks, nothing
 * is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/excite/sequence.h"
#include "support/failing_memory.h"
#include "support/robot3.h"

static void test_criterion(void **state) {
  ArmCriterionWork *work = NULL;
  long k = 0;
  (void)state;
  for (; !work; k++) {
    const double m[4] = {2, 1, 1, 3};
    double value, dm[4];
    const ArmCriterion criterion = {.kind = ARM_CRITERION_COND_P, .exponent = 5};
    memory_begin(k);
    work = arm_criterion_work_new(2);
    const long before = memory_allocations();
    if (work)
      assert_int_equal(arm_criterion(work, &criterion, m, &value, dm), ARM_OK);
    assert_int_equal(memory_allocations(), before); /* the loop needs none */
    arm_criterion_work_free(work);
    assert_int_equal(memory_end(), 0);
  }
  assert_int_equal(k, 4);
}

static void test_design(void **state) {
  static ArmModel model;
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  (void)state;
  robot3_model(ROBOT3_P, &model);
  for (; status != ARM_OK; k++) {
    const ArmPointsOptions options = {
        .r = 16, .criterion = {.kind = ARM_CRITERION_COND_P}, .evaluations = 40};
    ArmPoints points = {.points = 77};
    memory_begin(k);
    status = arm_points_design(&model, &options, &points, NULL);
    if (status == ARM_OK)
      arm_points_clear(&points);
    else
      assert_int_equal(points.points, 77);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || status == ARM_E_MEMORY);
  }
  assert_true(k > 8);
}

static void test_sequence(void **state) {
  static ArmModel model;
  const ArmPointsOptions options = {
      .r = 16, .criterion = {.kind = ARM_CRITERION_COND_P}, .has_margin = true, .evaluations = 4};
  ArmSequence *sequence = NULL;
  ArmPoints points;
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  (void)state;
  robot3_model(ROBOT3_P, &model);
  for (size_t j = 0; j < 3; j++)
    model.joints[j].limits.accel_max = 5;
  assert_int_equal(arm_points_design(&model, &options, &points, NULL), ARM_OK);
  for (; status != ARM_OK; k++) {
    memory_begin(k);
    status = arm_sequence_new(&model, &points, true, &sequence);
    if (status == ARM_OK)
      arm_sequence_free(sequence);
    else
      assert_null(sequence);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || status == ARM_E_MEMORY);
  }
  assert_true(k > 5);
  arm_points_clear(&points);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_criterion),
                                     cmocka_unit_test(test_design),
                                     cmocka_unit_test(test_sequence)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
