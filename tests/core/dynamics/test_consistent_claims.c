/* SPDX-License-Identifier: MIT */
/* What a completion claims of its numbers, the rule, nominal links, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "consistent_checks.h"

/* ---- what the numbers claim ---- */

static void test_silent_data(void **state) {
  (void)state;
  for (int method = ARM_CONSISTENT_LOGDET; method <= ARM_CONSISTENT_LOGCHOL; method++) {
    TestRng rng;
    Completion c;
    ArmConsistent r;
    test_rng_init(&rng, 1);
    puma(&c, &rng, 0.02, 0);
    completion_spoil(&c, &rng, 0.5);
    arm_consistent_nominal(&c.model, c.nominal, c.nominal, NULL);
    for (size_t j = 0; j < c.n; j++)
      c.data.triangle[j] = c.data.right[j] = NULL;
    complete(&c, (ArmConsistentMethod)method, &r);
    assert_true(r.chi2 == 0 && r.excess == 0);
    for (size_t k = 0; k < P * c.n; k++) {
      assert_true(test_is_near(r.pi[k], c.nominal[k], 1e-9, 1e-9));
      assert_true(test_is_near(r.sd[k], r.prior_sd[k], 1e-9, 0));
    }
    completion_free(&c);
  }
}

/* Parameters that the data tell, over many noises: sds are those of their errors. */
static void test_sds_are_honest(void **state) {
  double sum[2] = {0}, inside[2] = {0}, count[2] = {0};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17680));
  for (int k = 0; k < 40; k++) {
    Completion c;
    puma(&c, &rng, 0.05, 0);
    completion_spoil(&c, &rng, 0.2);
    for (int m = 0; m < 2; m++) {
      ArmConsistent r;
      complete(&c, m ? ARM_CONSISTENT_LOGCHOL : ARM_CONSISTENT_LOGDET, &r);
      for (size_t e = 0; e < P * c.n; e++) {
        const double z = (r.pi[e] - c.pi[e]) / r.sd[e];
        if (r.sd[e] > 0.05 * r.prior_sd[e])
          continue;
        sum[m] += z * z;
        inside[m] += fabs(z) < 1.96;
        count[m]++;
      }
    }
    completion_free(&c);
  }
  for (int m = 0; m < 2; m++) {
    print_message("# %s: of %g parameters %.1f %% within 1.96 sds, rms %.2f sds\n",
                  m ? "log-Cholesky" : "log-det", count[m], 100 * inside[m] / count[m],
                  sqrt(sum[m] / count[m]));
    assert_true(count[m] > 100);
    assert_true(inside[m] > 0.9 * count[m]);
  }
}

/* Noise 20 times what is claimed, so that least squares is far from all bodies: still bodies. */
static void test_claims_too_much(void **state) {
  TestRng rng;
  Completion c;
  ArmConsistent r;
  (void)state;
  test_rng_init(&rng, test_seed(17690));
  puma(&c, &rng, 0.5, 0);
  for (size_t j = 0; j < c.n; j++)
    c.data.sigma[j] = 0.025;
  complete(&c, ARM_CONSISTENT_AUTO, &r);
  assert_true(r.excess > (double)c.p);
  assert_int_not_equal(r.reason, ARM_CONSISTENT_TRUSTED);
  check_bodies(&c, &r, &rng);
  print_message("# excess %.0f of %.0f, %s, %s\n", r.excess, r.chi2,
                arm_consistent_method_key(r.method), arm_consistent_reason_key(r.reason));
  completion_free(&c);
}

/* A prior so strong that log-det misses the data; without time for log-Cholesky it stays. */
static void test_held_back(void **state) {
  ArmConsistentOptions options = {.weight = 1e3};
  TestRng rng;
  Completion c;
  ArmConsistent r;
  (void)state;
  test_rng_init(&rng, test_seed(17691));
  puma(&c, &rng, 0.05, 0);
  completion_spoil(&c, &rng, 0.3);
  assert_int_equal(arm_consistent(&c.model, &c.data, &options, &r), ARM_OK);
  assert_int_equal(r.reason, ARM_CONSISTENT_HELD_BACK);
  assert_int_equal(r.method, ARM_CONSISTENT_LOGCHOL);
  assert_true(r.excess < (double)c.p);
  options.iterations = 20;
  assert_int_equal(arm_consistent(&c.model, &c.data, &options, &r), ARM_OK);
  assert_int_equal(r.reason, ARM_CONSISTENT_HELD_BACK);
  assert_int_equal(r.method, ARM_CONSISTENT_LOGDET);
  assert_true(r.excess > (double)c.p);
  check_bodies(&c, &r, &rng);
  completion_free(&c);
}

/* ---- nominal links ---- */

