/* SPDX-License-Identifier: MIT */
/* Friction terms of a moving arm, against torques of arm_dyn_torque and the formula of
 * core/params/terms.h written out: their columns, who gets one, what is then predicted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base_checks.h"
#include "core/dynamics/currents.h"
#include "core/dynamics/outcome.h"
#include "core/dynamics/promise.h"
#include "core/dynamics/terms.h"
#include "support/moving.h"

enum { N = 6, SAMPLES = 4000, FITS = 3 };
static const double step_s = 0.01;

/* A PUMA whose motors are those of nobody. */
typedef struct {
  const ArmModel *model;
  ArmBase *base;
  double pi[10 * N], beta[BASE_COLUMNS];
  MovingDrive drives[N];
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
} Arm;

static void arm_make(Arm *arm) {
  memset(arm, 0, sizeof *arm);
  arm->model = &find_case("PUMA560-AKB")->model;
  arm->base = make(arm->model, 0, ARM_BASE_CLOSED_FORM);
  (void)arm_inertia_nominal(arm->model, arm->pi);
  arm->pi[10 * (N - 1)] += 2; /* an eccentric tool */
  arm->pi[10 * (N - 1) + 1] += 0.1;
  arm->pi[10 * (N - 1) + 3] += 0.2;
  arm_base_values(arm->base, arm->pi, arm->beta);
  for (size_t j = 0; j < N; j++) {
    const double eta = (j == 1 ? -1 : 1) * (0.06 + 0.02 * (double)j);
    arm->drives[j] = (MovingDrive){eta, {0.4, 0.2, -0.3, 0.2, 0}, 0, 0, 0};
    if (eta < 0)
      arm->drives[j] = (MovingDrive){eta, {-0.4, -0.2, 0.3, -0.2, 0}, 0, 0, 0};
  }
  assert_int_equal(arm_dynamics_joints(arm->model, arm->joint), ARM_OK);
  for (size_t j = 0; j < N; j++) {
    arm->joint[j].eta = arm->drives[j].eta;
    arm->joint[j].rel_sd = 0.1;
    arm->joint[j].has[ARM_DYN_ROTOR] = false;
  }
}

static Moving *record(const Arm *arm, TestRng *rng, double noise) {
  Moving *m = moving_new(arm->model, rng, SAMPLES, step_s, 0.1, 0.9);
  moving_drive(m, arm->model, arm->pi, arm->drives);
  for (size_t k = 0; k < (size_t)N * SAMPLES; k++)
    m->effort[k] += noise * test_rng_normal(rng);
  return m;
}

static ArmDynStreamOptions options_of(double cutoff, const ArmDynTerms *terms) {
  ArmDynStreamOptions options;
  arm_dyn_stream_options_default(&options);
  options.step_s = step_s;
  options.cutoff_Hz = cutoff;
  options.has_qd = options.has_qdd = true;
  options.terms = terms;
  return options;
}

/* ---- columns ---- */

static ArmStatus check_rows(void *user, size_t j, size_t rows, bool follows, const double *t,
                            const double *block, size_t ld) {
  const Moving *m = user; /* efforts are L */
  const double speeds[ARM_DYN_CURVES] = {0.1 + 0.01 * (double)j, 0.5};
  (void)follows;
  for (size_t r = 0; r < rows; r++) {
    const size_t s = (size_t)(floor((t[r] - m->t[0]) / step_s + 0.5));
    const double v = m->qd[s + j * m->samples], load = m->effort[s + j * m->samples];
    const double way = (v > 0 ? 1 : -1) * (j == 1 ? -1 : 1);
    assert_true(test_is_near(block[r + ARM_DYN_LOAD * ld], way * fabs(load), 1e-12, 1e-12));
    for (size_t c = 0; c < ARM_DYN_CURVES; c++)
      assert_true(test_is_near(block[r + (ARM_DYN_CURVE + c) * ld], way * exp(-fabs(v) / speeds[c]),
                               0, 1e-14));
  }
  return ARM_OK;
}

/* L without friction and rotor, by Newton and Euler; a reversed motor's friction is against the
 * motion too. */
