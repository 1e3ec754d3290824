/* SPDX-License-Identifier: MIT */
/* Rows of a state that has joints in common with the one before: to the bit those of the state by
 * itself, for chains kept in place and beside, and for rows of an identification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/ident_internal.h"
#include "support/dyn_random.h"

enum { N = ARM_MAX_JOINTS, ARMS = 60, STATES = 40 };

/* Some joints move; one in a while stands at +0, -0 or is lost. */
static void next_state(TestRng *rng, size_t n, double *q) {
  static const double special[] = {0.0, -0.0, (double)NAN};
  for (size_t i = 0; i < n; i++)
    if (test_rng_below(rng, 3) == 0)
      q[i] = test_rng_below(rng, 4) > 0 ? test_rng_uniform(rng, -3, 3)
                                        : special[test_rng_below(rng, 3)];
}

static void random_arm(TestRng *rng, size_t n, ArmModel *model) {
  dyn_random_arm(rng, n, model);
  model->has_coupling = n > 1 && test_rng_below(rng, 3) == 0;
  for (size_t j = 1; j < n && model->has_coupling; j++)
    model->coupling[j][j - 1] = test_rng_uniform(rng, -1, 1);
}

/* Whether they are lost is all that can be said of rows of a lost position. */
static void check_same(const double *got, const double *want, size_t count) {
  for (size_t c = 0; c < count; c++)
    assert_true(memcmp(&got[c], &want[c], sizeof *got) == 0 || (isnan(got[c]) && isnan(want[c])));
}

static void check_rows(const ArmModel *model, const double *q, const ArmGravityChain *chain) {
  double want[2 * N], got[2 * N];
  for (size_t j = 0; j < model->n; j++) {
    arm_gravity_row(model, q, j, want);
    arm_gravity_chain_row(model, chain, j, got);
    check_same(got, want, 2 * model->n);
  }
}

static void test_kept_chain(void **state) {
  static ArmModel model;
  static ArmGravityChain kept, pair[2];
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(16));
  for (size_t arm = 0; arm < ARMS; arm++) {
    double q[N] = {0};
    random_arm(&rng, 1 + arm % 8, &model);
    arm_gravity_chain_forget(&kept); /* nothing is left of another arm */
    arm_gravity_chain_forget(&pair[1]);
    for (size_t s = 0; s < STATES; s++) {
      next_state(&rng, model.n, q);
      arm_gravity_chain(&model, q, &kept, &kept);
      check_rows(&model, q, &kept);
      arm_gravity_chain(&model, q, &pair[(s + 1) % 2], &pair[s % 2]);
      check_rows(&model, q, &pair[s % 2]);
    }
  }
}

static void test_rows_of_an_identification(void **state) {
  static ArmModel model;
  static ArmGravityChain last;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17));
  for (size_t arm = 0; arm < ARMS; arm++) {
    double q[N] = {0}, qd[N];
    random_arm(&rng, 1 + arm % 8, &model);
    arm_gravity_chain_forget(&last);
    for (size_t s = 0; s < STATES; s++) {
      const size_t joint = test_rng_below(&rng, model.n), columns = 2 * (model.n - joint) + 5;
      double want[ARM_IDENT_MAX_COLUMNS], got[ARM_IDENT_MAX_COLUMNS];
      next_state(&rng, model.n, q);
      dyn_random_vector(&rng, model.n, 1, qd);
      arm_ident_row(&model, true, q, qd, 0.5, joint, NULL, want);
      arm_ident_row(&model, true, q, qd, 0.5, joint, &last, got);
      check_same(got, want, columns);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kept_chain),
      cmocka_unit_test(test_rows_of_an_identification),
  };
  return cmocka_run_group_tests_name("gravity_chain", tests, NULL, NULL);
}
