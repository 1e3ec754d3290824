/* SPDX-License-Identifier: MIT */
/* Square-root information filters against normal equations of all rows and of their sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base_checks.h"
#include "support/dyn_rows.h"

enum { SAMPLES = 2560 + 77 };

static const char *const arms[] = {"PUMA560-AKB", "SCARA_RRTR_g//z1", "rand-RTRTRR"};

typedef struct {
  ArmBase *base;
  DynRows rows;
} Rig;

static void rig_init(Rig *rig, const char *arm, uint64_t seed) {
  const BaseCase *c = find_case(arm);
  double pi[BASE_COLUMNS], beta[BASE_COLUMNS];
  const double sigma[BASE_JOINTS] = {.1, .1, .1, .1, .1, .1, .1, .1};
  DynMotion motion;
  DynDrives drives;
  TestRng rng;
  test_rng_init(&rng, seed);
  rig->base = make(&c->model, 0, ARM_BASE_CLOSED_FORM);
  dyn_motion_random(&rng, c->model.n, SAMPLES, &motion);
  dyn_drives_random(&rng, c->model.n, &drives);
  dyn_rows_init(&c->model, rig->base, &motion, &rig->rows);
  (void)arm_inertia_nominal(&c->model, pi);
  arm_base_values(rig->base, pi, beta);
  dyn_rows_drive(&rig->rows, beta, &drives);
  dyn_rows_disturb(&rig->rows, &rng, sigma);
  dyn_motion_clear(&motion);
}

static void rig_clear(Rig *rig) {
  dyn_rows_clear(&rig->rows);
  arm_base_free(rig->base);
}

static ArmInformation *fresh(const ArmBase *base) {
  ArmInformation *information = NULL;
  assert_int_equal(arm_information_new(base, &information), ARM_OK);
  return information;
}

static void push(ArmInformation *information, const Rig *rig, size_t joint, size_t from,
                 size_t rows) {
  assert_int_equal(arm_information_push(information, joint, rig->rows.rows[joint] + from, rows,
                                        rig->rows.samples),
                   ARM_OK);
}

/* Normal equations of a triangle, p x p. */
static double *squared(const double *r, size_t p) {
  double *out = calloc(p * p, sizeof *out);
  assert_non_null(out);
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b < p; b++)
      for (size_t i = 0; i < p; i++)
        out[a + b * p] += r[i + a * p] * r[i + b * p];
  return out;
}

/* The same of sums of the first `length` of every `step` rows, or of the second less the first. */
static double *expected(const Rig *rig, const ArmInformation *information, size_t joint,
                        size_t step, size_t length, bool is_pair) {
  const size_t p = arm_information_width(information, joint);
  const size_t first = arm_information_first(information, joint);
  double *out = calloc(p * p, sizeof *out), *sum = calloc(p, sizeof *sum);
  assert_true(out && sum);
  for (size_t s = 0; s + length <= rig->rows.samples; s += step) {
    for (size_t c = 0; c < p; c++) {
      const double *column =
          rig->rows.rows[joint] + (c < ARM_DYN_LOCAL ? c : c + first) * rig->rows.samples;
      sum[c] = 0;
      for (size_t k = 0; k < length; k++)
        sum[c] += is_pair && k == 0 ? -column[s] : column[s + k];
    }
    for (size_t a = 0; a < p; a++)
      for (size_t b = 0; b < p; b++)
        out[a + b * p] += sum[a] * sum[b];
  }
  free(sum);
  return out;
}

/* Relative to the lengths of the two columns. */
static void check_squares(double *got, double *want, size_t p, double tolerance) {
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b < p; b++) {
      const double scale = sqrt(want[a + a * p] * want[b + b * p]);
      if (!(fabs(got[a + b * p] - want[a + b * p]) <= tolerance * scale))
        fail_msg("columns %zu, %zu: %.15g, expected %.15g", a, b, got[a + b * p], want[a + b * p]);
    }
  free(got);
  free(want);
}

static double *triangle(ArmInformation *information, size_t joint) {
  const size_t p = arm_information_width(information, joint);
  double *r = calloc(p * p, sizeof *r);
  assert_non_null(r);
  arm_information_triangle(information, joint, r);
  return r;
}

