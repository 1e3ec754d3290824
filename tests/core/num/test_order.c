/* SPDX-License-Identifier: MIT */
/* Medians of values that are shown again and again, against those of sorted arrays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/num/filter.h"
#include "core/num/order.h"
#include "support/support.h"

enum { MOST = 100001, MOST_ROUNDS = 6 };

static double values[MOST], sorted[MOST];

static int check(size_t count) {
  ArmOrder order = {0};
  int rounds = 1;
  memcpy(sorted, values, count * sizeof *values);
  for (bool is_known = false; !is_known; rounds++) {
    for (size_t k = 0; k < count; k++)
      assert_int_equal(arm_order_push(&order, values[k]), ARM_OK);
    is_known = arm_order_end(&order);
    assert_true(is_known || rounds < MOST_ROUNDS);
  }
  assert_int_equal(order.count, count);
  if (count == 0)
    assert_true(isnan(order.median));
  else
    assert_true(order.median == arm_filter_median(sorted, count));
  arm_order_clear(&order);
  return rounds - 1;
}

static void test_sizes(void **state) {
  static const size_t sizes[] = {0,     1,     2,     3,     20000,  32767,
                                 32768, 32769, 32770, 50001, 100000, MOST};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 1);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t k = 0; k < sizes[s]; k++)
      values[k] = fabs(test_rng_normal(&rng));
    assert_true(check(sizes[s]) <= (sizes[s] > 32768 ? 2 : 1));
    for (size_t k = 0; k < sizes[s]; k++)
      values[k] = ldexp(fabs(test_rng_normal(&rng)), (int)(test_rng_uniform(&rng, -1000, 900)));
    check(sizes[s]);
  }
}

/* Steps of a current sensor, one value alone, two values whose middle lies between them. */
static void test_equal_values(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 2);
  for (size_t count = 40000; count <= 40001; count++) {
    for (size_t k = 0; k < count; k++)
      values[k] = 0.01 * floor(fabs(10 * test_rng_normal(&rng)));
    check(count);
    for (size_t k = 0; k < count; k++)
      values[k] = k % 2 == 0 ? 0.25 : 3e300;
    check(count);
    for (size_t k = 0; k < count; k++)
      values[k] = k % 2 == 0 ? 1.0 : nextafter(1.0, 2.0);
    check(count);
    for (size_t k = 0; k < count; k++)
      values[k] = 0.0;
    check(count);
    for (size_t k = 0; k < count; k++)
      values[k] = k % 3 == 0 ? 1.0 : (double)INFINITY;
    check(count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_equal_values),
  };
  return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