static void test_columns_are_the_load_and_the_curves(void **state) {
  Arm arm;
  TestRng rng;
  ArmDynTerms terms = {0};
  ArmDynStream *stream = NULL;
  (void)state;
  arm_make(&arm);
  test_rng_init(&rng, test_seed(171));
  terms.beta = arm.beta;
  for (size_t j = 0; j < N; j++) {
    memset(arm.drives[j].phi, 0, sizeof arm.drives[j].phi);
    terms.eta[j] = arm.drives[j].eta;
    terms.curve_speed[j][0] = 0.1 + 0.01 * (double)j;
    terms.curve_speed[j][1] = 0.5;
  }
  Moving *m = record(&arm, &rng, 0);
  const ArmDynStreamOptions options = options_of(0, &terms);
  assert_int_equal(arm_dyn_stream_new(arm.model, arm.base, &options, check_rows, m, &stream),
                   ARM_OK);
  assert_int_equal(moving_stream(stream, m, 0, &rng), ARM_OK);
  const ArmDynStreamCounts *counts = arm_dyn_stream_counts(stream);
  for (size_t j = 0; j < N; j++) {
    double most = 0, fastest = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
      const double v = fabs(m->qd[s + j * SAMPLES]);
      most = v > 0.01 ? fmax(most, fabs(m->effort[s + j * SAMPLES])) : most;
      fastest = fmax(fastest, v);
    }
    assert_true(counts->rows[j] > SAMPLES / 2);
    assert_true(test_is_near(counts->load[j][1], most, 0, 1e-12));
    assert_true(counts->load[j][0] >= 0 && counts->load[j][0] < most);
    assert_true(test_is_near(counts->fastest[j], fastest, 0, 1e-14));
  }
  arm_dyn_stream_free(stream);
  moving_free(m);
  arm_base_free(arm.base);
}

/* ---- who gets one ---- */

typedef struct {
  ArmInformation *information;
  ArmDynStudy *study;
  ArmDynStreamCounts counts;
} Pass;

static ArmStatus take_rows(void *user, size_t j, size_t rows, bool follows, const double *t,
                           const double *block, size_t ld) {
  Pass *pass = user;
  if (pass->study)
    arm_dyn_study_push(pass->study, j, rows, follows, t, block, ld);
  if (!follows)
    arm_information_break(pass->information, j);
  return arm_information_push(pass->information, j, block, rows, ld);
}

static void read_rows(const Arm *arm, const Moving *m, const ArmDynTerms *terms, Pass *pass) {
  const ArmDynStreamOptions options = options_of(5, terms);
  ArmDynStream *stream = NULL;
  arm_information_free(pass->information);
  assert_int_equal(terms ? arm_information_new_terms(arm->base, &pass->information)
                         : arm_information_new(arm->base, &pass->information),
                   ARM_OK);
  assert_int_equal(arm_dyn_stream_new(arm->model, arm->base, &options, take_rows, pass, &stream),
                   ARM_OK);
  assert_int_equal(moving_stream(stream, m, SAMPLES, NULL), ARM_OK);
  pass->counts = *arm_dyn_stream_counts(stream);
  arm_dyn_stream_free(stream);
}

static ArmDynamicsFit *identify(Pass *pass, const ArmDynamicsJoint *joint) {
  ArmDynamicsFit *fit = NULL;
  assert_int_equal(arm_dynamics_identify(pass->information, joint, NULL, &fit), ARM_OK);
  return fit;
}

/* What rows of a fit with terms were made of, and they. */
typedef struct {
  double beta[BASE_COLUMNS];
  ArmDynTerms terms;
  ArmInformation *information, *plain; /* plain: without terms */
} Found;

static void found_clear(Found *found) {
  arm_information_free(found->information);
  arm_information_free(found->plain);
}

/* As `identify` of the command line. */
static ArmDynamicsFit *find_terms(Arm *arm, const Moving *m, ArmTermTrial (*trial)[ARM_TERMS],
                                  Found *found) {
  const bool offers[ARM_TERMS] = {true, true};
  double fastest[ARM_MAX_JOINTS];
  Pass pass = {0};
  read_rows(arm, m, NULL, &pass);
  ArmDynamicsFit *fit = identify(&pass, arm->joint);
  memcpy(fastest, pass.counts.fastest, sizeof fastest);
  found->plain = pass.information;
  pass.information = NULL;
  for (int k = 0; k < FITS; k++) {
    bool any;
    if (k < FITS - 1)
      assert_int_equal(arm_dyn_study_new(fit, &pass.study), ARM_OK);
    arm_dyn_terms_of(fit, fastest, found->beta, &found->terms);
    read_rows(arm, m, &found->terms, &pass);
    if (pass.study)
      assert_int_equal(
          arm_dyn_study_choose(pass.study, offers, &found->terms, arm->joint, trial, &any), ARM_OK);
    arm_dyn_study_free(pass.study);
    pass.study = NULL;
    for (size_t j = 0; j < N; j++)
      memcpy(arm->joint[j].load_seen, pass.counts.load[j], sizeof arm->joint[j].load_seen);
    arm_dynamics_fit_free(fit);
    fit = identify(&pass, arm->joint);
  }
  arm_dynamics_widen_terms(fit, trial);
  found->information = pass.information;
  return fit;
}

static size_t count_terms(const Arm *arm) {
  size_t count = 0;
  for (size_t j = 0; j < N; j++)
    for (int t = 0; t < ARM_TERMS; t++)
      count += arm_dynamics_has_term(&arm->joint[j], (ArmFrictionTerm)t);
  return count;
}

