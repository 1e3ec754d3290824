/* SPDX-License-Identifier: MIT */
/* The ten parameters of a link: against integrals over point masses, and one test per order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "support/support.h"

enum { MASSES = 5 };

typedef struct {
  double mass[MASSES], at[MASSES][3];
} Cloud;

static void cloud_random(TestRng *rng, Cloud *cloud) {
  for (int p = 0; p < MASSES; p++) {
    cloud->mass[p] = test_rng_uniform(rng, 0.1, 3);
    for (int a = 0; a < 3; a++)
      cloud->at[p][a] = test_rng_uniform(rng, -1, 1);
  }
}

/* Sums over the points about `origin`: the definition. Tensor entry (r, c), and the moments. */
static double cloud_tensor(const Cloud *cloud, const double origin[3], int r, int c) {
  double sum = 0;
  for (int p = 0; p < MASSES; p++) {
    double x[3], square = 0;
    for (int a = 0; a < 3; a++) {
      x[a] = cloud->at[p][a] - origin[a];
      square += x[a] * x[a];
    }
    sum += cloud->mass[p] * ((r == c ? square : 0) - x[r] * x[c]);
  }
  return sum;
}

static double cloud_moment(const Cloud *cloud, int a) {
  double sum = 0;
  for (int p = 0; p < MASSES; p++)
    sum += cloud->mass[p] * (a < 0 ? 1 : cloud->at[p][a]);
  return sum;
}

static void cloud_parameters(const Cloud *cloud, double pi[10]) {
  const double origin[3] = {0};
  const double want[10] = {cloud_moment(cloud, -1),
                           cloud_moment(cloud, 0),
                           cloud_moment(cloud, 1),
                           cloud_moment(cloud, 2),
                           cloud_tensor(cloud, origin, 0, 0),
                           cloud_tensor(cloud, origin, 0, 1),
                           cloud_tensor(cloud, origin, 1, 1),
                           cloud_tensor(cloud, origin, 0, 2),
                           cloud_tensor(cloud, origin, 1, 2),
                           cloud_tensor(cloud, origin, 2, 2)};
  memcpy(pi, want, sizeof want);
}

static void cloud_link(const Cloud *cloud, ArmLink *link) {
  *link = (ArmLink){.is_present = true, .mass_kg = cloud_moment(cloud, -1)};
  for (int a = 0; a < 3; a++)
    link->com_m[a] = cloud_moment(cloud, a) / link->mass_kg;
  const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++)
    link->inertia_com_kg_m2[k] = cloud_tensor(cloud, link->com_m, row[k], column[k]);
}

static void check_near(const double *a, const double *b, size_t count, double tolerance) {
  for (size_t k = 0; k < count; k++)
    if (!(fabs(a[k] - b[k]) <= tolerance * (1 + fabs(b[k]))))
      fail_msg("entry %d: %.17g, expected %.17g", (int)k, a[k], b[k]);
}

static void test_link_and_back(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(31));
  for (int k = 0; k < 200; k++) {
    Cloud cloud;
    ArmLink link, back;
    double pi[10], want[10];
    cloud_random(&rng, &cloud);
    cloud_link(&cloud, &link);
    cloud_parameters(&cloud, want);
    arm_inertia_from_link(&link, pi);
    check_near(pi, want, 10, 1e-14);
    assert_int_equal(arm_inertia_to_link(pi, &back), ARM_OK);
    assert_true(back.is_present);
    check_near(&back.mass_kg, &link.mass_kg, 1, 1e-15);
    check_near(back.com_m, link.com_m, 3, 1e-14);
    check_near(back.inertia_com_kg_m2, link.inertia_com_kg_m2, 6, 1e-13);
  }
}

