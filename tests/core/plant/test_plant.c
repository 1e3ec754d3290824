/* SPDX-License-Identifier: MIT */
/* The plant's mechanics: energy, friction, stops, coupling, T joints, random arms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/plant/plant_internal.h"
#include "support/plant_rig.h"

static ArmModel model;
static ArmPlantConfig config;

static void configure(void) {
  assert_int_equal(arm_plant_config_default(&config, &model, 0.3, 1), ARM_OK);
  for (size_t i = 0; i < model.n; i++) {
    config.joints[i].encoder = 0;
    config.joints[i].stop_low = -(double)INFINITY;
    config.joints[i].stop_high = (double)INFINITY;
  }
}

static ArmPlant *start(const double *q) {
  ArmStatus status = ARM_E_MEMORY;
  ArmPlant *plant = arm_plant_new(&config, &status);
  assert_non_null(plant);
  assert_int_equal(status, ARM_OK);
  if (q)
    arm_plant_place(plant, q);
  return plant;
}

static void advance(ArmPlant *plant, double seconds) {
  assert_int_equal(arm_plant_advance(plant, seconds), ARM_OK);
}

static void check_near(double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance))
    fail_msg("got %.10g, expected %.10g within %g", got, want, tolerance);
}

/* One R joint about a vertical axis, inertia 1/12 + 1/16 kg m^2 from one rod; motors of 1 N m/A. */
static void turntable(ArmPlantKind kind) {
  rig_pendulum(&model, 1);
  model.gravity_m_s2[2] = 0;
  configure();
  config.kind = kind;
  config.joints[0].inertia = 0.1;
  config.joints[0].lag_s = 0;
}

/* ---- energy ---- */

static double energy(const ArmPlant *plant) {
  double k[10 * N], u[10 * N], sum = 0;
  arm_dyn_energy(&plant->dyn, plant->q, plant->qd, k, u);
  for (size_t p = 0; p < 10 * plant->n; p++)
    sum += (k[p] + u[p]) * plant->pi[p];
  for (size_t i = 0; i < plant->n; i++)
    for (size_t j = 0; j < plant->n; j++)
      sum += 0.5 * plant->qd[i] * plant->constant_mass[i + plant->n * j] * plant->qd[j];
  return sum;
}

/* Largest drift over two seconds of falling, relative to the largest kinetic energy. */
static double drift(double substep_s, const double *q) {
  config.substep_s = substep_s;
  ArmPlant *plant = start(q);
  const double first = energy(plant);
  double worst = 0, moved = 0;
  for (int k = 0; k < 200; k++) {
    double k_row[10 * N], u_row[10 * N], potential = 0;
    advance(plant, 0.01);
    arm_dyn_energy(&plant->dyn, plant->q, plant->qd, k_row, u_row);
    for (size_t p = 0; p < 10 * plant->n; p++)
      potential += u_row[p] * plant->pi[p];
    worst = fmax(worst, fabs(energy(plant) - first));
    moved = fmax(moved, fabs(potential - first));
  }
  arm_plant_free(plant);
  assert_true(moved > 1);
  return worst / moved;
}

static void check_energy(const char *name, const double *q, double tolerance) {
  configure();
  const double coarse = drift(4e-4, q), middle = drift(2e-4, q), fine = drift(1e-4, q);
  print_message("# %s: energy drift %.2g at 0.1 ms, %.2f and %.2f times that at double steps\n",
                name, fine, middle / fine, coarse / middle);
  assert_true(fine < tolerance);
  assert_true(middle / fine > 3 && middle / fine < 5.5);
}

static void test_energy_is_conserved(void **state) {
  const double q[6] = {0.3, -0.4, 0.7, 0.5, 0.9, -0.2};
  (void)state;
  rig_pendulum(&model, 2);
  check_energy("double pendulum", q, 1e-6);
  rig_puma(&model);
  rig_couple_wrist(&model);
  check_energy("PUMA", q, 1e-6);
  rig_stanford(&model);
  check_energy("Stanford arm", q, 1e-6);
}

