/* SPDX-License-Identifier: MIT */
/* What a fit promises of another motion: kept where the model is right, not kept where the same is
 * wrong in both; sds that follow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/dynamics/promise.h"
#include "identify_rig.h"

enum { SAMPLES = 2000, JOINTS = 6 };

/* Rows that are samples: no filter. */
static const ArmFirWhite white = {.gain = 1, .growth = 1, .spread = 1};

/* The same arm with the same drives, data sheets that are right, a motion by the seed; positions q
 * of joint 2, SAMPLES, or NULL. */
static void puma(Rig *rig, const Rig *as, uint64_t seed, double *q) {
  const ArmModel model = find_case("PUMA560-AKB")->model;
  TestRng rng;
  DynMotion motion;
  test_rng_init(&rng, seed);
  rig_init(rig, &model, &rng, 8);
  dyn_rows_clear(&rig->rows);
  dyn_motion_fourier(&rng, &model, SAMPLES, 20, 5, &motion);
  if (q)
    memcpy(q, motion.q + SAMPLES, SAMPLES * sizeof *q);
  dyn_rows_init(&model, rig->base, &motion, &rig->rows);
  for (size_t j = 0; j < JOINTS; j++)
    rig->drives.local[j][ARM_DYN_ROTOR] *= rig->joint[j].has[ARM_DYN_ROTOR];
  if (as)
    rig->drives = as->drives;
  for (size_t j = 0; j < JOINTS; j++) {
    rig->joint[j].eta = rig->drives.eta[j];
    rig->joint[j].rel_sd = 0.1;
  }
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  dyn_motion_clear(&motion);
}

static void disturb(Rig *rig, uint64_t seed) {
  const double sigma[ARM_MAX_JOINTS] = {.05, .05, .04, .03, .03, .02};
  TestRng rng;
  test_rng_init(&rng, seed);
  dyn_rows_disturb(&rig->rows, &rng, sigma);
}

/* A cable that pulls joint 2 back to 0, unknown to the model. */
static void pull(Rig *rig, const double *q, double stiffness) {
  double *effort = rig->rows.rows[1] + SAMPLES * (rig->rows.columns - 1);
  for (size_t s = 0; s < SAMPLES; s++)
    effort[s] += stiffness * q[s];
}

/* Fitted to motion `seed`, compared with the next. */
typedef struct {
  Rig rig, other;
  ArmDynamicsFit *fit;
  ArmDynPromise *promise;
  ArmDynHeldOut found[ARM_MAX_JOINTS];
} Case;

static void compare(Case *c, uint64_t seed, double stiffness) {
  double q[SAMPLES];
  puma(&c->rig, NULL, seed, q);
  disturb(&c->rig, seed + 100);
  pull(&c->rig, q, stiffness);
  puma(&c->other, &c->rig, seed + 1, q);
  disturb(&c->other, seed + 101);
  pull(&c->other, q, stiffness);
  c->fit = identify(&c->rig, NULL);
  assert_true(dyn_rows_push(&c->other.rows, c->other.information));
  assert_int_equal(arm_dyn_promise_new(c->fit, c->rig.information, &white, &c->promise), ARM_OK);
  assert_int_equal(
      arm_dyn_promise_compare(c->promise, c->fit, c->other.information, &white, c->found), ARM_OK);
}

static void clear(Case *c) {
  arm_dyn_promise_free(c->promise);
  arm_dynamics_fit_free(c->fit);
  rig_clear(&c->other);
  rig_clear(&c->rig);
}

/* A sound arm keeps what it promises, which is little more than noise. */
static void test_sound(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 30; seed += 3) {
    Case c;
    compare(&c, seed, 0);
    for (size_t j = 0; j < JOINTS; j++) {
      const ArmDynHeldOut *found = &c.found[j];
      const double sd = c.fit->joint[j].statistics.residual_sd;
      assert_int_equal(found->of.rows, SAMPLES);
      assert_true(found->promised > 0.85 * sd && found->promised < 2 * sd);
      assert_true(found->of.rms_error > 0.6 * found->promised &&
                  found->of.rms_error < 1.25 * found->promised);
      assert_true(found->p > 1e-4 && found->p <= 1 && !found->is_missed);
    }
    clear(&c);
  }
}

