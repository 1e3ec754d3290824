/* SPDX-License-Identifier: MIT */
/* What a motion must keep beside joint limits: currents against formulas the core does not use,
 * distances of capsules against scans, gradients of both against differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/clearance.h"
#include "core/excite/currents.h"
#include "support/dyn_random.h"
#include "support/support.h"

enum { N = 4, SAMPLES = 9 };

static ArmModel model;
static ArmMotionLimits limits;

static void random_arm(TestRng *rng, size_t n) {
  dyn_random_arm(rng, n, &model);
  for (size_t j = 0; j < n; j++) {
    ArmJoint *joint = &model.joints[j];
    joint->limits = (ArmLimits){
        .q_min = -2, .q_max = 2, .speed_max = 1, .accel_max = 5, .current_max = 3 + (double)j};
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){50 + 10 * (double)j, j % 2 ? -1 : 1, 0.1, 0.1, 1e-4};
    joint->n_capsules = 2;
    for (size_t c = 0; c < 2; c++) {
      ArmCapsule *capsule = &joint->capsules[c];
      dyn_random_vector(rng, 3, 0.4, capsule->from_m);
      dyn_random_vector(rng, 3, 0.4, capsule->to_m);
      capsule->radius_m = test_rng_uniform(rng, 0.02, 0.1);
    }
  }
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
}

/* ---- currents ---- */

static const ArmCurrentFriction friction[N] = {
    {0.5, 0.1, -0.4, 0.2}, {0.3, 0.2, -0.5, 0.1}, {0.2, 0.1, -0.2, 0.1}, {0.1, 0.3, -0.2, 0.2}};

static void random_motion(TestRng *rng, size_t n, double x[3][N * SAMPLES]) {
  for (int d = 0; d < 3; d++)
    dyn_random_vector(rng, n * SAMPLES, 1, x[d]);
}

/* Every other arm's drives. */
static void couple(TestRng *rng, size_t n) {
  model.has_coupling = n % 2 == 0;
  for (size_t i = 0; model.has_coupling && i < n; i++)
    for (size_t j = 0; j < i; j++)
      model.coupling[i][j] = test_rng_uniform(rng, -1, 1);
}

/* The power of joints and drives is the same, whatever couples them. */
static void test_power(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(34));
  for (int k = 0; k < 20; k++) {
    double x[3][N], current[N], torque[N], speed[N], power = 0, of_joints = 0;
    ArmDriveCurrents currents;
    random_arm(&rng, N);
    couple(&rng, N);
    for (size_t j = 0; j < N; j++)
      model.joints[j].motors[0].rotor_inertia_kg_m2 = 0;
    for (int d = 0; d < 3; d++)
      dyn_random_vector(&rng, N, 1, x[d]);
    assert_int_equal(arm_drive_currents_init(&model, NULL, &currents), ARM_OK);
    arm_drive_currents_at(&currents, false, 1, x[0], x[1], x[2], current);
    dyn_reference_torque(&model, x[0], x[1], x[2], torque);
    arm_model_motor_speed(&model, x[1], speed);
    for (size_t j = 0; j < N; j++) {
      power += current[j] / currents.eta[j] * speed[j];
      of_joints += torque[j] * x[1][j];
    }
    assert_true(test_is_near(power, of_joints, 1e-9, 1e-9));
  }
}

static void test_currents(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(31));
  for (size_t n = 1; n <= N; n++) {
    double x[3][N * SAMPLES], got[N * SAMPLES];
    ArmDriveCurrents currents;
    random_arm(&rng, n);
    couple(&rng, n);
    random_motion(&rng, n, x);
    assert_int_equal(arm_drive_currents_init(&model, friction, &currents), ARM_OK);
    assert_int_equal(arm_drive_currents_kept(&currents), n);
    arm_drive_currents_at(&currents, false, SAMPLES, x[0], x[1], x[2], got);
    for (size_t s = 0; s < SAMPLES; s++) {
      double one[3][N], torque[N], speed[N], acceleration[N];
      for (int d = 0; d < 3; d++)
        for (size_t j = 0; j < n; j++)
          one[d][j] = x[d][s + SAMPLES * j];
      dyn_reference_torque(&model, one[0], one[1], one[2], torque);
      arm_model_motor_speed(&model, one[1], speed);
      arm_model_motor_speed(&model, one[2], acceleration);
      for (size_t j = n; j-- > 0;) { /* tau = A^T of the drives' torques */
        for (size_t i = j + 1; model.has_coupling && i < n; i++)
          torque[j] -= model.coupling[i][j] * torque[i];
        const ArmMotor *motor = &model.joints[j].motors[0];
        const ArmCurrentFriction *f = &friction[j];
        const double gear = motor->gear_ratio, v = speed[j];
        const double whole = torque[j] + gear * gear * motor->rotor_inertia_kg_m2 * acceleration[j];
        const double want =
            motor->motor_sign * whole / (gear * motor->torque_constant_Nm_A) +
            (v > 0 ? f->coulomb_pos + f->viscous_pos * v : f->coulomb_neg + f->viscous_neg * v);
        assert_true(test_is_near(got[s + SAMPLES * j], want, 1e-9, 1e-9));
      }
    }
  }
}