static void test_lugre_takes_energy(void **state) {
  (void)state;
  turntable(ARM_PLANT_RIGID);
  rig_friction(&config, 0.5, 0.1);
  ArmPlant *plant = start(NULL);
  const double none[1] = {0}, stiffness = plant->friction[0].stiffness;
  plant->qd[0] = 3;
  double last = energy(plant);
  for (int k = 0; k < 20000; k++) {
    assert_true(arm_plant_step(plant, none));
    const double now = energy(plant) + 0.5 * stiffness * plant->bristle[0] * plant->bristle[0];
    assert_true(now <= last * (1 + 1e-12));
    last = now;
  }
  assert_true(fabs(plant->qd[0]) < 1e-6);
  arm_plant_free(plant);
}

/* ---- friction ---- */

/* However slow or soft, the bristles' part of the force never pushes. */
static void test_bristle_force_never_reverses(void **state) {
  const PlantFriction friction = {.coulomb = {0.05, 0.02},
                                  .excess = 0.25,
                                  .stribeck_speed = 0.02,
                                  .stiffness = 500,
                                  .damping = 100};
  (void)state;
  for (double w = 1e-5; w < 10; w *= 1.1)
    for (int side = -1; side <= 1; side += 2) {
      PlantFrictionStep step;
      arm_plant_friction_step(&friction, 1e-4, side * w, 1e-4, &step);
      assert_true(step.at_rest >= 0 && step.slope >= 0 && step.relax > 0 && step.relax <= 1);
    }
}

/* Speed after `seconds` under a force that goes from one value to another in a second: a jump
 * overshoots. */
static double pushed(ArmPlant *plant, double from, double to, double seconds) {
  const double steps = seconds / config.substep_s, ramp = fmin(steps, 1 / config.substep_s);
  for (int k = 0; k < steps; k++) {
    const double u[1] = {from + (to - from) * fmin(1, k / ramp)};
    assert_true(arm_plant_step(plant, u));
  }
  return plant->qd[0];
}

static void check_break_away(double bristle) {
  turntable(ARM_PLANT_RIGID);
  rig_friction(&config, 0.5, 0.2);
  config.joints[0].coulomb_neg *= 2;
  config.joints[0].viscous_neg *= 3;
  config.joints[0].bristle = bristle;
  ArmPlant *plant = start(NULL);
  check_near(pushed(plant, 0, 0.6, 3), 0, 1e-6); /* bristles let go a little below 1.25 x 0.5 */
  assert_true(fabs(plant->q[0]) <= 10 * bristle + 1e-12);
  check_near(pushed(plant, 0.6, 0.64, 20), (0.64 - 0.5) / 0.2, 1e-3);
  check_near(pushed(plant, 0.64, 0.55, 20), (0.55 - 0.5) / 0.2,
             1e-3); /* sliding goes on below it */
  check_near(pushed(plant, 0.55, 0, 2), 0, 1e-6);
  const double rest = plant->q[0];
  check_near(pushed(plant, 0, -1.2, 3), 0, 1e-6);
  check_near(plant->q[0], rest, 10 * bristle + 1e-12);
  check_near(pushed(plant, -1.2, -1.6, 20), -(1.6 - 1) / 0.6, 1e-3);
  arm_plant_free(plant);
}

static void test_break_away(void **state) {
  (void)state;
  check_break_away(1.5e-4);
  check_break_away(1e-9); /* far too stiff for an explicit step */
  check_break_away(0);
}

/* Before it slides a bristle is a damped spring: it yields by force over stiffness and returns. */
static void test_bristles_are_elastic(void **state) {
  (void)state;
  turntable(ARM_PLANT_RIGID);
  rig_friction(&config, 0.5, 0);
  ArmPlant *plant = start(NULL);
  const double u[1] = {0.1};
  double most = 0;
  for (int k = 0; k < 5000; k++) {
    assert_true(arm_plant_step(plant, u));
    most = fmax(most, plant->q[0]);
  }
  const double yielded = plant->q[0];
  check_near(yielded, 0.1 * 1.5e-4 / 0.5, 0.25 * yielded); /* the spring softens on the way */
  assert_true(most <= 1.01 * yielded);                     /* no ringing */
  (void)pushed(plant, 0.1, 0, 0.5);
  assert_true(fabs(plant->q[0]) < 0.3 * yielded);
  arm_plant_free(plant);
}

