/* SPDX-License-Identifier: MIT */
/* Predictions: friction at and around zero speed, the sd of a prediction against many repeated
 * experiments, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"
#include "support/truth.h"

enum { N = 3, STATES = 8, REPEATS = 200 };

typedef struct {
  Truth truth;
  ArmModel model;
  TruthRecording rec;
  TestRng rng;
} Bench;

static void bench_init(Bench *bench, bool has_acceleration) {
  TruthOptions options;
  truth_options_default(&options);
  options.n_min = options.n_max = N;
  options.slide_share = 0;
  options.wants_inertia = has_acceleration;
  test_rng_init(&bench->rng, 3);
  truth_random(&bench->rng, &options, &bench->truth);
  truth_model(&bench->truth, &bench->model);
  assert_true(
      truth_recording_sweeps(&bench->rec, &bench->truth, &bench->rng, 4, 10, has_acceleration));
}

static void bench_fit(const Bench *bench, ArmGravityFit *fit) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  options.rows.wants_acceleration = bench->rec.data.qdd != NULL;
  assert_int_equal(arm_gravity_fit(&bench->model, &bench->rec.data, &options, fit), ARM_OK);
}

static double friction_at(const Bench *bench, const ArmGravityFit *fit,
                          const ArmPredictOptions *options, double v) {
  const ArmPredictOptions none = {0};
  const double q[N] = {0.3, -0.2, 0.9}, still[N] = {0};
  double qd[N] = {0}, current[N], gravity[N], sd[N];
  qd[1] = v;
  assert_int_equal(arm_predict(&bench->model, &fit->refined, q, still, NULL, &none, gravity, sd),
                   ARM_OK);
  assert_true(fabs(gravity[1] - truth_gravity_current(&bench->truth, q, 1)) < 1e-12);
  assert_int_equal(arm_predict(&bench->model, &fit->refined, q, qd, NULL, options, current, sd),
                   ARM_OK);
  assert_true(options->zero_speed == ARM_ZERO_SPEED_BAND || /* the others rest as well */
              (current[0] == gravity[0] && current[2] == gravity[2]));
  return current[1] - gravity[1];
}

static void test_zero_speed_rules(void **state) {
  Bench bench;
  ArmGravityFit fit;
  double error[N] = {0};
  (void)state;
  bench_init(&bench, false);
  bench_fit(&bench, &fit);
  const double *f = bench.truth.friction[1];
  ArmPredictOptions options = {0};
  assert_true(friction_at(&bench, &fit, &options, 0) == 0);
  assert_true(fabs(friction_at(&bench, &fit, &options, 0.1) - f[0] - 0.1 * f[1]) < 1e-11);
  assert_true(fabs(friction_at(&bench, &fit, &options, -0.1) - f[2] + 0.1 * f[3]) < 1e-11);
  assert_true(friction_at(&bench, &fit, &options, NAN) == 0); /* not measured counts as still */
  options = (ArmPredictOptions){.zero_speed = ARM_ZERO_SPEED_DEADBAND, .deadband = 0.04};
  assert_true(friction_at(&bench, &fit, &options, 0) == 0);
  assert_true(fabs(friction_at(&bench, &fit, &options, 0.01) - f[0] / 4 - 0.01 * f[1]) < 1e-11);
  assert_true(fabs(friction_at(&bench, &fit, &options, -0.01) - f[2] / 4 + 0.01 * f[3]) < 1e-11);
  assert_true(fabs(friction_at(&bench, &fit, &options, 0.05) - f[0] - 0.05 * f[1]) < 1e-11);
  options = (ArmPredictOptions){.zero_speed = ARM_ZERO_SPEED_SIGN_ERROR, .position_error = error};
  assert_true(friction_at(&bench, &fit, &options, 0) == 0);
  error[1] = 1e-3;
  assert_true(fabs(friction_at(&bench, &fit, &options, 0) - f[0]) < 1e-11);
  error[1] = -1e-3;
  assert_true(fabs(friction_at(&bench, &fit, &options, 0) - f[2]) < 1e-11);
  assert_true(fabs(friction_at(&bench, &fit, &options, 0.1) - f[0] - 0.1 * f[1]) < 1e-11);
  options = (ArmPredictOptions){.zero_speed = ARM_ZERO_SPEED_BAND};
  assert_true(fabs(friction_at(&bench, &fit, &options, 0) - (f[0] + f[2]) / 2) < 1e-11);
  assert_true(fabs(friction_at(&bench, &fit, &options, 0.1) - f[0] - 0.1 * f[1]) < 1e-11);
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&bench.rec);
}

