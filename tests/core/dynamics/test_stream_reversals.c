/* SPDX-License-Identifier: MIT */
/* Inertias of joints that stick wherever they reverse. Break-away shakes a servoed arm up to twice
 * the cut-off of the rows; positions that are low-passed at the cut-off itself lose a part of these
 * accelerations that currents keep, and inertias come out too large by as much. A geared pendulum
 * of two rods with LuGre friction follows sums of sines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base_checks.h"
#include "core/arm/dyn.h"
#include "core/arm/inertia.h"
#include "core/dynamics/identify.h"
#include "core/dynamics/stream.h"
#include "support/moving.h"
#include "support/plant_rig.h"

enum { N = 2, HARMONICS = 5, PER_SECOND = 500, SAMPLES = 10 * PER_SECOND, SEEDS = 20, MOST = 8 };
#define TAU   6.28318530717958647692
#define ROTOR 0.2 /* kg m^2 of the joint */

typedef struct {
  ArmPlantConfig config;
  ArmBase *base;
  double beta[MOST];
} Arm;

/* The rotor of the first joint is a part of its ZZ. */
static bool has_rotor(const ArmBaseColumn *column) {
  return column->joint == 0 && column->parameter == 9;
}

static void arm_make(Arm *arm) {
  ArmModel model;
  double pi[10 * N];
  rig_pendulum(&model, N);
  for (size_t j = 0; j < N; j++) {
    ArmMotor *motor = &model.joints[j].motors[0];
    motor->gear_ratio = 100;
    motor->torque_constant_Nm_A = 0.05;
    motor->rotor_inertia_kg_m2 = ROTOR / (100 * 100);
  }
  assert_int_equal(arm_plant_config_default(&arm->config, &model, 0.3, 1), ARM_OK);
  rig_friction(&arm->config, 1, 0.5);
  arm->base = make(&model, 0, ARM_BASE_CLOSED_FORM);
  assert_in_range(arm->base->count, 1, MOST);
  (void)arm_inertia_nominal(&model, pi);
  arm_base_values(arm->base, pi, arm->beta);
  for (size_t b = 0; b < arm->base->count; b++)
    if (has_rotor(&arm->base->column[arm->base->kept[b]]))
      arm->beta[b] += ROTOR;
}

typedef struct {
  double sine[N][HARMONICS], cosine[N][HARMONICS];
} Sines;

static void sines_random(TestRng *rng, Sines *sines) {
  for (size_t j = 0; j < N; j++)
    for (int h = 0; h < HARMONICS; h++) {
      sines->sine[j][h] = 0.5 * test_rng_normal(rng) / (1 + h);
      sines->cosine[j][h] = 0.5 * test_rng_normal(rng) / (1 + h);
    }
}

static void aim(const Sines *sines, double t, double *q, double *qd) {
  for (size_t j = 0; j < N; j++) {
    q[j] = qd[j] = 0;
    for (int h = 0; h < HARMONICS; h++) {
      const double w = TAU * 0.1 * (h + 1), s = sin(w * t), c = cos(w * t);
      q[j] += sines->sine[j][h] * s + sines->cosine[j][h] * c;
      qd[j] += w * (sines->sine[j][h] * c - sines->cosine[j][h] * s);
    }
  }
}

/* What the arm does, from a second after it was placed there: q, and currents in effort, exact. */
static void follow(const Arm *arm, const Sines *sines, Moving *m) {
  ArmStatus status;
  double q[N], qd[N], current[N];
  ArmPlant *plant = arm_plant_new(&arm->config, &status);
  assert_int_equal(status, ARM_OK);
  aim(sines, -1, q, qd);
  arm_plant_place(plant, q);
  arm_plant_switch(plant, true);
  for (int s = 1 - PER_SECOND; s < SAMPLES; s++) {
    aim(sines, (double)s / PER_SECOND, q, qd);
    arm_plant_set_points(plant, q, qd);
    assert_int_equal(arm_plant_advance(plant, 1.0 / PER_SECOND), ARM_OK);
    arm_plant_truth(plant, q, NULL, current);
    for (size_t j = 0; j < N && s >= 0; j++) {
      m->q[(size_t)s + j * SAMPLES] = q[j];
      m->effort[(size_t)s + j * SAMPLES] = current[j];
    }
  }
  arm_plant_free(plant);
}

static ArmStatus fold(void *user, size_t joint, size_t rows, bool follows, const double *t,
                      const double *block, size_t ld) {
  (void)t;
  if (!follows)
    arm_information_break(user, joint);
  return arm_information_push(user, joint, block, rows, ld);
}