/* J dv/dt = u - Fc - b v */
static void check_closed_form(double bristle) {
  turntable(ARM_PLANT_DIAGONAL);
  rig_friction(&config, 0.5, 0.2);
  config.joints[0].bristle = bristle;
  config.joints[0].break_away = 0;
  ArmPlant *plant = start(NULL);
  for (int k = 1; k <= 10; k++) {
    const double t = 0.1 * k, v = pushed(plant, 1, 1, 0.1);
    check_near(v, (1 - 0.5) / 0.2 * (1 - exp(-0.2 * t / 0.1)), bristle > 0 ? 2e-2 : 1e-3);
  }
  arm_plant_free(plant);
}

static void test_diagonal_closed_form(void **state) {
  (void)state;
  check_closed_form(0);
  check_closed_form(1.5e-4);
}

/* Drives off, gravity within the friction: nothing moves, not even a little. */
static void test_dry_friction_holds(void **state) {
  const double pose[3] = {0.1, 0.2, -0.1};
  double q[3];
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    rig_pendulum(&model, 3);
    configure();
    config.kind = kind ? ARM_PLANT_DIAGONAL : ARM_PLANT_RIGID;
    rig_friction(&config, 30, 1);
    for (size_t i = 0; i < 3; i++)
      config.joints[i].bristle = 0;
    ArmPlant *plant = start(pose);
    advance(plant, 1); /* the search for the impulses starts cold */
    arm_plant_truth(plant, q, NULL, NULL);
    advance(plant, 3);
    for (size_t i = 0; i < 3; i++) {
      check_near(q[i], pose[i], 1e-7);
      check_near(plant->q[i], q[i], 1e-12);
      check_near(plant->qd[i], 0, 1e-12);
    }
    arm_plant_free(plant);
  }
}

/* Drives off: falls, and comes to rest within its friction of the lowest pose. */
static void test_falls_and_rests(void **state) {
  double qd[2], force[2];
  (void)state;
  for (int dry = 0; dry < 2; dry++) {
    rig_pendulum(&model, 2);
    configure();
    rig_friction(&config, 0.3, 0.05);
    for (size_t i = 0; i < 2 && dry; i++)
      config.joints[i].bristle = 0;
    ArmPlant *plant = start(NULL);
    advance(plant, 0.2);
    arm_plant_truth(plant, NULL, qd, NULL);
    assert_true(fabs(qd[0]) > 1);
    advance(plant, 60);
    arm_plant_truth(plant, NULL, qd, NULL);
    arm_plant_holding_force(plant, plant->q, force);
    for (size_t i = 0; i < 2; i++) {
      check_near(qd[i], 0, 1e-9);
      assert_true(fabs(force[i]) <= 1.25 * 0.3 + 1e-6);
    }
    arm_plant_free(plant);
  }
}

/* ---- stops, blocked joints ---- */

static void test_stops(void **state) {
  double q[2], qd[2];
  (void)state;
  rig_pendulum(&model, 2);
  configure();
  config.joints[0].stop_low = -0.5;
  config.joints[0].stop_high = 0.4;
  config.joints[1].stop_high = 0.3;
  rig_friction(&config, 0, 0.5);
  ArmPlant *plant = start(NULL);
  double last = energy(plant);
  for (int k = 0; k < 30000; k++) {
    advance(plant, 1e-4);
    arm_plant_truth(plant, q, qd, NULL);
    assert_true(q[0] >= -0.5 && q[0] <= 0.4 && q[1] <= 0.3);
    const double now = energy(plant);
    assert_true(now <= last + 1e-4);
    last = now;
  }
  check_near(q[0], 0.4, 0);
  check_near(qd[0], 0, 0);
  arm_plant_free(plant);
}

