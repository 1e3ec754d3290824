/* SPDX-License-Identifier: MIT */
/* A joint that was never swept is not massless: what hangs on its load is refused or right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/some.h"
#include "support/unswept.h"

static void check(uint64_t seed, size_t arms, const TruthOptions *options, UnsweptHolds holds) {
  UnsweptResult r;
  unswept_random(seed, arms, options, holds, &r);
  print_message(
      "# %zu arms: %zu given, %zu wrong, worst %.1f sds; %zu of %zu kept; %zu predictions, "
      "worst %.1f sds\n",
      r.arms, r.given, r.wrong, r.worst, r.kept, r.of_all, r.predictions, r.prediction);
  assert_int_equal(r.failed, 0);
  assert_int_equal(r.wrong, 0);
  assert_int_equal(r.silent, 0);
  assert_int_equal(r.ratios_to_it, 0);
  assert_true(r.prediction <= 6.0);
  assert_true(r.given > 10 * arms && r.predictions > 0);
  assert_true(holds != UNSWEPT_TURNED || r.kept >= r.of_all * 9 / 10);
  assert_true(holds != UNSWEPT_JITTER || r.kept <= r.of_all * 97 / 100); /* not from jitter */
}

static void test_one_joint_left_out(void **state) {
  TruthOptions options;
  (void)state;
  truth_options_default(&options);
  check(130000, test_some(150, 40), &options, UNSWEPT_TURNED);
}

static void test_holds_that_never_turn_it(void **state) {
  TruthOptions options;
  (void)state;
  truth_options_default(&options);
  check(140000, test_some(150, 40), &options, UNSWEPT_STILL);
}

/* jitter is no hold: no load is found from it */
static void test_holds_that_jitter(void **state) {
  TruthOptions options;
  (void)state;
  truth_options_default(&options);
  check(140000, test_some(150, 40), &options, UNSWEPT_JITTER);
}

static void test_gear_coupled_and_sliding(void **state) {
  TruthOptions options;
  (void)state;
  truth_options_default(&options);
  options.wants_coupling = true;
  options.n_min = 3;
  options.slide_share = 0.5;
  check(150000, test_some(100, 40), &options, UNSWEPT_TURNED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_joint_left_out),
      cmocka_unit_test(test_holds_that_never_turn_it),
      cmocka_unit_test(test_holds_that_jitter),
      cmocka_unit_test(test_gear_coupled_and_sliding),
  };
  return cmocka_run_group_tests_name("unswept", tests, NULL, NULL);
}