/* With torque constants that are known; with torques joint by joint. */
static ArmDynamicsFit *identify(const Arm *arm, const Moving *m, double cutoff_Hz, bool is_alone) {
  const ArmModel *model = &arm->config.model;
  ArmDynamicsOptions how = arm_dynamics_defaults;
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
  ArmDynStreamOptions options;
  ArmInformation *information = NULL;
  ArmDynStream *stream = NULL;
  ArmDynamicsFit *fit = NULL;
  arm_dyn_stream_options_default(&options);
  options.step_s = m->step_s;
  options.cutoff_Hz = cutoff_Hz;
  options.is_sequential = is_alone;
  how.way = is_alone ? ARM_DYNAMICS_SEQUENTIAL : ARM_DYNAMICS_BATCH;
  assert_int_equal(arm_dynamics_joints(model, joint), ARM_OK);
  for (size_t j = 0; j < N; j++) {
    joint[j].rel_sd = 1e-6;
    joint[j].is_torque = is_alone;
  }
  assert_int_equal(arm_information_new(arm->base, &information), ARM_OK);
  assert_int_equal(arm_dyn_stream_new(model, arm->base, &options, fold, information, &stream),
                   ARM_OK);
  assert_int_equal(moving_stream(stream, m, 500, NULL), ARM_OK);
  assert_int_equal(arm_dynamics_identify(information, joint, &how, &fit), ARM_OK);
  arm_dyn_stream_free(stream);
  arm_information_free(information);
  return fit;
}

/* Of all motions: means of errors, of their squares, of squares of sds. */
typedef struct {
  double mean[MOST], square[MOST], variance[MOST];
} Errors;

static void add_errors(const Arm *arm, const ArmDynamicsFit *fit, Errors *errors) {
  for (size_t b = 0; b < fit->count; b++) {
    const double error = fit->base[b].value - arm->beta[b];
    assert_true(fit->base[b].identifiable);
    errors->mean[b] += error / SEEDS;
    errors->square[b] += error * error / SEEDS;
    errors->variance[b] += fit->base[b].sd * fit->base[b].sd / SEEDS;
  }
}

static void add_noise(Moving *m, TestRng *rng) {
  for (size_t k = 0; k < (size_t)N * SAMPLES; k++) {
    m->effort[k] += 0.05 * test_rng_normal(rng);
    m->q[k] = 1e-4 * round(m->q[k] / 1e-4);
  }
}

static void gather(const Arm *arm, double cutoff_Hz, bool is_noisy, Errors *errors) {
  TestRng rng;
  *errors = (Errors){0};
  test_rng_init(&rng, test_seed(181));
  for (int seed = 0; seed < SEEDS; seed++) {
    Sines sines;
    Moving *m = moving_new(&arm->config.model, &rng, SAMPLES, 1.0 / PER_SECOND, 0.1, 0);
    sines_random(&rng, &sines);
    follow(arm, &sines, m);
    if (is_noisy)
      add_noise(m, &rng);
    ArmDynamicsFit *fit = identify(arm, m, cutoff_Hz, false);
    add_errors(arm, fit, errors);
    arm_dynamics_fit_free(fit);
    moving_free(m);
  }
}

/* ---- one joint at a time ---- */

enum { LEG = 5 * PER_SECOND, LEGS = 2 * N };

/* Exact torques: of the joint that moves all that its drive gives, of those beyond it what links
 * need. */
static void feel(const Arm *arm, const double *q, const double *qd, const double *qdd,
                 const double *current, size_t mover, double *torque) {
  ArmDyn dyn;
  double pi[10 * N];
  assert_int_equal(arm_dyn_init(&dyn, &arm->config.model), ARM_OK);
  (void)arm_inertia_nominal(&arm->config.model, pi);
  arm_dyn_torque(&dyn, pi, q, qd, qdd, torque);
  torque[mover] = current[mover] / arm->config.joints[mover].eta;
}

