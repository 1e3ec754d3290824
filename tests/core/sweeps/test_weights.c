/* SPDX-License-Identifier: MIT */
/* Weights of strokes and the sds that come of them, on recordings of arms of which everything is
 * known; the whole table is `tests/show/show_intervals`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/intervals.h"

static void run(FaultyKind kind, size_t count, IntervalsResult *r) {
  Faulty f;
  faulty_sound(kind, &f);
  assert_true(intervals_run(FAULTY_TOOL, &f, 1, count, false, r));
  assert_int_equal(r->failed, 0);
}

/* 2 % of scatter between strokes made k* three times worse, and their sds twenty times too wide */
static void test_scatter(void **state) {
  (void)state;
  IntervalsResult r;
  run(FAULTY_SCATTER, 15, &r);
  const Intervals *k = &r.weighed[INTERVALS_K_STAR], *ratios = &r.weighed[INTERVALS_RATIOS];
  assert_true(r.equal[INTERVALS_K_STAR].error >= 2.5 && r.equal[INTERVALS_RATIOS].error >= 4);
  assert_true(k->covered >= 0.9 && k->width < 1.5);
  assert_true(ratios->covered >= 0.85 && ratios->width < 1.6);
  assert_true(r.equal[INTERVALS_K_STAR].width > 10);
}

/* a servo's noise has little at slow orders: the samples promised a tenth of what was known */
static void test_servo(void **state) {
  (void)state;
  IntervalsResult r;
  run(FAULTY_SERVO, 10, &r);
  for (int c = INTERVALS_K_STAR; c <= INTERVALS_RATIOS; c++) {
    assert_true(r.weighed[c].covered >= 0.95);
    assert_true(r.weighed[c].width < 5 && r.equal[c].width > 5);
  }
}

/* noise as long as a stroke: wide sds, not much narrower than the correlation of samples says */
static void test_slow_noise(void **state) {
  (void)state;
  IntervalsResult r;
  run(FAULTY_AR_98, 10, &r);
  for (int c = INTERVALS_K_STAR; c <= INTERVALS_RATIOS; c++) {
    assert_true(r.weighed[c].covered >= 0.95);
    assert_true(r.weighed[c].width >= r.equal[c].width * 0.85);
  }
}

/* white noise alike everywhere: weights would know less than the samples, so there are none */
static void test_white(void **state) {
  (void)state;
  static ArmGravityFit fit, equal;
  Faulty f;
  size_t same = 0, given = 0;
  faulty_sound(FAULTY_WHITE, &f);
  for (uint64_t seed = 1; seed <= 10; seed++) {
    assert_true(faulty_fit_twice(FAULTY_TOOL, &f, seed, &fit, &equal));
    assert_true(fit.is_converged && fit.refined.n_ids == equal.refined.n_ids);
    for (size_t k = 0; k < fit.refined.n_ids; k++) {
      const ArmEstimate *a = arm_gravity_parameters_at(&fit.refined, fit.refined.ids[k]);
      const ArmEstimate *b = arm_gravity_parameters_at(&equal.refined, fit.refined.ids[k]);
      given++;
      same += fabs(a->used - b->used) <= 1e-12 * fabs(b->used);
      if (a->identifiable)
        assert_true(fabs(a->value - b->value) <= b->sd && fabs(a->sd - b->sd) <= 0.5 * b->sd);
    }
    arm_gravity_fit_clear(&fit);
    arm_gravity_fit_clear(&equal);
  }
  assert_true(2 * same > given); /* a joint in sixteen is weighed by chance, and moves its ratios */
}

/* are the estimates those of samples that count alike? */
static bool is_as_before(const Faulty *f, uint64_t seed, size_t pairs[FAULTY_JOINTS]) {
  static ArmGravityFit fit, equal;
  assert_true(faulty_fit_twice(FAULTY_TOOL, f, seed, &fit, &equal));
  assert_int_equal(fit.refined.n_ids, equal.refined.n_ids);
  const size_t cells = fit.refined.n_ids * fit.refined.n_ids;
  bool is_same =
      memcmp(fit.refined.covariance, equal.refined.covariance, cells * sizeof(double)) == 0;
  for (size_t k = 0; k < fit.refined.n_ids; k++)
    is_same &= arm_gravity_parameters_at(&fit.refined, fit.refined.ids[k])->used ==
               arm_gravity_parameters_at(&equal.refined, fit.refined.ids[k])->used;
  for (size_t i = 0; i < FAULTY_JOINTS; i++)
    pairs[i] = fit.verdict.joint[i].pairs;
  arm_gravity_fit_clear(&fit);
  arm_gravity_fit_clear(&equal);
  return is_same;
}

/* one speed, or two holds at two: nothing or too little is known of noise between strokes, all
 * stays as it was */
