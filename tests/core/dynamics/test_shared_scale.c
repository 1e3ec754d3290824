/* SPDX-License-Identifier: MIT */
/* Two identifications of one arm have the scale of their torque constants from one data sheet. What
 * they share is no part of a difference: other noise is told from another payload. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/params/shared_scale.h"
#include "identify_puma.h"

enum { PAIRS = 40 };

static void find(Rig *rig, uint64_t seed, ArmParamSet *set) {
  disturb(rig, seed, 0.02);
  arm_information_free(rig->information);
  assert_int_equal(arm_information_new(rig->base, &rig->information), ARM_OK);
  ArmDynamicsFit *fit = identify(rig, NULL);
  assert_int_equal(arm_dynamics_set(fit, &rig->model, rig->base, set), ARM_OK);
  arm_dynamics_fit_free(fit);
}

/* So much more in the last link, at its centre of mass. */
static void load(Rig *rig, double mass) {
  double pi[BASE_COLUMNS], more[ARM_INERTIA_PARAMETERS];
  ArmLink part = {.is_present = true, .mass_kg = mass};
  (void)arm_inertia_nominal(&rig->model, pi);
  memcpy(part.com_m, rig->model.joints[5].link.com_m, sizeof part.com_m);
  arm_inertia_from_link(&part, more);
  for (size_t k = 0; k < ARM_INERTIA_PARAMETERS; k++)
    pi[5 * ARM_INERTIA_PARAMETERS + k] += more[k];
  arm_base_values(rig->base, pi, rig->beta);
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
}

typedef struct {
  size_t compared, beyond;
  double most, most_before; /* sds, without what is shared and with it */
} Tally;

static void tally(const ArmParamSet *a, const ArmParamSet *b, Tally *t) {
  ArmScales of_a, of_b;
  arm_scales_find(a, &of_a);
  arm_scales_find(b, &of_b);
  arm_scales_share(&of_a, &of_b);
  assert_int_equal(of_a.n, 1);
  assert_int_equal(of_b.n, 1);
  assert_true(test_is_near(of_a.sd[0], 0.1 / sqrt(6), 1e-3, 0)); /* of six data sheets */
  for (size_t k = 0; k < a->n; k++) {
    const ArmEstimate *x = &a->estimate[k], *y = &b->estimate[k];
    const double all = x->sd * x->sd + y->sd * y->sd;
    if (!x->identifiable || !y->identifiable || !(all > 0))
      continue;
    const double variance = all - 2 * arm_scales_shared(a, &of_a, k, b, &of_b, k);
    const double difference = fabs(y->value - x->value);
    assert_true(variance > 0);
    t->compared++;
    t->beyond += difference > 3 * sqrt(variance);
    t->most = fmax(t->most, difference / sqrt(variance));
    t->most_before = fmax(t->most_before, difference / sqrt(all));
  }
}

static void compare(double mass, int pairs, Tally *t) {
  Rig rig;
  *t = (Tally){0};
  puma(&rig, 10, true);
  state(&rig);
  for (int p = 0; p < pairs; p++) {
    ArmParamSet a, b;
    load(&rig, 0);
    find(&rig, 1000 + 2 * (uint64_t)p, &a);
    load(&rig, mass);
    find(&rig, 1001 + 2 * (uint64_t)p, &b);
    tally(&a, &b, t);
    arm_param_set_clear(&a);
    arm_param_set_clear(&b);
  }
  rig_clear(&rig);
}

static void test_other_noise(void **unused) {
  Tally t;
  (void)unused;
  compare(0, PAIRS, &t);
  print_message("# %zu of %zu beyond 3 sds, most %.2f\n", t.beyond, t.compared, t.most);
  assert_true(t.compared > 60 * PAIRS);
  assert_true((double)t.beyond <= 0.01 * (double)t.compared);
}

static void test_another_payload(void **unused) {
  Tally t;
  (void)unused;
  compare(0.1, 1, &t);
  print_message("# most %.2f sds, %.2f with what is shared\n", t.most, t.most_before);
  assert_true(t.most > 4);
  assert_true(t.most_before < 3);
}

