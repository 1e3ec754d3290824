/* SPDX-License-Identifier: MIT */
/* The plant as a controller sees it: holding, sweeping, saturation, sensors, time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/plant/plant.h"
#include "support/plant_rig.h"

enum { N = ARM_MAX_JOINTS };

static const double pi = 3.14159265358979323846;
static ArmModel model;
static ArmPlantConfig config;

static ArmPlant *start(const double *q) {
  ArmStatus status = ARM_E_MEMORY;
  ArmPlant *plant = arm_plant_new(&config, &status);
  assert_non_null(plant);
  assert_int_equal(status, ARM_OK);
  arm_plant_switch(plant, true);
  arm_plant_place(plant, q);
  return plant;
}

static void advance(ArmPlant *plant, double seconds) {
  assert_int_equal(arm_plant_advance(plant, seconds), ARM_OK);
}

static void check_near(const char *what, double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance))
    fail_msg("%s: got %.10g, expected %.10g within %g", what, got, want, tolerance);
}

static void configure(double encoder) {
  assert_int_equal(arm_plant_config_default(&config, &model, 0.3, 1), ARM_OK);
  for (size_t i = 0; i < model.n; i++) {
    config.joints[i].encoder *= encoder;
    config.joints[i].stop_low = -(double)INFINITY;
    config.joints[i].stop_high = (double)INFINITY;
  }
}

/* eta_i [(I+L)^-T tau]_i by the gravity coefficients of the identification. */
static void gravity_current(const double *q, double *current) {
  double w[2 * N], row[2 * N], tau[N];
  arm_gravity_nominal(&model, w);
  for (size_t i = model.n; i-- > 0;) {
    arm_gravity_row(&model, q, i, row);
    tau[i] = 0;
    for (size_t c = 0; c < 2 * model.n; c++)
      tau[i] += row[c] * w[c];
    current[i] = config.joints[i].eta * tau[i];
  }
}

/* ---- holding ---- */

/* Without friction the current that holds is that of gravity; with it, within break-away. */
static void check_hold(const char *name, ArmPlantKind kind, uint64_t seed) {
  TestRng rng;
  double q[N], current[N], want[N], worst = 0;
  test_rng_init(&rng, seed);
  for (int has_friction = 0; has_friction < 2; has_friction++) {
    configure(has_friction);
    config.kind = kind;
    rig_friction(&config, has_friction ? 1.5 : 0, has_friction ? 0.5 : 0);
    for (int pose = 0; pose < 3; pose++) {
      for (size_t i = 0; i < model.n; i++)
        q[i] = test_rng_uniform(&rng, -1, 1) * (model.joints[i].type == ARM_JOINT_R ? 3 : 0.1);
      ArmPlant *plant = start(q);
      for (size_t i = 0; i < model.n; i++)
        q[i] += model.joints[i].type == ARM_JOINT_R ? 0.02 : 0.002;
      arm_plant_set_points(plant, q, (const double[N]){0});
      advance(plant, 8);
      arm_plant_truth(plant, q, NULL, current);
      gravity_current(q, want);
      for (size_t i = 0; i < model.n; i++) {
        const double band = has_friction ? 1.25 * 1.5 * fabs(config.joints[i].eta) + 1e-3 : 1e-6;
        check_near(name, current[i], want[i], band);
        worst = fmax(worst, has_friction ? 0 : fabs(current[i] - want[i]));
      }
      arm_plant_free(plant);
    }
  }
  print_message("# %s: worst difference without friction %.2g A\n", name, worst);
}

static void test_holding_current_is_gravity(void **state) {
  const uint64_t seed = test_seed(5);
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    rig_puma(&model);
    rig_add_tool(&model);
    rig_couple_wrist(&model);
    check_hold("PUMA", kind ? ARM_PLANT_DIAGONAL : ARM_PLANT_RIGID, seed);
    rig_stanford(&model);
    check_hold("Stanford arm", kind ? ARM_PLANT_DIAGONAL : ARM_PLANT_RIGID, seed);
    rig_scara(&model);
    check_hold("SCARA", kind ? ARM_PLANT_DIAGONAL : ARM_PLANT_RIGID, seed);
  }
}

/* ---- moving ---- */

typedef struct {
  double sum[N];
  size_t count;
} Mean;

/* Joint at a constant speed from q on, 0.8 s to settle: mean of current less gravity. A current was
 * set one servo period ago and has held the arm through the poses since then. */