/* sum of bar i, smooth */
static double weighed(const ArmDriveCurrents *currents, double x[3][N * SAMPLES],
                      const double *bar) {
  double current[N * SAMPLES], sum = 0;
  arm_drive_currents_at(currents, true, SAMPLES, x[0], x[1], x[2], current);
  for (size_t k = 0; k < currents->n * SAMPLES; k++)
    sum += bar[k] * current[k];
  return sum;
}

static void test_current_gradient(void **state) {
  static double work[10 * N * N * SAMPLES];
  TestRng rng;
  double worst = 0, most = 0;
  (void)state;
  test_rng_init(&rng, test_seed(32));
  for (size_t n = 1; n <= N; n++) {
    double x[3][N * SAMPLES], bar[N * SAMPLES], x_bar[3][N * SAMPLES];
    ArmDriveCurrents currents;
    random_arm(&rng, n);
    couple(&rng, n);
    random_motion(&rng, n, x);
    dyn_random_vector(&rng, n * SAMPLES, 1, bar);
    assert_int_equal(arm_drive_currents_init(&model, friction, &currents), ARM_OK);
    arm_drive_currents_gradient(&currents, SAMPLES, x[0], x[1], x[2], bar, work, x_bar[0], x_bar[1],
                                x_bar[2]);
    for (int d = 0; d < 3; d++)
      for (size_t k = 0; k < n * SAMPLES; k++) {
        const double was = x[d][k], step = 1e-5;
        x[d][k] = was + step;
        double want = weighed(&currents, x, bar);
        x[d][k] = was - step;
        want = (want - weighed(&currents, x, bar)) / (2 * step);
        x[d][k] = was;
        most = fmax(most, fabs(want));
        worst = fmax(worst, fabs(want - x_bar[d][k]));
      }
  }
  print_message("# worst %.2g of %.2g\n", worst, most);
  assert_true(worst < 1e-5 * most);
}

/* Who can be held to a limit. */
static void test_who_is_kept(void **state) {
  TestRng rng;
  ArmDriveCurrents currents;
  ArmCurrentViolation violations[N];
  (void)state;
  test_rng_init(&rng, 33);
  random_arm(&rng, 4);
  model.joints[1].link.is_present = false; /* and so joint 1 */
  model.joints[2].n_motors = 0;
  assert_int_equal(arm_drive_currents_init(&model, friction, &currents), ARM_OK);
  assert_int_equal(arm_drive_currents_kept(&currents), 1);
  assert_true(isfinite(currents.limit[3]));
  const double two[2 * 4] = {99, 99, 99, 99, 99, 99, 3, -7};
  assert_int_equal(arm_drive_currents_violations(&currents, 1, 2, two, violations), 1);
  assert_true(violations[0].joint == 3 && violations[0].samples == 1 && violations[0].worst == 1);
  assert_true(violations[0].value == -7 && violations[0].limit == -6);
  model.has_coupling = true; /* which takes nothing from the last ones */
  assert_int_equal(arm_drive_currents_init(&model, NULL, &currents), ARM_OK);
  assert_int_equal(arm_drive_currents_kept(&currents), 1);
}

/* ---- distances ---- */

static void place(size_t link, const double *local, const double *q, double *out) {
  double rotation[N][9], position[N][3];
  arm_model_poses(&model, q, rotation, position);
  for (int r = 0; r < 3; r++)
    out[r] = position[link][r] + rotation[link][3 * r] * local[0] +
             rotation[link][3 * r + 1] * local[1] + rotation[link][3 * r + 2] * local[2];
}

/* The least distance of two segments, by a scan that is made finer around its best. */
static double scan(const double p[2][3], const double q[2][3]) {
  double best = (double)INFINITY, at[2] = {0.5, 0.5}, half = 0.5;
  for (int round = 0; round < 12; round++, half *= 0.25) {
    const double about[2] = {at[0], at[1]};
    for (int i = -20; i <= 20; i++)
      for (int j = -20; j <= 20; j++) {
        const double s = fmin(fmax(about[0] + half * i / 20, 0), 1);
        const double t = fmin(fmax(about[1] + half * j / 20, 0), 1);
        double square = 0;
        for (int k = 0; k < 3; k++)
          square += pow(p[0][k] + s * (p[1][k] - p[0][k]) - q[0][k] - t * (q[1][k] - q[0][k]), 2);
        if (square < best) {
          best = square;
          at[0] = s;
          at[1] = t;
        }
      }
  }
  return sqrt(best);
}

