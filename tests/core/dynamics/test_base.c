/* SPDX-License-Identifier: MIT */
/* Base parameters of known arms: sets, combinations, composite constants, what vanishes and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base_checks.h"

/* ---- golden ---- */

static void test_geometry(void **state) {
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    ArmBaseGeometry g;
    assert_int_equal(arm_base_geometry(&c->model, &g), ARM_OK);
    assert_int_equal(g.r, c->r);
    assert_int_equal(g.s, c->s);
    assert_int_equal(g.n_snapped, 0);
    for (size_t j = 0; j < c->model.n; j++) {
      if (c->delta[j] >= 0 && c->delta[j] != (int)g.delta[j])
        fail_msg("%s: delta of joint %zu", c->name, j + 1);
      if (c->sigma[j] >= 0 && c->sigma[j] != (int)g.sigma[j])
        fail_msg("%s: sigma of joint %zu", c->name, j + 1);
    }
  }
}

static void check_set(const BaseCase *c, ArmBaseWay way, const BaseSet *want) {
  ArmBase *base = make(&c->model, 0, way);
  double pi[BASE_COLUMNS], beta[BASE_COLUMNS];
  if (base->count != want->count)
    fail_msg("%s: %zu base parameters, expected %zu", c->name, base->count, want->count);
  for (size_t b = 0; b < want->count; b++)
    if (base->kept[b] != want->column[b])
      fail_msg("%s: base parameter %zu is column %zu, expected %zu", c->name, b + 1, base->kept[b],
               want->column[b]);
  (void)arm_inertia_nominal(&c->model, pi);
  arm_base_values(base, pi, beta);
  check_values(c->name, want->count, beta, want->beta);
  arm_base_free(base);
}

static void test_closed_form(void **state) {
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    assert_int_equal(c->closed.count, c->count);
    check_set(c, ARM_BASE_CLOSED_FORM, &c->closed);
  }
}

static void test_qr(void **state) {
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++)
    check_set(c, ARM_BASE_QR, &c->qr);
}

static void check_lost(const BaseCase *c, ArmBaseWay way) {
  ArmBase *base = make(&c->model, 0, way);
  for (size_t column = 0; column < base->columns; column++) {
    bool is_lost = false;
    for (size_t k = 0; k < c->lost.count; k++)
      is_lost = is_lost || c->lost.column[k] == column;
    if (is_lost != (arm_base_fate(base, column) == ARM_FATE_LOST))
      fail_msg("%s: fate of column %zu", c->name, column);
    assert_int_equal(arm_base_fate(base, column) == ARM_FATE_KEPT,
                     base->column[column].reason == ARM_BASE_KEPT);
  }
  arm_base_free(base);
}

static void test_what_vanishes(void **state) {
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    check_lost(c, ARM_BASE_CLOSED_FORM);
    check_lost(c, ARM_BASE_QR);
  }
}

/* Without the step for T joints that slide obliquely these arms have one parameter too many. */
static void test_printed_form_is_not_minimal(void **state) {
  size_t arms = 0;
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    ArmBase *base = make(&c->model, 0, ARM_BASE_CLOSED_FORM);
    size_t oblique = 0;
    for (size_t column = 0; column < base->columns; column++)
      oblique += base->column[column].reason == ARM_BASE_OBLIQUE;
    arms += c->count_literal > c->count;
    assert_int_equal(base->count, c->count);
    assert_true(oblique >= c->count_literal - c->count);
    arm_base_free(base);
  }
  assert_int_equal(arms, 3);
}

static void test_without_gravity(void **state) {
  size_t arms = 0;
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    ArmModel model = c->model;
    memset(model.gravity_m_s2, 0, sizeof model.gravity_m_s2);
    for (int way = 0; way < 2 && c->count_without_gravity; way++) {
      ArmBase *base = make(&model, 0, (ArmBaseWay)way);
      if (base->count != c->count_without_gravity)
        fail_msg("%s: %zu without gravity, expected %zu", c->name, base->count,
                 c->count_without_gravity);
      arm_base_free(base);
    }
    arms += c->count_without_gravity > 0;
  }
  assert_int_equal(arms, 26);
}

