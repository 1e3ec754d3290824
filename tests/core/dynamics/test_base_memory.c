/* SPDX-License-Identifier: MIT */
/* Base parameters without memory, at any allocation: it is said, nothing leaks, nothing is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "core/dynamics/ways.h"
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

/* ---- the tests ---- */

static void start(long k) {
  is_counting = true;
  allocations = live = 0;
  fail_at = k;
}

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
    start(k);
    status = arm_base_new(&model, 15, ARM_BASE_QR, &base);
    if (status == ARM_OK)
      arm_base_free(base);
    is_counting = false;
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && base == NULL));
    assert_int_equal(live, 0);
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
    start(k);
    status = arm_base_compare(&model, &ways);
    is_counting = false;
    assert_true(status == ARM_OK || (status == ARM_E_MEMORY && ways.qr == 99));
    assert_int_equal(live, 0);
  }
  assert_true(k > 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_base), cmocka_unit_test(test_compare)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
