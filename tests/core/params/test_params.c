/* SPDX-License-Identifier: MIT */
/* The catalogue against what documents say of keys and units, sets against ids made at random. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/params/controller.h"
#include "core/params/set.h"
#include "core/sweeps/ident.h"
#include "support/failing_memory.h"
#include "support/support.h"

/* ---- the catalogue ---- */

typedef struct {
  ArmParamKind kind;
  const char *key, *of_R, *of_T, *torque_R, *torque_T; /* NULL: there is none */
} Documented;

/* docs/parameter-file.md and src/io/params/params_file.h: keys and units since version 1; what full
 * dynamics will need as its notes have it, inertial parameters in SI whatever was measured */
static const Documented documented[] = {
    {ARM_PARAM_KX, "kx_star", "A s^2/m", NULL, "N m s^2/m", NULL},
    {ARM_PARAM_MHAT, "mhat_star", NULL, "A s^2/m", NULL, "N s^2/m"},
    {ARM_PARAM_COULOMB_POS, "coulomb_pos_A", "A", "A", "N m", "N"},
    {ARM_PARAM_VISCOUS_NEG, "viscous_neg", "A s/rad", "A s/m", "N m s/rad", "N s/m"},
    {ARM_PARAM_ACCELERATION, "own_acceleration", "A s^2/rad", "A s^2/m", "N m s^2/rad", "N s^2/m"},
    {ARM_PARAM_LOAD, "load", "1", "1", "1", "1"},
    {ARM_PARAM_CURVE, "curve", "A", "A", "N m", "N"},
    {ARM_PARAM_CURVE_SPEED, "curve_speed", "rad/s", "m/s", "rad/s", "m/s"},
    {ARM_PARAM_SEEN_LEAST, "load_seen_least", "A", "A", "N m", "N"},
    {ARM_PARAM_FRICTION_SIGN, "friction_sign", "1", "1", "1", "1"},
    {ARM_PARAM_ETA, "A_per_Nm", "A/(N m)", "A/N", "1", "1"},
    {ARM_PARAM_XX, "XX", "kg m^2", "kg m^2", "kg m^2", "kg m^2"},
    {ARM_PARAM_MY, "mY", "kg m", "kg m", "kg m", "kg m"},
    {ARM_PARAM_M, "m", "kg", "kg", "kg", "kg"},
};

static void check_unit(const Documented *d, ArmJointType type, bool is_torque, const char *unit) {
  const ArmParamInfo *info = arm_param_info(d->kind);
  if (unit)
    assert_string_equal(arm_param_unit_of(info->quantity, type, is_torque, type, is_torque), unit);
  assert_int_equal(type == ARM_JOINT_R ? info->of_R : info->of_T, unit != NULL);
}

static void test_documented(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof documented / sizeof documented[0]; k++) {
    const Documented *d = &documented[k];
    assert_string_equal(arm_param_key(d->kind), d->key);
    check_unit(d, ARM_JOINT_R, false, d->of_R);
    check_unit(d, ARM_JOINT_T, false, d->of_T);
    check_unit(d, ARM_JOINT_R, true, d->torque_R);
    check_unit(d, ARM_JOINT_T, true, d->torque_T);
  }
  /* rho_12 A_12 mhat: the lever arm in m is in A_12 of a joint that turns */
  assert_string_equal(arm_param_unit_of(ARM_COUNTS_RATIO, ARM_JOINT_R, false, ARM_JOINT_T, false),
                      "1/m");
  assert_string_equal(arm_param_unit_of(ARM_COUNTS_RATIO, ARM_JOINT_R, true, ARM_JOINT_T, true),
                      "1");
}

/* [of][over]: a current of R and T, a torque, a force; eta is 1 of what was measured itself. */
static void test_ratio_shown(void **state) {
  static const char *const shown[4][4] = {{"1", "1/m", "A/(N m)", "A/(N m)"},
                                          {"m", "1", "A/N", "A/N"},
                                          {"N m/A", "N/A", "1", "1"},
                                          {"N m/A", "N/A", "1", "1"}};
  const ArmParamRoom room = {.params = 1};
  (void)state;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      ArmParamSet set;
      assert_int_equal(arm_param_set_init(&set, 2, &room), ARM_OK);
      set.type[0] = i % 2 ? ARM_JOINT_T : ARM_JOINT_R;
      set.type[1] = j % 2 ? ARM_JOINT_T : ARM_JOINT_R;
      set.is_torque[0] = i > 1;
      set.is_torque[1] = j > 1;
      assert_non_null(arm_param_set_add_id(&set, ARM_PARAM_RATIO, 0, 1));
      assert_string_equal(arm_param_set_unit_shown(&set, 0), shown[i][j]);
      if (i == 1 && j == 0)
        assert_string_equal(arm_param_set_unit(&set, 0), "1");
      arm_param_set_clear(&set);
    }
}

