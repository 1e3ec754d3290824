/* SPDX-License-Identifier: MIT */
/* Base parameters without memory, at any allocation: it is said, nothing leaks, nothing is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/dynamics/ways.h"
#include "support/base_case.h"
#include "support/failing_memory.h"

static void random_arm(ArmModel *model) {
  TestRng rng;
  test_rng_init(&rng, 6);
  base_random_arm(&rng, 4, model);
}

static void test_base(void **state) {
  ArmModel model;
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  (void)state;
  random_arm(&model);
  for (; status != ARM_OK; k++) {
    ArmBase *base = NULL;
    memory_begin(k);
    status = arm_base_new(&model, 15, ARM_BASE_QR, &base);
    if (status == ARM_OK)
      arm_base_free(base);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && base == NULL));
  }
  assert_true(k > 8);
}

static void test_compare(void **state) {
  ArmModel model;
  ArmStatus status = ARM_E_MEMORY;
  long k = 0;
  (void)state;
  random_arm(&model);
  for (; status != ARM_OK; k++) {
    ArmBaseWays ways = {.qr = 99};
    memory_begin(k);
    status = arm_base_compare(&model, &ways);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && ways.qr == 99));
  }
  assert_true(k > 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_base), cmocka_unit_test(test_compare)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
