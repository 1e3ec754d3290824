/* SPDX-License-Identifier: MIT */
/* What replicates tell without a pair is what they tell when that pair is dropped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/verdict_replicates.h"
#include "support/support.h"

enum { K = ARM_STROKE_ORDERS, MOST = 40 };

/* A joint with pairs alone, and residuals that know of no model. */
typedef struct {
  ArmStrokeFit fit;
  ArmPair pairs[MOST];
  ArmFitStroke strokes[2 * MOST];
  ArmStroke sums[2 * MOST];
  double residual[MOST * ARM_PAIR_ROWS];
} Case;

static void add_pair(Case *c, TestRng *rng, size_t hold, size_t level) {
  ArmJointStrokes *joint = &c->fit.joint[0];
  const size_t p = joint->pairs++;
  ArmPair *pair = &c->pairs[p];
  *pair = (ArmPair){.plus = 2 * p,
                    .minus = 2 * p + 1,
                    .hold = hold,
                    .level = level,
                    .speed = 0.2 + 0.3 * (double)level + 0.004 * test_rng_normal(rng),
                    .weight = test_rng_uniform(rng, 50.0, 60.0),
                    .crossed = 1.0};
  for (size_t k = 0; k < K; k++)
    for (size_t r = 0; r <= k; r++)
      pair->mix[r + k * K] = (r == k ? 1.0 : 0.0) + 0.2 * test_rng_normal(rng);
  for (size_t s = 2 * p; s < 2 * p + 2; s++) {
    c->sums[s] = (ArmStroke){.rows = 100, .t_sum = 100.0 * (double)s};
    c->strokes[s].sums = &c->sums[s];
  }
  for (size_t r = 0; r < ARM_PAIR_ROWS; r++)
    c->residual[p * ARM_PAIR_ROWS + r] = 0.005 * test_rng_normal(rng);
  joint->holds = hold >= joint->holds ? hold + 1 : joint->holds;
  joint->levels = level >= joint->levels ? level + 1 : joint->levels;
  joint->t_span += 2.0;
  joint->t_mean += 1.0;
}

static void begin(Case *c) {
  memset(c, 0, sizeof *c);
  c->fit.pairs = c->pairs;
  c->fit.strokes = c->strokes;
  c->fit.residual = c->residual;
}

static void assert_same(const ArmNoiseSums *a, const ArmNoiseSums *b, double scale) {
  for (size_t k = 0; k < K; k++) {
    assert_true(test_is_near(a->dof[k], b->dof[k], 0, 1e-9));
    assert_true(test_is_near(a->sum[k], b->sum[k], 1e-9, 1e-12 * scale));
  }
  assert_true(test_is_near(a->even_dof, b->even_dof, 0, 1e-9));
  assert_true(test_is_near(a->even_all, b->even_all, 0, 1e-9));
  assert_true(test_is_near(a->even_sum, b->even_sum, 1e-9, 1e-12 * scale));
}

/* scale: of squared residuals, those that stand out included */
static void check(Case *c, double scale) {
  ArmReplicates rep;
  ArmNoiseSums all, without[MOST], dropped;
  size_t pairs[MOST], count = 0;
  assert_int_equal(arm_replicates_init(&rep, &c->fit, &c->fit.joint[0]), ARM_OK);
  arm_replicates_sum(&rep, &all);
  for (size_t p = 0; p < c->fit.joint[0].pairs; p++)
    if (!c->pairs[p].is_dropped)
      pairs[count++] = p;
  assert_int_equal(arm_replicates_without(&rep, count, pairs, without), ARM_OK);
  for (size_t k = 0; k < count; k++) {
    c->pairs[pairs[k]].is_dropped = true;
    arm_replicates_sum(&rep, &dropped);
    c->pairs[pairs[k]].is_dropped = false;
    assert_same(&without[k], &dropped, scale);
    assert_true(all.dof[1] >= dropped.dof[1]);
  }
  arm_replicates_clear(&rep);
}

static void fill_grid(Case *c, TestRng *rng, size_t holds, size_t levels) {
  begin(c);
  for (size_t h = 0; h < holds; h++)
    for (size_t l = 0; l < levels; l++)
      add_pair(c, rng, h, l);
}

static void test_grids(void **state) {
  (void)state;
  static Case c;
  TestRng rng;
  test_rng_init(&rng, test_seed(1));
  for (size_t holds = 1; holds <= 5; holds++)
    for (size_t levels = 1; levels <= 4; levels++) {
      fill_grid(&c, &rng, holds, levels);
      check(&c, 1.0);
    }
}

/* The longer recordings are, the more pairs of a hold and speed there are. */
static void test_again(void **state) {
  (void)state;
  static Case c;
  TestRng rng;
  test_rng_init(&rng, test_seed(2));
  fill_grid(&c, &rng, 3, 3);
  for (size_t k = 0; k < 25; k++)
    add_pair(&c, &rng, k % 3, k / 3 % 3);
  check(&c, 1.0);
  c.pairs[4].is_dropped = c.pairs[17].is_dropped = true;
  check(&c, 1.0);
}

/* Holds that were not swept at every speed, one of them once; a speed that one pair has. */
static void test_patchy(void **state) {
  (void)state;
  static Case c;
  TestRng rng;
  test_rng_init(&rng, test_seed(3));
  fill_grid(&c, &rng, 2, 3);
  add_pair(&c, &rng, 2, 1);
  add_pair(&c, &rng, 3, 3);
  add_pair(&c, &rng, 3, 0);
  check(&c, 1.0);
}

/* A pair that stands out by a million times the noise is taken off of what it is in. */
static void test_outlier(void **state) {
  (void)state;
  static Case c;
  TestRng rng;
  test_rng_init(&rng, test_seed(4));
  fill_grid(&c, &rng, 4, 3);
  for (size_t r = 0; r < ARM_PAIR_ROWS; r++)
    c.residual[7 * ARM_PAIR_ROWS + r] = 5e3;
  check(&c, 2.5e7 * 60.0 * ARM_PAIR_ROWS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grids),
      cmocka_unit_test(test_again),
      cmocka_unit_test(test_patchy),
      cmocka_unit_test(test_outlier),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