/* Of links in amperes of a joint whose eta counts as 1 [A/(N m)]: kg m^2 times N m/(kg m^2/s^2). */
static void test_in_reference(void **state) {
  (void)state;
  assert_string_equal(arm_param_unit_in_reference(ARM_COUNTS_KG), "A s^2/m^2");
  assert_string_equal(arm_param_unit_in_reference(ARM_COUNTS_KG_M), "A s^2/m");
  assert_string_equal(arm_param_unit_in_reference(ARM_COUNTS_KG_M2), "A s^2");
  assert_string_equal(arm_param_unit_in_reference(ARM_COUNTS_EFFORT), "");
  assert_string_equal(arm_param_unit_in_reference(ARM_QUANTITIES), "");
}

/* No row is forgotten, no key is there twice, and what tables list has words. */
static void test_rows(void **state) {
  (void)state;
  for (int k = 0; k < ARM_PARAM_KINDS; k++) {
    const ArmParamInfo *info = arm_param_info((ArmParamKind)k);
    const bool is_constant = arm_param_is_constant((ArmParamKind)k);
    assert_true(info->key[0] && info->symbol[0] && (info->words[0] || is_constant));
    assert_int_equal(is_constant, info->belongs_to != ARM_PARAM_KINDS);
    assert_false(arm_param_is_constant(info->belongs_to) || arm_param_is_constant(info->or_to));
    assert_true(info->form != ARM_AS_LOADS ||
                arm_param_info((ArmParamKind)(k + 1))->form == ARM_AS_LOADS_END);
    assert_true(info->of_R || info->of_T);
    for (int other = 0; other < k; other++)
      assert_string_not_equal(info->key, arm_param_key((ArmParamKind)other));
  }
  assert_string_equal(arm_param_key(ARM_PARAM_KINDS), "");
}

/* docs/simulator.md, Parameters */
static void test_controller(void **state) {
  static const char *const of_R[] = {
      "gravity.kx",           "gravity.ky",           "eta.ratio",           "friction.coulomb_pos",
      "friction.viscous_pos", "friction.coulomb_neg", "friction.viscous_neg"};
  /* of gravity.kx where the joint slides, and so on: nobody has it */
  static const char *const unit_R[] = {"A s2/m", "A s2/m",  "A s2/m", "",
                                       "A",      "A s/rad", "A",      "A s/rad"};
  static const char *const unit_T[] = {"A s2/m", "A s2/m", "A s2/m", "",
                                       "A",      "A s/m",  "A",      "A s/m"};
  size_t count, at = 0;
  const ArmControllerParam *list = arm_controller_params(&count);
  (void)state;
  for (size_t k = 0; k < count; k++)
    if (arm_controller_param_fits(&list[k], ARM_JOINT_R))
      assert_string_equal(list[k].stem, of_R[at++]);
  assert_int_equal(at, sizeof of_R / sizeof of_R[0]);
  char unit[ARM_CONTROLLER_UNIT];
  for (size_t k = 0; k < count; k++) {
    assert_string_equal(arm_controller_unit(&list[k], ARM_JOINT_R, false, unit), unit_R[k]);
    assert_string_equal(arm_controller_unit(&list[k], ARM_JOINT_T, false, unit), unit_T[k]);
  }
  assert_string_equal(arm_controller_unit(&list[0], ARM_JOINT_R, true, unit), "N m s2/m");
}

/* ---- sets ---- */