/* ---- Lin's constants ---- */

static void test_composite_set(void **state) {
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    ArmComposite *composite = NULL;
    assert_int_equal(arm_composite_new(&c->model, &composite), ARM_OK);
    assert_int_equal(composite->count, c->n_composite);
    for (size_t k = 0; k < c->n_composite; k++) {
      assert_int_equal(composite->entry[k].joint, c->composite[k].joint);
      assert_int_equal(composite->entry[k].kind, c->composite[k].kind);
    }
    arm_composite_free(composite);
  }
}

static void test_composite_values(void **state) {
  size_t arms = 0;
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    ArmComposite *composite = NULL;
    double pi[BASE_COLUMNS], body[BASE_COLUMNS], got[BASE_COLUMNS] = {0};
    if (!c->has_constants)
      continue;
    (void)arm_inertia_nominal(&c->model, pi);
    arm_composite_constants(&c->model, pi, body);
    check_values(c->name, 10 * c->model.n, body, c->constants);
    assert_int_equal(arm_composite_new(&c->model, &composite), ARM_OK);
    for (size_t column = 0; column < 10 * c->model.n; column++)
      for (size_t k = 0; k < composite->count; k++)
        got[k] += composite->map[k + composite->count * column] * pi[column];
    check_values(c->name, composite->count, got, c->composite_values);
    arm_composite_free(composite);
    arms++;
  }
  assert_int_equal(arms, 9);
}

/* Lin 1992, Table II, as printed: link 2 holds the noise of its torque data. */
static void test_stanford_table(void **state) {
  static const struct {
    size_t joint, place; /* of the order of inertia.h; 10: U11 - U22 */
    double printed;
  } table[] = {{1, 9, 1.0144},  {2, 2, 2.74},   {2, 10, 4.385}, {2, 9, 4.4053},  {2, 5, 3e-5},
               {2, 8, -3e-5},   {3, 0, 6.47},   {3, 3, -2.74},  {4, 1, 0.0099},  {4, 2, 0.0058},
               {4, 10, -.0235}, {4, 9, 0.0044}, {4, 5, -5e-5},  {5, 2, -0.1149}, {5, 10, 0.027},
               {5, 9, 0.0277},  {6, 9, 0.0003}, {6, 1, 0},      {6, 10, 0},      {5, 1, 0}};
  const BaseCase *c = find_case("Stanford");
  double pi[BASE_COLUMNS], body[BASE_COLUMNS];
  (void)state;
  (void)arm_inertia_nominal(&c->model, pi);
  arm_composite_constants(&c->model, pi, body);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    const double *of_joint = body + 10 * (table[k].joint - 1);
    const double got = table[k].place == 10 ? of_joint[4] - of_joint[6] : of_joint[table[k].place];
    assert_true(fabs(got - table[k].printed) <= (table[k].joint == 2 ? 2e-4 : 5e-5));
  }
}

/* ---- combinations ---- */

static size_t row_of(const ArmBase *base, size_t column) {
  size_t b = 0;
  while (b < base->count && base->kept[b] != column)
    b++;
  assert_true(b < base->count);
  return b;
}

/* By (14) and (15) of Gautier and Khalil: ZZR6 = ZZ6, XXR6 = XX6 - YY6, mYR5 = mY5 + mZ6. */
static void test_combinations_of_puma(void **state) {
  ArmBase *base = make(&find_case("PUMA560-GK")->model, 0, ARM_BASE_CLOSED_FORM);
  const size_t zz6 = row_of(base, 59), xx6 = row_of(base, 54), my5 = row_of(base, 42);
  (void)state;
  assert_false(arm_base_is_regrouped(base, zz6));
  assert_true(arm_base_is_regrouped(base, xx6));
  assert_true(coefficient(base, xx6, 54) == 1 && coefficient(base, xx6, 56) == -1);
  assert_true(coefficient(base, my5, 42) == 1);
  assert_true(test_is_near(coefficient(base, my5, 53), 1, 0, 1e-15)); /* beta6 = -90 deg */
  assert_int_equal(base->column[53].reason, ARM_BASE_ON_AXIS);
  assert_int_equal(base->column[56].reason, ARM_BASE_ROUND);
  assert_int_equal(base->column[1].reason, ARM_BASE_BEARINGS);
  assert_int_equal(base->column[4].reason, ARM_BASE_ONE_AXIS);
  for (size_t k = 0; k < base->columns * base->count; k++)
    assert_true(base->map[k] == 0 || fabs(base->map[k]) > 1e-14);
  arm_base_free(base);
}

