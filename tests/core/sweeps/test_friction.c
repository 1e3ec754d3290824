/* SPDX-License-Identifier: MIT */
/* Friction terms, judged by arms of which everything is known; the whole study is
 * `tests/show/show_friction`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/predict.h"
#include "support/faulty.h"

enum { N = FAULTY_JOINTS };
static ArmGravityFit fit, other;

static void with_terms(Faulty *f) {
  faulty_default(f);
  f->offers_term[ARM_TERM_LOAD] = f->offers_term[ARM_TERM_CURVE] = true;
}

static bool has_any(const ArmGravityFit *of) {
  for (size_t i = 0; i < of->refined.n; i++)
    if (of->refined.joint[i].has_term[0] || of->refined.joint[i].has_term[1])
      return true;
  return false;
}

/* joints 2 and 3 carry the arm: found in every recording, the truth within 3 sd, no alarm left */
static void test_load_is_found(void **state) {
  (void)state;
  Faulty f;
  size_t found = 0, within = 0;
  with_terms(&f);
  f.load_friction = 0.06;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    assert_true(faulty_fit(FAULTY_TOOL, &f, seed, &fit));
    for (size_t i = 0; i < N; i++) {
      const ArmJointFit *joint = &fit.refined.joint[i];
      const ArmEstimate *e = &joint->term[ARM_TERM_LOAD];
      if (!joint->has_term[ARM_TERM_LOAD])
        continue;
      found += i == 1 || i == 2;
      assert_true(e->identifiable && e->sd > 0);
      assert_true(fabs(e->value - 0.06) < 4 * e->sd);
      within += (i == 1 || i == 2) && fabs(e->value - 0.06) < 3 * e->sd;
      assert_true(joint->load_seen[0] >= 0 && joint->load_seen[1] > joint->load_seen[0]);
    }
    assert_false(fit.verdict.joint[1].test[ARM_TEST_DIRECTION].is_alarm);
    assert_false(fit.verdict.joint[2].test[ARM_TEST_DIRECTION].is_alarm);
    arm_gravity_fit_clear(&fit);
  }
  assert_int_equal(found, 20);
  assert_true(within >= 19);
}

/* without the term the alarm stands */
static void test_base_alarms(void **state) {
  (void)state;
  Faulty f;
  faulty_default(&f);
  f.load_friction = 0.06;
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &fit));
  assert_false(has_any(&fit));
  assert_true(fit.verdict.joint[1].test[ARM_TEST_DIRECTION].is_alarm);
  arm_gravity_fit_clear(&fit);
}

/* One hold whose way back is missing bends ratios by what friction the load adds; the term does
 * away with that. */
static void test_one_way(void **state) {
  (void)state;
  Truth truth;
  ArmModel model;
  Faulty f;
  double bent = 0, worst = 0, mean[N] = {0};
  with_terms(&f);
  f.load_friction = 0.1;
  f.one_way = 1;
  assert_true(faulty_truth(FAULTY_TOOL, &f, &truth, &model));
  for (int base = 0; base < 2; base++) {
    memset(mean, 0, sizeof mean);
    for (uint64_t seed = 1; seed <= 8; seed++) {
      f.offers_term[0] = f.offers_term[1] = !base;
      assert_true(faulty_fit(FAULTY_TOOL, &f, seed, &fit));
      for (size_t i = 1; i < 4; i++)
        mean[i] += (fit.refined.ratio[i][i + 1].used / (truth.eta[i] / truth.eta[i + 1]) - 1) / 8;
      arm_gravity_fit_clear(&fit);
    }
    for (size_t i = 1; i < 4; i++) {
      bent = fmax(bent, base ? fabs(mean[i]) : 0);
      worst = fmax(worst, base ? 0 : fabs(mean[i]));
      print_message("# %s ratio %zu: %.4f\n", base ? "base" : "terms", i + 1, mean[i]);
    }
  }
  assert_true(bent > 0.02);
  assert_true(worst < 0.005);
}

/* sound recordings: nobody gets a term, and all numbers are those of a fit that offers none */
static void test_sound(void **state) {
  (void)state;
  size_t given = 0, joints = 0;
  for (int kind = 0; kind < FAULTY_KINDS; kind++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      Faulty f;
      faulty_sound((FaultyKind)kind, &f);
      if (kind == FAULTY_STRIBECK)
        continue;
      f.offers_term[ARM_TERM_LOAD] = f.offers_term[ARM_TERM_CURVE] = true;
      assert_true(faulty_fit(FAULTY_TOOL, &f, seed, &fit));
      for (size_t i = 0; i < N; i++) {
        for (int t = 0; t < ARM_TERMS; t++) {
          const ArmTermTrial *trial = &fit.refined.joint[i].trial[t];
          if (fit.refined.joint[i].has_term[t])
            print_message("# %s seed %d joint %zu %s: %.4f +- %.4f, gain %.3f\n",
                          faulty_kind_name((FaultyKind)kind), (int)seed, i + 1,
                          arm_term_key((ArmFrictionTerm)t), trial->value, trial->sd, trial->gain);
          given += fit.refined.joint[i].has_term[t];
        }
        joints++;
      }
      f.offers_term[ARM_TERM_LOAD] = f.offers_term[ARM_TERM_CURVE] = false;
      assert_true(faulty_fit(FAULTY_TOOL, &f, seed, &other));
      if (!has_any(&fit)) {
        assert_int_equal(fit.refined.n_ids, other.refined.n_ids);
        assert_memory_equal(fit.refined.covariance, other.refined.covariance,
                            fit.refined.n_ids * fit.refined.n_ids * sizeof(double));
        assert_memory_equal(&fit.verdict, &other.verdict, sizeof fit.verdict);
      }
      arm_gravity_fit_clear(&fit);
      arm_gravity_fit_clear(&other);
    }
  print_message("# %zu terms to %zu joints\n", given, joints);
  assert_true(given * 50 <= joints);
}

