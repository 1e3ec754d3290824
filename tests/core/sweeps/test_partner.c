/* SPDX-License-Identifier: MIT */
/* Strokes pair as the rule says when each is compared with all others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/verdict_internal.h"
#include "support/support.h"

enum { MOST = 400 };

/* ---- the rule, in plain words ---- */

static bool may_pair(const ArmPartner *a, const ArmPartner *b, bool is_near) {
  const double va = fabs(a->speed), vb = fabs(b->speed);
  return !b->is_paired && b->is_full && a->hold == b->hold && a->speed * b->speed < 0.0 &&
         fabs(va - vb) <= (is_near ? 0.15 * fmax(va, vb) : 0.05 * va);
}

static size_t nearest_of_all(const ArmPartner *all, size_t count, size_t s, bool is_near) {
  size_t best = ARM_IDENT_NONE;
  double nearest = (double)INFINITY;
  for (size_t o = 0; o < count; o++) {
    const double apart = is_near ? fabs(fabs(all[o].speed) - fabs(all[s].speed))
                                 : fabs(all[o].t_first - all[s].t_first);
    if (o != s && may_pair(&all[s], &all[o], is_near) && apart < nearest) {
      nearest = apart;
      best = o;
    }
  }
  return best;
}

static size_t pair_all(ArmPartner *all, size_t count, bool is_near, ArmMates *mates) {
  size_t pairs = 0;
  for (size_t s = 0; s < count; s++) {
    const size_t o = all[s].is_full && !all[s].is_paired ? nearest_of_all(all, count, s, is_near)
                                                         : ARM_IDENT_NONE;
    if (o == ARM_IDENT_NONE)
      continue;
    all[s].is_paired = all[o].is_paired = true;
    mates[pairs++] = (ArmMates){s, o};
  }
  return pairs;
}

/* ---- strokes ---- */

/* grain: of times and speeds; where it is coarse many are equal */
static void draw(TestRng *rng, double grain, size_t holds, ArmPartner *all, size_t count) {
  static const double levels[] = {0.1, 0.108, 0.2, 0.5};
  for (size_t s = 0; s < count; s++) {
    const double off = 1.0 + 0.1 * test_rng_normal(rng);
    const double speed = round(levels[test_rng_below(rng, 4)] * off / grain) * grain;
    all[s] = (ArmPartner){.speed = test_rng_below(rng, 2) ? speed : -speed,
                          .t_first = round(test_rng_uniform(rng, 0.0, 100.0) / grain) * grain,
                          .hold = test_rng_below(rng, holds),
                          .is_full = test_rng_below(rng, 10) > 0};
  }
}

static void check_same(const ArmPartner *from, size_t count) {
  ArmPartner plain[MOST], queued[MOST];
  ArmMates expected[MOST / 2], found[MOST / 2];
  memcpy(plain, from, count * sizeof *from);
  memcpy(queued, from, count * sizeof *from);
  for (int near = 0; near < 2; near++) {
    size_t pairs;
    const size_t wanted = pair_all(plain, count, near, expected);
    assert_int_equal(arm_partners_pair(queued, count, near, found, &pairs), ARM_OK);
    assert_int_equal(pairs, wanted);
    for (size_t p = 0; p < pairs; p++) {
      assert_int_equal(found[p].s, expected[p].s);
      assert_int_equal(found[p].other, expected[p].other);
    }
    for (size_t s = 0; s < count; s++)
      assert_int_equal(queued[s].is_paired, plain[s].is_paired);
  }
}

static void test_partners(void **state) {
  (void)state;
  static const double grains[] = {1e-9, 0.02, 0.1};
  ArmPartner all[MOST];
  TestRng rng;
  test_rng_init(&rng, test_seed(1));
  for (int k = 0; k < 300; k++) {
    const size_t count = test_rng_below(&rng, MOST + 1);
    draw(&rng, grains[k % 3], 1 + test_rng_below(&rng, 4), all, count);
    check_same(all, count);
  }
}

/* ---- levels ---- */

typedef struct {
  ArmStrokeFit fit;
  ArmFitStroke strokes[MOST];
  ArmStroke sums[MOST];
  ArmPair pairs[MOST / 2];
} Case;

static void make_pairs(Case *c, const ArmPartner *all, size_t count) {
  memset(c, 0, sizeof *c);
  c->fit = (ArmStrokeFit){.strokes = c->strokes, .pairs = c->pairs, .n_strokes = count};
  c->fit.joint[0].strokes = count;
  for (size_t s = 0; s < count; s++) {
    c->sums[s] = (ArmStroke){.rows = 50, .t_first = all[s].t_first, .hold = all[s].hold};
    c->strokes[s] =
        (ArmFitStroke){.sums = &c->sums[s], .speed = all[s].speed, .is_full = all[s].is_full};
  }
  assert_int_equal(arm_stroke_fit_pair(&c->fit, &c->fit.joint[0]), ARM_OK);
}

/* The level of the earlier pair that is nearest in speed, else a new one. */
static size_t expected_level(const Case *c, size_t p, size_t levels) {
  const ArmPair *pair = &c->pairs[p];
  const double va = fabs(c->strokes[pair->plus].speed), vb = fabs(c->strokes[pair->minus].speed);
  const double part = fabs(va - vb) <= 0.05 * fmax(va, vb) ? 0.05 : 0.15;
  double nearest = (double)INFINITY;
  size_t level = levels;
  for (size_t k = 0; k < p; k++) {
    const double apart = fabs(c->pairs[k].speed - pair->speed);
    if (apart > part * pair->speed || !(apart < nearest))
      continue;
    nearest = apart;
    level = c->pairs[k].level;
  }
  return level;
}

static void test_levels(void **state) {
  (void)state;
  static Case c;
  ArmPartner all[MOST];
  size_t pairs = 0;
  TestRng rng;
  test_rng_init(&rng, test_seed(2));
  for (int k = 0; k < 400; k++) {
    const size_t count = 20 + test_rng_below(&rng, MOST - 20);
    size_t levels = 0;
    draw(&rng, k % 2 ? 0.005 : 1e-9, 3, all, count);
    make_pairs(&c, all, count);
    pairs += c.fit.joint[0].pairs;
    for (size_t p = 0; p < c.fit.joint[0].pairs; p++) {
      assert_int_equal(c.pairs[p].level, expected_level(&c, p, levels));
      levels += c.pairs[p].level == levels;
    }
    assert_int_equal(levels, c.fit.joint[0].levels);
  }
  assert_true(pairs > 20000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_partners),
      cmocka_unit_test(test_levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
