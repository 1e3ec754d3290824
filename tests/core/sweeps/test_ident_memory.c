/* SPDX-License-Identifier: MIT */
/* A fit that runs out of memory at any allocation says so, leaks nothing and touches no output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "support/failing_memory.h"
#include "support/truth.h"

static void check_every_allocation(const ArmFitOptions *options) {
  Truth truth;
  TruthOptions arm;
  TruthRecording rec;
  TestRng rng;
  ArmModel model;
  static ArmGravityFit fit, before;
  long k = 0, live = 0;
  truth_options_default(&arm);
  arm.n_min = arm.n_max = 3;
  test_rng_init(&rng, 5);
  truth_random(&rng, &arm, &truth);
  truth_model(&truth, &model);
  assert_true(truth_recording_sweeps(&rec, &truth, &rng, 4, 12, false));
  for (;; k++) {
    memset(&fit, 0x5a, sizeof fit);
    memcpy(&before, &fit, sizeof fit);
    memory_begin(k);
    const ArmStatus status = arm_gravity_fit(&model, &rec.data, options, &fit);
    live = memory_end();
    if (status == ARM_OK)
      break;
    assert_int_equal(status, ARM_E_MEMORY);
    assert_int_equal(live, 0);
    assert_memory_equal(&before, &fit, sizeof fit);
  }
  print_message("# %ld allocations\n", k);
  assert_true(k > 10);
  memory_begin(MEMORY_SUFFICES);
  arm_gravity_fit_clear(&fit);
  assert_int_equal(live + memory_end(), 0);
  arm_gravity_fit_clear(&fit); /* twice does no harm */
  truth_recording_clear(&rec);
}

static void test_plain_fit(void **state) {
  ArmFitOptions options;
  (void)state;
  arm_fit_options_default(&options);
  check_every_allocation(&options);
}

static void test_fit_with_everything(void **state) {
  ArmFitOptions options;
  (void)state;
  arm_fit_options_default(&options);
  options.rows.wants_acceleration = true;
  options.rows.wants_plateau = true;
  options.rows.plateau_end_R = 0.1;
  check_every_allocation(&options);
  options.lowpass_Hz = 20;
  options.rows.wants_plateau = false;
  check_every_allocation(&options);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_fit),
      cmocka_unit_test(test_fit_with_everything),
  };
  return cmocka_run_group_tests_name("ident_memory", tests, NULL, NULL);
}