static void test_missing_and_refused(void **state) {
  ArmModel model;
  ArmLink link = {.mass_kg = 7};
  double pi[30], zero[10] = {0};
  (void)state;
  assert_int_equal(arm_model_init(&model, 3), ARM_OK);
  model.joints[1].link = (ArmLink){.is_present = true, .mass_kg = 2, .com_m = {0, 0, 3}};
  assert_int_equal(arm_inertia_nominal(&model, pi), 2);
  check_near(pi, zero, 10, 0);
  check_near(pi + 20, zero, 10, 0);
  const double want[10] = {2, 0, 0, 6, 18, 0, 18, 0, 0, 0};
  check_near(pi + 10, want, 10, 0);
  assert_int_equal(arm_inertia_to_link(zero, &link), ARM_E_NUMERIC);
  zero[4] = NAN;
  assert_int_equal(arm_inertia_to_link(zero, &link), ARM_E_NOT_FINITE);
  assert_true(link.mass_kg == 7 && !link.is_present);
}

static void test_move(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(32));
  for (int k = 0; k < 200; k++) {
    Cloud here, there;
    ArmJoint frame;
    double xyz[3], rpy[3], pi[10], moved[10], want[10];
    for (int a = 0; a < 3; a++) {
      xyz[a] = test_rng_uniform(&rng, -1, 1);
      rpy[a] = test_rng_uniform(&rng, -3, 3);
    }
    arm_joint_set_placement(&frame, ARM_JOINT_R, xyz, rpy);
    cloud_random(&rng, &here);
    there = here;
    for (int p = 0; p < MASSES; p++)
      for (int r = 0; r < 3; r++) {
        there.at[p][r] = xyz[r];
        for (int c = 0; c < 3; c++)
          there.at[p][r] += frame.rotation[3 * r + c] * here.at[p][c];
      }
    cloud_parameters(&here, pi);
    cloud_parameters(&there, want);
    arm_inertia_move(frame.rotation, xyz, pi, moved);
    check_near(moved, want, 10, 2e-14);
  }
}

/* ---- one test per order: a body whose parameters say what they are ---- */

/* m mcx mcy mcz Ixx Ixy Iyy Ixz Iyz Izz */
static const double ours[10] = {1, 101, 102, 103, 211, 212, 222, 213, 223, 233};

static void check_order(ArmInertiaOrder order, const double theirs[10]) {
  double out[10], back[10];
  arm_inertia_to_order(order, ours, out);
  check_near(out, theirs, 10, 0);
  arm_inertia_from_order(order, theirs, back);
  check_near(back, ours, 10, 0);
  for (size_t k = 0; k < 10; k++)
    assert_true(ours[arm_inertia_place(order, k)] == theirs[k]);
}

static void test_order_armature(void **state) {
  (void)state;
  check_order(ARM_INERTIA_ORDER_ARMATURE, ours);
}

static void test_order_lin(void **state) {
  const double theirs[10] = {1, 101, 102, 103, 211, 222, 233, 212, 213, 223};
  (void)state;
  check_order(ARM_INERTIA_ORDER_LIN, theirs);
}

static void test_order_gautier_khalil(void **state) {
  const double theirs[10] = {211, 212, 213, 222, 223, 233, 101, 102, 103, 1};
  (void)state;
  check_order(ARM_INERTIA_ORDER_GAUTIER_KHALIL, theirs);
}

static void test_order_pinocchio(void **state) {
  const double theirs[10] = {1, 101, 102, 103, 211, 212, 222, 213, 223, 233};
  (void)state;
  check_order(ARM_INERTIA_ORDER_PINOCCHIO, theirs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_link_and_back),
      cmocka_unit_test(test_missing_and_refused),
      cmocka_unit_test(test_move),
      cmocka_unit_test(test_order_armature),
      cmocka_unit_test(test_order_lin),
      cmocka_unit_test(test_order_gautier_khalil),
      cmocka_unit_test(test_order_pinocchio),
  };
  return cmocka_run_group_tests_name("inertia", tests, NULL, NULL);
}
