/* SPDX-License-Identifier: MIT */
/* Judging a motion without memory, at any allocation: it is said, nothing leaks, nothing is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/excite/check.h"
#include "support/base_case.h"

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
    is_counting = true;
    allocations = live = 0;
    fail_at = k;
    status =
        arm_excitation_new(base, &model, &limits, SAMPLES, motion, qd, qdd, noise, &excitation);
    if (status == ARM_OK)
      arm_excitation_free(excitation);
    is_counting = false;
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && excitation == NULL));
    assert_int_equal(live, 0);
  }
  assert_true(k > 8);
  arm_base_free(base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_excitation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