static Mean cruise(ArmPlant *plant, const double *from, size_t joint, double speed, double end) {
  double q[N], qd[N] = {0}, seen[N], speeds[N], current[N], gravity[N];
  Mean mean = {.count = 0};
  memcpy(q, from, sizeof q);
  arm_plant_place(plant, q);
  qd[joint] = speed;
  for (double t = 0; t < end; t += config.servo_s) {
    q[joint] = from[joint] + speed * t;
    arm_plant_set_points(plant, q, qd);
    advance(plant, config.servo_s);
    arm_plant_truth(plant, seen, speeds, current);
    for (size_t i = 0; i < model.n; i++)
      seen[i] -= 0.5 * config.servo_s * speeds[i];
    gravity_current(seen, gravity);
    for (size_t i = 0; t >= 0.8 && i < model.n; i++)
      mean.sum[i] += current[i] - gravity[i];
    mean.count += t >= 0.8;
  }
  for (size_t i = 0; i < model.n; i++)
    mean.sum[i] /= (double)mean.count;
  return mean;
}

/* Over both directions of the same way the mean is gravity, half the difference friction. */
static void check_sweep(size_t joint, double speed, double reach) {
  double from[N] = {0, -pi / 2, pi / 2, 0, 0, 0};
  const ArmPlantJoint *truth = &config.joints[joint];
  ArmPlant *plant = start(from);
  const double end = reach / speed;
  from[joint] -= 0.5 * reach;
  const double forth = cruise(plant, from, joint, speed, end).sum[joint];
  from[joint] += reach;
  const double back = cruise(plant, from, joint, -speed, end).sum[joint];
  const double pos = truth->coulomb_pos + truth->viscous_pos * speed;
  const double neg = truth->coulomb_neg - truth->viscous_neg * speed;
  print_message("# joint %zu at %.2f: mean off by %.2g A, friction %.4f A off "
                "by %.2g A\n",
                joint + 1, speed, 0.5 * (forth + back - pos - neg), 0.5 * (pos - neg),
                0.5 * (forth - back - pos + neg));
  check_near("mean", 0.5 * (forth + back), 0.5 * (pos + neg), 1.5e-3);
  check_near("half difference", 0.5 * (forth - back), 0.5 * (pos - neg), 1.5e-3);
  arm_plant_free(plant);
}

static void test_sweep_shows_gravity_and_friction(void **state) {
  (void)state;
  rig_puma(&model);
  rig_couple_wrist(&model);
  assert_true(rig_puma_config(&model, 1, &config));
  for (size_t joint = 0; joint < 6; joint++)
    check_sweep(joint, 0.8, 2.5);
}

static void test_t_joint_carries_its_mass(void **state) {
  const double from[N] = {0.2, -0.3, 0.02, 0.4, 0, 0};
  (void)state;
  rig_scara(&model);
  configure(1);
  rig_friction(&config, 20, 30);
  ArmPlant *plant = start(from);
  const double off = cruise(plant, from, 2, 0.05, 3).sum[2];
  const double friction = config.joints[2].eta * (20 + 30 * 0.05);
  check_near("friction", off, friction, 0.01 * friction);
  arm_plant_free(plant);
}

/* Joint 5 moves, joint 6 holds: motor 6 turns with joint 5 and feels its friction. */
static void test_coupled_motor_rubs(void **state) {
  const double from[N] = {0, -pi / 2, pi / 2, 0, -1, 0};
  (void)state;
  rig_puma(&model);
  rig_couple_wrist(&model);
  assert_true(rig_puma_config(&model, 1, &config));
  const ArmPlantJoint *six = &config.joints[5];
  ArmPlant *plant = start(from);
  const double got = cruise(plant, from, 4, 1, 2).sum[5];
  check_near("motor 6", got, six->coulomb_pos + six->viscous_pos * 13 / 72, 5e-3);
  arm_plant_free(plant);
}

/* ---- the servo law ---- */

/* Growth of the largest |speed| over 2 s, a second after a small kick; rho
 * times the inertia, by_pose times that of the pose where rho swings.
 */
static double growth_of(double rho, double by_pose) {
  double q[1] = {0}, qd[1], most[4] = {0};
  rig_pendulum(&model, 1);
  model.gravity_m_s2[2] = 0;
  configure(0);
  config.joints[0].servo_inertia *= rho / 0.3;
  config.joints[0].servo_rho = by_pose;
  ArmPlant *plant = start(q);
  q[0] = 0.01;
  arm_plant_set_points(plant, q, (const double[1]){0});
  for (int k = 0; k < 400; k++) {
    advance(plant, 0.01);
    arm_plant_truth(plant, NULL, qd, NULL);
    most[k / 100] = fmax(most[k / 100], fabs(qd[0]));
  }
  arm_plant_free(plant);
  return most[3] / most[1];
}

static double growth(double rho) {
  return growth_of(rho, 0);
}