static double *sums(ArmInformation *information, size_t joint, ArmSums which, double *mass) {
  const size_t p = arm_information_width(information, joint);
  double *r = calloc(p * p, sizeof *r);
  assert_non_null(r);
  *mass = arm_information_sums(information, joint, which, r);
  return r;
}

/* Rows and sums, pushed in pieces of odd lengths. */
static void check_arm(const char *arm) {
  static const size_t pieces[] = {1, 300, 7, 512, 255, 3};
  Rig rig;
  rig_init(&rig, arm, 5);
  ArmInformation *information = fresh(rig.base);
  for (size_t j = 0; j < rig.rows.n; j++) {
    const size_t p = arm_information_width(information, j);
    for (size_t done = 0, k = 0; done < SAMPLES; k++) {
      const size_t part = pieces[k % 6] < SAMPLES - done ? pieces[k % 6] : SAMPLES - done;
      push(information, &rig, j, done, part);
      done += part;
    }
    double *r = triangle(information, j);
    check_squares(squared(r, p), expected(&rig, information, j, 1, 1, false), p, 1e-12);
    free(r);
    for (int which = 0; which < ARM_SUMS; which++) {
      const size_t length = arm_sums_rows((ArmSums)which), step = which ? length : 8;
      double mass;
      r = sums(information, j, (ArmSums)which, &mass);
      assert_true(mass == (double)((SAMPLES + step - length) / step));
      check_squares(squared(r, p),
                    expected(&rig, information, j, step, length, which == ARM_SUMS_PAIR), p, 1e-12);
      free(r);
    }
    assert_int_equal(arm_information_rows(information, j), SAMPLES);
    assert_true(arm_information_mass(information, j) == SAMPLES);
  }
  arm_information_free(information);
  rig_clear(&rig);
}

static void test_equals_all_rows(void **state) {
  (void)state;
  for (size_t k = 0; k < 3; k++)
    check_arm(arms[k]);
}

static void test_leaves_out_what_a_joint_cannot_feel(void **state) {
  static const size_t first[] = {0, 1, 8, 15, 22, 29};
  ArmBase *base = make(&find_case("PUMA560-AKB")->model, 0, ARM_BASE_CLOSED_FORM);
  ArmInformation *information = fresh(base);
  (void)state;
  assert_int_equal(arm_information_joints(information), 6);
  assert_int_equal(arm_information_count(information), 36);
  for (size_t j = 0; j < 6; j++) {
    assert_int_equal(arm_information_first(information, j), first[j]);
    assert_int_equal(arm_information_width(information, j), 42 - first[j]);
  }
  arm_information_free(information);
  arm_base_free(base);
}

static void check_same(ArmInformation *a, ArmInformation *b) {
  for (size_t j = 0; j < arm_information_joints(a); j++) {
    const size_t p = arm_information_width(a, j);
    double *ra = triangle(a, j), *rb = triangle(b, j);
    check_squares(squared(ra, p), squared(rb, p), p, 1e-13);
    free(ra);
    free(rb);
    for (int which = 0; which < ARM_SUMS; which++) {
      double mass_a, mass_b;
      ra = sums(a, j, (ArmSums)which, &mass_a);
      rb = sums(b, j, (ArmSums)which, &mass_b);
      assert_true(mass_a == mass_b);
      check_squares(squared(ra, p), squared(rb, p), p, 1e-13);
      free(ra);
      free(rb);
    }
    assert_int_equal(arm_information_rows(a, j), arm_information_rows(b, j));
    assert_true(test_is_near(arm_information_mean(a, j), arm_information_mean(b, j), 1e-12, 1e-14));
  }
}