static void test_lookup(void **state) {
  const ArmParamRoom room = {.params = 64, .covered = 3};
  ArmParamSet set;
  (void)state;
  memory_begin(MEMORY_SUFFICES);
  assert_int_equal(arm_param_set_init(&set, 4, &room), ARM_OK);
  assert_int_equal(memory_allocations(), 1);
  for (size_t i = 0; i < 4; i++)
    for (int kind = ARM_PARAM_KX; kind <= ARM_PARAM_CURVE; kind++)
      arm_param_set_add_id(&set, (ArmParamKind)kind, i, 0)->value = 100.0 * (double)i + kind;
  for (size_t i = 0; i < 4; i++)
    for (size_t j = i + 1; j < 4; j++)
      arm_param_set_add_id(&set, ARM_PARAM_RATIO, i, j)->value = 1000.0 * (double)i + (double)j;
  assert_int_equal(memory_allocations(), 1);
  assert_int_equal(set.n, 46);
  for (size_t k = 0; k < set.n; k++)
    assert_int_equal(arm_param_set_find(&set, set.param[k].id), k);
  assert_true(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_LOAD, 3, 0})->value == 308.0);
  assert_true(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_RATIO, 1, 3})->value == 1003.0);
  assert_null(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_RATIO, 3, 1}));
  assert_null(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_XX, 0, 0}));
  assert_null(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_KX, 4, 0}));
  assert_null(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_KINDS, 0, 0}));
  assert_null(arm_param_set_add_id(&set, ARM_PARAM_KX, 2, 0)); /* there already */
  assert_null(arm_param_set_add_id(&set, ARM_PARAM_KX, 2, 1)); /* no pair */
  arm_param_set_clear(&set);
  arm_param_set_clear(&set);
}

static void test_room(void **state) {
  const ArmParamRoom room = {.params = 2, .covered = 1, .terms = 2, .text = 5 + 7};
  const ArmParamTerm terms[] = {{{ARM_PARAM_XX, 1, 0}, 1.0}, {{ARM_PARAM_YY, 2, 0}, -1.0}};
  char name[] = "XXR2";
  ArmParam base = {{ARM_PARAM_BASE, 1, 0}, name, "A m/kg", terms, 2};
  ArmParamSet set;
  (void)state;
  assert_int_equal(arm_param_set_init(&set, 0, &(ArmParamRoom){0}), ARM_OK); /* of an empty file */
  assert_null(arm_param_set_add_id(&set, ARM_PARAM_KX, 0, 0));
  arm_param_set_clear(&set);
  assert_int_equal(arm_param_set_init(&set, ARM_MAX_JOINTS + 1, &room), ARM_E_ARGUMENT);
  memory_begin(0);
  assert_int_equal(arm_param_set_init(&set, 3, &room), ARM_E_MEMORY);
  assert_int_equal(memory_end(), 0);
  assert_int_equal(arm_param_set_init(&set, 3, &room), ARM_OK);
  ArmEstimate *e = arm_param_set_add(&set, &base);
  assert_non_null(e);
  assert_true(isnan(e->value) && isnan(e->sd) && !e->identifiable);
  name[0] = '?'; /* it is a copy */
  assert_string_equal(set.param[0].name, "XXR2");
  assert_string_equal(arm_param_set_unit(&set, 0), "A m/kg");
  assert_true(set.param[0].terms[1].coefficient == -1.0 && set.param[0].terms[1].id.i == 2);
  base.id.j = 1;
  assert_null(arm_param_set_add(&set, &base)); /* no room for its terms and name */
  base = (ArmParam){.id = {ARM_PARAM_BASE, 1, 1}};
  assert_non_null(arm_param_set_add(&set, &base));
  assert_null(arm_param_set_add_id(&set, ARM_PARAM_KX, 0, 0));
  assert_true(arm_param_set_cover(&set, 1));
  assert_false(arm_param_set_cover(&set, 0));
  arm_param_set_clear(&set);
}

static void test_combination_unit(void **state) {
  const ArmParamRoom room = {.params = 1, .terms = 1};
  const ArmParamTerm term = {{ARM_PARAM_MX, 1, 0}, 1.0};
  const ArmParam base = {.id = {ARM_PARAM_BASE, 1, 6}, .terms = &term, .n_terms = 1};
  ArmParamSet set;
  (void)state;
  assert_int_equal(arm_param_set_init(&set, 2, &room), ARM_OK);
  assert_non_null(arm_param_set_add(&set, &base));
  assert_string_equal(arm_param_set_unit(&set, 0), "kg m");
  arm_param_set_clear(&set);
}

/* ---- the gravity method ---- */