/* Theory notes, section 8: at 10 ms and a lag of 0.5 ms stable from 0.055 to 1.48. */
static void test_stable_as_computed(void **state) {
  (void)state;
  assert_true(growth(0.052) > 1);
  assert_true(growth(0.058) < 1);
  assert_true(growth(1.47) < 1);
  assert_true(growth(1.50) > 1);
}

/* An arm that is stretched out has many times the smallest inertia: a UR10e's joint 1 six. */
static void test_inertia_by_pose(void **state) {
  (void)state;
  assert_true(growth(0.03) > 1);
  assert_true(growth_of(0.03, 0.3) < 0.1);
  assert_true(growth_of(1.50, 0.3) > 1); /* what was stated stays where it does not oscillate so */
}

/* A SCARA's joint 1, stretched out, would swing for a second at each start of a sweep. */
static void test_no_long_swing(void **state) {
  (void)state;
  assert_true(growth_of(0.13, 0.3) < 0.1 * growth(0.13));
  check_near("swing over within 0.2 s", growth_of(0.17, 0.3), growth(0.17), 0);
}

/* Speed is limited to 1.2 times the joint's, however far the target. */
static void test_speed_limit(void **state) {
  double qd[1];
  (void)state;
  rig_pendulum(&model, 1);
  model.gravity_m_s2[2] = 0;
  model.joints[0].limits.speed_max = 0.5;
  configure(0);
  ArmPlant *plant = start((const double[1]){0});
  arm_plant_set_points(plant, (const double[1]){50}, (const double[1]){0});
  advance(plant, 3);
  arm_plant_truth(plant, NULL, qd, NULL);
  check_near("speed", qd[0], 0.6, 1e-4);
  arm_plant_free(plant);
}

/* A set-point that moves is followed at its own speed and without a lag. */
static void test_moving_set_point(void **state) {
  double q[1], qd[1];
  (void)state;
  rig_pendulum(&model, 1);
  model.gravity_m_s2[2] = 0;
  configure(0);
  ArmPlant *plant = start((const double[1]){0});
  for (int k = 0; k < 300; k++) {
    arm_plant_set_points(plant, (const double[1]){0.4 * 0.01 * (k + 1)}, (const double[1]){0.4});
    advance(plant, 0.01);
  }
  arm_plant_truth(plant, q, qd, NULL);
  check_near("position", q[0], 0.4 * 3, 1e-6);
  check_near("speed", qd[0], 0.4, 1e-6);
  arm_plant_free(plant);
}

static void test_saturation_without_windup(void **state) {
  double current[1];
  (void)state;
  rig_pendulum(&model, 1);
  model.gravity_m_s2[2] = 0;
  model.joints[0].limits.current_max = 3;
  configure(1);
  ArmPlant *plant = start((const double[1]){0});
  arm_plant_block(plant, 0, true);
  arm_plant_set_points(plant, (const double[1]){1}, (const double[1]){0});
  for (int k = 0; k < 1000; k++) {
    advance(plant, 0.01);
    arm_plant_truth(plant, NULL, NULL, current);
    assert_true(current[0] <= 3);
  }
  check_near("stalled", current[0], 3, 1e-6);
  arm_plant_set_points(plant, (const double[1]){-1}, (const double[1]){0});
  advance(plant, 0.02);
  arm_plant_truth(plant, NULL, NULL, current);
  assert_true(current[0] < 3 - 1e-3);
  arm_plant_switch(plant, false);
  advance(plant, 0.01);
  arm_plant_truth(plant, NULL, NULL, current);
  check_near("off", current[0], 0, 0);
  arm_plant_free(plant);
}

/* ---- sensors and time ---- */

static void run_noisy(uint64_t seed, ArmPlantReading seen[200], double truth[6]) {
  const double q[N] = {0.1, -1, 1.2, 0.3, 0.4, 0.5};
  double target[N];
  rig_puma(&model);
  assert_true(rig_puma_config(&model, seed, &config));
  for (size_t i = 0; i < 6; i++)
    config.joints[i].noise_sd = 0.02;
  ArmPlant *plant = start(q);
  for (int k = 0; k < 200; k++) {
    for (size_t i = 0; i < N; i++)
      target[i] = q[i] + 0.3 * sin(0.02 * k);
    arm_plant_set_points(plant, target, (const double[N]){0});
    advance(plant, 0.01);
    arm_plant_read(plant, &seen[k]);
  }
  arm_plant_truth(plant, truth, NULL, NULL);
  arm_plant_free(plant);
}