static void check_reason(const char *arm, size_t joint, unsigned parameter, ArmBaseReason want) {
  ArmBase *base = make(&find_case(arm)->model, 0, ARM_BASE_CLOSED_FORM);
  if (base->column[10 * (joint - 1) + parameter].reason != want)
    fail_msg("%s: reason of parameter %u of link %zu", arm, parameter, joint);
  arm_base_free(base);
}

static void test_reasons(void **state) {
  (void)state;
  check_reason("TTT_gantry", 1, 4, ARM_BASE_NEVER_TURNS);
  check_reason("TTT_gantry", 3, 1, ARM_BASE_NEVER_TURNS);
  check_reason("SCARA_RRTR_g//z1", 3, 9, ARM_BASE_SLIDES);
  check_reason("SCARA_RRTR_g//z1", 3, 1, ARM_BASE_ALONG);
  check_reason("SCARA_RRTR_g//z1", 2, 6, ARM_BASE_ONE_AXIS);
  check_reason("SCARA_RRTR_g//z1", 1, 2, ARM_BASE_BEARINGS);
  check_reason("SCARA_RRTR_g_perp_(wall)", 1, 2, ARM_BASE_KEPT);
  check_reason("rand-RTRTRR", 4, 6, ARM_BASE_SLIDES);
  check_reason("rand-RTRTRR", 4, 1, ARM_BASE_KEPT);
  for (int reason = 0; reason < ARM_BASE_REASONS; reason++)
    assert_true(strlen(arm_base_reason_key((ArmBaseReason)reason)) > 3);
  assert_string_equal(arm_base_reason_key(ARM_BASE_REASONS), "");
}

/* ---- the same each time; refusals ---- */

static void test_is_deterministic(void **state) {
  const ArmModel *model = &find_case("rand-RTRTRR")->model;
  ArmBase *a = make(model, 15, ARM_BASE_QR), *b = make(model, 15, ARM_BASE_QR);
  (void)state;
  assert_int_equal(a->count, b->count);
  assert_memory_equal(a->map, b->map, a->count * a->columns * sizeof *a->map);
  arm_base_free(a);
  arm_base_free(b);
}

static void test_refusals(void **state) {
  ArmModel model = find_case("Stanford")->model;
  ArmBase *base = NULL;
  ArmComposite *composite = NULL;
  (void)state;
  assert_int_equal(arm_base_new(&model, 16, ARM_BASE_CLOSED_FORM, &base), ARM_E_ARGUMENT);
  model.joints[2].translation[1] = (double)NAN;
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_E_NOT_FINITE);
  assert_int_equal(arm_composite_new(&model, &composite), ARM_E_NOT_FINITE);
  model.joints[2].translation[1] = 0;
  model.gravity_m_s2[1] = (double)INFINITY;
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_QR, &base), ARM_E_NOT_FINITE);
  model.n = 0;
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_QR, &base), ARM_E_ARGUMENT);
  model.n = ARM_MAX_JOINTS + 1;
  assert_int_equal(arm_composite_new(&model, &composite), ARM_E_ARGUMENT);
  assert_null(base);
  assert_null(composite);
  arm_base_free(NULL);
  arm_composite_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_geometry),
      cmocka_unit_test(test_closed_form),
      cmocka_unit_test(test_qr),
      cmocka_unit_test(test_what_vanishes),
      cmocka_unit_test(test_printed_form_is_not_minimal),
      cmocka_unit_test(test_without_gravity),
      cmocka_unit_test(test_composite_set),
      cmocka_unit_test(test_composite_values),
      cmocka_unit_test(test_stanford_table),
      cmocka_unit_test(test_combinations_of_puma),
      cmocka_unit_test(test_reasons),
      cmocka_unit_test(test_is_deterministic),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
