/* SPDX-License-Identifier: MIT */
/* Completion without memory, at any allocation: it is said, nothing leaks, nothing is given; and
 * nothing allocates per step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/completion.h"
#include "support/dyn_random.h"
#include "support/failing_memory.h"

static bool count_steps(double done, void *user) {
  (void)done;
  ++*(int *)user;
  return true;
}

static void test_memory(void **state) {
  const double eta[3] = {1, 1, 1}, sigma[3] = {0.1, 0.1, 0.1};
  ArmModel model;
  Completion c;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 6);
  dyn_random_arm(&rng, 3, &model);
  completion_new(&c, &model, &rng, 100, eta, sigma);
  memset(c.nominal, 0, sizeof c.nominal); /* log-Cholesky: more steps */
  ArmStatus status = ARM_E_MEMORY;
  long k = 0, allocations = 0;
  int steps = 0;
  for (; status != ARM_OK; k++) {
    const ArmConsistentOptions options = {.progress = count_steps, .user = &steps};
    ArmConsistent r = {.chi2 = 99};
    steps = 0;
    memory_begin(k);
    status = arm_consistent(&c.model, &c.data, &options, &r);
    allocations = memory_allocations();
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && r.chi2 == 99));
  }
  assert_true(k > 2);
  assert_true(steps > allocations);
  completion_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