/* Largest distance of friction of joint 2 and base parameters from the truth, in sds. */
static double worst(const Case *c) {
  double most = 0;
  for (size_t l = 0; l < ARM_DYN_ROTOR; l++) {
    const ArmEstimate *e = &c->fit->joint[1].local[l];
    most = fmax(most, fabs(e->value - c->rig.drives.local[1][l]) / e->sd);
  }
  for (size_t b = 0; b < c->fit->count; b++)
    if (c->fit->base[b].identifiable)
      most = fmax(most, fabs(c->fit->base[b].value - c->rig.beta[b]) / c->fit->base[b].sd);
  return most;
}

/* A spring in both: gravity and friction take it up, and sds do not know. Joints whose rows tell
 * the same base parameters were not off, so that these follow in part. */
static void test_same_fault_in_both(void **state) {
  Case c;
  double factor[ARM_MAX_JOINTS];
  (void)state;
  compare(&c, 51, 10);
  const ArmDynHeldOut *found = &c.found[1];
  const double before = worst(&c), widening = c.fit->joint[1].statistics.widening;
  const double coulomb = c.fit->joint[1].local[ARM_DYN_COULOMB_POS].sd;
  assert_true(found->is_missed && found->p < 1e-8);
  assert_true(found->of.rms_error > 1.5 * found->promised);
  /* by its noise, not by what the model misses in the rows of the fit */
  assert_true(found->promised < 0.06 && c.fit->joint[1].statistics.residual_sd > 0.09);
  for (size_t j = 0; j < JOINTS; j++)
    factor[j] = c.found[j].is_missed ? c.found[j].of.rms_error / c.found[j].promised : 1;
  assert_int_equal(arm_dynamics_widen(c.fit, c.rig.information, factor), ARM_OK);
  assert_true(test_is_near(c.fit->joint[1].statistics.widening, widening * factor[1], 1e-12, 0));
  assert_true(before > 10 && worst(&c) < 0.6 * before);
  assert_true(c.fit->joint[1].local[ARM_DYN_COULOMB_POS].sd > 5 * coulomb);
  clear(&c);
}

enum { FEW = 10 };

/* Of `joints` joints whose noise is `times` as loud in a few rows of another motion: is one missed,
 * and what is the least p? */
static bool is_louder_missed(uint64_t seed, size_t joints, double times, double *least) {
  double sigma[ARM_MAX_JOINTS] = {.05, .05, .04, .03, .03, .02};
  bool is_missed = false;
  TestRng rng;
  Case c;
  puma(&c.rig, NULL, seed, NULL);
  disturb(&c.rig, seed + 100);
  puma(&c.other, &c.rig, seed + 1, NULL);
  for (size_t j = 0; j < joints; j++)
    sigma[j] *= times;
  test_rng_init(&rng, seed + 101);
  dyn_rows_disturb(&c.other.rows, &rng, sigma);
  c.fit = identify(&c.rig, NULL);
  for (size_t j = 0; j < JOINTS; j++)
    assert_int_equal(
        arm_information_push(c.other.information, j, c.other.rows.rows[j], FEW, SAMPLES), ARM_OK);
  assert_int_equal(arm_dyn_promise_new(c.fit, c.rig.information, &white, &c.promise), ARM_OK);
  assert_int_equal(arm_dyn_promise_compare(c.promise, c.fit, c.other.information, &white, c.found),
                   ARM_OK);
  *least = 1;
  for (size_t j = 0; j < JOINTS; j++) {
    *least = fmin(*least, c.found[j].p);
    is_missed = is_missed || c.found[j].is_missed;
  }
  clear(&c);
  return is_missed;
}

/* What no joint says by itself at 1e-4 all of them may say together. */
static void test_told_together(void **state) {
  size_t together = 0, alone = 0, sound = 0;
  double least;
  (void)state;
  for (uint64_t seed = 101; seed < 131; seed += 2) {
    together += is_louder_missed(seed, JOINTS, 1.6, &least) && least > 1e-4;
    alone += is_louder_missed(seed, 1, 1.6, &least) && least > 1e-4;
    sound += is_louder_missed(seed, 0, 1, &least);
  }
  print_message("# of 15: together %zu, one %zu, none %zu\n", together, alone, sound);
  assert_true(together >= 4 && alone <= 2 && sound == 0);
}

static void check_grown(const ArmEstimate *e, double before, double low, double high) {
  if (e->identifiable && before > 0 && !(e->sd > low * before && e->sd < high * before))
    fail_msg("sd %g, was %g, expected %g to %g times", e->sd, before, low, high);
}