static double sd_at(const Bench *bench, const ArmGravityFit *fit, const ArmPredictOptions *options,
                    double v) {
  const double q[N] = {0.3, -0.2, 0.9};
  double qd[N] = {0}, current[N], sd[N];
  qd[1] = v;
  assert_int_equal(arm_predict(&bench->model, &fit->refined, q, qd, NULL, options, current, sd),
                   ARM_OK);
  return sd[1];
}

/* A static current lies anywhere in the band of friction: an exact fit knows gravity and no more.
 */
static void test_stiction(void **state) {
  Bench bench;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, false);
  bench_fit(&bench, &fit);
  const double *f = bench.truth.friction[1];
  const double half = 1.25 * fabs(f[0] - f[2]) / 2, centre = (f[0] + f[2]) / 2;
  double error[N] = {0, 1e-3, 0};
  ArmPredictOptions options = {.wants_stiction = true};
  assert_true(fabs(sd_at(&bench, &fit, &options, 0) - hypot(half / sqrt(3), centre)) < 1e-9);
  assert_true(sd_at(&bench, &fit, &options, 0.1) < 1e-9);
  options.zero_speed = ARM_ZERO_SPEED_BAND;
  assert_true(fabs(sd_at(&bench, &fit, &options, 0) - half / sqrt(3)) < 1e-9);
  options.wants_stiction = false; /* gravity's alone */
  assert_true(sd_at(&bench, &fit, &options, 0) < 1e-9);
  options = (ArmPredictOptions){
      .zero_speed = ARM_ZERO_SPEED_SIGN_ERROR, .position_error = error, .wants_stiction = true};
  assert_true(fabs(sd_at(&bench, &fit, &options, 0) - hypot(half / sqrt(3), f[0] - centre)) < 1e-9);
  options = (ArmPredictOptions){.wants_stiction = true};
  fit.refined.joint[1].friction[2].identifiable = false;
  assert_true(isnan(sd_at(&bench, &fit, &options, 0)));
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&bench.rec);
}

typedef struct {
  double q[STATES][N], qd[STATES][N];
  double truth[STATES][N], square[STATES][N], variance[STATES][N], noisy[STATES][N];
} Study;

static void study_once(Bench *bench, const double *clean, double noise_sd, Study *study) {
  ArmGravityFit fit;
  for (size_t row = 0; row < bench->rec.room; row++) {
    const size_t at = row + ((size_t)bench->rec.joint[row] - 1) * bench->rec.room;
    bench->rec.current[at] = clean[row] + noise_sd * test_rng_normal(&bench->rng);
  }
  bench_fit(bench, &fit);
  for (size_t k = 0; k < STATES; k++) {
    double current[N], sd[N];
    for (int noisy = 0; noisy < 2; noisy++) {
      const ArmPredictOptions options = {.wants_noise = noisy};
      assert_int_equal(arm_predict(&bench->model, &fit.refined, study->q[k], study->qd[k], NULL,
                                   &options, current, sd),
                       ARM_OK);
      for (size_t i = 0; i < N; i++)
        (noisy ? study->noisy : study->variance)[k][i] += sd[i] * sd[i] / REPEATS;
    }
    for (size_t i = 0; i < N; i++)
      study->square[k][i] += pow(current[i] - study->truth[k][i], 2) / REPEATS;
  }
  arm_gravity_fit_clear(&fit);
}