static void test_terms_are_found_where_they_are(void **state) {
  Arm arm;
  Found found;
  TestRng rng;
  ArmTermTrial trial[ARM_MAX_JOINTS][ARM_TERMS] = {{{0}}};
  (void)state;
  arm_make(&arm);
  test_rng_init(&rng, test_seed(172));
  arm.drives[1].load = 0.08; /* of a reversed motor */
  arm.drives[2].load = 0.05;
  arm.drives[0].phi[ARM_DYN_COULOMB_POS] = 1.5;
  arm.drives[0].phi[ARM_DYN_COULOMB_NEG] = -1.5;
  arm.drives[0].curve = -1;
  arm.drives[0].curve_speed = 0.6;
  Moving *m = record(&arm, &rng, 0.02);
  ArmDynamicsFit *fit = find_terms(&arm, m, trial, &found);
  assert_int_equal(count_terms(&arm), 3);
  assert_true(arm_dynamics_has_term(&arm.joint[0], ARM_TERM_CURVE));
  assert_int_equal(arm.joint[1].friction_sign, -1);
  for (size_t j = 1; j < 3; j++) {
    const ArmEstimate *mu = &fit->joint[j].local[ARM_DYN_LOAD];
    assert_true(arm.joint[j].has[ARM_DYN_LOAD] && mu->identifiable);
    assert_true(fabs(mu->value - arm.drives[j].load) < fmin(4 * mu->sd, 0.005));
    assert_int_equal(trial[j][ARM_TERM_LOAD].outcome, ARM_TERM_CHOSEN);
    assert_true(trial[j][ARM_TERM_LOAD].gain > 0.02);
    assert_true(trial[j][ARM_TERM_LOAD].widening >= 1);
  }
  found_clear(&found);
  arm_dynamics_fit_free(fit);
  moving_free(m);
  arm_base_free(arm.base);
}

static void test_no_term_is_found_where_there_is_none(void **state) {
  (void)state;
  for (int seed = 0; seed < 2; seed++) {
    ArmTermTrial trial[ARM_MAX_JOINTS][ARM_TERMS] = {{{0}}};
    Arm arm;
    Found found;
    TestRng rng;
    arm_make(&arm);
    test_rng_init(&rng, test_seed(180 + (uint64_t)seed));
    Moving *m = record(&arm, &rng, 0.02);
    ArmDynamicsFit *fit = find_terms(&arm, m, trial, &found);
    assert_int_equal(count_terms(&arm), 0);
    found_clear(&found);
    arm_dynamics_fit_free(fit);
    moving_free(m);
    arm_base_free(arm.base);
  }
}

/* ---- what is then predicted ---- */

/* Without noise the load settles in three fits; on the way through a set, as files have it. */
static void test_another_motion_is_predicted(void **state) {
  Arm arm;
  TestRng rng;
  ArmTermTrial trial[ARM_MAX_JOINTS][ARM_TERMS] = {{{0}}};
  Found found;
  ArmDynamicsResidual residual;
  ArmParamSet set;
  ArmCurrents *currents = NULL;
  static double current[N * SAMPLES], sd[N * SAMPLES];
  (void)state;
  arm_make(&arm);
  test_rng_init(&rng, test_seed(173));
  for (size_t j = 0; j < 4; j++)
    arm.drives[j].load = 0.06;
  Moving *m = record(&arm, &rng, 1e-4), *other = record(&arm, &rng, 0);
  ArmDynamicsFit *fit = find_terms(&arm, m, trial, &found);
  assert_true(arm.joint[1].has[ARM_DYN_LOAD] && arm.joint[2].has[ARM_DYN_LOAD]);
  assert_int_equal(arm_dynamics_set(fit, arm.model, arm.base, &set), ARM_OK);
  assert_int_equal(arm_currents_new(arm.model, &set, &currents), ARM_OK);
  const ArmCurrentsStates states = {SAMPLES, SAMPLES, other->q, other->qd, other->qdd};
  const ArmPredictOptions none = {0};
  arm_currents_predict(currents, &states, &none, current, sd);
  for (size_t j = 1; j < 3; j++) {
    double error = 0, size = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
      const double e = current[s + j * SAMPLES] - other->effort[s + j * SAMPLES];
      error += e * e;
      size += other->effort[s + j * SAMPLES] * other->effort[s + j * SAMPLES];
    }
    assert_true(sqrt(error / size) < 2e-3);
  }
  assert_int_equal(arm_dynamics_residual(fit, found.plain, 0, &residual), ARM_E_ARGUMENT);
  found_clear(&found);
  arm_currents_free(currents);
  arm_param_set_clear(&set);
  arm_dynamics_fit_free(fit);
  moving_free(m);
  moving_free(other);
  arm_base_free(arm.base);
}