/* Leg k: one joint follows its sines, the other is blocked where these have it a second before. */
static void follow_alone(const Arm *arm, const Sines *sines, int k, Moving *m) {
  const size_t mover = (size_t)k % N, other = 1 - mover, first = (size_t)k * LEG;
  const double instant = arm->config.substep_s; /* for accelerations */
  ArmStatus status;
  double q[N], qd[N], held[N];
  ArmPlant *plant = arm_plant_new(&arm->config, &status);
  assert_int_equal(status, ARM_OK);
  aim(sines, -1, held, qd);
  arm_plant_place(plant, held);
  arm_plant_switch(plant, true);
  arm_plant_block(plant, other, true);
  for (int s = 1 - PER_SECOND; s < LEG; s++) {
    double before[N], qdd[N] = {0}, current[N], torque[N];
    aim(sines, (double)s / PER_SECOND, q, qd);
    q[other] = held[other];
    qd[other] = 0;
    arm_plant_set_points(plant, q, qd);
    assert_int_equal(arm_plant_advance(plant, 1.0 / PER_SECOND - instant), ARM_OK);
    arm_plant_truth(plant, NULL, before, NULL);
    assert_int_equal(arm_plant_advance(plant, instant), ARM_OK);
    arm_plant_truth(plant, q, qd, current);
    qdd[mover] = (qd[mover] - before[mover]) / instant;
    feel(arm, q, qd, qdd, current, mover, torque);
    for (size_t j = 0; j < N && s >= 0; j++) {
      const size_t at = first + (size_t)s;
      m->t[at] = 10 + k + (double)at / PER_SECOND; /* a segment of its own */
      m->joint[at] = (int)mover + 1;
      m->q[at + j * m->samples] = q[j];
      m->effort[at + j * m->samples] = torque[j];
    }
  }
  arm_plant_free(plant);
}

static void gather_alone(const Arm *arm, Errors *errors) {
  TestRng rng;
  *errors = (Errors){0};
  test_rng_init(&rng, test_seed(182));
  for (int seed = 0; seed < SEEDS; seed++) {
    Moving *m = moving_new(&arm->config.model, &rng, LEGS * LEG, 1.0 / PER_SECOND, 0.1, 0);
    for (int k = 0; k < LEGS; k++) {
      Sines sines;
      sines_random(&rng, &sines);
      follow_alone(arm, &sines, k, m);
    }
    ArmDynamicsFit *fit = identify(arm, m, 5, true);
    add_errors(arm, fit, errors);
    arm_dynamics_fit_free(fit);
    moving_free(m);
  }
}

static void tell(const Arm *arm, const char *what, const Errors *errors) {
  for (size_t b = 0; b < arm->base->count; b++)
    print_message("# %s, base parameter %zu, %.4f: mean error %+.5f, rms %.5f, sd %.5f\n", what,
                  b + 1, arm->beta[b], errors->mean[b], sqrt(errors->square[b]),
                  sqrt(errors->variance[b]));
}

/* Low-passed at the cut-off of the rows, ZZ of link 1 came out as 1.2 % too large, with an rms
 * error of 0.008 and an sd of 0.004. A lower cut-off of the rows does not make accelerations worse:
 * where it made, squares of errors at 2 Hz were 7 times those at 5 Hz, now they are the same. */
static void test_inertias(void **state) {
  Arm arm;
  Errors exact, low, noisy;
  double growth = 0;
  (void)state;
  arm_make(&arm);
  gather(&arm, 5, false, &exact);
  gather(&arm, 2, false, &low);
  gather(&arm, 5, true, &noisy);
  tell(&arm, "exact", &exact);
  tell(&arm, "2 Hz", &low);
  tell(&arm, "noise", &noisy);
  for (size_t b = 0; b < arm.base->count; b++) {
    assert_true(fabs(exact.mean[b]) <= fmax(0.003 * fabs(arm.beta[b]), 3e-4));
    assert_true(fabs(noisy.mean[b]) <= fmax(0.006 * fabs(arm.beta[b]), 1e-3));
    assert_true(exact.variance[b] < 2e-3 * 2e-3);
    assert_true(exact.square[b] < 3 * 3 * exact.variance[b]);
    assert_true(noisy.square[b] < 2 * 2 * noisy.variance[b]);
    growth += low.square[b] / exact.square[b] / (double)arm.base->count;
  }
  assert_true(growth < 2.5);
  arm_base_free(arm.base);
}

/* The same by torques, joint by joint. With samples about reversals errors of the two largest
 * parameters were 1.9 and 1.7 sds, and these twice as large. */
static void test_alone(void **state) {
  Arm arm;
  Errors exact;
  (void)state;
  arm_make(&arm);
  gather_alone(&arm, &exact);
  tell(&arm, "alone", &exact);
  for (size_t b = 0; b < arm.base->count; b++) {
    assert_true(fabs(exact.mean[b]) <= fmax(0.003 * fabs(arm.beta[b]), 3e-4));
    assert_true(exact.variance[b] < 8e-4 * 8e-4);
    assert_true(exact.square[b] < 1.5 * 1.5 * exact.variance[b]);
  }
  arm_base_free(arm.base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_inertias), cmocka_unit_test(test_alone)};
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