static void test_sd_agrees_with_repeated_experiments(void **state) {
  static Study study;
  const double noise_sd = 0.02;
  double clean[4096];
  Bench bench;
  (void)state;
  bench_init(&bench, false);
  assert_in_range(bench.rec.room, 1, 4096);
  for (size_t row = 0; row < bench.rec.room; row++)
    clean[row] = bench.rec.current[row + ((size_t)bench.rec.joint[row] - 1) * bench.rec.room];
  for (size_t k = 0; k < STATES; k++) {
    truth_pose(&bench.truth, &bench.rng, study.q[k]);
    for (size_t i = 0; i < N; i++)
      study.qd[k][i] = test_rng_uniform(&bench.rng, -1, 1);
    for (size_t i = 0; i < N; i++)
      study.truth[k][i] = truth_current(&bench.truth, study.q[k], study.qd[k], NULL, i);
  }
  for (int repeat = 0; repeat < REPEATS; repeat++)
    study_once(&bench, clean, noise_sd, &study);
  for (size_t k = 0; k < STATES; k++) {
    for (size_t i = 0; i < N; i++) {
      const double ratio = sqrt(study.variance[k][i] / study.square[k][i]);
      const double noise = sqrt(study.noisy[k][i] - study.variance[k][i]);
      assert_true(ratio > 0.82 && ratio < 1.22); /* 200 repeats know an sd within 5 % */
      assert_true(test_is_near(noise, noise_sd, 0.05, 0));
    }
  }
  truth_recording_clear(&bench.rec);
}

static void test_acceleration_needs_its_parameter(void **state) {
  const ArmPredictOptions options = {0};
  const double q[N] = {0.1, 0.2, 0.3}, qd[N] = {0.5, -0.5, 0.5}, qdd[N] = {1, NAN, -2};
  (void)state;
  for (int has = 0; has < 2; has++) {
    Bench bench;
    ArmGravityFit fit;
    double with[N], without[N], sd[N];
    bench_init(&bench, has);
    bench_fit(&bench, &fit);
    assert_int_equal(arm_predict(&bench.model, &fit.refined, q, qd, qdd, &options, with, sd),
                     ARM_OK);
    assert_int_equal(arm_predict(&bench.model, &fit.refined, q, qd, NULL, &options, without, sd),
                     ARM_OK);
    for (size_t i = 0; i < N; i++) {
      const double want = has && i != 1 ? bench.truth.inertia[i] * qdd[i] : 0;
      assert_true(fabs(with[i] - without[i] - want) < 1e-11);
    }
    arm_gravity_fit_clear(&fit);
    truth_recording_clear(&bench.rec);
  }
}

static void test_bad_states_are_refused(void **state) {
  const ArmPredictOptions options = {0};
  double q[N] = {0}, qd[N] = {0}, current[N] = {7, 7, 7}, sd[N];
  Bench bench;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, false);
  bench_fit(&bench, &fit);
  q[1] = NAN;
  assert_int_equal(arm_predict(&bench.model, &fit.refined, q, qd, NULL, &options, current, sd),
                   ARM_E_NOT_FINITE);
  q[1] = 0;
  qd[2] = INFINITY;
  assert_int_equal(arm_predict(&bench.model, &fit.refined, q, qd, NULL, &options, current, sd),
                   ARM_E_NOT_FINITE);
  qd[2] = 0;
  bench.model.joints[0].type = ARM_JOINT_T;
  assert_int_equal(arm_predict(&bench.model, &fit.refined, q, qd, NULL, &options, current, sd),
                   ARM_E_ARGUMENT);
  bench.model.n = 2;
  assert_int_equal(arm_predict(&bench.model, &fit.refined, q, qd, NULL, &options, current, sd),
                   ARM_E_ARGUMENT);
  assert_true(current[0] == 7 && current[1] == 7 && current[2] == 7);
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&bench.rec);
}

