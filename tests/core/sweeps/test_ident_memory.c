/* SPDX-License-Identifier: MIT */
/* A fit that runs out of memory at any allocation says so, leaks nothing and touches no output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "support/truth.h"

/* ---- the allocator, by linker --wrap ---- */

static bool is_counting;
static long allocations, live, fail_at;

static bool refuse(void) {
  return is_counting && allocations++ == fail_at;
}

static void *counted(void *p) {
  live += is_counting && p != NULL;
  return p;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

void *__wrap_malloc(size_t size) {
  return refuse() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return refuse() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuse() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *p) {
  live -= is_counting && p != NULL;
  __real_free(p);
}

/* ---- the test ---- */

static ArmStatus fit_failing(const ArmModel *model, const TruthRecording *rec,
                             const ArmFitOptions *options, long k, ArmGravityFit *fit) {
  is_counting = true;
  allocations = live = 0;
  fail_at = k;
  const ArmStatus status = arm_gravity_fit(model, &rec->data, options, fit);
  is_counting = false;
  return status;
}

static void check_every_allocation(const ArmFitOptions *options) {
  Truth truth;
  TruthOptions arm;
  TruthRecording rec;
  TestRng rng;
  ArmModel model;
  static ArmGravityFit fit, before;
  long k = 0;
  truth_options_default(&arm);
  arm.n_min = arm.n_max = 3;
  test_rng_init(&rng, 5);
  truth_random(&rng, &arm, &truth);
  truth_model(&truth, &model);
  assert_true(truth_recording_sweeps(&rec, &truth, &rng, 4, 12, false));
  for (;; k++) {
    memset(&fit, 0x5a, sizeof fit);
    memcpy(&before, &fit, sizeof fit);
    const ArmStatus status = fit_failing(&model, &rec, options, k, &fit);
    if (status == ARM_OK)
      break;
    assert_int_equal(status, ARM_E_MEMORY);
    assert_int_equal(live, 0);
    assert_memory_equal(&before, &fit, sizeof fit);
  }
  print_message("# %ld allocations\n", k);
  assert_true(k > 10);
  is_counting = true;
  arm_gravity_fit_clear(&fit);
  is_counting = false;
  assert_int_equal(live, 0);
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