/* ---- what is shared ---- */

/* eta of sd 0.1 each, coupled as `correlation` says; their products of 2. */
static void make_set(ArmParamSet *set, double correlation, double scale) {
  const ArmParamRoom room = {.params = 3, .covered = 3};
  assert_int_equal(arm_param_set_init(set, 3, &room), ARM_OK);
  set->is_scale_stated = true;
  for (size_t j = 0; j < 3; j++) {
    ArmEstimate *e = arm_param_set_add_id(set, ARM_PARAM_ETA, j, 0);
    const double eta = (j == 1 ? -2 : 2) * scale;
    *e = (ArmEstimate){eta, 0.1 * fabs(eta), eta, true, ARM_REASON_NONE};
    assert_true(arm_param_set_cover(set, j));
  }
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      const double part = i == j ? 1 : i + j == 1 ? correlation : 0;
      set->covariance[i + 3 * j] = part * 0.01 * set->estimate[i].value * set->estimate[j].value;
    }
}

static size_t share(const ArmParamSet *a, const ArmParamSet *b, ArmScales *of_a, ArmScales *of_b) {
  arm_scales_find(a, of_a);
  arm_scales_find(b, of_b);
  arm_scales_share(of_a, of_b);
  assert_int_equal(of_a->n, of_b->n);
  return of_a->n;
}

static void test_what_is_shared(void **unused) {
  ArmParamSet a, b;
  ArmScales of_a, of_b;
  (void)unused;
  make_set(&a, 0.5, 1);
  make_set(&b, 0.5, 1);
  assert_int_equal(share(&a, &b, &of_a, &of_b), 2); /* of joints 1 and 2, and of joint 3 */
  assert_true(of_a.of[0] == 0 && of_a.of[1] == 0 && of_a.of[2] == 1 && of_a.of[3] == -1);
  assert_true(test_is_near(of_a.sd[0], 0.1 * sqrt(0.75), 1e-12, 0));
  assert_true(test_is_near(of_a.sd[1], 0.1, 1e-12, 0));
  assert_true(test_is_near(arm_scales_shared(&a, &of_a, 0, &b, &of_b, 0), 0.03, 1e-12, 0));
  assert_true(test_is_near(arm_scales_shared(&a, &of_a, 2, &b, &of_b, 2), 0.04, 1e-12, 0));
  arm_param_set_clear(&b);

  make_set(&b, 0.5, 1.1); /* other data sheets */
  assert_int_equal(share(&a, &b, &of_a, &of_b), 0);
  assert_true(arm_scales_shared(&a, &of_a, 0, &b, &of_b, 0) == 0);
  arm_param_set_clear(&b);

  make_set(&b, 0, 1); /* other joints: of joint 3 alone it is the same */
  assert_int_equal(share(&a, &b, &of_a, &of_b), 1);
  assert_true(of_a.of[2] == 0 && of_b.of[2] == 0 && of_a.of[0] == -1);
  arm_param_set_clear(&b);

  make_set(&b, 0.5, 1);
  b.is_scale_stated = false; /* a torque was measured, or it is a convention */
  assert_int_equal(share(&a, &b, &of_a, &of_b), 0);
  arm_param_set_clear(&a);
  arm_param_set_clear(&b);
}

/* Ratios without any noise: the scale is that of one joint, which is that of all. */
static void test_exact_ratios(void **unused) {
  ArmParamSet a, b;
  ArmScales of_a, of_b;
  (void)unused;
  make_set(&a, 1, 1);
  make_set(&b, 1, 1);
  assert_int_equal(share(&a, &b, &of_a, &of_b), 2);
  assert_true(test_is_near(of_a.sd[0], 0.1, 1e-12, 0));
  for (size_t k = 0; k < 3; k++)
    assert_true(test_is_near(arm_scales_shared(&a, &of_a, k, &b, &of_b, k), 0.04, 1e-12, 0));
  arm_param_set_clear(&a);
  arm_param_set_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_other_noise),
      cmocka_unit_test(test_another_payload),
      cmocka_unit_test(test_what_is_shared),
      cmocka_unit_test(test_exact_ratios),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