static void test_few_strokes(void **state) {
  (void)state;
  size_t pairs[FAULTY_JOINTS];
  Faulty f;
  faulty_sound(FAULTY_SCATTER, &f);
  f.speeds = 1;
  assert_true(is_as_before(&f, 1, pairs));
  f.holds = f.speeds = 2;
  assert_true(is_as_before(&f, 1, pairs));
}

/* in a single hold nothing tells how the mean of gravity scatters, whatever is repeated in it */
static void test_one_hold(void **state) {
  (void)state;
  size_t pairs[FAULTY_JOINTS], weighed = 0;
  Faulty f;
  faulty_sound(FAULTY_SCATTER, &f);
  f.only = 6;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    f.holds = 1;
    f.repeats = 2;
    assert_true(is_as_before(&f, seed, pairs));
    assert_int_equal(pairs[5], 6);
    f.holds = 2;
    f.repeats = 1;
    weighed += !is_as_before(&f, seed, pairs);
    assert_int_equal(pairs[5], 6);
  }
  assert_true(weighed >= 3); /* as many pairs of two holds are enough */
}

/* five pairs of two or three holds are one too few for the scatter of friction, six are not */
static void test_six_pairs(void **state) {
  (void)state;
  size_t pairs[FAULTY_JOINTS], five = 0, six = 0, weighed = 0;
  Faulty f;
  faulty_sound(FAULTY_SCATTER, &f);
  f.only = 6;
  f.holds = 3;
  f.speeds = 2;
  f.missing = 0.08;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    const bool is_same = is_as_before(&f, seed, pairs);
    five += pairs[5] == 5;
    six += pairs[5] == 6;
    weighed += pairs[5] == 6 && !is_same;
    assert_true(is_same || pairs[5] == 6);
  }
  assert_true(five >= 3 && six >= 3 && 2 * weighed >= six);
}

/* a payload in one hold only: the estimates are those of the samples, whose own residuals weigh
 * what does not fit, and the misfit of the gravity alarm is in the sds of all parameters */
static void test_hold_component(void **state) {
  (void)state;
  IntervalsResult r;
  Faulty f;
  faulty_default(&f);
  f.payload = 0.2;
  assert_true(intervals_run(FAULTY_TOOL, &f, 1, 6, true, &r));
  assert_int_equal(r.alarms, 6);
  const Intervals *k = &r.weighed[INTERVALS_K_STAR], *before = &r.equal[INTERVALS_K_STAR];
  assert_true(test_is_near(before->error, 1, 1e-9, 0));
  assert_true(before->in_2sd < 0.6 && k->in_2sd > 0.8 && k->in_5sd > 0.95);
}

/* a gear 10 % off is misfit of joint 3 and looks like scatter and trend of the others' friction: no
 * joint is weighed by that */
static void test_misfit(void **state) {
  (void)state;
  IntervalsResult r;
  Faulty f;
  faulty_default(&f);
  f.gear[2] = 1.1;
  assert_true(intervals_run(FAULTY_TOOL, &f, 1, 4, true, &r));
  assert_int_equal(r.alarms, 4);
  assert_true(test_is_near(r.equal[INTERVALS_RATIOS].error, 1, 1e-9, 0));
}

/* strokes of 8 rows are too short to be judged, but they are not left out of the fit */
static void test_brief_strokes(void **state) {
  (void)state;
  static ArmGravityFit fit, without;
  Faulty f;
  faulty_sound(FAULTY_SCATTER, &f);
  f.only = 6;
  f.holds = 3;
  f.brief = 2;
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &fit));
  f.holds = 2;
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &without));
  assert_int_equal(fit.refined.joint[5].rows_used, without.refined.joint[5].rows_used + 6 * 8);
  assert_int_equal(fit.verdict.joint[5].strokes, without.verdict.joint[5].strokes);
  for (size_t a = 0; a < 2; a++) {
    const ArmEstimate *w = &fit.refined.joint[5].w[a], *alone = &without.refined.joint[5].w[a];
    assert_true(w->identifiable && alone->identifiable);
    assert_true(w->value != alone->value && fabs(w->value - alone->value) < alone->sd);
    assert_true(w->sd < alone->sd);
  }
  arm_gravity_fit_clear(&fit);
  arm_gravity_fit_clear(&without);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scatter),       cmocka_unit_test(test_servo),
      cmocka_unit_test(test_slow_noise),    cmocka_unit_test(test_white),
      cmocka_unit_test(test_few_strokes),   cmocka_unit_test(test_one_hold),
      cmocka_unit_test(test_six_pairs),     cmocka_unit_test(test_hold_component),
      cmocka_unit_test(test_brief_strokes), cmocka_unit_test(test_misfit),
  };
  return cmocka_run_group_tests_name("weights", tests, NULL, NULL);
}