static void test_blocked(void **state) {
  double q[2], qd[2];
  (void)state;
  rig_pendulum(&model, 2);
  configure();
  ArmPlant *plant = start(NULL);
  arm_plant_block(plant, 0, true);
  advance(plant, 1);
  arm_plant_truth(plant, q, qd, NULL);
  check_near(q[0], 0, 0);
  check_near(qd[0], 0, 0);
  assert_true(fabs(q[1]) > 0.5);
  arm_plant_block(plant, 0, false);
  advance(plant, 0.5);
  arm_plant_truth(plant, q, NULL, NULL);
  assert_true(fabs(q[0]) > 0.1);
  arm_plant_free(plant);
}

/* ---- random arms ---- */

static void random_motion(TestRng *rng, ArmPlant *plant, size_t n) {
  double q[N], qd[N];
  for (int k = 0; k < 10; k++) {
    for (size_t i = 0; i < n; i++) {
      q[i] = test_rng_uniform(rng, -1, 1);
      qd[i] = test_rng_uniform(rng, -1, 1);
      arm_plant_block(plant, i, test_rng_below(rng, 8) == 0);
    }
    arm_plant_switch(plant, test_rng_below(rng, 3) != 0);
    arm_plant_set_points(plant, q, qd);
    advance(plant, 0.1);
    arm_plant_truth(plant, q, qd, NULL);
    for (size_t i = 0; i < n; i++)
      assert_true(fabs(qd[i]) < 1e3);
  }
}

static void test_random_arms(void **state) {
  static const double bristles[] = {0, 1e-8, 1.5e-4};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(77));
  for (int arm = 0; arm < 60; arm++) {
    const size_t n = 1 + test_rng_below(&rng, 7);
    rig_random(&rng, n, &model);
    for (size_t i = 1; i < n && arm % 2; i++)
      model.coupling[i][i - 1] = test_rng_uniform(&rng, -0.2, 0.2);
    model.has_coupling = arm % 2;
    if (arm_plant_config_default(&config, &model, 0.3, 1) != ARM_OK)
      fail_msg("arm %d", arm);
    config.kind = arm % 5 == 0 ? ARM_PLANT_DIAGONAL : ARM_PLANT_RIGID;
    rig_friction(&config, test_rng_uniform(&rng, 0, 10), test_rng_uniform(&rng, 0, 5));
    for (size_t i = 0; i < n; i++) {
      config.joints[i].bristle = bristles[test_rng_below(&rng, 3)];
      config.joints[i].stop_low = -1.2;
      config.joints[i].stop_high = 1.2;
    }
    ArmPlant *plant = start(NULL);
    random_motion(&rng, plant, n);
    arm_plant_free(plant);
  }
}

/* A speed no number can hold: at rest where it was last finite, and usable again. */
static void test_divergence_is_reported(void **state) {
  double q[2], qd[2];
  (void)state;
  rig_pendulum(&model, 2);
  configure();
  ArmPlant *plant = start(NULL);
  plant->qd[0] = 1e300;
  assert_int_equal(arm_plant_advance(plant, 0.1), ARM_E_NUMERIC);
  arm_plant_truth(plant, q, qd, NULL);
  assert_true(isfinite(q[0] + q[1]) && qd[0] == 0 && qd[1] == 0);
  arm_plant_place(plant, (const double[]){0.1, 0.2});
  advance(plant, 0.1);
  arm_plant_free(plant);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_is_conserved),
      cmocka_unit_test(test_lugre_takes_energy),
      cmocka_unit_test(test_bristle_force_never_reverses),
      cmocka_unit_test(test_break_away),
      cmocka_unit_test(test_bristles_are_elastic),
      cmocka_unit_test(test_diagonal_closed_form),
      cmocka_unit_test(test_dry_friction_holds),
      cmocka_unit_test(test_falls_and_rests),
      cmocka_unit_test(test_stops),
      cmocka_unit_test(test_blocked),
      cmocka_unit_test(test_random_arms),
      cmocka_unit_test(test_divergence_is_reported),
  };
  return cmocka_run_group_tests_name("plant", tests, NULL, NULL);
}