/* Sds and covariance together; of what no data sheet decides, as much as the noise. */
static void test_widen(void **state) {
  const double three[ARM_MAX_JOINTS] = {3, 3, 3, 3, 3, 3}, none[ARM_MAX_JOINTS] = {1, .5, NAN, 1};
  const double one[ARM_MAX_JOINTS] = {1, 1, 3, 1, 1, 1};
  Case c;
  (void)state;
  compare(&c, 71, 0);
  const size_t u = c.fit->unknowns;
  double *before = calloc(u * u, sizeof *before), sds[JOINTS];
  assert_non_null(before);
  memcpy(before, c.fit->covariance, u * u * sizeof *before);
  assert_int_equal(arm_dynamics_widen(c.fit, c.rig.information, none), ARM_OK);
  assert_memory_equal(before, c.fit->covariance, u * u * sizeof *before);
  assert_int_equal(arm_dynamics_widen(c.fit, c.rig.information, one), ARM_OK);
  for (size_t k = 0; k < u; k++) /* never narrower */
    assert_true(c.fit->covariance[k + k * u] >= before[k + k * u] * (1 - 1e-12));
  for (size_t j = 0; j < JOINTS; j++) {
    const size_t at = arm_dynamics_place(c.fit, j, ARM_DYN_COULOMB_POS);
    const ArmEstimate *e = &c.fit->joint[j].local[ARM_DYN_COULOMB_POS];
    sds[j] = sqrt(before[at + at * u]);
    check_grown(e, sds[j], j == 2 ? 2.5 : 1 - 1e-9, j == 2 ? 3.01 : j == 0 ? 3 : 2.5);
    assert_true(test_is_near(e->sd * e->sd, c.fit->covariance[at + at * u], 1e-9, 0));
  }
  free(before);
  clear(&c);
  compare(&c, 71, 0);
  assert_int_equal(arm_dynamics_widen(c.fit, c.rig.information, three), ARM_OK);
  for (size_t j = 0; j < JOINTS; j++)
    check_grown(&c.fit->joint[j].local[ARM_DYN_COULOMB_POS], sds[j], 2.9, 3.001);
  clear(&c);
}

/* What a filter alone makes of white noise is there whether few rows tell it or not. */
static void test_least_widening(void **state) {
  ArmDynamicsOptions options = arm_dynamics_defaults;
  ArmDynamicsFit *fit[2];
  Rig rig[2];
  (void)state;
  for (int k = 0; k < 2; k++) {
    options.white_growth = k ? 4 : 0;
    puma(&rig[k], NULL, 95, NULL);
    disturb(&rig[k], 96);
    fit[k] = identify(&rig[k], &options);
  }
  for (size_t j = 0; j < JOINTS; j++) {
    const double before = fit[0]->joint[j].statistics.widening;
    const ArmEstimate *viscous = &fit[1]->joint[j].local[ARM_DYN_VISCOUS_POS];
    assert_true(before < 1.6 && fit[1]->joint[j].statistics.widening == 2);
    check_grown(viscous, fit[0]->joint[j].local[ARM_DYN_VISCOUS_POS].sd, 1.9 / before,
                2.1 / before);
  }
  for (int k = 0; k < 2; k++) {
    arm_dynamics_fit_free(fit[k]);
    rig_clear(&rig[k]);
  }
}

/* z C z^T of row s of joint j, z by [ own | base | log eta ]. */
static double variance_of(const Case *c, const DynRows *rows, size_t j, size_t s) {
  const ArmDynamicsFit *fit = c->fit;
  const double eta = fit->joint[j].eta.used;
  double z[ARM_DYN_LOCAL + BASE_COLUMNS + 1], sum = 0;
  size_t place[ARM_DYN_LOCAL + BASE_COLUMNS + 1], n = 0;
  for (size_t l = 0; l < ARM_DYN_LOCAL; l++, n++) {
    z[n] = c->rig.joint[j].has[l] ? rows->rows[j][s + l * SAMPLES] : 0;
    place[n] = arm_dynamics_place(fit, j, l);
  }
  double torque = 0;
  for (size_t b = 0; b < fit->count; b++, n++) {
    const double column = rows->rows[j][s + (ARM_DYN_LOCAL + b) * SAMPLES];
    z[n] = eta * column;
    place[n] = b;
    torque += column * fit->base[b].used;
  }
  z[n] = eta * torque;
  place[n++] = arm_dynamics_place(fit, j, ARM_DYN_OWN);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      sum += z[a] * z[b] * fit->covariance[place[a] + place[b] * fit->unknowns];
  return sum;
}

