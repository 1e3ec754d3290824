/* SPDX-License-Identifier: MIT */
/* Predictions without memory, at any allocation: it is said, nothing leaks, nothing is given; and
 * none once they have begun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/arm/model.h"
#include "core/dynamics/currents.h"
#include "support/failing_memory.h"

enum { JOINTS = 2 };

static int make(void **state) {
  static ArmParamSet set;
  const ArmParamRoom room = {.params = 4, .covered = 4, .terms = 2, .text = 16};
  const ArmParamTerm term = {{ARM_PARAM_ZZ, 1, 0}, 1};
  const ArmParam base = {{ARM_PARAM_BASE, 1, ARM_PARAM_ZZ - ARM_PARAM_XX}, "ZZ2", NULL, &term, 1};
  if (arm_param_set_init(&set, JOINTS, &room) != ARM_OK)
    return -1;
  set.joint[0].rows_used = set.joint[1].rows_used = 9;
  ArmEstimate *zz = arm_param_set_add(&set, &base);
  if (!zz || !arm_param_set_cover(&set, 0))
    return -1;
  *zz = (ArmEstimate){3, 0.5, 3, true, ARM_REASON_NONE};
  set.covariance[0] = 0.25;
  *state = &set;
  return 0;
}

static int clear(void **state) {
  arm_param_set_clear(*state);
  return 0;
}

static void test_new(void **state) {
  const double zero[JOINTS] = {0}, qdd[JOINTS] = {1, 1};
  const ArmCurrentsStates states = {1, 1, zero, zero, qdd};
  const ArmPredictOptions options = {0};
  ArmStatus status = ARM_E_MEMORY;
  ArmModel model;
  long k = 0;
  assert_int_equal(arm_model_init(&model, JOINTS), ARM_OK);
  for (; status != ARM_OK; k++) {
    double current[JOINTS], sd[JOINTS];
    ArmCurrents *currents = NULL;
    memory_begin(k);
    status = arm_currents_new(&model, *state, &currents);
    if (status == ARM_OK) {
      const long before = memory_allocations();
      arm_currents_predict(currents, &states, &options, current, sd);
      assert_int_equal(memory_allocations(), before);
      assert_true(current[1] == 6 && sd[1] == 1);
    } else {
      assert_int_equal(status, ARM_E_MEMORY);
      assert_null(currents);
    }
    arm_currents_free(currents);
    assert_int_equal(memory_end(), 0);
  }
  assert_true(k > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_new)};
  return cmocka_run_group_tests(tests, make, clear);
}
