/* SPDX-License-Identifier: MIT */
/* A stream without memory, at any allocation: it is said and nothing leaks; and once it is there,
 * samples allocate nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base_checks.h"
#include "core/dynamics/stream.h"
#include "support/failing_memory.h"
#include "support/moving.h"

static ArmStatus count_rows(void *user, size_t joint, size_t rows, bool follows, const double *t,
                            const double *block, size_t ld) {
  (void)joint, (void)follows, (void)t, (void)block, (void)ld;
  *(size_t *)user += rows;
  return ARM_OK;
}

static void check(double cutoff, bool has_rates) {
  ArmModel model;
  ArmDynStreamOptions options;
  ArmDynStream *stream = NULL;
  ArmStatus status = ARM_E_MEMORY;
  size_t rows = 0;
  long k = 0;
  TestRng rng;
  test_rng_init(&rng, 6);
  base_random_arm(&rng, 4, &model);
  ArmBase *base = make(&model, 0, ARM_BASE_CLOSED_FORM);
  Moving *m = moving_new(&model, &rng, 3000, 0.002, 0.1, 0.8);
  arm_dyn_stream_options_default(&options);
  options.step_s = 0.002;
  options.cutoff_Hz = cutoff;
  options.has_qd = options.has_qdd = has_rates;
  for (; status != ARM_OK; k++) {
    stream = NULL;
    memory_begin(k);
    status = arm_dyn_stream_new(&model, base, &options, count_rows, &rows, &stream);
    assert_int_equal(status == ARM_OK, stream != NULL);
    if (status == ARM_OK)
      status = arm_dyn_stream_tap(stream, count_rows, &rows);
    arm_dyn_stream_free(stream);
    assert_int_equal(memory_end(), 0);
    assert_true(status == ARM_OK || status == ARM_E_MEMORY);
  }
  assert_true(k > 20);
  assert_int_equal(arm_dyn_stream_new(&model, base, &options, count_rows, &rows, &stream), ARM_OK);
  assert_int_equal(arm_dyn_stream_tap(stream, count_rows, &rows), ARM_OK);
  memory_begin(MEMORY_SUFFICES);
  status = moving_stream(stream, m, 1, NULL);
  assert_int_equal(memory_allocations(), 0);
  assert_int_equal(memory_end(), 0);
  assert_int_equal(status, ARM_OK);
  assert_true(rows > 0);
  arm_dyn_stream_free(stream);
  moving_free(m);
  arm_base_free(base);
}

static void test_memory(void **state) {
  (void)state;
  check(5, false);
  check(5, true);
  check(0, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