/* Against sums over rows: all of the parameters' part where no joint's noise is correlated, never
 * less than the joint with most. */
static void test_parts(void **state) {
  (void)state;
  for (uint64_t seed = 3; seed < 15; seed += 4) {
    Case c;
    double least = 1, sd[JOINTS];
    compare(&c, seed, 0);
    for (size_t j = 0; j < JOINTS; j++) {
      const ArmJointStatistics *of = &c.fit->joint[j].statistics;
      sd[j] = of->residual_sd * sqrt(fmin(1, 1 - of->lag1));
      least = fmin(least, pow(sd[j] / (of->residual_sd * of->widening), 2));
    }
    for (size_t j = 0; j < JOINTS; j++) {
      double mean = 0;
      for (size_t s = 0; s < SAMPLES; s++)
        mean += variance_of(&c, &c.other.rows, j, s) / SAMPLES;
      const double part = pow(c.found[j].promised, 2) - sd[j] * sd[j];
      if (!(part <= mean * (1 + 1e-6) && part >= least * mean * (1 - 1e-6)))
        fail_msg("joint %zu: %g, expected %g to %g", j + 1, part, least * mean, mean);
    }
    clear(&c);
  }
}

/* A joint without rows promises nothing. */
static void test_untold(void **state) {
  ArmDynHeldOut found[ARM_MAX_JOINTS];
  ArmDynPromise *promise;
  ArmDynamicsFit *fit;
  Rig rig, other;
  (void)state;
  puma(&rig, NULL, 91, NULL);
  disturb(&rig, 92);
  puma(&other, &rig, 93, NULL);
  assert_true(dyn_rows_push(&other.rows, other.information));
  for (size_t j = 0; j < 5; j++)
    assert_int_equal(arm_information_push(rig.information, j, rig.rows.rows[j], SAMPLES, SAMPLES),
                     ARM_OK);
  assert_int_equal(arm_dynamics_identify(rig.information, rig.joint, NULL, &fit), ARM_OK);
  assert_int_equal(arm_dyn_promise_new(fit, rig.information, &white, &promise), ARM_OK);
  assert_int_equal(arm_dyn_promise_compare(promise, fit, other.information, &white, found), ARM_OK);
  assert_true(isnan(found[5].promised) && isnan(found[5].p) && !found[5].is_missed);
  assert_true(found[0].promised > 0);
  arm_dyn_promise_free(promise);
  arm_dyn_promise_free(NULL);
  arm_dynamics_fit_free(fit);
  rig_clear(&other);
  rig_clear(&rig);
}

/* Friction at the mean speed of the rows, against sums over them. */
static void test_friction(void **state) {
  Case c;
  (void)state;
  compare(&c, 81, 0);
  for (size_t j = 0; j < JOINTS; j++) {
    double value[2], sd[2], sum[2] = {0}, rows[2] = {0};
    bool is_known;
    const double *forth = c.rig.rows.rows[j] + SAMPLES * ARM_DYN_COULOMB_POS;
    assert_int_equal(arm_dynamics_friction(c.fit, c.rig.information, j, &is_known, &value[0],
                                           &sd[0], &value[1], &sd[1]),
                     ARM_OK);
    for (size_t s = 0; s < SAMPLES; s++) {
      const int way = forth[s] > 0 ? 0 : 1;
      rows[way]++;
      for (size_t l = 0; l < ARM_DYN_ROTOR; l++)
        sum[way] += c.fit->joint[j].local[l].used * c.rig.rows.rows[j][s + l * SAMPLES];
    }
    for (int way = 0; way < 2; way++) {
      assert_true(is_known && test_is_near(value[way], sum[way] / rows[way], 1e-9, 1e-12));
      assert_true(sd[way] > 0 && sd[way] < 0.5);
    }
  }
  clear(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sound),         cmocka_unit_test(test_same_fault_in_both),
      cmocka_unit_test(test_told_together), cmocka_unit_test(test_least_widening),
      cmocka_unit_test(test_parts),         cmocka_unit_test(test_widen),
      cmocka_unit_test(test_untold),        cmocka_unit_test(test_friction)};
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