/* Pieces of whole sums, merged in any order, are one stream. */
static void test_merges(void **state) {
  static const size_t from[] = {0, 512, 1536, 2560},
                      orders[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
  Rig rig;
  (void)state;
  rig_init(&rig, "PUMA560-AKB", 6);
  ArmInformation *whole = fresh(rig.base);
  for (size_t j = 0; j < rig.rows.n; j++)
    push(whole, &rig, j, 0, 2560);
  for (size_t o = 0; o < 3; o++) {
    ArmInformation *merged = fresh(rig.base);
    for (size_t k = 0; k < 3; k++) {
      const size_t piece = orders[o][k];
      ArmInformation *part = fresh(rig.base);
      for (size_t j = 0; j < rig.rows.n; j++)
        push(part, &rig, j, from[piece], from[piece + 1] - from[piece]);
      assert_int_equal(arm_information_merge(merged, part, 1), ARM_OK);
      arm_information_free(part);
    }
    check_same(merged, whole);
    arm_information_free(merged);
  }
  arm_information_free(whole);
  rig_clear(&rig);
}

static void test_a_break_ends_sums(void **state) {
  Rig rig;
  double mass;
  (void)state;
  rig_init(&rig, "SCARA_RRTR_g//z1", 7);
  ArmInformation *information = fresh(rig.base);
  push(information, &rig, 1, 0, 15);
  arm_information_break(information, 1);
  push(information, &rig, 1, 15, 9);
  free(sums(information, 1, ARM_SUMS_8, &mass));
  assert_true(mass == 2);
  free(sums(information, 1, ARM_SUMS_PAIR, &mass));
  assert_true(mass == 3);
  assert_int_equal(arm_information_rows(information, 1), 24);
  arm_information_free(information);
  rig_clear(&rig);
}

static void test_weight(void **state) {
  Rig rig;
  (void)state;
  rig_init(&rig, "SCARA_RRTR_g//z1", 8);
  ArmInformation *a = fresh(rig.base), *b = fresh(rig.base);
  push(a, &rig, 0, 0, 600);
  assert_int_equal(arm_information_merge(b, a, 0.5), ARM_OK);
  const size_t p = arm_information_width(a, 0);
  double *ra = triangle(a, 0), *rb = triangle(b, 0);
  for (size_t k = 0; k < p * p; k++)
    ra[k] *= 0.5;
  check_squares(squared(rb, p), squared(ra, p), p, 1e-13);
  assert_true(arm_information_mass(b, 0) == 150);
  assert_true(test_is_near(arm_information_mean(a, 0), arm_information_mean(b, 0), 1e-14, 0));
  assert_int_equal(arm_information_rows(b, 0), 600);
  free(ra);
  free(rb);
  arm_information_free(a);
  arm_information_free(b);
  rig_clear(&rig);
}

static void test_refusals(void **state) {
  Rig rig, other;
  (void)state;
  rig_init(&rig, "PUMA560-AKB", 9);
  rig_init(&other, "SCARA_RRTR_g//z1", 9);
  ArmInformation *information = fresh(rig.base), *scara = fresh(other.base), *none = NULL;
  double *rows = rig.rows.rows[3];
  assert_int_equal(arm_information_push(information, 6, rows, 1, SAMPLES), ARM_E_ARGUMENT);
  assert_int_equal(arm_information_push(information, 3, rows, 2, 1), ARM_E_ARGUMENT);
  assert_int_equal(arm_information_push(information, 3, rig.rows.rows[1], 9, SAMPLES),
                   ARM_E_ARGUMENT);
  rows[4 + (ARM_DYN_LOCAL + 20) * SAMPLES] = (double)NAN;
  assert_int_equal(arm_information_push(information, 3, rows, 9, SAMPLES), ARM_E_NOT_FINITE);
  assert_int_equal(arm_information_rows(information, 3), 0);
  assert_true(isnan(arm_information_mean(information, 3)));
  assert_int_equal(arm_information_merge(information, scara, 1), ARM_E_ARGUMENT);
  assert_int_equal(arm_information_merge(scara, scara, 1), ARM_E_ARGUMENT);
  ArmInformation *again = fresh(rig.base);
  assert_int_equal(arm_information_merge(information, again, -1), ARM_E_ARGUMENT);
  ArmBase *rotors = make(&find_case("PUMA560-AKB")->model, ARM_BASE_WITH_ROTOR, ARM_BASE_QR);
  assert_int_equal(arm_information_new(rotors, &none), ARM_E_ARGUMENT);
  assert_null(none);
  arm_base_free(rotors);
  arm_information_free(again);
  arm_information_free(information);
  arm_information_free(scara);
  arm_information_free(NULL);
  rig_clear(&rig);
  rig_clear(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equals_all_rows),
      cmocka_unit_test(test_leaves_out_what_a_joint_cannot_feel),
      cmocka_unit_test(test_merges),
      cmocka_unit_test(test_a_break_ends_sums),
      cmocka_unit_test(test_weight),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