/* Eight states at a time against one by one, bit by bit: joints that stand still in succession and
 * again in the next block, speeds that are 0, friction terms, and what no fit knows. */
static void test_rows_are_states(void **state) {
  static ArmPredictWork work;
  enum { ROWS = 3 * ARM_PREDICT_ROWS + 5 };
  Bench bench;
  ArmGravityFit fit;
  double q[ROWS * N], qd[ROWS * N], qdd[ROWS * N], error[ROWS * N];
  (void)state;
  bench_init(&bench, true);
  bench_fit(&bench, &fit);
  for (size_t k = 0; k < ROWS * N; k++) {
    q[k] = k >= N && k % 5 < 3 ? q[k - N] : test_rng_uniform(&bench.rng, -2, 2);
    qd[k] = k % 4 == 0 ? 0.0 : k % 7 == 0 ? (double)NAN : test_rng_uniform(&bench.rng, -1, 1);
    qdd[k] = k % 3 == 0 ? (double)NAN : test_rng_uniform(&bench.rng, -1, 1);
    error[k] = test_rng_uniform(&bench.rng, -1, 1);
  }
  q[N] = 0.0;
  q[2 * N] = -0.0;
  fit.refined.joint[1].has_term[ARM_TERM_LOAD] = fit.refined.joint[1].has_term[ARM_TERM_CURVE] =
      true;
  fit.refined.joint[1].term[ARM_TERM_LOAD] = (ArmEstimate){.used = 0.03, .identifiable = true};
  fit.refined.joint[1].term[ARM_TERM_CURVE] = (ArmEstimate){.used = 0.2, .identifiable = true};
  fit.refined.joint[1].curve_speed = 0.1;
  fit.refined.joint[1].term_sign = 1;
  for (int round = 0; round < 5; round++) {
    ArmPredictOptions options = {.zero_speed = (ArmZeroSpeed)(round % 4),
                                 .deadband = 0.1,
                                 .wants_noise = round > 1,
                                 .wants_stiction = round != 2,
                                 .position_error = error};
    fit.refined.joint[2].rows_used *= round < 4;
    arm_predict_begin(&fit.refined, &work);
    for (size_t first = 0; first < ROWS; first += ARM_PREDICT_ROWS) {
      const size_t rows = ROWS - first < ARM_PREDICT_ROWS ? ROWS - first : ARM_PREDICT_ROWS;
      double current[ARM_PREDICT_ROWS * N], sd[ARM_PREDICT_ROWS * N], i[N], s[N];
      options.position_error = error + first * N;
      assert_int_equal(arm_predict_rows(&bench.model, &fit.refined, rows, q + first * N,
                                        qd + first * N, qdd + first * N, &options, &work, current,
                                        sd),
                       ARM_OK);
      for (size_t r = 0; r < rows; r++) {
        const size_t at = (first + r) * N;
        options.position_error = error + at;
        assert_int_equal(
            arm_predict(&bench.model, &fit.refined, q + at, qd + at, qdd + at, &options, i, s),
            ARM_OK);
        assert_memory_equal(i, current + r * N, sizeof i);
        for (size_t j = 0; j < N; j++)
          assert_true(s[j] == sd[r * N + j] || (isnan(s[j]) && isnan(sd[r * N + j])));
      }
    }
  }
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&bench.rec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_zero_speed_rules),
      cmocka_unit_test(test_stiction),
      cmocka_unit_test(test_sd_agrees_with_repeated_experiments),
      cmocka_unit_test(test_acceleration_needs_its_parameter),
      cmocka_unit_test(test_bad_states_are_refused),
      cmocka_unit_test(test_rows_are_states),
  };
  return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}