static void test_distances(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(34));
  for (int round = 0; round < 20; round++) {
    ArmClearance *clearance = NULL;
    double q[N], distance[64];
    random_arm(&rng, N);
    if (round % 4 == 0) /* a sphere */
      memcpy(model.joints[3].capsules[0].to_m, model.joints[3].capsules[0].from_m,
             sizeof model.joints[3].capsules[0].to_m);
    assert_int_equal(arm_clearance_new(&model, &limits, -0.5, &clearance), ARM_OK);
    assert_int_equal(clearance->count + clearance->ignored, 3 * 4 + 4 * 4);
    dyn_random_vector(&rng, N, 2, q);
    arm_clearance_at(clearance, q, distance);
    for (size_t k = 0; k < clearance->count; k++) {
      const ArmClearancePair *pair = &clearance->pair[k];
      const ArmCapsule *a = &model.joints[pair->link[0]].capsules[pair->capsule[0]];
      double p[2][3], other[2][3], want;
      place(pair->link[0], a->from_m, q, p[0]);
      place(pair->link[0], a->to_m, q, p[1]);
      if (pair->is_table) {
        want = p[pair->capsule[1]][2] - a->radius_m + 0.5;
      } else {
        const ArmCapsule *b = &model.joints[pair->link[1]].capsules[pair->capsule[1]];
        assert_true(pair->link[1] >= pair->link[0] + 2);
        place(pair->link[1], b->from_m, q, other[0]);
        place(pair->link[1], b->to_m, q, other[1]);
        want = scan(p, other) - a->radius_m - b->radius_m;
      }
      assert_true(test_is_near(distance[k], want, 1e-6, 1e-6));
    }
    arm_clearance_free(clearance);
  }
}

static void test_clearance_gradient(void **state) {
  TestRng rng;
  double worst = 0;
  (void)state;
  test_rng_init(&rng, test_seed(35));
  for (int round = 0; round < 30; round++) {
    ArmClearance *clearance = NULL;
    double q[N], distance[64], bar[64] = {0}, q_bar[N] = {0};
    random_arm(&rng, N);
    assert_int_equal(arm_clearance_new(&model, &limits, -0.5, &clearance), ARM_OK);
    dyn_random_vector(&rng, N, 2, q);
    dyn_random_vector(&rng, clearance->count, 1, bar);
    arm_clearance_gradient(clearance, q, bar, q_bar);
    for (size_t j = 0; j < N; j++) {
      const double was = q[j], step = 1e-6;
      double want = 0;
      for (int side = -1; side <= 1; side += 2) {
        q[j] = was + side * step;
        arm_clearance_at(clearance, q, distance);
        for (size_t k = 0; k < clearance->count; k++)
          want += side * bar[k] * distance[k] / (2 * step);
      }
      q[j] = was;
      worst = fmax(worst, fabs(want - q_bar[j]) / fmax(1, fabs(want)));
    }
    arm_clearance_free(clearance);
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-5);
}

/* Two bars on a plane that fold onto each other, above a table. */
static void test_violations(void **state) {
  const double from[3] = {0, 0, 0}, to[3] = {1, 0, 0}, half_pi = acos(-1) / 2;
  ArmClearance *clearance = NULL;
  ArmClearanceViolation out[ARM_CLEARANCE_MOST];
  (void)state;
  assert_int_equal(arm_model_init(&model, 3), ARM_OK);
  arm_joint_set_mdh(&model.joints[0], ARM_JOINT_R, half_pi, 0, 0, 0);
  arm_joint_set_mdh(&model.joints[1], ARM_JOINT_R, 0, 1, 0, 0);
  arm_joint_set_mdh(&model.joints[2], ARM_JOINT_R, 0, 1, 0, 0);
  for (size_t j = 0; j < 3; j++) {
    model.joints[j].limits = (ArmLimits){.q_min = -3, .q_max = 3, .speed_max = 1, .accel_max = 5};
    model.joints[j].n_capsules = 1;
    memcpy(model.joints[j].capsules[0].from_m, from, sizeof from);
    memcpy(model.joints[j].capsules[0].to_m, to, sizeof to);
    model.joints[j].capsules[0].radius_m = 0.05;
  }
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
  assert_int_equal(arm_clearance_new(&model, &limits, -0.5, &clearance), ARM_OK);
  /* upright; folded to a triangle; hanging */
  const double q[9] = {half_pi, half_pi, -half_pi, 0, 2.09, 0, 0, 2.09, 0};
  assert_int_equal(arm_clearance_violations(clearance, 0, 3, q, out), 4);
  assert_true(!out[0].is_table && out[0].link[0] == 0 && out[0].link[1] == 2);
  assert_true(out[0].samples == 1 && out[0].worst == 1 && out[0].value < 0);
  for (size_t k = 1; k < 4; k++) {
    assert_true(out[k].is_table && out[k].samples == 1 && out[k].worst == 2);
    assert_true(test_is_near(out[k].value, -(double)out[k].link[0] - 0.55, 1e-9, 0));
  }
  arm_clearance_free(clearance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_power),
      cmocka_unit_test(test_power),
      cmocka_unit_test(test_currents),
      cmocka_unit_test(test_current_gradient),
      cmocka_unit_test(test_who_is_kept),
      cmocka_unit_test(test_distances),
      cmocka_unit_test(test_clearance_gradient),
      cmocka_unit_test(test_violations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