/* what cannot be seen is said; what has no sign is no friction */
static void test_unseen(void **state) {
  (void)state;
  Faulty f;
  with_terms(&f);
  f.load_friction = 0.1;
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &fit));
  assert_int_equal(fit.refined.joint[0].trial[ARM_TERM_LOAD].outcome, ARM_TERM_UNSEEN);
  assert_int_equal(fit.refined.joint[5].trial[ARM_TERM_LOAD].outcome, ARM_TERM_UNSEEN);
  arm_gravity_fit_clear(&fit);
  f.load_friction = 0.8; /* more than any gear: it stays an alarm */
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &fit));
  assert_int_equal(fit.refined.joint[1].trial[ARM_TERM_LOAD].outcome, ARM_TERM_ABSURD);
  assert_false(fit.refined.joint[1].has_term[ARM_TERM_LOAD]);
  assert_true(fit.verdict.joint[1].test[ARM_TEST_DIRECTION].is_alarm);
  arm_gravity_fit_clear(&fit);
  f.load_friction = 0;
  f.is_unsigned = true;
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &fit));
  assert_true(fit.verdict.verdict == ARM_VERDICT_MISFIT);
  for (size_t i = 0; i < N; i++)
    assert_true(fit.refined.joint[i].term[ARM_TERM_LOAD].used < 0.5);
  arm_gravity_fit_clear(&fit);
}

/* friction that is no straight line of speed */
static void test_curve(void **state) {
  (void)state;
  Faulty f;
  size_t found = 0;
  with_terms(&f);
  f.stribeck = 0.5;
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &fit));
  for (size_t i = 0; i < N; i++) {
    found += fit.refined.joint[i].has_term[ARM_TERM_CURVE];
    assert_false(fit.refined.joint[i].has_term[ARM_TERM_LOAD]);
    if (fit.refined.joint[i].has_term[ARM_TERM_CURVE])
      assert_true(fit.refined.joint[i].curve_speed > 0);
  }
  print_message("# curve on %zu joints\n", found);
  assert_true(found >= 4);
  arm_gravity_fit_clear(&fit);
}

/* mu, gravity and all else from exact currents predict exact currents; the sd at rest holds the
 * band of the load */
static void test_prediction(void **state) {
  (void)state;
  Truth truth;
  ArmModel model;
  Faulty f;
  const ArmPredictOptions moving = {.wants_stiction = true};
  double q[N], qd[N] = {0.4, -0.5, 0.6, -0.7, 0.5, 0.4}, current[N], sd[N];
  TestRng rng;
  test_rng_init(&rng, 5);
  with_terms(&f);
  f.white = 1e-6;
  f.load_friction = 0.08;
  assert_true(faulty_truth(FAULTY_TOOL, &f, &truth, &model));
  assert_true(faulty_fit(FAULTY_TOOL, &f, 1, &fit));
  for (size_t i = 1; i < 5; i++)
    assert_true(fit.refined.joint[i].has_term[ARM_TERM_LOAD]);
  for (int k = 0; k < 20; k++) {
    truth_pose(&truth, &rng, q);
    assert_int_equal(arm_predict(&model, &fit.refined, q, qd, NULL, &moving, current, sd), ARM_OK);
    for (size_t i = 1; i < 5; i++) {
      const double gravity = truth_gravity_current(&truth, q, i);
      const double want = truth_current(&truth, q, qd, NULL, i) +
                          copysign(0.08 * fabs(gravity), qd[i] * truth.eta[i]);
      assert_true(fabs(current[i] - want) < 1e-4);
      assert_true(sd[i] < 1e-3);
    }
  }
  ArmJointFit *joint = &fit.refined.joint[1];
  const double load = fabs(truth_gravity_current(&truth, q, 1));
  joint->load_seen[0] = 0;
  joint->load_seen[1] = load / 1.19;
  assert_false(arm_predict_is_beyond(&model, &fit.refined, q, 1));
  joint->load_seen[1] = load / 1.21;
  assert_true(arm_predict_is_beyond(&model, &fit.refined, q, 1));
  assert_false(arm_predict_is_beyond(&model, &fit.refined, q, 0)); /* has no load friction */
  const double rest[N] = {0};
  assert_int_equal(arm_predict(&model, &fit.refined, q, rest, NULL, &moving, current, sd), ARM_OK);
  const double *l = truth.friction[1];
  const double half =
      1.25 * (fabs(l[0] - l[2]) / 2 + 0.08 * fabs(truth_gravity_current(&truth, q, 1)));
  const double off = (l[0] + l[2]) / 2;
  assert_true(test_is_near(sd[1], sqrt(half * half / 3 + off * off), 1e-3, 0));
  arm_gravity_fit_clear(&fit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load_is_found), cmocka_unit_test(test_base_alarms),
      cmocka_unit_test(test_one_way),       cmocka_unit_test(test_sound),
      cmocka_unit_test(test_unseen),        cmocka_unit_test(test_curve),
      cmocka_unit_test(test_prediction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