/* C less what is explained by unknown k. */
static double given(const ArmDynamicsFit *fit, size_t a, size_t b, size_t k) {
  const double *c = fit->covariance;
  const size_t u = fit->unknowns;
  return c[a + b * u] - c[a + k * u] * c[k + b * u] / c[k + k * u];
}

/* What others are for a given mu does not change; what they share with it grows. */
static void test_sds_grow_by_what_is_shared(void **state) {
  ArmTermTrial trial[ARM_MAX_JOINTS][ARM_TERMS] = {{{0}}};
  Found found;
  TestRng rng;
  Arm arm;
  (void)state;
  arm_make(&arm);
  test_rng_init(&rng, test_seed(174));
  arm.drives[1].load = 0.1;
  Moving *m = record(&arm, &rng, 0.02);
  ArmDynamicsFit *fit = find_terms(&arm, m, trial, &found);
  const size_t k = arm_dynamics_place(fit, 1, ARM_DYN_LOAD);
  const size_t a = arm_dynamics_place(fit, 1, ARM_DYN_COULOMB_POS), b = fit->count - 1;
  const double mu_sd = fit->joint[1].local[ARM_DYN_LOAD].sd;
  const double coulomb_sd = fit->joint[1].local[ARM_DYN_COULOMB_POS].sd;
  const double before[3] = {given(fit, a, a, k), given(fit, a, b, k), given(fit, b, b, k)};
  memset(trial, 0, sizeof trial);
  trial[1][ARM_TERM_LOAD].widening = 3;
  arm_dynamics_widen_terms(fit, trial);
  assert_true(test_is_near(fit->joint[1].local[ARM_DYN_LOAD].sd, 3 * mu_sd, 1e-12, 0));
  assert_true(fit->joint[1].local[ARM_DYN_COULOMB_POS].sd > 1.5 * coulomb_sd);
  assert_true(test_is_near(given(fit, a, a, k), before[0], 1e-9, 0));
  assert_true(test_is_near(given(fit, a, b, k), before[1], 1e-9, 1e-12 * before[0]));
  assert_true(test_is_near(given(fit, b, b, k), before[2], 1e-9, 0));
  found_clear(&found);
  arm_dynamics_fit_free(fit);
  moving_free(m);
  arm_base_free(arm.base);
}

/* A column of terms is made up by others to a few parts in a hundred, so that a covariance that is
 * wider along it alone, and not along what it shares with them, promises hundreds of times the
 * noise. */
static void test_what_is_promised_is_kept(void **state) {
  (void)state;
  for (int seed = 0; seed < 3; seed++) {
    ArmTermTrial trial[ARM_MAX_JOINTS][ARM_TERMS] = {{{0}}};
    ArmDynHeldOut held[ARM_MAX_JOINTS];
    ArmDynPromise *promise;
    ArmFirWhite white;
    Pass other = {0};
    Found found;
    TestRng rng;
    Arm arm;
    arm_make(&arm);
    test_rng_init(&rng, test_seed(190 + (uint64_t)seed));
    arm.drives[1].load = 0.1;
    arm.drives[2].load = 0.1;
    Moving *m = record(&arm, &rng, 0.02), *next = record(&arm, &rng, 0.02);
    ArmDynamicsFit *fit = find_terms(&arm, m, trial, &found);
    assert_true(arm.joint[1].has[ARM_DYN_LOAD] && arm.joint[2].has[ARM_DYN_LOAD]);
    const ArmDynStreamOptions options = options_of(5, &found.terms);
    assert_int_equal(arm_dyn_stream_white(&options, &white), ARM_OK);
    read_rows(&arm, next, &found.terms, &other);
    assert_int_equal(arm_dyn_promise_new(fit, found.information, &white, &promise), ARM_OK);
    assert_int_equal(arm_dyn_promise_compare(promise, fit, other.information, &white, held),
                     ARM_OK);
    for (size_t j = 0; j < N; j++) {
      const double error = held[j].of.rms_error;
      if (!(held[j].promised < 2 * error) || !(held[j].promised > error / 3))
        fail_msg("joint %zu: promised %g, error %g", j + 1, held[j].promised, error);
    }
    arm_dyn_promise_free(promise);
    arm_information_free(other.information);
    found_clear(&found);
    arm_dynamics_fit_free(fit);
    moving_free(m);
    moving_free(next);
    arm_base_free(arm.base);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns_are_the_load_and_the_curves),
      cmocka_unit_test(test_terms_are_found_where_they_are),
      cmocka_unit_test(test_no_term_is_found_where_there_is_none),
      cmocka_unit_test(test_another_motion_is_predicted),
      cmocka_unit_test(test_sds_grow_by_what_is_shared),
      cmocka_unit_test(test_what_is_promised_is_kept),
  };
  return cmocka_run_group_tests_name("terms", tests, load_cases, free_cases);
}