/* n joints R and T in turn, one cluster, every number another one */
static void make_parameters(ArmGravityParameters *p, size_t n) {
  double number = 1.0;
  memset(p, 0, sizeof *p);
  p->n = n;
  p->n_clusters = 1;
  for (size_t i = 0; i < n; i++) {
    ArmJointFit *joint = &p->joint[i];
    p->type[i] = i % 2 ? ARM_JOINT_T : ARM_JOINT_R;
    joint->rows_used = 10 + i;
    joint->r2 = number++;
    joint->has_acceleration = i == 0;
    joint->has_term[ARM_TERM_LOAD] = i == 1;
    joint->has_term[ARM_TERM_CURVE] = i < 2;
    joint->term_sign = -1.0;
    joint->load_seen[0] = number++;
    joint->load_seen[1] = number++;
    joint->curve_speed = number++;
    ArmEstimate *const all[] = {&joint->w[0],         &joint->w[1],        &joint->friction[0],
                                &joint->friction[1],  &joint->friction[2], &joint->friction[3],
                                &joint->acceleration, &joint->term[0],     &joint->term[1]};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++, number += 1.0)
      *all[k] = (ArmEstimate){number, 0.5, number, true, ARM_REASON_NONE};
    for (size_t j = i + 1; j < n; j++, number += 1.0)
      p->ratio[i][j] = (ArmEstimate){number, 0.5, number, true, ARM_REASON_NONE};
  }
  p->n_ids = 2;
  p->ids = calloc(2, sizeof *p->ids);
  p->covariance = calloc(4, sizeof *p->covariance);
  p->ids[0] = (ArmParamId){ARM_PARAM_VISCOUS_NEG, 1, 0};
  p->ids[1] = (ArmParamId){ARM_PARAM_RATIO, 0, 1};
  for (size_t k = 0; k < 4; k++)
    p->covariance[k] = (double)k + 0.25;
}

static void test_gravity(void **state) {
  static ArmGravityParameters p, again;
  ArmParamSet set;
  (void)state;
  make_parameters(&p, 3);
  memory_begin(MEMORY_SUFFICES);
  assert_int_equal(arm_gravity_set(&p, NULL, true, &set), ARM_OK);
  assert_int_equal(memory_allocations(), 1);
  /* 7 + 3, 5 + 6, 6 and three pairs */
  assert_int_equal(set.n, 10 + 11 + 6 + 3);
  for (size_t k = 0; k < set.n; k++) {
    const ArmEstimate *e = arm_gravity_parameters_at(&p, set.param[k].id);
    assert_int_equal(e == NULL, !arm_param_set_is_listed(&set, k));
    if (e)
      assert_memory_equal(e, &set.estimate[k], sizeof *e);
    assert_true(arm_method_has(arm_gravity_method(), set.param[k].id.kind));
  }
  const ArmEstimate *most = arm_param_set_at(&set, (ArmParamId){ARM_PARAM_SEEN_MOST, 1, 0});
  assert_true(most->value == p.joint[1].load_seen[1] && most->sd == 0.0 && most->identifiable);
  assert_int_equal(set.n_covered, 2);
  assert_int_equal(set.param[set.covered[1]].id.kind, ARM_PARAM_RATIO);
  assert_true(set.covariance[1] == 1.25 && set.joint[2].rows_used == 12);
  memset(&again, 0, sizeof again);
  assert_int_equal(arm_gravity_from_set(&set, &again), ARM_OK);
  assert_memory_equal(&p.ratio, &again.ratio, sizeof p.ratio);
  assert_memory_equal(p.covariance, again.covariance, 4 * sizeof(double));
  assert_memory_equal(&p.joint[1].term, &again.joint[1].term, sizeof p.joint[1].term);
  assert_memory_equal(&p.joint[1].load_seen, &again.joint[1].load_seen,
                      sizeof p.joint[1].load_seen);
  assert_true(again.joint[0].has_acceleration && !again.joint[0].has_term[ARM_TERM_LOAD]);
  assert_true(again.joint[0].r2 == p.joint[0].r2 && again.n_clusters == 1);
  arm_param_set_clear(&set);
  p.ids[0] = (ArmParamId){ARM_PARAM_LOAD, 2, 0}; /* of a joint that has none */
  assert_int_equal(arm_gravity_set(&p, NULL, true, &set), ARM_E_ARGUMENT);
  arm_gravity_parameters_clear(&p);
  arm_gravity_parameters_clear(&again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_documented),  cmocka_unit_test(test_rows),
      cmocka_unit_test(test_ratio_shown), cmocka_unit_test(test_in_reference),
      cmocka_unit_test(test_controller),  cmocka_unit_test(test_lookup),
      cmocka_unit_test(test_room),        cmocka_unit_test(test_combination_unit),
      cmocka_unit_test(test_gravity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