static void test_nominal_links(void **state) {
  ArmModel model;
  ArmNominalLink links[N];
  double pi[P * N];
  (void)state;
  find_model("PUMA560-GK", &model);
  const double rod[6] = {0.1, 0.1, 0, 0, 0, 0}, none[6] = {0.01, 0.01, 0.09, 0, 0, 0};
  memcpy(model.joints[0].link.inertia_com_kg_m2, rod, sizeof rod);
  memcpy(model.joints[1].link.inertia_com_kg_m2, none, sizeof none);
  model.joints[2].link.is_present = false;
  model.joints[0].link.mass_kg = 10;
  arm_consistent_nominal(&model, NULL, pi, links);
  assert_int_equal(links[0].fate, ARM_NOMINAL_ROUNDED);
  assert_int_equal(links[0].flaw, ARM_INERTIA_FLAT);
  assert_int_equal(links[1].fate, ARM_NOMINAL_REPAIRED);
  assert_int_equal(links[1].flaw, ARM_INERTIA_TRIANGLE);
  assert_int_equal(links[2].fate, ARM_NOMINAL_GUESSED);
  assert_int_equal(links[3].fate, ARM_NOMINAL_KNOWN);
  const ArmInertiaCheck check = arm_inertia_check(pi); /* 0.1 m long, a tenth of it thick */
  assert_true(test_is_near(check.spread[2], 0.01, 1e-9, 0));
  assert_true(test_is_near(check.spread[0], 1e-4, 1e-9, 0));
  assert_true(pi[P] == model.joints[1].link.mass_kg);
  assert_true(test_is_near(pi[P + 1], pi[P] * model.joints[1].link.com_m[0], 1e-12, 1e-15));
  double masses = 0; /* the median of five: as many below as above */
  for (size_t i = 0; i < model.n; i++)
    masses += i == 2                                     ? 0
              : model.joints[i].link.mass_kg < pi[P * 2] ? -1
                                                         : model.joints[i].link.mass_kg > pi[P * 2];
  assert_true(masses == 0);
  for (size_t i = 0; i < model.n; i++)
    assert_int_equal(arm_inertia_check(pi + P * i).flaw, ARM_INERTIA_CONSISTENT);
}

/* ---- refusals ---- */

static ArmStatus try_with(const Completion *c, const ArmConsistentData *data,
                          ArmConsistentOptions options) {
  ArmConsistent r, before;
  memset(&r, 7, sizeof r);
  before = r;
  const ArmStatus status = arm_consistent(&c->model, data, &options, &r);
  if (status != ARM_OK)
    assert_memory_equal(&r, &before, sizeof r);
  return status;
}

static void test_refusals(void **state) {
  const ArmConsistentOptions plain = {0};
  TestRng rng;
  Completion c;
  (void)state;
  test_rng_init(&rng, 2);
  puma(&c, &rng, 0.02, 0);
  ArmConsistentData bad = c.data;
  bad.sigma[3] = 0;
  assert_int_equal(try_with(&c, &bad, plain), ARM_E_ARGUMENT);
  bad = c.data;
  bad.eta[0] = 0;
  assert_int_equal(try_with(&c, &bad, plain), ARM_E_ARGUMENT);
  bad = c.data;
  bad.eta_sd[1] = 11;
  assert_int_equal(try_with(&c, &bad, plain), ARM_E_ARGUMENT);
  bad.eta_sd[1] = 0.1;
  bad.eta_prior[1] = -bad.eta[1];
  assert_int_equal(try_with(&c, &bad, plain), ARM_E_ARGUMENT);
  bad.eta_prior[1] = bad.eta[1];
  assert_int_equal(try_with(&c, &bad, (ArmConsistentOptions){.method = ARM_CONSISTENT_LOGDET}),
                   ARM_E_ARGUMENT);
  bad = c.data;
  bad.count = 0;
  assert_int_equal(try_with(&c, &bad, plain), ARM_E_ARGUMENT);
  assert_int_equal(try_with(&c, &c.data, (ArmConsistentOptions){.weight = -1}), ARM_E_ARGUMENT);
  assert_int_equal(try_with(&c, &c.data, (ArmConsistentOptions){.iterations = 1}), ARM_E_NUMERIC);
  c.rights[7] = (double)NAN;
  assert_int_equal(try_with(&c, &c.data, plain), ARM_E_NOT_FINITE);
  completion_free(&c);
}

static bool stop_at(double done, void *user) {
  int *left = user;
  assert_true(done >= 0 && done <= 1);
  return (*left)-- > 0;
}

static void test_cancelled(void **state) {
  TestRng rng;
  Completion c;
  (void)state;
  test_rng_init(&rng, 3);
  puma(&c, &rng, 0.02, 2);
  for (int steps = 0; steps < 100; steps += 33) { /* 66: within log-Cholesky */
    int left = steps;
    assert_int_equal(
        try_with(&c, &c.data, (ArmConsistentOptions){.progress = stop_at, .user = &left}),
        ARM_E_NO_DATA);
    assert_int_equal(left, -1);
  }
  completion_free(&c);
}

static void test_keys(void **state) {
  (void)state;
  for (int k = 0; k <= ARM_CONSISTENT_LOGCHOL; k++)
    assert_true(strlen(arm_consistent_method_key((ArmConsistentMethod)k)) > 3);
  for (int k = 0; k <= ARM_CONSISTENT_STALLED; k++)
    assert_true(strlen(arm_consistent_reason_key((ArmConsistentReason)k)) > 3);
  assert_string_equal(arm_consistent_method_key((ArmConsistentMethod)3), "");
  assert_string_equal(arm_consistent_reason_key((ArmConsistentReason)7), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_silent_data),     cmocka_unit_test(test_sds_are_honest),
      cmocka_unit_test(test_claims_too_much), cmocka_unit_test(test_held_back),
      cmocka_unit_test(test_nominal_links),   cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_cancelled),       cmocka_unit_test(test_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