static void test_same_seed_same_bits(void **state) {
  static ArmPlantReading a[200], b[200], c[200];
  double end_a[6], end_b[6], end_c[6], sum = 0;
  (void)state;
  run_noisy(7, a, end_a);
  run_noisy(7, b, end_b);
  run_noisy(8, c, end_c);
  assert_memory_equal(a, b, sizeof a);
  assert_memory_equal(end_a, end_b, sizeof end_a);
  assert_memory_equal(end_a, end_c, sizeof end_a); /* noise is in the reading alone */
  for (int k = 0; k < 200; k++)
    for (size_t i = 0; i < 6; i++) {
      const double difference = a[k].current[i] - c[k].current[i];
      assert_true(difference != 0);
      sum += difference * difference;
    }
  check_near("noise sd", sqrt(sum / (2 * 1200)), 0.02, 0.002);
}

static void test_encoder(void **state) {
  ArmPlantReading seen, last;
  double q[N];
  (void)state;
  rig_puma(&model);
  assert_true(rig_puma_config(&model, 1, &config));
  check_near("quantum", config.joints[1].encoder, 2 * pi / 107815, 1e-12);
  ArmPlant *plant = start((const double[N]){0.1, -1, 1.2, 0.3, 0.4, 0.5});
  arm_plant_read(plant, &last);
  arm_plant_set_points(plant, (const double[N]){0}, (const double[N]){0});
  for (int k = 1; k <= 100; k++) {
    advance(plant, 0.01);
    arm_plant_read(plant, &seen);
    arm_plant_truth(plant, q, NULL, NULL);
    check_near("time", seen.t_s, 0.01 * k, 1e-12);
    for (size_t i = 0; i < 6; i++) {
      const double quantum = config.joints[i].encoder, counts = seen.q[i] / quantum;
      check_near("counts", counts, round(counts), 1e-6);
      check_near("position", seen.q[i], q[i], 0.5 * quantum * (1 + 1e-9));
      check_near("speed", seen.qd[i], (seen.q[i] - last.q[i]) / 0.01, 1e-9);
    }
    last = seen;
  }
  arm_plant_free(plant);
}

/* The length of the calls does not matter. */
static void test_time_in_pieces(void **state) {
  const double from[N] = {0.1, -1, 1.2, 0.3, 0.4, 0.5};
  ArmPlantReading once, often;
  (void)state;
  rig_puma(&model);
  assert_true(rig_puma_config(&model, 1, &config));
  ArmPlant *whole = start(from), *pieces = start(from);
  arm_plant_set_points(whole, (const double[N]){0}, (const double[N]){0});
  arm_plant_set_points(pieces, (const double[N]){0}, (const double[N]){0});
  advance(whole, 0.75);
  for (int k = 0; k < 10000; k++)
    advance(pieces, 7.5e-5);
  arm_plant_read(whole, &once);
  arm_plant_read(pieces, &often);
  assert_memory_equal(&once, &often, sizeof once);
  check_near("last sample", once.t_s, 0.75, 1e-12);
  arm_plant_free(whole);
  arm_plant_free(pieces);
}

static void test_bad_calls_do_nothing(void **state) {
  const double q[N] = {0.1, -1, 1.2, 0.3, 0.4, 0.5};
  double before[6], after[6];
  (void)state;
  rig_puma(&model);
  assert_true(rig_puma_config(&model, 1, &config));
  ArmPlant *plant = start(q);
  advance(plant, 1);
  arm_plant_truth(plant, before, NULL, NULL);
  assert_int_equal(arm_plant_advance(plant, -1), ARM_E_ARGUMENT);
  assert_int_equal(arm_plant_advance(plant, (double)NAN), ARM_E_ARGUMENT);
  double lost[N];
  for (size_t i = 0; i < N; i++)
    lost[i] = (double)NAN;
  arm_plant_set_points(plant, lost, lost);
  advance(plant, 1);
  arm_plant_place(plant, lost);
  arm_plant_truth(plant, after, NULL, NULL);
  for (size_t i = 0; i < 6; i++)
    check_near("position", after[i], before[i], 1e-3);
  arm_plant_free(plant);
  arm_plant_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holding_current_is_gravity),
      cmocka_unit_test(test_sweep_shows_gravity_and_friction),
      cmocka_unit_test(test_t_joint_carries_its_mass),
      cmocka_unit_test(test_coupled_motor_rubs),
      cmocka_unit_test(test_stable_as_computed),
      cmocka_unit_test(test_inertia_by_pose),
      cmocka_unit_test(test_no_long_swing),
      cmocka_unit_test(test_speed_limit),
      cmocka_unit_test(test_moving_set_point),
      cmocka_unit_test(test_saturation_without_windup),
      cmocka_unit_test(test_same_seed_same_bits),
      cmocka_unit_test(test_encoder),
      cmocka_unit_test(test_time_in_pieces),
      cmocka_unit_test(test_bad_calls_do_nothing),
  };
  return cmocka_run_group_tests_name("plant_servo", tests, NULL, NULL);
}
